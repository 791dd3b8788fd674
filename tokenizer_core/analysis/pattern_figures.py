"""Figures of a split pattern on texts: its pretokens, and the letters and words that it cuts."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from tokenizer_core.analysis.segmenters import Segmenter, word_spans
from tokenizer_core.bpe.segments import Flags, Ints, TextMap
from tokenizer_core.kernels.compiled import are_ready
from tokenizer_core.patterns.cutter import cutter_of, is_compiled, is_named
from tokenizer_core.patterns.pretokens import PretokenCounts, check_text
from tokenizer_core.patterns.safe_places import chunks_of
from tokenizer_core.patterns.split_patterns import BATCH, batches

CHUNK_BYTES = 2**20
"""Text that is cut between two reports of progress."""
WORTH = 2**18
"""Characters. Less text is cut by `regex`, which is faster than loading compiled code."""
# A line, or about two thousand characters of it, up to the next white space.
_STRETCH = regex.compile(r"[^\n]{1,2000}\S{0,8000}\n?|\n")


class PatternFigures(NamedTuple):
    """The figures of a pattern on texts. A share of nothing is None."""

    pretokens: int
    distinct: int
    longest: str
    """The first of the pretokens with the most characters."""
    characters: int
    clusters_cut: float | None
    """The share of grapheme clusters with a cut inside."""
    thai_clusters_cut: float | None
    words_cut: float | None
    """The share of words with a cut inside; also None without a segmenter."""
    seconds: float
    """Time spent on cutting."""
    lossless: bool = True
    """Whether the pretokens join to the texts: always true, but checked."""
    thai_letters_cut: int = 0
    """How many grapheme clusters with Thai characters have a cut inside."""

    @property
    def characters_per_pretoken(self) -> float | None:
        """The limit of compression: no tokenizer with this pattern can have more characters per token."""
        return self.characters / self.pretokens if self.pretokens else None


def pattern_figures(
    texts: str | Iterable[str], pattern: str, *, segmenter: Segmenter | None = None
) -> PatternFigures:
    """Compute the figures of a pattern on texts, each cut separately; raise `PatternError` as `pretokenize` does.

    >>> figures = pattern_figures("ที่นี่ ok", "llama3")
    >>> figures.pretokens, figures.longest, figures.thai_clusters_cut, figures.characters_per_pretoken
    (5, ' ok', 1.0, 1.8)
    """
    tally = PatternTally(pattern, segmenter)
    for text in [texts] if isinstance(texts, str) else texts:
        for _ in tally.add(text):
            pass
    return tally.figures()


@dataclass
class PatternTally:
    """Counts the figures of a pattern text by text and piece by piece, so that the caller can report progress."""

    pattern: str
    segmenter: Segmenter | None = None
    characters: int = 0
    """Characters cut so far."""
    searched: int = 0
    """Characters searched for words so far."""
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    lossless: bool = True
    _compiled: "_CompiledCut | None" = None
    cut: dict[str, list[int]] = field(
        default_factory=lambda: {"clusters": [0, 0], "thai": [0, 0], "words": [0, 0]}
    )
    """For each kind, how many have a cut inside, and how many there are."""

    def add(self, text: str) -> Iterator[None]:
        """Count a text; yield after each piece, so that the caller can report progress."""
        lengths: list[Ints] = []
        done = 0
        check_text(text)
        cut = self._cut(text)
        started = time.perf_counter()
        for characters, batch in cut:
            self.seconds += time.perf_counter() - started
            self.counts.update(batch)
            self.lossless &= text.startswith("".join(batch), done)
            lengths.append(np.fromiter(map(len, batch), dtype=np.int64, count=len(batch)))
            done += int(lengths[-1].sum())
            self.characters += characters
            yield
            started = time.perf_counter()
        self.lossless &= done == len(text)
        if text:
            cuts = np.cumsum(np.concatenate(lengths))[:-1]
            self._count_cut_clusters(text, cuts)
            if self.segmenter is not None:
                yield from self._count_cut_words(text, cuts, self.segmenter)

    def _cut(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of characters newly cut, and pretokens newly known."""
        is_worth = self.characters + len(text) >= WORTH
        if self._compiled is None and is_worth and are_ready() and is_compiled(self.pattern):
            self._compiled = _CompiledCut(self.pattern)
        if self._compiled is None:
            return ((sum(map(len, batch)), batch) for batch in batches(text, self.pattern))
        return self._compiled.cut(text)

    def _count_cut_clusters(self, text: str, cuts: Ints) -> None:
        """Count the clusters with a cut inside, for cuts before these characters."""
        text_map = TextMap(text)
        starts = text_map.cluster_starts[:-1]
        thai = (text_map.code_points >= 0x0E00) & (text_map.code_points <= 0x0E7F)
        is_thai = np.logical_or.reduceat(thai, np.flatnonzero(starts))
        torn = np.zeros_like(is_thai)
        torn[np.cumsum(starts)[cuts[~starts[cuts]]] - 1] = True
        for name, of in (("clusters", np.ones_like(is_thai)), ("thai", is_thai)):
            self._note(name, torn & of, of)

    def _count_cut_words(self, text: str, cuts: Ints, segmenter: Segmenter) -> Iterator[None]:
        """Count the words with a cut inside, in stretches, because Thai segmenters slow down on longer texts."""
        for stretch in _STRETCH.finditer(text):
            spans = word_spans(stretch[0], segmenter) + stretch.start()
            inside = np.searchsorted(cuts, spans[:, 1]) > np.searchsorted(cuts, spans[:, 0], side="right")
            self._note("words", inside, np.ones_like(inside))
            self.searched += len(stretch[0])
            yield

    def _note(self, name: str, torn: Flags, of: Flags) -> None:
        self.cut[name][0] += int(np.count_nonzero(torn))
        self.cut[name][1] += int(np.count_nonzero(of))

    def figures(self) -> PatternFigures:
        """Return the figures counted so far."""
        shares = {name: torn / of if of else None for name, (torn, of) in self.cut.items()}
        return PatternFigures(
            self.counts.total(),
            len(self.counts),
            max(self.counts, key=len, default=""),
            self.characters,
            shares["clusters"],
            shares["thai"],
            shares["words"],
            self.seconds,
            self.lossless,
            self.cut["thai"][0],
        )


class _CompiledCut:
    """Cuts texts in compiled code; makes one string for each distinct pretoken."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._cutter = cutter_of(pattern)
        self._cutter.add([b"a"])  # load the code before time is measured
        self._known: list[str] = []

    def cut(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of characters newly cut, and pretokens newly known."""
        whole = text.encode()
        # Only named patterns are cut in chunks: in a chunk, an error of `regex` would name the wrong place.
        blocks = (whole[start : start + CHUNK_BYTES] for start in range(0, len(whole), CHUNK_BYTES))
        chunks = chunks_of(blocks, self._pattern, size=CHUNK_BYTES) if is_named(self._pattern) else [whole]
        for chunk in chunks:
            numbering, done = self._cutter.numbering(chunk), 0
            while True:
                try:
                    more = next(numbering)
                except StopIteration as end:
                    places: NDArray[np.int32] = end.value
                    break
                yield len(chunk[done : done + more].decode()), []
                done += more
            self._known += PretokenCounts(*self._cutter.pretokens(since=len(self._known))).strings()
            for start in range(0, places.size, BATCH):
                yield 0, [self._known[place] for place in places[start : start + BATCH].tolist()]
