"""The page of split patterns: the knife, the branches, a whole corpus, what each costs; and all bad input."""

import itertools
import re
import time
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.patterns import contest as trained_patterns
from pages.ui.patterns import costs, knife
from pages.ui.patterns.branch_words import WORDS
from pages.ui.patterns.contest import Contest, Entrant, new_contest
from pages.ui.patterns.costs_chart import costs_chart
from pages.ui.patterns.knife import OWN_EXAMPLES
from pages.ui.trainings.registry import registry
from pages.ui.words import catalogue
from tests.helpers.app import LANGUAGES, drawn, open_page, said
from tests.helpers.app import tables as cells_of_tables
from tests.helpers.browser import PATIENCE, OpenTab
from tests.helpers.paths import REPOSITORY
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, pretokenize
from tokenizer_core.branches import branches
from tokenizer_core.measures.cuts import cuts
from tokenizer_core.measures.history import token_counts
from tokenizer_core.measures.pattern_figures import pattern_figures
from tokenizer_core.measures.segmenters import Segmenter
from tokenizer_core.segments import TextMap, token_lengths
from tokenizer_core.texts.mixing import held_out, lines_by_script
from tokenizer_core.two_stage import CLUSTERS, train_in_two_stages

ENGLISH = catalogue("en")
HEALED = "กำลังเรียนที่โรงเรียน"


def with_pattern(pattern: str, text: str = "aab", lane: str = "first") -> AppTest:
    """The page with a pattern of one's own in a lane."""
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(text).run()
    app.selectbox(key=f"lab_{lane}_choice").set_value("custom").run()
    app.text_input(key=f"lab_{lane}_custom").set_value(pattern).run()
    assert not app.exception
    return app


def lanes(app: AppTest) -> list[dict]:
    return drawn(app)[0]["columns"]


def tables(app: AppTest) -> list[dict[str, list[str]]]:
    """The tables of the page: the cells of each line by its first one."""
    return [{row[0]: row[1:] for row in table} for table in cells_of_tables(app)]


