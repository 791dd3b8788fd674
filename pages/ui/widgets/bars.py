"""Bars in plain HTML: the library of charts is as large as all else on Home, and slow on a phone."""

import html
from collections.abc import Sequence

from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.colours import CATEGORIES, INK, ON_BAR, QUIET
from pages.ui.widgets.formatting import ratio

BARS_CSS = f"""
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
    rows = "".join(_premium(name, value, value / most, 1 / most) for name, value in premiums)
    side = "even" if 1 / most < 0.8 else "even before"  # words behind a line at the right would be cut off
    even = f'<div class="{side}" style="--at:{1 / most:.4f}"><span>{_escaped(base)} = 1</span></div>'
    return _framed(rows + even, says)


def count_bars(counts: Sequence[tuple[str, int]], *, says: str) -> str:
    """Return a bar for each name with its count."""
    most = max((count for _, count in counts), default=0) or 1
    shares = [(name, count, count / most) for name, count in counts]
    return _framed("".join(_bar(name, f"{count:,}", share, share > 0.5) for name, count, share in shares), says)


def _framed(rows: str, says: str) -> str:
    """Return bars that `says` describes; it may stress figures."""
    return f'<div class="premiums" role="img" aria-label="{_escaped(says.replace("**", ""))}">{rows}</div>'


def _premium(name: str, value: float, share: float, even: float) -> str:
    """Return a bar with its number on it, or beside it where it is short or would cross the line."""
    crosses = even < share < min(even + 0.2, 0.8)
    return _bar(name, f"{ratio(value)} ×", share, share > 0.5 and not crosses)


def _bar(name: str, number: str, share: float, is_on_bar: bool) -> str:
    return (
        f'<span class="name">{_escaped(name)}</span>'
        f'<span class="premium {"on" if is_on_bar else "beside"}" style="--at:{share:.4f}"><b>{number}</b></span>'
    )


def _escaped(words: str) -> str:
    return html.escape(without_breaks(words))
