"""The visitor's own talk: views put aside on any page, in an order of one's own, kept in a small file."""

import json
from collections.abc import Sequence

import streamlit as st

from pages.ui.choices.tokenizers import reference_lanes
from pages.ui.deck import MOST_CHARACTERS, Slide, View
from pages.ui.deck.keys import ENTRIES, Entry
from pages.ui.words import as_plain_markdown, t
from tokenizer_core.openai import OPENAI_NAMES

MOST_ENTRIES = 50
MOST_BYTES = 200_000


def name_of(entry: Entry) -> str:
    """Return what the list of the talk calls an entry; for a text, its beginning as Markdown code."""
    return t(f"stories.{entry.story}_name") if entry.story else as_plain_markdown(entry.text[:60])


def add_button(entry: Entry, *, key: str) -> None:
    """Draw the button that puts a view into the visitor's talk."""
    is_full = len(ENTRIES.get()) >= MOST_ENTRIES
    st.button(
        t("talk.add"),
        icon=":material/playlist_add:",
        key=key,
        type="tertiary",
        on_click=_add,
        args=(entry,),
        disabled=is_full or not (entry.story or entry.text),
        help=t("talk.full", most=MOST_ENTRIES) if is_full else t("talk.in_it", count=len(ENTRIES.get())),
    )


def slide_of(entry: Entry) -> Slide:
    """Return the slide of a text."""
    return Slide("tokens", views=[View(entry.text, reference_lanes(entry.lanes))])


def move(place: int, step: int) -> None:
    """Move an entry up or down."""
    entries = list(ENTRIES.get())
    other = place + step
    if 0 <= other < len(entries):
        entries[place], entries[other] = entries[other], entries[place]
    ENTRIES.put(entries)


def drop(place: int) -> None:
    """Take an entry out."""
    ENTRIES.put([entry for number, entry in enumerate(ENTRIES.get()) if number != place])


def written(entries: Sequence[Entry]) -> str:
    """Return the talk as the text of a file.

    >>> read(written([Entry(story="water"), Entry(text="น้ำ", lanes=("gpt2",))]), ["water"])
    [Entry(story='water', text='', lanes=()), Entry(story='', text='น้ำ', lanes=('gpt2',))]
    """
    rows = [
        {"story": entry.story} if entry.story else {"text": entry.text, "with": list(entry.lanes)}
        for entry in entries
    ]
    return json.dumps({"tokenizer_explorer_talk": 1, "entries": rows}, ensure_ascii=False, indent=1)


def read(content: str | bytes, stories: Sequence[str]) -> list[Entry]:
    """Return the talk of a file; raise ValueError for anything else. Stories and tokenizers must be known ones.

    >>> read("[]", [])
    Traceback (most recent call last):
    ValueError: not a talk
    """
    try:
        found = json.loads(content[: MOST_BYTES + 1])
    except (ValueError, RecursionError):
        raise ValueError("not a talk") from None
    rows = found.get("entries") if isinstance(found, dict) else None
    if not isinstance(rows, list) or found.get("tokenizer_explorer_talk") != 1 or len(rows) > MOST_ENTRIES:
        raise ValueError("not a talk")
    return [_entry(row, stories) for row in rows]


def _entry(row: object, stories: Sequence[str]) -> Entry:
    if isinstance(row, dict) and row.get("story") in stories:
        return Entry(story=str(row["story"]))
    if not isinstance(row, dict) or not isinstance(row.get("text"), str) or not isinstance(row.get("with"), list):
        raise ValueError("not a talk")
    text, lanes = row["text"][:MOST_CHARACTERS], tuple(name for name in OPENAI_NAMES if name in row["with"])
    if not text or not lanes or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("not a talk")
    return Entry(text=text, lanes=lanes)


def _add(entry: Entry) -> None:
    ENTRIES.put([*ENTRIES.get(), entry])
