"""Every page, run without a browser: what people do on it, and what it answers to bad input."""

import random
import shutil
from pathlib import Path

import pytest

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_to_train_on
from pages.ui.inputs.text import WATCHED
from tests.helpers.app import (
    DRAWN_WHEN_OPEN,
    ENGLISH,
    LANGUAGES,
    address,
    choose_source,
    counts,
    drawn,
    job_of,
    move_size,
    open_page,
    said,
    start_training,
    wait_until,
)
from tests.helpers.jobs import kill_worker
from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.openai import RANK_FILES, openai_tokenizer


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "page", ["home", "learn", "train", "compare", "languages", "patterns", "stories", "vocabulary", "pieces"]
)
def test_every_page_opens_in_every_language(page: str, language: str) -> None:
    app = open_page(page, language)
    assert app.title[0].value == catalogue(language)[f"{page}.title"]
    assert address(app, "lang") == language


def test_home_counts_the_first_sentence_and_what_is_typed_in_all_references() -> None:
    app = open_page("home")
    assert counts(app) == {"GPT-2": 50, "GPT-4 (cl100k)": 26, "GPT-4o (o200k)": 13}
    app.text_input(key="home_text").set_value("๒๕๖๗").run()
    assert counts(app) == {"GPT-2": 8, "GPT-4 (cl100k)": 8, "GPT-4o (o200k)": 7}


def test_one_click_on_home_trains_what_the_train_page_begins_with() -> None:
    app = open_page("home")
    app.button(key="home_train").click().run()
    training = job_of(app).training.described()
    settings = open_page("train")
    settings.button(key="start").click().run()
    job = job_of(settings)
    assert job is not job_of(app)
    assert job.training.described() | {"special_tokens": ()} == training
    assert job.training.texts == job_of(app).training.texts
    assert settings.get("bidi_component")


@pytest.mark.parametrize(
    ("sentence", "sample"),
    [
        ("I love mango sticky rice", "en"),
        ("", "both"),
        ("น้ำใจ and more", "both"),
        ("水を飲む", "both"),
        ("123", "both"),
    ],
)
def test_an_english_sentence_is_watched_with_english_texts(sentence: str, sample: str) -> None:
    app = open_page("home")
    app.text_input(key="home_text").set_value(sentence).run()
    app.switch_page(str(REPOSITORY / "pages" / "train.py")).run()
    assert app.radio(key="train_card").value == sample
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    app.button(key="home_train").click().run()
    assert job_of(app).training.texts == sample_to_train_on(sample).texts


@pytest.mark.parametrize("example", ["thai", "english", "mixed", "numbers", "emoji"])
def test_an_example_is_one_click_away(example: str) -> None:
    app = open_page("home")
    app.pills(key="home_example").set_value(example).run()
    assert drawn(app)[-1]["text"] == app.text_input(key="home_text").value == ENGLISH[f"examples.{example}"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ก",
        "่",
        "    ",
        "\u202eabc",
        "مرحبا",
        "a\x00b",
        "<script>alert(1)</script><style>*{}</style>",
        "👨‍👩‍👧" * 1000,
    ],
    ids=["empty", "one letter", "one mark", "spaces", "bidi", "arabic", "nul", "script", "emoji"],
)
def test_home_takes_any_text(text: str) -> None:
    app = open_page("home")
    app.text_input(key="home_text").set_value(text).run()
    assert not app.exception
    assert drawn(app)[-1]["text"] == text


def test_compare_shows_tokens_before_what_is_set_less_often() -> None:
    keys = [getattr(element, "key", None) for element in open_page("compare").main]
    order = ["compare_text", "compare_example", "compare_names_False", "compare_view", "special_act"]
    assert [key for key in keys if key in order] == order


def test_compare_takes_a_hundred_thousand_emoji() -> None:
    app = open_page("compare")
    app.text_area(key="compare_text").set_value("👍🏽" * 50_000).run()
    assert not app.exception
    assert drawn(app)[-1]["chars"] == 100_000


