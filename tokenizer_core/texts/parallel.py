"""Parallel texts: the same lines in several languages, read from files or a table, and their tokens.

Only `\\n` and `\\r\\n` end a line. An end at the very end of a file ends its last line and begins no other. An
empty line is a line like any other: it stays in its pair, and is counted and said.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np
import numpy.typing as npt

from tokenizer_core.errors import CorpusError
from tokenizer_core.measures.segmenters import Segmenter, word_spans
from tokenizer_core.segments import Ints, TextMap, TokenSource, token_lengths
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.encodings import decode_text
from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.tables import TableColumns, csv_columns, jsonl_columns, parquet_columns
from tokenizer_core.tokenizer import EncodedTexts

Floats = npt.NDArray[np.float64]
Joining = Literal["lines", "whole", "space"]
"""How lines become texts: each line by itself without its end; the whole file as it stands; or all lines in one
text with a space between two."""
JOININGS: tuple[Joining, ...] = get_args(Joining)
MAX_LANGUAGES = 20
MAX_PAIRS = 1_000_000
MAX_BYTES = 200 * 2**20
"""Of text that a packed table may hold."""
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
JSON_LINES = (".jsonl", ".ndjson", ".json")
PARQUET = ".parquet"
_BLOCK = 500_000
"""Characters that are measured at once: their maps take 50 MB."""
_SHIFTS = range(1, 11)
"""By so many lines one side may be late."""
_LEAST_SHIFTED = 20
_CAP = 1.5
_LEAST_GAIN = 6.0
"""So much better must the lengths of all these lines together fit; as a logarithm."""
_DOUBT = 0.05
"""What each line must gain: chance gains something, too."""


class LineEncoder(TokenSource, Protocol):
    """What counting needs of a tokenizer."""

    def encode_each(self, texts: Sequence[str], /) -> EncodedTexts: ...


class EmptyLines(NamedTuple):
    """Pairs in which a line holds nothing but white space."""

    all_sides: int
    some_sides: int
    first: int | None
    """The first pair in which some, but not all sides are empty; from 1 up."""


class Guess(NamedTuple):
    """A file that does not say how its letters are stored."""

    name: str
    encoding: str


@dataclass(frozen=True)
class Parallel:
    """The same lines in several languages: line n of each says the same."""

    names: tuple[str, ...]
    """What the languages are called: the names of files or of columns, each another."""
    lines: tuple[tuple[str, ...], ...] = field(repr=False)
    """For each language its lines, without their ends; a cell of a table counts as one line."""
    texts: tuple[str, ...] = field(repr=False)
    """For each language the whole file; of a table the cells with a line feed between two."""
    guesses: tuple[Guess, ...] = ()
    columns: tuple[str, ...] = ()
    """All columns of a table, of which `names` are those that were taken."""
    header: bool | None = None
    skipped_rows: int = 0
    first_skipped: int | None = None
    """The line of the first row of a table that is broken and left out, from 1 up."""

    @property
    def pairs(self) -> int:
        """Lines of each language."""
        return len(self.lines[0])

    @cached_property
    def empty(self) -> EmptyLines:
        """How many pairs have empty lines."""
        blank = np.array([[not line.strip() for line in side] for side in self.lines], dtype=np.bool_)
        every, some = blank.all(axis=0), blank.any(axis=0)
        lopsided = np.flatnonzero(some & ~every)
        first = int(lopsided[0]) + 1 if len(lopsided) else None
        return EmptyLines(int(np.count_nonzero(every)), len(lopsided), first)

    @cached_property
    def first_shifted(self) -> int | None:
        """The pair from which on another alignment would fit the lengths of lines far better; from 1 up."""
        found = [first_shifted(self.lines[0], side) for side in self.lines[1:]]
        return min((line for line in found if line is not None), default=None)

    @cached_property
    def digest(self) -> str:
        """The same for the same lines under the same names."""
        digest = hashlib.sha256(repr(self.names).encode())
        for side, text in zip(self.lines, self.texts):
            digest.update(repr([len(line) for line in side]).encode())
            digest.update("".join(side).encode())
            digest.update(text.encode())
        return digest.hexdigest()

    def joined(self, language: int, joining: Joining) -> str:
        """The lines of a language as one text."""
        return " ".join(self.lines[language]) if joining == "space" else self.texts[language]


# ---- reading


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends; only `\\n` and `\\r\\n` end one.

    >>> split_lines("a\\r\\n\\nb\\u2028c\\n"), split_lines("")
    (['a', '', 'b\\u2028c'], [])
    """
    lines = text.split("\n")
    last = lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    return [*lines, last] if last else lines


