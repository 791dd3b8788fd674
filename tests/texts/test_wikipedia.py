"""Wikipedia articles: what is asked, what is made of the answer, and every way in which there is none."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.words import catalogue
from tests.helpers.browser import PATIENCE
from tokenizer_core.errors import CorpusError, WikipediaError
from tokenizer_core.texts.wikipedia import (
    API_VARIABLE,
    Article,
    api_address,
    fetch_article,
    fetch_articles,
    fetch_each,
    host,
)

THAI = "ภาษาไทยเป็นภาษาราชการ\nประวัติ\nเริ่มที่สุโขทัย"


def answer(**page: Any) -> dict[str, Any]:
    """What the API says of one page."""
    page = {"pageid": 1, "ns": 0, "title": "ภาษาไทย", "lastrevid": 42, "extract": THAI} | page
    return {"batchcomplete": True, "query": {"pages": [{k: v for k, v in page.items() if v is not None}]}}


ANSWERS: dict[str, Any] = {
    "ภาษาไทย": answer(),
    "ไทย": answer(),
    "C++": answer(title="C++ & (b)"),
    "missing": answer(title="missing", missing=True, extract=None, lastrevid=None),
    "invalid": answer(title="invalid", invalid=True, invalidreason="?", extract=None, lastrevid=None),
    "Special:Random": answer(title="Special:Random", special=True, extract=None, lastrevid=None),
    "de:Thai": {"batchcomplete": True, "query": {"interwiki": [{"title": "de:Thai", "iw": "de"}]}},
    "empty": answer(title="empty", extract=" \n"),
    "no extract": answer(title="no extract", extract=None),
    "ambiguous": answer(title="ambiguous", pageprops={"disambiguation": ""}),
    "429": 429,
    "500": 500,
    "503": 503,
    "302": 302,
    "maxlag": {"error": {"code": "maxlag", "info": "Waiting for a host"}},
    "refused": {"error": {"code": "unknown_action", "info": "<script>"}},
    "hostile refusal": {"error": {"code": "[x](http://evil)" * 99}},
    "no object refusal": {"error": 7},
    "html": b"<html>Wikimedia Error</html>",
    "no utf-8": b'{"query": "\xff"}',
    "nested": b"[" * 200_000,
    "list": [],
    "no query": {},
    "query is text": {"query": "pages"},
    "pages by id": {"query": {"pages": {"1": {}}}},
    "two pages": {"query": {"pages": [{}, {}]}},
    "page is a number": {"query": {"pages": [1]}},
    "title is a number": answer(title=5),
    "title has a line": answer(title="a\nb"),
    "revision is text": answer(lastrevid="1"),
    "revision is true": answer(lastrevid=True),
    "revision is negative": answer(lastrevid=-1),
    "extract is a list": answer(extract=["a"]),
    "surrogate": b'{"query": {"pages": [{"title": "a", "lastrevid": 1, "extract": "\\ud83d"}]}}',
    "continue is text": answer() | {"continue": "on"},
    "continue changes the title": answer() | {"continue": {"titles": "another"}},
    "continue is long": answer() | {"continue": {"excontinue": "9" * 201}},
    "without end": answer(extract=None) | {"continue": {"continue": "||"}},
}


class StandIn(ThreadingHTTPServer):
    """A MediaWiki that gives fixed answers and remembers what it was asked."""

    daemon_threads = True
    asked: list[dict[str, str]]
    headers: list[dict[str, str]]

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{{language}}/w/api.php"

    @property
    def titles(self) -> list[str]:
        return [question["titles"] for question in self.asked]


class Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_GET(self) -> None:
        question = dict(parse_qsl(urlsplit(self.path).query))
        self.server.asked.append(question)
        self.server.headers.append(dict(self.headers))
        title = question["titles"]
        special: Callable[[dict[str, str]], None] | None = getattr(self, f"_{title.replace(' ', '_')}", None)
        if special:
            special(question)
            return
        found = ANSWERS.get(title, ANSWERS["missing"])
        if isinstance(found, int):
            self._send(b"no", found)
        else:
            self._send(found if isinstance(found, bytes) else json.dumps(found, ensure_ascii=False).encode())

    def _send(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.path.replace("302", "%E0%B8%A0"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _in_parts(self, question: dict[str, str]) -> None:
        """Properties first, then the text: as the API does where not all fits into one answer."""
        if "excontinue" in question:
            part = {"query": {"pages": [{"title": "in parts", "extract": THAI}]}}
        else:
            part = answer(title="in parts", extract=None) | {"continue": {"excontinue": 1, "continue": "||info"}}
        self._send(json.dumps(part).encode())

    def _endless(self, question: dict[str, str]) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" " * 65_536)
        except OSError:
            self.close_connection = True

    def _silent(self, question: dict[str, str]) -> None:
        time.sleep(1)

    def _drop_by_drop(self, question: dict[str, str]) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(200):
                self.wfile.write(b" ")
                time.sleep(0.02)
        except OSError:
            self.close_connection = True

    def _broken_off(self, question: dict[str, str]) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"query"')
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    server = StandIn(("127.0.0.1", 0), Handler)
    server.asked, server.headers = [], []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def refusal(title: str, server: StandIn, **options: Any) -> WikipediaError:
    with pytest.raises(WikipediaError) as refused:
        fetch_article(title, "th", api=server.api, **options)
    assert isinstance(refused.value, CorpusError)
    return refused.value


def test_an_article_comes_as_it_is_with_its_source(stand_in: StandIn) -> None:
    assert fetch_article(" ภาษาไทย ", "th", api=stand_in.api) == Article(
        "ภาษาไทย",
        "th",
        THAI,
        "https://th.wikipedia.org/w/index.php?title=%E0%B8%A0%E0%B8%B2%E0%B8%A9%E0%B8%B2%E0%B9%84%E0%B8%97%E0%B8%A2&oldid=42",
        42,
        "CC BY-SA 4.0",
    )


def test_only_the_title_is_sent_and_the_project_named(stand_in: StandIn) -> None:
    fetch_article("ภาษาไทย", "th", api=stand_in.api)
    assert stand_in.asked == [
        {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "prop": "extracts|info|pageprops",
            "ppprop": "disambiguation",
            "explaintext": "1",
            "exsectionformat": "plain",
            "exlimit": "1",
            "redirects": "1",
            "titles": "ภาษาไทย",
        }
    ]
    sent = stand_in.headers[0]
    assert sent.pop("User-Agent").startswith("TokenizerExplorer/")
    assert set(sent) == {"Accept", "Accept-Encoding", "Host", "Connection"}


def test_a_link_to_the_source_holds_no_markup(stand_in: StandIn) -> None:
    url = fetch_article("C++", "en", api=stand_in.api).url
    assert not set("()<> ") & set(url)
    assert parse_qs(urlsplit(url).query)["title"] == ["C++_&_(b)"]


def test_an_answer_in_parts_is_put_together(stand_in: StandIn) -> None:
    assert fetch_article("in parts", "th", api=stand_in.api).text == THAI
    assert [question.get("excontinue") for question in stand_in.asked] == [None, "1"]


@pytest.mark.parametrize(
    ("title", "code"),
    [
        ("missing", "wikipedia_missing"),
        ("never heard of", "wikipedia_missing"),
        ("invalid", "wikipedia_missing"),
        ("Special:Random", "wikipedia_missing"),
        ("de:Thai", "wikipedia_missing"),
        ("empty", "wikipedia_empty"),
        ("no extract", "wikipedia_empty"),
        ("ambiguous", "wikipedia_ambiguous"),
        ("429", "wikipedia_busy"),
        ("503", "wikipedia_busy"),
        ("maxlag", "wikipedia_busy"),
        ("500", "wikipedia_status"),
        ("302", "wikipedia_status"),
        ("refused", "wikipedia_refused"),
        ("hostile refusal", "wikipedia_refused"),
        ("no object refusal", "wikipedia_refused"),
        ("broken off", "wikipedia_offline"),
        *((title, "wikipedia_answer") for title in ("html", "no utf-8", "nested", "list", "no query")),
        *((title, "wikipedia_answer") for title in ("query is text", "pages by id", "two pages")),
        *((title, "wikipedia_answer") for title in ("page is a number", "title is a number", "title has a line")),
        *((title, "wikipedia_answer") for title in ("revision is text", "revision is true")),
        *((title, "wikipedia_answer") for title in ("revision is negative", "extract is a list", "surrogate")),
        *((title, "wikipedia_answer") for title in ("continue is text", "continue changes the title")),
        *((title, "wikipedia_answer") for title in ("continue is long", "without end")),
    ],
    ids=lambda value: value if not value.startswith("wikipedia_") else "",
)
def test_what_gives_no_article_has_its_reason(title: str, code: str, stand_in: StandIn) -> None:
    error = refusal(title, stand_in)
    assert error.code == code
    for language in ("en", "th"):
        words = catalogue(language)[f"errors.{code}"]
        assert words.format(**error.values)
    assert "evil" not in str(error.values)
    assert len(stand_in.asked) <= 20


def test_a_redirect_elsewhere_is_not_followed(stand_in: StandIn) -> None:
    assert refusal("302", stand_in).values["status"] == "302"
    assert len(stand_in.asked) == 1


def test_an_answer_without_end_is_cut_off(stand_in: StandIn) -> None:
    assert refusal("endless", stand_in, max_bytes=200_000).code == "wikipedia_large"


def test_all_parts_together_are_bounded(stand_in: StandIn) -> None:
    whole = len(json.dumps(answer(), ensure_ascii=False).encode())
    assert fetch_article("ภาษาไทย", "th", api=stand_in.api, max_bytes=whole).text == THAI
    assert refusal("ภาษาไทย", stand_in, max_bytes=whole - 1).code == "wikipedia_large"


@pytest.mark.parametrize("title", ["silent", "drop by drop"])
def test_who_answers_too_slowly_is_not_waited_for(title: str, stand_in: StandIn) -> None:
    assert refusal(title, stand_in, timeout=0.1).code == "wikipedia_slow"


def test_offline_is_said(closed_port: int) -> None:
    with pytest.raises(WikipediaError) as refused:
        fetch_article("ภาษาไทย", "th", api=f"http://127.0.0.1:{closed_port}/{{language}}")
    assert (refused.value.code, refused.value.values) == (
        "wikipedia_offline",
        {"host": f"127.0.0.1:{closed_port}"},
    )


def test_a_host_that_is_no_name_is_an_error_of_ours() -> None:
    with pytest.raises(WikipediaError) as refused:
        fetch_article("ภาษาไทย", "th", api=f"http://{'a' * 70}.invalid/")
    assert refused.value.code == "wikipedia_offline"


@pytest.mark.parametrize(
    ("title", "code"),
    [
        ("", "wikipedia_title_empty"),
        (" \t ", "wikipedia_title_empty"),
        ("ภาษาไทย|Thai", "wikipedia_title_character"),
        ("C#", "wikipedia_title_character"),
        ("a\x1fb", "wikipedia_title_character"),
        ("a\nb", "wikipedia_title_character"),
        ("a\0b", "wikipedia_title_character"),
        ("\ud83d", "wikipedia_title_character"),
        ("[[a]]", "wikipedia_title_character"),
        ("a" * 300, "wikipedia_title_long"),
        ("ก" * 86, "wikipedia_title_long"),
    ],
    ids=[
        "empty",
        "blank",
        "pipe",
        "hash",
        "separator",
        "line",
        "nul",
        "surrogate",
        "brackets",
        "long",
        "long Thai",
    ],
)
def test_no_title_that_cannot_be_is_sent(title: str, code: str, stand_in: StandIn) -> None:
    error = refusal(title, stand_in)
    assert error.code == code
    assert stand_in.asked == []
    for language in ("en", "th"):
        assert catalogue(language)[f"errors.{code}"].format(**error.values).isprintable()


def test_the_longest_title_is_asked_for(stand_in: StandIn) -> None:
    assert refusal("ก" * 85, stand_in).code == "wikipedia_missing"
    assert stand_in.titles == ["ก" * 85]


@pytest.mark.parametrize("language", ["de", "", "th.evil.example/", "../en"])
def test_no_other_language_is_asked(language: str, stand_in: StandIn) -> None:
    with pytest.raises(WikipediaError) as refused:
        fetch_article("ภาษาไทย", language, api=stand_in.api)
    assert refused.value.code == "wikipedia_language"
    assert stand_in.asked == []


@pytest.mark.parametrize(
    "api",
    [
        *("file:///etc/passwd", "ftp://127.0.0.1/", "//127.0.0.1/", "http://", "http:///w", "javascript:alert(1)"),
        *(
            "http://[",
            "http://host:99999/",
            "http://user@host/",
            "http://host/?a=b",
            "http://host/ a",
            "http://ไทย/",
        ),
    ],
)
def test_only_plain_web_addresses_are_asked(api: str) -> None:
    with pytest.raises(WikipediaError) as refused:
        api_address("th", api)
    assert refused.value.code == "wikipedia_api"


def test_the_address_comes_from_the_caller_then_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(API_VARIABLE, raising=False)
    assert api_address("en") == "https://en.wikipedia.org/w/api.php"
    assert host("th") == "th.wikipedia.org"
    monkeypatch.setenv(API_VARIABLE, "http://mirror.example/{language}/api.php")
    assert api_address("en") == "http://mirror.example/en/api.php"
    assert api_address("th", "http://other.example/") == "http://other.example/"


def test_several_articles_come_once_each_with_progress(stand_in: StandIn) -> None:
    seen: list[tuple[int, int]] = []
    articles = fetch_articles(
        ["ภาษาไทย", "in parts", "ไทย", "in parts"],
        "th",
        api=stand_in.api,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [article.title for article in articles] == ["ภาษาไทย", "in parts"]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert stand_in.titles == ["ภาษาไทย", "in parts", "in parts", "ไทย"]


def test_the_first_reason_is_raised_where_nobody_takes_them_one_by_one(stand_in: StandIn) -> None:
    with pytest.raises(WikipediaError) as refused:
        fetch_articles(["ภาษาไทย", "missing", "empty"], "th", api=stand_in.api)
    assert refused.value.code == "wikipedia_missing"
    assert stand_in.titles == ["ภาษาไทย", "missing"]


def test_what_fails_takes_nothing_else_with_it(stand_in: StandIn) -> None:
    fetched = list(fetch_each(["missing", "a|b", "ภาษาไทย", "empty"], "th", api=stand_in.api))
    assert [each.article.text if each.article else None for each in fetched] == [None, None, THAI, None]
    assert [each.error.code if each.error else None for each in fetched] == [
        "wikipedia_missing",
        "wikipedia_title_character",
        None,
        "wikipedia_empty",
    ]


def test_once_the_host_is_too_busy_it_is_left_in_peace(stand_in: StandIn) -> None:
    fetched = list(fetch_each(["ภาษาไทย", "429", "ไทย", "missing"], "th", api=stand_in.api))
    assert [each.error.code if each.error else None for each in fetched] == [None, *["wikipedia_busy"] * 3]
    assert stand_in.titles == ["ภาษาไทย", "429"]


# ---- on the page


def page_of_articles() -> None:
    """What a page draws: the picker, and what came of it."""
    import streamlit as st

    from pages.ui.choices.wikipedia import pick_wikipedia

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
    fetch(page, "ภาษาไทย\n\nin parts\n")
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
    fetch(page, "ภาษาไทย\nin parts")
    assert stand_in.titles == ["ภาษาไทย", "in parts", "in parts"]
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
    monkeypatch.setattr("pages.ui.choices.wikipedia.MAX_CORPUS_BYTES", len(THAI.encode()))
    fetch(page, "ภาษาไทย\nin parts\nไทย")
    assert texts(page) == (THAI,)
    assert "in parts" not in stand_in.titles
    assert "in parts" in " ".join(box.value for box in page.error)


def test_a_wrong_address_in_the_environment_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_VARIABLE, "file:///etc/passwd")
    app = AppTest.from_function(page_of_articles, default_timeout=PATIENCE).run()
    assert not app.exception
    assert "file:///etc/passwd" in app.error[0].value
