"""Count the pretokens of a corpus: all that training needs to know about it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.errors import TextError
from tokenizer_core.kernels.compiled import are_ready
from tokenizer_core.patterns.cutter import Cutter, cutter_of, is_compiled
from tokenizer_core.patterns.safe_places import parts_of
from tokenizer_core.patterns.split_patterns import pretokenize_each

AT_ONCE = 1_000_000
"""Bytes. Short texts are cut together, up to this size, because each call of compiled code takes 0.01 ms."""


class PretokenCounts(NamedTuple):
    """Distinct pretokens in order of first appearance, as bytes: making strings takes longer."""

    text: NDArray[np.uint8]
    """Their bytes, end to end."""
    ends: NDArray[np.int64]
    """Where each ends in `text`."""
    counts: NDArray[np.int64]
    """How often each occurs."""

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Self:
        """Return counted strings as arrays."""
        times = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
        return cls(*bytes_and_ends(counts.keys()), times)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each pretoken in bytes."""
        return np.diff(self.ends, prepend=0)

    def strings(self) -> list[str]:
        """Return the pretokens as strings."""
        text = self.text.tobytes().decode("utf-8")
        characters = np.cumsum((self.text & 0xC0) != 0x80)  # up to and with each byte
        ends = characters[self.ends - 1].tolist()
        return [text[start:end] for start, end in zip([0, *ends], ends)]


class NumberedPretokens(NamedTuple):
    """The pretokens of texts, each as its number among the distinct ones."""

    distinct: PretokenCounts
    places: NDArray[np.int32]
    """The numbers of all pretokens, in the order of the texts."""
    text_ends: NDArray[np.int64]
    """How many pretokens there are up to the end of each text."""


def count_pretokens(texts: str | Iterable[str], pattern: str) -> Counter[str]:
    """Count each pretoken of the texts, in order of first appearance.

    Each text is cut separately, so no pretoken crosses the end of a text.

    >>> count_pretokens(["a cat", "a dog"], "mark_aware")
    Counter({'a': 2, ' cat': 1, ' dog': 1})
    """
    if are_ready() and is_compiled(pattern):
        counted = counted_pretokens(texts, pattern)
        return Counter(dict(zip(counted.strings(), counted.counts.tolist())))
    counts: Counter[str] = Counter()
    for pretokens in pretokenize_each(map(check_text, _listed(texts)), pattern):
        counts.update(pretokens)
    return counts


def counted_pretokens(texts: str | Iterable[str], pattern: str, *, threads: int = 1) -> PretokenCounts:
    """Count as `count_pretokens` does, in arrays; most patterns take a sixth of the time of `regex`.

    Several threads count parts of the texts at once, with the same result.
    """
    if not (are_ready() and is_compiled(pattern)):
        return PretokenCounts.of(count_pretokens(texts, pattern))
    if threads > 1:
        return _counted_at_once(list(_listed(texts)), pattern, threads)
    return PretokenCounts(*_counted(_listed(texts), pattern).pretokens())


def _counted(texts: Iterable[str | bytes], pattern: str) -> Cutter:
    cutter = cutter_of(pattern)
    for batch in batches_of(texts):
        cutter.add(batch)
    return cutter


def _counted_at_once(texts: list[str], pattern: str, threads: int) -> PretokenCounts:
    """Give each thread about the same length of text, and add up in the order of the texts.

    Only long texts are encoded and cut into parts beforehand. Each thread encodes the others one by one: new
    memory for the bytes of all at once takes a tenth of the time.
    """
    long = sum(map(len, texts)) / (8 * threads)
    parts: list[str | bytes] = []
    for text in texts:
        parts += parts_of(utf8(text), pattern, AT_ONCE) if len(text) > long else [text]
    sizes = np.cumsum([0, *map(len, parts)])
    edges = sizes.searchsorted(np.arange(threads + 1) * (sizes[-1] / threads)).tolist()
    stretches = [parts[start:end] for start, end in zip(edges, edges[1:])]
    with ThreadPoolExecutor(threads) as pool:
        first, *others = pool.map(_counted, stretches, [pattern] * threads)
    for cutter in others:
        first.add_counts(*cutter.pretokens())
    return PretokenCounts(*first.pretokens())


def number_pretokens(texts: str | Iterable[str], pattern: str) -> NumberedPretokens:
    """Number the distinct pretokens of the texts in order of first appearance; list the number at each place.

    >>> numbered = number_pretokens(["a cat a", "", "a dog"], "mark_aware")
    >>> numbered.places.tolist(), numbered.text_ends.tolist(), numbered.distinct.strings()
    ([0, 1, 2, 0, 3], [3, 3, 5], ['a', ' cat', ' a', ' dog'])
    """
    if not (are_ready() and is_compiled(pattern)):
        return _numbered_by_regex(texts, pattern)
    cutter = cutter_of(pattern)
    numbered = [cutter.number(batch) for batch in batches_of(_listed(texts))]
    before = 0
    for places, text_ends in numbered:
        text_ends += before
        before += places.size
    return NumberedPretokens(
        PretokenCounts(*cutter.pretokens()),
        np.concatenate([np.empty(0, dtype=np.int32), *(places for places, _ in numbered)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(text_ends for _, text_ends in numbered)]),
    )


def _numbered_by_regex(texts: str | Iterable[str], pattern: str) -> NumberedPretokens:
    numbers: defaultdict[str, int] = defaultdict(int)
    numbers.default_factory = numbers.__len__  # a new pretoken gets the next number
    order: list[int] = []
    text_ends: list[int] = []
    for pretokens in pretokenize_each(map(check_text, _listed(texts)), pattern):
        order += map(numbers.__getitem__, pretokens)
        text_ends.append(len(order))
    places = np.array(order, dtype=np.int32)
    distinct = PretokenCounts(*bytes_and_ends(numbers.keys()), np.bincount(places, minlength=len(numbers)))
    return NumberedPretokens(distinct, places, np.array(text_ends, dtype=np.int64))


def _listed(texts: str | Iterable[str]) -> Iterable[str]:
    return [texts] if isinstance(texts, str) else texts


def batches_of(texts: Iterable[str | bytes]) -> Iterator[list[bytes]]:
    """Yield the UTF-8 of texts, several at once; raise `TextError` for a lone surrogate."""
    batch: list[bytes] = []
    size = 0
    for text in texts:
        batch.append(text if isinstance(text, bytes) else utf8(text))
        size += len(batch[-1])
        if size >= AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def utf8(text: str) -> bytes:
    """Return the bytes of a text; raise `TextError` if it holds a lone surrogate."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        surrogate = f"U+{ord(text[error.start]):04X}"
        raise TextError("lone_surrogate", position=error.start, surrogate=surrogate) from None


def check_text(text: str) -> str:
    """Return the text; raise `TextError` if it holds a lone surrogate, which has no UTF-8 bytes."""
    utf8(text)
    return text


def bytes_and_ends(pretokens: Collection[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of the pretokens, end to end, and the byte offset where each one ends.

    >>> bytes_and_ends(["ab", "ก"])
    (array([ 97,  98, 224, 184, 129], dtype=uint8), array([2, 5]))
    """
    text_bytes = np.frombuffer("".join(pretokens).encode("utf-8"), dtype=np.uint8)
    # Finding the first byte of each character is ten times faster than encoding each pretoken separately.
    starts = np.flatnonzero((text_bytes & 0xC0) != 0x80)
    offsets = np.append(starts, text_bytes.size)
    lengths = np.fromiter(map(len, pretokens), dtype=np.int64, count=len(pretokens))
    return text_bytes, offsets[np.cumsum(lengths)]