def parallel_texts(names: Sequence[str], texts: Sequence[str]) -> Parallel:
    """Texts that say the same line by line; raises `CorpusError` where they do not go together.

    >>> parallel_texts(["th", "en"], ["แมว\\nหมา\\n", "a cat\\na dog"]).lines
    (('แมว', 'หมา'), ('a cat', 'a dog'))
    """
    lines = tuple(tuple(split_lines(text)) for text in texts)
    return _checked(Parallel(column_labels(names), lines, tuple(texts)))


def parallel_files(files: Sequence[PackedFile], *, encoding: str | Sequence[str | None] | None = None) -> Parallel:
    """Text files with the same lines, one for each language; raises `CorpusError`, which names the file.

    `encoding` is that of all files, or of each; None is found out.
    """
    texts, guesses = [], []
    encodings = [encoding] * len(files) if encoding is None or isinstance(encoding, str) else encoding
    for file, said in zip(files, encodings, strict=True):
        try:
            if file.refusal is not None:
                raise file.refusal
            decoded = decode_text(file.content, encoding=said)
        except CorpusError as error:
            values = {**error.values, "file": file.name}
            raise CorpusError(f"{file.name}: {error}", error.code, **values) from None
        texts.append(decoded.text)
        guesses += [Guess(file.name, decoded.encoding)] if decoded.is_guess else []
    read = parallel_texts([file.name for file in files], texts)
    return Parallel(read.names, read.lines, read.texts, tuple(guesses))


