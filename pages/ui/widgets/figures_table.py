"""A quiet table of words and figures, the same on the page and in a report; everything in it is escaped."""

import html
from collections.abc import Sequence

import streamlit as st

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
    """Draw a table with a head; these columns are words, the others figures. `label` says what it holds."""
    # What is too wide is scrolled within itself, by keyboard as well.
    st.html(
        f'{_STYLE}<div class="figures" role="region" tabindex="0" aria-label="{html.escape(label)}">'
        f"{table_html(rows, words=words, marked=marked)}</div>"
    )


def table_html(rows: Sequence[Sequence[str]], *, words: Sequence[int] = (0,), marked: int | None = None) -> str:
    """The table itself; `marked` is a row that stands out, from 0 up.

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
