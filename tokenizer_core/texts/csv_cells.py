"""Cells of CSV files that are safe to open in a spreadsheet."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless_cell(cell: str) -> str:
    """Put an apostrophe before a cell that begins like a formula, so that no spreadsheet runs it.

    >>> harmless_cell("=1+1"), harmless_cell("a=1")
    ("'=1+1", 'a=1')
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
