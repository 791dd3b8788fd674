"""What patterns cost: trained on the same lines, measured on others, drawn to the end."""

import re
from collections import Counter

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import i18n as words
from pages.ui.i18n import filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import SAMPLES, sample_text
from pages.ui.patterns import costs
from pages.ui.patterns.costs import Comparison, Result, Variant, new_comparison
from tests.helpers.app import (
    ENGLISH,
    buttons,
    deck_on,
    go_to_tab,
    open_page,
    said,
    tables_by_row,
    wait_until,
    with_pattern,
)
from tests.helpers.training import train_in_two_stages
from tokenizer_core import Tokenizer
from tokenizer_core.analysis.cuts import cuts
from tokenizer_core.analysis.lineage import token_counts
from tokenizer_core.analysis.segmenters import NEWMM, Segmenter, newmm
from tokenizer_core.bpe.segments import TextMap, token_lengths
from tokenizer_core.readers.mixing import held_out, lines_by_script

TWO = [Variant("llama3", "llama3"), Variant("mark_aware", "mark_aware")]


def start(app: AppTest, variants: list[str], size: int = 1_000) -> Comparison:
    app.pills(key="costs_entrants").set_value(variants).run()
    app.segmented_control(key="costs_size").set_value(size).run()
    app.button(key="costs_start").click().run()
    assert not app.exception
    found: Comparison = list(app.session_state["pattern_contests"].values())[-1]
    return found


def bundled_as_ones_own(app: AppTest) -> None:
    """Give the bundled sentences as a text of one's own, which workers train on."""
    app.segmented_control(key="corpus_source").set_value("paste").run()
    lines = [sample_text(file).removesuffix("\n") for file in SAMPLES["both"]]
    app.text_area(key="corpus_paste").set_value("\n".join(lines)).run()


def parted_sample() -> tuple[str, dict[str, str]]:
    """The bundled lines to learn from, and those held out by language."""
    lines = [line for file in SAMPLES["both"] for line in sample_text(file).removesuffix("\n").split("\n")]
    learned, out = held_out(lines)
    sides = lines_by_script("\n".join(out))
    return "\n".join(learned), {"thai": "\n".join(sides.thai), "latin": "\n".join(sides.latin)}


def test_patterns_are_trained_on_the_same_lines_and_measured_on_others() -> None:
    app = open_page("patterns", tab="cost")
    bundled_as_ones_own(app)
    comparison = start(app, ["llama3", "mark_aware", "two_stages"])
    learned, measured = parted_sample()
    assert (comparison.learned, comparison.measured) == (learned, measured)
    wait_until(app, lambda: comparison.series.is_complete)
    app.run()
    assert comparison.learned == ""  # it is large, and needed no more
    wanted = {
        "llama3": train_like_the_page(learned, "llama3"),
        "mark_aware": train_like_the_page(learned, "mark_aware"),
        "two_stages": train_in_two_stages(learned, 1_000, min_count=2),
    }
    for result in comparison.results:
        tokenizer = wanted[result.variant.key]
        assert result.tokenizer is not None
        assert result.tokenizer.merges == tokenizer.merges
        for counts, text in zip(result.counts, measured.values(), strict=True):
            assert counts.tolist() == token_counts(text, tokenizer).tolist()
        torn = [
            cuts(TextMap(text), token_lengths(tokenizer.encode(text), tokenizer)) for text in measured.values()
        ]
        inside = sum(each.inside_clusters for each in torn) / sum(each.boundaries for each in torn)
        assert result.inside == pytest.approx(inside)
    shares = {result.variant.key: result.inside or 0.0 for result in comparison.results}
    assert shares["two_stages"] < shares["mark_aware"] / 3
    first, *others = costs.verdict(comparison.results, ["thai", "latin"])
    assert first in [each.value for each in app.header]
    assert [each.value for each in app.markdown if each.value in others] == others
    assert len(app.get("vega_lite_chart")) == 2
    assert "costs_start" not in buttons(app)
    assert tables_by_row(app)[-1]["Llama 3"][0] == f"{comparison.results[0].counts[0][-1]:,}"


def test_the_bundled_sentences_have_their_answer_at_once_and_it_is_that_of_the_workers() -> None:
    app = open_page("patterns", tab="cost")
    app.pills(key="costs_entrants").set_value(["llama3", "mark_aware", "two_stages"]).run()
    app.segmented_control(key="costs_size").set_value(1_000).run()
    assert not {"costs_start", "costs_stop"} & buttons(app)
    shown = tables_by_row(app)[-1]
    learned, measured = parted_sample()
    wanted = {
        "Llama 3": train_like_the_page(learned, "llama3"),
        "Thai-aware": train_like_the_page(learned, "mark_aware"),
        "Two stages": train_in_two_stages(learned, 1_000, min_count=2),
    }
    assert shown.keys() - {ENGLISH["pattern.label"]} == wanted.keys()
    for name, tokenizer in wanted.items():
        tokens = [f"{tokenizer.count_tokens(text):,}" for text in measured.values()]
        assert shown[name][:2] == tokens


