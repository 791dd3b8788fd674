"""What one click trains: the bundled sentences, with the settings that the Train page starts with."""

from functools import cache

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.corpus_names import given_name
from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.stage.paces import DEFAULT_PACE, PACES
from pages.ui.words import catalogue
from tokenizer_core.jobs.training import StopRules, Training
from tokenizer_core.texts.mixing import held_out

DEFAULT_SAMPLE = "both"
DEFAULT_SIZE = 1_000
DEFAULT_STOP = StopRules(min_count=2)
"""A pair that occurs once is memorized text, not a rule."""


def first_training() -> Training:
    """Return the training that starts with one click on the first page."""
    corpus = sample_to_train_on(DEFAULT_SAMPLE)
    pace = PACES[DEFAULT_PACE]
    return Training(corpus.texts, DEFAULT_SIZE, stop=DEFAULT_STOP, pace=pace, corpus_name=corpus.name)


def sample_to_train_on(name: str) -> Corpus:
    """Return a bundled sample without the lines that are held out, so that the race can be run on those."""
    return Corpus(given_name(f"sample_{name}"), tuple(map(text_to_train_on, SAMPLES[name])))


@cache
def text_to_train_on(file: str) -> str:
    """Return the text of a bundled sample without its held-out lines, and without the sentence on the stage."""
    shown = {catalogue("th")[f"examples.{name}"] for name in ("thai", "english")}
    return "\n".join(line for line in held_out(sample_text(file).splitlines())[0] if line not in shown)
