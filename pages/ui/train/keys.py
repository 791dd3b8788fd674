"""What the Train page keeps in the session."""

from collections.abc import Mapping, Sequence
from typing import Any

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.first_training import DEFAULT_SAMPLE, DEFAULT_SIZE, DEFAULT_STOP
from pages.ui.choices.keys import choose_pattern, leave_the_sample
from pages.ui.session import Maybe, Value
from pages.ui.stage.paces import DEFAULT_PACE, pace_of
from pages.ui.train.frontier import Frontier
from pages.ui.train.what_if import WhatIf
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.recipe import Recipe
from tokenizer_core.jobs.training import Training
from tokenizer_core.special_tokens import special_tokens_text

NOBODY = "nobody"
"""The choice to beat no reference."""

# ---- the settings, as their widgets hold them

CARDS = ("th", "both", "own")
"""The bundled texts to train on, and texts of the visitor's own."""
OWN_TEXT = "own"
CARD = Value("train_card", lambda: DEFAULT_SAMPLE)
MORE_OPEN: Value[bool] = Value("train_more", bool)
SIZE = Value("train_size", lambda: DEFAULT_SIZE)
PACE = Value("train_pace", lambda: DEFAULT_PACE)
SPECIAL_TOKENS = Value("train_special_tokens", str)
MIN_COUNT = Value("train_min_count", lambda: DEFAULT_STOP.min_count)
MINUTES = Value("train_minutes", float)
RIVAL = Value("train_rival", lambda: NOBODY)
RIVAL_TEXT: Maybe[str] = Maybe("train_rival_text")
PATTERN = "pattern"
"""The prefix of the pattern picker's keys."""

REUSED_CORPUS: Maybe[Corpus] = Maybe("reused_corpus")
"""The corpus of a run that the visitor repeats with a change."""
RECIPE: Maybe[Recipe] = Maybe("recipe")
"""The recipe that the next training follows."""
RECIPE_FILE: Maybe[Any] = Maybe("recipe_file")
RECIPE_TEXT: Value[str] = Value("recipe_text", str)
RECIPE_FAILURE: Maybe[TokenizerError] = Maybe("recipe_failure")

# ---- what is open, and what the visitor asked for

FRONTIER_OPEN: Value[bool] = Value("frontier", bool)
FRONTIER_SIZE: Maybe[int] = Maybe("frontier_size")
FRONTIERS: Value[dict[Any, Frontier]] = Value("frontiers", dict)
"""The frontiers of this session, by corpus and vocabulary size."""
RUNS_COMPARED: Value[bool] = Value("compare_runs", bool)
COMPARISONS = Value("comparisons", int)
"""How often the comparison of two runs has been opened."""
RUN_OPENED: Value[bool] = Value("run_opened", bool)
"""Whether a click in the list of runs asks for another screen."""
EXPORTS_OPEN: Value[bool] = Value("train_exports", bool)
EXPORTED_MERGES: Maybe[tuple[str, int]] = Maybe("train_exported")
"""The training whose files were asked for while it learns, and how many merges it had then."""
KEPT_FAILURE: Maybe[TokenizerError] = Maybe("kept_failure")
"""Why the last click on the list of runs could not do what it says."""
QUESTIONS = Value("what_if_questions", int)
"""How many questions have been asked."""
ASKED: Maybe[WhatIf] = Maybe("what_if")
JUST_ASKED: Value[bool] = Value("what_if_new", bool)
RACE_TURN: Value[int] = Value("race_turn", int)
"""A part of the uploaders' keys: only a new key empties an uploader."""


def asking() -> Value[bool]:
    """Return the session value of the popover that asks what if: a new, closed one after each question."""
    return Value(f"what_if_asks{QUESTIONS.get() or ''}", bool)


def sentence_of(job: Job) -> Maybe[str]:
    """Return the session value of the sentence that the visitor typed for the stage of a training."""
    return Maybe(f"studio_sentence_{job.id}")


def name_of_run(job: Job) -> Value[str]:
    """Return the session value of the name typed for a run."""
    return Value(f"name_{job.id}", str)


def name_of_file(entry_id: str) -> Value[str]:
    """Return the session value of the name typed for a tokenizer from a file."""
    return Value(f"name_{entry_id}", str)


def fill_in(training: Training) -> None:
    """Fill the settings with those of a training: the same settings make the same training."""
    fill_in_merges(training.vocab_size, training.pattern, training.stop.min_count, training.special_tokens)
    stop = training.stop
    REUSED_CORPUS.put(Corpus(training.corpus_name, tuple(training.texts), training.counts))
    PACE.put(pace_of(training.pace, DEFAULT_PACE))
    MINUTES.put((stop.max_seconds or 0.0) / 60)
    RIVAL.put(stop.beat.reference if stop.beat and stop.beat.reference else NOBODY)
    if stop.beat:
        RIVAL_TEXT.put(stop.beat.text)


def fill_in_merges(
    vocab_size: int, pattern: str, min_count: int, special_tokens: Sequence[str] | Mapping[str, int]
) -> None:
    """Fill in the settings that decide the merges, as a recipe does."""
    SIZE.put(vocab_size)
    MIN_COUNT.put(min_count)
    SPECIAL_TOKENS.put(special_tokens_text(special_tokens))
    choose_pattern(PATTERN, pattern)


def choose_card() -> None:
    """Take the visitor who wants a text of their own to files, not to the bundled sentences."""
    if CARD.get() == OWN_TEXT:
        leave_the_sample()
