"""The comparison for a room: the highest premium, and the most unfair pair in tokens."""

from collections.abc import Sequence

import numpy as np

from pages.ui.choices.parallel_texts import Compared
from pages.ui.deck import MOST_CHARACTERS, Slide, View
from pages.ui.languages.bill import premium_sentence, worst
from pages.ui.languages.counts import Bill, pair_premiums
from pages.ui.token_view.lanes import Lane
from pages.ui.widgets import written
from pages.ui.words import language, t


def slides_of(compared: Compared, lanes: Sequence[Lane], found: Sequence[Bill]) -> list[Slide]:
    """Return the highest premium in a sentence, and the pair with the highest premium by that tokenizer."""
    bill = worst(compared, found)
    if bill is None:
        return [Slide("words", title={language(): t("languages.no_premium")})]
    said = {language(): premium_sentence(bill, compared.spoken, compared.base)}
    slides = [Slide("words", title=said, is_strong=True)]
    premiums = pair_premiums(compared, bill.language, bill.lane)
    if np.isfinite(premiums).any():
        pair = int(np.nanargmax(premiums))
        values = {"line": pair + 1, "premium": written.premium(float(premiums[pair])), "tokenizer": bill.lane.name}
        texts = [
            (compared.spoken[place], compared.parallel.lines[place][pair])
            for place in (bill.language, compared.base)
        ]
        views = [View(text[:MOST_CHARACTERS], lanes, label=name) for name, text in texts]
        slides.append(Slide("tokens", over={language(): t("languages.most_unfair", **values)}, views=views))
    return slides
