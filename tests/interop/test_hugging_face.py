"""Any `tokenizer.json` has the library's ids and offsets; our own tokenizer has the same ids, or a reason."""

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import SimpleNamespace
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
from tokenizer_core.errors import TextError, TokenIdError, TokenizerError, TokenizerFileError
from tokenizer_core.interop.byte_level import letter_of_byte
from tokenizer_core.interop.gpt2 import gpt2_tokenizer, read_merges
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer, as_ours
from tokenizer_core.interop.limits import ENTRY_BYTES, check_ids, foreseen_bytes, read_json
from tokenizer_core.interop.spans import placed
from tokenizer_core.interop.tekken import tekken_tokenizer
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, THEN

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


def test_text_between_special_tokens_is_encoded_apart_only_if_some_do_not_act() -> None:
    parts = json.loads(unigram("none", prepends="first"))
    size = len(parts["model"]["vocab"])
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    parts["added_tokens"] += [
        {"id": size + n, "content": token, "special": True} | flags for n, token in enumerate(("<a>", "<b>"))
    ]
    opened, library = HuggingFaceTokenizer(json.dumps(parts).encode()), library_of(json.dumps(parts).encode())
    library.encode_special_tokens = False
    text = "cat<a>cat<b>"
    acting = library.encode(text, add_special_tokens=False).ids
    assert opened.encode(text, allowed_special="all") == acting
    assert opened.encode(text, allowed_special=list(opened.special_tokens)) == acting
    some = opened.encode(text, allowed_special=["<a>"])
    assert some == [*opened.encode("cat"), size, *opened.encode("cat<b>")]
    assert some != acting
    assert size not in opened.encode_placed(text, allowed_special=["<a>"]).ids
    assert size in opened.encode_placed(text, allowed_special="all").ids
    with pytest.raises(TextError):
        opened.encode("\ud800")


def test_the_content_of_a_file_opens_as_the_same_tokenizer() -> None:
    parts = json.loads(byte_level())
    del parts["added_tokens"]
    opened = HuggingFaceTokenizer(parts)
    again = HuggingFaceTokenizer(opened.content, name="again")
    assert (again.parts, again.name, opened.name) == (opened.parts, "again", "file")
    assert "Ġ".encode() in opened.content
    assert (opened.special_tokens, opened.added_tokens) == ({}, {})
    assert opened.vocab_size == len(VOCAB) == len(as_ours(opened).entry_ids) + 1
    assert HuggingFaceTokenizer(byte_level()).vocab_size == len(VOCAB) - 1
    assert opened.encode_each(["the cat", ""]).counts.tolist() == [len(opened.encode("the cat")), 0]


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
    for token_id in (-1, 40_000, 2**32, 2**33):
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
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        HuggingFaceTokenizer(json.dumps({"model": {"type": "Unigram", "vocab": [["a", 0.0]] * 301}}).encode())
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        HuggingFaceTokenizer(
            json.dumps({"model": {"vocab": {"a": 0}, "merges": []}, "added_tokens": [{}] * 301}).encode()
        )
    config = {"pattern": "[a-z]+", "default_vocab_size": 256, "default_num_special_tokens": 0}
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        tekken_tokenizer({"config": config, "vocab": [{}] * 301})
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        read_merges(b"a b\n" * 301)
    monkeypatch.setattr("tokenizer_core.interop.limits.MAX_FILE_BYTES", 3_000)
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(byte_level())
    assert caught.value.code == "file_large"


def without(content: bytes, *names: str) -> bytes:
    """A file whose model lacks some fields."""
    found = json.loads(content)
    found["model"] = {name: value for name, value in found["model"].items() if name not in names}
    return json.dumps(found).encode()


