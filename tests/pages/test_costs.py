"""What patterns cost: trained on the same lines, measured on others, drawn to the end."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import words
from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.patterns import contest as trained_patterns
from pages.ui.patterns import costs
from pages.ui.patterns.contest import WORDS_CHARACTERS, Contest, Entrant, Result, _beginning, new_contest
from pages.ui.patterns.costs_chart import costs_chart
from pages.ui.trainings.registry import registry
from pages.ui.words.breaks import without_breaks
from tests.helpers.app import ENGLISH, open_page, said, wait_until
from tests.helpers.patterns_page import buttons, tables, with_pattern
from tokenizer_core import Tokenizer
from tokenizer_core.measures.cuts import cuts
from tokenizer_core.measures.history import token_counts
from tokenizer_core.measures.segmenters import Segmenter, newmm
from tokenizer_core.segments import TextMap, token_lengths
from tokenizer_core.texts.mixing import held_out, lines_by_script
from tokenizer_core.two_stage import CLUSTERS, train_in_two_stages

# ---- what it costs


def contest_of(app: AppTest) -> Contest:
    found: Contest = list(app.session_state["pattern_contests"].values())[-1]
    return found


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
    wait_until(app, lambda: contest.series.is_complete)
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
    assert costs.verdict(contest.results, ["thai", "latin"]) in [each.value for each in app.markdown]
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
    wait_until(app, lambda: contest.series.is_complete)
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


@pytest.mark.long
def test_a_pattern_of_ones_own_can_be_trained_and_a_slow_one_says_why() -> None:
    app = with_pattern("(a+)+$", "short")
    app.selectbox(key="lab_second_choice").set_value("custom").run()
    app.text_area(key="lab_second_custom").set_value("[a-z]+|.").run()
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value(("a" * 5_000 + "b c d\n") * 10).run()
    contest = start(app, ["custom (a+)+$", "custom [a-z]+|."])
    wait_until(app, lambda: contest.series.is_complete)
    app.run()
    assert "takes too long" in said(app)
    assert [result.failure is None for result in contest.results] == [False, True]
    assert len(app.get("download_button")) == 1


def test_a_custom_pattern_that_is_gone_is_chosen_no_more() -> None:
    app = with_pattern("[a-z]+|.", "short")
    app.pills(key="costs_entrants").set_value(["llama3", "custom [a-z]+|."]).run()
    app.text_area(key="lab_first_custom").set_value("[a-y]+|.").run()
    assert not app.exception
    assert app.pills(key="costs_entrants").value == ["llama3"]


def test_half_a_character_in_the_corpus_ends_the_contest_with_the_reason() -> None:
    entrants = [Entrant("llama3", "llama3"), Entrant("mark_aware", "mark_aware")]
    contest = new_contest(["line\n" * 4 + "out\n" + "half \ud83d\n" * 4], entrants, 300)
    while not contest.series.is_complete:
        contest.series.go_on()
    assert [result.failure and result.failure.code for result in contest.results] == ["lone_surrogate"] * 2


def test_words_are_looked_for_in_a_text_of_one_long_line() -> None:
    assert _beginning("a" * 2 * WORDS_CHARACTERS) == "a" * WORDS_CHARACTERS
    assert _beginning("ab\n" * WORDS_CHARACTERS) == "ab\n" * (WORDS_CHARACTERS // 3)
    assert _beginning("ab\ncd") == "ab\ncd"


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
    wait_until(app, lambda: contest.series.is_complete)
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
    if newmm() is not None:
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


# ---- the verdict


def result(name: str, thai: int, latin: int) -> Result:
    return Result(Entrant(name, name), Tokenizer([]), (np.array([900, thai]), np.array([900, latin])), 0.0)


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        (
            "en",
            "“GPT-2”, the one trained with “Mark-aware” needs"
            " 7% fewer tokens in Thai and 2% more tokens in English.",
            "“No splitting” needs",
        ),
        (
            "th",
            "“GPT-2” แล้ว “เหมาะกับภาษาไทย” ใช้โทเค็นน้อยลง 7% ในภาษาไทย และมากขึ้น 2% ในภาษาอังกฤษ",
            "ไม่ตัดเลย",
        ),
    ],
)
def test_the_verdict_says_in_plain_words_what_each_pattern_costs(
    language: str, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "language", lambda: language)
    done = [result("mark_aware", 93, 102), result("gpt2", 100, 100), result("none", 100, 60)]
    said = without_breaks(costs.verdict(done, ["thai", "latin"]))
    assert first in said
    assert second in said
    alone = without_breaks(costs.verdict(done[1:], ["thai", "latin"]))
    assert ENGLISH["costs.same"].format(place="in Thai") in alone or "ใช้โทเค็นเท่ากันในภาษาไทย" in alone
    assert "40%" in alone
