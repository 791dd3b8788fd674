"""A file of counted pieces on the Train page: uploaded, read, trained from, kept and asked for again."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import regex
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import section
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.counts_upload import pattern_said, recipe_sentences
from pages.ui.train.studio import first_sentence
from pages.ui.widgets.player import serve
from tests.helpers.app import ENGLISH, SPOKEN, job_of, open_page, with_any_values
from tests.helpers.browser import PATIENCE
from tests.helpers.corpus_page import given, said, upload
from tokenizer_core import train
from tokenizer_core.corpus_counts.counts import Counts, CountsRecipe
from tokenizer_core.corpus_counts.counts_file import write_counts
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import CountedCorpus, Counting, Training

TEXT = "the cat sat on the mat and the dog sat on the cat\n" * 30
RECIPE = CountsRecipe("x", texts=3, bytes_read=10**11, pretokens=2 * 10**10)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("counts") / "a.counts.parquet"
    write_counts(Counts.of(TEXT, "gpt2"), path)
    return path.read_bytes()


def test_a_long_pattern_is_quoted_in_part() -> None:
    said_of_it = pattern_said(CountsRecipe("a" * 100))
    assert "a" * 80 in said_of_it
    assert "a" * 81 not in said_of_it


def counts_page() -> None:
    """The picker of the Train page alone, which takes counts."""
    import streamlit as st

    from pages.ui.inputs.corpus_picker import corpus_picker

    st.session_state["given"] = corpus_picker(takes_counts=True)


def uploaded(*files: tuple[str, bytes], language: str = "en") -> AppTest:
    app = AppTest.from_function(counts_page, default_timeout=PATIENCE)
    app.query_params["lang"] = language
    app.run()
    app.segmented_control(key="corpus_source").set_value("upload").run()
    app.file_uploader(key="corpus_files").set_value([(*file, "application/octet-stream") for file in files])
    return until(app, lambda: not waits(app))


def until(app: AppTest, reached: Callable[[], bool]) -> AppTest:
    deadline = time.monotonic() + PATIENCE
    app.run()
    while not reached():
        assert time.monotonic() < deadline
        app.run()
    assert not app.exception
    return app


def waits(app: AppTest) -> bool:
    return any(button.key == "counts_stop" for button in app.button)


@pytest.mark.parametrize("language", SPOKEN)
def test_a_counts_file_is_a_corpus_of_its_own_with_its_recipe_in_words(content: bytes, language: str) -> None:
    app = uploaded(("a.counts.parquet", content), language=language)
    corpus = given(app)
    assert corpus is not None
    assert corpus.texts == ()
    assert corpus.counts is not None
    assert corpus.characters == len(TEXT)
    whole = without_breaks(" ".join(each.value for each in (*app.markdown, *app.info, *app.caption)))
    assert f"{corpus.counts.recipe.pretokens:,}" in whole
    assert "1.5 kB" in whole
    assert "the" in whole
    before = corpus
    assert given(app.run()) is before
    assert not app.warning


@pytest.mark.parametrize("language", SPOKEN)
def test_another_version_of_regex_is_said(tmp_path: Path, language: str) -> None:
    counts = Counts.of(TEXT, "gpt2")
    write_counts(replace(counts, recipe=replace(counts.recipe, regex_version="1999.*1*")), tmp_path / "a")
    app = uploaded(("a.counts.parquet", (tmp_path / "a").read_bytes()), language=language)
    assert given(app) is not None
    (warning,) = app.warning
    assert "` 1999.*1* `" in warning.value
    assert regex.__version__ in warning.value


def test_damaged_counts_are_refused_in_words(content: bytes) -> None:
    app = uploaded(("a.counts.parquet", content[:-40]))
    assert given(app) is None
    assert ENGLISH["errors.counts_damaged"] in said(app)


def test_counts_and_texts_together_are_refused(content: bytes) -> None:
    app = uploaded(("a.counts.parquet", content), ("b.txt", b"a cat"))
    assert given(app) is None
    assert ENGLISH["counts.alone"].split("}")[1] in said(app)


def test_a_page_that_needs_the_text_says_so(content: bytes) -> None:
    app = upload(("a.parquet", content))
    until(app, lambda: not waits(app))
    assert given(app) is None
    assert ENGLISH["counts.needs_text"] in said(app)


def test_a_reading_can_be_stopped_and_begun_again(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ui.inputs.counts_upload.PATIENCE", 0.0)
    monkeypatch.setattr("pages.ui.inputs.counts_upload.TURNS", taken := Turns())
    app = AppTest.from_function(counts_page, default_timeout=PATIENCE)
    app.run()
    app.segmented_control(key="corpus_source").set_value("upload").run()
    app.file_uploader(key="corpus_files").set_value([("a.parquet", content, "")]).run()
    assert ENGLISH["counts.reading"] in said(app)
    app.button(key="counts_stop").click().run()
    taken.free()
    until(app, lambda: ENGLISH["counts.stopped"] in said(app))
    app.button(key="counts_again").click()
    until(app, lambda: given(app) is not None)


class Turns:
    """No turn until there is one."""

    def __init__(self) -> None:
        self.is_free = False

    def free(self) -> None:
        """Let everybody go on."""
        self.is_free = True

    def __enter__(self) -> None:
        while not self.is_free:
            time.sleep(0.01)

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        (RECIPE, ["counts.read", "counts.boundaries_file", "counts.nothing_dropped"]),
        (
            replace(RECIPE, boundaries="line", dropped=5, dropped_bytes=10**9, min_pretoken_count=3, short_by=4),
            ["counts.read", "counts.boundaries_line", "counts.dropped", "counts.short_by"],
        ),
    ],
    ids=["whole", "short"],
)
def test_a_recipe_in_words(recipe: CountsRecipe, expected: list[str]) -> None:
    sentences = recipe_sentences(recipe, 7)
    for key, sentence in zip(expected, sentences, strict=True):
        assert re.fullmatch(with_any_values(ENGLISH[key]), sentence)
    assert "100 GB" in sentences[0]
    assert ("1.0%" in " ".join(sentences)) is bool(recipe.dropped)


def test_training_on_the_page_from_counts(content: bytes) -> None:
    app = open_page("train")
    app.radio(key="train_card").set_value("own").run()
    app.segmented_control(key="corpus_source").set_value("upload").run()
    app.file_uploader(key="corpus_files").set_value([("a.parquet", content, "")])
    until(app, lambda: not app.button(key="start").disabled)
    assert not any(box.key == "pattern_choice" for box in app.selectbox)
    assert ENGLISH["counts.pattern"].split("{")[0] in said(app)
    app.segmented_control(key="train_pace").set_value("full")
    app.number_input(key="train_size").set_value(270).run()
    app.button(key="start").click().run()
    job = job_of(app)
    job.wait(PATIENCE, lambda: job.ended)
    assert [(merge.left, merge.right) for merge in job.merges] == train(TEXT, 270, pattern="gpt2").merges
    app.run()
    assert not app.exception
    assert first_sentence(job) == ENGLISH["examples.english"]
    assert ENGLISH["counts.cannot"] in said(app)


def test_the_stage_says_how_far_counting_is() -> None:
    job = Job(Training(["a"], 300), waits=True)
    words = section("stage", spoken="en")
    job.state = "counting"
    assert serve.answer(job, "en", 0)["says"] == words["counting"]
    job.counting = Counting(50_000_000, 200_000_000, 2.0)
    assert serve.answer(job, "en", 0)["says"] == "Counting the pieces: 25% of 200 MB · 25 MB a second"
    of_counts = replace(job.training, texts=(), counts=CountedCorpus(RECIPE, "0" * 64, 1, 1))
    job.training, job.counting = of_counts, Counting(0, 0, 0.0)
    assert serve.answer(job, "en", 0)["says"] == words["reading_counts"]


def test_the_default_limit_follows_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.ui import limits

    (tmp_path / "memory.max").write_text("4294967296\n")
    (tmp_path / "none").write_text("max\n")
    monkeypatch.setattr(limits, "_CONTAINER_LIMITS", (str(tmp_path / "memory.max"), str(tmp_path / "none"), "/-"))
    memory = limits.memory_bytes()
    assert memory is not None
    assert memory <= 4294967296
    assert limits.default_corpus_mb(4294967296) == 100
