"""What the Patterns page keeps in the session, and what it takes from a link."""

from collections.abc import Mapping
from typing import Any

from pages.ui.choices.keys import choose_pattern
from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.patterns.contest import Contest
from pages.ui.patterns.pattern_lines import as_lines
from pages.ui.session import Maybe, Value
from tokenizer_core.jobs.pattern_check import PatternCheck
from tokenizer_core.patterns import SPLIT_PATTERNS

SIDES = ("first", "second")
"""The two patterns, by their names in a link."""

TEXT: Maybe[str] = Maybe("lab_text")
CHECKS: Value[dict[tuple[str, str], PatternCheck]] = Value("pattern_checks", dict)
"""Checks by the hash of the corpus and the pattern."""
CONTESTS: Value[dict[Any, Contest]] = Value("pattern_contests", dict)
"""Contests by the hash of the corpus, the entrants and the vocabulary size."""
ENTRANTS: Value[list[str]] = Value("costs_entrants", list)
PICKED_BY_HAND: Value[bool] = Value("costs_picked", bool)
"""Whether the visitor has picked entrants; until then, those above on the page are picked."""


def pattern_keys(side: str) -> str:
    """Return the prefix of the keys of one pattern's picker."""
    return f"lab_{side}"


def own_pattern(side: str) -> Maybe[str]:
    """Return the session value of the custom pattern on one side."""
    return Maybe(f"{pattern_keys(side)}_custom")


def take_over(query: Mapping[str, str]) -> None:
    """Take text and patterns from a link."""
    if "text" in query:
        TEXT.put(query["text"][:MAX_VIEW_CHARACTERS])
    for side in SIDES:
        if query.get(side):
            named = query[side] in SPLIT_PATTERNS
            choose_pattern(pattern_keys(side), query[side] if named else as_lines(query[side]))
