"""The comparison for a room: the highest premium, and the most unfair pair in tokens."""

from collections.abc import Sequence

import numpy as np

from pages.ui.choices.parallel_texts import Compared
from pages.ui.deck import MOST_CHARACTERS, Slide
from pages.ui.deck.keys import Entry, Unfair
from pages.ui.deck.mine import name_kept, unfair_slides
from pages.ui.languages.bill import worst
from pages.ui.languages.counts import Bill, pair_premiums
from pages.ui.token_view.lanes import Lane
from pages.ui.words import language, t
from tokenizer_core.openai import OPENAI_NAMES


def slides_of(compared: Compared, lanes: Sequence[Lane], found: Sequence[Bill]) -> list[Slide]:
    """Return the highest premium in a sentence, and the pair with the highest premium by that tokenizer."""
    unfair = _unfair(compared, found)
    if unfair is None:
        return [Slide("words", title={language(): t("languages.no_premium")})]
    return unfair_slides(unfair, lanes)


def entry_of(compared: Compared, lanes: Sequence[Lane], found: Sequence[Bill]) -> Entry:
    """Return the same for the visitor's talk, in which references stay; nothing if no language has a premium."""
    kept = tuple(lane.key for lane in lanes if lane.key in OPENAI_NAMES)
    return Entry(unfair=_unfair(compared, found), lanes=kept)


def _unfair(compared: Compared, found: Sequence[Bill]) -> Unfair | None:
    bill = worst(compared, found)
    if bill is None or bill.premium is None:
        return None
    names = compared.parallel.names if compared.is_sample else compared.names
    unfair = Unfair(name_kept(bill.lane), (names[bill.language], names[compared.base]), bill.premium)
    premiums = pair_premiums(compared, bill.language, bill.lane)
    if not np.isfinite(premiums).any():
        return unfair
    pair = int(np.nanargmax(np.where(np.isfinite(premiums), premiums, np.nan)))
    spoken, base = (
        compared.parallel.lines[place][pair][:MOST_CHARACTERS] for place in (bill.language, compared.base)
    )
    return unfair._replace(line=pair + 1, pair_premium=float(premiums[pair]), texts=(spoken, base))
