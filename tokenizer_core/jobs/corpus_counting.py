"""Count the corpus of a training within its process, and say how far it is."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from tokenizer_core.counting.safe_places import safe_place
from tokenizer_core.cutter import Cutter, cutter_of, is_compiled
from tokenizer_core.patterns import batches, pretokenize_each
from tokenizer_core.pretokens import PretokenCounts

PART_BYTES = 2**21
SAID_SECONDS = 0.25
"""Time between two reports."""
Tell = Callable[[int, int, float], None]
"""Takes the bytes counted so far, all bytes, and the seconds that this took."""


def counted_corpus(texts: Sequence[bytes], pattern: str, tell: Tell) -> PretokenCounts:
    """Count the pretokens of texts as `counted_pretokens` does, from their UTF-8, and tell how far it is.

    >>> counted_corpus([b"a cat", b"a dog"], "mark_aware", lambda done, all_bytes, seconds: None).counts
    array([2, 1, 1])
    """
    size, done = sum(map(len, texts)), 0
    started = said = time.monotonic()
    cutter, counts = cutter_of(pattern) if is_compiled(pattern) else None, Counter[str]()
    tell(0, size, 0.0)
    for more in _counted_by_regex(texts, pattern, counts) if cutter is None else _counted(texts, pattern, cutter):
        done += more
        now = time.monotonic()
        if now - said >= SAID_SECONDS:
            said = now
            tell(done, size, now - started)
    return PretokenCounts.of(counts) if cutter is None else PretokenCounts(*cutter.pretokens())


def _counted(texts: Iterable[bytes], pattern: str, cutter: Cutter) -> Iterator[int]:
    """Count in compiled code, and yield how many bytes more are counted."""
    for part in _each_part(texts, pattern):
        yield from cutter.adding([part])


def _each_part(texts: Iterable[bytes], pattern: str) -> Iterator[bytes]:
    """Yield parts that no pretoken spans; a text without a safe place stays whole."""
    for text in texts:
        start, size = 0, PART_BYTES
        while len(text) - start > size:
            if place := safe_place(text[start : start + size], pattern):
                yield text[start : start + place]
                start, size = start + place, PART_BYTES
            else:
                size *= 2
        yield text[start:]


def _counted_by_regex(texts: Sequence[bytes], pattern: str, counts: Counter[str]) -> Iterator[int]:
    """Do the same by `regex`: one text in batches, several one after the other."""
    strings = (text.decode("utf-8") for text in texts)
    each = batches(next(strings), pattern) if len(texts) == 1 else pretokenize_each(strings, pattern)
    for pretokens in each:
        counts.update(pretokens)
        yield len("".join(pretokens).encode("utf-8"))
