"""The kind of every character, as `regex` knows it: what the named split patterns ask of a text."""

from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

UPPER, LOWER, CASELESS, MARK, DIGIT, SPACE, LINE_END, OTHER = (np.int64(1 << n) for n in range(8))
r"""`[\p{Lu}\p{Lt}]`, `\p{Ll}`, `[\p{Lm}\p{Lo}]`, `\p{M}`, `\p{N}`, `\s` without line ends, `[\r\n]`, all else.
Each has a bit of its own, so that a class of a pattern is a sum of kinds. They are NumPy's numbers, because numba
compiles a function anew for each Python number that is passed to it."""
LETTER = UPPER | LOWER | CASELESS
BLANK = SPACE | LINE_END

CODE_POINTS = 0x110000
_RUNS = (
    (UPPER, r"([\p{Lu}\p{Lt}]++)"),
    (LOWER, r"(\p{Ll}++)"),
    (CASELESS, r"([\p{Lm}\p{Lo}]++)"),
    (MARK, r"(\p{M}++)"),
    (DIGIT, r"(\p{N}++)"),
    (LINE_END, r"([\r\n]++)"),
    (SPACE, r"([^\S\r\n]++)"),
    (OTHER, r"([^\s\p{L}\p{M}\p{N}]++)"),
)


@cache
def character_kinds() -> NDArray[np.uint8]:
    """Return the kind of each code point, in a table of 1.1 MB; making it takes 0.03 s, once per process.

    >>> kinds = character_kinds()
    >>> [int(kinds[ord(character)]) for character in "Aaก่9 \\n!"]
    [1, 2, 4, 8, 16, 32, 64, 128]
    """
    every = np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.zeros(CODE_POINTS, dtype=np.uint8)
    for run in regex.compile("|".join(source for _, source in _RUNS)).finditer(every):
        assert run.lastindex is not None
        kinds[run.start() : run.end()] = _RUNS[run.lastindex - 1][0]
    return kinds
