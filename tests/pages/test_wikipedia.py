"""Wikipedia articles as a corpus: fetched on a click, credited, and failures said."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue
from tests.helpers.browser import PATIENCE
from tests.helpers.wikipedia import THAI, StandIn
from tokenizer_core.readers.wikipedia import API_VARIABLE


def page_of_articles() -> None:
    """What a page draws: the picker, and what came of it."""
    import streamlit as st

    from pages.ui.inputs.wikipedia import pick_wikipedia

    st.session_state.setdefault("language", "en")
    corpus = pick_wikipedia()
    st.session_state["picked"] = corpus and (corpus.name, corpus.texts)


@pytest.fixture
def page(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv(API_VARIABLE, stand_in.api)
    app = AppTest.from_function(page_of_articles, default_timeout=PATIENCE).run()
    app.segmented_control(key="wikipedia_language").set_value("th").run()
    return app


def fetch(app: AppTest, titles: str) -> AppTest:
    app.text_area(key="wikipedia_titles_th").set_value(titles).run()
    app.button(key="wikipedia_fetch").click().run()
    assert not app.exception
    return app


def texts(app: AppTest) -> tuple[str, ...]:
    picked = app.session_state["picked"]
    return picked[1] if picked else ()


def said(app: AppTest) -> str:
    return " ".join(
        box.value for kind in (app.error, app.warning, app.info, app.caption, app.markdown) for box in kind
    )


def test_nothing_is_fetched_before_the_click(page: AppTest, stand_in: StandIn) -> None:
    page.text_area(key="wikipedia_titles_th").set_value("ภาษาไทย").run()
    assert stand_in.asked == []
    assert texts(page) == ()
    button = page.button(key="wikipedia_fetch")
    assert f"127.0.0.1:{stand_in.server_address[1]}" in button.label  # it names whom it asks


def test_articles_become_the_corpus_and_are_credited(page: AppTest) -> None:
    fetch(page, "ภาษาไทย\n\nC++\n")
    assert texts(page) == (THAI, THAI)
    assert "oldid=42" in said(page)
    assert "CC BY-SA" in said(page)


def test_articles_stay_when_others_fail_and_each_failure_is_said(page: AppTest) -> None:
    fetch(page, "ภาษาไทย\nmissing\nC#")
    assert texts(page) == (THAI,)
    errors = " ".join(box.value for box in page.error)
    assert "missing" in errors
    assert "C#" in errors
    page.run()
    assert texts(page) == (THAI,)


def test_an_article_is_not_asked_for_again(page: AppTest, stand_in: StandIn) -> None:
    fetch(page, "ภาษาไทย")
    fetch(page, "ภาษาไทย\nC++")
    assert stand_in.titles == ["ภาษาไทย", "C++"]
    assert texts(page) == (THAI, THAI)


def test_articles_can_be_taken_out_again(page: AppTest) -> None:
    fetch(page, "ภาษาไทย")
    page.button(key="wikipedia_forget").click().run()
    assert texts(page) == ()


def test_more_titles_than_allowed_are_refused_whole(page: AppTest, stand_in: StandIn) -> None:
    fetch(page, "\n".join(f"title {n}" for n in range(21)))
    assert "21" in " ".join(box.value for box in page.error)
    assert stand_in.asked == []


def test_no_title_is_said(page: AppTest, stand_in: StandIn) -> None:
    fetch(page, " \n ")
    assert catalogue("en")["wikipedia.no_titles"] in said(page)
    assert stand_in.asked == []


def test_a_busy_host_is_said_once_for_all_titles(page: AppTest, stand_in: StandIn) -> None:
    fetch(page, "429\nภาษาไทย\nไทย")
    assert len(page.error) == 1
    assert all(title in page.error[0].value for title in ("429", "ภาษาไทย", "ไทย"))
    assert stand_in.titles == ["429"]


def test_markup_in_a_title_stays_text(page: AppTest) -> None:
    fetch(page, "**bold** :material/home: `x`")
    assert "`` **bold** :material/home: `x` ``" in page.error[0].value


def test_a_suggestion_is_one_click_away(page: AppTest) -> None:
    page.pills(key="wikipedia_suggestion_th").set_value("ภาษาไทย").run()
    assert page.text_area(key="wikipedia_titles_th").value == "ภาษาไทย"
    assert not page.exception


def test_the_whole_corpus_is_bounded(page: AppTest, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ui.inputs.wikipedia.MAX_CORPUS_BYTES", len(THAI.encode()))
    fetch(page, "ภาษาไทย\nin parts\nไทย")
    assert texts(page) == (THAI,)
    assert "in parts" not in stand_in.titles
    assert "in parts" in " ".join(box.value for box in page.error)


def test_a_wrong_address_in_the_environment_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_VARIABLE, "file:///etc/passwd")
    app = AppTest.from_function(page_of_articles, default_timeout=PATIENCE).run()
    assert not app.exception
    assert "file:///etc/passwd" in app.error[0].value
