"""The header of a GGUF file is read value by value, and nothing in it makes the app read more than is there."""

import io
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tokenizer_core.errors import TokenizerError, TokenizerFileError
from tokenizer_core.interop import gguf
from tokenizer_core.interop.byte_level import FileTokenizer, letter_of_byte
from tokenizer_core.interop.gguf import MAGIC, gguf_tokenizer, read_gguf, read_header
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer

STRING, ARRAY, UINT32, BOOL = 8, 9, 4, 7


def text(written: str) -> bytes:
    return struct.pack("<Q", len(written.encode())) + written.encode()


def strings(*written: str) -> bytes:
    return struct.pack("<IQ", STRING, len(written)) + b"".join(map(text, written))


def entry(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def header(*entries: bytes, version: int = 3, keys: int | None = None) -> bytes:
    """The beginning of a file with one tensor, as far as the end of the keys."""
    return MAGIC + struct.pack("<IQQ", version, 1, len(entries) if keys is None else keys) + b"".join(entries)


NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
OTHERS = [entry(f"general.{kind}", kind, struct.pack(f"<{form}", 1)) for kind, form in NUMBERS.items()]
ARRAYS = [
    entry(f"array.{kind}", ARRAY, struct.pack(f"<IQ3{form}", kind, 3, 1, 0, 1)) for kind, form in NUMBERS.items()
]
FULL = header(
    *OTHERS,
    entry("general.name", STRING, text("นิทาน")),
    *ARRAYS,
    entry("tokenizer.ggml.model", STRING, text("gpt2")),
    entry("tokenizer.ggml.tokens", ARRAY, strings("a", "ที่", "")),
    entry("tokenizer.ggml.scores", ARRAY, struct.pack("<IQ2f", 6, 2, 0.5, -1.0)),
    entry("tokenizer.ggml.token_type", ARRAY, struct.pack("<IQ2i", 5, 2, 1, -3)),
    entry("tokenizer.ggml.add_space_prefix", BOOL, b"\0"),
    entry("tokenizer.ggml.bos_token_id", UINT32, struct.pack("<I", 9)),
)
WANTED = {
    "model": "gpt2",
    "tokens": ["a", "ที่", ""],
    "scores": [0.5, -1.0],
    "token_type": [1, -3],
    "add_space_prefix": False,
}


def refusal(content: bytes) -> TokenizerFileError:
    with pytest.raises(TokenizerFileError) as caught:
        read_header(content)
    return caught.value


# ---- the header


def test_what_says_how_text_is_cut_is_found_among_values_of_every_type() -> None:
    assert read_header(FULL + b"weights") == (WANTED, len(FULL))
    assert read_header(header(version=2)) == ({}, 24)


def test_a_header_that_is_cut_off_says_how_many_bytes_are_needed_at_least() -> None:
    for size in range(len(MAGIC), len(FULL), 3):
        error = refusal(FULL[:size])
        assert (error.code, error.values["found"]) == ("gguf_cut", size)
        assert size < error.values["needed"] <= len(FULL)
    assert refusal(FULL[:20]).values["needed"] == 24
    cut_in_a_token = header(entry("tokenizer.ggml.tokens", ARRAY, strings("a" * 50, "b")))
    assert refusal(cut_in_a_token[:-30]).values["needed"] == len(cut_in_a_token) - 9


@pytest.mark.parametrize(
    ("content", "code", "values"),
    [
        (b"GGUX" + FULL[4:], "gguf_damaged", {}),
        (header(version=1), "gguf_version", {"found": 1}),
        (header(version=4), "gguf_version", {"found": 4}),
        (header(keys=65_537), "gguf_damaged", {}),
        (header(keys=65_536), "gguf_cut", {"needed": 32, "found": 24}),
        (header(entry("a" * 65_536, BOOL, b"\0")), "gguf_damaged", {}),
        (header(entry("a", 13, b"\0")), "gguf_damaged", {}),
        (header(entry("a", ARRAY, struct.pack("<IQ", ARRAY, 0))), "gguf_damaged", {}),
        (header(entry("a", STRING, text("ก")[:-1] + b"a")), "gguf_damaged", {}),
        (header(entry("a", ARRAY, strings("ก")[:-1] + b"a")), "gguf_damaged", {}),
        (header(entry("a", STRING, struct.pack("<Q", 2**28 + 1))), "gguf_damaged", {}),
        (header(entry("a", STRING, struct.pack("<Q", 2**28))), "gguf_large", {"limit": 256}),
        (header(entry("a", ARRAY, struct.pack("<IQ", 0, 2**40))), "gguf_large", {"limit": 256}),
        (header(entry("a", ARRAY, struct.pack("<IQ", STRING, 2**26))), "gguf_large", {"limit": 256}),
        (header(entry("a", ARRAY, struct.pack("<IQQ", STRING, 1, 2**63))), "gguf_large", {"limit": 256}),
    ],
    ids=[
        *("magic", "old version", "new version", "too many keys", "most keys", "long key", "unknown type"),
        *("array of arrays", "no UTF-8", "no UTF-8 in a token", "long text", "longest text", "long array"),
        *("many tokens", "long token"),
    ],
)
def test_a_header_that_lies_is_refused_with_the_reason(content: bytes, code: str, values: dict[str, Any]) -> None:
    error = refusal(content)
    assert (error.code, error.values) == (code, values)


def test_the_longest_key_is_read() -> None:
    assert read_header(header(entry("a" * 65_535, BOOL, b"\1"))).size == 24 + 8 + 65_535 + 4 + 1


def test_more_tokens_than_any_model_has_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.interop.limits.MAX_ENTRIES", 2)
    error = refusal(FULL)
    assert (error.code, error.values) == ("file_entries", {"limit": 2, "count": 3})


@pytest.mark.parametrize("first", [8, len(FULL) - 1, len(FULL), 2**20])
def test_of_a_file_of_many_gigabytes_only_the_header_is_kept(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf, "FIRST_READ", first)
    path = tmp_path / "a.gguf"
    path.write_bytes(FULL + bytes(99_999))
    assert read_gguf(path) == FULL
    path.write_bytes(FULL[:-1])
    with pytest.raises(TokenizerFileError) as caught:
        read_gguf(path)
    assert (caught.value.code, caught.value.values["found"]) == ("gguf_cut", len(FULL) - 1)


def test_no_more_of_a_file_is_read_than_a_header_may_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf, "FIRST_READ", 8)
    path = tmp_path / "a.gguf"
    path.write_bytes(FULL)
    monkeypatch.setattr(gguf, "MAX_HEADER", len(FULL))
    assert read_gguf(path) == FULL
    monkeypatch.setattr(gguf, "MAX_HEADER", len(FULL) - 1)
    with pytest.raises(TokenizerFileError) as caught:
        read_gguf(path)
    assert caught.value.code == "gguf_large"
    path.write_bytes(header(version=9))
    with pytest.raises(TokenizerFileError) as caught:
        read_gguf(path)
    assert caught.value.code == "gguf_version"
    asked: list[int] = []

    class Heard(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            asked.append(size or 0)
            return super().read(size)

    monkeypatch.setattr(gguf, "MAX_HEADER", len(FULL) + 1)
    endless = cast(Path, SimpleNamespace(open=lambda mode: Heard(FULL + bytes(10**4))))
    assert read_gguf(endless) == FULL
    assert sum(asked) <= len(FULL) + 1


# ---- the tokenizer in it

LETTERS = list(letter_of_byte().values())
BYTE_LEVEL: dict[str, Any] = {
    "model": "gpt2",
    "tokens": [*LETTERS, "ab", "<s>", "<think>", "[PAD]"],
    "token_type": [*[1] * 257, 3, 4, 5],
    "merges": ["a b"],
    "pre": "gpt-2",
}
IDS = {letter: place for place, letter in enumerate(LETTERS)}
PIECES: dict[str, Any] = {
    "model": "llama",
    "tokens": ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "b", "ab", "▁ab"],
    "scores": [*[0.0] * 258, -9.0, -8.0, -7.0, -1.0, -2.0],
    "token_type": [2, 3, *[6] * 256, 1, 1, 1, 1, 1],
}


