"""The race of methods: four tokenizers from the same text, measured on pairs that none has seen."""

from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue
from pages.ui.inputs.corpus import SAMPLES, sample_text
from pages.ui.train import methods_run
from pages.ui.train.frontier import Cost, FrontierPoint, Premium, held_out_pairs
from pages.ui.train.methods import conclusion, likelihood_rows, likelihood_sentence, own_tokens
from pages.ui.train.methods_run import (
    GROWING,
    METHODS,
    UNIGRAM,
    MethodsRun,
    Outcome,
    curves,
    learned_tokens,
    new_run,
)
from pages.ui.widgets.abreast import frame_of, growing_frames
from tests.helpers.app import SPOKEN, chart_rows, said, tables
from tests.helpers.browser import PATIENCE
from tokenizer_core.bpe.trainer import train
from tokenizer_core.readers.mixing import frontier_size, frontier_texts, held_out, lines_by_script
from tokenizer_core.workers.sentencepiece_job import Likelihood

TEXTS = tuple(map(sample_text, SAMPLES["both"]))
SENTENCES = (
    "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ by the way, 2567 of the people",
    "a",
    " of the ที่ e\u0301\r\n\n👨‍👩‍👧 \u0e48",
)


def page_with_methods() -> None:
    """What the page draws."""
    import streamlit as st

    from pages.ui.train.methods import race_of_methods

    race_of_methods(st.session_state["texts"])


def open_methods(texts: tuple[str, ...] = TEXTS, language: str = "en") -> AppTest:
    app = AppTest.from_function(page_with_methods, default_timeout=PATIENCE)
    app.session_state["texts"] = texts
    app.session_state["language"] = language
    app.run()
    assert not app.exception
    return app


def kept(app: AppTest) -> list[MethodsRun]:
    return list(app.session_state["methods_runs"].values())


def completed(run: MethodsRun) -> MethodsRun:
    while run.at_work:
        run.go_on(PATIENCE)
    return run


@pytest.fixture(scope="module")
def grown() -> MethodsRun:
    """The methods that grow, without Unigram, which takes a second."""
    return new_run(TEXTS, 0.1, 500)


def test_each_method_is_measured_on_pairs_that_it_has_not_seen(grown: MethodsRun) -> None:
    found = {each.method: each for each in grown.outcomes}
    assert list(found) == list(GROWING)
    thai, english = (held_out(lines)[0] for lines in lines_by_script(TEXTS)[:2])
    texts = frontier_texts(thai, english, 0.1, frontier_size(thai, english, most=methods_run.MOST_BYTES))
    assert not {*held_out_pairs()[0], *held_out_pairs()[1]} & {line for text in texts for line in text.split("\n")}
    plain = train(texts, 500)
    counts = [np.array([len(plain.encode(line)) for line in side]) for side in held_out_pairs()]
    assert found["plain"].thai == pytest.approx(counts[0].mean())
    assert found["plain"].premium == pytest.approx(counts[0].sum() / counts[1].sum())
    for each in found.values():
        assert each.interval[0] < each.premium < each.interval[1]
        assert each.seconds > 0
    assert found["parity"].interval[1] < found["plain"].interval[0]
    assert found["superwords"].english < found["plain"].english < found["parity"].english


def test_the_race_shows_at_each_size_what_the_tokenizer_of_that_size_does(grown: MethodsRun) -> None:
    for method, sizes, *sides in curves(grown):
        assert sizes[0] == 256
        assert sizes[-1] == 500
        for place in range(0, len(sizes), 7):
            tokenizer = grown.grown[method].at(sizes[place])
            for lines, of_side in zip(held_out_pairs(), sides, strict=True):
                assert of_side[place] == pytest.approx(tokenizer.encode_each(lines).counts.mean())
            for text in SENTENCES:
                frames = growing_frames(text, grown.grown[method], sizes)
                shown = [frame for frame in frames if frame.size <= sizes[place]][-1]
                assert shown[1:] == frame_of(text, tokenizer, sizes[place])[1:]


def test_tokens_of_the_winner_alone_are_tokens_of_no_other(grown: MethodsRun) -> None:
    groups, broken = own_tokens(grown, "parity")
    found = [token for group in groups for token in group.tokens]
    assert 0 < len(found) <= 30
    assert broken > 0
    assert all(token.decode() for token in found)
    assert set(found) <= set(learned_tokens(grown.grown["parity"]))
    for other in ("plain", "superwords"):
        assert not set(found) & set(grown.grown[other].vocabulary)
    assert groups[0].script == "thai"


