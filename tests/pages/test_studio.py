"""The training studio: the queue, the runs, stop rules, recipes, and "what if the other had won"."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import limits
from pages.ui.shell import visitor
from pages.ui.trainings import registry as trainings
from pages.ui.trainings.registry import registry
from pages.ui.words import catalogue
from tests.helpers.app import address, choose_source, job_of, open_page, said, start_training, wait_until
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tokenizer_core.jobs.job import Job

ENGLISH, THAI = catalogue("en"), catalogue("th")
TIED = "ab cd ab cd abcd abcd xy xy"


def shown(app: AppTest) -> str:
    """All texts, captions and messages on the page."""
    return said(app) + " ".join(each.value for kind in (app.markdown, app.caption) for each in kind)


def back_to_settings(app: AppTest) -> None:
    app.button(key="again").click().run()
    assert not app.exception


def run_ids(app: AppTest) -> list[str]:
    return [
        button.key.removeprefix("open_") for button in app.button if button.key and button.key.startswith("open_")
    ]


# ---- the queue


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "th"])
def test_a_training_that_waits_says_its_place_and_gets_its_turn(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    first = start_training(pace="slow")
    second = start_training(language)
    words = catalogue(language)
    assert words["studio.waiting"].format(place=1, limit=limits.MAX_TRAININGS) in said(second)
    job_of(first).stop()
    wait_until(second, lambda: bool(second.success))


def test_a_waiting_training_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    start_training(pace="slow")
    waiting = start_training()
    waiting.button(key="stop").click().run()
    assert job_of(waiting).state == "stopped"
    assert not waiting.exception


# ---- stop rules


def test_the_least_count_ends_a_training_and_is_said() -> None:
    app = open_page("train")
    app.number_input(key="train_min_count").set_value(3000).run()
    app.segmented_control(key="train_pace").set_value("full").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    assert job_of(app).ending == "pairs"
    assert "3,000" in said(app)
    assert min(merge.count for merge in job_of(app).merges) >= 3000


def test_a_time_limit_ends_a_training_and_is_said() -> None:
    app = open_page("train")
    app.number_input(key="train_minutes").set_value(0.01).run()
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    assert job_of(app).ending == "time"
    assert ENGLISH["studio.time_is_up"].split("{")[0] in said(app)
    assert "0.01" in said(app)


def test_training_ends_when_it_beats_a_reference_on_a_text() -> None:
    app = open_page("train")
    app.selectbox(key="train_rival").set_value("gpt2").run()
    app.text_area(key="train_rival_text").set_value("น้ำใจคนไทย").run()
    needed = job_goal = None
    for caption in app.caption:
        if caption.value.startswith("GPT-2 needs"):
            needed = caption.value
    assert needed is not None
    app.segmented_control(key="train_pace").set_value("full").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: bool(app.success))
    job = job_of(app)
    job_goal = job.training.stop.beat
    assert job_goal is not None
    assert f"{job_goal.tokens} tokens" in needed
    tokenizer = job.tokenizer()
    assert len(tokenizer.encode("น้ำใจคนไทย")) < job_goal.tokens
    assert len(tokenizer.at(tokenizer.vocab_size - 1).encode("น้ำใจคนไทย")) >= job_goal.tokens
    assert ENGLISH["studio.beaten"].split("{")[0] in said(app)


# ---- runs


def test_runs_are_listed_opened_renamed_and_deleted() -> None:
    app = start_training(size=300)
    wait_until(app, lambda: bool(app.success))
    first = job_of(app).id
    back_to_settings(app)
    app.number_input(key="train_size").set_value(280).run()
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended)
    second = job_of(app).id
    app.run()
    assert run_ids(app) == [second, first]  # the newest first

    app.button(key=f"open_{first}").click().run()
    assert address(app, "job") == first
    app.text_input(key=f"name_{first}").set_value("  **my**   run ").run()
    run = registry().run(first)
    assert run is not None
    assert run.name == "**my** run"
    assert "` **my** run `" in shown(app)

    app.button(key=f"delete_{first}").click().run()
    assert registry().run(first) is None
    assert run_ids(app) == [second]
    app.button(key=f"delete_{second}").click().run()
    assert run_ids(app) == []
    assert app.button(key="start")  # the settings are back
    assert not app.exception


def test_a_run_that_trains_can_be_deleted() -> None:
    app = start_training(pace="slow")
    job = job_of(app)
    wait_until(app, lambda: job.state == "running")
    app.button(key=f"delete_{job.id}").click().run()
    assert job.ended
    assert job._worker is not None
    assert job._worker.poll() is not None
    assert registry().run(job.id) is None
    assert not app.exception


def opened_by_link(job: Job) -> AppTest:
    """The Train page of somebody who follows the link to a training."""
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "main.py"), default_timeout=PATIENCE)
    app.query_params["job"] = job.id
    app.query_params["lang"] = "en"
    app.run()
    return app.switch_page(str(REPOSITORY / "pages" / "train.py")).run()


def test_a_reload_finds_all_runs_by_the_cookie_of_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as browser:
        browser.setattr(visitor, "secret_of_cookie", lambda: "a secret")
        app = start_training(size=300)
        wait_until(app, lambda: bool(app.success))
        back_to_settings(app)
        app.button(key="start").click().run()
        reloaded = opened_by_link(job_of(app))
        assert len(run_ids(reloaded)) == 2
    stranger = open_page("train")
    assert run_ids(stranger) == []


def test_a_link_shows_a_training_and_hands_nothing_over() -> None:
    app = start_training(pace="slow", size=300)
    wait_until(app, lambda: job_of(app).state == "running" and bool(job_of(app).merges))
    job = job_of(app)
    stranger = opened_by_link(job)
    assert job_of(stranger) is job
    assert ENGLISH["studio.somebody_elses"] in said(stranger)
    assert ENGLISH["studio.somebody_elses"] not in said(app.run())
    keys = {button.key for button in stranger.button}
    assert "again" in keys
    assert not keys & {"stop", "what_if_asks", f"delete_{job.id}"}
    back_to_settings(stranger)
    stranger.button(key="start").click().run()
    assert run_ids(stranger) == [job_of(stranger).id] != [job.id]
    assert run_ids(app) == [job.id]


def test_training_again_starts_from_the_settings_and_the_text_of_the_run() -> None:
    app = start_training(corpus=TIED * 5, size=262, pace="full")
    wait_until(app, lambda: job_of(app).ended)
    first = job_of(app)
    app.run()
    app.button(key=f"again_{first.id}").click().run()
    assert app.number_input(key="train_size").value == 262
    assert ENGLISH["train.reused"].split("{")[0] in said(app)
    app.selectbox(key="pattern_choice").set_value("none").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended and job_of(app) is not first)
    second = job_of(app)
    assert second.training.texts == first.training.texts
    assert (second.training.pattern, second.training.vocab_size) == ("none", 262)


def test_training_again_without_a_change_is_the_same_training() -> None:
    app = open_page("train")
    choose_source(app, "paste")
    app.text_area(key="corpus_paste").set_value(TIED * 5).run()
    app.number_input(key="train_size").set_value(262).run()
    app.segmented_control(key="train_pace").set_value("fast").run()
    app.selectbox(key="pattern_choice").set_value("gpt2").run()
    app.text_input(key="train_special_tokens").set_value("<|a|> <|b|>").run()
    app.number_input(key="train_min_count").set_value(3).run()
    app.number_input(key="train_minutes").set_value(2.5).run()
    app.selectbox(key="train_rival").set_value("gpt2").run()
    app.text_area(key="train_rival_text").set_value("ab cd น้ำ").run()
    app.button(key="start").click().run()
    first = job_of(app)
    beat = first.training.stop.beat
    assert beat is not None
    assert (beat.reference, beat.text, first.training.stop.max_seconds) == ("gpt2", "ab cd น้ำ", 150.0)
    wait_until(app, lambda: first.ended)
    app.run()
    app.button(key=f"again_{first.id}").click().run()
    app.button(key="start").click().run()
    second = job_of(app)
    assert second is not first
    assert second.training == first.training


def test_too_many_runs_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "MAX_RUNS", 1)
    app = start_training(size=300)
    wait_until(app, lambda: bool(app.success))
    back_to_settings(app)
    app.button(key="start").click().run()
    assert ENGLISH["errors.too_many_runs"].format(limit=1) in said(app)
    assert job_of(app).ended  # the old one is still there


def test_two_runs_are_compared() -> None:
    app = start_training(size=300)
    wait_until(app, lambda: bool(app.success))
    back_to_settings(app)
    app.selectbox(key="pattern_choice").set_value("gpt2").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: bool(app.success) and len(run_ids(app)) == 2)
    app.session_state["compare_runs"] = True
    app.run()
    assert not app.exception
    assert ENGLISH["parting.parts"].split("{")[0] in shown(app)


# ---- recipes


def test_a_recipe_reproduces_the_merges_and_says_so() -> None:
    app = start_training(corpus=TIED * 5, size=262, pace="full")
    wait_until(app, lambda: job_of(app).ended)
    first = job_of(app)
    app.run()
    recipe = next(block.value for block in app.code if "tokenizer recipe" in block.value)
    assert json.loads(recipe)["vocab_size"] == 256 + len(first.merges)

    back_to_settings(app)
    app.number_input(key="train_size").set_value(999).run()
    app.text_area(key="recipe_text").set_value(recipe).run()
    assert app.number_input(key="train_size").value == 256 + len(first.merges)
    assert ENGLISH["recipe.same_corpus"] in said(app)
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app) is not first and job_of(app).ended)
    app.run()
    assert job_of(app).merges == first.merges
    assert ENGLISH["recipe.reproduced"].split("}")[1] in said(app)


def test_a_recipe_with_another_text_is_said_to_differ_before_and_after() -> None:
    app = start_training(corpus=TIED * 5, size=262, pace="full")
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    recipe = next(block.value for block in app.code if "tokenizer recipe" in block.value)
    other = open_page("train")
    other.text_area(key="recipe_text").set_value(recipe).run()
    assert ENGLISH["recipe.other_corpus"].split(",")[0] in said(other)
    other.segmented_control(key="train_pace").set_value("full").run()
    other.button(key="start").click().run()
    wait_until(other, lambda: job_of(other).ended)
    other.run()
    assert ENGLISH["recipe.not_reproduced"].split("{")[0] in said(other)
    assert ENGLISH["recipe.field_corpus_sha256"] in said(other)


def test_what_is_no_recipe_is_refused_in_words() -> None:
    app = open_page("train", "th")
    app.text_area(key="recipe_text").set_value("{}").run()
    assert THAI["errors.recipe_none"] in said(app)


# ---- what if


def test_the_other_of_two_tied_pairs_can_have_its_way() -> None:
    app = start_training(corpus=TIED * 5, size=262, pace="slowest")
    job = job_of(app)
    job.pause()
    app.session_state["what_if_asks"] = True
    wait_until(app, lambda: job.state == "paused" and bool(app.radio))
    app.button(key="what_if_go").click().run()
    asked = app.session_state["what_if"]
    wait_until(app, lambda: asked.series.is_complete)
    app.run()
    assert ENGLISH["parting.parts"].format(merge=asked.after + 1) in shown(app)
    assert not asked.series.failure
    assert asked.learned[0][asked.after] == asked.winner
    assert asked.learned[1][asked.after] == asked.other
    assert [run.job for run in registry().runs(app.session_state["owner"])] == [job]  # the answers are in no list
    app.button(key="what_if_close").click().run()
    assert "what_if" not in app.session_state
    assert not app.exception


@pytest.mark.parametrize("language", ["en", "th"])
def test_a_tie_says_with_whom_and_what_decides(language: str) -> None:
    """ "ab" and "cd" stand five times each, and "ab" first."""
    app = start_training(language, corpus="ab cd " * 5, size=262, pace="slowest")
    job = job_of(app)
    job.pause()
    words = catalogue(language)["studio.tie"]
    before, after = words.split("{")[0], words.split("}")[-1]
    wait_until(app, lambda: any(before in each.value and after in each.value for each in app.caption))
    assert job.choice is not None
    assert job.choice.ties > 0