def test_letters_and_merges_make_a_tokenizer_in_which_kinds_say_what_acts() -> None:
    tokenizer = gguf_tokenizer(BYTE_LEVEL, name="mine")
    assert isinstance(tokenizer, FileTokenizer)
    assert (tokenizer.name, tokenizer.pattern, tokenizer.vocab_size) == ("mine", "gpt2", 257)
    assert (tokenizer.special_tokens, tokenizer.added_tokens) == ({"<s>": 257}, {"<think>": 258})
    assert tokenizer.encode("ab<think>") == [256, 258]
    assert 257 not in tokenizer.encode("<s>")
    assert tokenizer.encode("<s>ab", allowed_special="all") == [257, 256]


def test_without_kinds_every_token_is_ordinary_and_without_a_name_the_usual_pattern_cuts() -> None:
    values = {"model": "gpt2", "tokens": [*LETTERS, "ab"], "merges": ["a b"]}
    tokenizer = gguf_tokenizer(values)
    assert isinstance(tokenizer, FileTokenizer)
    assert (tokenizer.special_tokens, tokenizer.added_tokens, tokenizer.name) == ({}, {}, "file")
    named = gguf_tokenizer({**values, "pre": "default"})
    assert isinstance(named, FileTokenizer)
    assert tokenizer.pattern == named.pattern
    assert [piece for piece, _ in tokenizer.pretokens("ab+12345")] == ["ab", "+", "123", "45"]


