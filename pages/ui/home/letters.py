"""Why a few letters take several tokens: those that a tokenizer cuts most, or a special token that is off."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pages.ui.i18n import as_name, t
from pages.ui.inputs.tokenizers import name_of
from pages.ui.widgets.token_view.lanes import Lane, LaneOnText
from tokenizer_core.bpe.segments import TextMap

MOST_CHARACTERS = 2_000


def special_said(text: str, lanes: Sequence[Lane]) -> str:
    """Say that a special token in a text is plain text as yet, and what makes it one token; or ""."""
    known = (token for lane in lanes if not lane.special_acts for token in lane.tokenizer.special_tokens)
    found = next((token for token in known if token in text), None)
    if found is None:
        return ""
    return t("home.special_plain", token=as_name(found), act=t("special.act"), view=t("home.view"))


def letters_said(text: str, lanes: Sequence[Lane]) -> str:
    """Say which letters a tokenizer has no token for, how many it needs, and which one has them in one; or "".

    The lanes spell the text, as those of OpenAI do: a text that is a token of theirs is cut into that token alone.
    """
    text = text[:MOST_CHARACTERS]
    text_map = TextMap(text)
    placed = [
        LaneOnText.of(replace(lane, encoding=lane.tokenizer.encode(text), placed=None), text_map) for lane in lanes
    ]
    counts = [np.diff(each.ends.tokens, prepend=0) for each in placed]
    dear = max(range(len(counts)), key=lambda number: counts[number].max(initial=0), default=None)
    if dear is None or (most := int(counts[dear].max(initial=0))) < 2:
        return ""
    segment = int(counts[dear].argmax())
    chars = placed[dear].ends.chars
    start, end = int(chars[segment - 1]) if segment else 0, int(chars[segment])
    letters = text[start:end]
    if len(lanes[dear].tokenizer.encode(letters)) < 2:
        return ""  # it has a token, which the letters around it kept it from
    said = t("home.letters", name=name_of(lanes[dear]), letters=as_name(letters.replace(" ", "␣")), count=most)
    first, last = (len(text[:place].encode("utf-8", "surrogatepass")) for place in (start, end))
    whole = next((each.lane for each in reversed(placed) if _is_in_one(each, first, last)), None)
    return said if whole is None else f"{said} {t('home.letters_whole', name=name_of(whole))}"


def _is_in_one(placed: LaneOnText, first: int, last: int) -> bool:
    """Tell whether one token has all bytes from one place of the text to another."""
    ends = np.cumsum(placed.lengths)
    token = int(np.searchsorted(ends, first, side="right"))
    return int(ends[token]) >= last
