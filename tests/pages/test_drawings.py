"""What pages show is computed once: the caches, what is offered to the browser, and how it fetches that."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from pages.ui.token_view import drawings
from pages.ui.token_view.drawings import INLINE_CHARACTERS, OPENING_CHARACTERS, Text, drawing, over
from pages.ui.token_view.lanes import Label, Lane, pretoken_lane
from pages.ui.token_view.payload import Block, token_payload
from pages.ui.token_view.serve import MOST_OFFERS, Offer, Offers, address, offers, page_to_take_away, routes
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import catalogue, error_sentence, section
from tests.helpers.clusters import TEXTS
from tests.helpers.drawing import ids_in
from tests.helpers.tokenizers import Fake
from tokenizer_core import patterns
from tokenizer_core.errors import PatternError
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.patterns import SPLIT_PATTERNS, pretokenize
from tokenizer_core.pretoken_tokenizer import PretokenTokenizer

LONG = "ดื่มน้ำเยอะๆ นะ the cat sat\n" * (INLINE_CHARACTERS // 20)
SLOW = "(a+)+$"
SLOW_TEXT = "x " * INLINE_CHARACTERS + "a" * 5_000 + "b"
_numbers = count()


@pytest.fixture(autouse=True)
def empty_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches as they are when the app starts."""
    monkeypatch.setattr(
        drawings, "_encodings", Bounded(drawings.CACHE_BYTES, weigh=lambda each: each.ids.nbytes + 1)
    )
    monkeypatch.setattr(drawings, "_payloads", Bounded(drawings.CACHE_BYTES, weigh=len))


# ---------------------------------------------------------------------------------------------------- Bounded


class Making:
    """Makes a value, and counts how often it was asked to."""

    def __init__(self, value: str = "value", seconds: float = 0.0) -> None:
        self.value = value
        self.seconds = seconds
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        time.sleep(self.seconds)
        return self.value


def test_a_value_is_made_once_by_many_threads() -> None:
    cache, make, ready = Bounded[str](limit=100, weigh=len), Making(seconds=0.05), threading.Barrier(16)

    def ask() -> str:
        ready.wait()
        return cache.get("key", make)

    with ThreadPoolExecutor(16) as pool:
        found = [each.result() for each in [pool.submit(ask) for _ in range(16)]]
    assert make.calls == 1
    assert all(each is make.value for each in found)


def test_another_key_does_not_wait() -> None:
    cache, entered, leave = Bounded[str](limit=100, weigh=len), threading.Event(), threading.Event()

    def slowly() -> str:
        entered.set()
        assert leave.wait(10)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(cache.get, "slow", slowly)
        assert entered.wait(10)
        assert cache.get("quick", lambda: "quick") == "quick"
        leave.set()
        assert slow.result() == "slow"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_keeps_nothing(error: type[BaseException]) -> None:
    cache, make = Bounded[str](limit=100, weigh=len), Making()

    def fail() -> str:
        raise error("no")

    with pytest.raises(error, match="no"):
        cache.get("key", fail)
    assert len(cache) == 0
    assert [cache.get("key", make), cache.get("key", fail)] == ["value", "value"]
    assert make.calls == 1


def test_threads_that_wait_for_an_error_try_by_themselves() -> None:
    cache, entered, leave = Bounded[str](limit=100, weigh=len), threading.Event(), threading.Event()

    def fail() -> str:
        entered.set()
        assert leave.wait(10)
        raise ValueError("no")

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(cache.get, "key", fail)
        assert entered.wait(10)
        others = [pool.submit(cache.get, "key", lambda: "value") for _ in range(4)]
        leave.set()
        assert [each.result() for each in others] == ["value"] * 4
        with pytest.raises(ValueError, match="no"):
            first.result()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 12)), max_size=40))
def test_what_was_used_longest_ago_goes_first(asked: list[tuple[int, int]]) -> None:
    """The plain twin: an ordered dict; the newest stays, however heavy."""
    limit = 20
    cache, kept = Bounded[str](limit, weigh=len), OrderedDict[int, str]()
    for key, weight in asked:
        make = Making("x" * weight)
        found = cache.get(key, make)
        assert make.calls == (key not in kept)
        assert found == kept.setdefault(key, make.value)
        kept.move_to_end(key)
        while make.calls and sum(map(len, kept.values())) > limit and len(kept) > 1:
            kept.popitem(last=False)
        assert len(cache) == len(kept)


