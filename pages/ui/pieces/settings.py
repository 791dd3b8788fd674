"""The settings of a SentencePiece training, by the library's own names, each with one sentence; and its button."""

from typing import Any

import streamlit as st

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.corpus_names import given_name
from pages.ui.choices.corpus_picker import corpus_picker
from pages.ui.choices.first_training import sample_to_train_on
from pages.ui.pieces import keys
from pages.ui.pieces.lessons import small_text
from pages.ui.pieces.training import start_told
from pages.ui.session import one_of, remembered
from pages.ui.widgets.fold import fold
from pages.ui.words import as_plain_markdown, names, t
from tokenizer_core.jobs.sentencepiece_settings import (
    LEAST_COVERAGE,
    LECTURE,
    MODEL_TYPES,
    MOST_LINE_BYTES,
    MOST_LINES,
    MOST_PIECE_CHARACTERS,
    MOST_PIECES,
    MOST_SEEDS,
    NORMALIZATIONS,
    SentencePieceSettings,
)

FIRST = SentencePieceSettings(vocab_size=keys.FIRST_SIZE)
"""The library's defaults, but for the size."""
SWITCHES = (
    "byte_fallback",
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "allow_whitespace_only_pieces",
    "treat_whitespace_as_suffix",
    "split_by_whitespace",
    "split_by_unicode_script",
    "split_by_number",
    "split_digits",
    "hard_vocab_limit",
)


def sentencepiece_settings() -> Corpus | None:
    """Draw the text, the size and the button; the other settings below "more"; return the text.

    It is None, with the reason on the page, while there is no text.
    """
    card = st.radio(
        t("train.step_corpus"),
        keys.CARDS,
        format_func=names("pieces.card_{}", keys.CARDS),
        horizontal=True,
        key=one_of(keys.CARD.key, keys.CARDS, "both"),
        persist_state="session",
        on_change=keys.choose_card,
    )
    corpus = _corpus(str(card))
    row = st.container(horizontal=True, vertical_alignment="bottom", key="pieces_row")
    said = st.container()
    with row:
        held: dict[str, Any] = {
            "model_type": _choice("model_type", MODEL_TYPES),
            "vocab_size": int(_number("vocab_size", 100)),
        }
    with fold(t("pieces.more"), icon=":material/tune:", key="pieces_more"):
        held |= _more()
    settings = SentencePieceSettings(**held)
    with said:
        st.caption(_said(settings))
    with row:
        _buttons(corpus, settings)
    return corpus


def _buttons(corpus: Corpus | None, settings: SentencePieceSettings) -> None:
    """Draw the button that starts the training, and those that fill in all settings."""
    is_off = corpus is None
    pressed = st.button(
        t("train.start"), type="primary", icon=":material/play_arrow:", disabled=is_off, key="pieces_start"
    )
    if pressed and corpus is not None:
        start_told(corpus, settings)
    for name, filled, text in (("lecture", LECTURE, keys.SMALL), ("defaults", FIRST, None)):
        st.button(
            t(f"pieces.{name}"),
            key=f"pieces_{name}",
            help=t(f"pieces.{name}_help"),
            on_click=keys.fill_in,
            args=(filled, text),
        )


def _corpus(card: str) -> Corpus | None:
    if card == keys.OWN_TEXT:
        return corpus_picker()
    if card == keys.SMALL:
        return Corpus(given_name("small"), (small_text(),))
    return sample_to_train_on(card)


def _more() -> dict[str, Any]:
    """Draw the settings that have defaults worth keeping; return what they are set to, by name."""
    left, right = st.columns(2, gap="large")
    with left:
        held: dict[str, Any] = {name: _switch(name) for name in SWITCHES}
    with right:
        held["normalization_rule_name"] = _choice("normalization_rule_name", NORMALIZATIONS)
        held["character_coverage"] = _number("character_coverage", 0.0005, format="%.5f")
        held["max_sentencepiece_length"] = int(_number("max_sentencepiece_length", 1))
        held["max_sentence_length"] = int(_number("max_sentence_length", 100))
        held["input_sentence_size"] = int(_number("input_sentence_size", 1_000))
        held["seed_sentencepiece_size"] = int(_number("seed_sentencepiece_size", 1_000))
        held["unk_surface"] = st.text_input(**_common("unk_surface")) or ""
        symbols = st.text_area(**_common("user_defined_symbols"), height=100) or ""
        held["user_defined_symbols"] = tuple(line for line in symbols.splitlines() if line)
    return held


def _common(name: str) -> dict[str, Any]:
    """Return what all widgets of settings have: a name, one sentence, and the value to begin with."""
    first = keys.as_held(FIRST)[name]
    return {
        "label": t(f"pieces.set_{name}"),
        "help": t(f"pieces.set_{name}_help"),
        "key": remembered(keys.setting(name), first),
        "persist_state": "session",
    }


def _switch(name: str) -> bool:
    return bool(st.toggle(**_common(name)))


LIMITS: dict[str, tuple[float, float]] = {
    "vocab_size": (4, MOST_PIECES),
    "character_coverage": (LEAST_COVERAGE, 1.0),
    "max_sentencepiece_length": (1, MOST_PIECE_CHARACTERS),
    "max_sentence_length": (1, MOST_LINE_BYTES),
    "input_sentence_size": (0, MOST_LINES),
    "seed_sentencepiece_size": (1, MOST_SEEDS),
}


def _number(name: str, step: float, *, format: str | None = None) -> float:
    least, most = LIMITS[name]
    return float(st.number_input(**_common(name), min_value=least, max_value=most, step=step, format=format))


def _choice(name: str, options: tuple[str, ...]) -> str:
    common = _common(name)
    common["key"] = one_of(keys.setting(name), options, keys.as_held(FIRST)[name])
    called = names(f"pieces.{name}_{{}}", options)
    return str(st.selectbox(**common, options=options, format_func=called, filter_mode=None))


def _said(settings: SentencePieceSettings) -> str:
    """Say in one line which settings are not the library's."""
    held, first = keys.as_held(settings), keys.as_held(SentencePieceSettings())
    changed = [
        t(f"pieces.set_{name}") + ("" if value is True else f": {_value(value)}")
        for name, value in held.items()
        if value != first[name] and name not in ("model_type", "vocab_size")
    ]
    return t("pieces.changed", settings=" · ".join(changed)) if changed else t("pieces.unchanged")


def _value(value: str | float) -> str:
    if isinstance(value, bool):
        return t("pieces.off")
    return as_plain_markdown(value) if isinstance(value, str) else f"{value:g}"
