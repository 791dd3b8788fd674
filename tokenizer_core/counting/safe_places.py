"""Where a long text can be cut so that no pretoken spans the cut: texts are read and counted in chunks."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import regex

from tokenizer_core.cutter import is_named
from tokenizer_core.errors import CorpusError
from tokenizer_core.own_patterns.places import can_be_cut_between
from tokenizer_core.patterns import SPLIT_PATTERNS, compile_pattern, pattern_source

CHUNK_BYTES = 2**23
MAX_CHUNK_BYTES = 2**28
"""A text in which no safe place is found within so many bytes is refused: a chunk must fit in memory."""
_WINDOW = 2**16
# No named pattern joins a space to what stands before it, unless that is white space. No white space is ASCII
# from "!" on, or begins with the byte 0xE0 or one above 0xE3. Signs take line ends with them; letters and digits
# do not.
_BEFORE_SPACE = rb"(?<=[!-~]|[\xe0\xe4-\xef][\x80-\xbf]{2})(?= )"
_BEFORE_LINE_END = rb"(?<=[0-9A-Za-z])(?=\n)"
# By a pattern of one's own, the same places, if it is proved for these characters that it joins none of them.
_NEIGHBOURS = {
    _BEFORE_SPACE: (r"[!-~\u0800-\u0fff\u4000-\uffff]", " "),
    _BEFORE_LINE_END: ("[0-9A-Za-z]", r"\n"),
}
_LINES = regex.compile(rb"(?<=\n)")


def places_in(pattern: str, boundaries: str = "file") -> regex.Pattern[bytes] | None:
    """Return what finds the places to cut; None if nobody knows where a text can be cut by this pattern."""
    if boundaries == "line":
        return _LINES
    return _places(pattern_source(pattern))


@lru_cache(maxsize=64)
def _places(source: str) -> regex.Pattern[bytes] | None:
    found = [place for place, neighbours in _NEIGHBOURS.items() if _can_be_cut(source, *neighbours)]
    return regex.compile(b"|".join(found)) if found else None


def _can_be_cut(source: str, before: str, after: str) -> bool:
    if is_named(source):
        return source != SPLIT_PATTERNS["none"]
    return can_be_cut_between(compile_pattern(source).pattern, before, after)


def safe_place(text: bytes | bytearray, pattern: str, boundaries: str = "file") -> int:
    """Return the last place where a text can be cut; 0 if there is none.

    A text is cut by named patterns but "none", and by those of one's own for which it is proved that no pretoken
    spans the place; where each line is a text, it is cut between lines.

    >>> safe_place(b"one two\\nthree", "gpt2"), safe_place(b"one two", "none"), safe_place(b"one two", r"\\w+|\\s")
    (7, 0, 3)
    >>> safe_place(b"a\\nb", "none", "line")
    2
    """
    places = places_in(pattern, boundaries)
    if places is None:
        return 0
    if places is _LINES:
        return text.rfind(b"\n") + 1  # a hundred times faster in a text without one
    end = len(text)
    while end > 0:
        # A window has three bytes more on each side than it looks at, because a place is told by its neighbours.
        start = max(0, end - _WINDOW)
        found = [match.start() for match in places.finditer(text, max(0, start - 3), min(len(text), end + 1))]
        if found and found[-1] > 0:
            return int(found[-1])
        end = start
    return 0


def chunks_of(
    blocks: Iterable[bytes], pattern: str, boundaries: str = "file", *, size: int = CHUNK_BYTES
) -> Iterator[bytes]:
    """Join the blocks of a text, and cut it anew into chunks of about `size` bytes that no pretoken spans.

    Raises `CorpusError` if there is no place to cut within `MAX_CHUNK_BYTES`.

    >>> [*chunks_of([b"one t", b"wo thr", b"ee"], "gpt2", size=4)]
    [b'one', b' two', b' three']
    """
    held = bytearray()
    wanted = size
    for block in blocks:
        held += block
        if len(held) < wanted:
            continue
        if place := safe_place(held, pattern, boundaries):
            yield bytes(held[:place])
            del held[:place]
            wanted = size
        elif len(held) > MAX_CHUNK_BYTES:
            raise _nowhere_to_cut(pattern, boundaries)
        else:
            wanted = min(2 * len(held), MAX_CHUNK_BYTES)  # so that a long run is searched a few times only
    if held:
        yield bytes(held)


def _nowhere_to_cut(pattern: str, boundaries: str) -> CorpusError:
    megabytes = MAX_CHUNK_BYTES // 2**20
    if boundaries == "line":
        return CorpusError(
            f"a line must have at most {megabytes:,} MB; one is longer", "line_long", megabytes=megabytes
        )
    if places_in(pattern):
        return CorpusError(
            f"a text must have a space or a line end after a letter at least every {megabytes:,} MB;"
            " without one it cannot be counted in parts, and may be one huge pretoken",
            "no_safe_place",
            megabytes=megabytes,
        )
    return CorpusError(
        f"by this split pattern a text must have at most {megabytes:,} MB, because nobody knows where it can be"
        " cut; with --boundaries line each line is a text",
        "text_whole_large",
        megabytes=megabytes,
    )
