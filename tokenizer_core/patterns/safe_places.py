"""Where a long text can be cut so that no pretoken spans the cut: texts are read and counted in chunks.

For user-written patterns, a place between two characters must be proved safe: what a match asks for after the
first character has the same answer if the text ends there. So no part that takes the first may be followed by a
part that takes the second, looks for it, or asks for the end of the text. And a match can begin at the second, so
that a gap ends before it. The proof looks at the classes of neighboring parts only: it may miss a safe place, and
never accepts an unsafe one.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import regex

from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns.cutter import is_named
from tokenizer_core.patterns.program import (
    Asked,
    Characters,
    Choice,
    End,
    Part,
    Repeat,
    classes_of,
    edges_of,
    kinds_of,
    parts_of_pattern,
)
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, compile_pattern, pattern_source

CHUNK_BYTES = 2**23
MAX_CHUNK_BYTES = 2**28
"""A text with more bytes between two safe places is refused: a chunk must fit in memory."""
_WINDOW = 2**16
# No named pattern joins a space to what is before it, unless that is white space. No white space is ASCII from "!"
# on, or begins with the byte 0xE0 or one above 0xE3. Signs join the line ends after them; letters, digits do not.
_BEFORE_SPACE = rb"(?<=[!-~]|[\xe0\xe4-\xef][\x80-\xbf]{2})(?= )"
_BEFORE_LINE_END = rb"(?<=[0-9A-Za-z])(?=\n)"
# The characters on both sides of these places, for which a user-written pattern must be proved safe.
_NEIGHBOURS = {
    _BEFORE_SPACE: (r"[!-~\u0800-\u0fff\u4000-\uffff]", " "),
    _BEFORE_LINE_END: ("[0-9A-Za-z]", r"\n"),
}
_LINES = regex.compile(rb"(?<=\n)")


def places_in(pattern: str, boundaries: str = "file") -> regex.Pattern[bytes] | None:
    """Return a regular expression that finds the safe places; None if none are known for this pattern."""
    return _LINES if boundaries == "line" else _places(pattern_source(pattern))


@lru_cache(maxsize=64)
def _places(source: str) -> regex.Pattern[bytes] | None:
    if source == SPLIT_PATTERNS["none"]:
        return None
    found = [
        place for place, sides in _NEIGHBOURS.items() if is_named(source) or can_be_cut_between(source, *sides)
    ]
    return regex.compile(b"|".join(found)) if found else None


def safe_place(text: bytes | bytearray, pattern: str, boundaries: str = "file") -> int:
    """Return the last place where a text can be cut; 0 if there is none.

    Named patterns have such places, "none" excepted, and user-written patterns have those that are proved. If each
    line is a text, the places are between lines.

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
        # A window has three more bytes on each side, because a place depends on its neighbors.
        start = max(0, end - _WINDOW)
        found = [match.start() for match in places.finditer(text, max(0, start - 3), min(len(text), end + 1))]
        if found and found[-1] > 0:
            return int(found[-1])
        end = start
    return 0


def parts_of(text: bytes, pattern: str, size: int) -> list[bytes]:
    """Cut a text at safe places into parts of `size` bytes or a little more; without such places it stays whole.

    Only named patterns cut here: an error of a user-written pattern names its place in the whole text.

    >>> parts_of(b"one two three four", "gpt2", size=5)
    [b'one two', b' three', b' four']
    """
    places, parts, start = places_in(pattern) if is_named(pattern) else None, [], 0
    while places and (place := places.search(text, start + max(size, 1))):
        parts.append(text[start : place.start()])
        start = place.start()
    return [*parts, text[start:]]


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
        return CorpusError("line_long", megabytes=megabytes)
    if places_in(pattern):
        return CorpusError("no_safe_place", megabytes=megabytes)
    return CorpusError("text_whole_large", megabytes=megabytes)


def can_be_cut_between(source: str, before: str, after: str) -> bool:
    r"""Tell whether it is proved that a text can be cut between any characters of two classes.

    >>> can_be_cut_between(r"\w+|\s+", "[a-z]", " "), can_be_cut_between(r"\w+ |\s+", "[a-z]", " ")
    (True, False)
    >>> can_be_cut_between(r"\w+", "[a-z]", " "), can_be_cut_between(r"\w+$|\s|\w", "[a-z]", " ")
    (False, False)
    """
    part = parts_of_pattern(compile_pattern(source).pattern)
    if part is None:
        return False
    sides = [Characters(before, ""), Characters(after, "")]
    classes = list(dict.fromkeys([*sides, *classes_of(part)]))
    known = kinds_of(classes)
    if known is None:
        return False
    kinds_in = dict(zip(classes, known[1]))
    first, second = (kinds_in[side] for side in sides)
    pairs: set[tuple[Characters, Asked]] = set()
    edges_of(part, pairs)
    for taken, asked in pairs:
        if (kinds_in[taken] & first).any() and (isinstance(asked, End) or (kinds_in[asked] & second).any()):
            return False
    return any(not (second & ~kinds_in[each]).any() for each in _matching_alone(part))


def _matching_alone(part: Part) -> list[Characters]:
    """Return the classes whose single characters are a match."""
    match part:
        case Characters() | Repeat(Characters(), 0 | 1):
            return classes_of(part)
        case Choice(parts):
            return [each for alternative in parts for each in _matching_alone(alternative)]
        case _:
            return []