def test_the_heavy_newest_stays_until_another_comes() -> None:
    cache, heavy = Bounded[str](limit=10, weigh=len), Making("x" * 99)
    cache.get("small", lambda: "xx")
    assert [cache.get("heavy", heavy) for _ in range(2)] == [heavy.value] * 2
    assert (heavy.calls, len(cache)) == (1, 1)
    cache.get("other", lambda: "xx")
    cache.get("heavy", heavy)
    assert (heavy.calls, len(cache)) == (2, 1)


# ----------------------------------------------------------------------------------------------------- Offers


def offer(payload: bytes = b"payload") -> Offer:
    """An offer that keeps its word."""
    return Offer(lambda: payload, str)


def test_a_key_keeps_its_name_and_others_have_their_own() -> None:
    known = Offers()
    names = [known.offer(key, offer(key.encode())) for key in ("a", "b", "a")]
    assert names[0] == names[2] != names[1]
    assert [found.make() for name in names if (found := known.find(name))] == [b"a", b"b", b"a"]


def test_the_newest_offer_of_a_key_is_the_one_that_is_found() -> None:
    known = Offers()
    name = known.offer("key", offer(b"old"))
    known.offer("key", offer(b"new"))
    found = known.find(name)
    assert found is not None
    assert found.make() == b"new"


@pytest.mark.parametrize("name", ["", "nobody", "../../etc/passwd"])
def test_an_unknown_name_finds_nothing(name: str) -> None:
    assert Offers().find(name) is None


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


# ----------------------------------------------------------------------------------------------------- routes


class Answer:
    """What the app answers to a request: status, headers and body."""

    def __init__(self, path: str, method: str = "GET") -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(b"host", b"test")],
        }
        with ThreadPoolExecutor(1) as another:  # where no event loop runs, as a browser's does in this thread
            another.submit(asyncio.run, Starlette(routes=routes())(scope, self._receive, self._send)).result()

    async def _receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")


@pytest.mark.parametrize("path", ["/token-view/nobody", "/token-view/", "/token-view/a/b", "/token-view/%2e%2e"])
def test_what_nobody_offers_is_not_found(path: str) -> None:
    answer = Answer(path)
    assert answer.status == 404
    assert b"nobody" not in answer.body


def test_the_browser_gets_the_exact_payload_and_keeps_no_copy() -> None:
    payload = bytes(range(256)) * 9
    answer = Answer(address(offers().offer("a key of a test", offer(payload))))
    assert (answer.status, answer.body) == (200, payload)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/octet-stream"


def test_nothing_can_be_sent_there() -> None:
    assert Answer(address(offers().offer("a key of a test", offer())), method="POST").status == 405


@pytest.mark.parametrize("language", ["en", "th"])
def test_a_pattern_that_is_too_slow_is_said_in_the_language_of_the_visitor(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "time_budget", lambda text, pattern: 0.2)
    drawn = drawing(Text(SLOW_TEXT), [pretoken_lane(SLOW, Label("pieces"))], language=language)
    assert drawn.whole is not None
    answer = Answer(address(drawn.whole))
    assert answer.status == 422
    assert answer.headers["content-type"].startswith("text/plain; charset=utf-8")
    words = catalogue(language)["errors.pattern_slow"]
    assert answer.body.decode().startswith(words.split("{")[0] + "0.2")


def test_an_error_outside_of_a_page_is_said_in_the_language_that_was_asked_for() -> None:
    error = PatternError("no", "pattern_long", limit=2000, length=3000)
    sentences = [error_sentence(error, spoken=language) for language in ("en", "th")]
    assert [catalogue(language)["errors.pattern_long"].split("{")[0] for language in ("en", "th")] == [
        sentence.split("2,000")[0] for sentence in sentences
    ]


def test_the_page_to_take_away_comes_whole_and_is_no_payload() -> None:
    answer = Answer(address("page.html"))
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.body.decode() == page_to_take_away()


# --------------------------------------------------------------------------------------------------- drawings


