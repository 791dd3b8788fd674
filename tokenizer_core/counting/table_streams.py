"""CSV and JSON Lines of any size → the cells of their text columns, row by row."""

from collections.abc import Collection, Iterator
from itertools import chain

from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.csv_table import CsvStream
from tokenizer_core.texts.files import TableKind
from tokenizer_core.texts.json_lines import MAX_LINE, objects_of, open_json_lines
from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.tables import choose_columns, no_rows, unknown_column


def cells_in(
    kind: TableKind, texts: Iterator[str], columns: Collection[str] | None, header: bool | None
) -> Iterator[str]:
    """Yield the cells of the chosen columns; without a choice, of those that are prose in the first text.

    Broken rows are left out, as in the app. Raises `CorpusError` if a column is missing or no row can be read.
    """
    cells = _json_cells(texts, columns) if kind == "jsonl" else _csv_cells(kind, texts, columns, header)
    is_empty = True
    for cell in cells:
        is_empty = False
        yield cell
    if is_empty:
        raise no_rows()


def _csv_cells(
    kind: TableKind, texts: Iterator[str], columns: Collection[str] | None, header: bool | None
) -> Iterator[str]:
    stream = CsvStream(next(texts), header=header, delimiter="\t" if kind == "tsv" else ",")
    places = [stream.table.labels.index(label) for label in choose_columns(stream.table, columns)]
    for text in texts:
        for cells in stream.rows(places, text):
            yield from cells
    for cells in stream.rows(places, is_end=True):
        yield from cells


def _json_cells(texts: Iterator[str], columns: Collection[str] | None) -> Iterator[str]:
    lines = _whole_lines(texts)
    first = next(lines, "")
    keys = _keys_chosen(first, columns)
    missing = set(keys)
    for text in chain([first], lines):
        for _, values in objects_of(text):
            if values is not None:
                missing -= values.keys()
                yield from (values.get(key, "") for key in keys)
    if columns is not None and missing:
        raise unknown_column(min(missing))


def _keys_chosen(first: str, columns: Collection[str] | None) -> list[str]:
    """Return the keys of the chosen columns: those of the first lines, and any others that were asked for."""
    try:
        table = open_json_lines(first)
    except CorpusError as error:
        if error.code != "no_rows" or columns is None:
            raise
        return list(columns)
    found = dict.fromkeys(key for _, values in objects_of(first) for key in values or {})
    key_of = dict(zip(column_labels(list(found)), found))
    if columns is None:
        return [key_of[label] for label in choose_columns(table, None)]
    late = [column for column in columns if column not in key_of]
    return [key_of[label] for label in key_of if label in columns] + late


def _whole_lines(texts: Iterator[str]) -> Iterator[str]:
    """Yield texts that end where lines end; a line too long to be read is cut, and so is broken."""
    rest = ""
    for text in texts:
        rest += text
        end = rest.rfind("\n") + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > 2 * MAX_LINE:
            rest = rest[: MAX_LINE + 1]
    if rest:
        yield rest
