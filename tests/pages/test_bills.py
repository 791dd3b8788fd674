"""The languages page: bills, pair by pair, and metrics."""

import re
import shutil
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled, translations
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.inputs.corpus import sample_topics
from pages.ui.languages.charts import bins, distribution_rows, distribution_svg
from pages.ui.languages.comparison import FOLDS
from pages.ui.languages.pairs import ranking
from pages.ui.widgets.bounded import forget_unused
from tests.helpers.app import (
    ENGLISH,
    HOSTILE_HTML,
    SPOKEN,
    chart_rows,
    drawn,
    said,
    sortable_tables,
    start_training,
    tables,
    two_trainings,
    wait_until,
)
from tests.helpers.languages_page import bills, box_of, by_hand, opened, unfolded
from tests.helpers.paths import REPOSITORY
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tokenizer_core.analysis.bootstrap import premium_intervals
from tokenizer_core.bpe.openai import RANK_FILES, openai_tokenizer

# ---- the bills


@pytest.mark.parametrize("language", SPOKEN)
def test_the_plain_sentence_stands_first(language: str) -> None:
    app = opened(language)
    words = catalogue(language)
    premium = by_hand("gpt2", THAI_LINES) / by_hand("gpt2", ENGLISH_LINES)
    expected = translations(
        "languages.says",
        tokenizer=words["tokenizers.gpt2"],
        premium=f"**{premium:.2f}**",
        language=words["languages.th"],
        base=words["languages.en"],
    )[language]
    least = by_hand("o200k_base", THAI_LINES) / by_hand("o200k_base", ENGLISH_LINES)
    least_said = translations(
        "languages.says_other", tokenizer=words["tokenizers.o200k_base"], premium=f"**{least:.2f}**"
    )[language]
    assert app.header[0].value == with_breaks(f"{expected} {least_said}")
    app.pills(key="languages_names_False").set_value(["gpt2"]).run()
    assert app.header[0].value == with_breaks(expected)


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(("reader", "other"), [("o200k_base", "gpt2"), ("cl100k_base", "gpt2")])
def test_the_sentence_is_about_the_tokenizer_of_the_receipt_first(reader: str, other: str, language: str) -> None:
    app, words = opened(language), catalogue(language)
    app.selectbox(key="receipt_with").set_value(reader).run()
    sentence = without_breaks(app.header[0].value)
    said = []
    for name in (reader, other):
        premium = by_hand(name, THAI_LINES) / by_hand(name, ENGLISH_LINES)
        said += [without_breaks(words[f"tokenizers.{name}"]), f"**{premium:.2f}**"]
    assert sorted(said, key=sentence.index) == said
    ranges = next(each.value for each in app.caption if "95%" in each.value)
    assert ranges.index(words[f"tokenizers.{reader}"]) < ranges.index(words[f"tokenizers.{other}"])


def test_tokens_and_premiums_are_those_counted_by_hand() -> None:
    found = bills(opened())
    for name, shown in (("gpt2", "GPT-2"), ("cl100k_base", "GPT-4 (cl100k)"), ("o200k_base", "GPT-4o (o200k)")):
        thai, english = by_hand(name, THAI_LINES), by_hand(name, ENGLISH_LINES)
        assert found[shown, "Thai"][:2] == [f"{thai:,}", f"{thai / english:.2f} ×"]
        assert found[shown, "English"][:2] == [f"{english:,}", "1.00 ×"]


@pytest.mark.parametrize(
    ("joining", "joined"),
    [
        ("lines", list),
        ("whole", lambda lines: ["\n".join(lines) + "\n"]),
        ("space", lambda lines: [" ".join(lines)]),
    ],
    ids=["lines", "whole", "space"],
)
def test_every_joining_has_its_own_premium_and_is_said(
    joining: str, joined: Callable[[list[str]], list[str]]
) -> None:
    premium = f"{by_hand('gpt2', joined(THAI_LINES)) / by_hand('gpt2', joined(ENGLISH_LINES)):.2f}"
    app = opened()
    app.segmented_control(key="languages_joining").set_value(joining).run()
    assert bills(app)["GPT-2", "Thai"][1] == f"{premium} ×"
    assert any(ENGLISH[f"languages.how_{joining}"] in each.value for each in app.markdown)


