"""The visitor's own talk: views put aside on any page, in an order of one's own, kept in a small file."""

import json
from collections.abc import Callable, Sequence
from typing import cast

import streamlit as st

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.choices.pattern import pattern_name, shortened
from pages.ui.choices.tokenizers import is_choice, lanes_called, reference_counts, reference_lanes, why_not
from pages.ui.deck import MOST_CHARACTERS, Slide, View
from pages.ui.deck.keys import ENTRIES, Entry, Learned, Unfair
from pages.ui.stage import MOST_CHARACTERS as MOST_ON_STAGE
from pages.ui.stage import replay_options
from pages.ui.token_view.lanes import MINE, Label, Lane, pretoken_lane
from pages.ui.widgets.written import premium, ratio
from pages.ui.words import LANGUAGES, as_name, as_plain_markdown, language, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Job
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.patterns import SPLIT_PATTERNS, pretokenize
from tokenizer_core.vocabulary import MergeCheck

MOST_ENTRIES = 50
MOST_MERGES = 4_000
"""Merges of a training in a talk; nobody watches more."""
MOST_BYTES = 1_000_000
MOST_PATTERNS = 2
MOST_IN_NAME = 200
MOST_IN_FIGURE = 1e9
MOST_LANES = 200


NOTHING_YET = Learned("", "", ())


def learned_by(job: Job) -> Learned:
    """Return what a training has learned so far, for a talk: at most `MOST_MERGES` merges."""
    merges = tuple((merge.left, merge.right, merge.count) for merge in job.merges[:MOST_MERGES])
    return Learned(job.training.corpus_name, job.training.pattern, merges) if merges else NOTHING_YET


def name_of(entry: Entry) -> str:
    """Return what the list of the talk calls an entry; for a text, its beginning as Markdown code."""
    if entry.learned:
        return t("talk.training", merges=len(entry.learned.merges), text=as_plain_markdown(entry.text[:60]))
    if entry.unfair:
        return premium_said(entry.unfair, as_name)
    if entry.patterns:
        names = " · ".join(as_name(_short_name(pattern)) for pattern in entry.patterns)
        return t("talk.cut_by", patterns=names, text=as_plain_markdown(entry.text[:60]))
    return t(f"stories.{entry.story}_name") if entry.story else as_plain_markdown(entry.text[:60])


def premium_said(unfair: Unfair, called: Callable[[str], str] = str) -> str:
    """Say the highest premium in a sentence."""
    spoken, base = (_word_for(name, "languages", called) for name in unfair.languages)
    tokenizer = _word_for(unfair.tokenizer, "tokenizers", called)
    return t("languages.says", tokenizer=tokenizer, premium=ratio(unfair.premium), language=spoken, base=base)


def add_button(entry: Entry, *, key: str) -> None:
    """Draw the button that puts a view into the visitor's talk."""
    is_full = len(ENTRIES.get()) >= MOST_ENTRIES
    has_view = bool(entry.text and (entry.lanes or entry.learned or entry.patterns))
    st.button(
        t("talk.add"),
        icon=":material/playlist_add:",
        key=key,
        type="tertiary",
        on_click=_add,
        args=(entry,),
        disabled=is_full or not (entry.story or entry.unfair or has_view) or entry.learned == NOTHING_YET,
        help=_help(entry, is_full=is_full),
    )


def _help(entry: Entry, *, is_full: bool) -> str:
    if is_full:
        return t("talk.full", most=MOST_ENTRIES)
    if entry.text and entry == Entry(text=entry.text):
        return t("talk.needs_reference")
    return t("talk.in_it", count=len(ENTRIES.get()))


def slides_of_entry(entry: Entry) -> list[Slide]:
    """Return the slides of an entry that is no story."""
    if entry.learned:
        corpus, pattern, merges = entry.learned
        levels = reference_counts(entry.text)
        played = replay_options(pattern, corpus_called(corpus), merges, entry.text, levels, title=t("train.title"))
        return [Slide("stage", stage=played)]
    if entry.unfair:
        return unfair_slides(entry.unfair, reference_lanes(entry.lanes))
    if entry.patterns:
        lanes = [pretoken_lane(pattern, Label(_short_name(pattern))) for pattern in entry.patterns]
        return [Slide("tokens", views=[View(entry.text, lanes)])]
    # What is no longer open is left out; a slide without tokens would say nothing.
    lanes = lanes_called(entry.lanes) or reference_lanes()
    able = [lane for lane in lanes if not why_not(lane, entry.text)]
    return [Slide("tokens", views=[View(entry.text, able)])]


