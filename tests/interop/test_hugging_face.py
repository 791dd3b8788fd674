"""Any `tokenizer.json` has the library's ids and offsets; our own tokenizer has the same ids, or a reason."""

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import tokenizers
from tokenizers import AddedToken

from tests.helpers.trained import (
    byte_level,
    char_bpe,
    gpt2_files,
    hostile_lines,
    library_of,
    unigram,
    word_level,
    word_piece,
)
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenIdError, TokenizerError, TokenizerFileError
from tokenizer_core.interop.byte_level import letter_of_byte
from tokenizer_core.interop.gpt2 import gpt2_tokenizer, read_merges
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer, as_ours
from tokenizer_core.interop.spans import placed
from tokenizer_core.interop.tekken import tekken_tokenizer

FILES: dict[str, Callable[[], bytes]] = {
    "word_piece": word_piece,
    "word_piece_nfkd": lambda: word_piece("nfkd"),
    "word_piece_cased": lambda: word_piece("none"),
    "unigram": unigram,
    "unigram_first": lambda: unigram("none", prepends="first"),
    "unigram_never": lambda: unigram("nfc", prepends="never"),
    "word_level": word_level,
    "char_bpe": char_bpe,
    "byte_level": byte_level,
    "byte_level_o200k": lambda: byte_level("o200k"),
    "byte_level_nfc": lambda: byte_level(normalizer="nfc"),
    "byte_level_prefix": lambda: byte_level(prefix_space=True),
    "byte_level_added": lambda: byte_level(added=("  ", "cat")),
    "drops_text": lambda: byte_level(normalizer="drops"),
}


@pytest.mark.parametrize("file", FILES)
def test_ids_are_the_librarys_and_spans_lie_in_its_offsets(file: str) -> None:
    content = FILES[file]()
    opened, library = HuggingFaceTokenizer(content), library_of(content)
    for text in hostile_lines():
        expected = library.encode(text, add_special_tokens=False)
        found = opened.encode_placed(text)
        assert found.ids.tolist() == expected.ids == opened.encode(text), text
        at_byte = np.cumsum([0, *(len(character.encode()) for character in text)])
        shared = _shared(expected.offsets)
        for token, (start, end) in enumerate(expected.offsets):
            span = (int(found.starts[token]), int(found.ends[token]))
            if shared[token]:
                assert at_byte[start] <= span[0] <= span[1] <= at_byte[end], text
            else:
                assert span == (at_byte[start], at_byte[end]), text
        edges = np.column_stack((found.starts, found.ends)).reshape(-1)
        assert (np.diff(edges) >= 0).all(), text
        assert _covered(found.starts.tolist(), found.ends.tolist()) == _covered(
            *(at_byte[[edge[side] for edge in expected.offsets]].tolist() for side in (0, 1))
        ), text


def _shared(offsets: list[tuple[int, int]]) -> list[bool]:
    """Whether each token shares a character with the one before it or after it."""
    after = [one[1] > other[0] for one, other in pairwise(offsets)]
    return [left or right for left, right in zip([False, *after], [*after, False])] if offsets else []


def _covered(starts: list[int], ends: list[int]) -> set[int]:
    return {byte for start, end in zip(starts, ends) for byte in range(start, end)}


@pytest.mark.parametrize("file", ["byte_level", "byte_level_o200k", "char_bpe"])
def test_tokens_inside_a_character_take_their_own_bytes(file: str) -> None:
    opened = HuggingFaceTokenizer(FILES[file]())
    for text in ["😀", "👨‍👩‍👧 x", "ฤๅ", "a𝒳b", "ⴰ"]:
        found = opened.encode_placed(text)
        covered = [text.encode()[start:end] for start, end in zip(found.starts, found.ends)]
        spelled = [opened.token_bytes(token_id) for token_id in found.ids.tolist()]
        if file == "char_bpe":  # its first token is the dummy space, or begins with it
            spelled[0] = spelled[0].removeprefix(b" ")
        assert covered == spelled
        assert b"".join(covered) == text.encode()


@pytest.mark.parametrize(
    ("content", "text", "covered"),
    [(word_piece(), "the  cat", {0, 1, 2, 5, 6, 7}), (byte_level(normalizer="drops"), "cat!", {0, 1, 3})],
    ids=["white space", "dropped"],
)
def test_text_that_the_library_drops_is_covered_by_no_token(content: bytes, text: str, covered: set[int]) -> None:
    found = HuggingFaceTokenizer(content).encode_placed(text)
    assert _covered(found.starts.tolist(), found.ends.tolist()) == covered


def test_a_dummy_prefix_covers_nothing_and_unknown_characters_are_tokens_that_say_so() -> None:
    opened = HuggingFaceTokenizer(unigram("none"))
    found = opened.encode_placed("ຂ cat")
    assert [opened.token_text(token_id) for token_id in found.ids.tolist()][:2] == ["▁", "<unk>"]
    assert found.starts.tolist()[:2] == [0, 0]
    assert found.ends.tolist()[:2] == [0, 3]
    assert opened.token_bytes(found.ids.tolist()[1]) == b"<unk>"


