"""Words of a text, by a segmenter that is named beside every figure; absent where no fit one is installed."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import regex

from tokenizer_core.segments import Ints
from tokenizer_core.texts.scripts import script_shares

NEWMM = "PyThaiNLP newmm"
WHITE_SPACE = "white space"
_LEAST_SHARE = 0.2
"""Of the letters: where so many are written without spaces, white space would not find words."""
_SPACELESS = regex.compile(
    r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Han}\p{Hiragana}\p{Katakana}\p{Javanese}\p{Balinese}]"
)
_LETTER = regex.compile(r"\p{L}")
_SPACED = regex.compile(r"\S+")
# What stands at the ends of a word and is no part of it: "(word)," is the word alone.
_CORE = regex.compile(r"[\p{L}\p{M}\p{N}](?:.*[\p{L}\p{M}\p{N}])?", regex.DOTALL)


class Segmenter(NamedTuple):
    """A way to find words, and its name."""

    name: str
    split: Callable[[str], Iterable[str]]
    """Pieces that join to the text."""


def segmenter_for(texts: Iterable[str]) -> Segmenter | None:
    """What finds words in these texts: newmm in Thai where PyThaiNLP is installed, white space in scripts that
    write it; None where nothing fits.

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
    """PyThaiNLP's newmm with its own dictionary, which needs no network; None where it is not installed."""
    os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")  # or it makes a folder in the user's home
    try:
        tokenize = import_module("pythainlp.tokenize")
    except ImportError:
        return None
    return Segmenter(NEWMM, partial(tokenize.word_tokenize, engine="newmm"))


def word_spans(text: str, segmenter: Segmenter) -> Ints:
    """The first character of each word and the one after it, a row each; punctuation and spaces are no words.

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
    """The share of letters whose script writes no spaces between words, in the first 200,000 characters."""
    sample, length = [], 0
    for text in texts:
        sample.append(text[: 200_000 - length])
        length += len(sample[-1])
        if length >= 200_000:
            break
    text = "".join(sample)
    return len(_SPACELESS.findall(text)) / max(1, len(_LETTER.findall(text)))
