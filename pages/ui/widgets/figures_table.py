"""Tables of words and figures: a plain one for pages and reports, and one that visitors can sort.

Everything in them is escaped.
"""

import html
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages.ui.widgets.written import NONE
from pages.ui.words.breaks import without_breaks

_STYLE = """<style>
.figures { overflow-x: auto; }
.figures table { border-collapse: collapse; font-size: .9rem; line-height: 1.6; margin: 0; }
.figures :is(th, td) { padding: .3rem .7rem; border: 0; text-align: right; vertical-align: top;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.figures :is(th, td).words { text-align: left; }
.figures tr.marked { font-weight: 600; }
.figures :is(th, td):first-child { padding-left: 0; }
@media (min-width: 641px) {
  .figures :is(th, td):not(.words) { white-space: nowrap; }
}
@media (max-width: 640px) {
  .figures table { font-size: .8rem; }
  .figures :is(th, td) { padding: .3rem .25rem; }
}
</style>"""


def figures_table(
    rows: Sequence[Sequence[str]], label: str, *, words: Sequence[int] = (0,), marked: int | None = None
) -> None:
    """Draw a table with a head; the columns `words` hold words, the others figures. `label` describes it."""
    # A table that is too wide scrolls in its own box, also by keyboard.
    spoken = html.escape(without_breaks(label))
    st.html(
        f'{_STYLE}<div class="figures" role="region" tabindex="0" aria-label="{spoken}">'
        f"{table_html(rows, words=words, marked=marked)}</div>"
    )


def table_html(rows: Sequence[Sequence[str]], *, words: Sequence[int] = (0,), marked: int | None = None) -> str:
    """Return the table as HTML; `marked` is the row to highlight, counted from 0.

    >>> table_html([["a", "b"], ["<", "1"]]).partition("<tbody>")[2]
    '<tr><td class="words" dir="auto">&lt;</td><td>1</td></tr></tbody></table>'
    """
    kinds = [' class="words" dir="auto"' if place in words else "" for place in range(len(rows[0]))]
    head = "".join(f'<th scope="col"{kind}>{html.escape(cell)}</th>' for kind, cell in zip(kinds, rows[0]))
    body = []
    for number, row in enumerate(rows[1:]):
        cells = "".join(f"<td{kind}>{html.escape(cell)}</td>" for kind, cell in zip(kinds, row))
        body.append(f'<tr class="marked">{cells}</tr>' if number == marked else f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


class Column(NamedTuple):
    """A sortable column, whose cells `write` formats; None comes last, as a dash."""

    title: str
    cells: Sequence[Any]
    write: Callable[[Any], str] = str


def sortable_table(columns: Sequence[Column], label: str, *, key: str) -> None:
    """Draw a table that a click on a column's head sorts; `label` describes it to screen readers."""
    cells = pd.DataFrame({column.title: column.cells for column in columns})
    shown = cells.style.format({column.title: column.write for column in columns}, na_rep=NONE)
    st.dataframe(shown, key=key, alt=label, hide_index=True, height="content")


def as_rows(columns: Sequence[Column]) -> list[list[str]]:
    """Return the head and the rows, for `table_html`.

    >>> as_rows([Column("name", ["a", "b"]), Column("tokens", [1_000, 5], "{:,}".format)])
    [['name', 'tokens'], ['a', '1,000'], ['b', '5']]
    """
    written = ([column.write(cell) for cell in column.cells] for column in columns)
    return [[column.title for column in columns], *map(list, zip(*written, strict=True))]
