"""Split patterns: the regular expressions that cut text into pretokens before any merge."""

import math
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeVar

import regex

from tokenizer_core.errors import PatternError

SPLIT_PATTERNS: dict[str, str] = {
    "gpt2": r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    "cl100k": (
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"""
        r"""| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
    ),
    "llama3": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "o200k": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    # Llama 3's pattern, but combining marks count as parts of words, so Thai words stay whole.
    "mark_aware": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{M}\p{N}]?[\p{L}\p{M}]+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    # One match for the whole text. It is possessive, so a text of megabytes leaves no backtracking stack.
    "none": r"(?s:.++)",
}

SUPERWORDS = r"\p{N}{1,3}|[^\r\n\p{N}]+|[\r\n]+"
"""Cuts only at line breaks and digits, so that tokens may cross spaces."""
THEN = "(?#then)"
"""Between the steps of a pattern: each step cuts what the step before it made, each piece as a text of its own. To
`regex` it is a comment."""
MAX_PATTERN_LENGTH = 2_000
"""Characters. The longest named pattern has about 400; compile time and memory grow with length."""
MAX_UNROLLED_LENGTH = 1_000_000
"""Characters of a pattern after `regex` writes out its repeats: a million take 0.3 s and 270 MB."""

_CALL = regex.compile(r"\(\?(?:R|[-+]?[0-9]|&|P>)")
"""Finds the places where a pattern calls a group or itself."""
_REPEAT = regex.compile(r"\{((?:[0-9\s]|#.*)+)")  # (?x) allows white space and comments in {10}

HELD_CHARACTERS = 1_000_000
"""Characters. A text up to this long is cut in one go, and other threads wait at most 50 ms."""
BATCH = 50_000
"""Pretokens in one batch of `batches`."""

Mark = TypeVar("Mark")


def pattern_source(pattern: str) -> str:
    """Return the regular expression behind a name in `SPLIT_PATTERNS`; return any other pattern as it is."""
    return SPLIT_PATTERNS.get(pattern, pattern)


def steps_of(pattern: str) -> list[str]:
    """Return the regular expressions of a pattern, which cut one after the other; most patterns have one.

    >>> steps_of("gpt2") == [SPLIT_PATTERNS["gpt2"]], steps_of(f"[0-9]{THEN}[a-z]+")
    (True, ['[0-9]', '[a-z]+'])
    """
    return pattern_source(pattern).split(THEN)


def pretokenize(text: str, pattern: str) -> list[str]:
    """Cut `text` into pretokens; `pattern` is a name in `SPLIT_PATTERNS` or a regular expression.

    Text between two matches becomes its own pretoken, so `"".join(pretokenize(text, pattern)) == text`
    for every pattern. Raises `PatternError` if the pattern does not compile or is too slow on this text.

    >>> pretokenize("กำลังเรียน at 9 am", "mark_aware")
    ['กำลังเรียน', ' at', ' ', '9', ' am']
    >>> pretokenize("one, two", "[a-z]+")
    ['one', ', ', 'two']
    >>> pretokenize("one12 two", f"[0-9]{THEN} ?[a-z]+")
    ['one', '1', '2', ' two']
    """
    return next(pretokenize_each([text], pattern))


def pretokenize_each(texts: Iterable[str], pattern: str) -> Iterator[list[str]]:
    """Yield the pretokens of each text, as `pretokenize` cuts it; all texts together have one time budget.

    So a pattern that is just quick enough on each of 500 lines does not take minutes.
    """
    compiled = compile_pattern(pattern)
    steps = steps_of(pattern)
    if len(steps) > 1:
        yield from _in_steps(texts, steps)
        return
    if compiled.pattern in SPLIT_PATTERNS.values():
        # Named patterns take linear time and leave no gaps; a time limit would make them three times slower.
        # Letting other threads run between matches makes them a quarter slower, so only long texts do it.
        for text in texts:
            yield compiled.findall(text, concurrent=len(text) > HELD_CHARACTERS)
        return
    characters, spent = 0, 0.0
    for text in texts:
        characters += len(text)
        start = time.process_time()  # what the timeout of `regex` counts
        # A pattern with (?r) searches backwards.
        matches = sorted(match.span() for match in search(compiled, text, characters=characters, spent=spent))
        spent += time.process_time() - start
        yield [text[start:end] for start, end, _ in with_gaps(((*span, None) for span in matches), len(text))]


def _in_steps(texts: Iterable[str], steps: Sequence[str]) -> Iterator[list[str]]:
    """Yield the pretokens of each text, cut by one step after the other; each step has one time budget."""
    waiting: deque[str] = deque()
    cutters = [pretokenize_each(iter(waiting.popleft, None), step) for step in steps]
    for text in texts:
        pieces = [text]
        for cutter in cutters:
            waiting.extend(pieces)
            pieces = [piece for cut in islice(cutter, len(pieces)) for piece in cut]
        yield pieces


