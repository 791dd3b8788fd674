"""The settings of a training, and the button that starts it."""

from collections import Counter
from typing import NamedTuple

import streamlit as st

from pages.ui.frame import presenting, visitor
from pages.ui.i18n import as_plain_markdown, error_sentence, language, names, t, translations
from pages.ui.inputs.corpus import (
    DEFAULT_SAMPLE,
    DEFAULT_SIZE,
    DEFAULT_STOP,
    SAMPLES,
    Corpus,
    corpus_title,
    first_training,
    sample_corpus,
    sample_for,
    sample_texts,
    sample_to_train_on,
)
from pages.ui.inputs.corpus_picker import OWN_TEXT, SOURCE, corpus_picker, leave_the_sample, mixed
from pages.ui.inputs.counts_upload import pattern_of, pattern_said, show_counts
from pages.ui.inputs.pattern import PATTERN_ORDER, pattern_name, pattern_picker, preview_of, shortened
from pages.ui.inputs.text import line_to_watch, own_sentence, sentence_to_watch, take_sentence
from pages.ui.inputs.tokenizers import reference_counts, reference_lanes
from pages.ui.inputs.uploads import is_kept
from pages.ui.limits import MAX_VOCAB_SIZE
from pages.ui.run_registry.registry import registry
from pages.ui.session import Value, one_of, remembered
from pages.ui.train import keys
from pages.ui.train.frontier import FRONTIER_OPEN, mix_frontier
from pages.ui.train.methods import METHODS_OPEN, race_of_methods
from pages.ui.train.parity import Parity, parity_picker, parity_said
from pages.ui.train.recipes import RECIPE, recipe_loader, recipe_note
from pages.ui.train.superwords import superwords_picker
from pages.ui.widgets.controls import fold, segmented
from pages.ui.widgets.player import MOST_CHARACTERS
from pages.ui.widgets.player.serve import DEFAULT_PACE, PACES, pace_called
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Text, drawing, token_count
from pages.ui.widgets.token_view.lanes import Label, Lane
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.special_tokens import assign_ids, parse_special_tokens
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.readers.labels import corpus_opening
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Goal, StopRules, Training

OWN_SIZE = 4_096
"""The vocabulary size that is proposed for a text of the visitor's own: it is mostly larger than the samples."""
MAX_MIN_COUNT = 1_000_000
MAX_MINUTES = 24 * 60.0
MAX_GOAL_CHARACTERS = 20_000


def nothing_yet() -> list[Slide]:
    """Return what fills the screen while there is no training to show: that there is none, and what to press."""
    said = translations("train.present_nothing_says")
    return [Slide("words", title=translations("train.present_nothing"), says=said)]


def start_usual() -> None:
    """Start the usual training, whose film fills the screen then; if it cannot start, the page says why."""
    try:
        visitor.start(first_training(own_sentence()))
    except TokenizerError as error:
        presenting.leave()
        st.error(error_sentence(error), icon=":material/error:")


class _More(NamedTuple):
    """What the settings below "more" are set to; None for what cannot be used."""

    corpus: Corpus | None
    pattern: str | None
    pace: str
    stop: StopRules
    special_tokens: list[str] | dict[str, int] | None
    parity: Parity | None
    """Who chooses merges, if not all texts together."""
    superwords_from: int | None
    """The vocabulary size from which on tokens may cross spaces."""


