"""Count the pretokens of a corpus: all that training needs to know about it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Self

import numpy as np
import regex
from numpy.typing import NDArray

from tokenizer_core.cutter import Cutter, cutter_of, is_compiled, is_named
from tokenizer_core.errors import TextError
from tokenizer_core.patterns import SPLIT_PATTERNS, pattern_source, pretokenize_each

AT_ONCE = 1_000_000
"""Bytes. Short texts are cut together, up to so many, because each call of compiled code takes 0.01 ms."""
# No white space is ASCII from "!" on, or begins with the byte 0xE0 or one above 0xE3.
_SAFE = regex.compile(rb"(?<=[!-~]|[\xe0\xe4-\xef][\x80-\xbf]{2})\n(?=[!-.0-~\xe0\xe4-\xf4])")


class PretokenCounts(NamedTuple):
    """Distinct pretokens in order of first appearance, without a string for each, which would take longer."""

    text: NDArray[np.uint8]
    """Their bytes, end to end."""
    ends: NDArray[np.int64]
    """Where each ends in `text`."""
    counts: NDArray[np.int64]
    """How often each occurs."""

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Self:
        """Return counted strings as arrays.

        >>> PretokenCounts.of({"ab": 3, "ก": 1}).ends
        array([2, 5])
        """
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
    if is_compiled(pattern):
        counted = counted_pretokens(texts, pattern)
        return Counter(dict(zip(counted.strings(), counted.counts.tolist())))
    counts: Counter[str] = Counter()
    for pretokens in pretokenize_each(map(check_text, _listed(texts)), pattern):
        counts.update(pretokens)
    return counts


def counted_pretokens(texts: str | Iterable[str], pattern: str, *, threads: int = 1) -> PretokenCounts:
    """Do the same as `count_pretokens`, in arrays; most patterns take a sixth of the time of `regex`.

    Several threads count several parts of the texts at once, with the same result.

    >>> counted_pretokens(["a cat", "a dog"], "mark_aware").counts
    array([2, 1, 1])
    """
    if not is_compiled(pattern):
        return PretokenCounts.of(count_pretokens(texts, pattern))
    if threads > 1:
        return _counted_at_once(list(_listed(texts)), pattern, threads)
    return PretokenCounts(*_counted(_listed(texts), pattern).pretokens())


def _counted(texts: Iterable[str | bytes], pattern: str) -> Cutter:
    cutter = cutter_of(pattern)
    for batch in _batches(texts):
        cutter.add(batch)
    return cutter


def _counted_at_once(texts: list[str], pattern: str, threads: int) -> PretokenCounts:
    """Give each thread a stretch of the texts, of about the same length, and add up in the order of the texts.

    Only a text that is long among them is parted, and so encoded, beforehand. Each thread encodes the others when
    it comes to them: the bytes of all of them at once would be new memory, which takes a tenth of the time.
    """
    long = sum(map(len, texts)) / (8 * threads)
    parts: list[str | bytes] = []
    for text in texts:
        parts += parts_of(utf8(text), pattern) if len(text) > long else [text]
    sizes = np.cumsum([0, *map(len, parts)])
    edges = sizes.searchsorted(np.arange(threads + 1) * (sizes[-1] / threads)).tolist()
    stretches = [parts[start:end] for start, end in zip(edges, edges[1:])]
    with ThreadPoolExecutor(threads) as pool:
        first, *others = pool.map(_counted, stretches, [pattern] * threads)
    for cutter in others:
        first.add_counted(cutter)
    return PretokenCounts(*first.pretokens())


def parts_of(text: bytes, pattern: str, size: int | None = None) -> list[bytes]:
    """Part a long text where no pretoken of a named pattern can span: after a line end between two other signs.

    Neither sign may be white space, which line ends join, and the second no slash, which o200k joins to them. By a
    pattern of one's own a text stays whole: nobody knows what may span.

    >>> parts_of(b"one\\n\\ntwo\\nthree", "gpt2", size=2)
    [b'one\\n\\ntwo\\n', b'three']
    """
    if not is_named(pattern) or pattern_source(pattern) == SPLIT_PATTERNS["none"]:
        return [text]
    parts, start = [], 0
    while place := _SAFE.search(text, start + (AT_ONCE if size is None else size)):
        parts.append(text[start : place.end()])
        start = place.end()
    return [*parts, text[start:]]


def number_pretokens(texts: str | Iterable[str], pattern: str) -> NumberedPretokens:
    """Number the distinct pretokens of the texts in order of first appearance; say which stands at each place.

    >>> numbered = number_pretokens(["a cat a", "", "a dog"], "mark_aware")
    >>> numbered.places.tolist(), numbered.text_ends.tolist(), numbered.distinct.strings()
    ([0, 1, 2, 0, 3], [3, 3, 5], ['a', ' cat', ' a', ' dog'])
    """
    if not is_compiled(pattern):
        return _numbered_by_regex(texts, pattern)
    cutter = cutter_of(pattern)
    numbered = [cutter.number(batch) for batch in _batches(_listed(texts))]
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


def _batches(texts: Iterable[str | bytes]) -> Iterator[list[bytes]]:
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
        raise TextError(
            f"the text must be valid Unicode; character {error.start} is the lone surrogate {surrogate}",
            "lone_surrogate",
            position=error.start,
            surrogate=surrogate,
        ) from None


def check_text(text: str) -> str:
    """Return the text; raise `TextError` if it holds a lone surrogate, which has no UTF-8 bytes.

    >>> check_text("half an emoji: \\ud83d")
    Traceback (most recent call last):
    tokenizer_core.errors.TextError: the text must be valid Unicode; character 15 is the lone surrogate U+D83D
    """
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
