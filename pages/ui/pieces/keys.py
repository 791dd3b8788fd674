"""What the page of SentencePiece, characters and words keeps in the session."""

from dataclasses import asdict

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.kept_files import Shelf
from pages.ui.choices.keys import leave_the_sample
from pages.ui.session import Maybe, Value
from tokenizer_core.jobs.sentencepiece_job import SentencePieceJob
from tokenizer_core.jobs.sentencepiece_settings import SentencePieceSettings

SMALL, OWN_TEXT = "small", "own"
CARDS = (SMALL, "both", OWN_TEXT)
FIRST_SIZE = 1_000
"""The library begins at 8,000, for which a small text does not suffice."""

SHOWN = Value("pieces_shown", lambda: "small")
"""What stands at the top: a lesson, or the training."""
AWAITED: Value[bool] = Value("pieces_awaited", bool)
"""Whether the training goes to the top of the page as soon as it is done."""
JOB: Maybe[SentencePieceJob] = Maybe("pieces_job")
SHELF: Maybe[Shelf] = Maybe("pieces_shelf")
"""Where the tokenizer of the training is kept, or why it is not."""
LEARNED_FROM: Maybe[Corpus] = Maybe("pieces_learned_from")
"""The text of the training, until our BPE learns from it too."""
BESIDE: Maybe[str] = Maybe("pieces_beside")
"""The id of the run of our BPE at the same size, on the same text."""
CARD = Value("pieces_card", lambda: "both")


def setting(name: str) -> str:
    """Return the key of the widget of a setting."""
    return f"pieces_{name}"


def as_held(settings: SentencePieceSettings) -> dict[str, str | float]:
    """Return the settings as their widgets hold them."""
    held = asdict(settings)
    return {**held, "user_defined_symbols": "\n".join(settings.user_defined_symbols)}


def fill_in(settings: SentencePieceSettings, card: str | None = None) -> None:
    """Fill in all settings, and choose a text."""
    for name, value in as_held(settings).items():
        Maybe[str | float](setting(name)).put(value)
    if card is not None:
        CARD.put(card)


def choose_card() -> None:
    """Take the visitor who wants a text of their own to files, not to the bundled sentences."""
    if CARD.get() == OWN_TEXT:
        leave_the_sample()
