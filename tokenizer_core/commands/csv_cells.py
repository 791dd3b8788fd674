"""Cells of CSV files that a spreadsheet opens without harm."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless_cell(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula: one that begins like a formula gets an apostrophe.

    >>> harmless_cell("=1+1"), harmless_cell("a=1")
    ("'=1+1", 'a=1')
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