def batches(text: str, pattern: str) -> Iterator[list[str]]:
    """Yield the pretokens of `pretokenize`, 50,000 at a time, so that the caller can report progress."""
    compiled = compile_pattern(pattern)
    if compiled.flags & regex.REVERSE or len(steps_of(pattern)) > 1:
        yield pretokenize(text, pattern)  # its matches come from the end of the text, or in several steps
        return
    spans = ((*match.span(), None) for match in search(compiled, text))
    pretokens = (text[start:end] for start, end, _ in with_gaps(spans, len(text)))
    while batch := list(islice(pretokens, BATCH)):
        yield batch


def search(
    compiled: regex.Pattern[str], text: str, *, characters: int | None = None, spent: float = 0.0
) -> Iterator[regex.Match[str]]:
    """Yield each match of a pattern while other threads run; raise `PatternError` after `time_budget`.

    For one of many texts, `characters` counts those of all so far; they have taken `spent` seconds.
    """
    end, seconds = 0, time_budget(len(text) if characters is None else characters, compiled.pattern)
    try:
        for match in compiled.finditer(text, timeout=max(seconds - spent, 0.001), concurrent=True):
            yield match
            end = match.end()
    except (TimeoutError, MemoryError) as error:
        raise given_up(text, compiled.pattern, end, error, seconds) from None


def with_gaps(matches: Iterable[tuple[int, int, Mark]], length: int) -> Iterator[tuple[int, int, Mark | None]]:
    """Yield each match as (start, end, mark), and each gap between matches with the mark None.

    Leaves out empty matches, and matches that start before the previous one ends.

    >>> list(with_gaps([(1, 2, "x"), (2, 2, "y")], 3))
    [(0, 1, None), (1, 2, 'x'), (2, 3, None)]
    """
    end = 0
    for start, stop, mark in matches:
        if stop <= start or start < end:
            continue
        if start > end:
            yield end, start, None
        yield start, stop, mark
        end = stop
    if end < length:
        yield end, length, None


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern; if it does not compile, raise a `PatternError` that says where and why.

    >>> compile_pattern("(a")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tokenizer_core.errors.PatternError: The split pattern must be ..., but at character 3, a closing ) is missing.
    """
    source = pattern_source(pattern)
    if len(source) > MAX_PATTERN_LENGTH:
        raise PatternError("pattern_long", limit=MAX_PATTERN_LENGTH, length=len(source))
    if unrolled_length(source) > MAX_UNROLLED_LENGTH:
        raise PatternError("pattern_complex")
    if surrogate := regex.search("[\ud800-\udfff]", source):  # it could not be saved
        raise PatternError("pattern_syntax", why="lone surrogate", position=surrogate.start())
    try:
        for step in steps_of(source):
            regex.compile(step)
        return regex.compile(source)
    except regex.error as error:
        raise PatternError("pattern_syntax", why=error.msg, position=error.pos) from None
    except (RecursionError, OverflowError, MemoryError, ValueError):
        raise PatternError("pattern_complex") from None


def unrolled_length(source: str) -> float:
    """Return an upper bound for the length of a pattern with its repeats written out.

    Repeats nest only across a closing parenthesis, so the largest count between two of these is enough.

    >>> unrolled_length("(a{10}b{5}){20}")
    3000.0
    """
    largest: dict[int, float] = {}
    for repeat in _REPEAT.finditer(source, overlapped=True):
        stretch = source.count(")", 0, repeat.start())
        count = float(regex.sub("[^0-9]", "", repeat[1]) or 1)
        largest[stretch] = max(1.0, count, largest.get(stretch, 1.0))
    return len(source) * math.prod(largest.values())


def time_budget(characters: int, pattern: str) -> float:
    """Return the seconds a split pattern may take: 2, plus 2 per million characters; a tenth if it calls itself.

    The named patterns take 0.06 s per million characters, so an honest pattern has thirty times what they need.
    A pattern that calls itself without end takes about 150 MB in 0.2 s, and over 500 MB in two seconds.
    """
    seconds = 2 + 2 * characters / 1_000_000
    return seconds / 10 if _CALL.search(pattern_source(pattern)) else seconds


def given_up(
    text: str, pattern: str, position: int, error: TimeoutError | MemoryError, seconds: float
) -> PatternError:
    """Return the error for a pattern that ran out of seconds or memory after a match that ended at `position`."""
    excerpt = text[position : position + 20]
    if isinstance(error, MemoryError) or _CALL.search(pattern_source(pattern)):
        return PatternError("pattern_memory")
    return PatternError("pattern_slow", seconds=round(seconds, 1), position=position, excerpt=excerpt)
