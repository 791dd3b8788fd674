"""Unicode's normal form NFC, in which some tokenizers put a text first, and where its characters come from."""

import unicodedata
from functools import cache, lru_cache
from typing import Any

import numpy as np
import regex

from tokenizer_core.bpe.segments import Ints

# What may join the character before it: marks, letters of Hangul and Kirat Rai, and what `regex` does not know.
_PIECE = regex.compile(r"(?s).[\p{M}\p{Cn}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\U00016d40-\U00016d7f]*+")


def is_nfc(text: str) -> bool:
    """Tell whether a text is in NFC for certain: for characters newer than Python's tables, this is not known.

    >>> is_nfc("น้ำ é"), is_nfc("e\\u0301"), is_nfc("\\U0003d000")
    (True, False, False)
    """
    if text.isascii():
        return True
    return unicodedata.is_normalized("NFC", text) and "Cn" not in map(unicodedata.category, set(text))


def nfc(text: str) -> str:
    """Return a text in NFC, by the tables of the tokenizers library."""
    return text if is_nfc(text) else str(_library().normalize_str(text))


@cache
def _library() -> Any:
    from tokenizers import normalizers  # takes 60 ms; few texts need it

    return normalizers.NFC()


@lru_cache(maxsize=4)
def ends_in_original(text: str) -> Ints:
    """Return for each byte offset of `nfc(text)`, and for its end, the offset in the text up to which it reaches.

    Where characters are changed, the first token that holds one of their bytes gets all of them.

    >>> ends_in_original("e\\u0301b").tolist()
    [0, 3, 3, 4]
    """
    pieces = _PIECE.findall(text)
    changed = list(map(nfc, pieces))
    if "".join(changed) != nfc(text):  # a newer rule joins two pieces
        pieces, changed = [text], [nfc(text)]
    sizes, lengths = (np.array([len(each.encode()) for each in row], dtype=np.int64) for row in (pieces, changed))
    is_same = np.array([one == other for one, other in zip(pieces, changed)], dtype=np.bool_)
    starts = np.repeat(np.cumsum(sizes) - sizes, lengths)
    steps = np.arange(len(starts)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    inside = np.where(np.repeat(is_same, lengths) | (steps == 0), steps, np.repeat(sizes, lengths))
    return np.append(starts + inside, len(text.encode()))
