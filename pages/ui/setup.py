"""The settings of a training, and the button that starts it."""

import streamlit as st

from pages.ui import state
from pages.ui.inputs import corpus_picker, pattern_picker
from pages.ui.jobs import registry
from pages.ui.limits import MAX_VOCAB_SIZE
from pages.ui.words import error_sentence, names, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.job import Job, Training
from tokenizer_core.special_tokens import assign_ids
from tokenizer_core.tokenizer import BYTES

PACES: dict[str, float | None] = {"slowest": 0.5, "slow": 2.0, "steady": 20.0, "fast": 200.0, "full": None}
DEFAULT_SIZE = 1_000
MIN_COUNT = 2
"""A pair found once is a text learned by heart, not a rule learned from it."""
DEFAULT_PACE = "steady"


def training_setup(job: Job | None) -> None:
    """All the settings; Train starts the training and shows it."""
    st.markdown(t("train.intro"))
    corpus_side, settings_side = st.columns(2, gap="large")
    with corpus_side:
        st.header(t("train.step_corpus"), anchor=False)
        corpus = corpus_picker()
        st.header(t("train.step_size"), anchor=False)
        vocab_size = _size_picker()
        st.header(t("train.step_pace"), anchor=False)
        pace = pace_picker("train_pace")
    with settings_side:
        st.header(t("train.step_pattern"), anchor=False)
        pattern = pattern_picker()
        special_tokens = _special_tokens_picker()
    with st.container(horizontal=True, vertical_alignment="center"):
        training = None
        if corpus and vocab_size and pattern is not None and special_tokens is not None:
            training = Training(
                corpus.texts, vocab_size, pattern, special_tokens, MIN_COUNT, PACES[pace], corpus.name
            )
        start = st.button(
            t("train.start"), type="primary", icon=":material/play_arrow:", disabled=training is None, key="start"
        )
        if start and training:
            _start(training)
        if job is not None and st.button(t("train.back_to_job"), icon=":material/arrow_back:"):
            state.show_setup(False)
            st.rerun()


def pace_picker(key: str) -> str:
    """How fast merges shall come."""
    pace = st.segmented_control(
        t("train.pace"),
        list(PACES),
        format_func=names("train.pace_{}", PACES),
        default=DEFAULT_PACE,
        required=True,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
        wrap=True,
    )
    return pace or DEFAULT_PACE


def _size_picker() -> int | None:
    """The vocabulary size; None, with the reason on the page, where it is out of range."""
    size = st.number_input(
        t("train.size"),
        value=DEFAULT_SIZE,
        step=100,
        key="train_size",
        persist_state="session",
        help=t("train.size_help"),
    )
    size = int(size)
    if not BYTES < size <= MAX_VOCAB_SIZE:
        st.error(t("train.size_out_of_range", least=BYTES + 1, most=MAX_VOCAB_SIZE, size=size))
        return None
    st.caption(t("train.size_means", merges=size - BYTES, bytes=BYTES))
    return size


def _special_tokens_picker() -> list[str] | None:
    """Special tokens, separated by spaces; None, with the reason on the page, where they cannot be used."""
    with st.expander(t("train.special_tokens"), icon=":material/star:"):
        entered = st.text_input(
            t("train.special_tokens_label"),
            key="train_special_tokens",
            persist_state="session",
            placeholder="<|endoftext|> <|user|>",
        )
        st.caption(t("train.special_tokens_help"))
    tokens = (entered or "").split()
    try:
        assign_ids(tokens, BYTES)
    except TokenizerError as error:
        st.error(error_sentence(error))
        return None
    return tokens


def _start(training: Training) -> None:
    """Start the training; the reason stands on the page where it cannot."""
    try:
        job = registry().start(training)
    except TokenizerError as error:
        st.error(error_sentence(error))
        return
    state.set_job(job)
    st.rerun()