def test_a_name_of_llama_cpp_says_whether_an_entry_comes_before_its_merges() -> None:
    values = {**BYTE_LEVEL, "tokens": [*BYTE_LEVEL["tokens"], "abc"], "token_type": [*BYTE_LEVEL["token_type"], 1]}
    assert gguf_tokenizer(values).encode("abc") == [256, IDS["c"]]
    with pytest.raises(TokenizerFileError) as caught:
        gguf_tokenizer({**values, "pre": "llama-bpe"})
    assert (caught.value.code, caught.value.values) == ("ours_whole_entries", {"value": 1})
    hidden = [*BYTE_LEVEL["tokens"], "bc", "abc"]  # which its merges never make of "abc": "ab" comes first
    values |= {"tokens": hidden, "token_type": [*BYTE_LEVEL["token_type"], 1, 1], "merges": ["a b", "b c", "a bc"]}
    with pytest.raises(TokenizerFileError) as caught:
        gguf_tokenizer({**values, "pre": "llama-bpe"})
    assert (caught.value.code, caught.value.values) == ("ours_whole_entries", {"value": 1})


@pytest.mark.parametrize(
    ("more", "pieces"), [({}, ["▁ab", "▁", "b"]), ({"add_space_prefix": False}, ["ab", "▁", "b"])], ids=str
)
def test_pieces_with_scores_make_a_sentencepiece_model(more: dict[str, Any], pieces: list[str]) -> None:
    tokenizer = gguf_tokenizer({**PIECES, **more}, name="mine")
    assert isinstance(tokenizer, SentencePieceTokenizer)
    assert (tokenizer.name, tokenizer.model_type) == ("mine", "bpe")
    assert [tokenizer.token_text(token_id) for token_id in tokenizer.encode("ab b")] == pieces
    assert tokenizer.special_tokens == {"<s>": 1}
    assert tokenizer.unigram is None


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({}, "gguf_model"),
        ({**BYTE_LEVEL, "model": "bert"}, "gguf_model"),
        ({**BYTE_LEVEL, "pre": "nobody"}, "gguf_pre"),
        ({**BYTE_LEVEL, "tokens": []}, "gguf_damaged"),
        ({**BYTE_LEVEL, "tokens": "ab"}, "gguf_damaged"),
        ({**BYTE_LEVEL, "tokens": [*BYTE_LEVEL["tokens"][:-1], 3]}, "gguf_damaged"),
        ({**BYTE_LEVEL, "tokens": [*BYTE_LEVEL["tokens"][:-1], "ab"]}, "gguf_damaged"),
        ({**BYTE_LEVEL, "token_type": BYTE_LEVEL["token_type"][:-1]}, "gguf_damaged"),
        ({**BYTE_LEVEL, "token_type": [*BYTE_LEVEL["token_type"][:-1], True]}, "gguf_damaged"),
        ({key: value for key, value in BYTE_LEVEL.items() if key != "merges"}, "gguf_damaged"),
        ({**BYTE_LEVEL, "merges": ["ab"]}, "ours_merge_parts"),
        ({**PIECES, "scores": PIECES["scores"][:-1]}, "gguf_damaged"),
        ({**PIECES, "scores": [0, *PIECES["scores"][1:]]}, "gguf_damaged"),
        ({**PIECES, "token_type": [0, *PIECES["token_type"][1:]]}, "gguf_damaged"),
        ({**PIECES, "token_type": [*PIECES["token_type"][:-1], 7]}, "gguf_damaged"),
    ],
    ids=[
        *(
            "nothing",
            "model",
            "pre",
            "no tokens",
            "text",
            "number",
            "twice",
            "kinds",
            "bool",
            "no merges",
            "merge",
        ),
        *("scores", "integers", "kind 0", "kind 7"),
    ],
)
def test_keys_that_make_no_tokenizer_are_refused(values: dict[str, Any], code: str) -> None:
    with pytest.raises(TokenizerFileError) as caught:
        gguf_tokenizer(values)
    assert caught.value.code == code


