"""The settings of a training, by the library's own names, each with one sentence; and its button."""

from dataclasses import asdict
from typing import Any

import streamlit as st

from pages.ui.i18n import as_plain_markdown, names, t
from pages.ui.inputs.corpus import Corpus, given_name, sample_to_train_on
from pages.ui.inputs.corpus_picker import OWN_TEXT, corpus_picker, leave_the_sample
from pages.ui.pieces.lessons import small_text
from pages.ui.pieces.training import start
from pages.ui.session import Maybe, Value, one_of, remembered
from pages.ui.widgets.controls import fold
from tokenizer_core.interop.limits import MOST_LINE_BYTES, MOST_PIECES
from tokenizer_core.workers.sentencepiece_job import (
    LEAST_COVERAGE,
    LECTURE,
    MODEL_TYPES,
    MOST_LINES,
    MOST_PIECE_CHARACTERS,
    MOST_SEEDS,
    NORMALIZATIONS,
    THREADS,
    SentencePieceSettings,
)

SMALL = "small"
WORD_PIECE = "wordpiece"
"""The model type that another library trains: only the size can be set."""
CARDS = (SMALL, "both", OWN_TEXT)
FIRST_SIZE = 1_000
"""The library begins at 8,000, for which a small text does not suffice."""
CARD = Value("pieces_card", lambda: "both")


def as_held(settings: SentencePieceSettings) -> dict[str, str | float]:
    """Return the settings as their widgets hold them."""
    held = asdict(settings)
    return {**held, "user_defined_symbols": "\n".join(settings.user_defined_symbols)}


def fill_in(settings: SentencePieceSettings, card: str | None = None) -> None:
    """Fill in all settings, and choose a text."""
    for name, value in as_held(settings).items():
        Maybe[str | float](f"pieces_{name}").put(value)
    if card is not None:
        CARD.put(card)


FIRST = SentencePieceSettings(vocab_size=FIRST_SIZE)
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


def choose_corpus() -> Corpus | None:
    """Let the visitor choose a text to learn from; None, with the reason on the page, while there is none."""
    card = st.radio(
        t("train.step_corpus"),
        CARDS,
        format_func=names("pieces.card_{}", CARDS),
        horizontal=True,
        key=one_of(CARD.key, CARDS, "both"),
        persist_state="session",
        on_change=leave_the_sample,
        args=(CARD,),
    )
    if card == OWN_TEXT:
        return corpus_picker()
    if card == SMALL:
        return Corpus(given_name("small"), (small_text(),))
    return sample_to_train_on(str(card))


def sentencepiece_settings() -> None:
    """Draw the text, the size and the button; all that a first training does not need below "more"."""
    corpus = choose_corpus()
    row = st.container(horizontal=True, vertical_alignment="bottom", key="pieces_row")
    said = st.container()
    with row:
        held: dict[str, Any] = {
            "model_type": _choice("model_type", (*MODEL_TYPES, WORD_PIECE)),
            "vocab_size": int(_number("vocab_size", 100)),
        }
    if held["model_type"] == WORD_PIECE:
        said.caption(t("pieces.word_piece_set"))
        with row:
            _start_button(corpus, held["vocab_size"])
        return
    with fold(t("pieces.more"), icon=":material/tune:", key="pieces_more"):
        with st.container(horizontal=True):
            _fill_in_buttons()
        held |= _more()
        settings = SentencePieceSettings(**held)
        changed = _changed(settings)
        if not changed:
            st.caption(t("pieces.unchanged", threads=THREADS))
    if changed:
        said.caption(t("pieces.changed", settings=changed))
    with row:
        _start_button(corpus, settings)


def _start_button(corpus: Corpus | None, settings: SentencePieceSettings | int) -> None:
    """Draw the button that starts the training."""
    pressed = st.button(
        t("train.start"), type="primary", icon=":material/play_arrow:", disabled=corpus is None, key="pieces_start"
    )
    if pressed and corpus is not None:
        start(corpus, settings)


def _fill_in_buttons() -> None:
    """Draw the buttons that fill in all settings."""
    for name, filled, text in (("lecture", LECTURE, SMALL), ("defaults", FIRST, None)):
        st.button(
            t(f"pieces.{name}"),
            key=f"pieces_{name}",
            help=t(f"pieces.{name}_help"),
            on_click=fill_in,
            args=(filled, text),
        )


def _more() -> dict[str, Any]:
    """Draw the settings that have defaults worth keeping; return what they are set to, by name."""
    left, right = st.columns(2, gap="large")
    with left:
        held: dict[str, Any] = {name: st.toggle(**_common(name)) for name in SWITCHES}
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
    first = as_held(FIRST)[name]
    return {
        "label": t(f"pieces.set_{name}"),
        "help": t(f"pieces.set_{name}_help"),
        "key": remembered(f"pieces_{name}", first),
        "persist_state": "session",
    }


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
    common["key"] = one_of(f"pieces_{name}", options, as_held(FIRST)[name])
    called = names(f"pieces.{name}_{{}}", options)
    return str(st.selectbox(**common, options=options, format_func=called, filter_mode=None))


def _changed(settings: SentencePieceSettings) -> str:
    """Say in one line which settings are not the library's; nothing if all are."""
    held, first = as_held(settings), as_held(SentencePieceSettings())
    return " · ".join(
        t(f"pieces.set_{name}") + ("" if value is True else f": {_value(value)}")
        for name, value in held.items()
        if value != first[name] and name not in ("model_type", "vocab_size")
    )


def _value(value: str | float) -> str:
    if isinstance(value, bool):
        return t("pieces.off")
    return as_plain_markdown(value) if isinstance(value, str) else f"{value:,}"
