"""Which characters the classes of a pattern hold: `regex` is asked, for every code point.

So Unicode is that of `regex`, and what a flag does to a class too. Characters that no class tells apart are of one
kind, and a program looks up kinds only.
"""

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import regex
from numpy.typing import NDArray

from tokenizer_core.own_patterns.parts import Characters

CODE_POINTS = 0x110000
MAX_KINDS = 256
MAX_CLASSES = 64
"""A class takes 1 to 30 ms to ask for, once per process."""


def kinds_of(classes: Sequence[Characters]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]] | None:
    r"""Return the kind of every code point, and for each class, which kinds it holds; None if there are too many.

    >>> kinds, holds = kinds_of([Characters(r"[a-c]", ""), Characters("b", "i")])
    >>> [int(kinds[ord(character)]) for character in "abB"], holds[:, kinds[ord("b")]].tolist()
    ([1, 3, 2], [True, True])
    """
    if len(classes) > MAX_CLASSES:
        return None
    edges = [_edges(each.source, each.flags) for each in classes]
    starts = np.unique(np.concatenate([[0], *edges]))
    starts = starts[starts < CODE_POINTS]
    inside = np.stack([np.searchsorted(each, starts, side="right") % 2 == 1 for each in edges])
    signatures, kinds = np.unique(
        (inside.astype(np.uint64) << np.arange(len(classes), dtype=np.uint64)[:, None]).sum(axis=0),
        return_inverse=True,
    )
    if signatures.size > MAX_KINDS:
        return None
    holds = np.zeros((len(classes), MAX_KINDS), dtype=np.bool_)
    holds[:, kinds] = inside
    return np.repeat(kinds.astype(np.uint8), np.diff(starts, append=CODE_POINTS)), holds


@lru_cache(maxsize=512)
def _edges(source: str, flags: str) -> NDArray[np.int64]:
    """Return where each run of code points in a class starts, and where it ends."""
    runs = regex.compile(f"(?{flags}:{source})++").finditer(_every_character())
    return np.array([edge for run in runs for edge in run.span()], dtype=np.int64)


@cache
def _every_character() -> str:
    return np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