@pytest.mark.parametrize("language", SPOKEN)
def test_premiums_counted_line_by_line_say_how_far_other_pairs_could_move_them(language: str) -> None:
    app, words = opened(language), catalogue(language)
    intervals = []
    for name in ("gpt2", "o200k_base"):
        sides = [openai_tokenizer(name).encode_each(side).counts for side in (THAI_LINES, ENGLISH_LINES)]
        (low, high), *_ = [each or (0.0, 0.0) for each in premium_intervals(sides[:1], sides[1:])]
        intervals.append({"low": f"{low:.2f}", "high": f"{high:.2f}"})
    first = intervals[0]
    assert float(first["low"]) < 6.01 < float(first["high"])
    names = [words[f"tokenizers.{name}"] for name in ("gpt2", "o200k_base")]
    of = [
        filled(words["interval.of"], tokenizer=name, **each) for name, each in zip(names, intervals, strict=True)
    ]
    expected = filled(words["interval.says"], pairs=len(THAI_LINES), share="95%", ranges=", ".join(of))
    assert without_breaks(expected) in [without_breaks(each.value) for each in app.caption]
    rows = [[without_breaks(cell) for cell in row] for row in sortable_tables(app)[0][1:]]
    assert [f"{each['low']}–{each['high']}" for each in intervals] == [rows[0][4], rows[-2][4]]


def test_lines_that_are_joined_have_no_interval() -> None:
    app = opened()
    box_of(app, "segmented_control", "joining").set_value("whole").run()
    assert "95%" not in " ".join(each.value for each in app.caption)
    assert "95% interval" not in sortable_tables(app)[0][0]


def test_the_base_can_be_turned_round() -> None:
    app = opened()
    box_of(app, "selectbox", "base").set_value(0).run()
    assert float(bills(app)["GPT-2", "English"][1].split()[0]) == pytest.approx(1 / 6.01, abs=0.01)


def test_a_window_shows_what_is_left_and_what_does_not_fit() -> None:
    app = opened()
    app.number_input(key="languages_window").set_value(20_000).run()
    found = bills(app)
    english = by_hand("gpt2", ENGLISH_LINES)
    assert found["GPT-2", "English"][3] == f"{20_000 - english:,} ({1 - english / 20_000:.0%})"
    too_many = f"{by_hand('gpt2', THAI_LINES) - 20_000:,}"
    assert found["GPT-2", "Thai"][3] == filled(ENGLISH["languages.too_long"], tokens=too_many)


def test_a_price_gives_the_cost() -> None:
    app = opened()
    app.text_input(key="languages_price").set_value("").run()
    assert len(sortable_tables(app)[0][0]) == 6
    app.text_input(key="languages_price").set_value("$2.50").run()
    assert bills(app)["GPT-2", "Thai"][4] == f"{by_hand('gpt2', THAI_LINES) * 2.5 / 1e6:.4f}"
    assert sortable_tables(app)[0][0][6] == "Cost ($)"
    assert "made-up" not in said(app)


@pytest.mark.parametrize(
    ("language", "price", "amount"), [("en", 1.0, r"\${:,.2f}"), ("th", 100.0, "{:,.2f} บาท")]
)
def test_the_first_price_is_an_example_and_a_month_of_chats_costs_what_it_says_by_who_counts_the_receipt(
    language: str, price: float, amount: str
) -> None:
    app = opened(language)
    words = catalogue(language)
    example = words["languages.price_example"]
    assert app.text_input(key="languages_price").value == example
    assert any(words["languages.price_is_example"].rpartition("}")[2] in each.value for each in app.caption)
    for name in ("gpt2", "o200k_base"):
        app.selectbox(key="receipt_with").set_value(name).run()
        (month,) = (each.value for each in app.markdown if "1,000" in each.value)
        for side in (THAI_LINES, ENGLISH_LINES):
            tokens = by_hand(name, side) / len(side)
            assert amount.format(tokens * 1_000 * 30 * price / 1e6) in month
    app = unfolded(app, "metrics")
    assert not [each.value for each in app.markdown if "1,000 " in each.value]  # one example stands on the page


