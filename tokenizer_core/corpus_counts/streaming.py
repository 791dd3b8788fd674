"""Count the pretokens of files of any size on several cores; memory grows with distinct pretokens only."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import regex

from tokenizer_core.corpus_counts.counts import Boundaries, Counts, CountsRecipe
from tokenizer_core.errors import CorpusError, PatternError
from tokenizer_core.patterns.cutter import Tally, cutter_of, is_compiled
from tokenizer_core.patterns.pretokens import PretokenCounts
from tokenizer_core.patterns.safe_places import CHUNK_BYTES, chunks_of
from tokenizer_core.patterns.split_patterns import batches, compile_pattern, pattern_source, pretokenize_each
from tokenizer_core.readers.files import DETECT, Guess, Listener, Reading, Unreadable, blocks_of, readable

_LINE_END = regex.compile(rb"\r?\n")
_GROWTH = 3
"""While the table of pretokens grows, the old one and a new one of twice the size are in memory."""


@dataclass(frozen=True)
class CountingRules:
    """How pretokens are counted."""

    pattern: str = "mark_aware"
    """A name in `SPLIT_PATTERNS`, or a regular expression."""
    boundaries: Boundaries = "file"
    min_count: int = 1
    """Pretokens that occur less often are dropped."""
    memory_bytes: int | None = None
    """Memory for distinct pretokens. When they need more, the rare ones are dropped, or counting ends."""
    threads: int = 1
    chunk_bytes: int = CHUNK_BYTES


@dataclass(frozen=True)
class Chunk:
    """A part of a text that no pretoken spans, as UTF-8."""

    text: bytes
    starts_text: bool = True
    name: str | None = None
    """The file, for an error that names it."""
    at: int = 0
    """Where the chunk begins in the text of the file, in bytes."""


def count_files(
    names: Sequence[str],
    rules: CountingRules,
    reading: Reading = DETECT,
    *,
    skipped: list[Unreadable] | None = None,
    listener: Listener = lambda read: None,
    guessed: Callable[[str, Guess], None] = lambda name, guess: None,
) -> Counts:
    """Count the pretokens of files, each a text of its own; "-" is the standard input.

    A file that cannot be read is added to `skipped`, and all of it is left out; if `skipped` is None, raises a
    `TokenizerError` that names it. `guessed` is called with the name of a file and each guess about it.
    """
    compile_pattern(rules.pattern)

    def chunks_in(name: str) -> Iterator[Chunk]:
        with readable(name, skipped):
            blocks = blocks_of(name, reading, listener=listener, guessed=partial(guessed, name))
            yield from _text_chunks(name, blocks, rules)

    if skipped is None:
        return count_chunks((chunk for name in names for chunk in chunks_in(name)), rules)
    if rules.memory_bytes is not None:  # one half for a file, one for all before it
        rules = replace(rules, memory_bytes=rules.memory_bytes // 2)
    total = RunningTotal(rules)
    for name in names:
        before = len(skipped)
        counts = _added_up(chunks_in(name), rules).so_far()
        if len(skipped) == before:
            total.add(counts)
    if len(skipped) == len(names):
        raise CorpusError("no_file_readable", why=skipped[0].why)
    return total.counts()


def _text_chunks(name: str, blocks: Iterable[bytes], rules: CountingRules) -> Iterator[Chunk]:
    at = 0
    for text in chunks_of(blocks, rules.pattern, rules.boundaries, size=rules.chunk_bytes):
        yield Chunk(text, starts_text=at == 0, name=name, at=at)
        at += len(text)


def count_chunks(chunks: Iterable[Chunk], rules: CountingRules) -> Counts:
    """Count chunks, several at once, and add them up in their order.

    >>> counts = count_chunks([Chunk(b"a cat"), Chunk(b" a dog", starts_text=False)], CountingRules("gpt2"))
    >>> counts.pretokens.strings(), counts.recipe.texts, counts.recipe.pretokens
    (['a', ' cat', ' a', ' dog'], 1, 4)
    """
    return _added_up(chunks, rules).counts()


def _added_up(chunks: Iterable[Chunk], rules: CountingRules) -> "RunningTotal":
    total = RunningTotal(rules)
    if rules.threads == 1 or not is_compiled(rules.pattern):  # `regex` counts its time limit in process time
        for chunk in chunks:
            total.add(counted_chunk(chunk, rules))
        return total
    waiting: deque[Future[Counts]] = deque()
    with ThreadPoolExecutor(rules.threads) as pool:
        try:
            for chunk in chunks:
                waiting.append(pool.submit(counted_chunk, chunk, rules))
                while len(waiting) > rules.threads or (waiting and waiting[0].done()):
                    total.add(waiting.popleft().result())
            while waiting:
                total.add(waiting.popleft().result())
        finally:
            pool.shutdown(cancel_futures=True)
    return total


def counted_chunk(chunk: Chunk, rules: CountingRules) -> Counts:
    """Count one chunk: as a part of a text, or line by line."""
    texts = [chunk.text]
    if rules.boundaries == "line":
        texts = _LINE_END.split(chunk.text)
        if not texts[-1]:
            texts.pop()
    pretokens = _counted_compiled(texts, rules) or PretokenCounts.of(_counted_by_regex(chunk, texts, rules))
    read = len(texts) if rules.boundaries == "line" else int(chunk.starts_text)
    return Counts.counted(pretokens, rules.pattern, boundaries=rules.boundaries, texts=read)


def _counted_compiled(texts: list[bytes], rules: CountingRules) -> PretokenCounts | None:
    """Count in compiled code; None if it cannot run the pattern, or gives up and `regex` is too slow."""
    if not is_compiled(rules.pattern):
        return None
    cutter = cutter_of(rules.pattern)
    try:
        cutter.add(texts)
    except PatternError:
        return None
    return PretokenCounts(*cutter.pretokens())


def _counted_by_regex(chunk: Chunk, texts: list[bytes], rules: CountingRules) -> Counter[str]:
    """Count within one time budget for the chunk; raise `PatternError`, which names the place of the slow text."""
    found: Counter[str] = Counter()
    line = 0
    try:
        if rules.boundaries == "file":
            for batch in batches(chunk.text.decode(), rules.pattern):
                found.update(batch)
            return found
        for pretokens in pretokenize_each((text.decode() for text in texts), rules.pattern):
            found.update(pretokens)
            line += 1
    except PatternError as error:
        if chunk.name is None:
            raise
        starts = [0, *(match.end() for match in _LINE_END.finditer(chunk.text))]
        place = f"{chunk.name}, from byte {chunk.at + starts[line]:,}" if chunk.at + line else chunk.name
        raise error.at(file=place) from None
    return found


class RunningTotal:
    """Adds up the counts of chunks in their order, and keeps them within the memory."""

    def __init__(self, rules: CountingRules) -> None:
        self._rules = rules
        self._tally = Tally()
        self._recipe = CountsRecipe(pattern_source(rules.pattern), rules.boundaries)

    def add(self, counts: Counts) -> None:
        """Add the counts of the next chunk; raise `CorpusError` if they need too much memory."""
        self._recipe = self._recipe.joined(counts.recipe)
        self._tally.add_counts(*counts.pretokens)
        limit = self._rules.memory_bytes
        if limit is not None and _GROWTH * self._tally.held_bytes > limit:
            if self._rules.min_count > 1:
                kept = self.counts()
                self._recipe, self._tally = kept.recipe, Tally()
                self._tally.add_counts(*kept.pretokens)
            if _GROWTH * self._tally.held_bytes > limit:
                distinct = self._tally.pretokens()[1].size
                raise CorpusError("counts_memory", megabytes=limit // 2**20, distinct=distinct)

    def counts(self) -> Counts:
        """Return the counts so far, without the rare ones."""
        return self.so_far().without_rare(self._rules.min_count)

    def so_far(self) -> Counts:
        """Return the counts so far, with the rare ones for which there was memory."""
        return Counts(PretokenCounts(*self._tally.pretokens()), self._recipe)
