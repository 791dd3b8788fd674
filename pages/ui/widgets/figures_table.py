"""Data frames as tables of words and figures: a plain one for pages and reports, and a sortable one.

Everything in them is escaped.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.formatting import NONE

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
  .figures td.words:first-child { min-width: 5.5rem; }
  .figures table { font-size: .8rem; }
  .figures :is(th, td) { padding: .3rem .25rem; }
}
</style>"""


_SIDEWAYS = """<style>
.sideways { position: relative; timeline-scope: --sideways; }
.sideways > [role="region"] { scroll-timeline: --sideways inline; }
.sideways::after { content: "›"; position: absolute; inset: 0 0 0 auto; width: 3rem; pointer-events: none;
  display: grid; place-content: center end; font-size: 2rem; font-weight: 600; opacity: 0;
  color: light-dark(#0f766e, #2dd4bf);
  background: linear-gradient(to right, transparent, light-dark(#ffffff, #171614) 70%);
  animation: goes-on-sideways linear; animation-timeline: --sideways; }
@keyframes goes-on-sideways { from, 90% { opacity: 1; } to { opacity: 0; } }
</style>"""


Formats = Mapping[Any, Callable[[Any], str]]
"""How the cells of some columns are written; other numbers get commas, and missing values are a dash."""


def figures_table(
    frame: pd.DataFrame,
    label: str,
    *,
    formats: Formats = MappingProxyType({}),
    words: Sequence[int] = (0,),
    marked: int | None = None,
) -> None:
    """Draw a table; the columns at the places `words` hold words, the others figures. `label` describes it."""
    table = table_html(frame, formats=formats, words=words, marked=marked)
    st.html(_STYLE + sideways(scroll_box("figures", table, label)))


def scroll_box(look: str, inner: str, label: str) -> str:
    """Return HTML in a box that scrolls if it is too wide, also by keyboard; `look` is its CSS class."""
    said = html.escape(without_breaks(label), quote=True)
    return f'<div class="{look}" role="region" tabindex="0" aria-label="{said}">{inner}</div>'


def sideways(box: str) -> str:
    """Return a box that scrolls with a sign beside it, for as long as more of it stands there."""
    return f'{_SIDEWAYS}<div class="sideways">{box}</div>'


def table_html(
    frame: pd.DataFrame,
    *,
    formats: Formats = MappingProxyType({}),
    words: Sequence[int] = (0,),
    marked: int | None = None,
) -> str:
    """Return the table as HTML; `marked` is the row to highlight, counted from 0.

    >>> table_html(pd.DataFrame({"a": ["<"], "b": [1000]})).partition("<tbody>")[2]
    '<tr><td class="words" dir="auto">&lt;</td><td>1,000</td></tr></tbody></table>'
    """
    kinds = [' class="words" dir="auto"' if place in words else "" for place in range(len(frame.columns))]
    head = "".join(f'<th scope="col"{kind}>{html.escape(str(title))}</th>' for kind, title in zip(kinds, frame))
    columns = [
        [html.escape(_written(cell, formats.get(title, _plainly))) for cell in cells]
        for title, cells in frame.items()
    ]
    body = []
    for number, row in enumerate(zip(*columns)):
        cells = "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row))
        body.append(f'<tr class="marked">{cells}</tr>' if number == marked else f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _written(cell: Any, write: Callable[[Any], str]) -> str:
    return NONE if pd.isna(cell) else write(cell)


def _plainly(cell: Any) -> str:
    return cell if isinstance(cell, str) else f"{cell:,}"


def sortable_table(frame: pd.DataFrame, label: str, *, key: str, formats: Formats = MappingProxyType({})) -> None:
    """Draw a table that a click on a column's head sorts; `label` describes it to screen readers."""
    shown = frame.style.format({title: formats.get(title, _plainly) for title in frame}, na_rep=NONE)
    st.dataframe(shown, key=key, alt=label, hide_index=True, height="content")
