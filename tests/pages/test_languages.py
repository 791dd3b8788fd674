"""The languages page, run without a browser: bills, pairs, metrics, stories, what is taken away, and bad input."""

import csv
import html.parser
import io
import json
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

from pages.ui.languages.bill import VIEWS
from pages.ui.languages.charts import Bar, bars_svg, bins, distribution_svg
from pages.ui.languages.pairs import ranking
from pages.ui.languages.stories import STORIES
from pages.ui.words import catalogue
from tests.helpers.app import (
    HOSTILE_HTML,
    LANGUAGES,
    Cells,
    counts,
    drawn,
    open_page,
    said,
    sortable_tables,
    start_training,
    tables,
    wait_until,
)
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tokenizer_core.openai import RANK_FILES, openai_tokenizer

ENGLISH = catalogue("en")
THAI_LINES, ENGLISH_LINES = (
    (REPOSITORY / "sample_data" / f"parallel.{name}.txt").read_text(encoding="utf-8").splitlines()
    for name in ("th", "en")
)


def opened(language: str = "en", view: str = "bills") -> AppTest:
    """The page in this view."""
    app = open_page("languages", language)
    if view != "bills":
        app.segmented_control(key="languages_view").set_value(view).run()
    assert not app.exception
    return app


def upload(*files: tuple[str, bytes | str], language: str = "en", view: str = "bills") -> AppTest:
    """The page after files were uploaded."""
    app = opened(language, view)
    app.segmented_control(key="languages_source").set_value("upload").run()
    contents = [(name, each.encode() if isinstance(each, str) else each, "text/plain") for name, each in files]
    app.file_uploader(key="languages_files").set_value(contents).run()
    assert not app.exception
    return app


def lines(*each: str) -> str:
    return "".join(f"{line}\n" for line in each)


def bills(app: AppTest) -> dict[tuple[str, str], list[str]]:
    """The table of bills, by tokenizer and language."""
    return {(row[0], row[1]): row[2:] for row in sortable_tables(app)[0][1:]}


def by_hand(name: str, side: list[str]) -> int:
    encode = openai_tokenizer(name).encode
    return sum(len(encode(line)) for line in side)


# ---- the bills


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_plain_sentence_stands_first(language: str) -> None:
    app = opened(language)
    words = catalogue(language)
    premium = by_hand("gpt2", THAI_LINES) / by_hand("gpt2", ENGLISH_LINES)
    expected = words["languages.says"].format(
        tokenizer="GPT-2", premium=f"{premium:.2f}", language=words["languages.th"], base=words["languages.en"]
    )
    least = by_hand("o200k_base", THAI_LINES) / by_hand("o200k_base", ENGLISH_LINES)
    least_said = words["languages.says_least"].format(tokenizer="GPT-4o (o200k)", premium=f"{least:.2f}")
    assert app.header[0].value == f"{expected} {least_said}"
    app.pills(key="languages_names_False").set_value(["gpt2"]).run()
    assert app.header[0].value == expected


def test_tokens_and_premiums_are_those_counted_by_hand() -> None:
    found = bills(opened())
    for name, shown in (("gpt2", "GPT-2"), ("cl100k_base", "GPT-4 (cl100k)"), ("o200k_base", "GPT-4o (o200k)")):
        thai, english = by_hand(name, THAI_LINES), by_hand(name, ENGLISH_LINES)
        assert found[shown, "Thai"][:2] == [f"{thai:,}", f"{thai / english:.2f} ×"]
        assert found[shown, "English"][:2] == [f"{english:,}", "1.00 ×"]


@pytest.mark.parametrize(("joining", "premium"), [("lines", "6.10"), ("whole", "5.90"), ("space", "6.16")])
def test_every_joining_has_its_own_premium_and_is_said(joining: str, premium: str) -> None:
    app = opened()
    app.segmented_control(key="languages_joining").set_value(joining).run()
    assert bills(app)["GPT-2", "Thai"][1] == f"{premium} ×"
    assert ENGLISH[f"languages.how_{joining}"] in app.caption[0].value


