"""CSV and JSON Lines of any size → the cells of their text columns, row by row."""

from collections.abc import Collection, Iterator
from itertools import chain

from tokenizer_core.counting.guesses import ColumnGuess, Guessed
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.csv_table import CsvStream
from tokenizer_core.texts.files import TableKind
from tokenizer_core.texts.json_lines import MAX_LINE, objects_of, open_json_lines
from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.tables import (
    MAX_COLUMNS,
    Table,
    choose_columns,
    columns_with_letters,
    no_rows,
    unknown_column,
)


def cells_in(
    kind: TableKind,
    texts: Iterator[str],
    columns: Collection[str] | None,
    header: bool | None,
    guessed: Guessed = lambda guess: None,
) -> Iterator[str]:
    """Yield the cells of the chosen columns; without a choice, of those that are prose in the first text.

    Broken rows are left out, as in the app. Raises `CorpusError` if a column is missing or no row can be read.
    """
    if kind == "jsonl":
        cells = _json_cells(texts, columns, guessed)
    else:
        cells = _csv_cells(kind, texts, columns, header, guessed)
    is_empty = True
    for cell in cells:
        is_empty = False
        yield cell
    if is_empty:
        raise no_rows()


def columns_to_read(table: Table, columns: Collection[str] | None, guessed: Guessed) -> tuple[str, ...]:
    """Return the columns asked for; without a choice, those that are prose, and tell so if there are others."""
    chosen = choose_columns(table, columns)
    if columns is None and len(all_ := columns_with_letters(table)) > 1:
        guessed(ColumnGuess(chosen, all_))
    return chosen


def _csv_cells(
    kind: TableKind,
    texts: Iterator[str],
    columns: Collection[str] | None,
    header: bool | None,
    guessed: Guessed,
) -> Iterator[str]:
    stream = CsvStream(next(texts), header=header, delimiter="\t" if kind == "tsv" else ",")
    places = [stream.table.labels.index(label) for label in columns_to_read(stream.table, columns, guessed)]
    for text in texts:
        for cells in stream.rows(places, text):
            yield from cells
    for cells in stream.rows(places, is_end=True):
        yield from cells


def _json_cells(texts: Iterator[str], columns: Collection[str] | None, guessed: Guessed) -> Iterator[str]:
    lines = _whole_lines(texts)
    first = next(lines, "")
    keys = _keys_chosen(first, columns, guessed)
    missing, found = set(keys), dict[str, None]()
    for text in chain([first], lines):
        for _, values in objects_of(text):
            if values is not None:
                if missing:
                    missing -= values.keys()
                    found |= dict.fromkeys(values) if len(found) < MAX_COLUMNS else {}
                yield from (values.get(key, "") for key in keys)
    if columns is not None and missing:
        raise unknown_column(min(missing), column_labels(found))


def _keys_chosen(first: str, columns: Collection[str] | None, guessed: Guessed) -> list[str]:
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
        return [key_of[label] for label in columns_to_read(table, None, guessed)]
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