def train_like_the_page(text: str, pattern: str) -> Tokenizer:
    """Only pairs that stand twice are merged."""
    from tokenizer_core import Trainer, count_pretokens

    trainer = Trainer(count_pretokens(text, pattern), 1_000, 2)
    return Tokenizer([(merge.left, merge.right) for merge in trainer.step(1_000)], pattern=pattern)


def test_a_tokenizer_of_two_stages_is_saved_as_an_ordinary_one() -> None:
    app = open_page("patterns", tab="cost")
    bundled_as_ones_own(app)
    comparison = start(app, ["mark_aware", "two_stages"])
    wait_until(app, lambda: comparison.series.is_complete)
    app.run()
    assert ENGLISH["costs.two_stages_file"] in [caption.value for caption in app.caption]
    assert not any(NEWMM in each.value for each in app.info)
    assert len(app.get("download_button")) == 2
    tokenizer = comparison.results[1].tokenizer
    assert tokenizer is not None
    opened = Tokenizer.from_model(tokenizer.model_text().encode())
    assert (opened.merges, opened.pattern) == (tokenizer.merges, "mark_aware")


@pytest.mark.parametrize("variants", [[], ["llama3"], ["gpt2", "cl100k", "llama3", "o200k", "none"]])
def test_two_to_four_can_be_compared(variants: list[str]) -> None:
    app = open_page("patterns", tab="cost")
    app.pills(key="costs_entrants").set_value(variants).run()
    assert app.button(key="costs_start").disabled
    assert "2 to 4" in said(app)


@pytest.mark.long
def test_a_pattern_of_ones_own_can_be_trained_and_a_slow_one_says_why() -> None:
    app = with_pattern("(a+)+$", "short")
    app.selectbox(key="lab_second_choice").set_value("custom").run()
    app.text_area(key="lab_second_custom").set_value("[a-z]+|.").run()
    go_to_tab(app, "cost")
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value(("a" * 5_000 + "b c d\n") * 10).run()
    comparison = start(app, ["custom (a+)+$", "custom [a-z]+|."])
    wait_until(app, lambda: comparison.series.is_complete)
    app.run()
    assert "takes too long" in said(app)
    assert [result.failure is None for result in comparison.results] == [False, True]
    assert len(app.get("download_button")) == 1


def test_a_custom_pattern_that_is_gone_is_chosen_no_more() -> None:
    app = with_pattern("[a-z]+|.", "short")
    go_to_tab(app, "cost")
    app.pills(key="costs_entrants").set_value(["llama3", "custom [a-z]+|."]).run()
    go_to_tab(app, "cut")
    app.text_area(key="lab_first_custom").set_value("[a-y]+|.").run()
    go_to_tab(app, "cost")
    assert app.pills(key="costs_entrants").value == ["llama3"]


def test_half_a_character_in_the_corpus_ends_the_comparison_with_the_reason() -> None:
    comparison = new_comparison(["line\n" * 4 + "out\n" + "half \ud83d\n" * 4], TWO, 300)
    while not comparison.series.is_complete:
        comparison.series.go_on()
    assert [result.failure and result.failure.code for result in comparison.results] == ["lone_surrogate"] * 2


def test_a_corpus_of_too_few_lines_gives_way_to_the_sample() -> None:
    comparison = new_comparison(["one line"], TWO, 1_000)
    assert comparison.from_sample
    assert comparison.learned == parted_sample()[0]
    assert not new_comparison(["ไทย\n" * 10], TWO, 1_000).from_sample


def test_lines_of_other_scripts_are_measured_where_there_are_no_others() -> None:
    assert list(new_comparison(["漢字\n" * 10], TWO, 300).measured) == ["other"]
    assert list(new_comparison(["漢字\nไทย\n" * 10], TWO, 300).measured) == ["thai"]


def test_the_first_stage_ends_where_the_pattern_cuts_its_pair_apart() -> None:
    variant = Variant("two_stages", r"\p{L}|\p{M}|\s")
    comparison = new_comparison(["ที่นี่\n" * 50], [variant], 300)
    learned = comparison.learned
    while not comparison.results:
        comparison.series.go_on()
    tokenizer = comparison.results[0].tokenizer
    assert tokenizer is not None
    expected = train_in_two_stages(learned, 300, pattern=variant.pattern, min_count=2)
    assert tokenizer.merges == expected.merges