class Stub(Fake):
    """A tokenizer of single characters that counts what it was asked to encode."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        self.asked.append(text)
        return list(map(ord, text))

    def token_bytes(self, token_id: int) -> bytes:
        return chr(token_id).encode("utf-8")


def stub_lane(name: str = "a stub") -> tuple[Stub, Lane]:
    """A stub and the lane that draws it."""
    stub = Stub()
    return stub, Lane(f"{name} {next(_numbers)}", Label(name, "a caption"), stub)


def directly(content: str | bytes, lanes: list[Lane], language: str = "en") -> bytes:
    """The payload made without caches."""
    assert isinstance(content, str)
    encoded = [replace(lane, encoding=lane.tokenizer.encode(content)) for lane in lanes]
    return token_payload(content, encoded, labels=section("token_view"), locale=language)


def reference(name: str) -> Lane:
    return Lane(name, Label(name), openai_tokenizer(name))


def fetched(name: str | None) -> bytes:
    """What the browser would fetch under a name."""
    assert name is not None
    found = offers().find(name)
    assert found is not None
    return found.make()


@pytest.mark.parametrize(
    "text", ["", "น้ำ", "x" * INLINE_CHARACTERS], ids=["empty", "one cluster", "just short enough"]
)
def test_a_short_text_is_drawn_at_once(text: str) -> None:
    lanes = [stub_lane()[1], reference("o200k_base")]
    drawn = drawing(Text(text), lanes, language="en")
    assert drawn.whole is None
    assert drawn.payload == directly(text, lanes)
    assert Block.open(drawn.payload).header["whole"] is True


@pytest.mark.parametrize(
    "text",
    [LONG, "x" * (INLINE_CHARACTERS + 1), "\n" * 30_000, "น้ำ" * 20_000],
    ids=["lines", "just too long", "only line breaks", "no place to cut"],
)
def test_a_long_text_is_drawn_as_its_opening_until_the_whole_is_fetched(text: str) -> None:
    lanes = [stub_lane()[1], reference("o200k_base")]
    drawn = drawing(Text(text), lanes, language="en")
    opening = Block.open(drawn.payload).header
    assert opening["whole"] is False
    assert text.startswith(opening["text"])
    assert OPENING_CHARACTERS // 2 <= len(opening["text"]) <= OPENING_CHARACTERS
    assert [lane["name"] for lane in opening["columns"]] == ["a stub", "o200k_base"]
    whole = fetched(drawn.whole)
    assert whole == directly(text, lanes)
    assert Block.open(whole).header["whole"] is True


def test_an_opening_ends_at_a_line() -> None:
    drawn = drawing(Text(LONG), [stub_lane()[1]], language="en")
    opening = Block.open(drawn.payload).header["text"]
    assert LONG[len(opening)] == "\n"


def test_nothing_is_encoded_beyond_the_opening_before_the_browser_asks() -> None:
    stub, its_lane = stub_lane()
    drawn = drawing(Text(LONG), [its_lane], language="en")
    assert [len(text) <= OPENING_CHARACTERS for text in stub.asked] == [True]
    fetched(drawn.whole)
    assert stub.asked[1:] == [LONG]


@pytest.mark.parametrize("text", ["น้ำใจ", LONG], ids=["short", "long"])
def test_the_same_drawing_is_made_once(text: str) -> None:
    stub, its_lane = stub_lane()
    first, again = (drawing(Text(text), [its_lane], language="en") for _ in range(2))
    assert first.payload is again.payload
    assert first.whole == again.whole
    if first.whole:
        assert fetched(first.whole) is fetched(again.whole)
    assert len(stub.asked) == len(set(stub.asked))


@pytest.mark.parametrize("text", ["น้ำใจ", LONG], ids=["short", "long"])
def test_toggling_a_tokenizer_encodes_only_with_that_one(text: str) -> None:
    def show(*lanes: Lane) -> None:
        drawn = drawing(Text(text), lanes, language="en")
        payload = fetched(drawn.whole) if drawn.whole else drawn.payload
        assert [lane["name"] for lane in Block.open(payload).header["columns"]] == [lane.name for lane in lanes]

    (one, first), (other, second) = stub_lane("one"), stub_lane("other")
    show(first)
    before = list(one.asked)
    assert other.asked == []
    show(first, second)
    show(second, first)
    show(second)
    show(first)
    assert one.asked == other.asked == before


def test_a_text_is_encoded_once_by_many_threads() -> None:
    stub, its_lane = stub_lane()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: ids_in(over(its_lane, Text("น้ำใจ"))), range(32)))
    assert stub.asked == ["น้ำใจ"]
    assert found == [list(map(ord, "น้ำใจ"))] * 32


def test_what_is_shown_differs_gets_another_payload() -> None:
    stub, its_lane = stub_lane()
    renamed = replace(its_lane, label=Label("renamed", "a caption"))
    captioned = replace(its_lane, label=Label(its_lane.name, "another caption"))
    payloads = [
        drawing(Text(text), lanes, language=language).payload
        for text, lanes, language in [
            ("ab", [its_lane], "en"),
            ("ac", [its_lane], "en"),
            ("ab", [its_lane], "th"),
            ("ab", [renamed], "en"),
            ("ab", [captioned], "en"),
            ("ab", [its_lane, renamed], "en"),
            ("ab", [], "en"),
        ]
    ]
    assert len(set(payloads)) == len(payloads)
    assert stub.asked == ["ab", "ac"]


def test_a_drawing_in_another_language_names_the_characters_in_it() -> None:
    its_lane = stub_lane()[1]
    names = [
        Block.open(drawing(Text("ก"), [its_lane], language=language).payload).header["names"]["3585"]
        for language in ("en", "th")
    ]
    assert names == ["Thai character ko kai", "ก ไก่"]


# --------------------------------------------------------------------------------------------------- pasted ids


def test_pasted_ids_are_drawn_as_they_are_and_others_encode_the_text() -> None:
    gpt2, o200k = reference("gpt2"), reference("o200k_base")
    ids = openai_tokenizer("gpt2").encode("h") + openai_tokenizer("gpt2").encode("ello")
    assert ids != openai_tokenizer("gpt2").encode("hello")
    block = Block.open(drawing(Text("hello", tuple(ids), "gpt2"), [gpt2, o200k], language="en").payload)
    shown = [[lane["ids"][place] for place in block.array(lane["tokens"])] for lane in block.header["columns"]]
    assert shown == [ids, openai_tokenizer("o200k_base").encode("hello")]


def test_the_same_text_without_the_ids_is_another_drawing() -> None:
    gpt2 = reference("gpt2")
    ids = openai_tokenizer("gpt2").encode("h") + openai_tokenizer("gpt2").encode("ello")
    with_ids = Text("hello", tuple(ids), "gpt2")
    for text, tokens in [(with_ids, 2), (Text("hello"), 1), (with_ids, 2)]:
        (lane,) = Block.open(drawing(text, [gpt2], language="en").payload).header["columns"]
        assert lane["count"] == tokens


@pytest.mark.parametrize("times", [1, INLINE_CHARACTERS], ids=["short", "long"])
def test_ids_that_make_no_characters_are_drawn_as_bytes(times: int) -> None:
    gpt2 = reference("gpt2")
    ids = openai_tokenizer("gpt2").encode("น")[:1] * times
    data = openai_tokenizer("gpt2").decode_bytes(ids)
    drawn = drawing(Text(data, tuple(ids), "gpt2"), [gpt2], language="en")
    block = Block.open(fetched(drawn.whole) if drawn.whole else drawn.payload)
    assert block.header["text"].encode("utf-8", "surrogateescape") == data
    assert block.header["columns"][0]["count"] == times
    assert (drawn.whole is None) == (len(data) <= INLINE_CHARACTERS)


def test_ids_of_any_size_are_kept() -> None:
    its_lane = stub_lane()[1]
    assert ids_in(over(its_lane, Text("a", (2**40, 5), its_lane.key))) == [2**40, 5]
    assert np.asarray(over(its_lane, Text("a", (7,), its_lane.key)).encoding).dtype == np.int32


def test_the_digest_tells_texts_and_ids_apart() -> None:
    texts = [
        Text(""),
        Text("a"),
        Text("a[]"),
        Text("a", (), "gpt2"),
        Text("a", (1,), "gpt2"),
        Text("a", (1, 1), "gpt2"),
        Text("a", (11,), "gpt2"),
        Text("a", (1,), "o200k_base"),
        Text(b"\xe0", (1,), "gpt2"),
        Text(b"\xe1", (1,), "gpt2"),
    ]
    assert len({text.digest for text in texts}) == len(texts)


# --------------------------------------------------------------------------------------------------- pretokens


@given(TEXTS, st.sampled_from([*SPLIT_PATTERNS, "a", "(?r)a|ก", ""]))
def test_pretokens_have_the_same_number_where_they_are_the_same(text: str, pattern: str) -> None:
    source = PretokenTokenizer(pattern)
    ids, expected = source.encode(text), [pretoken.encode("utf-8") for pretoken in pretokenize(text, pattern)]
    assert [source.token_bytes(number) for number in ids] == expected
    assert len(set(ids)) == len(set(expected))


def test_pretokens_are_numbered_text_by_text() -> None:
    its_lane = pretoken_lane("[a-z]", Label("pieces"))
    assert [ids_in(over(its_lane, Text(text))) for text in ("aba", "bab")] == [[0, 1, 0], [0, 1, 0]]


def test_a_row_of_pretokens_says_that_it_is_one() -> None:
    lanes = [reference("gpt2"), pretoken_lane("gpt2", Label("pieces"))]
    block = Block.open(drawing(Text("the cat sat"), lanes, language="en").payload)
    assert [lane["kind"] for lane in block.header["columns"]] == ["tokens", "pretokens"]
    assert block.header["differences"]["compared"] == 1