def test_a_bare_number_keeps_the_currency_of_the_last_price() -> None:
    app = opened("th")
    app.text_input(key="languages_price").set_value("350").run()
    assert app.text_input(key="languages_price").value == "350 บาท"
    app.text_input(key="languages_price").set_value("$2.5").run()
    app.text_input(key="languages_price").set_value(" 3 ").run()
    assert app.text_input(key="languages_price").value == "$3"


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("price", ["cheap", "-1", "1.2.3", "nan", HOSTILE_HTML[:40]])
def test_a_price_that_is_no_number_is_said_and_costs_nothing(price: str, language: str) -> None:
    app = opened(language)
    app.text_input(key="languages_price").set_value(price).run()
    assert not app.exception
    assert len(app.error) == 1
    assert catalogue(language)["errors.price_no_number"].partition("{")[0] in app.error[0].value
    assert len(sortable_tables(app)[0][0]) == 6


def test_without_a_tokenizer_the_page_asks_for_one() -> None:
    app = opened()
    app.pills(key="languages_names_False").set_value([]).run()
    assert not app.exception
    assert ENGLISH["compare.choose_one"] in said(app)


def test_ones_own_tokenizer_is_in_the_bills() -> None:
    app = start_training(size=600)
    wait_until(app, lambda: bool(app.success))
    app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run()
    says = app.header[0].value  # what may have learned from these very sentences must not look like a winner
    assert with_breaks(ENGLISH["tokenizers.mine"]) not in says
    assert with_breaks(ENGLISH["tokenizers.o200k_base"]) in says
    assert (ENGLISH["tokenizers.mine"], "Thai") in bills(unfolded(app, "table"))
    assert ENGLISH["languages.own_note"] in [each.value for each in app.caption]


def test_what_is_said_of_ones_own_tokenizer_is_said_of_earlier_runs_too() -> None:
    app, earlier = two_trainings()
    app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run()
    app.pills(key="languages_names_True").set_value(["gpt2"]).run()
    assert ENGLISH["languages.own_note"] not in [each.value for each in app.caption]
    app.button(key=f"languages_names_True_run:{earlier.id}").click().run()
    assert not app.exception
    assert ENGLISH["languages.own_note"] in [each.value for each in app.caption]


def test_a_missing_rank_file_leaves_the_other_tokenizers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "ranks"
    shutil.copytree(RANK_FILES, broken)
    (broken / "fb374d419588a4632f3f557e76b4b70aebbca790").unlink()
    monkeypatch.setattr("tokenizer_core.bpe.openai.RANK_FILES", broken)
    monkeypatch.setattr("pages.ui.languages.league.find_models", lambda **given: [])
    openai_tokenizer.cache_clear()
    try:
        for view in FOLDS:
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
    box_of(app, "number_input", "place").set_value(2).run()
    assert [view["text"] for view in drawn(app)] == [THAI_LINES[1], ENGLISH_LINES[1]]
    app.segmented_control(key="languages_order").set_value("cheapest").run()
    box_of(app, "number_input", "place").set_value(648).run()
    assert ENGLISH["languages.most_unfair"].partition(",")[0] in " ".join(each.value for each in app.markdown)


def test_pairs_without_a_premium_come_last() -> None:
    premiums = np.array([2.0, np.nan, 1.0, 2.0])
    assert ranking(premiums, "dearest").tolist() == [0, 3, 2, 1]
    assert ranking(premiums, "cheapest").tolist() == [2, 0, 3, 1]
    assert ranking(premiums, "file").tolist() == [0, 1, 2, 3]


def test_the_distribution_counts_every_pair_once() -> None:
    app = opened(view="pairs")
    assert sum(row["pairs"] for row in chart_rows(app, "pairs")) == 648
    assert len(chart_rows(app, "median")) == 1  # one row besides those of the bins
    values = np.array([0.5, 1.0, 1.04, 3.0, np.nan, np.inf, 250.0])
    assert sum(each.pairs for each in bins(values)) == 5
    assert bins(values)[-1].end >= 250.0
    assert len(bins(np.linspace(0.1, 9_999, 5_000))) <= 40
    assert bins(np.array([np.nan])) == []
    assert sum(each.pairs for each in bins(np.full(7, 1.5))) == 7