def training_setup(job: Job | None) -> None:
    """Draw what to learn from, how much, and the button that starts it; everything else waits below "more"."""
    st.markdown(t("train.intro"))
    card = _card()
    _propose_size(card)
    first_row = st.container(horizontal=True, vertical_alignment="bottom", key="start_row")
    with first_row:
        vocab_size = _size_picker()
    corpus = _corpus() if card == OWN_TEXT else sample_to_train_on(card)
    said = st.container()
    watched = sentence_to_watch(_first_sentence(card, corpus))
    if watched:
        _before(watched)
    if keys.MORE_OPEN.get() or (corpus is not None and corpus.counts is not None):
        keys.MORE_DRAWN.put(True)
    with fold(t("train.more"), icon=":material/tune:", key=keys.MORE_OPEN.key):
        if keys.MORE_DRAWN.get():
            sentence = watched if card == OWN_TEXT else own_sentence()
            more = _more(corpus, vocab_size or BYTES, sentence, is_sample=card != OWN_TEXT)
        else:
            more = _More(corpus, PATTERN_ORDER[0], DEFAULT_PACE, DEFAULT_STOP, [], None, None)
    with said:
        if settings := _settings_said(more):
            st.caption(settings)
    training = _training(more, vocab_size, recipe_note(more.corpus))
    with first_row:
        start = st.button(
            t("train.start"), type="primary", icon=":material/play_arrow:", disabled=training is None, key="start"
        )
        if start and training:
            _start(training)
        if job is not None and st.button(t("train.back_to_job"), icon=":material/arrow_back:"):
            visitor.show_setup(False)
            st.rerun()
        is_proposed = keys.IS_LONG.get() and vocab_size == OWN_SIZE
        # Before a file is chosen, it is said why the size changed.
        if corpus is None and card == OWN_TEXT and (is_kept("corpus") or not is_proposed):
            st.caption(t("train.needs_text"), width="content")
        elif vocab_size is not None:
            own = "train.size_means_long" if is_proposed else "train.size_means_most"
            key = own if card == OWN_TEXT else "train.size_means"
            means = t(key, size=vocab_size, merges=vocab_size - BYTES, bytes=BYTES)
            st.caption(means, width="content")
    with fold(t("train.experiments"), icon=":material/science:", key="train_experiments"):
        _experiments(more.corpus)


def _first_sentence(card: str, corpus: Corpus | None) -> str:
    """Return the sentence that the film of a card begins with; "" while it has no text."""
    if card in SAMPLES:
        return t("examples.english" if card == "en" else "examples.thai")
    return line_to_watch(corpus_opening(corpus.texts)) if corpus is not None and corpus.counts is None else ""


def _before(text: str) -> None:
    """Draw the sentence of the stage as it is before the first merge, when each byte is a token."""
    text = text[:MOST_CHARACTERS]
    lane = Lane("bytes", Label(t("train.before")), Tokenizer(()))
    token_view(
        drawing(Text(text), [lane], language=language()),
        key="train_before",
        toolbar="none",
        numbers_first=True,
        ruler=False,
        large=True,
    )
    usual, _ = Counter(len(character.encode()) for character in text).most_common(1)[0]
    with st.container(horizontal=True, vertical_alignment="center", key="train_stripe"):
        if usual > 1:
            st.caption(t("stage.start_bytes", size=usual), width="content")
        with st.popover(t("stage.change"), icon=":material/edit:", type="tertiary"):
            box = Value("train_sentence", str)
            box.put(text)
            label = t("stage.change_label", most=MOST_CHARACTERS)
            st.text_input(label, key=box.key, on_change=lambda: take_sentence(box.get()))
    with st.container(horizontal=True, vertical_alignment="center", key="train_rivals"):
        st.header(t("train.before_says"), anchor=False, width="content")
        for name, count in reference_counts(text):
            st.markdown(f"{name} **{count}**", width="content")


def _experiments(corpus: Corpus | None) -> None:
    """Draw what trains several tokenizers at once: mixes of languages, and methods."""
    with fold(t("frontier.title"), icon=":material/balance:", key=FRONTIER_OPEN.key):
        if FRONTIER_OPEN.get():
            if corpus is not None and corpus.counts is not None:
                st.caption(t("counts.frontier"))
                mix_frontier(sample_texts())
            else:
                mix_frontier(corpus.texts if corpus else ())
    with fold(t("methods.title"), icon=":material/sports_score:", key=METHODS_OPEN.key):
        if METHODS_OPEN.get():
            race_of_methods(corpus.texts if corpus and corpus.counts is None else ())


