"""Cut texts by a named split pattern and count the pretokens, in compiled code and without strings.

`regex` stays the plain twin, in `patterns`: it defines what is cut where, and cuts by all other patterns.
"""

import secrets
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer_core import count_loop, cut_loop
from tokenizer_core.count_loop import BYTES, FREE, PLACES, ROWS
from tokenizer_core.kinds import character_kinds
from tokenizer_core.patterns import SPLIT_PATTERNS, pattern_source

_MACHINES = {
    SPLIT_PATTERNS["gpt2"]: cut_loop.GPT2,
    SPLIT_PATTERNS["cl100k"]: cut_loop.CL100K,
    SPLIT_PATTERNS["llama3"]: cut_loop.LLAMA3,
    SPLIT_PATTERNS["o200k"]: cut_loop.O200K,
    SPLIT_PATTERNS["mark_aware"]: cut_loop.MARK_AWARE,
    SPLIT_PATTERNS["none"]: cut_loop.NONE,
}
_SECRET = np.int64(secrets.randbits(63) | 1)
_FIRST_ROWS = 256


def is_compiled(pattern: str) -> bool:
    """Tell whether a pattern is a named one, by its name or its source, for which there is a machine.

    >>> is_compiled("gpt2"), is_compiled(SPLIT_PATTERNS["gpt2"]), is_compiled("[a-z]+")
    (True, True, False)
    """
    return pattern_source(pattern) in _MACHINES


class Tally:
    """Adds up counted pretokens, in order of first appearance.

    >>> tally = Tally()
    >>> one, two = Cutter("mark_aware"), Cutter("mark_aware")
    >>> one.add([b"a cat"]); two.add([b"a dog a"])
    >>> tally.add_counts(*one.pretokens()).tolist(), tally.add_counts(*two.pretokens()).tolist()
    ([0, 1], [0, 2, 3])
    >>> tally.pretokens()[2].tolist()
    [2, 1, 1, 1]
    """

    def __init__(self) -> None:
        self._used = np.zeros(3, dtype=np.int64)
        self._distinct = count_loop.Distinct(
            np.empty(16 * _FIRST_ROWS, dtype=np.uint8),
            np.empty(_FIRST_ROWS, dtype=np.int64),
            np.empty(_FIRST_ROWS, dtype=np.int64),
            np.full((2 * _FIRST_ROWS, 4), FREE, dtype=np.int64),
        )

    @property
    def held_bytes(self) -> int:
        """Memory that the pretokens and the table to find them take."""
        return sum(array.nbytes for array in self._distinct)

    def add_counts(
        self, text: NDArray[np.uint8], ends: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Add pretokens that lie end to end, with their counts; return the number of each among all so far."""
        text = text.view()
        text.flags.writeable = False  # numba compiles anew for bytes that may be written,
        ends, counts = (np.require(each, requirements="W") for each in (ends, counts))  # and numbers that may not
        distinct, rows = count_loop.add_counts(self._distinct, self._used, text, ends, counts, _SECRET)
        self._distinct = count_loop.Distinct(*distinct)
        numbers: NDArray[np.int32] = rows
        return numbers

    def pretokens(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return the bytes of the distinct pretokens, end to end, where each ends, and how often each occurs."""
        rows = self._used[ROWS]
        text = self._distinct.text[: self._used[BYTES]]
        text.flags.writeable = False
        return text, self._distinct.ends[:rows].copy(), self._distinct.counts[:rows].copy()


class Cutter(Tally):
    """Numbers the distinct pretokens of texts in order of first appearance, and counts them.

    >>> cutter = Cutter("mark_aware")
    >>> cutter.add([b"a cat a", b"a dog"])
    >>> text, ends, counts = cutter.pretokens()
    >>> bytes(text), ends.tolist(), counts.tolist()
    (b'a cat a dog', [1, 5, 7, 11], [2, 1, 1, 1])
    """

    def __init__(self, pattern: str) -> None:
        """Take a pattern for which there is a machine."""
        self._machine = _MACHINES[pattern_source(pattern)]
        super().__init__()

    def add(self, texts: Sequence[bytes]) -> None:
        """Cut and count more texts, each separately; they must be valid UTF-8."""
        self._run(texts, np.empty(0, dtype=np.int32))

    def number(self, texts: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Do the same, and return the number of each pretoken, and how many there are up to the end of each text.

        >>> Cutter("mark_aware").number([b"a cat a", b"", b"a dog"])
        (array([0, 1, 2, 0, 3], dtype=int32), array([3, 3, 5]))
        """
        places = np.empty(sum(map(len, texts)), dtype=np.int32)
        edges = self._run(texts, places)
        return places[: edges[-1]], edges[1:]

    def add_counted(self, other: Tally) -> None:
        """Add what was counted in texts that come after the texts of this one."""
        self.add_counts(*other.pretokens())

    def _run(self, texts: Sequence[bytes], places: NDArray[np.int32]) -> NDArray[np.int64]:
        """Run the machine; return how many pretokens there are up to each edge of these texts."""
        edges = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=edges[1:])
        joined = texts[0] if len(texts) == 1 else b"".join(texts)
        self._used[PLACES] = 0
        self._distinct = count_loop.Distinct(
            *count_loop.number_pretokens(
                np.frombuffer(joined, dtype=np.uint8),
                edges,
                character_kinds(),
                self._machine,
                _SECRET,
                self._distinct,
                self._used,
                places,
            )
        )
        return edges
