"""The settings of a training, and the button that starts it."""

import streamlit as st

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.corpus_picker import corpus_picker
from pages.ui.choices.pattern import pattern_picker
from pages.ui.choices.tokenizers import reference_lanes
from pages.ui.limits import MAX_VOCAB_SIZE
from pages.ui.session import one_of, remembered
from pages.ui.shell import visitor
from pages.ui.token_view.drawings import token_count
from pages.ui.train import keys
from pages.ui.train.frontier_view import mix_frontier
from pages.ui.train.paces import DEFAULT_PACE, PACES, pace_called
from pages.ui.train.recipes import recipe_loader, recipe_note
from pages.ui.trainings.registry import registry
from pages.ui.widgets.segmented import segmented
from pages.ui.words import error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.training import Goal, StopRules, Training
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.special_tokens import assign_ids
from tokenizer_core.vocabulary import BYTES

MAX_MIN_COUNT = 1_000_000
MAX_MINUTES = 24 * 60.0
MAX_GOAL_CHARACTERS = 20_000


def training_setup(job: Job | None) -> None:
    """Draw all settings, and the button that starts the training and shows it."""
    st.markdown(t("train.intro"))
    corpus_side, settings_side = st.columns(2, gap="large")
    with corpus_side:
        st.header(t("train.step_corpus"), anchor=False)
        corpus = _corpus()
        st.header(t("train.step_size"), anchor=False)
        vocab_size = _size_picker()
        st.header(t("train.step_pace"), anchor=False)
        pace = segmented(t("train.pace"), list(PACES), pace_called, key=keys.PACE.key, default=DEFAULT_PACE)
    with settings_side:
        st.header(t("train.step_pattern"), anchor=False)
        pattern = pattern_picker()
        stop = _stop_rules()
        special_tokens = _special_tokens_picker()
        recipe_loader()
    given = recipe_note(corpus)
    training = None
    if corpus and vocab_size and pattern is not None and special_tokens is not None:
        training = Training(
            corpus.texts,
            vocab_size,
            pattern,
            special_tokens,
            stop,
            corpus_name=corpus.name,
            pace=PACES[pace],
            given=given,
        )
    _start_or_go_back(training, job)
    with st.expander(
        t("frontier.title"), icon=":material/balance:", key=keys.FRONTIER_OPEN.key, on_change="rerun"
    ):
        if keys.FRONTIER_OPEN.get():
            mix_frontier(corpus.texts if corpus else ())


def _start_or_go_back(training: Training | None, job: Job | None) -> None:
    """Draw the button that starts the training, and the button back to the current training if there is one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        start = st.button(
            t("train.start"), type="primary", icon=":material/play_arrow:", disabled=training is None, key="start"
        )
        if start and training:
            _start(training)
        if job is not None and st.button(t("train.back_to_job"), icon=":material/arrow_back:"):
            visitor.show_setup(False)
            st.rerun()


def _corpus() -> Corpus | None:
    """Return the corpus of a run to repeat, or else what the visitor picks."""
    reused = keys.REUSED_CORPUS.get()
    if reused is None:
        return corpus_picker()
    st.info(t("train.reused", corpus=reused.name, characters=reused.characters), icon=":material/replay:")
    st.button(t("train.another_corpus"), on_click=keys.REUSED_CORPUS.forget, key="drop_reused")
    return reused


def _size_picker() -> int | None:
    """Return the vocabulary size; None, with the reason on the page, if it is out of range."""
    size = st.number_input(
        t("train.size"),
        step=100,
        key=remembered(keys.SIZE.key, keys.DEFAULT_SIZE),
        persist_state="session",
        help=t("train.size_help"),
    )
    size = int(size)
    if not BYTES < size <= MAX_VOCAB_SIZE:
        st.error(t("train.size_out_of_range", least=BYTES + 1, most=MAX_VOCAB_SIZE, size=size))
        return None
    st.caption(t("train.size_means", merges=size - BYTES, bytes=BYTES))
    return size


def _stop_rules() -> StopRules:
    """Let the visitor set when to stop early: the smallest count, the minutes, and a reference to beat."""
    with st.expander(t("stop.title"), icon=":material/flag:"):
        st.caption(t("stop.what"))
        min_count = st.number_input(
            t("stop.min_count"),
            1,
            MAX_MIN_COUNT,
            key=remembered(keys.MIN_COUNT.key, keys.DEFAULT_STOP.min_count),
            persist_state="session",
            help=t("stop.min_count_help"),
        )
        minutes = st.number_input(
            t("stop.minutes"),
            0.0,
            MAX_MINUTES,
            step=0.5,
            format="%g",
            key=remembered(keys.MINUTES.key, 0.0),
            persist_state="session",
            help=t("stop.minutes_help"),
        )
        goal = _goal_picker()
    return StopRules(int(min_count), minutes * 60 or None, goal)


def _goal_picker() -> Goal | None:
    """Let the visitor pick a reference to beat on a text; show how many tokens it needs."""
    options = [keys.NOBODY, *OPENAI_NAMES]
    words = {keys.NOBODY: t("stop.nobody")} | {name: t(f"tokenizers.{name}") for name in OPENAI_NAMES}
    rival = st.selectbox(
        t("stop.beat"),
        options,
        format_func=words.__getitem__,
        key=one_of(keys.RIVAL.key, options),
        persist_state="session",
        help=t("stop.beat_help"),
    )
    if rival == keys.NOBODY:
        return None
    text = st.text_area(
        t("stop.beat_text"),
        key=remembered(keys.RIVAL_TEXT.key, t("examples.thai")),
        persist_state="session",
        max_chars=MAX_GOAL_CHARACTERS,
        height=80,
    )
    lanes = reference_lanes([rival])
    if not lanes or not text:
        return None
    tokens = token_count(lanes[0], text)
    st.caption(t("stop.beat_says", name=words[rival], tokens=tokens, exactly=lanes[0].label.caption))
    return Goal(text, tokens, rival)


def _special_tokens_picker() -> list[str] | None:
    """Return the special tokens, split at spaces; None, with the reason on the page, if they are unusable."""
    with st.expander(t("train.special_tokens"), icon=":material/star:"):
        entered = st.text_input(
            t("train.special_tokens_label"),
            key=remembered(keys.SPECIAL_TOKENS.key, ""),
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
    """Start the training, or show the reason why it cannot start."""
    try:
        job = registry().start(training, owner=visitor.owner())
    except TokenizerError as error:
        st.error(error_sentence(error))
        return
    registry().expect(job.id, keys.RECIPE.get())
    keys.REUSED_CORPUS.forget()
    visitor.set_job(job)
    st.rerun()