def _more(corpus: Corpus | None, vocab_size: int, sentence: str, *, is_sample: bool) -> _More:
    """Draw the settings that few people need to change; the bundled texts can be mixed here.

    A sentence shows what a split pattern does; "" stands for one of ours.
    """
    pattern: str | None
    corpus_side, settings_side = st.columns(2, gap="large")
    with settings_side:
        st.header(t("train.step_pattern"), anchor=False)
        if corpus is None or corpus.counts is None:
            pattern = pattern_picker(sentence)
        else:  # the pattern that cut the counted pieces, with what it does to a sentence
            pattern = pattern_of(corpus.counts.recipe)
            st.caption(pattern_said(corpus.counts.recipe))
            pattern = pattern if preview_of(pattern, sentence) else None
    with corpus_side:
        if corpus is not None and is_sample:
            st.header(t("train.step_corpus"), anchor=False)
            corpus = mixed(corpus)
        parity = parity_picker(corpus)
        superwords_from = superwords_picker(corpus, vocab_size, by_parity=parity is not None)
        st.header(t("train.step_pace"), anchor=False)
        pace = segmented(t("stage.pace"), list(PACES), pace_called, key=keys.PACE.key, default=DEFAULT_PACE)
        stop = _stop_rules()
        special_tokens = special_tokens_picker(vocab_size)
        recipe_loader()
    return _More(corpus, pattern, pace, stop, special_tokens, parity, superwords_from)


def _training(more: _More, vocab_size: int | None, given: tuple[tuple[int, int], ...]) -> Training | None:
    """Return the training of these settings; None if one of them cannot be used."""
    corpus, special_tokens = more.corpus, more.special_tokens
    if not corpus or not vocab_size or more.pattern is None or special_tokens is None:
        return None
    return Training(
        corpus.texts,
        vocab_size,
        more.pattern,
        special_tokens,
        more.stop,
        corpus_name=corpus.name,
        pace=PACES[more.pace],
        given=given,
        counts=corpus.counts,
        parity=more.parity is not None,
        languages=more.parity.languages if more.parity else (),
        unit=more.parity.unit if more.parity else "",
        superwords_from=more.superwords_from,
    )


def _card() -> str:
    """Let the visitor choose among the bundled texts and texts of their own; a run to repeat brings its own."""
    if keys.REUSED_CORPUS.get() is not None:
        return OWN_TEXT
    chosen = st.radio(
        t("train.step_corpus"),
        keys.CARDS,
        format_func=names("train.card_{}", keys.CARDS),
        captions=[
            t(f"train.card_{card}_says", lines=sample_to_train_on(card).lines, all=sample_corpus(card).lines)
            if card in SAMPLES
            else t("train.card_own_says")
            for card in keys.CARDS
        ],
        horizontal=True,
        key=one_of(keys.CARD.key, keys.CARDS, sample_for(own_sentence())),
        persist_state="session",
        on_change=leave_the_sample,
        args=(keys.CARD,),
    )
    return str(chosen or DEFAULT_SAMPLE)


def _propose_size(card: str) -> None:
    """Propose a larger size for files and articles than for what is typed; a size of the visitor's own stays."""
    has_file = SOURCE.get() == "upload" or (SOURCE.get() == "paste" and is_kept("corpus"))
    is_long = card == OWN_TEXT and (has_file or SOURCE.get() == "wikipedia")
    if is_long != keys.IS_LONG.get() and keys.REUSED_CORPUS.get() is None:
        keys.IS_LONG.put(is_long)
        usual, other = (OWN_SIZE, DEFAULT_SIZE) if is_long else (DEFAULT_SIZE, OWN_SIZE)
        if keys.SIZE.get() == other:
            keys.SIZE.put(usual)


def _settings_said(more: _More) -> str:
    """Say in one line which settings below "more" are not as they are at first; "" if all are."""
    pattern, stop = more.pattern, more.stop
    name = shortened(pattern_name(pattern)) if pattern in SPLIT_PATTERNS else as_plain_markdown(pattern or "")
    said = [] if pattern in (PATTERN_ORDER[0], None) else [name]
    if more.pace != DEFAULT_PACE:
        said.append(pace_called(more.pace))
    if stop.min_count != DEFAULT_STOP.min_count:
        said.append(t("train.says_min_count", count=stop.min_count))
    if more.parity:
        said.append(parity_said(more.parity))
    if more.superwords_from is not None:
        said.append(t("superwords.says", size=more.superwords_from))
    if stop.max_seconds:
        said.append(t("train.says_minutes", minutes=f"{stop.max_seconds / 60:g}"))
    if stop.beat:
        said.append(t("train.says_beat", name=t(f"tokenizers.{stop.beat.reference}")))
    if more.special_tokens:
        said.append(t("train.says_special", count=len(more.special_tokens)))
    return " · ".join(said)


