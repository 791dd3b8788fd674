"""Wikipedia articles: what is asked, what is made of the answer, and every way in which there is none."""

import json
import socket
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from tests.helpers.wikipedia import THAI, StandIn, answer
from tokenizer_core.errors import CorpusError, WikipediaError
from tokenizer_core.readers.wikipedia import (
    API_VARIABLE,
    Article,
    api_address,
    checked_title,
    fetch_article,
    fetch_each,
    host,
)


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
    assert (sent.pop("Accept"), sent.pop("Accept-Encoding")) == ("application/json", "identity")
    assert set(sent) == {"Host", "Connection"}


def test_a_link_to_the_source_holds_no_markup(stand_in: StandIn) -> None:
    url = fetch_article("C++", "en", api=stand_in.api).url
    assert not set("()<> ") & set(url)
    assert parse_qs(urlsplit(url).query)["title"] == ["C++_&_(b)"]


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
        *((title, "wikipedia_busy") for title in ("maxlag", "ratelimited", "readonly")),
        ("500", "wikipedia_status"),
        ("302", "wikipedia_status"),
        ("refused", "wikipedia_refused"),
        ("hostile refusal", "wikipedia_answer"),
        ("no object refusal", "wikipedia_answer"),
        ("broken off", "wikipedia_offline"),
        *((title, "wikipedia_answer") for title in ("html", "no utf-8", "nested", "list", "no query")),
        *((title, "wikipedia_answer") for title in ("query is text", "pages by id", "two pages")),
        *((title, "wikipedia_answer") for title in ("page is a number", "title is a number", "title has a line")),
        *((title, "wikipedia_answer") for title in ("title is empty", "title is long", "revision is missing")),
        *((title, "wikipedia_answer") for title in ("revision is text", "revision is true")),
        *((title, "wikipedia_answer") for title in ("revision is negative", "extract is a list", "surrogate")),
        ("in parts", "wikipedia_answer"),
    ],
    ids=lambda value: value if not value.startswith("wikipedia_") else "",
)
def test_what_gives_no_article_has_its_reason(title: str, code: str, stand_in: StandIn) -> None:
    error = refusal(title, stand_in)
    assert error.code == code
    named = (
        {"title": title}
        if code.endswith(("missing", "empty", "ambiguous"))
        else {"host": host("th", stand_in.api)}
    )
    more = {"500": {"status": "500"}, "302": {"status": "302"}, "refused": {"why": "unknown_action"}}
    assert error.values == named | more.get(title, {})
    for language in ("en", "th"):
        words = catalogue(language)[f"errors.{code}"]
        assert filled(words, **error.values)


def test_a_redirect_elsewhere_is_not_followed(stand_in: StandIn) -> None:
    assert refusal("302", stand_in).values["status"] == "302"
    assert len(stand_in.asked) == 1


def test_an_answer_without_end_is_cut_off(stand_in: StandIn) -> None:
    assert refusal("endless", stand_in, max_bytes=200_000).code == "wikipedia_large"


def test_the_longest_answer_is_bounded(stand_in: StandIn) -> None:
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
    ids=lambda value: ascii(value[:12]),
)
def test_no_title_that_cannot_be_is_sent(title: str, code: str, stand_in: StandIn) -> None:
    error = refusal(title, stand_in)
    assert error.code == code
    assert stand_in.asked == []
    for language in ("en", "th"):
        assert filled(without_breaks(catalogue(language)[f"errors.{code}"]), **error.values).isprintable()


@pytest.mark.parametrize(
    ("title", "values"),
    [
        ("a#b", {"character": "#"}),
        ("a\ufffdb", {"character": "\ufffd"}),
        ("a\x1fb", {"character": "U+001F"}),
        ("a\x7fb", {"character": "U+007F"}),
        ("a\x9fb", {"character": "U+009F"}),
        ("\ud83d", {"character": "U+D83D"}),
        ("a" * 256, {"limit": 255, "size": 256}),
        ("ก" * 86, {"limit": 255, "size": 258}),
    ],
    ids=lambda value: ascii(value[:12]) if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_title_is_named(title: str, values: dict[str, Any]) -> None:
    with pytest.raises(WikipediaError) as refused:
        checked_title(title)
    assert refused.value.values == values


def test_a_title_may_have_255_bytes(stand_in: StandIn) -> None:
    assert checked_title(f" {'ก' * 85}\n") == "ก" * 85
    article = fetch_article("a" * 255, "th", api=stand_in.api)
    assert (article.title, article.revision) == ("a" * 255, 1)


@pytest.mark.parametrize("language", ["de", "", "th.evil.example/", "../en"])
def test_no_other_language_is_asked(language: str, stand_in: StandIn) -> None:
    with pytest.raises(WikipediaError) as refused:
        fetch_article("ภาษาไทย", language, api=stand_in.api)
    assert (refused.value.code, refused.value.values) == ("wikipedia_language", {"language": language})
    assert stand_in.asked == []


@pytest.mark.parametrize(
    "api",
    [
        *("file:///etc/passwd", "ftp://127.0.0.1/", "//127.0.0.1/", "http://", "http:///w", "javascript:alert(1)"),
        *("http://[", "http://user@host/", "http://host/?a=b", "http://host/ a", "http://ไทย/"),
    ],
)
def test_only_plain_web_addresses_are_asked(api: str) -> None:
    with pytest.raises(WikipediaError) as refused:
        api_address("th", api)
    assert (refused.value.code, refused.value.values) == ("wikipedia_api", {"address": api})


def test_the_address_comes_from_the_caller_then_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(API_VARIABLE, raising=False)
    assert api_address("en") == "https://en.wikipedia.org/w/api.php"
    assert host("th") == "th.wikipedia.org"
    monkeypatch.setenv(API_VARIABLE, "http://mirror.example/{language}/api.php")
    assert api_address("en") == "http://mirror.example/en/api.php"
    assert api_address("th", "http://other.example/") == "http://other.example/"


def test_what_fails_takes_nothing_else_with_it(stand_in: StandIn) -> None:
    fetched = list(fetch_each(["missing", "a|b", "ภาษาไทย", "empty"], "th", api=stand_in.api))
    assert [each.article.text if each.article else None for each in fetched] == [None, None, THAI, None]
    assert [each.error.code if each.error else None for each in fetched] == [
        "wikipedia_missing",
        "wikipedia_title_character",
        None,
        "wikipedia_empty",
    ]


def test_once_the_host_is_not_there_or_too_slow_it_is_asked_no_more(stand_in: StandIn, closed_port: int) -> None:
    slow = list(fetch_each(["silent", "ภาษาไทย"], "th", api=stand_in.api, timeout=0.05))
    assert [each.error and each.error.code for each in slow] == ["wikipedia_slow"] * 2
    assert "ภาษาไทย" not in stand_in.titles
    gone = list(fetch_each(["ภาษาไทย", "a|b"], "th", api=f"http://127.0.0.1:{closed_port}/"))
    assert [(each.title, each.error and each.error.code) for each in gone] == [
        ("ภาษาไทย", "wikipedia_offline"),
        ("a|b", "wikipedia_offline"),
    ]


def test_once_the_host_is_too_busy_it_is_left_in_peace(stand_in: StandIn) -> None:
    fetched = list(fetch_each(["ภาษาไทย", "429", "ไทย", "missing"], "th", api=stand_in.api))
    assert [each.error.code if each.error else None for each in fetched] == [None, *["wikipedia_busy"] * 3]
    assert stand_in.titles == ["ภาษาไทย", "429"]
