"""Numbers as people read them: the same number looks the same on every page."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st

from pages.ui.i18n import t
from tokenizer_core.analysis.bootstrap import SHARE
from tokenizer_core.readers.labels import opening
from tokenizer_core.saved_runs.entry import LAST_SECOND

NONE = "–"
"""Shown in place of a number that is undefined or unknown."""
LISTED_CHARACTERS = 60


def beginning(line: str) -> str:
    """Return a line for a table: at most 60 characters, with "…" after them if there are more.

    >>> beginning("ก" * 60) == "ก" * 60, beginning("ก" * 61) == "ก" * 60 + "…"
    (True, True)
    """
    return line if len(line) <= LISTED_CHARACTERS else opening(line, LISTED_CHARACTERS).rstrip() + "…"


def ratio(value: float | None) -> str:
    """Write a ratio with two decimals below 10, and with one from 10 up; a dash for None.

    >>> ratio(9.046), ratio(0.5), ratio(9.996), ratio(23.04), ratio(1234.5)
    ('9.05', '0.50', '10.0', '23.0', '1,234.5')
    """
    if value is None:
        return NONE
    return f"{value:,.1f}" if round(value, 2) >= 10 else f"{value:.2f}"


def premium(value: float | None) -> str:
    """Write a ratio with the sign for times, or a dash for None."""
    return NONE if value is None else t("languages.times", premium=ratio(value))


def interval(bounds: tuple[float, float] | None) -> str:
    """Write the bounds of an interval of ratios; nothing for None.

    >>> interval((1.0234, 1.0912)), interval(None)
    ('1.02–1.09', '')
    """
    return f"{ratio(bounds[0])}–{ratio(bounds[1])}" if bounds else ""


def resampled(premiums: Iterable[tuple[str, tuple[float, float] | None]], *, pairs: int) -> str:
    """Say how far other sentence pairs could move the premiums of tokenizers; nothing without bounds."""
    ranges = [
        t("interval.of", tokenizer=name, low=ratio(bounds[0]), high=ratio(bounds[1]))
        for name, bounds in premiums
        if bounds
    ]
    return t("interval.says", pairs=pairs, share=share(SHARE), ranges=", ".join(ranges)) if ranges else ""


def share(part: float) -> str:
    """Write a share in whole percent; only 0 becomes 0%, and only 1 becomes 100%.

    >>> share(0.0), share(0.001), share(0.256), share(0.9996), share(1.0)
    ('0%', '<1%', '26%', '>99%', '100%')
    """
    if 0 < part < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= part < 1 else f"{part:.0%}"


def fine_share(part: float | None) -> str:
    """Write a share in tenths of a percent, or a dash for None; only 0 becomes 0%, and only 1 becomes 100%.

    >>> [fine_share(part) for part in (None, 0.0, 0.00001, 0.2219, 0.9996, 1.0)]
    ['–', '0%', '<0.1%', '22.2%', '>99.9%', '100%']
    """
    if part is None:
        return NONE
    if 0 < part < 0.0005:
        return "<0.1%"
    if 0.9995 <= part < 1:
        return ">99.9%"
    return f"{part:.0%}" if part in (0, 1) else f"{part:.1%}"


def kilobytes(count: int, *, exact_below: int = 0) -> str:
    """Write bytes in thousands, as a whole number; with one decimal below `exact_below` bytes.

    >>> kilobytes(2_234_567), kilobytes(9_949, exact_below=10_000)
    ('2,235', '9.9')
    """
    return f"{count / 1000:,.1f}" if count < exact_below else f"{count / 1000:,.0f}"


def large_size(count: int) -> str:
    """Write bytes in the largest unit that leaves a number of at least 1, with two or three digits.

    >>> large_size(2_234), large_size(57_400_000), large_size(100_000_000_000), large_size(12)
    ('2.2 kB', '57 MB', '100 GB', '0.0 kB')
    """
    size, unit = next(
        (count / scale, name)
        for scale, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
        if count >= scale or name == "kB"
    )
    return f"{size:,.1f} {unit}" if size < 10 else f"{size:,.0f} {unit}"


def money(amount: float) -> str:
    """Write an amount with at least two decimals, and with as many as a small amount needs; halves are rounded up.

    >>> money(1234.5), money(0.285), money(0.0214), money(0.000000123), money(0.0)
    ('1,234.50', '0.29', '0.0214', '0.000000123', '0.00')
    """
    amount *= 1 + 1e-12  # 0.285 is kept as a little less
    if amount >= 0.1 or amount == 0:
        return f"{amount:,.2f}"
    return f"{amount:.12f}".rstrip("0") if amount < 1e-9 else f"{float(f'{amount:.3g}'):.12f}".rstrip("0")


def money_like(amounts: Iterable[float]) -> Callable[[float], str]:
    """Return a function that writes the amounts of one column: those below 1 with the decimals of the smallest.

    >>> list(map(money_like([0.1786, 0.02926, 3.0]), [0.1786, 0.02926, 3.0]))
    ['0.1786', '0.0293', '3.00']
    """
    decimals = max((len(money(amount).partition(".")[2]) for amount in amounts), default=2)
    return lambda amount: f"{amount:,.{2 if amount >= 1 else decimals}f}"


def dated(seconds: float) -> str:
    """Write a moment by the clock of the visitor's browser.

    >>> len(dated(0.0))
    16
    """
    zone = None
    with suppress(KeyError, ValueError, OSError):
        zone = ZoneInfo(st.context.timezone or "")
    moment = min(max(0.0, seconds), LAST_SECOND - 1.0)  # a file may be of any date
    return datetime.fromtimestamp(moment, zone).strftime("%Y-%m-%d %H:%M")