def test_words_are_trained_as_pieces_and_refuse_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = Segmenter("a finder of words", lambda text: re.findall(r"ดื่ม|น้ำ|\s|[^\s]", text))
    monkeypatch.setattr(costs, "newmm", lambda: finder)
    app = open_page("patterns", tab="cost")
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value("ดื่มน้ำดื่ม น้ำดื่มน้ำ\n" * 20).run()
    comparison = start(app, ["mark_aware", "words"])
    wait_until(app, lambda: comparison.series.is_complete)
    app.run()
    tokenizer = comparison.results[1].tokenizer
    assert tokenizer is not None
    assert "ดื่ม".encode() in tokenizer.vocabulary
    assert "ดื่มน้ำ".encode() not in tokenizer.vocabulary
    words = Counter(finder.split(comparison.measured["thai"]))
    assert comparison.results[1].counts[0][-1] == words["ดื่ม"] + words["น้ำ"] + words[" "] + words["\n"]
    assert "no regular expression" in said(app)
    assert len(app.get("download_button")) == 1


def test_without_a_segmenter_words_are_not_offered_and_the_reason_stands_there() -> None:
    if newmm() is not None:
        pytest.skip("PyThaiNLP is installed")
    app = open_page("patterns", tab="cost")
    assert "words" not in app.pills(key="costs_entrants").options
    assert "which is not installed here" in app.pills(key="costs_entrants").help


def test_a_comparison_that_is_left_gives_its_training_back() -> None:
    app = open_page("patterns", tab="cost")
    bundled_as_ones_own(app)
    comparison = start(app, ["llama3", "mark_aware"], 8_000)
    app.segmented_control(key="costs_size").set_value(1_000).run()
    assert comparison.series.stopped or comparison.series.is_complete
    assert comparison.series.job is None


# ---- the chart


def test_each_line_is_drawn_to_its_end_and_named_there() -> None:
    counts = [(f"line {n}", np.linspace(1000, 500 + n, 300).astype(np.int64)) for n in range(4)]
    lines = costs.cost_lines(counts)
    for name, tokens in counts:
        own = lines[lines["name"] == name]
        assert own[["size", "tokens"]].iloc[[0, -1]].to_numpy().tolist() == [[256, 1000], [555, tokens[-1]]]
    ends = lines.dropna()
    assert ends["name"].tolist() == [name for name, _ in counts]
    assert np.diff(np.sort(np.log(ends["place"]))).min() > 0.02  # names of lines that end together stand apart


def test_lines_differ_in_dashes_as_well_as_in_color() -> None:
    lines, names = costs.costs_chart().to_dict()["layer"]
    assert (lines["mark"]["type"], names["mark"]["type"]) == ("line", "text")
    assert [lines["encoding"][channel]["field"] for channel in ("strokeDash", "color")] == ["line"] * 2
    assert len(set(map(tuple, costs.DASHES))) == costs.MOST


def test_trainings_without_merges_are_points_with_names_apart() -> None:
    lines = costs.cost_lines([("none", np.array([7])), ("none, too", np.array([7]))])
    assert lines["size"].tolist() == [256, 256]
    places = lines["place"]
    assert places.iloc[0] != places.iloc[1]


# ---- the verdict


def result(name: str, thai: int, latin: int) -> Result:
    return Result(Variant(name, name), Tokenizer([]), (np.array([900, thai]), np.array([900, latin])), 0.0)


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("en", "**7%** fewer tokens in Thai and **2%** more tokens in English.", "“No splitting” needs"),
        ("th", "ใช้โทเค็นน้อยลง **7%** ในภาษาไทย และมากขึ้น **2%** ในภาษาอังกฤษ", "ไม่ตัดเลย"),
    ],
)
def test_the_verdict_says_in_plain_words_what_each_pattern_costs(
    language: str, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "language", lambda: language)
    done = [result("mark_aware", 93, 102), result("gpt2", 100, 100), result("none", 100, 60)]
    said = list(map(without_breaks, costs.verdict(done, ["thai", "latin"])))
    assert first in said[0]
    assert second in said[1]
    (alone,) = map(without_breaks, costs.verdict(done[1:], ["thai", "latin"]))
    assert filled(ENGLISH["costs.same"], place="in Thai") in alone or "ใช้โทเค็นเท่ากันในภาษาไทย" in alone
    assert "40%" in alone


@pytest.mark.parametrize("tab", ["whole", "cost"])
def test_a_tab_is_presented_with_its_own_answer(tab: str) -> None:
    app = open_page("patterns", tab=tab)
    said = app.header[0].value
    app.button(key="present").click().run()
    (slide,) = (deck_on(app) or {})["slides"]
    assert without_breaks(slide["title"]["en"]) == without_breaks(said)
