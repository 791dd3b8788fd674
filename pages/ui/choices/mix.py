"""The mix of Thai and English in a corpus: how much of each it holds, and how much of each is taken."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from pages.ui.choices.corpus import Corpus
from pages.ui.shell.visitor import remembered
from pages.ui.words import names, t
from tokenizer_core.texts.mixing import Mix, ScriptLines, Unit, lines_by_script, mix, sizes

UNITS: tuple[Unit, ...] = ("bytes", "characters")
AS_IT_IS = "as_it_is"
PRESETS: dict[str, tuple[int, int]] = {"1 : 1": (1, 1), "2 : 1": (2, 1), "4 : 1": (4, 1)}
"""Thai : English, as people write it, and as weights."""
MAX_MEASURED = 8

_MEASURED = "mix_measured"
_MIXED = "mix_mixed"


class ScriptSizes(NamedTuple):
    """How large the Thai, the English and the other lines of a corpus are, and how many others there are."""

    thai: int
    latin: int
    other: int
    other_lines: int


def mix_controls(corpus: Corpus) -> Corpus:
    """The corpus in the mix that the visitor sets; itself where nothing is set, or it holds only one script."""
    sizes_in = script_sizes(corpus.texts)
    if not holds_both(sizes_in):
        return corpus
    wanted = st.toggle(t("mix.set"), key="mix_set", persist_state="session", help=t("mix.set_help"))
    if not wanted:
        st.session_state.pop(_MIXED, None)
        return corpus
    preset, unit = _mix_picker()
    before = sizes_in[unit]
    if preset == AS_IT_IS:
        st.session_state.pop(_MIXED, None)
        st.caption(_balance(before.thai, before.latin, unit) + ".")
        return corpus
    mixed = _mixed(corpus.texts, preset, unit)
    st.caption(_what_was_taken(mixed, before, unit))
    name = t("mix.name", corpus=corpus.name, weights=preset, unit=t(f"mix.{unit}"))
    return replace(corpus, name=name, texts=mixed.texts)


def corpus_key(texts: Sequence[str]) -> tuple[int, ...]:
    """The same for the same texts while this server runs; a text keeps its hash, so this takes no time again."""
    return (hash(tuple(texts)), *map(len, texts))


def script_sizes(texts: Sequence[str]) -> dict[Unit, ScriptSizes]:
    """The sizes of a corpus by script in either unit; measured once, at about 50 MB a second."""
    known: dict[tuple[int, ...], dict[Unit, ScriptSizes]] = st.session_state.setdefault(_MEASURED, {})
    key = corpus_key(texts)
    if key not in known:
        lines = lines_by_script(texts)
        while len(known) >= MAX_MEASURED:
            known.pop(next(iter(known)))
        known[key] = {unit: _sizes_of(lines, unit) for unit in UNITS}
    return known[key]


def _sizes_of(lines: ScriptLines, unit: Unit) -> ScriptSizes:
    thai, latin, other = (int(sizes(side, unit).sum()) for side in lines)
    return ScriptSizes(thai, latin, other, len(lines.other))


def holds_both(sizes_in: dict[Unit, ScriptSizes]) -> bool:
    """Whether there are lines in Thai and lines in Latin letters."""
    return bool(sizes_in["bytes"].thai and sizes_in["bytes"].latin)


def _mix_picker() -> tuple[str, Unit]:
    """The weights and what they are counted in."""
    options = [AS_IT_IS, *PRESETS]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = st.segmented_control(
            t("mix.weights"),
            options,
            format_func={AS_IT_IS: t("mix.as_it_is"), **{each: each for each in PRESETS}}.__getitem__,
            required=True,
            key=remembered("mix_preset", AS_IT_IS),
            persist_state="session",
        )
        unit = st.segmented_control(
            t("mix.unit"),
            UNITS,
            format_func=names("mix.{}", UNITS),
            required=True,
            key=remembered("mix_unit", UNITS[0]),
            persist_state="session",
            help=t("mix.unit_help"),
        )
    return preset or AS_IT_IS, unit or UNITS[0]


def _mixed(texts: Sequence[str], preset: str, unit: Unit) -> Mix:
    """The mix; that of the last corpus and choice is kept."""
    key = (corpus_key(texts), preset, unit)
    known: tuple[Any, Mix] | None = st.session_state.get(_MIXED)
    if known is None or known[0] != key:
        lines = lines_by_script(texts)
        known = (key, mix(lines.thai, lines.latin, PRESETS[preset], unit))
        st.session_state[_MIXED] = known
    return known[1]


def _what_was_taken(mixed: Mix, before: ScriptSizes, unit: Unit) -> str:
    """The sizes of both sides, and all that is left out."""
    sentence = _balance(mixed.thai_size, mixed.latin_size, unit)
    left_out = []
    if before.thai > mixed.thai_size:
        left_out.append(t("mix.thai_left_out", size=_size(before.thai - mixed.thai_size, unit)))
    if before.latin > mixed.latin_size:
        left_out.append(t("mix.english_left_out", size=_size(before.latin - mixed.latin_size, unit)))
    if before.other_lines:
        left_out.append(t("mix.other_left_out", lines=before.other_lines, size=_size(before.other, unit)))
    return sentence + (t("mix.left_out", what=" · ".join(left_out)) if left_out else ".")


def _balance(thai: int, latin: int, unit: Unit) -> str:
    """How much of each, with its share of both."""
    share = thai / (thai + latin)
    return t(
        "mix.balance",
        thai=_size(thai, unit),
        english=_size(latin, unit),
        thai_share=f"{share:.0%}",
        english_share=f"{1 - share:.0%}",
    )


def _size(count: int, unit: Unit) -> str:
    """A size with its unit; of bytes in thousands, to a tenth where there are few."""
    if unit == "characters":
        return t("mix.size_characters", count=count)
    return t("mix.size_bytes", kilobytes=f"{count / 1000:,.1f}" if count < 100_000 else f"{count / 1000:,.0f}")
