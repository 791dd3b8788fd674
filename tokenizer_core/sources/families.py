"""Well-known models and whose tokenizers they borrow, and quoted figures: `families.toml`, dated, with sources."""

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Family:
    """A model that people ask for, and where its tokenizer comes from."""

    name: str
    """Its name on the Hub."""
    title: str
    maker: str
    source: str
    date: date
    """When the source was read."""
    gated: bool = False
    """Whether the Hub is known to give it only to those who have accepted its licence."""
    borrows: str | None = None
    """The model or reference whose tokenizer it reads with; None for its own."""


@dataclass(frozen=True)
class Quoted:
    """Tokens of the same sentences in Thai and English, counted once: never mixed with what is counted now."""

    title: str
    models: tuple[str, ...]
    """Names on the Hub of models with this tokenizer."""
    files: tuple[str, ...]
    """Names that known files with this tokenizer have."""
    vocabulary: int
    thai: int
    english: int
    texts: str
    lines: int
    """What was counted."""
    source: str
    date: date

    @property
    def premium(self) -> float:
        """Tokens of Thai divided by those of English."""
        return self.thai / self.english


@cache
def families() -> tuple[Family, ...]:
    """Return the well-known models, the newest of each maker first."""
    table = _table()
    shared = {"source": table["source"], "date": table["date"]}
    return tuple(Family(**{**shared, **entry}) for entry in table["models"])


@cache
def quoted() -> tuple[Quoted, ...]:
    """Return the quoted figures, lowest premium first."""
    shared = _table()["flores"]
    rows = [
        Quoted(**{**shared, **row, **{each: tuple(row.get(each, ())) for each in ("models", "files")}})
        for row in _table()["quoted"]
    ]
    return tuple(sorted(rows, key=lambda row: row.premium))


def family_of(name: str) -> Family | None:
    """Return the well-known model of this name, whatever its capital letters."""
    return next((family for family in families() if family.name.lower() == name.lower()), None)


def quoted_for(name: str) -> Quoted | None:
    """Return the quoted figures for a model of the Hub, or for the one whose tokenizer it borrows."""
    family = family_of(name)
    names = {name, *([family.borrows] if family and family.borrows else [])}
    return next((row for row in quoted() if names & set(row.models)), None)


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(Path(__file__).with_name("families.toml").read_text("utf-8"))
    return found