def test_a_language_switch_keeps_text_and_training() -> None:
    app = start_training()
    wait_until(app, lambda: bool(app.success))
    app.segmented_control(key="lang").set_value("th").run()
    assert app.success[0].value == filled(catalogue("th")["studio.done"], merges=44)
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    assert counts(app)[without_breaks(catalogue("th")["tokenizers.mine"])] > 0


def test_settings_that_nobody_has_opened_are_not_drawn_and_are_the_usual() -> None:
    closed, opened = open_page("train"), open_page("train")
    closed.session_state["train_more"] = closed.session_state["train_more_drawn"] = False
    closed.run()
    assert [box.key for box in closed.selectbox] == []
    assert [box.key for box in opened.selectbox] != []
    assert closed.caption.values == [said for said in opened.caption.values if said in closed.caption.values]
    trained = [job_of(app.button(key="start").click().run()).training for app in (closed, opened)]
    assert trained[0] == trained[1]


@pytest.mark.parametrize("page", ["train", "compare"])
def test_folds_stay_open_or_closed_when_the_language_changes(page: str) -> None:
    app = open_page(page)
    keys = {fold.proto.id.split("-")[-1] for fold in app.expander if fold.proto.id}
    assert len(keys) == len(app.expander) >= 3
    opened = sorted({*sorted(keys)[::2], *DRAWN_WHEN_OPEN.get(page, ()), f"manual_{page}"} & keys)
    for key in opened:
        app.session_state[key] = True
    app.run()
    app.segmented_control(key="lang").set_value("th").run()
    assert {key for key in keys if app.session_state[key]} == {*opened}
    shown = [fold.proto.id.split("-")[-1] for fold in app.expander if fold.proto.expanded]
    assert sorted(shown) == opened


def test_training_ends_in_a_summary_and_downloads_and_compare_shows_it_at_any_size() -> None:
    app = start_training(size=400)
    wait_until(app, lambda: bool(app.success))
    assert app.metric[0].value == "400"
    assert len(app.get("download_button")) == 2
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    whole = counts(app)["Yours"]
    move_size(app, "Yours", 256)
    assert counts(app)["Yours"] == len(drawn(app)[-1]["text"].encode()) > whole


def test_stop_keeps_what_was_learned() -> None:
    app = start_training(pace="slow")
    job = job_of(app)
    wait_until(app, lambda: job.state == "running")
    job.pause()
    wait_until(app, lambda: job.state == "paused")
    before = len(job.merges)
    job.step()
    wait_until(app, lambda: len(job.merges) == before + 1)
    app.button(key="stop").click().run()
    wait_until(app, lambda: job.state == "stopped")
    app.run()
    assert f"{before + 1} of 1,744" in said(app)


@pytest.mark.parametrize("corpus", ["a", "ab", "aaabaaab"], ids=["one letter", "one pair", "few pairs"])
def test_a_text_with_too_few_pairs_ends_early_and_says_so(corpus: str) -> None:
    app = start_training(corpus=corpus)
    wait_until(app, lambda: "No pair occurs more than once" in said(app))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [-1, 0, 256, 100_001])
