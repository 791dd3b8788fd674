"""What the Train page keeps in the session."""

from collections.abc import Mapping, Sequence

from pages.ui.inputs.corpus import DEFAULT_SAMPLE, DEFAULT_SIZE, DEFAULT_STOP, Corpus
from pages.ui.inputs.corpus_picker import OWN_TEXT
from pages.ui.inputs.pattern import choose_pattern
from pages.ui.session import Maybe, Value
from pages.ui.widgets.player.serve import DEFAULT_PACE, pace_of
from tokenizer_core.bpe.special_tokens import special_tokens_text
from tokenizer_core.errors import TokenizerError
from tokenizer_core.workers.training_settings import Training

NOBODY = "nobody"
"""The choice to beat no reference."""

# ---- the settings, as their widgets hold them

CARDS = ("th", "en", "both", OWN_TEXT)
"""The bundled texts to train on, and texts of the visitor's own."""
CARD = Value("train_card", lambda: DEFAULT_SAMPLE)
MORE_OPEN: Value[bool] = Value("train_more", bool)
MORE_DRAWN: Value[bool] = Value("train_more_drawn", bool)
"""Whether the settings below "more" have been opened or filled in; until then they are as usual, and not drawn."""
SIZE = Value("train_size", lambda: DEFAULT_SIZE)
IS_LONG: Value[bool] = Value("train_is_long", bool)
"""Whether a size was proposed for a long text."""
PACE = Value("train_pace", lambda: DEFAULT_PACE)
SPECIAL_TOKENS = Value("train_special_tokens", str)
MIN_COUNT = Value("train_min_count", lambda: DEFAULT_STOP.min_count)
MINUTES = Value("train_minutes", float)
RIVAL = Value("train_rival", lambda: NOBODY)
RIVAL_TEXT: Maybe[str] = Maybe("train_rival_text")
ALL, WORST = "all", "worst"
CHOOSER = Value("train_chooser", lambda: ALL)
"""Who chooses merges: all texts together, or the language that is worst off."""
PARITY_UNIT: Maybe[str] = Maybe("train_parity_unit")
NEVER, LATE = "never", "late"
CROSSING = Value("train_crossing", lambda: NEVER)
"""Whether tokens may cross spaces."""
SUPERWORDS_FROM: Maybe[int] = Maybe("train_superwords_from")
SUPERWORDS_PROPOSED: Maybe[int] = Maybe("train_superwords_proposed")
"""The size that was proposed last; it follows the vocabulary size until the visitor chooses another one."""
PATTERN = "pattern"
"""The prefix of the pattern picker's keys."""

REUSED_CORPUS: Maybe[Corpus] = Maybe("reused_corpus")
"""The corpus of a run that the visitor repeats with a change."""

# ---- what is open, and what the visitor asked for

RUNS_COMPARED: Value[bool] = Value("compare_runs", bool)
COMPARISONS = Value("comparisons", int)
"""How often the comparison of two runs has been opened."""
EARLIER_OPEN: Value[bool] = Value("earlier_runs", bool)
RUN_OPENED: Value[bool] = Value("run_opened", bool)
"""Whether a click in the list of runs asks for another screen."""
KEPT_FAILURE: Maybe[TokenizerError] = Maybe("kept_failure")
"""Why the last click on the list of runs could not do what it says."""


def fill_in(training: Training) -> None:
    """Fill the settings with those of a training: the same settings make the same training."""
    fill_in_merges(training.vocab_size, training.pattern, training.stop.min_count, training.special_tokens)
    stop = training.stop
    if training.has_corpus:
        REUSED_CORPUS.put(Corpus(training.corpus_name, tuple(training.texts), training.counts))
    else:  # the library keeps no texts, so the visitor chooses one
        REUSED_CORPUS.forget()
        CARD.put(OWN_TEXT)
    fill_in_chooser(training.unit if training.parity else None)
    fill_in_superwords(training.superwords_from)
    PACE.put(pace_of(training.pace, DEFAULT_PACE))
    MINUTES.put((stop.max_seconds or 0.0) / 60)
    RIVAL.put(stop.beat.reference if stop.beat and stop.beat.reference else NOBODY)
    if stop.beat:
        RIVAL_TEXT.put(stop.beat.text)


def fill_in_chooser(unit: str | None) -> None:
    """Fill in who chooses merges: all together, or the language with the most tokens per this unit."""
    CHOOSER.put(WORST if unit else ALL)
    if unit:
        PARITY_UNIT.put(unit)


def fill_in_superwords(size: int | None) -> None:
    """Fill in from which vocabulary size on tokens may cross spaces; None for never."""
    CROSSING.put(NEVER if size is None else LATE)
    SUPERWORDS_PROPOSED.forget()
    if size is not None:
        SUPERWORDS_FROM.put(size)


def fill_in_merges(
    vocab_size: int, pattern: str, min_count: int, special_tokens: Sequence[str] | Mapping[str, int]
) -> None:
    """Fill in the settings that decide the merges, as a recipe does."""
    MORE_DRAWN.put(True)
    SIZE.put(vocab_size)
    MIN_COUNT.put(min_count)
    SPECIAL_TOKENS.put(special_tokens_text(special_tokens))
    choose_pattern(PATTERN, pattern)
