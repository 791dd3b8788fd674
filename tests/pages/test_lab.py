"""The pattern lab: a text under two patterns, the words of their branches, and bad patterns."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import i18n
from pages.ui.i18n import breaks, catalogue, filled
from pages.ui.inputs.corpus import first_training
from pages.ui.inputs.pattern import PREVIEW_SENTENCE, shortened
from pages.ui.patterns import lab
from pages.ui.patterns.branches import WORDS, as_lines, explained, from_lines
from pages.ui.patterns.lab import OWN_EXAMPLES
from tests.helpers.app import (
    ENGLISH,
    SPOKEN,
    drawn,
    go_to_tab,
    job_of,
    open_page,
    said,
    tables_by_row,
    with_pattern,
)
from tests.helpers.hostile import HOSTILE_PATTERNS
from tests.helpers.paths import REPOSITORY
from tokenizer_core import SPLIT_PATTERNS, pretokenize
from tokenizer_core.analysis.branches import Pretoken, attribute, branches
from tokenizer_core.analysis.pattern_figures import pattern_figures
from tokenizer_core.analysis.segmenters import Segmenter
from tokenizer_core.errors import PatternError

TEXT_WITH_BREAKS = "ab\nb a\r\n|c\\ \n\naxb"
HEALED = "กำลังเรียนที่โรงเรียน"


def lanes(app: AppTest) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = drawn(app)[0]["columns"]
    return columns


# ---- the words of branches


def test_no_words_of_a_branch_are_left_over() -> None:
    used = {branch.source for name in SPLIT_PATTERNS for branch in branches(name)}
    assert set(WORDS) == used
    in_catalogue = {key.removeprefix("branches.") for key in ENGLISH if key.startswith("branches.")}
    assert set(WORDS.values()) == in_catalogue


# ---- the lab


@pytest.mark.parametrize("language", SPOKEN)
def test_the_page_opens_with_a_text_under_two_patterns(language: str) -> None:
    app = open_page("patterns", language)
    assert app.title[0].value == catalogue(language)["patterns.title"]
    assert [lane["kind"] for lane in lanes(app)] == ["pretokens", "pretokens"]
    assert drawn(app)[0]["differences"]["lanes"] == [0, 1]
    assert drawn(app)[0]["differences"]["pairs"][0]["share"] > 0.3


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(
    ("first", "second", "kind", "counts"),
    [
        ("cl100k", "mark_aware", "letters", (4, 0)),
        ("mark_aware", "cl100k", "letters", (0, 4)),
        ("none", "mark_aware", "pieces", (1, 8)),
    ],
)
def test_the_verdict_comes_first_and_counts_letters_cut_apart_or_else_pieces(
    first: str, second: str, kind: str, counts: tuple[int, int], language: str
) -> None:
    app = open_page("patterns", language)
    app.selectbox(key="lab_first_choice").set_value(first).run()
    app.selectbox(key="lab_second_choice").set_value(second).run()
    words = catalogue(language)
    names = [breaks.unbroken(shortened(words[f"pattern.{each}_name"])) for each in (first, second)]
    said = filled(words[f"lab.verdict_{kind}"], first=names[0], second=names[1], one=counts[0], other=counts[1])
    assert app.header[0].value == said
    assert next(each.type for each in app.main if each.type in ("header", "caption", "text_area")) == "header"


@pytest.mark.parametrize(
    ("text", "second", "leads"),
    [("I love rice", "mark_aware", True), ("ดื่มน้ำ", "mark_aware", False), ("I love rice", "cl100k", False)],
)
def test_a_text_that_both_cut_alike_leads_to_thai_where_they_differ(text: str, second: str, leads: bool) -> None:
    app = open_page("patterns")
    app.selectbox(key="lab_second_choice").set_value(second).run()
    app.text_area(key="lab_text").set_value(text).run()
    wanted = filled(ENGLISH["lab.try_thai"], example=ENGLISH["examples.thai_name"])
    assert (wanted in [each.value for each in app.markdown]) == leads


def test_the_verdict_on_equal_patterns_names_none() -> None:
    app = open_page("patterns")
    for side in lab.SIDES:
        app.selectbox(key=f"lab_{side}_choice").set_value("mark_aware").run()
    assert app.header[0].value == filled(ENGLISH["lab.verdict_even"], count=8)


@pytest.mark.parametrize(
    ("first", "second", "trained"),
    [("llama3", "mark_aware", "mark_aware"), ("mark_aware", "gpt2", "mark_aware"), ("gpt2", "gpt2", "gpt2")],
)
def test_one_click_trains_with_the_pattern_that_cuts_the_fewest_pieces(
    first: str, second: str, trained: str
) -> None:
    app = open_page("patterns")
    app.selectbox(key="lab_first_choice").set_value(first).run()
    app.selectbox(key="lab_second_choice").set_value(second).run()
    app.button(key="lab_train").click().run()
    assert not app.exception
    training = job_of(app).training
    assert training.pattern == trained
    assert training.texts == first_training(PREVIEW_SENTENCE).texts


@pytest.mark.parametrize(
    ("page", "box", "button"),
    [("patterns", "lab_text", "lab_train"), ("compare", "compare_text", "compare_train")],
)
def test_what_was_typed_on_another_page_is_the_sentence_of_the_training(page: str, box: str, button: str) -> None:
    app = open_page(page)
    app.button(key=button).click().run()
    assert "home_text" not in app.session_state  # nothing was typed
    app = open_page(page)
    app.text_area(key=box).set_value("ครูสมศรี\nสอนดี").run()
    app.button(key=button).click().run()
    assert not app.exception
    assert app.session_state["home_text"] == "ครูสมศรี สอนดี"


def test_one_click_trains_with_a_pattern_of_ones_own() -> None:
    app = with_pattern(r"\S+|\s+", lane="second")
    app.button(key="lab_train").click().run()
    assert job_of(app).training.pattern == r"\S+|\s+"


def test_flipping_to_mark_aware_heals_thai() -> None:
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(HEALED).run()
    assert [lane["count"] for lane in lanes(app)] == [6, 1]
    assert tables_by_row(app)[0][ENGLISH["lab.figure_thai_cut"]] == ["26.7%", "0%"]
    app.selectbox(key="lab_first_choice").set_value("mark_aware").run()
    assert [lane["count"] for lane in lanes(app)] == [1, 1]
    assert drawn(app)[0]["differences"]["pairs"][0]["share"] == 0


def test_each_branch_is_explained_in_the_visitors_language() -> None:
    app = open_page("patterns", "th")
    for lane, name in zip(lanes(app), ("cl100k", "mark_aware"), strict=True):
        assert [branch["source"] for branch in lane["branches"]] == [each.source for each in branches(name)]
        assert all(re.search("[\u0e00-\u0e7f]", branch["words"]) for branch in lane["branches"])


def test_an_unexplained_branch_of_ones_own_shows_its_source() -> None:
    app = with_pattern(r"a+|\p{N}{1,3}|")
    words = [branch["words"] for branch in lanes(app)[0]["branches"]]
    assert words == ["a+", ENGLISH["branches.digits"], "∅"]


def test_a_refusal_that_is_kept_holds_on_to_nothing() -> None:
    refused = lab.cut("abc" * 1_000, "(?:(?R)|b)*").error
    assert refused is not None
    assert (refused.code, refused.__traceback__, refused.__context__) == ("pattern_memory", None, None)


@pytest.mark.parametrize(
    "pattern", ["(a", "[a", "a)", "*a", "a**", "a{3,2}", "[z-a]", "a\\", r"\p{Foo}", "(?~a)", r"(?P=x)", "\\u12"]
)
def test_what_is_wrong_with_a_pattern_is_said_in_thai(pattern: str) -> None:
    app = open_page("patterns", "th")
    app.selectbox(key="lab_first_choice").set_value("custom").run()
    app.text_area(key="lab_first_custom").set_value(pattern).run()
    (error,) = app.error
    assert not re.search("[A-Za-z]{3,}", error.value)


def test_a_pattern_of_ones_own_begins_short_and_with_another_result_and_can_begin_with_the_mark_aware_one() -> (
    None
):
    app = open_page("patterns")
    app.selectbox(key="lab_first_choice").set_value("custom").run()
    assert app.text_area(key="lab_first_custom").value == as_lines(OWN_EXAMPLES[0])
    assert [lane["count"] for lane in lanes(app)] == [10, 8]
    assert not any(lane["caption"] for lane in lanes(app))
    app.pills(key="lab_first_example").set_value("mark_aware").run()
    assert app.text_area(key="lab_first_custom").value == as_lines(SPLIT_PATTERNS["mark_aware"])
    assert [lane["count"] for lane in lanes(app)] == [8, 8]


def test_an_example_of_ones_own_is_one_click_away() -> None:
    app = with_pattern("[a-z]", "เรียน abc 12")
    app.pills(key="lab_first_example").set_value(OWN_EXAMPLES[0]).run()
    assert app.text_area(key="lab_first_custom").value == OWN_EXAMPLES[0].replace("|", "\n")
    assert lanes(app)[0]["count"] == len(["เรียน", " ", "abc", " ", "12"])
    app.text_area(key="lab_first_custom").set_value("typed").run()
    assert app.text_area(key="lab_first_custom").value == "typed"


def test_what_takes_the_same_has_the_same_colour_in_every_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i18n, "language", lambda: "en")
    tints: dict[str, set[int]] = {}
    for name in SPLIT_PATTERNS:
        found = explained(name)
        assert len({tint % 8 for _, _, tint in found}) == len(found)
        for _, words, tint in found:
            tints.setdefault(words, set()).add(tint)
    assert all(len(each) == 1 for each in tints.values())
    mixed = explained(r"a+|\p{N}{1,3}|b+")
    assert [tint for _, _, tint in mixed] == [0, 2, 1]


def test_the_figures_are_those_of_the_pattern() -> None:
    app = with_pattern("[a-z]", "the cat น้ำ")
    figures = pattern_figures("the cat น้ำ", "[a-z]")
    table = tables_by_row(app)[0]
    assert table[ENGLISH["lab.figure_pretokens"]][0] == str(figures.pretokens) == "8"
    assert table[ENGLISH["lab.figure_distinct"]][0] == str(figures.distinct)
    assert table[ENGLISH["lab.figure_lossless"]] == ["yes", "yes"]
    assert table[ENGLISH["lab.figure_longest"]][0] == "4"
    assert table[ENGLISH["lab.figure_per_pretoken"]][0] == "1.38"
    assert ENGLISH["lab.figure_words_cut"] not in table


def test_words_that_are_cut_are_counted_where_something_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = Segmenter("a finder of words", lambda text: re.findall("กำลัง|เรียน|ที่|โรง|.", text))
    monkeypatch.setattr(lab, "newmm", lambda: finder)
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(f"{HEALED} ").run()  # not yet cut without the finder
    assert tables_by_row(app)[0][ENGLISH["lab.figure_words_cut"]] == ["80.0%", "0%"]
    assert any("a finder of words" in caption.value for caption in app.caption)


def test_a_long_text_is_cut_off_and_says_so() -> None:
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value("ab " * 10_000).run()
    assert "20,000 of 30,000" in said(app)
    assert drawn(app)[0]["chars"] == 20_000


# ---- bad patterns


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("pattern", "text", "sentence"),
    [
        ("<b>|`a`|(:material/home:", "aab", "must be a valid regular expression"),
        ("(a+)+$", "a" * 5_000 + "b", "takes too long"),
        ("(?R)", "aab", "calls itself without end"),
        ("a" * 10_000, "aab", "at most 2,000 characters, got 10,000"),
        ("a{999999999}", "aab", "nested too deeply"),
        ("(?:(?:a{300}b)+){300,}", "aab", "nested too deeply"),
    ],
    ids=["syntax", "backtracking", "recursion", "long", "count", "nested"],
)
def test_a_pattern_that_cannot_be_used_says_why_and_the_other_stands(
    pattern: str, text: str, sentence: str
) -> None:
    app = with_pattern(pattern, text)
    assert sentence in said(app)
    assert len(lanes(app)) == 1
    assert lanes(app)[0]["count"] == len(pretokenize(text, "mark_aware"))


@pytest.mark.usefixtures("impatient")
def test_a_slow_pattern_is_tried_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def noting(text: str, pattern: str) -> list[Pretoken]:
        tried.append(pattern)
        return attribute(text, pattern)

    monkeypatch.setattr(lab, "attribute", noting)
    app = with_pattern("(a+)+$ ?", "a" * 4_000 + "b")
    app.run()
    app.run()
    assert "takes too long" in said(app)
    assert tried.count("(a+)+$ ?") == 1


@pytest.mark.parametrize("pattern", ["(?!)", "zzz", "", "a*?"])
def test_a_pattern_that_matches_nothing_says_so(pattern: str) -> None:
    app = with_pattern(pattern, "bbb")
    assert ENGLISH["lab.matches_nothing"] in said(app)
    assert (lanes(app)[0]["count"], lanes(app)[1]["count"]) == (1, 1)


def test_two_bad_patterns_leave_the_rest_of_the_page() -> None:
    app = with_pattern("(a")
    app.selectbox(key="lab_second_choice").set_value("custom").run()
    app.text_area(key="lab_second_custom").set_value("b)").run()
    assert not app.exception
    wrong = [each.value for each in app.error]
    assert len(wrong) == 2
    assert drawn(app) == []
    for tab in ("cost", "whole"):
        go_to_tab(app, tab)
        assert [each.value for each in app.error] == wrong  # why they are left out
    assert app.button(key="lab_check").disabled


# ---- what it costs


def test_the_page_keeps_text_and_patterns_while_others_are_visited() -> None:
    app = with_pattern("[a-z]+|.", "kept text")
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    app.switch_page(str(REPOSITORY / "pages" / "patterns.py")).run()
    assert app.text_area(key="lab_text").value == "kept text"
    assert app.text_area(key="lab_first_custom").value == "[a-z]+|."


# ---- a pattern in its box, one branch on each line


@pytest.mark.parametrize("pattern", [*SPLIT_PATTERNS.values(), *HOSTILE_PATTERNS.values()])
def test_a_pattern_keeps_its_meaning_in_the_box(pattern: str) -> None:
    assert from_lines(as_lines(pattern)) == pattern
    assert len(as_lines(SPLIT_PATTERNS["gpt2"]).split("\n")) == 7


@pytest.mark.parametrize(
    "pattern",
    [
        "a\nb|c",
        "[a\n]|b\\\n|.",
        "a\r\n|b",
        "\n",
        "a||b",
        "|a",
        "a|",
        " |a",
        r"\||a",
        "(a|b",
        "(?x) a # one\n | b",
        "(?i)a",
    ],
)
def test_a_pattern_with_line_breaks_of_its_own_cuts_as_before(pattern: str) -> None:
    """A link can bring it; typed line breaks part branches."""
    read = from_lines(as_lines(pattern))
    try:
        cut = pretokenize(TEXT_WITH_BREAKS, pattern)
    except PatternError:
        assert read == pattern
    else:
        assert pretokenize(TEXT_WITH_BREAKS, read) == cut
        assert "x" in pattern or "\n" not in read


def test_a_tab_without_a_result_is_not_presented_with_another_text() -> None:
    (slide,) = lab.slides("whole", [])
    assert breaks.without_breaks(slide.title["en"]) == catalogue("en")["lab.not_yet"]
