"""What the browser fetches by itself: payloads under names that nobody can guess, and the page to take away."""

from types import SimpleNamespace

import pytest

from pages.ui.i18n import catalogue
from pages.ui.widgets.token_view import serve
from pages.ui.widgets.token_view.drawings import INLINE_CHARACTERS, Text, drawing
from pages.ui.widgets.token_view.lanes import Label, pretoken_lane
from pages.ui.widgets.token_view.serve import (
    FACES,
    MOST_OFFERS,
    Offer,
    Offers,
    address,
    faces,
    offers,
    page_to_take_away,
    routes,
)
from tests.helpers.routes import Answer
from tokenizer_core.patterns import split_patterns as patterns

SLOW = "(a+)+$"


SLOW_TEXT = "x " * INLINE_CHARACTERS + "a" * 5_000 + "b"

# ---- Offers


def offer(payload: bytes = b"payload") -> Offer:
    """An offer that keeps its word."""
    return Offer(lambda: payload, str)


def test_a_key_keeps_its_name_and_others_have_their_own() -> None:
    known = Offers()
    names = [known.offer(key, offer(key.encode())) for key in ("a", "b", "a")]
    assert names[0] == names[2] != names[1]
    assert [found.make() for name in names if (found := known.find(name))] == [b"a", b"b", b"a"]


def test_what_nobody_has_asked_for_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(serve, "time", SimpleNamespace(monotonic=lambda: now))
    known = Offers()
    names = [known.offer(key, offer()) for key in ("fetched", "offered", "left")]
    now += 60
    known.find(names[0])
    known.offer("offered", offer())
    now += 1
    known.forget_unused(60)
    assert [known.find(name) is not None for name in names] == [True, True, False]
    assert known.offer("left", offer()) not in names


def test_names_cannot_be_guessed() -> None:
    known = Offers()
    names = {known.offer(f"{number}", offer()) for number in range(50)} | {Offers().offer("0", offer())}
    assert len(names) == 51
    assert min(map(len, names)) >= 22  # 128 bits


def test_offers_are_bounded_and_the_one_used_longest_ago_goes() -> None:
    known = Offers()
    names = [known.offer(f"{number}", offer()) for number in range(MOST_OFFERS)]
    known.offer("0", offer())
    known.offer("another", offer())
    assert known.find(names[0]) is not None
    assert known.find(names[1]) is None
    assert all(known.find(name) for name in names[2:])


def test_an_offer_that_is_fetched_again_and_again_stays() -> None:
    known = Offers()
    fetched = known.offer("race", offer())
    for number in range(2 * MOST_OFFERS):
        known.offer(f"{number}", offer())
        assert known.find(fetched) is not None


# ---- routes


def ask(path: str, method: str = "GET") -> Answer:
    """Ask the app for what the token view fetches."""
    return Answer(routes(), path, method)


@pytest.mark.parametrize("path", ["/token-view/nobody", "/token-view/", "/token-view/a/b", "/token-view/%2e%2e"])
def test_what_nobody_offers_is_not_found(path: str) -> None:
    answer = ask(path)
    assert answer.status == 404
    assert b"nobody" not in answer.body


def test_the_browser_gets_the_exact_payload_and_keeps_no_copy() -> None:
    payload = bytes(range(256)) * 9
    answer = ask(address(offers().offer("a key of a test", offer(payload))))
    assert (answer.status, answer.body) == (200, payload)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize("weight", FACES)
def test_a_looped_face_comes_whole_and_may_be_kept(weight: str) -> None:
    answer = Answer(routes(), faces()[weight])
    assert (answer.status, answer.body) == (200, FACES[weight].read_bytes())
    assert answer.headers["content-type"] == "font/woff2"
    assert "max-age" in answer.headers["cache-control"]


@pytest.mark.parametrize("weight", ["700", "../../serve", "", "400%2e"])
def test_no_other_file_comes_as_a_face(weight: str) -> None:
    assert Answer(routes(), address(f"looped-{weight}.woff2")).status == 404


def test_nothing_can_be_sent_there() -> None:
    assert ask(address(offers().offer("a key of a test", offer())), method="POST").status == 405


@pytest.mark.parametrize("language", ["en", "th"])
def test_a_pattern_that_is_too_slow_is_said_in_the_language_of_the_visitor(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "time_budget", lambda characters, pattern: 0.2)
    drawn = drawing(Text(SLOW_TEXT), [pretoken_lane(SLOW, Label("pieces"))], language=language)
    assert drawn.whole is not None
    answer = ask(address(drawn.whole))
    assert answer.status == 422
    assert answer.headers["content-type"].startswith("text/plain; charset=utf-8")
    words = catalogue(language)["errors.pattern_slow"]
    assert answer.body.decode().startswith(words.split("{")[0] + "0.2")


def test_the_page_to_take_away_comes_whole_and_is_no_payload() -> None:
    answer = ask(address("page.html"))
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.body.decode() == page_to_take_away()
