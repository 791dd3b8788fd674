"""The languages page with its views and uploads, and counts made by hand."""

from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui.i18n.breaks import without_breaks
from pages.ui.languages.comparison import FOLDS
from tests.helpers.app import got_by, open_page, sortable_tables
from tokenizer_core.bpe.openai import openai_tokenizer


def opened(language: str = "en", view: str = "table") -> AppTest:
    """The page with this fold open."""
    return unfolded(open_page("languages", language), view)


def unfolded(app: AppTest, view: str) -> AppTest:
    """The page after this fold was opened, and the others closed."""
    for name in FOLDS:
        app.session_state[f"languages_{name}"] = name == view
    app.run()
    assert not app.exception
    return app


def box_of(app: AppTest, kind: str, name: str) -> Any:
    """The first box of this kind whose key begins with `languages_` and this name."""
    return next(box for box in app.get(kind) if str(box.key).startswith(f"languages_{name}"))


def method(app: AppTest) -> str:
    """What the table says of how it was counted."""
    return " ".join(each.value for each in app.markdown)


def bills(app: AppTest) -> dict[tuple[str, str], list[str]]:
    """The table of bills, by tokenizer and language; its fold closes when there is nothing to compare."""
    shown = app if sortable_tables(app) else unfolded(app, "table")
    return {(without_breaks(row[0]), row[1]): row[2:] for row in sortable_tables(shown)[0][1:]}


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

    names = ("=East", "<b>West")
    sample = replace(sample_parallel(), names=names)
    compared = Compared(sample, names, names, False, 1, "lines", typed=names)
    lanes = reference_lanes()
    found = bills(compared, lanes)
    st.session_state["csv"] = csv_of(compared, found, Terms(1_000, 2.5))
    st.session_state["html"] = report_html(compared, found, Terms(1_000, 2.5), lanes[-1])


def receipt_on(app: AppTest) -> dict[str, Any] | None:
    """What the receipt on the page got."""
    assert not app.exception
    return got_by(app, "receipt")


def receipt_of(app: AppTest) -> dict[str, Any]:
    found = receipt_on(app)
    assert found is not None
    return found
