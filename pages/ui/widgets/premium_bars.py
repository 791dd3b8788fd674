"""Bars of premiums in plain HTML: the library of charts is as large as all else on Home, and slow on a phone."""

import html
from collections.abc import Sequence

from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.colours import CATEGORIES, INK, ON_BAR, QUIET
from pages.ui.widgets.formatting import ratio

PREMIUM_BARS_CSS = f"""
.premiums {{ display: grid; grid-template-columns: max-content 1fr; gap: .6rem .75rem; align-items: center;
  position: relative; padding-block: 1.75rem .25rem; font-size: 1.25rem; color: {INK.css}; }}
.premiums .name {{ font-size: 1.0625rem; text-align: end; grid-column: 1; line-height: 1.6; }}
.premiums .premium {{ inline-size: calc(100% * var(--at)); block-size: 2.25rem; border-radius: 0 .3rem .3rem 0;
  background: {CATEGORIES[0].css}; position: relative; grid-column: 2; }}
.premiums b {{ position: absolute; inset-block: 0; line-height: 2.25rem; font-weight: 600; white-space: nowrap; }}
.premiums .on b {{ inset-inline-end: .5rem; color: {ON_BAR.css}; }}
.premiums .beside b {{ inset-inline-start: calc(100% + .5rem); }}
.premiums .even {{ grid-column: 2; position: absolute; inset-block: 0;
  inset-inline-start: calc(100% * var(--at)); border-inline-start: 2px dashed {QUIET.css}; }}
.premiums .even span {{ padding-inline-start: .4rem; font-size: .9375rem; white-space: nowrap; color: {QUIET.css};
  line-height: 1.6; }}
.premiums .before span {{ position: absolute; inset-inline-end: .4rem; padding-inline-start: 0; }}
"""


def premium_bars(premiums: Sequence[tuple[str, float]], *, base: str, says: str) -> str:
    """Return a bar for each named tokenizer with its premium, and a line at 1, where `base` stands."""
    most = max(max(value for _, value in premiums), 1.0)
    rows = "".join(_bar(name, value, value / most, 1 / most) for name, value in premiums)
    side = "even" if 1 / most < 0.8 else "even before"  # words behind a line at the right would be cut off
    even = f'<div class="{side}" style="--at:{1 / most:.4f}"><span>{_escaped(base)} = 1</span></div>'
    return f'<div class="premiums" role="img" aria-label="{_escaped(says)}">{rows}{even}</div>'


def _bar(name: str, value: float, share: float, even: float) -> str:
    """Return a bar with its number on it, or beside it where it is short or would cross the line."""
    place = "beside" if share <= 0.5 or even < share < min(even + 0.2, 0.8) else "on"
    return (
        f'<span class="name">{_escaped(name)}</span>'
        f'<span class="premium {place}" style="--at:{share:.4f}"><b>{ratio(value)} ×</b></span>'
    )


def _escaped(words: str) -> str:
    return html.escape(without_breaks(words))
