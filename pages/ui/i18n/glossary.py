"""What the technical words of the pages mean, in plain words; and variants of them that must not be used."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pages.ui.i18n.breaks import with_breaks, without_breaks

_FILE = Path(__file__).parent / "glossary.toml"


class Term(NamedTuple):
    """A technical word and its meaning, in one language."""

    name: str
    meaning: str
    forms: tuple[str, ...]
    """How it is written in a text, without marks of line breaks."""
    pages: tuple[str, ...] = ()
    """The pages where its forms mean this; elsewhere they are plain words. All of them if there are none."""


@cache
def glossary(language: str) -> tuple[Term, ...]:
    """Return all terms in a language, tokens first."""
    mark = with_breaks if language == "th" else str
    return tuple(
        Term(
            mark(term[language]),
            mark(term[f"{language}_says"]),
            _forms(term, language),
            tuple(term.get("pages", ())),
        )
        for term in _terms()
    )


def _forms(term: dict[str, Any], language: str) -> tuple[str, ...]:
    forms = term.get(f"{language}_forms") or [term[language].partition(" (")[0]]
    if language != "en":
        return tuple(forms)
    plurals = (f"{form[:-1]}ies" if form.endswith("y") else f"{form}s" for form in forms)
    return tuple(dict.fromkeys([*forms, *plurals]))


def terms_explained_on(page: str, language: str) -> list[Term]:
    """Return the terms whose words mean them on a page."""
    return [term for term in glossary(language) if not term.pages or page in term.pages]


@cache
def finder(language: str) -> str:
    """Return a regular expression that finds every form of every term."""
    return finder_of(glossary(language))


def finder_of(terms: Iterable[Term]) -> str:
    """Return a regular expression, for Python and for browsers, that finds every form of these terms.

    A longer form goes before a shorter one in it; a form in Latin letters is a word of its own, no part of the
    name of a file.
    """
    forms = sorted((form for term in terms for form in term.forms), key=len, reverse=True)
    latin = "|".join(re.escape(form) for form in forms if form.isascii())
    others = "|".join(form for form in forms if not form.isascii())
    return rf"(?<![0-9A-Za-z_.-])(?:{latin})(?![0-9A-Za-z_-]|\.[a-z])" + (f"|{others}" if others else "")


def terms_in(text: str, language: str) -> list[Term]:
    """Return the terms that occur in a text, in the order of the glossary.

    >>> [term.name for term in terms_in("Tokenizers cut text into pieces.", "en")]
    ['tokenizer', 'piece (pretoken)', 'cut, boundary']
    >>> [term.name for term in terms_in("corpus.txt has thai_words.", "en")]
    []
    """
    plain = without_breaks(text)
    found = {match[0].lower() for match in re.finditer(finder(language), plain, re.IGNORECASE)}
    return [term for term in glossary(language) if found & {form.lower() for form in term.forms}]


@cache
def _terms() -> list[dict[str, Any]]:
    terms: list[dict[str, Any]] = tomllib.loads(_FILE.read_text("utf-8"))["term"]
    return terms