def test_the_base_can_be_turned_round() -> None:
    app = opened()
    app.selectbox[0].set_value(0).run()
    assert float(bills(app)["GPT-2", "English"][1].split()[0]) == pytest.approx(1 / 6.10, abs=0.01)


def test_a_window_shows_what_is_left_and_what_does_not_fit() -> None:
    app = opened()
    app.number_input(key="languages_window").set_value(20_000).run()
    found = bills(app)
    english = by_hand("gpt2", ENGLISH_LINES)
    assert found["GPT-2", "English"][2] == f"{20_000 - english:,} ({1 - english / 20_000:.0%})"
    too_many = f"{by_hand('gpt2', THAI_LINES) - 20_000:,}"
    assert found["GPT-2", "Thai"][2] == ENGLISH["languages.too_long"].format(tokens=too_many)


def test_a_price_gives_the_cost() -> None:
    app = opened()
    assert len(sortable_tables(app)[0][0]) == 5
    app.text_input(key="languages_price").set_value("$2.50").run()
    assert bills(app)["GPT-2", "Thai"][3] == f"{by_hand('gpt2', THAI_LINES) * 2.5 / 1e6:.4f}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("price", ["cheap", "-1", "1.2.3", "nan", HOSTILE_HTML[:40]])
def test_a_price_that_is_no_number_is_said_and_costs_nothing(price: str, language: str) -> None:
    app = opened(language)
    app.text_input(key="languages_price").set_value(price).run()
    assert not app.exception
    assert len(app.error) == 1
    assert catalogue(language)["errors.price_no_number"].partition("{")[0] in app.error[0].value
    assert len(sortable_tables(app)[0][0]) == 5


def test_without_a_tokenizer_the_page_asks_for_one() -> None:
    app = opened()
    app.pills(key="languages_names_False").set_value([]).run()
    assert not app.exception
    assert ENGLISH["compare.choose_one"] in said(app)


def test_ones_own_tokenizer_is_in_the_bills() -> None:
    app = start_training(size=600)
    wait_until(app, lambda: bool(app.success))
    app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run()
    assert not app.exception
    assert (ENGLISH["tokenizers.mine"], "Thai") in bills(app)
    assert ENGLISH["languages.own_note"] in [each.value for each in app.caption]


def test_a_missing_rank_file_leaves_the_other_tokenizers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    import shutil
    from pathlib import Path

    broken = Path(str(tmp_path)) / "ranks"
    shutil.copytree(RANK_FILES, broken)
    (broken / "fb374d419588a4632f3f557e76b4b70aebbca790").unlink()
    monkeypatch.setattr("tokenizer_core.openai.RANK_FILES", broken)
    openai_tokenizer.cache_clear()
    try:
        for view in VIEWS:
            app = opened(view=view)
            assert len(app.error) >= 1
    finally:
        openai_tokenizer.cache_clear()


# ---- pair by pair


def test_the_most_unfair_pair_is_the_one_with_the_highest_premium() -> None:
    app = opened(view="pairs")
    encode = openai_tokenizer("gpt2").encode
    premiums = [len(encode(a)) / len(encode(b)) for a, b in zip(THAI_LINES, ENGLISH_LINES, strict=True)]
    worst = max(range(len(premiums)), key=premiums.__getitem__)
    thai, english = drawn(app)
    assert (thai["text"], english["text"]) == (THAI_LINES[worst], ENGLISH_LINES[worst])
    assert f"line {worst + 1}" in " ".join(element.value for element in app.markdown)
    shown = tables(app)[0]
    assert shown[1][1:3] == [f"{worst + 1}", f"{premiums[worst]:.1f} ×"]


def test_pairs_can_be_walked_in_each_order() -> None:
    app = opened(view="pairs")
    app.segmented_control(key="languages_order").set_value("file").run()
    app.number_input[0].set_value(2).run()
    assert [view["text"] for view in drawn(app)] == [THAI_LINES[1], ENGLISH_LINES[1]]
    app.segmented_control(key="languages_order").set_value("cheapest").run()
    app.number_input[0].set_value(483).run()
    assert ENGLISH["languages.most_unfair"].partition(",")[0] in " ".join(each.value for each in app.markdown)


