"""The visitor's own talk: views put aside on any page, in an order of one's own, kept in a small file."""

import json
from collections.abc import Sequence

import streamlit as st

from pages.ui.choices.tokenizers import reference_counts, reference_lanes
from pages.ui.deck import MOST_CHARACTERS, Slide, View
from pages.ui.deck.keys import ENTRIES, Entry, Learned
from pages.ui.stage import MOST_CHARACTERS as MOST_ON_STAGE
from pages.ui.stage import replay_options
from pages.ui.words import as_plain_markdown, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Job
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.patterns import pretokenize
from tokenizer_core.vocabulary import MergeCheck

MOST_ENTRIES = 50
MOST_MERGES = 4_000
"""Merges of a training in a talk; nobody watches more."""
MOST_BYTES = 1_000_000


NOTHING_YET = Learned("", "", ())


def learned_by(job: Job) -> Learned:
    """Return what a training has learned so far, for a talk: at most `MOST_MERGES` merges."""
    merges = tuple((merge.left, merge.right, merge.count) for merge in job.merges[:MOST_MERGES])
    return Learned(job.training.corpus_name, job.training.pattern, merges) if merges else NOTHING_YET


def name_of(entry: Entry) -> str:
    """Return what the list of the talk calls an entry; for a text, its beginning as Markdown code."""
    if entry.learned:
        return t("talk.training", merges=len(entry.learned.merges), text=as_plain_markdown(entry.text[:60]))
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
        disabled=is_full or not (entry.story or entry.text) or entry.learned == NOTHING_YET,
        help=t("talk.full", most=MOST_ENTRIES) if is_full else t("talk.in_it", count=len(ENTRIES.get())),
    )


def slide_of(entry: Entry) -> Slide:
    """Return the slide of a text or of a training."""
    if entry.learned:
        corpus, pattern, merges = entry.learned
        levels = reference_counts(entry.text)
        return Slide(
            "stage", stage=replay_options(pattern, corpus, merges, entry.text, levels, title=t("train.title"))
        )
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

    >>> talk = [Entry(story="water"), Entry(text="น้ำ", lanes=("gpt2",))]
    >>> read(written(talk), ["water"]) == talk
    True
    """
    talk = {"tokenizer_explorer_talk": 1, "entries": [_row(entry) for entry in entries]}
    return json.dumps(talk, ensure_ascii=False, separators=(",", ":"))


def _row(entry: Entry) -> dict[str, object]:
    if entry.learned:
        return {"text": entry.text, "training": entry.learned._asdict()}
    return {"story": entry.story} if entry.story else {"text": entry.text, "with": list(entry.lanes)}


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
    if not isinstance(row, dict) or not _is_text(row.get("text")):
        raise ValueError("not a talk")
    if "training" in row:
        text = row["text"][:MOST_ON_STAGE]
        return Entry(text=text, learned=_learned(row["training"], text))
    named = row.get("with")
    lanes = tuple(name for name in OPENAI_NAMES if isinstance(named, list) and name in named)
    if not lanes:
        raise ValueError("not a talk")
    return Entry(text=row["text"][:MOST_CHARACTERS], lanes=lanes)


def _learned(row: object, text: str) -> Learned:
    """Check a training of a file: its pattern must cut the text, and each merge must join what exists."""
    if not isinstance(row, dict) or not _is_text(row.get("corpus")) or not _is_text(row.get("pattern")):
        raise ValueError("not a talk")
    merges = row.get("merges")
    if not isinstance(merges, list) or not 0 < len(merges) <= MOST_MERGES:
        raise ValueError("not a talk")
    check = MergeCheck()
    for merge in merges:
        if not isinstance(merge, list) or [type(number) for number in merge] != [int] * 3:
            raise ValueError("not a talk")
        try:
            check.add(*merge[:2])
        except TokenizerError:
            raise ValueError("not a talk") from None
    try:
        pretokenize(text, row["pattern"])
    except TokenizerError:
        raise ValueError("not a talk") from None
    return Learned(
        row["corpus"][:200], row["pattern"], tuple((left, right, count) for left, right, count in merges)
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != "" and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _add(entry: Entry) -> None:
    ENTRIES.put([*ENTRIES.get(), entry])