def run_until(app: AppTest, condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
        app.run()
        assert not app.exception


def buttons(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}


# ---- the words of branches


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_every_branch_of_every_named_pattern_has_its_words(name: str, language: str) -> None:
    for branch in branches(name):
        assert catalogue(language)[f"branches.{WORDS[branch.source]}"]


def test_no_words_of_a_branch_are_left_over() -> None:
    used = {branch.source for name in SPLIT_PATTERNS for branch in branches(name)}
    assert set(WORDS) == used
    in_catalogue = {key.removeprefix("branches.") for key in ENGLISH if key.startswith("branches.")}
    assert set(WORDS.values()) == in_catalogue


# ---- the knife


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_opens_with_a_text_under_two_patterns(language: str) -> None:
    app = open_page("patterns", language)
    assert app.title[0].value == catalogue(language)["patterns.title"]
    assert [lane["kind"] for lane in lanes(app)] == ["pretokens", "pretokens"]
    assert drawn(app)[0]["differences"]["compared"] == 2
    assert drawn(app)[0]["differences"]["share"] > 0.3


def test_flipping_to_mark_aware_heals_thai() -> None:
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(HEALED).run()
    assert [lane["count"] for lane in lanes(app)] == [6, 1]
    assert tables(app)[0][ENGLISH["lab.figure_thai_cut"]] == ["26.7%", "0%"]
    app.selectbox(key="lab_first_choice").set_value("mark_aware").run()
    assert [lane["count"] for lane in lanes(app)] == [1, 1]
    assert drawn(app)[0]["differences"]["share"] == 0


def test_each_branch_is_explained_in_the_visitors_language() -> None:
    app = open_page("patterns", "th")
    for lane, name in zip(lanes(app), ("llama3", "mark_aware"), strict=True):
        assert [branch["source"] for branch in lane["branches"]] == [each.source for each in branches(name)]
        assert all(re.search("[\u0e00-\u0e7f]", branch["words"]) for branch in lane["branches"])


def test_an_unexplained_branch_of_ones_own_shows_its_source() -> None:
    app = with_pattern(r"a+|\p{N}{1,3}|")
    words = [branch["words"] for branch in lanes(app)[0]["branches"]]
    assert words == ["a+", ENGLISH["branches.digits"], "∅"]


def test_a_refusal_that_is_kept_holds_on_to_nothing() -> None:
    refused = knife.cut("abc" * 1_000, "(?:(?R)|b)*").error
    assert refused is not None
    assert (refused.code, refused.__traceback__, refused.__context__) == ("pattern_memory", None, None)


@pytest.mark.parametrize(
    "pattern", ["(a", "[a", "a)", "*a", "a**", "a{3,2}", "[z-a]", "a\\", r"\p{Foo}", "(?~a)", r"(?P=x)", "\\u12"]
)
def test_what_is_wrong_with_a_pattern_is_said_in_thai(pattern: str) -> None:
    app = open_page("patterns", "th")
    app.selectbox(key="lab_first_choice").set_value("custom").run()
    app.text_input(key="lab_first_custom").set_value(pattern).run()
    (error,) = app.error
    assert not re.search("[A-Za-z]{3,}", error.value)


def test_an_example_of_ones_own_is_one_click_away() -> None:
    app = with_pattern("[a-z]", "เรียน abc 12")
    app.pills(key="lab_first_example").set_value(OWN_EXAMPLES[0]).run()
    assert app.text_input(key="lab_first_custom").value == OWN_EXAMPLES[0]
    assert lanes(app)[0]["count"] == len(["เรียน", " ", "abc", " ", "12"])
    app.text_input(key="lab_first_custom").set_value("typed").run()
    assert app.text_input(key="lab_first_custom").value == "typed"


def test_what_takes_the_same_has_the_same_colour_in_every_pattern() -> None:
    tints: dict[str, set[int]] = {}
    for name in SPLIT_PATTERNS:
        found = explained_in_english(name)
        assert len({tint % 8 for _, _, tint in found}) == len(found)
        for _, words, tint in found:
            tints.setdefault(words, set()).add(tint)
    assert all(len(each) == 1 for each in tints.values())
    mixed = explained_in_english(r"a+|\p{N}{1,3}|b+")
    assert [tint for _, _, tint in mixed] == [0, 2, 1]


def explained_in_english(pattern: str) -> list[tuple[str, str, int]]:
    """The branches of a pattern as a page explains them."""
    app = AppTest.from_function(_explain, args=(pattern,)).run()
    assert not app.exception
    found: list[tuple[str, str, int]] = app.session_state["found"]
    return found


def _explain(pattern: str) -> None:
    import streamlit as st

    from pages.ui.patterns.branch_words import explained

    st.session_state["found"] = explained(pattern)


def test_the_figures_are_those_of_the_pattern() -> None:
    app = with_pattern("[a-z]", "the cat น้ำ")
    figures = pattern_figures("the cat น้ำ", "[a-z]")
    table = tables(app)[0]
    assert table[ENGLISH["lab.figure_pretokens"]][0] == str(figures.pretokens) == "8"
    assert table[ENGLISH["lab.figure_distinct"]][0] == str(figures.distinct)
    assert table[ENGLISH["lab.figure_lossless"]] == ["yes", "yes"]
    assert table[ENGLISH["lab.figure_longest"]][0] == "4"
    assert table[ENGLISH["lab.figure_per_pretoken"]][0] == "1.38"
    assert ENGLISH["lab.figure_words_cut"] not in table


def test_words_that_are_cut_are_counted_where_something_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = Segmenter("a finder of words", lambda text: re.findall("กำลัง|เรียน|ที่|โรง|.", text))
    monkeypatch.setattr(knife, "newmm", lambda: finder)
    monkeypatch.setattr(knife, "_cuts", type(knife._cuts)(1_000_000, weigh=lambda cut: 1))
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(HEALED).run()
    assert tables(app)[0][ENGLISH["lab.figure_words_cut"]] == ["80.0%", "0%"]
    assert any("a finder of words" in caption.value for caption in app.caption)


def test_a_long_text_is_cut_off_and_says_so() -> None:
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value("ab " * 10_000).run()
    assert "20,000 of 30,000" in said(app)
    assert drawn(app)[0]["chars"] == 20_000


@pytest.mark.parametrize(
    "text", ["", " ", "\u0e48", "<script>alert(1)</script>", "a\x00b", "\u202eabc", "👨‍👩‍👧" * 50]
)
def test_any_text_is_drawn_as_it_is(text: str) -> None:
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(text).run()
    assert not app.exception
    assert drawn(app)[0]["text"] == text


# ---- bad patterns


@pytest.mark.parametrize(
    ("pattern", "text", "sentence"),
    [
        ("(a", "aab", "no valid regular expression"),
        ("(a+)+$", "a" * 5_000 + "b", "takes too long"),
        ("(?R)", "aab", "calls itself without end"),
        ("a" * 10_000, "aab", "at most 2,000 characters; this one has 10,000"),
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


def test_a_slow_pattern_is_tried_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    attribute = knife.attribute

    def noting(text: str, pattern: str) -> list:
        tried.append(pattern)
        return attribute(text, pattern)

    monkeypatch.setattr(knife, "attribute", noting)
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
    app.text_input(key="lab_second_custom").set_value("b)").run()
    assert not app.exception
    assert len(app.error) == 2
    assert drawn(app) == []
    assert app.button(key="lab_check").disabled


def test_markup_in_a_pattern_is_shown_as_it_is() -> None:
    app = with_pattern("<b>|`a`|(:material/home:")
    assert "no valid regular expression" in said(app)


# ---- a whole corpus


def test_a_corpus_is_checked_in_the_background() -> None:
    app = open_page("patterns")
    app.button(key="lab_check").click().run()
    run_until(app, lambda: len(tables(app)) == 2 and "lab_stop" not in buttons(app))
    texts = [sample_text(file) for file in SAMPLES["both"]]
    for column, name in enumerate(("llama3", "mark_aware")):
        figures = pattern_figures(texts, name)
        assert tables(app)[1][ENGLISH["lab.figure_pretokens"]][column] == f"{figures.pretokens:,}"
        assert tables(app)[1][ENGLISH["lab.figure_distinct"]][column] == f"{figures.distinct:,}"
    assert not {"lab_check", "lab_stop"} & buttons(app)


def test_a_check_that_fails_says_why_and_one_can_be_stopped() -> None:
    app = with_pattern("(a+)+$|x", "short")
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value("a" * 3_000_000 + "b").run()
    app.button(key="lab_check").click().run()
    app.button(key="lab_stop").click().run()
    run_until(app, lambda: "lab_check" in buttons(app))
    app.text_area(key="corpus_paste").set_value("a" * 5_000 + "b").run()
    app.button(key="lab_check").click().run()
    run_until(app, lambda: "takes too long" in said(app))
    run_until(app, lambda: len(tables(app)) == 2)
    assert len(tables(app)[1][ENGLISH["pattern.label"]]) == 1  # of the other pattern


def test_a_check_that_is_no_longer_on_the_page_ends() -> None:
    app = with_pattern("(a+)+$|x", "short")
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value("a" * 3_000_000 + "b").run()
    app.button(key="lab_check").click().run()
    slow, _ = app.session_state["pattern_checks"].values()
    assert not slow.stopped
    app.text_input(key="lab_first_custom").set_value("[a-z]").run()
    assert slow.stopped
    assert "lab_check" in buttons(app)


# ---- what it costs


def contest_of(app: AppTest) -> Contest:
    return list(app.session_state["pattern_contests"].values())[-1]


def start(app: AppTest, entrants: list[str], size: int = 1_000) -> Contest:
    app.pills(key="costs_entrants").set_value(entrants).run()
    app.segmented_control(key="costs_size").set_value(size).run()
    app.button(key="costs_start").click().run()
    assert not app.exception
    return contest_of(app)


def parted_sample() -> tuple[str, dict[str, str]]:
    """The bundled lines to learn from, and those held out by language."""
    lines = [line for file in SAMPLES["both"] for line in sample_text(file).removesuffix("\n").split("\n")]
    learned, out = held_out(lines)
    sides = lines_by_script("\n".join(out))
    return "\n".join(learned), {"thai": "\n".join(sides.thai), "latin": "\n".join(sides.latin)}


def test_patterns_are_trained_on_the_same_lines_and_measured_on_others() -> None:
    app = open_page("patterns")
    contest = start(app, ["llama3", "mark_aware", "two_stages"])
    learned, measured = parted_sample()
    assert (contest.learned, contest.measured) == (learned, measured)
    run_until(app, lambda: contest.series.is_complete)
    app.run()
    assert contest.learned == ""  # it is large, and needed no more
    wanted = {
        "llama3": train_like_the_page(learned, "llama3"),
        "mark_aware": train_like_the_page(learned, "mark_aware"),
        "two_stages": train_in_two_stages(learned, 1_000, min_count=2),
    }
    for result in contest.results:
        tokenizer = wanted[result.entrant.key]
        assert result.tokenizer is not None
        assert result.tokenizer.merges == tokenizer.merges
        for counts, text in zip(result.counts, measured.values(), strict=True):
            assert counts.tolist() == token_counts(text, tokenizer).tolist()
        torn = [
            cuts(TextMap(text), token_lengths(tokenizer.encode(text), tokenizer)) for text in measured.values()
        ]
        inside = sum(each.inside_clusters for each in torn) / sum(each.boundaries for each in torn)
        assert result.inside == pytest.approx(inside)
    shares = {result.entrant.key: result.inside or 0.0 for result in contest.results}
    assert shares["two_stages"] < shares["mark_aware"] / 3
    assert len(app.get("vega_lite_chart")) == 2
    assert "costs_start" not in buttons(app)
    assert tables(app)[-1]["Llama 3"][0] == f"{contest.results[0].counts[0][-1]:,}"


def train_like_the_page(text: str, pattern: str) -> Tokenizer:
    """Only pairs that stand twice are merged."""
    from tokenizer_core import Trainer, count_pretokens

    trainer = Trainer(count_pretokens(text, pattern), 1_000, 2)
    return Tokenizer([(merge.left, merge.right) for merge in trainer.step(1_000)], pattern=pattern)


def test_these_trainings_are_nobodys_and_leave_nothing_behind() -> None:
    app = open_page("patterns")
    contest = start(app, ["llama3", "two_stages"])
    seen: set[str] = set()
    while not contest.series.is_complete:
        if contest.series.job is not None:
            seen.add(contest.series.job.id)
            run = registry().run(contest.series.job.id)
            assert run is None or run.owner == ""
        app.run()
    assert len(seen) == 2
    assert all(registry().get(job_id) is None for job_id in seen)


def test_a_tokenizer_of_two_stages_is_saved_as_an_ordinary_one() -> None:
    app = open_page("patterns")
    contest = start(app, ["mark_aware", "two_stages"])
    run_until(app, lambda: contest.series.is_complete)
    app.run()
    assert ENGLISH["costs.two_stages_file"] in [caption.value for caption in app.caption]
    assert len(app.get("download_button")) == 2
    tokenizer = contest.results[1].tokenizer
    assert tokenizer is not None
    opened = Tokenizer.from_model(tokenizer.model_text().encode())
    assert (opened.merges, opened.pattern) == (tokenizer.merges, "mark_aware")


@pytest.mark.parametrize("entrants", [[], ["llama3"], ["gpt2", "cl100k", "llama3", "o200k", "none"]])
def test_two_to_four_can_be_compared(entrants: list[str]) -> None:
    app = open_page("patterns")
    app.pills(key="costs_entrants").set_value(entrants).run()
    assert app.button(key="costs_start").disabled
    assert "2 to 4" in said(app)


def test_a_pattern_of_ones_own_can_be_trained_and_a_slow_one_says_why() -> None:
    app = with_pattern("(a+)+$", "short")
    app.selectbox(key="lab_second_choice").set_value("custom").run()
    app.text_input(key="lab_second_custom").set_value("[a-z]+|.").run()
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value(("a" * 5_000 + "b c d\n") * 10).run()
    contest = start(app, ["custom (a+)+$", "custom [a-z]+|."])
    run_until(app, lambda: contest.series.is_complete)
    app.run()
    assert "takes too long" in said(app)
    assert [result.failure is None for result in contest.results] == [False, True]
    assert len(app.get("download_button")) == 1


def test_a_custom_pattern_that_is_gone_is_chosen_no_more() -> None:
    app = with_pattern("[a-z]+|.", "short")
    app.pills(key="costs_entrants").set_value(["llama3", "custom [a-z]+|."]).run()
    app.text_input(key="lab_first_custom").set_value("[a-y]+|.").run()
    assert not app.exception
    assert app.pills(key="costs_entrants").value == ["llama3"]


def test_half_a_character_in_the_corpus_ends_the_contest_with_the_reason() -> None:
    entrants = [Entrant("llama3", "llama3"), Entrant("mark_aware", "mark_aware")]
    contest = new_contest(["line\n" * 4 + "out\n" + "half \ud83d\n" * 4], entrants, 300)
    while not contest.series.is_complete:
        contest.series.go_on()
    assert [result.failure and result.failure.code for result in contest.results] == ["lone_surrogate"] * 2


def test_a_corpus_of_too_few_lines_gives_way_to_the_sample() -> None:
    entrants = [Entrant("llama3", "llama3"), Entrant("mark_aware", "mark_aware")]
    contest = new_contest(["one line"], entrants, 1_000)
    assert contest.from_sample
    assert contest.learned == parted_sample()[0]
    assert not new_contest(["ไทย\n" * 10], entrants, 1_000).from_sample


def test_lines_of_other_scripts_are_measured_where_there_are_no_others() -> None:
    entrants = [Entrant("llama3", "llama3"), Entrant("mark_aware", "mark_aware")]
    assert list(new_contest(["漢字\n" * 10], entrants, 300).measured) == ["other"]
    assert list(new_contest(["漢字\nไทย\n" * 10], entrants, 300).measured) == ["thai"]


def test_the_first_stage_ends_where_the_pattern_cuts_its_pair_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    entrant = Entrant("two_stages", r"\p{L}|\p{M}|\s")
    contest = new_contest(["ที่นี่\n" * 50], [entrant], 300)
    learned = contest.learned
    while not contest.results:
        contest.series.go_on()
    tokenizer = contest.results[0].tokenizer
    assert tokenizer is not None
    expected = train_in_two_stages(learned, 300, pattern=entrant.pattern, min_count=2)
    assert tokenizer.merges == expected.merges
    assert CLUSTERS == r"\X"


def test_words_are_trained_as_pieces_and_refuse_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = Segmenter("a finder of words", lambda text: re.findall(r"ดื่ม|น้ำ|\s|[^\s]", text))
    monkeypatch.setattr(costs, "newmm", lambda: finder)
    monkeypatch.setattr(trained_patterns, "newmm", lambda: finder)
    app = open_page("patterns")
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value("ดื่มน้ำดื่ม น้ำดื่มน้ำ\n" * 20).run()
    contest = start(app, ["mark_aware", "words"])
    run_until(app, lambda: contest.series.is_complete)
    app.run()
    tokenizer = contest.results[1].tokenizer
    assert tokenizer is not None
    assert "ดื่ม".encode() in tokenizer.vocabulary
    assert "ดื่มน้ำ".encode() not in tokenizer.vocabulary
    words = Counter(finder.split(contest.measured["thai"]))
    assert contest.results[1].counts[0][-1] == words["ดื่ม"] + words["น้ำ"] + words[" "] + words["\n"]
    assert "no regular expression" in said(app)
    assert len(app.get("download_button")) == 1


def test_without_a_segmenter_words_are_not_offered_and_the_reason_stands_there() -> None:
    if costs.newmm() is not None:
        pytest.skip("PyThaiNLP is installed")
    app = open_page("patterns")
    assert "words" not in app.pills(key="costs_entrants").options
    assert any("which is not installed here" in caption.value for caption in app.caption)


def test_a_contest_that_is_left_gives_its_training_back() -> None:
    app = open_page("patterns")
    contest = start(app, ["llama3", "mark_aware"], 8_000)
    app.segmented_control(key="costs_size").set_value(1_000).run()
    assert contest.series.stopped or contest.series.is_complete
    assert contest.series.job is None


def test_the_page_keeps_text_and_patterns_while_others_are_visited() -> None:
    app = with_pattern("[a-z]+|.", "kept text")
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    app.switch_page(str(REPOSITORY / "pages" / "patterns.py")).run()
    assert app.text_area(key="lab_text").value == "kept text"
    assert app.text_input(key="lab_first_custom").value == "[a-z]+|."


# ---- the chart


def test_each_line_is_drawn_to_its_end_and_named_there() -> None:
    lines = [(f"line {n}", np.linspace(1000, 500 + n, 300).astype(np.int64)) for n in range(4)]
    rows, spec = costs_chart(lines, size_title="size", tokens_title="tokens")
    for number, (name, counts) in enumerate(lines):
        own = [row for row in rows if row["line"] == number]
        assert own[0] == {"line": number, "name": name, "size": 256, "tokens": 1000}
        assert own[-1] == {"line": number, "name": name, "size": 555, "tokens": int(counts[-1])}
    places = [layer["data"]["values"][0]["place"] for layer in spec["layer"][4:]]
    gaps = np.diff(np.sort(np.log(places)))
    assert gaps.min() > 0.02  # names of lines that end together stand apart
    assert [layer["encoding"]["text"]["field"] for layer in spec["layer"][4:]] == ["name"] * 4
    dashes = [str(layer["mark"]["strokeDash"]) for layer in spec["layer"][:4]]
    assert len(set(dashes)) == 4
    assert all(one != other for one, other in itertools.pairwise(dashes))


def test_a_training_without_merges_is_drawn_as_a_point() -> None:
    rows, _ = costs_chart([("none", np.array([7])), ("one", np.array([7, 0]))], size_title="", tokens_title="")
    assert [row["tokens"] for row in rows] == [7, 7, 0]


# ---- in a browser


def test_a_pattern_is_checked_as_one_types(tab: Page, address: str) -> None:
    tab.goto(f"{address}/patterns?lang=en")
    counts = tab.locator(".st-key-lab_view .heads .count")
    expect(counts).to_have_text(["15 pieces", "10 pieces"])
    tab.get_by_role("combobox", name=ENGLISH["lab.first"]).click()
    tab.get_by_role("option", name=ENGLISH["pattern.custom_name"]).click()
    own = tab.get_by_role("textbox", name=ENGLISH["pattern.custom_label"])
    own.fill("")
    own.press_sequentially("[a-z]+|(")
    expect(tab.get_by_role("alert")).to_contain_text("no valid regular expression")
    own.press_sequentially(".)")
    expect(tab.get_by_role("alert")).to_have_count(0)
    expect(counts).to_have_text(["37 pieces", "10 pieces"])
    expect(tab.locator(".st-key-lab_view .branch code").first).to_have_text("[a-z]+")


def test_a_slow_pattern_lets_other_visitors_go_on(open_tab: OpenTab, address: str) -> None:
    slow, other = open_tab(), open_tab()
    slow.goto(f"{address}/patterns?lang=en")
    slow.get_by_role("textbox", name=ENGLISH["lab.text"]).fill("a" * 15_000 + "b")
    slow.get_by_role("combobox", name=ENGLISH["lab.first"]).click()
    slow.get_by_role("option", name=ENGLISH["pattern.custom_name"]).click()
    slow.get_by_role("textbox", name=ENGLISH["pattern.custom_label"]).fill("(a+)+$")
    other.goto(f"{address}/patterns?lang=th")
    expect(other.locator(".st-key-lab_view .count").first).to_contain_text("15")
    expect(slow.get_by_role("alert")).to_contain_text("takes too long")