def test_pairs_without_a_premium_come_last() -> None:
    premiums = np.array([2.0, np.nan, 1.0, 2.0])
    assert ranking(premiums, "dearest").tolist() == [0, 3, 2, 1]
    assert ranking(premiums, "cheapest").tolist() == [2, 0, 3, 1]
    assert ranking(premiums, "file").tolist() == [0, 1, 2, 3]


def test_the_distribution_counts_every_pair_once() -> None:
    app = opened(view="pairs")
    chart = app.get("vega_lite_chart")[0]
    assert json.loads(chart.proto.spec)["layer"]
    values = np.array([0.5, 1.0, 1.04, 3.0, np.nan, np.inf, 250.0])
    assert sum(each.pairs for each in bins(values)) == 5
    assert bins(values)[-1].end >= 250.0
    assert len(bins(np.linspace(0.1, 9_999, 5_000))) <= 40
    assert bins(np.array([np.nan])) == []
    assert sum(each.pairs for each in bins(np.full(7, 1.5))) == 7


# ---- metrics


def metric(app: AppTest, name: str, language: str = "en") -> list[str]:
    """The figures of a metric by tokenizer."""
    rows = {row[0]: row[1:] for row in tables(app)[0]}
    return rows[catalogue(language)[f"metrics.{name}"]]


