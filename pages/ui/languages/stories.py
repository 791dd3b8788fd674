"""Stories: demos that are one click away, each with a sentence whose numbers are counted when it is told."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages.ui.choices.parallel_texts import sample_parallel
from pages.ui.languages.counts import entries_with_thai
from pages.ui.shell.links import link_to_story
from pages.ui.shell.visitor import remembered
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import Text, TokenizerRow, drawing, encoded, pretoken_row, references
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import language, names, t, told
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import train

HOME_SIZE = 2_000
"""Vocabulary of the tokenizer trained at home: a fifth of a second on the bundled Thai lines."""
HELD_OUT = 5
"""Every fifth pair of the bundled sentences is kept from training, and measured."""
GPT2, CL100K, O200K = "gpt2", "cl100k_base", "o200k_base"
_trained = Bounded[Tokenizer](4, weigh=lambda tokenizer: 1)


class Story(NamedTuple):
    """What a story shows, and the numbers in its sentence."""

    text: str
    rows: Sequence[TokenizerRow]
    figures: Mapping[str, Any]


def show_stories() -> None:
    """The names of all stories, and the one that was clicked: its sentence, and its text in tokens."""
    linked = st.session_state.pop("linked_story", None)
    if linked in STORIES:
        st.session_state["languages_story"] = linked
    chosen = st.pills(
        t("stories.label"),
        list(STORIES),
        format_func=names("stories.{}_name", STORIES),
        key=remembered("languages_story", next(iter(STORIES))),
        persist_state="session",
        required=True,
        label_visibility="collapsed",
        wrap=True,
    )
    name = chosen or next(iter(STORIES))
    with told():
        _show(name, STORIES[name]())


def _show(name: str, story: Story) -> None:
    st.markdown(t(f"stories.{name}_says", **story.figures))
    token_view(
        drawing(Text(story.text), story.rows, language=language()),
        key=f"languages_story_{name}",
        toolbar="short",
        large=True,
        max_height=None,
        link=link_to_story(name),
    )
    st.caption(t("stories.live"))


def _references(names: Sequence[str] = OPENAI_NAMES) -> list[TokenizerRow]:
    """The reference tokenizers; raises `RankFileError`, for a story is told whole or not at all."""
    for name in names:
        openai_tokenizer(name)
    return references(names)


def _count(row: TokenizerRow, text: str) -> int:
    return len(encoded(row, Text(text)).ids)


def _counts(rows: Sequence[TokenizerRow], **texts: str) -> dict[str, int]:
    """The tokens of each text by each reference, as "gpt2_thai"."""
    return {f"{row.key}_{name}": _count(row, text) for row in rows for name, text in texts.items()}


# ---- the stories


def _doctor() -> Story:
    rows = _references()
    thai, english = t("examples.sample").split("\n")
    return Story(f"{thai}\n{english}", rows, _counts(rows, thai=thai, english=english))


def _no_letter() -> Story:
    rows = _references()
    entries = {f"{row.key}_entries": entries_with_thai(row) for row in rows}
    return Story("กขค งจฉ", rows, entries | _counts(rows, letter="ก"))


def _water() -> Story:
    rows = _references()
    return Story("น้ำ", rows, _counts(rows, water="น้ำ"))


def _never() -> Story:
    text = "กำลังเรียนที่โรงเรียน"
    patterns = ("gpt2", "llama3", "mark_aware")
    rows = [pretoken_row(pattern, t(f"pattern.{pattern}_name")) for pattern in patterns]
    return Story(text, rows, {pattern: _count(row, text) for pattern, row in zip(patterns, rows, strict=True)})


def _home_made() -> Story:
    rows = [_home_row(), *_references([O200K])]
    lines = sample_parallel().lines[0][::HELD_OUT]
    totals = [sum(_count(row, line) for line in lines) for row in rows]
    saved = [_count(rows[-1], line) - _count(rows[0], line) for line in lines]
    most = lines[saved.index(max(saved))]
    figures = {"size": HOME_SIZE, "lines": len(lines), "own": totals[0], "other": totals[-1]}
    return Story(most, rows, figures | {"entries": openai_tokenizer(O200K).vocab_size})


def _twins() -> Story:
    rows = _references()
    return Story("แม่\nเเม่", rows, _counts(rows, right="แม่", twin="เเม่"))


def _zero_width() -> Story:
    rows = _references()
    return Story("ภาษาไทย\nภาษา\u200bไทย", rows, _counts(rows, plain="ภาษาไทย", hidden="ภาษา\u200bไทย"))


def _digits() -> Story:
    rows = _references()
    return Story("๒๕๖๗\n2567", rows, _counts(rows, thai="๒๕๖๗", arabic="2567"))


def _tables_turned() -> Story:
    own = _home_row()
    thai, english = (side[::HELD_OUT] for side in sample_parallel().lines)
    totals = [sum(_count(own, line) for line in side) for side in (thai, english)]
    shown = f"{thai[0]}\n{english[0]}"
    figures = {"size": HOME_SIZE, "lines": len(thai), "thai": totals[0], "english": totals[1]}
    return Story(shown, [own, *_references([O200K])], figures | {"premium": f"{totals[1] / totals[0]:.1f}"})


def _polite() -> Story:
    rows = _references()
    short, polite = "ขอบคุณ", "ขอบคุณมากนะคะ"
    return Story(
        f"{short}\n{polite}\nThank you", rows, _counts(rows, short=short, polite=polite, english="Thank you")
    )


def _football() -> Story:
    rows = _references([O200K])
    words = {"league": "พรีเมียร์ลีก", "hello": "สวัสดี", "hospital": "โรงพยาบาล", "soup": "ต้มยำกุ้ง"}
    return Story(" ".join(words.values()), rows, _counts(rows, **words))


def _home_row() -> TokenizerRow:
    """A tokenizer trained here, on four of five of the bundled Thai lines and on nothing else."""

    def make() -> Tokenizer:
        lines = [line for number, line in enumerate(sample_parallel().lines[0]) if number % HELD_OUT]
        return train(lines, HOME_SIZE)

    tokenizer = _trained.get(HOME_SIZE, make)
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    return TokenizerRow(tokenizer, f"story home {HOME_SIZE}", t("stories.home"), caption, merges=tokenizer.merges)


STORIES: dict[str, Callable[[], Story]] = {
    "doctor": _doctor,
    "no_letter": _no_letter,
    "water": _water,
    "never": _never,
    "home_made": _home_made,
    "twins": _twins,
    "digits": _digits,
    "tables_turned": _tables_turned,
    "zero_width": _zero_width,
    "polite": _polite,
    "football": _football,
}
"""In the order in which they are offered. Another story is one more line, with the words stories.X_name and
stories.X_says."""