def test_the_last_column_has_what_its_place_says_or_says_that_it_has_all_above() -> None:
    usual = np.linspace(4, 6, 600)
    for most, is_open in ((7.9, False), (250.0, True)):
        values = np.append(usual, [6.5, most])
        found = bins(values)
        *others, last = distribution_rows(found, 5.0)["above"].tolist()[:-1]
        assert not any(others)
        assert last == (f"≥ {found[-1].start:g}" if is_open else "")
        assert ("≥" in distribution_svg(found, 5.0, title="")) == is_open
        assert found[-1].pairs == (values >= found[-1].start).sum()
        assert found[-1].end >= most


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


@pytest.mark.parametrize("language", SPOKEN)
def test_every_metric_has_its_definition(language: str) -> None:
    app = opened(language, "metrics")
    words = catalogue(language)
    defined = next(each.value for each in app.markdown if words["metrics.tokens_is"] in each.value)
    for row in tables(app)[0][1:]:
        assert f"**{row[0]}**" in defined
    for name in ("characters_per_token", "bytes_per_token"):
        assert {"en": "within one language only", "th": "เฉพาะในภาษาเดียวกัน"}[language] in words[f"metrics.{name}"]


def test_without_pythainlp_thai_words_are_absent_and_the_page_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pythainlp", None)
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", None)
    forget_unused(-1)  # the segmenter that was found before
    app = opened(view="metrics")
    app.toggle(key="languages_words").set_value(True).run()
    assert not app.exception
    shown = [row[0] for row in tables(app)[0]]
    assert not {ENGLISH[f"metrics.{name}"] for name in ("words", "fertility", "continued_words")} & set(shown)
    assert filled(ENGLISH["metrics.no_segmenter"], package="pythainlp") in " ".join(
        each.value for each in app.caption
    )


def test_english_words_stand_between_spaces_and_the_segmenter_is_named() -> None:
    app = opened(view="metrics")
    app.toggle(key="languages_words").set_value(True).run()
    box_of(app, "selectbox", "metrics").set_value(1).run()
    words = sum(bool(re.search(r"\w", word)) for line in ENGLISH_LINES for word in line.split())
    assert metric(app, "words") == [f"{words:,}"] * 3
    assert metric(app, "fertility")[0] == f"{by_hand('gpt2', ENGLISH_LINES) / words:.2f}"
    assert any(ENGLISH["metrics.white_space"] in each.value for each in app.caption)


# ---- topics


def test_every_pair_has_a_topic_with_a_name() -> None:
    topics = sample_topics()
    places = [place for found in topics.values() for place in found]
    assert sorted(places) == list(range(len(THAI_LINES)))
    assert len(THAI_LINES) == len(ENGLISH_LINES) >= 630
    for language in ("en", "th"):
        assert all(catalogue(language)[f"topics.{topic}"] for topic in topics)


def test_the_pairs_are_plausible_and_none_occurs_twice() -> None:
    assert len(set(THAI_LINES)) == len(set(ENGLISH_LINES)) == len(THAI_LINES)
    pairs = zip(THAI_LINES, ENGLISH_LINES, strict=True)
    assert [(thai, english) for thai, english in pairs if not 0.3 < len(thai) / len(english) < 2.2] == []
    for line in [*THAI_LINES, *ENGLISH_LINES]:
        assert line == unicodedata.normalize("NFC", line).strip()
        assert not {"\u200b", "\u2060", "\ufeff", "\t"} & set(line)


def test_a_premium_is_the_product_of_length_and_tokenizer() -> None:
    app = opened(view="metrics")
    gpt2 = openai_tokenizer("gpt2")
    tokens = [sum(len(gpt2.encode(line)) for line in lines) for lines in (THAI_LINES, ENGLISH_LINES)]
    length = sum(map(len, THAI_LINES)) / sum(map(len, ENGLISH_LINES))
    times = tokens[0] / tokens[1]
    expected = (
        f"premium {times:.2f} ×, that is, {length:.2f} times as many characters, each taking {times / length:.2f} "
    )
    assert expected in " ".join(each.value for each in app.markdown)
    assert {row[0] for row in sortable_tables(app)[0][1:]} >= {"Chat", "News", "Royal vocabulary"}
