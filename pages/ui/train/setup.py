"""The settings of a training, and the button that starts it."""

import streamlit as st

from pages.ui.choices.corpus_picker import Corpus, corpus_picker
from pages.ui.choices.pattern import pattern_picker
from pages.ui.choices.tokenizers import reference_lanes
from pages.ui.limits import MAX_VOCAB_SIZE
from pages.ui.shell import visitor
from pages.ui.token_view.drawings import token_count
from pages.ui.train.frontier import mix_frontier
from pages.ui.train.recipes import recipe_loader, recipe_note
from pages.ui.trainings.registry import registry
from pages.ui.words import error_sentence, names, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Goal, Job, Training
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.special_tokens import assign_ids
from tokenizer_core.vocabulary import BYTES

PACES: dict[str, float | None] = {"slowest": 0.5, "slow": 2.0, "steady": 20.0, "fast": 200.0, "full": None}
DEFAULT_SIZE = 1_000
DEFAULT_PACE = "steady"
MIN_COUNT = 2
"""A pair found once is a text learned by heart, not a rule learned from it."""
MAX_MIN_COUNT = 1_000_000
MAX_MINUTES = 24 * 60.0
NOBODY = "nobody"
MAX_GOAL_CHARACTERS = 20_000


def training_setup(job: Job | None) -> None:
    """All the settings; Train starts the training and shows it."""
    st.markdown(t("train.intro"))
    corpus_side, settings_side = st.columns(2, gap="large")
    with corpus_side:
        st.header(t("train.step_corpus"), anchor=False)
        corpus = _corpus()
        st.header(t("train.step_size"), anchor=False)
        vocab_size = _size_picker()
        st.header(t("train.step_pace"), anchor=False)
        pace = pace_picker("train_pace")
    with settings_side:
        st.header(t("train.step_pattern"), anchor=False)
        pattern = pattern_picker()
        min_count, max_seconds, goal = _stop_rules()
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
            corpus_name=corpus.name,
            pace=PACES[pace],
            given=given,
            min_count=min_count,
            max_seconds=max_seconds,
            beat=goal,
        )
    _start_or_go_back(training, job)
    with st.expander(t("frontier.title"), icon=":material/balance:", key="frontier", on_change="rerun"):
        if st.session_state.get("frontier"):
            mix_frontier(corpus.texts if corpus else ())


def _start_or_go_back(training: Training | None, job: Job | None) -> None:
    """The button that starts what is set, and the way back to a training that there is already."""
    with st.container(horizontal=True, vertical_alignment="center"):
        start = st.button(
            t("train.start"), type="primary", icon=":material/play_arrow:", disabled=training is None, key="start"
        )
        if start and training:
            _start(training)
        if job is not None and st.button(t("train.back_to_job"), icon=":material/arrow_back:"):
            visitor.show_setup(False)
            st.rerun()


def take_over(training: Training) -> None:
    """Fill in the settings of a training that is to be repeated with a change, its corpus included."""
    st.session_state["reused_corpus"] = Corpus(training.corpus_name, tuple(training.texts))
    visitor.fill_in(training.vocab_size, training.pattern, training.min_count, training.special_tokens)
    st.session_state["train_pace"] = next(
        (name for name, pace in PACES.items() if pace == training.pace), DEFAULT_PACE
    )
    st.session_state["train_minutes"] = (training.max_seconds or 0.0) / 60
    visitor.show_setup(True)


def _corpus() -> Corpus | None:
    """The corpus of a run that is to be repeated, else what the visitor picks."""
    reused: Corpus | None = st.session_state.get("reused_corpus")
    if reused is None:
        return corpus_picker()
    st.info(t("train.reused", corpus=reused.name, characters=reused.characters), icon=":material/replay:")
    st.button(t("train.another_corpus"), on_click=_drop_reused, key="drop_reused")
    return reused


def _drop_reused() -> None:
    st.session_state.pop("reused_corpus", None)


def pace_picker(key: str) -> str:
    """How fast merges shall come."""
    pace = st.segmented_control(
        t("train.pace"),
        list(PACES),
        format_func=names("train.pace_{}", PACES),
        required=True,
        key=visitor.remembered(key, DEFAULT_PACE),
        persist_state="session",
        label_visibility="collapsed",
        wrap=True,
    )
    return pace or DEFAULT_PACE


def _size_picker() -> int | None:
    """The vocabulary size; None, with the reason on the page, where it is out of range."""
    size = st.number_input(
        t("train.size"),
        step=100,
        key=visitor.remembered("train_size", DEFAULT_SIZE),
        persist_state="session",
        help=t("train.size_help"),
    )
    size = int(size)
    if not BYTES < size <= MAX_VOCAB_SIZE:
        st.error(t("train.size_out_of_range", least=BYTES + 1, most=MAX_VOCAB_SIZE, size=size))
        return None
    st.caption(t("train.size_means", merges=size - BYTES, bytes=BYTES))
    return size


def _stop_rules() -> tuple[int, float | None, Goal | None]:
    """When to stop before the vocabulary is full: the least count, the seconds, and a text to be beaten."""
    with st.expander(t("stop.title"), icon=":material/flag:"):
        st.caption(t("stop.what"))
        min_count = st.number_input(
            t("stop.min_count"),
            1,
            MAX_MIN_COUNT,
            key=visitor.remembered("train_min_count", MIN_COUNT),
            persist_state="session",
            help=t("stop.min_count_help"),
        )
        minutes = st.number_input(
            t("stop.minutes"),
            0.0,
            MAX_MINUTES,
            step=0.5,
            format="%g",
            key=visitor.remembered("train_minutes", 0.0),
            persist_state="session",
            help=t("stop.minutes_help"),
        )
        goal = _goal_picker()
    return int(min_count), minutes * 60 or None, goal


def _goal_picker() -> Goal | None:
    """A reference to be beaten on a text; what it needs for it is said."""
    options = [NOBODY, *OPENAI_NAMES]
    words = {NOBODY: t("stop.nobody")} | {name: t(f"tokenizers.{name}") for name in OPENAI_NAMES}
    rival = st.selectbox(
        t("stop.beat"),
        options,
        format_func=words.__getitem__,
        key=visitor.one_of("train_rival", options),
        persist_state="session",
        help=t("stop.beat_help"),
    )
    if rival == NOBODY:
        return None
    text = st.text_area(
        t("stop.beat_text"),
        key=visitor.remembered("train_rival_text", t("examples.thai")),
        persist_state="session",
        max_chars=MAX_GOAL_CHARACTERS,
        height=80,
    )
    lanes = reference_lanes([rival])
    if not lanes or not text:
        return None
    tokens = token_count(lanes[0], text)
    st.caption(t("stop.beat_says", name=words[rival], tokens=tokens, exactly=lanes[0].label.caption))
    return Goal(text, tokens, words[rival])


def _special_tokens_picker() -> list[str] | None:
    """Special tokens, separated by spaces; None, with the reason on the page, where they cannot be used."""
    with st.expander(t("train.special_tokens"), icon=":material/star:"):
        entered = st.text_input(
            t("train.special_tokens_label"),
            key=visitor.remembered("train_special_tokens", ""),
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
        job = registry().start(training, owner=visitor.owner())
    except TokenizerError as error:
        st.error(error_sentence(error))
        return
    registry().expect(job.id, visitor.chosen_recipe())
    _drop_reused()
    visitor.set_job(job)
    st.rerun()
