"""Parity on the page: who chooses the next merge, what tokens are divided by, and who has chosen."""

from collections import Counter
from typing import NamedTuple

import streamlit as st

from pages.ui.i18n import names, t
from pages.ui.inputs.corpus import LANGUAGES_OF_TEXTS, Corpus
from pages.ui.train import keys
from pages.ui.widgets.controls import segmented
from tokenizer_core.workers.training_job import Choice, Job
from tokenizer_core.workers.training_settings import ParityUnit, Training

CHOOSERS = (keys.ALL, keys.WORST)


class Parity(NamedTuple):
    """The language of each text, and what its tokens are divided by."""

    languages: tuple[str, ...]
    unit: ParityUnit


def parity_picker(corpus: Corpus | None) -> Parity | None:
    """Let the visitor choose who chooses merges; None for all texts together, as it is for a single language."""
    if corpus is None or len(set(corpus.languages)) < 2:
        return None
    st.header(t("parity.who"), anchor=False, help=t("parity.who_help"))
    who = segmented(t("parity.who"), CHOOSERS, names("parity.{}", CHOOSERS), key=keys.CHOOSER.key)
    units = units_of(corpus)
    if who != keys.WORST:
        return None
    if keys.PARITY_UNIT.get() not in units:  # a corpus before this one had pairs of lines
        keys.PARITY_UNIT.put(units[0])
    unit = segmented(
        t("parity.unit"),
        units,
        names("parity.{}", units),
        key=keys.PARITY_UNIT.key,
        show_label=True,
        help=t("parity.unit_help"),
    )
    return Parity(corpus.languages, unit)


def units_of(corpus: Corpus) -> tuple[ParityUnit, ...]:
    """Return what can be divided by, the fairest first: pairs of lines only if each language has as many lines."""
    texts = Training(corpus.texts, 300, languages=corpus.languages).by_language(corpus.texts)
    lines = {Corpus("", tuple(of_language)).lines for of_language in texts}
    return ("lines", "characters", "bytes") if len(lines) == 1 else ("characters", "bytes")


def parity_said(parity: Parity) -> str:
    """Say in a few words who chooses."""
    return t("parity.says", unit=t(f"parity.per_{parity.unit}"))


def language_names(training: Training) -> list[str]:
    """Return the names of the languages of a training for parity, in the visitor's language."""
    known = dict.fromkeys(training.languages if training.parity else ())
    return [t(f"parity.language_{each}") if each in LANGUAGES_OF_TEXTS else t("parity.other") for each in known]


def whose_turn(job: Job, choice: Choice) -> str:
    """Say which language chooses next, and why; nothing without parity."""
    called = language_names(job.training)
    if choice.served is None or choice.served >= len(called) or not job.training.unit:
        return ""
    return t("parity.turn", language=called[choice.served], unit=t(f"parity.per_{job.training.unit}"))


def who_chose(job: Job) -> str:
    """Say how many merges each language has chosen; nothing without parity."""
    chosen = Counter(job.served)
    called = language_names(job.training)
    said = " · ".join(f"{name} {chosen[place]:,}" for place, name in enumerate(called))
    return t("parity.chose", languages=said) if chosen and said else ""
