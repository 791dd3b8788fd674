"""JSON Lines: an object or a string on each line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.tables import (
    SAID_ROWS,
    SAMPLE_ROWS,
    Rows,
    Table,
    Told,
    check_columns,
    check_rows,
    no_rows,
)

MAX_LINE = 2**23
"""Characters of one line. A line of 50 MB that holds only brackets would become objects of 1 GB."""
PLAIN = "text"
"""The column name of lines that are bare strings."""
_SAMPLE_CELL = 2_000
_HEAD = 65_536


def open_json_lines(text: str, told: Told = lambda share: None) -> Table:
    """Open JSON Lines: each key with strings is a column, and lines that are bare strings are the column "text".

    The strings of a nested object are columns, too, such as "translation.en". All other values are left out, and a
    missing value is empty. A line is skipped if it is not JSON, or neither an object nor a string.

    >>> from tokenizer_core.texts.tables import cells_of, text_of
    >>> text_of(open_json_lines('{"text": "a cat", "n": 1}\\nbroken\\n"a dog"'))[0]
    'a cat\\na dog\\n'
    >>> cells_of(open_json_lines('{"th": "แมว", "en": "a cat"}\\n{"en": "a dog"}\\n'))[0]
    (('แมว', ''), ('a cat', 'a dog'))
    """
    lines = text.count("\n") + 1
    check_rows(lines - 1)
    samples: dict[str, list[str]] = {}
    for number, values in objects_of(text):
        if number % SAID_ROWS == 0:
            told(number / lines)
        for key, value in (values or {}).items():
            cells = samples.setdefault(key, [])
            if len(cells) < SAMPLE_ROWS:
                cells.append(value[:_SAMPLE_CELL])
        check_columns(len(samples))
    if not samples:
        raise no_rows()
    keys = list(samples)

    def rows(places: Sequence[int]) -> Rows:
        wanted = [keys[place] for place in places]
        for line, values in objects_of(text):
            yield line, None if values is None else [values.get(key, "") for key in wanted]

    return Table(column_labels(keys), None, lambda place: samples[keys[place]], rows, lines)


def looks_like_json_lines(text: str) -> bool:
    """Tell whether each of the first two lines of a .json file holds an object or a string.

    >>> looks_like_json_lines('{"a": 1}\\n{"a": 2}\\n'), looks_like_json_lines('{\\n"a": 1}')
    (True, False)
    """
    lines = list(islice(objects_of(text[:_HEAD]), 2))
    return len(lines) == 2 and all(values is not None for _, values in lines)


def objects_of(text: str) -> Iterator[tuple[int, Mapping[str, str] | None]]:
    """Yield the strings of each line by key; None for a broken line."""
    for number, line in _lines(text):
        if not line.strip():
            continue
        try:
            yield number, _strings(line)
        except (ValueError, RecursionError):
            yield number, None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines; only a line feed ends one, because JSON may hold all other line breaks."""
    start = number = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        number += 1
        yield number, text[start:end]
        start = end + 1


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
