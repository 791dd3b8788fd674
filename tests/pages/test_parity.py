"""Parity on the Train page: offered for texts of two languages, said everywhere, and the same from its recipe."""

import json
from collections import Counter

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.inputs.corpus import Corpus, sample_to_train_on
from pages.ui.inputs.tokenizers import run_names
from pages.ui.run_registry.registry import registry
from pages.ui.train.parity import language_names, units_of
from pages.ui.widgets.player.serve import answer
from tests.helpers.app import ENGLISH, SPOKEN, job_of, open_page, open_what_if, said, staged, wait_until
from tokenizer_core.saved_runs.job import SavedJob, entry_of
from tokenizer_core.workers.training_settings import Training

THAI_LINE, ENGLISH_LINE = "ภาษาไทยและภาษาอื่น\n", "English and others\n"


def set_up(language: str = "en", *, pace: str = "full") -> AppTest:
    """The settings of a training on the bundled pairs, in which the language that is worst off chooses."""
    app = open_page("train", language)
    app.number_input(key="train_size").set_value(400).run()
    app.segmented_control(key="train_pace").set_value(pace).run()
    app.segmented_control(key="train_chooser").set_value("worst").run()
    assert not app.exception
    return app


def all_words(app: AppTest) -> str:
    return said(app) + " ".join(each.value for kind in (app.markdown, app.caption) for each in kind)


@pytest.mark.parametrize(
    ("texts", "languages", "units"),
    [
        ((THAI_LINE, ENGLISH_LINE), ("th", "latin"), ("lines", "characters", "bytes")),
        ((THAI_LINE, ENGLISH_LINE, THAI_LINE), ("th", "latin", "th"), ("characters", "bytes")),
        ((THAI_LINE, THAI_LINE), (), None),
        ((THAI_LINE + ENGLISH_LINE, ENGLISH_LINE), (), None),
        ((THAI_LINE, "123"), (), None),
        ((THAI_LINE,), (), None),
        ((THAI_LINE, ENGLISH_LINE) * 101, (), None),
    ],
    ids=["a pair", "three files", "one language", "mixed", "no letters", "one text", "a table"],
)
def test_only_texts_of_one_language_each_have_languages(
    texts: tuple[str, ...], languages: tuple[str, ...], units: tuple[str, ...] | None
) -> None:
    corpus = Corpus("files", texts)
    assert corpus.languages == languages
    assert units is None or units_of(corpus) == units


def test_the_bundled_pairs_are_thai_and_english() -> None:
    assert sample_to_train_on("both").languages == ("th", "en")
    app = open_page("train")
    app.radio(key="train_card").set_value("th").run()
    assert "train_chooser" not in [each.key for each in app.segmented_control]


def test_the_language_that_is_worst_off_chooses_and_everything_says_so() -> None:
    app = set_up()
    words = filled(ENGLISH["parity.says"], unit=ENGLISH["parity.per_lines"])
    assert words in all_words(app)
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    job = job_of(app)
    assert (job.training.parity, job.training.unit, job.training.languages) == (True, "lines", ("th", "en"))
    assert (
        [each["name"] for each in staged(app)["choosers"]] == language_names(job.training) == ["Thai", "English"]
    )
    shown = answer(job, "en", 40)
    assert shown["served"] == job.served[40:]
    assert len(job.served) == len(job.merges) == 144
    chosen = Counter(job.served)
    assert set(chosen) == {0, 1}
    assert f"Merges chosen: Thai {chosen[0]} · English {chosen[1]}" in all_words(app)
    (name,) = run_names(registry().runs(app.session_state["owner"])).values()
    assert name.endswith(ENGLISH["runs.parity"])
    assert staged(app)["what"].endswith(ENGLISH["runs.parity"])

    entry, learned = entry_of(job)  # a saved run knows who chose
    assert SavedJob(entry, lambda: learned).served == job.served

    recipe = next(block.value for block in app.code if "tokenizer recipe" in block.value)
    assert json.loads(recipe)["parity"] == {"unit": "lines", "languages": ["th", "en"]}
    other = open_page("train")
    other.text_area(key="recipe_text").set_value(recipe).run()
    other.segmented_control(key="train_pace").set_value("full").run()
    other.button(key="start").click().run()
    wait_until(other, lambda: job_of(other).ended)
    other.run()
    assert ENGLISH["recipe.reproduced"].split("}")[1] in said(other)
    assert job_of(other).served == job.served


@pytest.mark.parametrize("language", SPOKEN)
def test_a_pause_says_whose_turn_it_is_and_what_if_keeps_to_the_turns(language: str) -> None:
    app = set_up(language, pace="slowest")
    app.button(key="start").click().run()
    job = job_of(app)
    job.pause()
    wait_until(app, lambda: job.state == "paused" and job.choice is not None)
    open_what_if(app)
    choice, words = job.choice, catalogue(language)
    assert choice is not None
    assert choice.served is not None
    turn = {"language": language_names(job.training)[choice.served], "unit": words["parity.per_lines"]}
    if language == "en":  # the names above are in the language of this thread
        assert filled(words["parity.turn"], **turn) in all_words(app)
    app.button(key="what_if_go").click().run()
    asked = app.session_state["what_if"]
    wait_until(app, lambda: asked.series.is_complete)
    whole = registry().start(Training(**{**vars(job.training), "pace": None}))
    whole.wait(60, lambda: whole.ended)
    assert asked.learned[0] == whole.tokenizer().vocabulary[256:]
