"""The mix frontier: eleven trainings one after another, what they measure, and what is drawn of it."""

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue
from pages.ui.inputs.corpus import SAMPLES, sample_text
from pages.ui.run_registry.registry import registry
from pages.ui.train import frontier as frontier_ui
from pages.ui.train.frontier import FAIR_SHARES, SHARES, Cost, Frontier, FrontierPoint, Premium
from pages.ui.widgets import formatting
from tests.helpers.app import chart_rows, tables, wait_until
from tests.helpers.browser import PATIENCE
from tokenizer_core.analysis.ratios import tokens_per_thousand
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.trainer import train
from tokenizer_core.readers.mixing import frontier_texts, held_out, lines_by_script
from tokenizer_core.workers import training_job as jobs
from tokenizer_core.workers.child import Child
from tokenizer_core.workers.training_settings import Training

SAMPLE = tuple(map(sample_text, SAMPLES["both"]))


def page_with_a_frontier() -> None:
    """What the page draws."""
    import streamlit as st

    from pages.ui.train.frontier import mix_frontier

    mix_frontier(st.session_state["texts"])


def open_frontier(texts: tuple[str, ...] = SAMPLE, language: str = "en") -> AppTest:
    app = AppTest.from_function(page_with_a_frontier, default_timeout=PATIENCE)
    app.session_state["texts"] = texts
    app.session_state["language"] = language
    app.run()
    assert not app.exception
    return app


def start(app: AppTest) -> Frontier:
    app.button(key="frontier_start").click().run()
    assert not app.exception
    return kept(app)[-1]


def kept(app: AppTest) -> list[Frontier]:
    return list(app.session_state["frontiers"].values())


def dies_at_once() -> Child:
    """A worker that ends before it has learned anything."""
    worker = Child("training_worker")
    worker.kill()
    return worker


def has_button(app: AppTest, key: str) -> bool:
    return any(button.key == key for button in app.button)


def table(app: AppTest) -> list[list[str]]:
    """The rows of the table on the page, without the head."""
    return tables(app)[-1][1:]