BROKEN_SPLIT = {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (changed(pre_tokenizer={"type": "Nobody"}), "tokenizer_json_pre_tokenizer"),
        (changed(normalizer={"type": "Nobody"}), "tokenizer_json_normalizer"),
        (changed(decoder={"type": "Nobody"}), "tokenizer_json_decoder"),
        (changed(version="9.0"), "tokenizer_json_version"),
        (changed(pre_tokenizer=BROKEN_SPLIT), "tokenizer_json_regex"),
        (changed({"merges": ["a b c"]}), "tokenizer_json_merges"),
        (without(word_piece(), "unk_token"), "tokenizer_lacks_unknown"),
        (without(word_piece(), "max_input_chars_per_word"), "tokenizer_json_field"),
        (
            json.dumps({"model": json.loads(unigram())["model"] | {"unk_id": 999}}).encode(),
            "tokenizer_json_refused",
        ),
        (changed(added_tokens=[{"id": [], "content": "x"}]), "tokenizer_json_refused"),
        (changed(added_tokens=3), "file_unknown"),
        (changed(added_tokens=["<s>"]), "file_unknown"),
        (b'{"model": {"type": "Unigram", "vocab": []}}', "file_unknown"),
        (b'{"model": {"type": "Unigram", "vocab": {"a": 1}}}', "file_unknown"),
        (b'{"model": {"type": "BPE", "vocab": {}}}', "file_unknown"),
        (b'{"model": {"type": "BPE", "vocab": ["a"]}}', "file_unknown"),
        (b"[]", "file_unknown"),
        (b'{"model": {"type": "BPE", "vocab": {"a": 1' + b"0" * 5_000 + b"}}}", "file_unknown"),
        (b'{"model": {"vocab": {"a": 0}}}', "tokenizer_json_model"),
    ],
    ids=[
        *("pre-tokenizer", "normalizer", "decoder", "version", "regex", "merges", "no unknown", "no limit"),
        *("unknown beyond", "added id", "added number", "added text", "no pieces", "pieces by name", "no entries"),
        *("entries in a list", "list", "long number", "no kind"),
    ],
)
def test_a_file_that_the_library_cannot_use_says_which_part_is_to_blame(content: bytes, code: str) -> None:
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(content)
    assert caught.value.code == code


def test_ctrl_c_while_a_file_is_opened_is_no_fault_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(content: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tokenizers, "Tokenizer", SimpleNamespace(from_str=interrupted))
    with pytest.raises(KeyboardInterrupt):
        HuggingFaceTokenizer(byte_level())


def test_what_the_library_says_is_quoted_and_a_kind_of_model_in_part() -> None:
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(changed(version="9.0"))
    assert str(caught.value.values["why"]).startswith("Unknown tokenizer version '9.0'")
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(json.dumps({"model": {"type": "M" * 50, "vocab": {"a": 0}}}).encode())
    assert caught.value.values == {"found": "M" * 40}


@pytest.mark.parametrize("content", [byte_level(), word_piece(), unigram()], ids=["BPE", "WordPiece", "Unigram"])
def test_a_file_of_an_old_release_that_does_not_name_its_kind_is_known_by_its_fields(content: bytes) -> None:
    named, old = HuggingFaceTokenizer(content), HuggingFaceTokenizer(without(content, "type"))
    assert old.model == named.model == json.loads(content)["model"]["type"]
    assert old.encode("the cat") == named.encode("the cat")


def test_files_at_the_limits_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.interop.limits.MAX_ENTRIES", len(VOCAB))
    monkeypatch.setattr("tokenizer_core.interop.limits.MAX_FILE_BYTES", len(byte_level()))
    assert HuggingFaceTokenizer(byte_level()).encode("the")
    assert read_json(b"\xef\xbb\xbf{}") == {}
    check_ids([0, 2**31 - 1])
    with pytest.raises(TokenizerFileError) as caught:
        check_ids([5, 3, 5, 3, 3])
    assert caught.value.values == {"token_id": 3}
    with pytest.raises(TokenizerFileError) as caught:
        read_json(b'{"a": 1,\n  b}')
    assert caught.value.values == {"at": "2:3"}


def test_the_memory_foreseen_of_a_file_is_by_its_entries() -> None:
    entries = {f"token {number}": number for number in range(100)}
    assert foreseen_bytes(b"\xef\xbb\xbf " + json.dumps(entries).encode()) == 100 * ENTRY_BYTES
    assert foreseen_bytes(json.dumps({"vocab": [[0]] * 100}).encode()) == 101 * ENTRY_BYTES
    assert foreseen_bytes(b"dGhl 1:\n" * 100) == 100 * ENTRY_BYTES
    assert foreseen_bytes((b"\x01" + bytes(7)) * 100) == 100 * ENTRY_BYTES


# ---- what a token is


def test_bytes_come_back_exactly_if_tokens_are_bytes_and_else_those_of_the_text() -> None:
    opened, words = HuggingFaceTokenizer(byte_level("o200k")), HuggingFaceTokenizer(word_piece())
    ids = opened.encode("ฮ")
    assert [opened.decode_bytes([token_id]) for token_id in ids] == list(map(opened.token_bytes, ids))
    assert opened.decode_bytes(ids) == "ฮ".encode()
    assert opened.decode_bytes(ids[:1]) != opened.decode(ids[:1]).encode()
    ids = words.encode("the cat")
    assert words.decode_bytes(ids) == words.decode(ids).encode() == b"the cat"


SPELLED = {"[UNK]": 0, "##ing": 1, "<0x41>": 2, "a<0x41": 3, "<0x414>": 4, "▁the": 5, "do": 6, "<0xZZ>": 7}


