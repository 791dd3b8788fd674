"""What the technical words of the pages mean, in plain words; and variants of them that must not be used."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pages.ui.words.breaks import with_breaks

_FILE = Path(__file__).parent / "glossary.toml"


class Term(NamedTuple):
    """A technical word and its meaning, in one language."""

    name: str
    meaning: str


@cache
def glossary(language: str) -> tuple[Term, ...]:
    """Return all terms in a language, tokens first."""
    mark = with_breaks if language == "th" else str
    return tuple(Term(mark(term[language]), mark(term[f"{language}_says"])) for term in _terms())


@cache
def forbidden() -> frozenset[str]:
    """Return the Thai variants that the pages must not use, because each term has one word."""
    return frozenset(variant for term in _terms() for variant in term.get("never", ()))


@cache
def _terms() -> list[dict[str, str]]:
    terms: list[dict[str, str]] = tomllib.loads(_FILE.read_text("utf-8"))["term"]
    return terms
