"""The languages page with its views and uploads, and counts made by hand."""

from streamlit.testing.v1 import AppTest

from pages.ui.i18n.breaks import without_breaks
from tests.helpers.app import open_page, sortable_tables
from tokenizer_core.bpe.openai import openai_tokenizer


def opened(language: str = "en", view: str = "bills") -> AppTest:
    """The page in this view."""
    app = open_page("languages", language)
    if view != "bills":
        app.segmented_control(key="languages_view").set_value(view).run()
    assert not app.exception
    return app


def bills(app: AppTest) -> dict[tuple[str, str], list[str]]:
    """The table of bills, by tokenizer and language."""
    return {(without_breaks(row[0]), row[1]): row[2:] for row in sortable_tables(app)[0][1:]}


def by_hand(name: str, side: list[str]) -> int:
    encode = openai_tokenizer(name).encode
    return sum(len(encode(line)) for line in side)


def make_csv_and_report() -> None:
    from dataclasses import replace

    import streamlit as st

    from pages.ui.inputs.parallel_texts import Compared, sample_parallel
    from pages.ui.inputs.tokenizers import reference_lanes
    from pages.ui.languages.bill import Terms
    from pages.ui.languages.counts import bills
    from pages.ui.languages.report import csv_of, report_html

    names = ("=Thai", "<b>English")
    compared = Compared(replace(sample_parallel(), names=names), names, names, False, 1, "lines")
    found = bills(compared, reference_lanes())
    st.session_state["csv"] = csv_of(compared, found, Terms(1_000, 2.5))
    st.session_state["html"] = report_html(compared, found, Terms(1_000, 2.5))
