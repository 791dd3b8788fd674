"""The paces of a training that visitors choose from."""

from pages.ui.words import names
from tokenizer_core.jobs.training import Pace

PACES: dict[str, Pace] = {
    "gathering": "gathering",
    "slowest": 0.5,
    "slow": 2.0,
    "steady": 20.0,
    "fast": 200.0,
    "full": None,
}
DEFAULT_PACE = "gathering"


def pace_called(pace: str) -> str:
    """Return the name of a pace."""
    return names("stage.pace_{}", PACES)(pace)


def pace_of(wanted: Pace, otherwise: str) -> str:
    """Return the name of this pace, or `otherwise` if there is none.

    >>> pace_of(None, "steady"), pace_of(2.0, "steady"), pace_of(3.0, "steady")
    ('full', 'slow', 'steady')
    """
    return next((name for name, pace in PACES.items() if pace == wanted), otherwise)