@pytest.fixture
def two_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings at both ends only."""
    monkeypatch.setattr(frontier_ui, "PLAN", ((0, False), (100, False)))


@pytest.mark.long
def test_all_shares_are_trained_and_measured_on_lines_held_out() -> None:
    app = open_frontier()
    assert not kept(app)  # nothing runs before the click
    frontier = start(app)
    wait_until(app, lambda: frontier.series.is_complete)
    lines = lines_by_script(SAMPLE)
    (thai, thai_out), (english, english_out) = held_out(lines.thai), held_out(lines.latin)
    measured = "\n".join(thai_out), "\n".join(english_out)
    for point in (frontier.points[0], frontier.points[3], frontier.points[10]):
        tokenizer = train(frontier_texts(thai, english, point.share / 100, frontier.size), 1_000)
        assert point.cost == tuple(tokens_per_thousand(tokenizer, text) for text in measured)
    plain, fair = ([point for point in frontier.points if point.is_fair is is_fair] for is_fair in (False, True))
    assert [point.share for point in plain] == list(SHARES)
    assert [point.share for point in fair] == list(FAIR_SHARES)
    assert plain[2].premium.times > 1.4
    assert all(
        point.lines and point.lines[0] / point.lines[1] == pytest.approx(point.premium.times)
        for point in frontier.points
    )
    assert all(0.9 < point.premium.times < 1.1 for point in fair if point.share >= 20)
    assert dict(frontier.references)["gpt2"].thai == tokens_per_thousand(openai_tokenizer("gpt2"), measured[0])
    thai_costs = [point.cost.thai for point in plain]
    assert thai_costs[0] > 2 * thai_costs[1] > 2 * thai_costs[-1]  # a little Thai changes most
    app.run()
    references = ("GPT-2", "GPT-4 (cl100k)", "GPT-4o (o200k)")
    fairly = (f"{share}%, parity-aware" for share in FAIR_SHARES)
    assert [row[0] for row in table(app)] == [*(f"{share}%" for share in SHARES), *fairly, *references]
    costs = f"{thai_costs[0]:,.0f}", f"{plain[0].cost.english:,.0f}"
    assert table(app)[0][1:3] == [*costs]
    assert table(app)[0][3].startswith(f"{plain[0].premium.times:.2f} (")
    said = " ".join(each.value for each in app.markdown)
    assert f"{plain[1].premium.times:.2f} times as many tokens in Thai as in English" in said
    assert len(app.get("vega_lite_chart")) == 1
    assert not has_button(app, "frontier_start")
    assert not has_button(app, "frontier_stop")


@pytest.mark.usefixtures("two_shares")
def test_these_trainings_are_nobodys_and_leave_nothing_behind() -> None:
    app = open_frontier()
    frontier = start(app)
    seen = set()
    while not frontier.series.is_complete:
        if frontier.series.job is not None:
            seen.add(frontier.series.job.id)
            run = registry().run(frontier.series.job.id)
            assert run is None or run.owner == ""
        app.run()
    assert all(registry().get(job_id) is None for job_id in seen)
    assert "job_id" not in app.session_state
    assert frontier.series.job is None
    assert frontier.thai == frontier.english == []  # the lines are given back


def test_a_frontier_can_be_stopped_and_goes_on_where_it_was(
    two_shares: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Training] = []

    def slow_second(*given: Any, **more: Any) -> Training:
        """A training; the second one is slow, so that it is seen."""
        made.append(replace(Training(*given, **more), pace=0.5 if made else None))
        return made[-1]

    monkeypatch.setattr(frontier_ui, "Training", slow_second)
    app = open_frontier()
    frontier = start(app)
    wait_until(app, lambda: len(frontier.points) == 1 and frontier.series.job is not None)
    job = frontier.series.job
    assert job is not None
    app.button(key="frontier_stop").click().run()
    assert job.ended
    assert registry().get(job.id) is None
    app.run()
    assert len(frontier.points) == 1
    app.button(key="frontier_start").click().run()
    wait_until(app, lambda: frontier.series.job is not None)
    assert frontier.series.job is not None
    frontier.series.job.set_pace(None)
    wait_until(app, lambda: frontier.series.is_complete)
    assert [point.share for point in frontier.points] == [0, 100]
    assert len(kept(app)) == 1


def test_only_so_many_frontiers_are_kept(two_shares: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier_ui, "MAX_KEPT", 1)
    app = open_frontier()
    first = start(app)
    app.segmented_control(key="frontier_size").set_value(500).run()
    second = start(app)
    assert kept(app) == [second]
    assert first.series.job is None


@pytest.mark.parametrize(
    "texts",
    [(), ("",), (SAMPLE[0],), (SAMPLE[1] + "ไทย\n",), tuple(text.replace("\n", " ") for text in SAMPLE)],
    ids=["none", "empty", "th", "en", "two long lines"],
)
def test_a_corpus_that_lacks_a_language_is_replaced_by_the_sample(
    texts: tuple[str, ...], two_shares: None
) -> None:
    app = open_frontier(texts)
    frontier = start(app)
    assert catalogue("en")["frontier.uses_sample"] in [caption.value for caption in app.caption]
    assert len(frontier.measured_thai) > 1_000
    assert len(frontier.measured_english) > 1_000


def test_a_large_corpus_is_cut_to_what_is_trained_and_measured(
    two_shares: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontier_ui, "MOST_BYTES", 12_000)
    monkeypatch.setattr(frontier_ui, "MEASURED_BYTES", 3_000)
    frontier = start(open_frontier())
    assert frontier.size == 12_000
    for lines in (frontier.thai, frontier.english):
        assert 12_000 <= sum(len(line.encode()) + 1 for line in lines) < 13_000
    for text in (frontier.measured_thai, frontier.measured_english):
        assert 2_900 <= len(text.encode()) < 4_000


def test_a_training_that_fails_is_said_and_can_be_tried_again(
    two_shares: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_frontier()
    spare = registry()._take_spare()
    if spare:
        spare.close()
    with monkeypatch.context() as held_back:
        held_back.setattr(jobs, "start_worker", dies_at_once)
        frontier = start(app)
        wait_until(app, lambda: frontier.series.failure is not None)
        app.run()
    assert len(app.error) == 1
    assert not has_button(app, "frontier_stop")
    app.button(key="frontier_start").click().run()
    wait_until(app, lambda: frontier.series.is_complete)
    assert not app.error


@pytest.mark.long
def test_a_training_by_parity_halves_the_premium_of_a_little_thai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier_ui, "PLAN", ((20, False), (20, True)))
    frontier = start(app := open_frontier())
    wait_until(app, lambda: frontier.series.is_complete)
    plain, fair = frontier.points
    assert fair.premium.times - 1 < (plain.premium.times - 1) / 2
    assert fair.premium.interval is not None
    assert plain.premium.interval is not None
    assert fair.premium.interval[1] < plain.premium.interval[0]
    intervals = [formatting.interval(point.premium.interval) for point in frontier.points]
    assert table(app)[0][3] == f"{plain.premium.times:.2f} ({intervals[0]})"
    assert fair.cost.thai < plain.cost.thai
    assert fair.cost.english > plain.cost.english


# ---- the chart

POINTS = [
    FrontierPoint(0, Cost(2_900, 370), 1_000, Premium(8.0, (7.5, 8.5))),
    FrontierPoint(50, Cost(650, 420), 1_000, Premium(1.5, (1.4, 1.6))),
    FrontierPoint(100, Cost(550, 999), 1_000, Premium(0.6, (0.5, 0.7))),
]


def test_the_chart_has_a_named_point_for_every_training_and_reference() -> None:
    rows = frontier_ui.frontier_rows(
        Frontier(1_000, 1, [], [], "ก", "a", [("gpt2", Cost(1_900, 240))], points=POINTS)
    )
    assert rows["label"].tolist() == ["0%", "50%", "100%", "GPT-2", ""]
    expected = {"kind": "own", "label": "50%", "share": 50, "thai": 650, "english": 420}
    assert rows.iloc[1].to_dict() == {**expected, "premium": "1.50 (1.40–1.60)"}
    assert rows[["thai", "english"]].iloc[-1].tolist() == [3_000, 1_000]  # single bytes keep the axes in place


@pytest.mark.usefixtures("two_shares")
def test_a_new_point_brings_rows_and_leaves_the_definition_as_it_was() -> None:
    app = open_frontier()
    frontier = start(app)
    wait_until(app, lambda: frontier.points)
    app.run()
    before = app.get("vega_lite_chart")[0].proto.spec
    wait_until(app, lambda: frontier.series.is_complete)
    app.run()
    assert [row["label"] for row in chart_rows(app, "share")] == ["0%", "100%"]
    assert app.get("vega_lite_chart")[0].proto.spec == before