def test_a_space_that_begins_the_text_is_no_dummy() -> None:
    spelled = {1: b" ", 2: b"x"}
    found = placed(" y", [1, 2], [(0, 2), (0, 2)], spelled.__getitem__)
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 2], [2, 2])


def test_special_tokens_are_ordinary_text_unless_allowed() -> None:
    opened = HuggingFaceTokenizer(byte_level())
    end = opened.special_tokens["<|endoftext|>"]
    assert end not in opened.encode("a<|endoftext|>")
    assert opened.encode("<|endoftext|>", allowed_special="all") == [end]
    assert opened.decode([end]) == "<|endoftext|>"
    assert end not in opened.entry_ids
    both = HuggingFaceTokenizer(word_piece())
    assert both.encode("[CLS] the", allowed_special=["[CLS]"])[0] == 1
    assert "[UNK]" not in [both.token_text(token_id) for token_id in both.encode("the cat")]


def test_special_tokens_that_act_are_placed_as_the_library_places_them() -> None:
    opened = HuggingFaceTokenizer(word_piece())
    text = "the [CLS] cat[CLS]"
    acting = opened.encode_placed(text, allowed_special="all")
    assert acting.ids.tolist() == opened.encode(text, allowed_special="all")
    token_id = opened.special_tokens["[CLS]"]
    covered = [text.encode()[start:end] for start, end in zip(acting.starts, acting.ends, strict=True)]
    assert [part for part, found in zip(covered, acting.ids, strict=True) if found == token_id] == [b"[CLS]"] * 2
    assert token_id not in opened.encode_placed(text).ids


def test_truncation_padding_and_post_processors_do_not_act() -> None:
    library = tokenizers.Tokenizer.from_str(word_piece().decode())
    library.enable_truncation(2)
    library.enable_padding(length=9, pad_token="[UNK]")
    opened = HuggingFaceTokenizer(library.to_str().encode())
    assert opened.encode("the cat the cat") == HuggingFaceTokenizer(word_piece()).encode("the cat the cat")
    assert len(opened.encode("the cat the cat")) == 4


def test_dropout_would_make_every_run_different_and_is_left_out() -> None:
    opened = HuggingFaceTokenizer(changed({"dropout": 0.5}))
    assert len({tuple(opened.encode("the cat sat on the mat")) for _ in range(20)}) == 1


def test_an_unknown_id_is_named() -> None:
    opened = HuggingFaceTokenizer(word_level(), name="words")
    for token_id in (-1, 40_000, 2**33):
        with pytest.raises(TokenIdError, match=f"{token_id:,}"):
            opened.token_bytes(token_id)
        with pytest.raises(TokenIdError):
            opened.decode([token_id])


def changed(model: Mapping[str, Any] = {}, **parts: Any) -> bytes:
    """The byte-level file with other values in its model or beside it."""
    found = json.loads(byte_level()) | parts
    found["model"] |= model
    return json.dumps(found).encode()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (byte_level()[: len(byte_level()) // 2], "file_json_damaged"),
        (b"[" * 200_000, "file_unknown"),
        (b'{"model": ' * 100_000, "file_unknown"),
        (b'{"model": 3}', "file_unknown"),
        (b'{"model": {"type": "Magic", "vocab": {}}}', "tokenizer_json_model"),
        (changed({"vocab": {"a": 2**31}}), "file_id_range"),
        (changed({"vocab": {"a": -1}}), "file_id_range"),
        (changed({"vocab": {"a": 1, "b": 1}}), "file_id_twice"),
        (changed({"vocab": {"a": "1"}}), "file_unknown"),
        (changed({"vocab": {"a": True}}), "file_unknown"),
        (changed({"merges": [["a", "nowhere"]]}), "tokenizer_json_merges"),
        (changed(added_tokens=[{"id": 2**31, "content": "x", "special": True}]), "file_id_range"),
        (changed(pre_tokenizer={"type": "Split", "pattern": {"Regex": "("}}), "tokenizer_json_field"),
        (b"\xff\xfe{", "file_unknown"),
    ],
    ids=[
        *("truncated", "nested", "nested_objects", "no_model", "unknown_model", "id_2_31", "negative", "twice"),
        *("id_text", "id_bool", "merge_of_nothing", "added_2_31", "broken_regex", "not_utf8"),
    ],
)
def test_a_hostile_file_gets_a_clear_sentence(content: bytes, code: str) -> None:
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(content)
    assert caught.value.code == code


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.interop.limits.MAX_ENTRIES", 300)
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        HuggingFaceTokenizer(byte_level())
    config = {"pattern": "[a-z]+", "default_vocab_size": 256, "default_num_special_tokens": 0}
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        tekken_tokenizer({"config": config, "vocab": [{}] * 301})
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        read_merges(b"a b\n" * 301)
    monkeypatch.setattr("tokenizer_core.interop.limits.MAX_FILE_BYTES", 3_000)
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(byte_level())
    assert caught.value.code == "file_large"