def test_a_vocabulary_size_out_of_range_is_refused_in_words(size: int, language: str) -> None:
    app = open_page("train", language)
    app.number_input(key="train_size").set_value(size).run()
    assert app.button(key="start").disabled
    assert f"{size:,}" in said(app)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(", "regular expression"), ("(?R)", "calls itself"), ("(" * 2000, "deeply"), ("x" * 2001, "2,000")],
    ids=["broken", "endless", "nested", "long"],
)
def test_a_pattern_that_cannot_be_used_is_refused_in_words(pattern: str, reason: str) -> None:
    app = open_page("train")
    app.selectbox(key="pattern_choice").set_value("custom").run()
    app.text_input(key="pattern_custom").set_value(pattern).run()
    assert app.button(key="start").disabled
    assert reason in said(app)


def test_a_text_of_ones_own_shows_the_sentence_of_its_film_before_the_film() -> None:
    app = open_page("train")
    choose_source(app, "paste")
    app.text_area(key="corpus_paste").set_value("cats\nแมวกินปลา แมวนอน\n").run()
    assert "แมวกินปลา แมวนอน" in [view["text"] for view in drawn(app)]
    app.button(key="start").click().run()
    assert app.session_state[WATCHED.key] == "แมวกินปลา แมวนอน"


@pytest.mark.long
def test_a_pattern_that_is_too_slow_on_the_corpus_fails_in_words() -> None:
    app = open_page("train")
    choose_source(app, "paste")
    app.text_area(key="corpus_paste").set_value("a" * 5_000 + "b").run()
    app.selectbox(key="pattern_choice").set_value("custom").run()
    app.text_input(key="pattern_custom").set_value("(a+)+$").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: bool(app.error))
    assert "takes too long" in said(app)
    assert len(app.error) == 1
    app.button(key="again").click().run()
    assert app.text_input(key="pattern_custom").value == "(a+)+$"
    assert "5,001 characters" in said(app)


@pytest.mark.parametrize(
    ("tokens", "refused"),
    [("<|a|> <|a|>", True), ("<|a|> <|a|>b", False), ("", False)],
    ids=["twice", "overlap", "none"],
)
def test_special_tokens_are_checked(tokens: str, refused: bool) -> None:
    app = open_page("train")
    app.text_input(key="train_special_tokens").set_value(tokens).run()
    assert app.button(key="start").disabled is refused


def test_a_dead_worker_is_said_and_its_merges_are_kept() -> None:
    app = start_training(pace="slow")
    job = job_of(app)
    wait_until(app, lambda: len(job.merges) > 2)
    kill_worker(job)
    wait_until(app, lambda: bool(app.error))
    assert ENGLISH["errors.worker_killed"] in said(app)
    assert filled(ENGLISH["studio.kept_after_failure"], merges=len(job.merges)) in said(app)


def test_a_damaged_rank_file_is_said_and_the_others_still_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in RANK_FILES.glob("[0-9a-f]*"):
        shutil.copy(file, tmp_path)
    damaged = tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790"  # o200k
    damaged.write_bytes(damaged.read_bytes()[:-1])
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    openai_tokenizer.cache_clear()
    try:
        app = open_page("home")
    finally:
        openai_tokenizer.cache_clear()
    assert "is damaged" in said(app)
    assert set(counts(app)) == {"GPT-2", "GPT-4 (cl100k)"}


@pytest.mark.long
def test_text_that_repeats_itself_unsplit_ends_before_its_tokens_fill_the_memory() -> None:
    app = open_page("train")
    choose_source(app, "paste")
    letters = random.Random(1)
    book = "".join(chr(0xE01 + letters.randrange(46)) for _ in range(60_000))
    app.text_area(key="corpus_paste").set_value(book * 20).run()
    app.selectbox(key="pattern_choice").set_value("none").run()
    app.number_input(key="train_size").set_value(20_000).run()
    app.segmented_control(key="train_pace").set_value("full").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: bool(app.metric))
    assert ENGLISH["studio.too_long"].split("{")[0] in said(app)


@pytest.mark.usefixtures("impatient")
def test_a_slow_pattern_of_ones_own_is_said_on_every_page() -> None:
    app = open_page("train")
    choose_source(app, "paste")
    app.text_area(key="corpus_paste").set_value("ab ab ab").run()
    app.selectbox(key="pattern_choice").set_value("custom").run()
    app.text_input(key="pattern_custom").set_value("(a+)+$").run()
    app.button(key="start").click().run()
    wait_until(app, lambda: bool(app.metric))
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    app.text_input(key="home_text").set_value("a" * 5_000 + "b").run()
    assert not app.exception
    assert "takes too long" in said(app)
