"""Drawings are made once: short texts at once, long ones as their opening until the browser asks."""

import gc
import weakref
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.i18n import section
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.token_view import drawings
from pages.ui.widgets.token_view.drawings import INLINE_CHARACTERS, OPENING_CHARACTERS, Text, drawing, encoded_lane
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.payload import token_payload
from pages.ui.widgets.token_view.serve import offers
from tests.helpers.clusters import TEXTS
from tests.helpers.drawing import ids_in
from tests.helpers.payload import Block
from tests.helpers.tokenizers import Fake
from tokenizer_core.analysis.baselines import PretokenTokenizer
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, pretokenize

LONG = "ดื่มน้ำเยอะๆ นะ the cat sat\n" * (INLINE_CHARACTERS // 20)


_numbers = count()


@pytest.fixture(autouse=True)
def empty_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches as they are when the app starts."""
    monkeypatch.setattr(
        drawings, "_encodings", Bounded(drawings.CACHE_BYTES, weigh=lambda each: each.ids.nbytes + 1)
    )
    monkeypatch.setattr(drawings, "_payloads", Bounded(drawings.CACHE_BYTES, weigh=len))


# ---- drawings


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


def test_nothing_is_encoded_beyond_the_opening_before_the_browser_asks() -> None:
    stub, its_lane = stub_lane()
    drawn = drawing(Text(LONG), [its_lane], language="en")
    assert [len(text) <= OPENING_CHARACTERS for text in stub.asked] == [True]
    fetched(drawn.whole)
    assert stub.asked[1:] == [LONG]


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
        found = list(pool.map(lambda _: ids_in(encoded_lane(its_lane, Text("น้ำใจ"))), range(32)))
    assert stub.asked == ["น้ำใจ"]
    assert found == [list(map(ord, "น้ำใจ"))] * 32


def test_no_tokenizer_is_held_by_what_was_drawn() -> None:
    stub, lane = stub_lane()
    assert drawing(Text("the cat"), [lane], language="en").payload
    held = weakref.ref(stub)
    del stub, lane
    gc.collect()
    assert held() is None


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


# ---- pasted ids


def test_pasted_ids_are_drawn_as_they_are_and_others_encode_the_text() -> None:
    gpt2, o200k = reference("gpt2"), reference("o200k_base")
    ids = openai_tokenizer("gpt2").encode("h") + openai_tokenizer("gpt2").encode("ello")
    assert ids != openai_tokenizer("gpt2").encode("hello")
    block = Block.open(drawing(Text("hello", tuple(ids), "gpt2"), [gpt2, o200k], language="en").payload)
    shown = [[lane["ids"][place] for place in block.array(lane["tokens"])] for lane in block.header["columns"]]
    assert shown == [ids, openai_tokenizer("o200k_base").encode("hello")]


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


# ---- pretokens


@given(TEXTS, st.sampled_from([*SPLIT_PATTERNS, "a", "(?r)a|ก", ""]))
def test_pretokens_have_the_same_number_where_they_are_the_same(text: str, pattern: str) -> None:
    source = PretokenTokenizer(pattern)
    ids, expected = source.encode(text), [pretoken.encode("utf-8") for pretoken in pretokenize(text, pattern)]
    assert [source.token_bytes(number) for number in ids] == expected
    assert len(set(ids)) == len(set(expected))