@pytest.mark.parametrize(
    ("model", "decoder", "spelled"),
    [
        (
            {"type": "WordPiece", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9},
            {"type": "WordPiece", "prefix": "##", "cleanup": False},
            [b"[UNK]", b"ing", b"<0x41>", b"a<0x41", b"<0x414>", "▁the".encode(), b"do", b"<0xZZ>"],
        ),
        (
            {"type": "BPE", "merges": [], "byte_fallback": True},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
            [b"[UNK]", b"##ing", b"A", b"a<0x41", b"<0x414>", b" the", b"do", b"<0xZZ>"],
        ),
        (
            {"type": "BPE", "merges": [], "end_of_word_suffix": "ing", "continuing_subword_prefix": "d"},
            None,
            [b"[UNK]", b"##", b"<0x41>", b"a<0x41", b"<0x414>", "▁the".encode(), b"o", b"<0xZZ>"],
        ),
    ],
    ids=["WordPiece", "bytes for lacking characters", "suffix"],
)
def test_a_token_is_spelled_without_the_marks_of_its_model(
    model: dict[str, Any], decoder: Any, spelled: list[bytes]
) -> None:
    parts = {"model": {"vocab": SPELLED, "unk_token": "[UNK]", **model}, "decoder": decoder}
    opened = HuggingFaceTokenizer(json.dumps(parts).encode())
    assert list(map(opened.token_bytes, range(8))) == spelled
    assert opened.token_text(1) == "##ing"


def test_an_unknown_token_and_added_ones_are_spelled_as_they_are() -> None:
    parts = json.loads(word_piece())
    parts["model"] |= {"vocab": {"##?": 0, "##a": 1}, "unk_token": "##?"}
    parts["added_tokens"] = [{"id": 2, "content": "##b", "special": False} | dict.fromkeys(FLAGS, False)]
    opened = HuggingFaceTokenizer(json.dumps(parts).encode())
    assert list(map(opened.token_bytes, range(3))) == [b"##?", b"a", b"##b"]
    assert [opened.token_kind(token_id) for token_id in range(3)] == ["unknown", "ordinary", "ordinary"]
    assert (opened.special_tokens, opened.added_tokens, opened.entry_ids) == ({}, {"##b": 2}, [0, 1])


FLAGS = ("single_word", "lstrip", "rstrip", "normalized")


def test_the_kind_of_a_token_is_told_by_every_model() -> None:
    pieces = HuggingFaceTokenizer(unigram())
    assert [pieces.token_kind(token_id) for token_id in (0, 1)] == ["unknown", "ordinary"]
    words = HuggingFaceTokenizer(word_piece())
    assert [words.token_kind(token_id) for token_id in (0, 1, 2)] == ["unknown", "control", "ordinary"]
    assert HuggingFaceTokenizer(byte_level()).token_kind(0) in ("ordinary", "control")


def test_lost_characters_are_counted_by_the_unknown_token_of_each_model() -> None:
    text = "the Ωψ cat"
    assert HuggingFaceTokenizer(word_piece("none")).lost_characters(text) == 2
    assert HuggingFaceTokenizer(unigram("none")).lost_characters(text) == 2
    assert HuggingFaceTokenizer(byte_level()).lost_characters(text) == 0
    parts = json.loads(unigram("none"))
    parts["model"]["unk_id"] = None
    opened = HuggingFaceTokenizer(parts)
    assert opened.lost_characters("".join(map(opened.token_text, range(1, 9))).replace("▁", " ")) == 0


def test_only_its_own_model_has_a_vocabulary_to_follow_step_by_step() -> None:
    found = HuggingFaceTokenizer(word_piece()).word_piece
    assert found is not None
    assert (found.prefix, found.most_characters, found.unknown_id) == ("##", 100, 0)
    assert HuggingFaceTokenizer(byte_level()).word_piece is None
    assert HuggingFaceTokenizer(unigram()).word_piece is None


def test_regular_expressions_are_found_in_every_part_however_deep() -> None:
    inner = {**BROKEN_SPLIT, "pattern": {"Regex": "a+"}}
    strings = {**BROKEN_SPLIT, "pattern": {"String": "b"}}
    letters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    nested = {"type": "Sequence", "pretokenizers": [inner, strings]}
    parts: dict[str, Any] = {
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [nested, letters]},
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Replace", "pattern": {"Regex": "c+"}, "content": "c"}],
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [{"type": "Replace", "pattern": {"Regex": "d+"}, "content": "d"}, {"type": "Fuse"}],
        },
    }
    opened = HuggingFaceTokenizer(changed(**parts))
    assert sorted(opened.regexes) == ["a+", "c+", "d+"]
    assert opened.is_byte_level
    assert not HuggingFaceTokenizer(changed(pre_tokenizer=nested, decoder=None)).is_byte_level


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


LETTERS = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(source: str, behavior: str = "Isolated") -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": source}, "behavior": behavior, "invert": False}


