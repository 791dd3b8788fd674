"""A vocabulary for a room: how much of it is Thai, and one token in every tokenizer."""

from collections.abc import Sequence

from pages.ui.choices.tokenizers import entries_with_thai
from pages.ui.deck import MOST_CHARACTERS, Slide
from pages.ui.deck.keys import Entry, Known
from pages.ui.deck.mine import known_slides, name_kept
from pages.ui.token_view.lanes import Lane
from pages.ui.vocabulary.lanes import entries_in
from pages.ui.vocabulary.picked import picked_in


def slides_of(lane: Lane, lanes: Sequence[Lane]) -> list[Slide]:
    """Return how many tokens a vocabulary has, and how each tokenizer cuts the token that is looked at."""
    return known_slides(_known(lane), _picked_text(lane), lanes)


def entry_of(lane: Lane, lanes: Sequence[Lane]) -> Entry:
    """Return the same for the visitor's talk."""
    return Entry(text=_picked_text(lane), known=_known(lane), lanes=tuple(each.choice for each in lanes))


def _known(lane: Lane) -> Known:
    return Known(name_kept(lane), len(entries_in(lane).tokens), entries_with_thai(lane))


def _picked_text(lane: Lane) -> str:
    """Return the token that is looked at; nothing if it is a part of a character."""
    try:
        return lane.tokenizer.token_bytes(picked_in(lane)).decode("utf-8")[:MOST_CHARACTERS]
    except UnicodeDecodeError:
        return ""