def unfair_slides(unfair: Unfair, lanes: Sequence[Lane]) -> list[Slide]:
    """Return the highest premium in a sentence, and the most unfair pair in the tokens of these lanes."""
    slides = [Slide("words", title={language(): premium_said(unfair)}, is_strong=True)]
    if unfair.line and lanes:
        over = t(
            "languages.most_unfair",
            line=unfair.line,
            premium=premium(unfair.pair_premium),
            tokenizer=_word_for(unfair.tokenizer, "tokenizers"),
        )
        views = [
            View(text, lanes, label=_word_for(name, "languages"))
            for name, text in zip(unfair.languages, unfair.texts, strict=True)
        ]
        slides.append(Slide("tokens", over={language(): over}, views=views))
    return slides


def _word_for(name: str, section: str, called: Callable[[str], str] = str) -> str:
    """Return the word for a language or a tokenizer that the app has, and any other name as it is."""
    known = (*OPENAI_NAMES, MINE) if section == "tokenizers" else LANGUAGES
    return t(f"{section}.{name}") if name in known else called(name)


def _short_name(pattern: str) -> str:
    return shortened(pattern_name(pattern)) if pattern in SPLIT_PATTERNS else pattern_name(pattern)


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
    if entry.unfair:
        return {"comparison": entry.unfair._asdict(), "with": list(entry.lanes)}
    if entry.patterns:
        return {"text": entry.text, "patterns": list(entry.patterns)}
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
    if not isinstance(row, dict):
        raise ValueError("not a talk")
    named = row.get("with")
    if "comparison" in row:
        lanes = tuple(name for name in OPENAI_NAMES if isinstance(named, list) and name in named)
        return Entry(unfair=_unfair(row["comparison"]), lanes=lanes)
    if not _is_text(row.get("text")):
        raise ValueError("not a talk")
    if "training" in row:
        text = row["text"][:MOST_ON_STAGE]
        return Entry(text=text, learned=_learned(row["training"], text))
    text = row["text"][:MOST_CHARACTERS]
    if "patterns" in row:
        return Entry(text=text, patterns=_patterns(row["patterns"], text))
    lanes = tuple(name for name in named if is_choice(name)) if isinstance(named, list) else ()
    if not lanes or len(lanes) > MOST_LANES:
        raise ValueError("not a talk")
    return Entry(text=text, lanes=lanes)


def _patterns(row: object, text: str) -> tuple[str, ...]:
    """Check the split patterns of a file: each must cut the text."""
    if not isinstance(row, list) or not 0 < len(row) <= MOST_PATTERNS or not all(map(_is_text, row)):
        raise ValueError("not a talk")
    for pattern in row:
        _check_pattern(pattern, text)
    return tuple(row)


def _unfair(row: object) -> Unfair:
    """Check a comparison of languages of a file: names and texts, and figures that can be."""
    found = row if isinstance(row, dict) and set(row) == set(Unfair._fields) else {}
    pairs = [found.get("languages"), found.get("texts")]
    figures = [found.get("premium"), found.get("pair_premium"), found.get("line")]
    are_pairs = all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_written, pair)) for pair in pairs)
    if not are_pairs or not _is_text(found.get("tokenizer")) or not all(map(_is_figure, figures)):
        raise ValueError("not a talk")
    return Unfair(
        found["tokenizer"][:MOST_IN_NAME],
        (found["languages"][0][:MOST_IN_NAME], found["languages"][1][:MOST_IN_NAME]),
        float(found["premium"]),
        int(found["line"]),
        float(found["pair_premium"]),
        (found["texts"][0][:MOST_CHARACTERS], found["texts"][1][:MOST_CHARACTERS]),
    )


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
    _check_pattern(row["pattern"], text)
    return Learned(
        row["corpus"][:200], row["pattern"], tuple((left, right, count) for left, right, count in merges)
    )


def _check_pattern(pattern: str, text: str) -> None:
    try:
        pretokenize(text, pattern)
    except TokenizerError:
        raise ValueError("not a talk") from None


def _is_figure(value: object) -> bool:
    return type(value) in (int, float) and 0 <= cast(float, value) < MOST_IN_FIGURE


def _is_text(value: object) -> bool:
    return value != "" and _is_written(value)


def _is_written(value: object) -> bool:
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _add(entry: Entry) -> None:
    ENTRIES.put([*ENTRIES.get(), entry])
