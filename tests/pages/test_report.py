"""What can be taken from the languages page: table, pictures, report."""

import csv
import html.parser
import io
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.languages.charts import Bar, bars_svg, bins, distribution_svg
from tests.helpers.app import (
    ENGLISH,
    LANGUAGES,
    Cells,
)
from tests.helpers.browser import PATIENCE
from tests.helpers.languages_page import by_hand, make_csv_and_report, opened
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES


def test_the_csv_has_the_exact_numbers() -> None:
    app = AppTest.from_function(make_csv_and_report, default_timeout=PATIENCE)
    app.run()
    assert not app.exception
    rows = list(csv.DictReader(io.StringIO(app.session_state["csv"].decode("utf-8-sig"))))
    assert [int(row["tokens"]) for row in rows[:2]] == [
        by_hand("gpt2", THAI_LINES),
        by_hand("gpt2", ENGLISH_LINES),
    ]
    assert float(rows[0]["premium"]) == by_hand("gpt2", THAI_LINES) / by_hand("gpt2", ENGLISH_LINES)
    assert float(rows[0]["cost"]) == by_hand("gpt2", THAI_LINES) * 2.5 / 1e6
    assert rows[0]["joining"] == "lines"


def test_a_formula_in_a_name_is_harmless_and_markup_is_escaped() -> None:
    app = AppTest.from_function(make_csv_and_report, default_timeout=PATIENCE)
    app.run()
    assert b"'=Thai" in app.session_state["csv"]
    report = app.session_state["html"].decode()
    assert "<b>" not in report
    assert "&lt;b&gt;English" in report


def test_the_report_needs_nothing_but_itself() -> None:
    app = AppTest.from_function(make_csv_and_report, default_timeout=PATIENCE)
    app.run()
    report = app.session_state["html"].decode()
    assert report.startswith("<!doctype html>")
    assert not re.search(r"<script|<link|<img|src=|@import|url\(", report)
    assert "http" not in report.replace('xmlns="http://www.w3.org/2000/svg"', "")
    reader = Cells()
    reader.feed(report)
    assert len(reader.tables) == 3
    assert report.count("<svg") == 2
    assert f"{by_hand('gpt2', THAI_LINES):,}" in report


def test_the_report_says_what_may_be_wrong_with_the_texts() -> None:
    app = AppTest.from_function(_report_of_doubtful_texts, default_timeout=PATIENCE)
    app.run()
    report = html.unescape(app.session_state["html"].decode())
    assert ENGLISH["languages.empty_some"].format(count=1, line=2) in report


def _report_of_doubtful_texts() -> None:
    import streamlit as st

    from pages.ui.choices.parallel_texts import Compared
    from pages.ui.choices.tokenizers import reference_lanes
    from pages.ui.languages.bill import Terms
    from pages.ui.languages.counts import bills
    from pages.ui.languages.report import report_html
    from tokenizer_core.texts.parallel import parallel_texts

    names = ("<th>", "en")
    compared = Compared(parallel_texts(names, ["ก\nข\n", "a\n\n"]), names, names, False, 1, "lines")
    st.session_state["html"] = report_html(compared, bills(compared, reference_lanes()), Terms(1_000, None))


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_can_be_taken_away(language: str) -> None:
    app = opened(language, "take_away")
    assert len(app.get("download_button")) == 4
    pictures = [
        json.loads(bytes(each.proto.bytes))
        for each in app.get("bidi_component")
        if "picture_button" in each.proto.component_name
    ]
    assert [each["file"] for each in pictures] == ["languages-bars.png", "languages-distribution.png"]
    for each in pictures:
        assert ET.fromstring(each["svg"]).tag.endswith("svg")


def test_pictures_are_whole_and_escaped() -> None:
    bars = [Bar("<A>", "&b", 10, "&b 10 <script>", 0), Bar("<A>", "c", 0, "c 0", 5)]
    drawn_bars = ET.fromstring(bars_svg(bars, title='"<x>"'))
    assert "".join(drawn_bars.itertext()).count("<script>") == 1
    assert not drawn_bars.findall(".//{http://www.w3.org/2000/svg}script")
    found = bins(np.array([1.0, 2.0, 3.0]))
    assert ET.fromstring(distribution_svg(found, 2.0, title="<t>", overall_name="&", times=str))
    assert ET.fromstring(bars_svg([], title=""))
    assert ET.fromstring(distribution_svg([], None, title="", overall_name="", times=str))
