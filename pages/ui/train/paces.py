"""The paces of a training that visitors choose from."""

from pages.ui.words import names

PACES: dict[str, float | None] = {"slowest": 0.5, "slow": 2.0, "steady": 20.0, "fast": 200.0, "full": None}
"""Merges per second; None is as fast as possible."""
DEFAULT_PACE = "steady"


def pace_called(pace: str) -> str:
    """Return the name of a pace."""
    return names("train.pace_{}", PACES)(pace)


def pace_of(merges_per_second: float | None, otherwise: str) -> str:
    """Return the pace with this speed, or `otherwise` if there is none.

    >>> pace_of(None, "steady"), pace_of(2.0, "steady"), pace_of(3.0, "steady")
    ('full', 'slow', 'steady')
    """
    return next((name for name, pace in PACES.items() if pace == merges_per_second), otherwise)
