"""Words of a text, found by a segmenter that every figure names; None if no suitable one is installed."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import regex

from tokenizer_core.bpe.segments import Ints
from tokenizer_core.readers.mixing import script_shares

NEWMM = "PyThaiNLP newmm"
WHITE_SPACE = "white space"
_LEAST_SHARE = 0.2
"""If at least this share of the letters is in scripts without spaces, white space does not find words."""
_SPACELESS = regex.compile(
    r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Han}\p{Hiragana}\p{Katakana}\p{Javanese}\p{Balinese}]"
)
_LETTER = regex.compile(r"\p{L}")
_SPACED = regex.compile(r"\S+")
# A word without punctuation around it.
_CORE = regex.compile(r"[\p{L}\p{M}\p{N}](?:.*[\p{L}\p{M}\p{N}])?", regex.DOTALL)


class Segmenter(NamedTuple):
    """A way to find words, and its name."""

    name: str
    split: Callable[[str], Iterable[str]]
    """Cuts a text into pieces that join to the text."""


def segmenter_for(texts: Iterable[str]) -> Segmenter | None:
    """Choose the segmenter for these texts; return None if none fits.

    This is newmm for Thai, if PyThaiNLP is installed, and white space for scripts that write spaces.

    >>> segmenter_for(["Drink water, please."]).name, segmenter_for(["請喝水"])
    ('white space', None)
    """
    kept = list(texts)
    shares = script_shares(kept)
    if shares is None:
        return None
    if shares.thai > 0.5:
        return newmm()
    return None if _spaceless_share(kept) >= _LEAST_SHARE else Segmenter(WHITE_SPACE, _split_at_spaces)


def newmm() -> Segmenter | None:
    """Return PyThaiNLP's newmm with its own dictionary, which needs no network; None if it is not installed."""
    os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")  # else it makes a folder in the user's home
    try:
        tokenize = import_module("pythainlp.tokenize")
    except ImportError:
        return None
    return Segmenter(NEWMM, partial(tokenize.word_tokenize, engine="newmm"))


def word_spans(text: str, segmenter: Segmenter) -> Ints:
    """Return a row for each word: its first character and the one after it. Punctuation and spaces are not words.

    >>> word_spans("Drink (water)!", Segmenter(WHITE_SPACE, _split_at_spaces)).tolist()
    [[0, 5], [7, 12]]
    """
    pieces = list(segmenter.split(text))
    starts = accumulate(map(len, pieces), initial=0)
    cores = [(start, core) for start, core in zip(starts, map(_CORE.search, pieces)) if core]
    spans = [(start + core.start(), start + core.end()) for start, core in cores]
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


def _split_at_spaces(text: str) -> list[str]:
    pieces, end = [], 0
    for word in _SPACED.finditer(text):
        pieces += [text[end : word.start()], word[0]]
        end = word.end()
    return [*pieces, text[end:]]


def _spaceless_share(texts: list[str]) -> float:
    """Return the share of letters in scripts without spaces between words, in the first 200,000 characters."""
    text = "".join(text[:200_000] for text in texts[:200_000])[:200_000]
    return len(_SPACELESS.findall(text)) / max(1, len(_LETTER.findall(text)))