def test_a_kind_that_is_not_opened_is_quoted_in_part() -> None:
    for values, code in ({"model": "m" * 50}, "gguf_model"), ({**BYTE_LEVEL, "pre": "m" * 50}, "gguf_pre"):
        with pytest.raises(TokenizerFileError) as caught:
            gguf_tokenizer(values)
        assert (caught.value.code, caught.value.values) == (code, {"found": "m" * 40})


def test_tokens_that_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(map(len, BYTE_LEVEL["tokens"]))
    monkeypatch.setattr(gguf, "MAX_TOKEN_BYTES", size)
    assert gguf_tokenizer(BYTE_LEVEL).encode("ab") == [256]
    monkeypatch.setattr(gguf, "MAX_TOKEN_BYTES", size - 1)
    with pytest.raises(TokenizerFileError):
        gguf_tokenizer(BYTE_LEVEL)


def content_of(values: dict[str, Any]) -> bytes:
    write: dict[type, Callable[[Sequence[Any]], bytes]] = {
        str: lambda given: strings(*given),
        int: lambda given: struct.pack(f"<IQ{len(given)}i", 5, len(given), *given),
        float: lambda given: struct.pack(f"<IQ{len(given)}f", 6, len(given), *given),
    }
    return header(
        *(
            entry(f"tokenizer.ggml.{key}", STRING, text(value))
            if isinstance(value, str)
            else entry(f"tokenizer.ggml.{key}", ARRAY, write[type(value[0])](value))
            for key, value in values.items()
        )
    )


@pytest.mark.parametrize(
    ("values", "remark", "has_merges"),
    [
        (BYTE_LEVEL, TokenizerError("gguf_pattern", name="gpt-2"), True),
        (
            {key: value for key, value in BYTE_LEVEL.items() if key != "pre"},
            TokenizerError("gguf_pattern", name="default"),
            True,
        ),
        (PIECES, TokenizerError("gguf_pieces"), False),
    ],
    ids=["letters", "default", "pieces"],
)
def test_a_file_says_what_is_only_assumed_of_it(
    values: dict[str, Any], remark: TokenizerError, has_merges: bool
) -> None:
    opened = open_tokenizer("a", content_of(values))
    assert (opened.format, opened.model, opened.has_merges) == ("gguf", "BPE", has_merges)
    assert [(each.code, each.values) for each in opened.remarks] == [(remark.code, remark.values)]
    assert opened.tokenizer.encode("ab") == gguf_tokenizer(values).encode("ab")