def _corpus() -> Corpus | None:
    """Return the corpus of a run to repeat, or else what the visitor picks."""
    reused = keys.REUSED_CORPUS.get()
    if reused is None:
        return corpus_picker(takes_counts=True)
    st.info(
        t("train.reused", corpus=corpus_title(reused.name), characters=reused.characters),
        icon=":material/replay:",
    )
    st.button(t("train.another_corpus"), on_click=keys.REUSED_CORPUS.forget, key="drop_reused")
    show_counts(reused)
    return reused


def _size_picker() -> int | None:
    """Return the vocabulary size; None, with the reason on the page, if it is out of range."""
    size = st.number_input(
        t("train.size"),
        step=100,
        key=remembered(keys.SIZE.key, DEFAULT_SIZE),
        persist_state="session",
        help=t("train.size_help"),
        width=260,
    )
    size = int(size)
    if not BYTES < size <= MAX_VOCAB_SIZE:
        st.error(t("train.size_out_of_range", least=BYTES + 1, most=MAX_VOCAB_SIZE, size=size))
        return None
    return size


def _stop_rules() -> StopRules:
    """Let the visitor set when to stop early: the smallest count, the minutes, and a reference to beat."""
    with fold(t("stop.title"), icon=":material/flag:", key="train_stop"):
        st.caption(t("stop.what"))
        min_count = st.number_input(
            t("stop.min_count"),
            1,
            MAX_MIN_COUNT,
            key=remembered(keys.MIN_COUNT.key, DEFAULT_STOP.min_count),
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
    label = lanes[0].label
    st.caption(
        t("stop.beat_says", name=words[rival], tokens=tokens, exactly=label.caption),
        help=label.details,
    )
    return Goal(text, tokens, rival)


def _start(training: Training) -> None:
    """Start the training, or show the reason why it cannot start."""
    try:
        job = visitor.start(training)
    except TokenizerError as error:
        st.error(error_sentence(error))
        return
    registry().expect(job.id, RECIPE.get())
    keys.REUSED_CORPUS.forget()
    st.rerun()


FIVE = "<|endoftext|>={first} <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|endofprompt|>"
"""Five special tokens as GPT-4 has them, with the ids from the first one up."""
FREE_BEFORE = 101
"""Ids that stay free between the vocabulary and them, as GPT-4 leaves some."""
MAX_SAID = 12


def special_tokens_picker(vocab_size: int) -> list[str] | dict[str, int] | None:
    """Return the special tokens, with ids if the visitor chose some; None, with the reason, if they collide."""
    first = vocab_size + FREE_BEFORE
    with fold(t("train.special_tokens"), icon=":material/star:", key="train_special_fold"):
        entered = st.text_input(
            t("train.special_tokens_label"),
            key=remembered(keys.SPECIAL_TOKENS.key, ""),
            persist_state="session",
            live=True,
            placeholder=f"<|endoftext|> <|user|>={first}",
        )
        st.caption(t("train.special_tokens_help"))
        fill_in = keys.SPECIAL_TOKENS.put
        five, label = FIVE.format(first=first), t("train.special_tokens_five", first=first)
        st.button(label, key="special_five", on_click=fill_in, args=(five,))
        try:
            tokens = parse_special_tokens(entered or "", vocab_size)
        except TokenizerError as error:
            st.error(error_sentence(error), icon=":material/error:")
            return None
        ids = assign_ids(tokens, vocab_size)
        said = [f"{as_plain_markdown(token)} → {token_id:,}" for token, token_id in ids.items()]
        if said:
            st.markdown(" · ".join([*said[:MAX_SAID], "…"] if len(said) > MAX_SAID else said))
        if said and not isinstance(tokens, dict):
            st.caption(t("train.special_tokens_if"))
    return tokens
