"""What the same message costs in Thai and in English: a sentence, a picture, and why."""

import html
from collections.abc import Sequence

import streamlit as st

from pages.ui.frame.navigation import page
from pages.ui.i18n import t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_premiums, sample_text
from pages.ui.widgets.colours import CATEGORIES, INK, ON_BAR, QUIET
from pages.ui.widgets.controls import answer, fold
from pages.ui.widgets.formatting import ratio

_STYLE = f"""<style>
.premiums {{ display: grid; grid-template-columns: max-content 1fr; gap: .6rem .75rem; align-items: center;
  position: relative; padding-block: 1.75rem .25rem; font-size: 1.25rem; color: {INK.css}; }}
.premiums .name {{ font-size: 1.0625rem; text-align: end; grid-column: 1; line-height: 1.6; }}
.premiums .bar {{ inline-size: calc(100% * var(--at)); block-size: 2.25rem; border-radius: 0 .3rem .3rem 0;
  background: {CATEGORIES[0].css}; position: relative; grid-column: 2; }}
.premiums b {{ position: absolute; inset-block: 0; line-height: 2.25rem; font-weight: 600; white-space: nowrap; }}
.premiums .on b {{ inset-inline-end: .5rem; color: {ON_BAR.css}; }}
.premiums .beside b {{ inset-inline-start: calc(100% + .5rem); }}
.premiums .even {{ grid-column: 2; position: absolute; inset-block: 0;
  inset-inline-start: calc(100% * var(--at)); border-inline-start: 2px dashed {QUIET.css}; }}
.premiums .even span {{ padding-inline-start: .4rem; font-size: .9375rem; white-space: nowrap; color: {QUIET.css};
  line-height: 1.6; }}
</style>"""


def say_premium() -> None:
    """Say the highest and the lowest premium in a sentence."""
    if premiums := _premiums():
        answer(_said(premiums, stressed="**{}**"), key="premium")


def premium_section() -> None:
    """Draw all premiums as bars, and the way to more."""
    premiums = _premiums()
    if not premiums:
        return  # the page says which files are missing
    st.html(_STYLE + bars_html(premiums, _said(premiums)))
    st.caption(t("home.bill_source", lines=_lines()))
    with fold(t("home.why"), icon=":material/help:", key="home_why"):
        st.markdown(t("home.what_is_a_token"))
        st.markdown(t("home.bill_why"))
        st.markdown(t("home.bill_elsewhere"))
    with st.container(horizontal=True):
        st.page_link(page("languages"), label=t("home.bill_more"), icon=":material/arrow_forward:")
        st.page_link(page("patterns"), label=t("home.patterns_more"), icon=":material/arrow_forward:")


def _premiums() -> list[tuple[str, float]]:
    return sorted(sample_premiums(), key=lambda each: -each[1])


def _said(premiums: Sequence[tuple[str, float]], stressed: str = "{}") -> str:
    (dear, most), (cheap, least) = premiums[0], premiums[-1]
    figures = {"most": stressed.format(ratio(most)), "least": stressed.format(ratio(least))}
    names = {"dear": t(f"tokenizers.{dear}"), "cheap": t(f"tokenizers.{cheap}")}
    return t("home.bill", lines=_lines(), **names, **figures)


def _lines() -> int:
    return len(sample_text("parallel.th.txt").splitlines())


def bars_html(premiums: Sequence[tuple[str, float]], says: str) -> str:
    """Return a bar for each tokenizer with its number, and a line where Thai costs as much as English.

    It is plain HTML: the library of charts is as large as all else that Home needs, and slow on a phone.
    """
    most = max(max(value for _, value in premiums), 1.0)
    rows = "".join(_bar(t(f"tokenizers.{name}"), value, value / most) for name, value in premiums)
    even = f'<div class="even" style="--at:{1 / most:.4f}"><span>{_escaped(t("home.bill_even"))}</span></div>'
    return f'<div class="premiums" role="img" aria-label="{_escaped(says)}">{rows}{even}</div>'


def _bar(name: str, value: float, share: float) -> str:
    place = "on" if share > 0.5 else "beside"
    return (
        f'<span class="name">{_escaped(name)}</span>'
        f'<span class="bar {place}" style="--at:{share:.4f}"><b>{ratio(value)} ×</b></span>'
    )


def _escaped(words: str) -> str:
    return html.escape(without_breaks(words))