def test_a_text_that_a_model_without_unknown_token_cannot_encode_is_an_error() -> None:
    parts = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}}
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(json.dumps(parts).encode()).encode("b")
    assert caught.value.code == "tokenizer_lacks_unknown"


# ---- as our own tokenizer


@pytest.mark.parametrize("pattern", [None, "cl100k", "llama3", "o200k", "mark_aware", r"\p{L}+|\s|."])
def test_ours_gives_the_librarys_ids(pattern: str | None) -> None:
    content = byte_level(pattern)
    ours, library = as_ours(HuggingFaceTokenizer(content)), library_of(content)
    assert len(ours.merges) > 50
    for text in hostile_lines():
        expected = library.encode(text, add_special_tokens=False).ids
        assert ours.encode(text) == expected, text
        assert ours.decode(expected) == text
    assert ours.encode("<|endoftext|>", allowed_special="all") == [library.token_to_id("<|endoftext|>")]


def test_a_smaller_size_keeps_the_ids_of_the_file() -> None:
    ours = as_ours(HuggingFaceTokenizer(byte_level()))
    smaller = ours.at(BYTES + 2)
    assert smaller.entry_ids == ours.entry_ids[: BYTES + 2]
    assert smaller.special_tokens == ours.special_tokens
    ids = smaller.encode("the cat")
    assert ids == [token_id for token_id in ids if token_id in smaller.entry_ids]
    assert smaller.decode(ids) == "the cat"


MERGES = json.loads(byte_level())["model"]["merges"]
VOCAB = json.loads(byte_level())["model"]["vocab"]
WITHOUT_BYTE = {token: token_id for token, token_id in VOCAB.items() if token != letter_of_byte()[0xF5]}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (byte_level(normalizer="nfkd"), "ours_normalizer"),
        (byte_level(prefix_space=True), "ours_prefix_space"),
        (byte_level(added=(AddedToken("cat", lstrip=True),)), "ours_added"),
        (byte_level(added=(AddedToken("cat"),), normalizer="nfc"), "ours_added"),
        (char_bpe(), "ours_not_byte_level"),
        (word_piece(), "ours_not_byte_level"),
        (unigram(), "ours_not_byte_level"),
        (changed({"vocab": WITHOUT_BYTE}), "ours_byte_missing"),
        (changed({"merges": MERGES[::-1]}), "ours_merge_parts"),
        (changed({"merges": [*MERGES, MERGES[0]]}), "ours_merge_twice"),
        (changed({"vocab": {**VOCAB, "ĠtĠt": 900}, "ignore_merges": True}), "ours_whole_entries"),
        (byte_level(r"\h+|."), "ours_other_ids"),  # hexadecimal digits for Oniguruma, white space for `regex`
    ],
    ids=[
        *(
            "normalizer",
            "prefix_space",
            "added",
            "added_normalized",
            "characters",
            "word_piece",
            "unigram",
            "byte_missing",
        ),
        *("merges_out_of_order", "merge_twice", "whole_entries", "reads_otherwise"),
    ],
)
def test_what_cannot_be_ours_says_why(content: bytes, code: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        as_ours(HuggingFaceTokenizer(content))
    assert caught.value.code == code


# ---- GPT-2's two files


def test_gpt2s_two_files_give_the_ids_of_the_same_tokenizer_json() -> None:
    tokenizer, library = gpt2_tokenizer(*gpt2_files()), library_of(byte_level())
    for text in hostile_lines():
        assert tokenizer.encode(text) == library.encode(text, add_special_tokens=False).ids
    assert tokenizer.special_tokens == {"<|endoftext|>": library.token_to_id("<|endoftext|>")}


def test_the_shipped_files_of_gpt2_are_gpt2() -> None:
    from tokenizer_core.bpe.openai import _FILES_OF, RANK_FILES

    merges, ids = ((RANK_FILES / name).read_bytes() for name in _FILES_OF["gpt2"])
    if not merges.startswith(b"#version"):
        merges, ids = ids, merges
    tokenizer, reference = gpt2_tokenizer(ids, merges), openai_tokenizer("gpt2")
    assert (tokenizer.vocab_size, tokenizer.special_tokens) == (50_256, {"<|endoftext|>": 50_256})
    for text in hostile_lines():
        assert tokenizer.encode(text) == reference.encode(text)


@pytest.mark.parametrize(
    ("merges", "at"), [(b"#version: 0.2\nab\n", 2), (b"a b c\n", 1), (b"a b\n \xff\n", 2), (b"a  b\n", 1)]
)
def test_a_line_that_is_no_merge_is_named(merges: bytes, at: int) -> None:
    with pytest.raises(TokenizerFileError) as caught:
        read_merges(merges)
    assert (caught.value.code, caught.value.values) == ("merges_line", {"at": at})
