"""The race of methods: four tokenizers from the same text, measured on pairs that none has seen."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue
from pages.ui.inputs.corpus import SAMPLES, sample_text
from pages.ui.train import methods
from pages.ui.train.frontier import held_out_pairs
from pages.ui.train.methods import METHODS, Outcome, conclusion, outcomes_of
from tests.helpers.app import LANGUAGES, chart_rows, said, tables
from tests.helpers.browser import PATIENCE
from tokenizer_core.bpe.trainer import train
from tokenizer_core.readers.mixing import frontier_size, frontier_texts, held_out, lines_by_script

TEXTS = tuple(map(sample_text, SAMPLES["both"]))


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


@pytest.fixture
def no_unigram(monkeypatch: pytest.MonkeyPatch) -> None:
    """A SentencePiece that never finishes: the other methods are quick."""
    monkeypatch.setitem(METHODS, "unigram", lambda texts, size: None)


@pytest.mark.parametrize("has_unigram", [False, pytest.param(True, marks=pytest.mark.long)])
def test_each_method_is_measured_on_pairs_that_it_has_not_seen(
    has_unigram: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_unigram:  # which takes a second
        monkeypatch.delitem(METHODS, "unigram")
    found = {each.method: each for each in outcomes_of(TEXTS, 0.1, 500)}
    assert list(found) == list(METHODS)
    thai, english = (held_out(lines)[0] for lines in lines_by_script(TEXTS)[:2])
    texts = frontier_texts(thai, english, 0.1, frontier_size(thai, english, most=methods.MOST_BYTES))
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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("no_unigram")
def test_the_page_says_what_may_be_concluded_and_what_is_missing(language: str) -> None:
    app = open_methods(language=language)
    assert not app.session_state["methods_outcomes"]  # nothing runs before the click
    app.button(key="methods_start").click().run()
    assert not app.exception
    words = catalogue(language)
    (found,) = app.session_state["methods_outcomes"].values()
    assert words["methods.apart"] in said(app) + "".join(each.value for each in app.markdown)
    assert words["methods.missing"] in "".join(each.value for each in app.warning)
    assert len(tables(app)[-1]) == 1 + len(found) == 4
    assert [row["premium"] for row in chart_rows(app, "premium")] == [each.premium for each in found]
    assert app.run().button(key="methods_start")  # to try once more
    app.segmented_control(key="methods_share").set_value(50).run()
    assert not app.get("vega_lite_chart")


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
