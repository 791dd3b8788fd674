"""The mix of Thai and English in a corpus: how much the corpus has of each, and how much of each to take."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.ui.choices import keys
from pages.ui.choices.corpus import Corpus
from pages.ui.choices.corpus_names import name_of_mix
from pages.ui.session import remembered
from pages.ui.widgets import written
from pages.ui.widgets.segmented import segmented
from pages.ui.words import names, t
from tokenizer_core.texts.mixing import Mix, ScriptSizes, Unit, lines_by_script, mix, script_sizes

UNITS: tuple[Unit, ...] = ("bytes", "characters")
AS_IT_IS = "as_it_is"
OTHER = "other"
PRESETS: dict[str, tuple[int, int]] = {"1 : 2": (1, 2), "1 : 1": (1, 1), "2 : 1": (2, 1), "4 : 1": (4, 1)}
"""Thai : English, as people write it, and as weights."""
MOST_WEIGHT = 100
MAX_MEASURED = 8
MOST_CHARACTERS = 50_000_000
"""Characters sorted by language: 200 million would take ten seconds and 2 GB of memory."""


def mix_controls(corpus: Corpus) -> Corpus:
    """Return the corpus in the visitor's mix, or unchanged if no mix is set or it has only one script."""
    if is_too_large(corpus.texts):
        st.caption(t("mix.too_large", limit=MOST_CHARACTERS // 10**6))
        return corpus
    sizes_in = sizes_by_script(corpus.texts)
    if not holds_both(sizes_in):
        return corpus
    wanted = st.toggle(t("mix.set"), key="mix_set", persist_state="session", help=t("mix.set_help"))
    if not wanted:
        keys.MIXED.forget()
        return corpus
    preset, unit = _mix_picker()
    before = sizes_in[unit]
    weights = _other_weights() if preset == OTHER else PRESETS.get(preset)
    if weights is None:
        keys.MIXED.forget()
        st.caption(_balance(before.thai, before.latin, unit) + ".")
        return corpus
    mixed = _mixed(corpus.texts, weights, unit)
    st.caption(_what_was_taken(mixed, before, unit))
    written_weights = " : ".join(map(str, weights))
    name = name_of_mix(corpus.name, written_weights, unit)
    return replace(corpus, name=name, texts=mixed.texts)


def corpus_key(texts: Sequence[str]) -> tuple[int, ...]:
    """Return a key, the same for the same texts while this server runs; fast, because a text keeps its hash."""
    return (hash(tuple(texts)), *map(len, texts))


def is_too_large(texts: Sequence[str]) -> bool:
    """Tell whether texts are too large to be sorted by language."""
    return sum(map(len, texts)) > MOST_CHARACTERS


def sizes_by_script(texts: Sequence[str]) -> dict[Unit, ScriptSizes]:
    """Return the sizes of a corpus by script in both units; measured once, at about 200 MB per second."""
    known = keys.MEASURED.get()
    key = corpus_key(texts)
    if key not in known:
        while len(known) >= MAX_MEASURED:
            known.pop(next(iter(known)))
        known[key] = script_sizes(texts)
    return known[key]


def holds_both(sizes_in: dict[Unit, ScriptSizes]) -> bool:
    """Tell whether there are both Thai and Latin lines."""
    return bool(sizes_in["bytes"].thai and sizes_in["bytes"].latin)


def _mix_picker() -> tuple[str, Unit]:
    """Let the visitor pick the weights and their unit."""
    presets = {AS_IT_IS: t("mix.as_it_is"), **{each: each for each in PRESETS}, OTHER: t("mix.other")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = segmented(t("mix.weights"), list(presets), presets.__getitem__, key="mix_preset", show_label=True)
        unit = segmented(
            t("mix.unit"),
            UNITS,
            names("mix.{}", UNITS),
            key="mix_unit",
            show_label=True,
            help=t("mix.unit_help"),
        )
    return preset, unit


def _other_weights() -> tuple[int, int]:
    """Let the visitor set any two weights."""
    with st.container(horizontal=True):
        thai, english = (
            st.number_input(
                t(f"mix.weight_{side}"),
                min_value=1,
                max_value=MOST_WEIGHT,
                key=remembered(f"mix_weight_{side}", 1),
                persist_state="session",
                width=160,
            )
            for side in ("thai", "english")
        )
    return int(thai or 1), int(english or 1)


def _mixed(texts: Sequence[str], weights: tuple[int, int], unit: Unit) -> Mix:
    """Return the mix; the last one is kept."""
    key = (corpus_key(texts), weights, unit)
    known = keys.MIXED.get()
    if known is None or known[0] != key:
        lines = lines_by_script(texts)
        known = (key, mix(lines.thai, lines.latin, weights, unit))
        keys.MIXED.put(known)
    return known[1]


def _what_was_taken(mixed: Mix, before: ScriptSizes, unit: Unit) -> str:
    """Say how much of each side was taken, and what was left out."""
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
    """Say the size of each side, and its share of the two."""
    share = thai / (thai + latin)
    return t(
        "mix.balance",
        thai=_size(thai, unit),
        english=_size(latin, unit),
        thai_share=f"{share:.0%}",
        english_share=f"{1 - share:.0%}",
    )


def _size(count: int, unit: Unit) -> str:
    """Write a size with its unit; bytes in thousands, with one decimal if there are few."""
    if unit == "characters":
        return t("mix.size_characters", count=count)
    return t("mix.size_bytes", kilobytes=written.kilobytes(count, exact_below=100_000))