@pytest.mark.long
def test_unigram_is_trained_for_each_size_and_logs_how_likely_the_text_is() -> None:
    run = completed(new_run(TEXTS, 0.1, 1_000))
    assert [each.method for each in run.outcomes] == list(METHODS)
    assert sorted(run.models) == [500, 700, 1_000]
    *_, unigram = curves(run)
    assert unigram.sizes == [500, 700, 1_000]
    lines = held_out_pairs()[0]
    assert unigram.thai[1] == pytest.approx(np.mean([len(run.models[700].encode(line)) for line in lines]))
    assert run.outcomes[-1].thai == pytest.approx(unigram.thai[-1])
    assert run.likelihoods[-1].pieces < run.likelihoods[0].pieces
    rows = likelihood_rows(run.likelihoods)
    assert rows["likelihood"].tolist() == [each.per_word for each in run.likelihoods]


def test_a_number_of_pieces_stands_where_pieces_were_cut() -> None:
    found = [
        Likelihood(2_717, -13.0),
        Likelihood(2_405, -11.3),
        Likelihood(1_803, -11.5),
        Likelihood(1_801, -11.4),
    ]
    assert likelihood_rows(found)["label"].tolist() == ["2,717", "2,405", "1,803", ""]
    assert "-11.30" in likelihood_sentence(found)
    assert "-11.40" in likelihood_sentence(found)
    assert "-13.00" in likelihood_sentence(found[:2])  # it rose to the end


@pytest.mark.parametrize("language", SPOKEN)
def test_the_page_says_what_may_be_concluded_and_what_is_missing(language: str) -> None:
    app = open_methods(language=language)
    mix = FrontierPoint(30, Cost(500, 300), 1_000, Premium(1.5, None), True, (60.0, 40.0))
    app.session_state["frontiers"] = {"a mix": SimpleNamespace(points=[mix])}
    assert not kept(app)  # nothing runs before the click
    app.button(key="methods_start").click().run()
    assert not app.exception
    (run,) = kept(app)
    if run.at_work:  # whoever stops Unigram sees the others
        app.button(key="methods_stop").click().run()
    words = catalogue(language)
    assert words["methods.apart"] in said(app) + "".join(each.value for each in app.markdown)
    assert run.stopped
    assert app.button(key="methods_resume")
    assert len(tables(app)[-1]) == 1 + len(run.outcomes)
    assert [row["premium"] for row in chart_rows(app, "premium")] == [each.premium for each in run.outcomes]
    ends = [row["method"] for row in chart_rows(app, "kind") if row["kind"] == "end"]
    assert ends == [each.method for each in run.outcomes]
    (own,) = (row for row in chart_rows(app, "kind") if row["kind"] == "own")
    assert (own["thai"], own["english"], own["label"]) == (60.0, 40.0, "30%")
    assert app.get("bidi_component")
    rounds = [Likelihood(90, -2.0), Likelihood(80, -1.0), Likelihood(70, -1.5)]
    for logged in (0, 1, 2, 3):
        run.likelihoods = rounds[:logged]
        app.run()
        assert not app.exception
        assert any("-1.00" in each.value for each in app.caption) == (logged > 1)
    app.segmented_control(key="methods_share").set_value(50).run()
    assert not app.get("vega_lite_chart")


def test_whoever_resumes_continues_with_the_model_that_was_stopped(grown: MethodsRun) -> None:
    run = MethodsRun(grown.texts, 500)
    run.go_on(0)
    run.stop()
    assert not run.at_work
    assert (run.done, run.count) == (0, 1)
    run.resume()
    assert completed(run).models
    assert UNIGRAM in run.tokenizers
    assert len(run.likelihoods) > 1


def outcome(method: str, premium: float, low: float, high: float, english: float = 10.0) -> Outcome:
    return Outcome(method, premium * english, english, premium, (low, high), 0.1)


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ([outcome("parity", 1.02, 0.99, 1.05, 11.0)], ("apart", "english_more")),
        ([outcome("parity", 1.02, 0.99, 1.45, 9.0)], ("together", "english_less")),
        ([outcome("superwords", 1.9, 1.8, 2.0)], ("plain_is_fairest",)),
    ],
)
def test_a_difference_is_called_more_than_chance_only_if_intervals_do_not_meet(
    others: list[Outcome], says: tuple[str, ...]
) -> None:
    words = catalogue("en")
    found = conclusion([outcome("plain", 1.5, 1.4, 1.6), *others])
    keys = ("apart", "together", "english_more", "english_less", "plain_is_fairest")
    begun = {key for key in keys if words[f"methods.{key}"].partition("{")[0] in found}
    assert begun == set(says)
