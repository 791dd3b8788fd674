"""What can be taken from the languages page: table, pictures, report."""

import csv
import html.parser
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import filled
from pages.ui.languages.charts import Bar, bars_svg, bins, distribution_svg
from pages.ui.widgets.printing import MARGIN
from tests.helpers.app import ENGLISH, LANGUAGES, Cells
from tests.helpers.browser import PATIENCE
from tests.helpers.languages_page import by_hand, make_csv_and_report, opened
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES


def ran(script: Callable[[], None]) -> AppTest:
    app = AppTest.from_function(script, default_timeout=PATIENCE).run()
    assert not app.exception
    return app


def test_the_csv_has_the_exact_numbers() -> None:
    app = ran(make_csv_and_report)
    rows = list(csv.DictReader(io.StringIO(app.session_state["csv"].decode("utf-8-sig"))))
    assert [int(row["tokens"]) for row in rows[:2]] == [
        by_hand("gpt2", THAI_LINES),
        by_hand("gpt2", ENGLISH_LINES),
    ]
    assert float(rows[0]["premium"]) == by_hand("gpt2", THAI_LINES) / by_hand("gpt2", ENGLISH_LINES)
    assert float(rows[0]["cost"]) == by_hand("gpt2", THAI_LINES) * 2.5 / 1e6
    assert rows[0]["joining"] == "lines"


def test_a_formula_in_a_name_is_harmless_and_markup_is_escaped() -> None:
    app = ran(make_csv_and_report)
    assert b"'=East" in app.session_state["csv"]
    report = app.session_state["html"].decode()
    assert "<b>" not in report
    assert "&lt;b&gt;West" in report


def test_the_report_needs_nothing_but_itself() -> None:
    app = ran(make_csv_and_report)
    report = app.session_state["html"].decode()
    assert report.startswith("<!doctype html>")
    assert not re.search(r"<script|<link|<img|src=|@import|url\(", report)
    assert "http" not in report.replace('xmlns="http://www.w3.org/2000/svg"', "")
    reader = Cells()
    reader.feed(report)
    assert len(reader.tables) == 3
    assert report.count("<svg") == 2
    assert f"{by_hand('gpt2', THAI_LINES):,}" in report


def test_a_month_in_the_report_is_by_the_tokenizer_that_counts_the_receipt() -> None:
    report = ran(make_csv_and_report).session_state["html"].decode()
    month = by_hand("o200k_base", THAI_LINES) / len(THAI_LINES) * 1_000 * 30 * 2.5 / 1e6
    assert f"<p>{month:.2f} in =East" in report


def test_a_report_says_what_the_page_says_of_who_counts_the_receipt_and_explains_what_it_has() -> None:
    report = ran(make_csv_and_report).session_state["html"].decode()
    premiums = [by_hand(name, THAI_LINES) / by_hand(name, ENGLISH_LINES) for name in ("gpt2", "o200k_base")]
    headline = report.partition("<h1>")[2].partition("</h1>")[0]
    assert all(f"{premium:.2f}" in headline for premium in premiums)
    assert headline.index(f"{premiums[1]:.2f}") < headline.index(f"{premiums[0]:.2f}")
    assert "GPT-4o" in report.partition("<svg")[2].partition("<svg")[2].partition("</svg>")[0]
    assert f"<dt>{ENGLISH['metrics.premium']}</dt>" in report
    assert f"<dt>{ENGLISH['metrics.fertility']}</dt>" not in report


def test_the_report_says_what_may_be_wrong_with_the_texts() -> None:
    app = ran(_report_of_doubtful_texts)
    report = html.unescape(app.session_state["html"].decode())
    assert filled(ENGLISH["languages.empty_some"], count=1, line=2) in report


def _report_of_doubtful_texts() -> None:
    import streamlit as st

    from pages.ui.inputs.parallel_texts import Compared
    from pages.ui.inputs.tokenizers import reference_lanes
    from pages.ui.languages.bill import Terms
    from pages.ui.languages.counts import bills
    from pages.ui.languages.report import report_html
    from tokenizer_core.readers.parallel import parallel_texts

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
        heading, drawn = title_and_drawing(each["svg"])
        assert heading
        assert drawn


SVG = "{http://www.w3.org/2000/svg}"


def title_and_drawing(svg: str) -> tuple[str, list[ET.Element]]:
    """The title that a picture shows, and what is drawn, which all lies within margins."""
    root = ET.fromstring(svg)
    assert (root.tag, root.attrib["viewBox"]) == (
        f"{SVG}svg",
        f"0 0 {root.attrib['width']} {root.attrib['height']}",
    )
    (group,) = root.findall(f"{SVG}g")
    left, top = (int(number) for number in re.findall(r"\d+", group.attrib["transform"]))
    headings = root.findall(f"{SVG}text")
    assert all(MARGIN < float(each.attrib["y"]) < top for each in headings)
    drawn = list(group)
    for box in group.iter(f"{SVG}rect"):
        right = left + float(box.attrib["x"]) + float(box.attrib["width"])
        bottom = top + float(box.attrib["y"]) + float(box.attrib["height"])
        assert right <= int(root.attrib["width"]) - MARGIN
        assert bottom <= int(root.attrib["height"]) - MARGIN
    return " ".join("".join(each.itertext()) for each in headings), drawn


def test_a_picture_shows_its_title_in_as_many_lines_as_it_needs() -> None:
    title = "Tokens of the same message " * 5
    heading, _ = title_and_drawing(bars_svg([Bar("A", "b", 3, "b 3", 0)], title=title, says=""))
    assert heading == title.strip()


def test_pictures_are_whole_and_escaped() -> None:
    bars = [Bar("<A>", "&b", 10, "&b 10 <script>", 0), Bar("<A>", "c", 0, "c 0", 3)]
    drawn_bars = ET.fromstring(bars_svg(bars, title='"<x>"', says="&"))
    assert "".join(drawn_bars.itertext()).count("<script>") == 1
    assert not drawn_bars.findall(".//{http://www.w3.org/2000/svg}script")
    found = bins(np.array([1.0, 2.0, 3.0]))
    assert ET.fromstring(distribution_svg(found, 2.0, title="<t>"))
    assert ET.fromstring(bars_svg([], title="", says=""))
