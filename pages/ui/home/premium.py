"""What the same message costs in Thai and in English: a sentence, a picture, and why."""

from collections.abc import Sequence
from functools import cache

import streamlit as st

from pages.ui.frame.navigation import page
from pages.ui.i18n import language, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_premiums, sample_text
from pages.ui.session import Value
from pages.ui.widgets.bars import BARS_CSS, premium_bars
from pages.ui.widgets.controls import answer, fold
from pages.ui.widgets.formatting import ratio
from pages.ui.widgets.slides import Slide

_ASKS_WHY: Value[bool] = Value("home_why", bool)


def say_premium() -> None:
    """Say the highest and the lowest premium in a sentence, and draw all as bars."""
    if premiums := _premiums():
        answer(_said(premiums, stressed="**{}**"), key="premium")
        st.html(f"<style>{BARS_CSS}</style>{_bars(premiums)}")


def premium_section() -> None:
    """Say what the premiums are of and why, and lead to more."""
    if not _premiums():
        return  # the page says which files are missing
    st.caption(t("home.bill_source", lines=_lines()))
    with fold(t("home.why"), icon=":material/help:", key=_ASKS_WHY.key):
        if _ASKS_WHY.get():
            st.markdown(t("home.what_is_a_token"))
            st.markdown(t("home.bill_why"))
            st.markdown(t("home.bill_elsewhere"))
    with st.container(horizontal=True):
        st.page_link(page("languages"), label=t("home.bill_more"), icon=":material/arrow_forward:")
        st.page_link(page("patterns"), label=t("home.patterns_more"), icon=":material/arrow_forward:")


def premium_slides() -> list[Slide]:
    """Return the same sentence and bars, to fill the screen."""
    if not (premiums := _premiums()):
        return []
    said = _said(premiums, stressed="**{}**")
    return [Slide("bars", title={language(): without_breaks(said)}, html=_bars(premiums))]


def _bars(premiums: Sequence[tuple[str, float]]) -> str:
    named = [(t(f"tokenizers.{name}_dated"), value) for name, value in premiums]
    return premium_bars(named, base=t("languages.en"), says=_said(premiums))


def _premiums() -> list[tuple[str, float]]:
    return sorted(sample_premiums(), key=lambda each: -each[1])


def _said(premiums: Sequence[tuple[str, float]], stressed: str = "{}") -> str:
    (dear, most), (cheap, least) = premiums[0], premiums[-1]
    figures = {"most": stressed.format(ratio(most)), "least": stressed.format(ratio(least))}
    names = {"dear": t(f"tokenizers.{dear}_dated"), "cheap": t(f"tokenizers.{cheap}_dated")}
    return t("home.bill", lines=_lines(), **names, **figures)


@cache
def _lines() -> int:
    return len(sample_text("parallel.th.txt").splitlines())