def test_metrics_are_those_of_the_texts() -> None:
    app = opened(view="metrics")
    characters = sum(map(len, THAI_LINES))
    assert metric(app, "characters") == [f"{characters:,}"] * 3
    assert metric(app, "bytes") == [f"{sum(len(line.encode()) for line in THAI_LINES):,}"] * 3
    assert metric(app, "characters_per_token")[0] == f"{characters / by_hand('gpt2', THAI_LINES):.2f}"
    assert metric(app, "thai_entries") == ["0", "58", "1,545"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_metric_has_its_definition(language: str) -> None:
    app = opened(language, "metrics")
    words = catalogue(language)
    defined = app.markdown[-1].value
    for row in tables(app)[0][1:]:
        assert f"**{row[0]}**" in defined
    for name in ("characters_per_token", "bytes_per_token"):
        assert {"en": "within one language only", "th": "เฉพาะในภาษาเดียวกัน"}[language] in words[f"metrics.{name}"]


def test_without_pythainlp_thai_words_are_absent_and_the_page_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pythainlp", None)
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", None)
    monkeypatch.setattr(
        "pages.ui.languages.counts._segmenters", type("None", (), {"get": lambda s, k, make: make()})()
    )
    app = opened(view="metrics")
    app.toggle(key="languages_words").set_value(True).run()
    assert not app.exception
    shown = [row[0] for row in tables(app)[0]]
    assert not {ENGLISH[f"metrics.{name}"] for name in ("words", "fertility", "continued_words")} & set(shown)
    assert ENGLISH["metrics.no_segmenter"].format(package="pythainlp") in app.caption[-1].value


def test_english_words_stand_between_spaces_and_the_segmenter_is_named() -> None:
    app = opened(view="metrics")
    app.toggle(key="languages_words").set_value(True).run()
    app.selectbox[1].set_value(1).run()
    words = sum(bool(re.search(r"\w", word)) for line in ENGLISH_LINES for word in line.split())
    assert metric(app, "words") == [f"{words:,}"] * 3
    assert metric(app, "fertility")[0] == f"{by_hand('gpt2', ENGLISH_LINES) / words:.2f}"
    assert any(ENGLISH["metrics.white_space"] in each.value for each in app.caption)


# ---- stories


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", STORIES)
def test_a_story_is_one_click_away(name: str, language: str) -> None:
    app = opened(language, "stories")
    app.pills(key="languages_story").set_value(name).run()
    assert not app.exception
    assert not app.error
    told = app.markdown[-1].value
    assert not re.search(r"[{}]", told)
    assert re.search(r"\*\*[\d,]+\*\*", told)
    assert drawn(app)


def story(name: str) -> dict[str, int]:
    """The figures of a story."""
    return dict(STORIES[name]().figures)


def test_stories_hold_what_their_names_promise() -> None:
    assert len(STORIES) >= 8
    home = story("home_made")
    assert home["own"] < home["other"]
    turned = story("tables_turned")
    assert turned["english"] > 2 * turned["thai"]
    assert story("no_letter")["gpt2_entries"] == 0
    assert story("never")["gpt2"] > story("never")["llama3"] > story("never")["mark_aware"]
    twins = story("twins")
    assert twins["o200k_base_right"] < twins["o200k_base_twin"]
    doctor = story("doctor")
    assert (doctor["gpt2_thai"], doctor["cl100k_base_thai"], doctor["o200k_base_thai"]) == (124, 63, 29)


def test_the_numbers_of_a_story_are_counted_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [text for key, text in ENGLISH.items() if key.startswith("stories.") and key.endswith("_says")]
    plain = re.compile(r"(?<!GPT-)(?<![\w.-])[0-9]+(?![\w-])")
    assert [found for text in words for found in plain.findall(re.sub(r"\{\w+\}|Llama 3|2567", "", text))] == []


def test_the_drawing_of_a_story_has_the_counts_of_its_sentence() -> None:
    app = opened(view="stories")
    app.pills(key="languages_story").set_value("never").run()
    assert list(counts(app).values()) == list(story("never").values())


# ---- taken away


def test_the_csv_has_the_exact_numbers() -> None:
    app = AppTest.from_function(_take_away_csv, default_timeout=PATIENCE)
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


def _take_away_csv() -> None:
    from dataclasses import replace

    import streamlit as st

    from pages.ui.choices.parallel_texts import Compared, sample_parallel
    from pages.ui.choices.tokenizers import reference_lanes
    from pages.ui.languages.bill import Terms
    from pages.ui.languages.counts import bills
    from pages.ui.languages.report import csv_of, report_html

    names = ("=Thai", "<b>English")
    compared = Compared(replace(sample_parallel(), names=names), names, names, False, 1, "lines")
    found = bills(compared, reference_lanes())
    st.session_state["csv"] = csv_of(compared, found, Terms(1_000, 2.5))
    st.session_state["html"] = report_html(compared, found, Terms(1_000, 2.5), "en")


def test_a_formula_in_a_name_is_harmless_and_markup_is_escaped() -> None:
    app = AppTest.from_function(_take_away_csv, default_timeout=PATIENCE)
    app.run()
    assert b"'=Thai" in app.session_state["csv"]
    report = app.session_state["html"].decode()
    assert "<b>" not in report
    assert "&lt;b&gt;English" in report


def test_the_report_needs_nothing_but_itself() -> None:
    app = AppTest.from_function(_take_away_csv, default_timeout=PATIENCE)
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
    st.session_state["html"] = report_html(compared, bills(compared, reference_lanes()), Terms(1_000, None), "en")


def test_the_report_prints_on_one_sheet(tab: Page) -> None:
    app = AppTest.from_function(_take_away_csv, default_timeout=PATIENCE)
    app.run()
    tab.set_content(app.session_state["html"].decode())
    printed = tab.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


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


def test_a_picture_is_saved_as_png(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=th")
    words = catalogue("th")
    tab.get_by_role("radio", name=words["languages.view_take_away"]).click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name=words["report.png"]).first.click()
    content = download.value.path().read_bytes()
    width, height = (int.from_bytes(content[start : start + 4], "big") for start in (16, 20))
    assert content.startswith(b"\x89PNG")
    assert width == 2 * 720
    assert height > 300


def test_pictures_are_whole_and_escaped() -> None:
    bars = [Bar("<A>", "&b", 10, "&b 10 <script>", 0), Bar("<A>", "c", 0, "c 0", 5)]
    drawn_bars = ET.fromstring(bars_svg(bars, title='"<x>"'))
    assert "".join(drawn_bars.itertext()).count("<script>") == 1
    assert not drawn_bars.findall(".//{http://www.w3.org/2000/svg}script")
    found = bins(np.array([1.0, 2.0, 3.0]))
    assert ET.fromstring(distribution_svg(found, 2.0, title="<t>", overall_name="&", times=str))
    assert ET.fromstring(bars_svg([], title=""))
    assert ET.fromstring(distribution_svg([], None, title="", overall_name="", times=str))


# ---- uploads


def test_a_pair_of_files_is_compared() -> None:
    app = upload(("a.th", lines(*THAI_LINES[:50])), ("b.en", lines(*ENGLISH_LINES[:50])))
    thai, english = by_hand("gpt2", THAI_LINES[:50]), by_hand("gpt2", ENGLISH_LINES[:50])
    assert bills(app)["GPT-2", "a.th"][:2] == [f"{thai:,}", f"{thai / english:.2f} ×"]
    assert "` b.en `" in app.header[0].value


def test_english_is_the_base_wherever_it_stands() -> None:
    app = upload(("b.en", lines(*ENGLISH_LINES[:50])), ("a.th", lines(*THAI_LINES[:50])))
    assert bills(app)["GPT-2", "b.en"][1] == "1.00 ×"


def test_three_languages_are_compared() -> None:
    files = [
        (f"x.{name}", lines(*(f"{word} {n} {word}" for n in range(30))))
        for name, word in (("th", "น้ำใจ"), ("de", "Wasserfall"), ("en", "water"))
    ]
    app = upload(*files)
    assert {language for _, language in bills(app)} == {"x.th", "x.de", "x.en"}
    for view in VIEWS:
        app.segmented_control(key="languages_view").set_value(view).run()
        assert not app.exception


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_guessed_encoding_is_said_and_can_be_changed(language: str) -> None:
    german = ["Die größte Straße führt über die Brücke zum Schloß."] * 40
    files = ("a.de", lines(*german).encode("cp1252")), ("b.en", lines(*ENGLISH_LINES[:40]))
    app = upload(*files, language=language)
    assert catalogue(language)["languages.guessed"].split("{")[2].split("}")[1] in app.warning[0].value
    (picker,) = [each for each in app.selectbox if "` a.de `" in each.label]
    assert (picker.value, german[0] in app.text[0].value) == ("cp1252", True)
    picker.set_value("mac_roman").run()
    (picker,) = [each for each in app.selectbox if "` a.de `" in each.label]
    assert (picker.value, german[0] in app.text[0].value) == ("mac_roman", False)
    misread = lines(*german).encode("cp1252").decode("mac_roman").splitlines()
    assert bills(app)["GPT-2", "a.de"][0] == f"{by_hand('gpt2', misread):,}"
    picker.set_value("utf-8").run()
    assert "` a.de `" in app.error[0].value
    (picker,) = [each for each in app.selectbox if "` a.de `" in each.label]
    picker.set_value("cp1252").run()
    assert not app.error
    assert bills(app)["GPT-2", "a.de"][0] == f"{by_hand('gpt2', german):,}"


def test_an_encoding_that_is_not_found_can_be_chosen() -> None:
    french = "Le café crème d'été à Noël, déjà vu où ça ?"
    app = upload(("t.tsv", f"fr\tqc\n{french}\t{french}\n".encode("mac_roman")))
    assert len(app.error) == 1
    app.selectbox[0].set_value("mac_roman").run()
    assert not app.error
    assert bills(app)["GPT-2", "fr"][0] == f"{by_hand('gpt2', [french]):,}"
    assert app.text[0].value == french


CSV = 'id,th,en\n1,"แมว\nดำตัวหนึ่ง","a ""black"" cat, one"\n2,หมาขาวตัวใหญ่,a large white dog\n3,นกบินอยู่,a bird flies\n'


def test_languages_with_long_names_stay_apart() -> None:
    key = "sentence_translations_of_the_corpus"
    rows = [{key: {"th": th, "de": f"{en} {en}", "en": en}} for th, en in zip(THAI_LINES[:30], ENGLISH_LINES[:30])]
    app = upload(("pairs.json", "\n".join(map(json.dumps, rows))))
    assert len({language for _, language in bills(app)}) == 3
    assert app.selectbox[0].options[0].endswith("th")
    before = bills(app)
    app.selectbox[0].set_value(0).run()
    assert bills(app) != before


def test_a_table_that_has_no_head_line_is_compared() -> None:
    pairs = [{"translation": {"en": en, "th": th}} for th, en in zip(THAI_LINES[:30], ENGLISH_LINES[:30])]
    app = upload(("pairs.jsonl", "\n".join(map(json.dumps, pairs))))
    assert not app.checkbox
    assert bills(app)["GPT-2", "translation.th"][0] == f"{by_hand('gpt2', THAI_LINES[:30]):,}"
    assert bills(app)["GPT-2", "translation.en"][1] == "1.00 ×"


def test_a_table_with_quotes_and_line_breaks_is_compared() -> None:
    app = upload(("t.csv", CSV))
    found = bills(app)
    assert {language for _, language in found} == {"th", "en"}
    gpt2 = openai_tokenizer("gpt2")
    expected = sum(len(gpt2.encode(cell)) for cell in ("แมว\nดำตัวหนึ่ง", "หมาขาวตัวใหญ่", "นกบินอยู่"))
    assert found["GPT-2", "th"][0] == f"{expected:,}"
    assert "3 pairs" in app.caption[0].value


def test_the_columns_of_a_table_can_be_chosen() -> None:
    table = "a;b;c\n" + "".join(f"หมาขาวตัวใหญ่ {n};a large white dog {n};ein Hund, weiß {n}\n" for n in range(5))
    app = upload(("t.csv", table))
    assert {language for _, language in bills(app)} == {"a", "b", "c"}
    app.multiselect[0].set_value(["a", "c"]).run()
    assert not app.exception
    assert {language for _, language in bills(app)} == {"a", "c"}
    app.multiselect[0].set_value(["a"]).run()
    assert not app.exception
    assert len(app.error) == 1
    app.multiselect[0].set_value(["a", "b"]).run()
    assert {language for _, language in bills(app)} == {"a", "b"}


def test_long_names_are_cut_where_they_say_least() -> None:
    column = "a column with a name that goes on and on"
    app = upload(
        ("t.csv", f"{column},en\nหมาขาวตัวใหญ่ วิ่งเร็ว,a large white dog runs\nแมวดำตัวหนึ่ง นอน,a black cat sleeps\n")
    )
    assert {name for _, name in bills(app)} == {column[:27] + "…", "en"}
    app = upload((f"{'x' * 60}.th", "น้ำ\n"), ("b.en", "water\n"))
    assert any(name.startswith("…") and name.endswith("x.th") for _, name in bills(app))


def test_the_first_line_of_a_table_can_be_read_as_text() -> None:
    app = upload(("t.csv", CSV))
    app.checkbox[0].set_value(False).run()
    assert not app.exception
    assert "4 pairs" in app.caption[0].value
    app.checkbox[0].set_value(True).run()
    assert "3 pairs" in app.caption[0].value


def test_an_upload_is_kept_when_the_page_is_left() -> None:
    app = upload(("a.th", lines("น้ำ", "ใจ")), ("b.en", lines("water", "heart")))
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run()
    assert not app.exception
    assert {language for _, language in bills(app)} == {"a.th", "b.en"}


# ---- bad input


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_of_different_length_are_refused_with_counts_and_a_line(language: str) -> None:
    shorter = ENGLISH_LINES[:200] + ENGLISH_LINES[201:]
    app = upload(("a.th", lines(*THAI_LINES)), ("b.en", lines(*shorter)), language=language)
    assert len(app.error) == 1
    assert "483" in app.error[0].value
    assert "482" in app.error[0].value
    assert not sortable_tables(app)


def test_empty_lines_are_pairs_and_are_said() -> None:
    app = upload(("a.th", "น้ำ\n\n\nใจ\n"), ("b.en", "water\n\nlake\nheart\n"))
    assert "4 pairs" in app.caption[0].value
    assert ENGLISH["languages.empty_all"].format(count=1) in said(app)
    assert ENGLISH["languages.empty_some"].format(count=1, line=3) in said(app)


def test_pairs_whose_base_is_empty_have_no_premium() -> None:
    app = upload(("a.th", "น้ำ\nใจ\n"), ("b.en", "\nheart\n"), view="pairs")
    assert ENGLISH["languages.pairs_left_out"].format(count=1) in [each.value for each in app.caption]
    app.number_input[0].set_value(2).run()
    assert not app.exception
    assert "–" in " ".join(each.value for each in app.markdown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("empty", [b"", b"\n\n", b"  \n \n"], ids=["no bytes", "line ends", "spaces"])
def test_one_side_empty_is_refused_and_named(empty: bytes, language: str) -> None:
    app = upload(("a.th", "น้ำ\nใจ\n"), ("b.en", empty), language=language)
    assert len(app.error) == 1
    assert "b.en" in app.error[0].value


def test_lines_out_of_step_are_warned_of() -> None:
    app = upload(
        ("a.th", lines(*THAI_LINES)), ("b.en", lines(*ENGLISH_LINES[:100], "extra", *ENGLISH_LINES[100:-1]))
    )
    assert len(app.warning) == 1
    assert sortable_tables(app)


def test_a_single_text_file_waits_for_the_other() -> None:
    app = upload(("a.th", "น้ำ\n"))
    assert ENGLISH["languages.one_more"] in said(app)
    assert not app.error


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(99)),
        ("a.th", "ภาษาไทย".encode() * 9 + b"\xff"),
        ("a.zip", b"PK\x03\x04no"),
    ],
    ids=["picture", "damaged UTF-8", "damaged archive"],
)
def test_a_file_that_is_no_text_is_refused(name: str, content: bytes) -> None:
    app = upload((name, content), ("b.en", "water\n"))
    assert len(app.error) == 1
    assert not sortable_tables(app)


