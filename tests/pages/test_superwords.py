"""Superwords on the Train page: proposed, said everywhere, and the same from a recipe and in a what-if."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.inputs.tokenizers import run_names
from pages.ui.run_registry.registry import registry
from pages.ui.train.race import first_stage, held_out_pairs, own_counts
from pages.ui.train.what_if import ask_what_if
from pages.ui.widgets.player.serve import answer
from pages.ui.widgets.slides.talk import Entry, Learned, slides_of_entry
from pages.ui.widgets.slides.talk_file import read, written
from tests.helpers.app import ENGLISH, job_of, open_page, said, staged, wait_until
from tests.helpers.browser import PATIENCE
from tokenizer_core import Tokenizer, train
from tokenizer_core.patterns.split_patterns import SUPERWORDS
from tokenizer_core.workers.training_job import Job

FROM = 256 + 115  # four fifths of 144 merges


def set_up(language: str = "en", *, pace: str = "full") -> AppTest:
    """The settings of a training in which tokens may cross spaces late."""
    app = open_page("train", language)
    app.number_input(key="train_size").set_value(400).run()
    app.number_input(key="train_min_count").set_value(1).run()
    app.segmented_control(key="train_pace").set_value(pace).run()
    app.segmented_control(key="train_crossing").set_value("late").run()
    assert not app.exception
    return app


def all_words(app: AppTest) -> str:
    return said(app) + " ".join(each.value for kind in (app.markdown, app.caption) for each in kind)


def learned_by(app: AppTest) -> Job:
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    assert not app.exception
    return job_of(app)


@pytest.mark.parametrize("language", ["en", "th"])
def test_four_fifths_are_proposed_until_the_visitor_chooses(language: str) -> None:
    app = set_up(language)
    words = catalogue(language)
    shown = app.number_input(key="train_superwords_from")
    assert shown.value == FROM
    assert filled(words["superwords.says"], size=FROM) in all_words(app)
    assert words["superwords.in_thai"] in all_words(app)
    app.number_input(key="train_size").set_value(1_256).run()
    assert app.number_input(key="train_superwords_from").value == 1_056
    app.number_input(key="train_superwords_from").set_value(300).run()
    app.number_input(key="train_size").set_value(2_000).run()
    assert app.number_input(key="train_superwords_from").value == 300
    app.number_input(key="train_size").set_value(290).run()  # 300 no longer fits
    assert app.number_input(key="train_superwords_from").value == 256 + 27
    app.segmented_control(key="train_chooser").set_value("worst").run()
    assert words["superwords.not_by_parity"] in all_words(app)
    assert "train_crossing" not in [each.key for each in app.segmented_control]
    assert not app.exception


def test_a_training_crosses_spaces_and_everything_says_so() -> None:
    app = set_up()
    job = learned_by(app)
    texts = list(job.training.texts)
    assert job.tokenizer().merges == train(texts, 400, superwords_from=FROM).merges
    assert (job.superwords_after, job.tokenizer().pattern) == (FROM - 256, SUPERWORDS)
    assert answer(job, "en", 0)["superwords_after"] == FROM - 256
    shown = staged(app)
    assert shown["superwords"] == [len(shown["text"].encode())]
    name = filled(ENGLISH["runs.superwords"], size=FROM)
    assert shown["what"].endswith(name.replace(" ", "\u00a0")) or shown["what"].endswith(name)
    (called,) = run_names(registry().runs(app.session_state["owner"])).values()
    assert called.endswith(name)

    counts = own_counts(job.id, job.tokenizer(), held_out_pairs(), first_stage(job))
    for merges in (0, 1, FROM - 257, FROM - 256, FROM - 255, 144):
        then = Tokenizer(job.tokenizer().merges[:merges], pattern=job.pattern_after(merges))
        for side, of_side in enumerate(counts):
            lines = held_out_pairs().lines[side]
            assert of_side[merges] == sum(len(then.encode(line)) for line in lines)

    app.session_state["train_exports"] = True
    app.run()
    assert not app.exception
    assert "programs that open them cut at spaces, and its tokens cross spaces" in all_words(app)

    recipe = next(block.value for block in app.code if "tokenizer recipe" in block.value)
    assert json.loads(recipe)["superwords_from"] == FROM
    other = open_page("train")
    other.text_area(key="recipe_text").set_value(recipe).run()
    other.segmented_control(key="train_pace").set_value("full").run()
    assert other.number_input(key="train_superwords_from").value == FROM
    learned_by(other)
    assert ENGLISH["recipe.reproduced"].split("}")[1] in said(other)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(FROM - 256 - 4, id="before", marks=pytest.mark.long),
        pytest.param(FROM - 256, id="at"),
        pytest.param(FROM - 256 + 4, id="after", marks=pytest.mark.long),
    ],
)
def test_what_if_crosses_spaces_where_the_training_did(after: int) -> None:
    app = set_up()
    job = learned_by(app)
    winner = job.tokenizer().merges[after]
    other = next(pair for pair in job.tokenizer().merges[after + 1 :] if max(pair) < 256 + after)
    asked = ask_what_if(job, after, winner, other)
    while asked.series.at_work:
        asked.series.go_on()
    usual, alternative = asked.learned
    assert usual == job.tokenizer().vocabulary[256:]
    assert alternative != usual
    assert alternative[after] == b"".join(job.tokenizer().vocabulary[part] for part in other)


def test_counts_have_a_sentence_in_place_of_the_choice() -> None:
    def page() -> None:
        from typing import Any

        import streamlit as st

        from pages.ui.inputs.corpus import Corpus
        from pages.ui.train.superwords import superwords_picker

        counts: Any = object()
        for corpus in (Corpus("counts", (), counts), Corpus("text", ("a b",))):
            st.write(superwords_picker(corpus, 300, by_parity=False))

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert ENGLISH["superwords.not_from_counts"] in [each.value for each in app.caption]
    assert [each.key for each in app.segmented_control] == ["train_crossing"]


def test_a_talk_plays_a_training_that_crosses_spaces_as_the_stage_does() -> None:
    merges = tuple((left, right, 1) for left, right in train("so so so", 259, superwords_from=257).merges)
    entry = Entry(text="so so", learned=Learned("text", "mark_aware", merges, 1))
    (slide,) = slides_of_entry(entry)
    assert slide.stage is not None
    assert (slide.stage["pretokens"], slide.stage["superwords"]) == ([2, 5], [5])
    assert slide.stage["saved"]["answer"]["superwords_after"] == 1
    assert read(written([entry]), ()) == [entry]
