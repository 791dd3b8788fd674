"""The training studio: the queue, the runs, stop rules, recipes, and "what if the other had won"."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import limits
from pages.ui.frame import visitor
from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.run_registry import registry as trainings
from pages.ui.run_registry.registry import registry
from pages.ui.train.studio import choice_rows
from pages.ui.widgets.token_view.chips import chip_parts, token_chips
from tests.helpers.app import (
    address,
    choose_source,
    job_of,
    open_link,
    open_page,
    open_what_if,
    said,
    start_training,
    wait_until,
)
from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.trainer import Candidate

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
    assert filled(words["studio.waiting"], place=1, limit=limits.MAX_TRAININGS) in said(second)
    job_of(first).stop()
    wait_until(second, lambda: bool(second.success))


# ---- stop rules


@pytest.mark.parametrize(("setting", "value", "ending"), [("min_count", 3000, "pairs"), ("minutes", 0.01, "time")])
def test_a_stop_rule_ends_a_training_and_is_said(setting: str, value: float, ending: str) -> None:
    app = open_page("train")
    app.number_input(key=f"train_{setting}").set_value(value).run()
    app.button(key="start").click().run()
    job_of(app).set_pace(None if ending == "pairs" else 0.5)
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    assert job_of(app).ending == ending
    assert f"{value:,}" in said(app)
    assert all(merge.count >= 3000 for merge in job_of(app).merges) or ending == "time"


def test_training_ends_when_it_beats_a_reference_on_a_text() -> None:
    app = open_page("train")
    app.selectbox(key="train_rival").set_value("gpt2").run()
    app.text_area(key="train_rival_text").set_value("น้ำใจคนไทย").run()
    (needed,) = (caption.value for caption in app.caption if caption.value.startswith("GPT-2 needs"))
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


def test_a_reload_finds_all_runs_by_the_cookie_of_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as browser:
        browser.setattr(visitor, "secret_of_cookie", lambda: "a secret")
        app = start_training(size=300)
        wait_until(app, lambda: bool(app.success))
        back_to_settings(app)
        app.button(key="start").click().run()
        reloaded = open_link("train", job=job_of(app).id, lang="en")
        assert len(run_ids(reloaded)) == 2
    stranger = open_page("train")
    assert run_ids(stranger) == []


def test_a_link_shows_a_training_and_hands_nothing_over() -> None:
    app = start_training(pace="slow", size=300)
    wait_until(app, lambda: job_of(app).state == "running" and bool(job_of(app).merges))
    job = job_of(app)
    stranger = open_link("train", job=job.id, lang="en")
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
    assert filled(ENGLISH["errors.too_many_runs"], limit=1) in said(app)
    assert job_of(app).ended  # the old one is still there


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


def test_compare_says_where_a_tokenizer_learned_from_the_text_that_it_cuts() -> None:
    app = start_training(corpus="เสือกินปลา ปลากินมด\n" * 20)
    wait_until(app, lambda: job_of(app).ended)
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    for text, is_said in (("เสือกินปลา", True), ("เสือกินหมู", False)):
        app.text_area(key="compare_text").set_value(text).run()
        assert (ENGLISH["compare.learned"] in {each.value for each in app.caption}) is is_said


def test_compare_says_that_a_training_has_not_ended_and_leads_back_to_it() -> None:
    app = start_training(corpus="ab cd " * 50, size=262, pace="slowest")
    job = job_of(app)
    wait_until(app, lambda: bool(job.merges))
    job.pause()
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    assert any(without_breaks(each.value).startswith("Your training has not ended: ") for each in app.caption)
    assert app.button(key="compare_back").label == ENGLISH["train.back_to_job"]


def test_the_other_of_two_tied_pairs_can_have_its_way() -> None:
    app = start_training(corpus=TIED * 5, size=262, pace="slowest")
    job = job_of(app)
    job.pause()
    wait_until(app, lambda: job.state == "paused" and job.choice is not None)
    open_what_if(app)
    app.button(key="what_if_go").click().run()
    asked = app.session_state["what_if"]
    wait_until(app, lambda: asked.series.is_complete)
    app.run()
    assert filled(ENGLISH["parting.parts"], merge=asked.after + 1) in shown(app)
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
    job_of(app).pause()
    words = catalogue(language)["studio.tie"]
    before, after = words.split("{")[0], words.split("}")[-1]
    wait_until(app, lambda: any(before in each.value and after in each.value for each in app.caption))


# ---- chips


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("น้ำ".encode(), [("น้ำ", True)]),
        ("ำ".encode(), [("◌ำ", True)]),
        (b"\xe0\xb8", [("E0 B8", False)]),
        ("า".encode() + b"\xe0\xb8", [("า", True), ("E0 B8", False)]),
        (b"\x81 \n", [("81", False), ("␣⏎", True)]),
        ("\u200b".encode(), [("U+200B", True)]),
        (b"\x00", [("U+0000", True)]),
        ("\u202e".encode(), [("U+202E", True)]),
    ],
    ids=["word", "sara am", "half a letter", "letter and a half", "broken first", "zero width", "nul", "bidi"],
)
def test_every_token_is_readable(token: bytes, parts: list[tuple[str, bool]]) -> None:
    assert chip_parts(token) == parts


def test_no_token_is_ever_markup() -> None:
    vocabulary = [b"<script>", b"&amp;"]
    for rows in (choice_rows([Candidate(0, 1, 7)], vocabulary), token_chips(vocabulary)):
        assert "<script>" not in rows
        assert rows.count("&lt;script&gt;") == 1
        assert "&amp;amp;" in rows


@pytest.mark.parametrize("what", ["figures", "files"])
def test_a_phone_can_show_the_figures_and_files_that_it_hides_after_a_training(what: str) -> None:
    app = start_training()
    wait_until(app, lambda: app.metric)

    def is_there() -> bool:  # as on wider screens
        return bool(app.metric if what == "figures" else app.get("download_button"))

    fold = app.button(key=f"fold_{what}")
    assert fold.icon == ":material/expand_more:"
    assert is_there()
    fold.click().run()
    assert app.button(key=f"fold_{what}").icon == ":material/expand_less:"
    assert is_there()


def test_a_text_in_which_no_pair_occurs_twice_says_so_in_place_of_a_film() -> None:
    app = open_page("train")
    app.radio(key="train_card").set_value("own").run()
    app.text_area(key="corpus_paste").set_value("ก").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    assert filled(ENGLISH["studio.out_of_pairs"], size=256, wanted=1_000) in said(app)
    assert not any(each.proto.component_name.endswith("stage") for each in app.get("bidi_component"))
    app.button(key="again").click().run()
    assert app.button(key="start")