def test_a_table_beside_a_file_is_refused() -> None:
    app = upload(("t.csv", CSV), ("b.en", "water\n"))
    assert "t.csv" in app.error[0].value


def test_names_and_lines_of_strangers_are_shown_as_they_are() -> None:
    name = "<img src=x>*a*.th"
    app = upload(
        (name, lines(HOSTILE_HTML, "|a|b|", "# x **y**")), ("b.en", lines("one", "two", "three")), view="pairs"
    )
    for element in app.get("html"):
        reader = Cells()
        reader.feed(element.proto.body)
        assert not {"script", "img"} & set(reader.others)
    assert any(HOSTILE_HTML[:30] in cell for table in tables(app) for row in table for cell in row)
    assert f"` {name} `" in app.header[0].value
    app.segmented_control(key="languages_view").set_value("take_away").run()
    assert not app.exception


def test_a_hundred_thousand_pairs_are_compared() -> None:
    files = [
        (name, "".join(f"{side[n % 483][:30]} {n}\n" for n in range(100_000)))
        for name, side in (("a.th", THAI_LINES), ("b.en", ENGLISH_LINES))
    ]
    app = opened()
    app.pills(key="languages_names_False").set_value(["o200k_base"]).run()
    app.segmented_control(key="languages_source").set_value("upload").run()
    app.file_uploader(key="languages_files").set_value([(n, c.encode(), "text/plain") for n, c in files]).run()
    assert not app.exception
    assert "100,000 pairs" in app.caption[0].value
    app.segmented_control(key="languages_view").set_value("pairs").run()
    app.number_input[0].set_value(100_000).run()
    assert not app.exception
    assert len(drawn(app)) == 2
