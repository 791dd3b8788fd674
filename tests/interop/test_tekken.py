"""Mistral's tekken.json: special tokens have the first ids, and a file that contradicts itself is refused."""

import base64
import json
from typing import Any

import pytest

from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.interop import tekken
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.interop.tekken import tekken_tokenizer

TOKENS = [*(bytes([byte]) for byte in range(256)), b"th", b"the"]


def file_of(specials: Any = 3, size: Any = None, pattern: Any = "[a-z]+", **more: Any) -> dict[str, Any]:
    """A tekken.json with two merges."""
    tokens = [{"rank": rank, "token_bytes": base64.b64encode(token).decode()} for rank, token in enumerate(TOKENS)]
    size = specials + len(TOKENS) if size is None else size
    config = {"pattern": pattern, "default_vocab_size": size, "default_num_special_tokens": specials}
    return {"config": config, "vocab": tokens, **more}


def with_token(place: int, *dropped: str, **changes: Any) -> dict[str, Any]:
    found = file_of()
    changed = {name: value for name, value in found["vocab"][place].items() if name not in dropped}
    found["vocab"][place] = changed | changes
    return found


def refusal(found: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    with pytest.raises(TokenizerFileError) as caught:
        tekken_tokenizer(found)
    return caught.value.code, dict(caught.value.values)


def test_special_tokens_have_the_first_ids_and_all_others_come_after_them() -> None:
    opened = open_tokenizer("mine", json.dumps(file_of()).encode())
    tokenizer = opened.tokenizer
    assert (opened.format, opened.has_merges, tokenizer.name) == ("tekken", True, "mine")
    assert tokenizer.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2}
    assert tokenizer.encode("<s>the", allowed_special="all") == [1, 3 + 257]
    assert tokenizer.encode("the th") == [3 + 257, 3 + 32, 3 + 256]
    assert tokenizer.decode(tokenizer.encode("the ที่ 😀")) == "the ที่ 😀"


def test_a_file_may_have_no_special_tokens_or_only_bytes() -> None:
    plain = tekken_tokenizer(file_of(0)).tokenizer
    assert (plain.special_tokens, plain.encode("the")) == ({}, [257])
    bytes_alone = tekken_tokenizer(file_of(3, 3 + 256)).tokenizer
    assert (bytes_alone.vocab_size, bytes_alone.encode("the")) == (256, [3 + byte for byte in b"the"])


def test_tokens_beyond_the_size_that_the_file_names_are_left_out() -> None:
    tokenizer = tekken_tokenizer(file_of(3, 3 + 257)).tokenizer
    assert tokenizer.encode("the") == [3 + 256, 3 + ord("e")]
    assert refusal(file_of(3, 3 + 259)) == ("tekken_config", {})


def test_the_file_names_its_special_tokens_and_those_without_a_name_get_one() -> None:
    listed = [{"rank": 2, "token_str": "<three>"}, {"rank": 0, "token_str": "<one>"}]
    tokenizer = tekken_tokenizer(file_of(special_tokens=listed)).tokenizer
    assert tokenizer.special_tokens == {"<one>": 0, "<SPECIAL_1>": 1, "<three>": 2}
    many = tekken_tokenizer(file_of(30)).tokenizer  # a file of an old version does not list them
    assert list(many.special_tokens)[:5] == ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"]
    assert list(many.special_tokens)[19:21] == ["[TOOL_CONTENT]", "<SPECIAL_20>"]
    assert list(many.special_tokens.values()) == list(range(30))


@pytest.mark.parametrize(
    "found",
    [
        file_of(size="259"),
        file_of(size=259.0),
        file_of(specials="3", size=261),
        file_of(specials=True, size=259),
        file_of(pattern=None),
        file_of(-1, 258),
        file_of(4, 259),
        file_of(3, 262),
    ],
    ids=[
        "size text",
        "size float",
        "text",
        "bool",
        "no pattern",
        "negative",
        "no room for bytes",
        "too few tokens",
    ],
)
def test_a_config_that_does_not_fit_the_list_is_refused(found: dict[str, Any]) -> None:
    assert refusal(found) == ("tekken_config", {})


@pytest.mark.parametrize(
    ("found", "rank"),
    [
        (with_token(257, token_bytes="dGhl!"), 257),
        (with_token(256, token_bytes="dG\ng="), 256),
        (with_token(256, token_bytes="ก"), 256),
        (with_token(256, token_bytes=None), 256),
        (with_token(257, rank=256), 257),
        (with_token(98, token_bytes="YQ=="), 98),
        (with_token(255, token_bytes="/w8="), 255),
        (with_token(256, token_bytes="YQ=="), 256),
        (with_token(256, token_bytes=""), 256),
        (with_token(9, "rank"), 9),
        (with_token(9, "token_bytes"), 9),
        (file_of() | {"vocab": [3] * 258}, 0),
    ],
    ids=[
        *("no base64", "line end in it", "no ASCII", "null", "rank", "another byte", "two bytes for one"),
        *("one byte again", "empty", "no rank", "no bytes", "no object"),
    ],
)
def test_a_damaged_token_is_named_by_its_rank(found: dict[str, Any], rank: int) -> None:
    assert refusal(found) == ("tekken_token", {"rank": rank})


@pytest.mark.parametrize(
    "listed",
    [
        [{"rank": 0, "token_str": "<a>"}, {"rank": 1, "token_str": "<a>"}],
        [{"rank": 3, "token_str": "<a>"}],
        [{"rank": -1, "token_str": "<a>"}],
        [{"rank": 0, "token_str": ""}],
        [{"rank": 0, "token_str": 7}],
        [{"rank": 0, "token_str": "\ud800"}],
        [{"rank": 0, "token_str": "a\udfff"}],
        [{"rank": 0}],
        [{"rank": [], "token_str": "<a>"}],
        7,
    ],
    ids=str,
)
def test_special_tokens_that_cannot_be_are_refused(listed: Any) -> None:
    assert refusal(file_of(special_tokens=listed)) == ("tekken_special", {})


def test_a_vocabulary_or_tokens_too_large_for_any_model_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    code, values = refusal(file_of(size=10**6 + 1))
    assert (code, values["count"]) == ("file_entries", 10**6 + 1)
    monkeypatch.setattr(tekken, "MAX_TOKEN_BYTES", 256 + 5)
    assert tekken_tokenizer(file_of()).tokenizer.vocab_size == 258
    monkeypatch.setattr(tekken, "MAX_TOKEN_BYTES", 256 + 4)
    assert refusal(file_of()) == ("file_unknown", {})


@pytest.mark.parametrize(
    "found", [{"config": 3, "vocab": []}, {"config": {}, "vocab": {}}, {"config": {}}], ids=str
)
def test_an_object_without_a_config_and_a_list_is_no_tekken_json(found: dict[str, Any]) -> None:
    with pytest.raises(TokenizerFileError) as caught:
        open_tokenizer("a", json.dumps(found).encode())
    assert caught.value.code == "file_unknown"
    assert not tekken.is_tekken(found)