def steps(*parts: dict[str, Any]) -> bytes:
    """The byte-level file with a pre-tokenizer of several steps."""
    decoder = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    return changed(pre_tokenizer={"type": "Sequence", "pretokenizers": list(parts)}, decoder=decoder)


@pytest.mark.parametrize(
    ("content", "pattern"),
    [
        (steps(LETTERS), "none"),
        (steps(LETTERS | {"use_regex": True}), "gpt2"),
        (steps({name: value for name, value in LETTERS.items() if name != "use_regex"}), "gpt2"),
        (steps({"type": "Digits", "individual_digits": True}, LETTERS), r"\p{N}"),
        (steps({"type": "Digits", "individual_digits": False}, LETTERS), r"\p{N}+"),
        (steps(split(SPLIT_PATTERNS["o200k"]), LETTERS), "o200k"),
        (steps(split(SPLIT_PATTERNS["cl100k"].replace("{1,3}+", "{1,3}")), LETTERS), "cl100k"),
        (
            steps({"type": "Digits", "individual_digits": True}, LETTERS | {"use_regex": True}),
            THEN.join([r"\p{N}", SPLIT_PATTERNS["gpt2"]]),
        ),
        (changed(pre_tokenizer=LETTERS), "none"),
    ],
    ids=["none", "gpt2", "gpt2 by default", "each digit", "digits", "o200k", "possessive", "two steps", "alone"],
)
def test_the_steps_of_a_file_become_a_split_pattern_that_cuts_as_they_do(content: bytes, pattern: str) -> None:
    ours, library = as_ours(HuggingFaceTokenizer(content)), library_of(content)
    assert ours.pattern == pattern
    for text in ("the cat 123 4567ก 12", "don't  \n 1\n"):
        assert ours.encode(text) == library.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize(
    ("normalizer", "name"),
    [
        (None, None),
        ({"type": "Sequence", "normalizers": []}, None),
        ({"type": "NFC"}, "NFC"),
        ({"type": "Sequence", "normalizers": [{"type": "NFC"}]}, "NFC"),
    ],
    ids=["none", "empty", "NFC", "NFC in a sequence"],
)
def test_a_normal_form_is_known_also_in_a_sequence(normalizer: Any, name: str | None) -> None:
    content = changed(normalizer=normalizer)
    ours = as_ours(HuggingFaceTokenizer(content))
    assert ours.normalizer == name
    assert ours.encode("e\u0301") == library_of(content).encode("e\u0301", add_special_tokens=False).ids
    assert ours.spells("e\u0301") is (name is None)


@pytest.mark.parametrize("merge", [["a"], ["a", "b", "c"], ["a", 1], "ab", "a b c", 7, None], ids=str)
def test_what_is_no_merge_is_refused(merge: Any) -> None:
    opened = HuggingFaceTokenizer(byte_level())
    opened.parts["model"]["merges"] = [merge]
    with pytest.raises(TokenizerFileError) as caught:
        as_ours(opened)
    assert caught.value.code == "ours_not_a_merge"


def test_merges_may_be_written_with_a_space() -> None:
    written = as_ours(HuggingFaceTokenizer(changed({"merges": [" ".join(merge) for merge in MERGES]})))
    assert written.merges == as_ours(HuggingFaceTokenizer(byte_level())).merges


def test_the_text_on_which_ids_differ_is_quoted() -> None:
    with pytest.raises(TokenizerError) as caught:
        as_ours(HuggingFaceTokenizer(byte_level(r"\h+|.")))
    text = str(caught.value.values["text"])
    assert 0 < len(text) < 80
    assert text.isascii()
    assert not text.startswith("'")


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
        (changed({"continuing_subword_prefix": "##", "merges": []}), "ours_marks"),
        (changed({"end_of_word_suffix": "</w>"}), "ours_marks"),
        (steps(), "ours_steps"),
        (steps(LETTERS, LETTERS), "ours_steps"),
        (steps(LETTERS, split("a+")), "ours_steps"),
        (steps(split("a+", "Removed"), LETTERS), "ours_steps"),
        (steps(split("a+") | {"invert": True}, LETTERS), "ours_steps"),
        (steps({"type": "Whitespace"}, LETTERS), "ours_steps"),
        (
            changed(normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "NFC"}]}),
            "ours_normalizer",
        ),
        (byte_level(added=(AddedToken("cat", rstrip=True, normalized=False),)), "ours_added"),
        (byte_level(added=(AddedToken("cat", single_word=True, normalized=False),)), "ours_added"),
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
        *("merges_out_of_order", "merge_twice", "whole_entries", "prefix", "suffix", "no_step", "letters_twice"),
        *("letters_first", "removed", "inverted", "another_step", "normalizer_twice", "rstrip", "single_word"),
        "reads_otherwise",
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
