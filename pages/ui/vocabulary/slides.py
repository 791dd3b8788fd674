"""A vocabulary for a room: how much of it is Thai, and one token in every tokenizer."""

from collections.abc import Sequence

from pages.ui.choices.tokenizers import entries_with_thai
from pages.ui.deck import MOST_CHARACTERS, Slide, View
from pages.ui.token_view.lanes import Lane
from pages.ui.vocabulary.lanes import entries_in
from pages.ui.vocabulary.picked import picked_in
from pages.ui.words import in_every_language, language, t


def slides_of(lane: Lane, lanes: Sequence[Lane]) -> list[Slide]:
    """Return how many tokens a vocabulary has, and how each tokenizer cuts the token that is looked at."""
    values = {"name": lane.name, "count": len(entries_in(lane).tokens), "thai": entries_with_thai(lane)}
    slides = [Slide("words", title=in_every_language("vocabulary.slide", **values), is_strong=True)]
    try:
        text = lane.tokenizer.token_bytes(picked_in(lane)).decode("utf-8")
    except UnicodeDecodeError:  # part of a character
        return slides
    views = [View(text[:MOST_CHARACTERS], lanes)]
    return [*slides, Slide("tokens", over={language(): t("biography.others")}, views=views)]
