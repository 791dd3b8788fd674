"""What a corpus is called: a name that goes with it, and the same in the visitor's language.

A training keeps the name of its corpus. So a name that the app gives is a key, and is put into words where it
is shown.
"""

import re
from functools import cache

from pages.ui.words import LANGUAGES, catalogue, t
from pages.ui.words.breaks import without_breaks

GIVEN = {
    "sample_th": "corpus.sample_th",
    "sample_en": "corpus.sample_en",
    "sample_both": "corpus.sample_both",
    "pasted": "corpus.pasted",
    "small": "pieces.card_small",
}
"""What the app names: the bundled sentences, pasted text, and the few lines of the page of pieces."""
_GIVEN = re.compile(f"corpus:({'|'.join(GIVEN)})")
_ARTICLES = re.compile("wikipedia:(.*)", re.DOTALL)
_MIX = re.compile(r"mix:(\d+ : \d+):(bytes|characters):(.*)", re.DOTALL)


def given_name(name: str) -> str:
    """Return the name of a corpus that the app names."""
    return f"corpus:{name}"


def name_of_articles(titles: str) -> str:
    """Return the name of Wikipedia articles with these titles, which are safe in Markdown."""
    return f"wikipedia:{titles}"


def name_of_mix(corpus: str, weights: str, unit: str) -> str:
    """Return the name of a corpus that was mixed by these weights."""
    return f"mix:{weights}:{unit}:{corpus}"


def corpus_called(name: str) -> str:
    """Return the name of a corpus in the visitor's language, safe in Markdown if `name` is; files keep theirs."""
    if given := _GIVEN.fullmatch(name):
        return t(GIVEN[given[1]])
    if articles := _ARTICLES.fullmatch(name):
        return t("wikipedia.name", titles=articles[1])
    if mix := _MIX.fullmatch(name):
        return t("mix.name", corpus=corpus_called(mix[3]), weights=mix[1], unit=t(f"mix.{mix[2]}"))
    key = _once_called().get(without_breaks(name))
    return t(key) if key else name


@cache
def _once_called() -> dict[str, str]:
    """Return the keys of names by their words: trainings kept by older versions, and saved talks, have words."""
    return {without_breaks(catalogue(spoken)[key]): key for key in GIVEN.values() for spoken in LANGUAGES}