def parallel_table(
    file: PackedFile,
    *,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Parallel:
    """A table with one language in each column, its kind told by its name; broken rows are left out of all of
    them, and counted.

    >>> parallel_table(PackedFile("t.csv", "th,en\\nแมว,a cat\\n".encode()), header=True).names
    ('th', 'en')
    """
    if file.refusal is not None:
        raise file.refusal
    guesses: tuple[Guess, ...] = ()
    if file.name.lower().endswith(PARQUET):
        table = parquet_columns(file.content, columns=columns, max_bytes=max_bytes)
    else:
        decoded = decode_text(file.content, encoding=encoding)
        guesses = (Guess(file.name, decoded.encoding),) if decoded.is_guess else ()
        table = _text_columns(file.name.lower(), decoded.text, columns, header)
    return _checked(
        Parallel(
            table.chosen,
            table.cells,
            tuple(map("\n".join, table.cells)),
            guesses,
            table.columns,
            table.header,
            table.skipped_rows,
            table.first_skipped,
        )
    )


def _text_columns(name: str, text: str, columns: Collection[str] | None, header: bool | None) -> TableColumns:
    """The cells of a table that is text: JSON Lines, or lines with a delimiter that the name tells."""
    if name.endswith(JSON_LINES):
        return jsonl_columns(text, columns=columns)
    delimiter = next((mark for suffix, mark in DELIMITERS.items() if name.endswith(suffix)), ",")
    return csv_columns(text, columns=columns, header=header, delimiter=delimiter)


def read_parallel(
    files: Sequence[PackedFile],
    *,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    encoding: str | Sequence[str | None] | None = None,
    max_bytes: int = MAX_BYTES,
) -> Parallel:
    """One table, or a text file for each language; raises `CorpusError` where that is not what came.

    `encoding` is that of all files, or of each; None is found out.
    """
    tables = [file.name for file in files if is_table(file.name)]
    if tables and len(files) > 1:
        raise CorpusError(
            f"one table at a time can be compared, or one text file for each language; {len(files)} files came,"
            f" one of them the table {tables[0]}",
            "parallel_table_and_more",
            name=tables[0],
            files=len(files),
        )
    if tables:
        said = encoding if encoding is None or isinstance(encoding, str) else encoding[0]
        return parallel_table(files[0], columns=columns, header=header, encoding=said, max_bytes=max_bytes)
    return parallel_files(files, encoding=encoding)


def is_table(name: str) -> bool:
    """Whether the name of a file says that it is a table."""
    return name.lower().endswith((*DELIMITERS, *JSON_LINES, PARQUET))


def _checked(parallel: Parallel) -> Parallel:
    """The texts themselves, or a `CorpusError` where they cannot be compared line by line."""
    languages = len(parallel.names)
    if not 2 <= languages <= MAX_LANGUAGES:
        raise CorpusError(
            f"two languages at least and {MAX_LANGUAGES} at most can be compared; {languages} came",
            "parallel_languages",
            languages=languages,
            limit=MAX_LANGUAGES,
        )
    for name, side in zip(parallel.names, parallel.lines):
        if not any(map(str.strip, side)):
            raise CorpusError(f"each language must have text; {name} has none", "parallel_side_empty", name=name)
    for name, side in zip(parallel.names[1:], parallel.lines[1:]):
        if len(side) != parallel.pairs:
            raise _other_lengths(parallel, name, side)
    if parallel.pairs > MAX_PAIRS:
        raise CorpusError(
            f"at most {MAX_PAIRS:,} pairs can be compared; {parallel.pairs:,} came",
            "parallel_too_long",
            pairs=parallel.pairs,
            limit=MAX_PAIRS,
        )
    return parallel


def _other_lengths(parallel: Parallel, name: str, side: Sequence[str]) -> CorpusError:
    first = parallel.names[0]
    line = first_extra_line(parallel.lines[0], side)
    return CorpusError(
        f"the files must have the same number of lines; {first} has {parallel.pairs:,} and {name} {len(side):,}."
        f" By their lengths the lines go together up to about line {line:,}: look there",
        "parallel_lines_differ",
        first=first,
        other=name,
        first_lines=parallel.pairs,
        other_lines=len(side),
        line=line,
    )


# ---- does line n say what line n says?


def first_extra_line(lines: Sequence[str], others: Sequence[str]) -> int:
    """Where the side that has more lines most likely has the first one too many, from 1 up.

    All of them are taken to stand at one place: that at which the lengths before and after it fit best.

    >>> first_extra_line(["I", "you and me", "he", "they all"], ["je", "il", "ils tous"])
    2
    """
    longer, shorter = _logs(max(lines, others, key=len)), _logs(min(others, lines, key=len))
    extra = len(longer) - len(shorter)
    before = np.cumsum(np.append(0.0, _misfit(longer[: len(shorter)], shorter)))
    after = _misfit(longer[extra:], shorter)
    return int(np.argmin(before + np.append(np.cumsum(after[::-1])[::-1], 0.0))) + 1


def first_shifted(lines: Sequence[str], others: Sequence[str]) -> int | None:
    """The line from which on one side seems to be up to ten lines late: lengths fit far better when it is moved.

    It need not be late to the end. None where lines fit as they are, and where fewer than 20 speak for it.
    """
    count = len(lines)
    if count < 2 * _LEAST_SHIFTED:
        return None
    ours, theirs = _logs(lines), _logs(others)
    now = _misfit(ours, theirs)
    best: tuple[float, int] | None = None
    for shift in (sign * size for size in _SHIFTS if size + 2 * _LEAST_SHIFTED <= count for sign in (1, -1)):
        moved = np.full(count, _CAP)
        late, early = max(0, shift), max(0, -shift)
        length = count - late - early
        moved[early : early + length] = _misfit(ours[late : late + length], theirs[early : early + length])
        gain, start, end = _best_stretch(now - moved - _DOUBT)
        is_clear = (now - moved)[start:end].sum() > 0.4 * now[start:end].sum()
        if end - start >= _LEAST_SHIFTED and gain > max(_LEAST_GAIN, best[0] if best else 0.0) and is_clear:
            best = gain, start
    return best[1] + 1 if best else None


def _best_stretch(gains: Floats) -> tuple[float, int, int]:
    """The stretch with the largest sum, and that sum.

    >>> _best_stretch(np.array([1.0, -2.0, 3.0, -1.0, 2.0, -5.0]))
    (4.0, 2, 5)
    """
    sums = np.append(0.0, np.cumsum(gains))
    rises = sums[1:] - np.minimum.accumulate(sums)[:-1]
    end = int(np.argmax(rises)) + 1
    start = int(np.argmin(sums[:end]))
    return float(rises[end - 1]), start, end


def _logs(lines: Sequence[str]) -> Floats:
    """The logarithms of the lengths of lines."""
    logs: Floats = np.log(np.fromiter(map(len, lines), dtype=np.float64, count=len(lines)) + 1)
    return logs


def _misfit(lengths: Floats, others: Floats) -> Floats:
    """How far the ratio of two lines' lengths is from the usual one, as a logarithm; at most 1.5."""
    difference = lengths - others
    usual = np.median(difference) if len(difference) else 0.0
    misfit: Floats = np.minimum(np.abs(difference - usual), _CAP)
    return misfit


# ---- counting


def token_total(parallel: Parallel, language: int, tokenizer: LineEncoder, joining: Joining) -> int:
    """The tokens of a language, its lines joined in one of the three ways."""
    texts = parallel.lines[language] if joining == "lines" else (parallel.joined(language, joining),)
    return int(tokenizer.encode_each(texts).counts.sum())


class TextSizes(NamedTuple):
    """How much text the lines of a language are, line ends left out."""

    characters: int
    """Unicode code points."""
    clusters: int
    """Grapheme clusters: what a reader takes for one letter, with its marks; Unicode UAX 29."""
    bytes: int
    """Bytes of UTF-8."""
    words: int | None = None
    """Words by a named segmenter; None where none was asked for or none fits."""


class LineCuts(NamedTuple):
    """What tokens do to the lines of a language, each encoded by itself."""

    tokens: int
    broken_characters: int
    """Characters with a boundary between two tokens inside their bytes."""
    broken_clusters: int
    """Grapheme clusters with such a boundary inside, be it within a character or between two."""
    continued_words: int | None = None
    """Words with such a boundary inside; None where words were not found."""


def text_sizes(lines: Sequence[str], segmenter: Segmenter | None = None) -> TextSizes:
    """How much text these lines are.

    >>> text_sizes(["ที่นี่", "abc"])
    TextSizes(characters=9, clusters=5, bytes=21, words=None)
    """
    sizes = np.zeros(4, dtype=np.int64)
    for start, end, text_map in _blocks(lines):
        between = end - start - 1
        words = len(_spans(lines[start:end], segmenter)) if segmenter else 0
        clusters = int(np.count_nonzero(text_map.cluster_starts)) - 1
        sizes += [len(text_map.text) - between, clusters - between, len(text_map.utf8) - between, words]
    characters, clusters, size, words = sizes.tolist()
    return TextSizes(characters, clusters, size, words if segmenter else None)


def line_cuts(
    lines: Sequence[str], encoded: EncodedTexts, tokenizer: TokenSource, segmenter: Segmenter | None = None
) -> LineCuts:
    """Where the tokens of these lines break characters, grapheme clusters and words."""
    token_ends = np.append(0, np.cumsum(encoded.counts))
    characters = clusters = words = 0
    for start, end, text_map in _blocks(lines):
        lengths = token_lengths(encoded.ids[token_ends[start] : token_ends[end]].tolist(), tokenizer)
        # Between two lines stands a character of one byte, which is a token by itself.
        lengths = np.insert(lengths, np.cumsum(encoded.counts[start : end - 1]), 1)
        boundaries = np.cumsum(lengths)[:-1]
        at_character = text_map.char_starts_at_byte[boundaries]
        cut = text_map.char_at_byte[boundaries].astype(np.int64)
        characters += _distinct(cut[~at_character])
        inside = ~(at_character & text_map.cluster_starts[cut])
        clusters += _distinct(np.cumsum(text_map.cluster_starts[:-1], dtype=np.int64)[cut[inside]])
        if segmenter:
            words += _continued(_spans(lines[start:end], segmenter), boundaries, text_map)
    return LineCuts(int(encoded.counts.sum()), characters, clusters, words if segmenter else None)


def _distinct(ascending: Ints) -> int:
    """How many different numbers stand in a row that never falls."""
    return int(np.count_nonzero(np.diff(ascending))) + 1 if len(ascending) else 0


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, TextMap]]:
    """Stretches of lines, with the map of their text: a NUL, which joins nothing, stands between two lines."""
    start = size = 0
    for number, line in enumerate(lines):
        size += len(line)
        if size >= _BLOCK or number + 1 == len(lines):
            yield start, number + 1, TextMap("\0".join(lines[start : number + 1]))
            start, size = number + 1, 0


def _spans(lines: Sequence[str], segmenter: Segmenter) -> Ints:
    """The words of these lines, each line by itself, as spans in the text of `_blocks`."""
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    found = [word_spans(line, segmenter) + start for line, start in zip(lines, starts)]
    return np.concatenate(found)


def _continued(spans: Ints, boundaries: Ints, text_map: TextMap) -> int:
    """How many of the words have a boundary inside."""
    edges = text_map.byte_at_char[spans]
    inside = np.searchsorted(boundaries, edges[:, 1]) - np.searchsorted(boundaries, edges[:, 0], side="right")
    return int(np.count_nonzero(inside))
