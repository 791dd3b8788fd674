"""JSON Lines: an object or a string on each line."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.labels import column_labels, listed
from tokenizer_core.readers.tables import (
    SAID_ROWS,
    SAMPLE_ROWS,
    Rows,
    Table,
    Told,
    check_columns,
    check_rows,
    with_last,
)

MAX_LINE = 2**23
"""Characters of one line. A line of 50 MB that holds only brackets would become objects of 1 GB."""
PLAIN = "text"
"""The column name of lines that are bare strings."""
_SAMPLE_CELL = 2_000
_HEAD = 65_536
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def open_json_lines(
    texts: Iterable[str], *, columns: Collection[str] | None = None, told: Told = lambda share: None
) -> Table:
    """Open JSON Lines: each key with strings is a column, and lines that are bare strings are the column "text".

    The strings of a nested object are columns, too, such as "translation.en". All other values are left out, and a
    missing value is empty. A line is skipped if it is not JSON, or neither an object nor a string. The first block
    decides the columns; if others in `columns` are never found, reading the rows ends with `CorpusError`. The rows
    can be read once.

    >>> from tokenizer_core.readers.tables import cells_of, text_of
    >>> text_of(open_json_lines(['{"text": "a cat", "n": 1}\\nbroken\\n"a dog"']))[0]
    'a cat\\na dog\\n'
    >>> cells_of(open_json_lines(['{"th": "แมว", "en": "a cat"}\\n{"en": "a dog"}\\n']))[0]
    (('แมว', ''), ('a cat', 'a dog'))
    """
    blocks = _whole_lines(texts)
    first, is_last = next(blocks, ("", True))
    line_count = first.count("\n") + 1
    check_rows(line_count - 1)
    samples: dict[str, list[str]] = {}
    for number, values in objects_of(first):
        if number % SAID_ROWS == 0:
            told(number / line_count / 2)
        for key, value in (values or {}).items():
            cells = samples.setdefault(key, [])
            if len(cells) < SAMPLE_ROWS:
                cells.append(value[:_SAMPLE_CELL])
        check_columns(len(samples))
    found = column_labels(samples)
    late = [] if is_last else [column for column in columns or () if column not in found]
    keys = [*samples, *late]
    if not keys:
        raise CorpusError("no_rows")

    def rows(places: Sequence[int]) -> Rows:
        wanted, missing, before = [keys[place] for place in places], set(late), 0
        for block, _ in chain([(first, is_last)], blocks):
            for line, values in objects_of(block):
                if values is None:
                    yield before + line, None
                else:
                    missing.difference_update(values)
                    yield before + line, [values.get(key, "") for key in wanted]
            before += block.count("\n")
        if missing:
            raise CorpusError("unknown_column", column=min(missing), columns=listed(found))

    def sample(place: int) -> Sequence[str]:
        return samples.get(keys[place], [])

    return Table((*found, *late), None, sample, rows, line_count if is_last else None, read_share=1 / 2)


def _whole_lines(texts: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield blocks that end where lines end, and whether each is the last; a line too long to be read is cut."""
    rest = ""
    for text, is_last in with_last(texts):
        rest += text
        end = len(rest) if is_last else rest.rfind("\n") + 1
        if end:
            yield rest[:end], is_last
            rest = rest[end:]
        elif len(rest) > 2 * MAX_LINE:
            rest = rest[: MAX_LINE + 1]


def looks_like_json_lines(text: str) -> bool:
    """Tell whether each of the first two lines of a .json file holds an object or a string.

    >>> looks_like_json_lines('{"a": 1}\\n{"a": 2}\\n'), looks_like_json_lines('{\\n"a": 1}')
    (True, False)
    """
    lines = list(islice(objects_of(text[:_HEAD]), 2))
    return len(lines) == 2 and all(values is not None for _, values in lines)


def objects_of(text: str) -> Iterator[tuple[int, Mapping[str, str] | None]]:
    """Yield the strings of each line by key; None for a broken line."""
    # Only a line feed ends a line, because JSON may hold all other line breaks.
    for number, found in enumerate(_LINE.finditer(text), 1):
        line = found[0]
        if not line.strip():
            continue
        try:
            yield number, _strings(line)
        except (ValueError, RecursionError):
            yield number, None


def _strings(line: str) -> Mapping[str, str]:
    """Return the strings in one line of JSON by key; raise `ValueError` for a broken line."""
    if len(line) > MAX_LINE:
        raise ValueError("too long")
    value = json.loads(line)
    if isinstance(value, str):
        value = {PLAIN: value}
    if not isinstance(value, dict):
        raise ValueError("neither object nor string")
    within = {
        f"{key}.{name}": each
        for key, inner in value.items()
        if isinstance(inner, dict)
        for name, each in inner.items()
    }
    strings = {key: each for key, each in (within | value).items() if isinstance(each, str) and each}
    if "\\u" in line:
        "".join([*strings, *strings.values()]).encode()  # raises `ValueError` for a lone surrogate
    return strings
