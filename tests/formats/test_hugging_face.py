"""Any `tokenizer.json` as a lane: ids and offsets are the library's, and nothing of the text is lost unsaid."""

import json
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from tests.helpers.trained.library_tokenizers import (
    byte_level,
    char_bpe,
    hostile_lines,
    library_of,
    unigram,
    word_level,
    word_piece,
)
from tokenizer_core.errors import TokenIdError, TokenizerFileError
from tokenizer_core.formats.hugging_face import HuggingFaceTokenizer

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


def test_a_dummy_prefix_covers_nothing_and_unknown_characters_are_tokens_that_say_so() -> None:
    opened = HuggingFaceTokenizer(unigram("none"))
    found = opened.encode_placed("ຂ cat")
    assert [opened.token_text(token_id) for token_id in found.ids.tolist()][:2] == ["▁", "<unk>"]
    assert found.starts.tolist()[:2] == [0, 0]
    assert found.ends.tolist()[:2] == [0, 3]
    assert opened.token_bytes(found.ids.tolist()[1]) == b"<unk>"


def test_white_space_between_words_is_covered_by_no_token() -> None:
    opened = HuggingFaceTokenizer(word_piece())
    found = opened.encode_placed("the  cat")
    assert list(zip(found.starts.tolist(), found.ends.tolist())) == [(0, 3), (5, 8)]
    inside = library_of(word_piece()).token_to_id("##t")
    assert inside is not None
    assert (opened.token_bytes(inside), opened.token_text(inside)) == (b"t", "##t")


def test_a_normalizer_that_drops_text_leaves_it_uncovered() -> None:
    opened = HuggingFaceTokenizer(byte_level(normalizer="drops"))
    found = opened.encode_placed("cat!")
    assert _covered(found.starts.tolist(), found.ends.tolist()) == {0, 1, 3}


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
    parts = json.loads(word_piece())
    parts["truncation"] = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
    parts["padding"] = {
        "strategy": {"Fixed": 9},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[UNK]",
    }
    opened = HuggingFaceTokenizer(json.dumps(parts).encode())
    assert opened.encode("the cat the cat") == HuggingFaceTokenizer(word_piece()).encode("the cat the cat")
    assert len(opened.encode("the cat the cat")) == 4


def test_dropout_would_make_every_run_different_and_is_left_out() -> None:
    parts = json.loads(byte_level())
    parts["model"]["dropout"] = 0.5
    opened = HuggingFaceTokenizer(json.dumps(parts).encode())
    assert len({tuple(opened.encode("the cat sat on the mat")) for _ in range(20)}) == 1


def test_many_texts_are_encoded_one_by_one() -> None:
    opened = HuggingFaceTokenizer(unigram())
    encoded = opened.encode_each(["the cat", "", "ที่"])
    assert encoded.counts.tolist() == [len(opened.encode(text)) for text in ("the cat", "", "ที่")]
    assert encoded.ids.tolist() == [token_id for text in ("the cat", "ที่") for token_id in opened.encode(text)]


def test_an_unknown_id_is_named() -> None:
    opened = HuggingFaceTokenizer(word_level(), name="words")
    for token_id in (-1, 40_000, 2**33):
        with pytest.raises(TokenIdError, match=str(token_id)):
            opened.token_bytes(token_id)
        with pytest.raises(TokenIdError):
            opened.decode([token_id])


def _changed(path: str, value: object) -> bytes:
    parts = json.loads(byte_level())
    place = parts
    *way, last = path.split(".")
    for step in way:
        place = place[step]
    place[last] = value
    return json.dumps(parts).encode()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (byte_level()[: len(byte_level()) // 2], "file_json_damaged"),
        (b"[" * 200_000, "file_unknown"),
        (b'{"model": ' * 100_000, "file_unknown"),
        (b'{"model": 3}', "file_unknown"),
        (b'{"model": {"type": "Magic", "vocab": {}}}', "tokenizer_json_model"),
        (_changed("model.vocab", {"a": 2**31}), "file_id_range"),
        (_changed("model.vocab", {"a": -1}), "file_id_range"),
        (_changed("model.vocab", {"a": 1, "b": 1}), "file_id_twice"),
        (_changed("model.vocab", {"a": "1"}), "file_unknown"),
        (_changed("model.vocab", {"a": True}), "file_unknown"),
        (_changed("model.merges", [["a", "nowhere"]]), "tokenizer_json_merges"),
        (_changed("added_tokens", [{"id": 2**31, "content": "x", "special": True}]), "file_id_range"),
        (_changed("pre_tokenizer", {"type": "Split", "pattern": {"Regex": "("}}), "tokenizer_json_field"),
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
    monkeypatch.setattr("tokenizer_core.formats.json_files.MAX_ENTRIES", 300)
    with pytest.raises(TokenizerFileError, match="at most 300 entries"):
        HuggingFaceTokenizer(byte_level())
    monkeypatch.setattr("tokenizer_core.formats.json_files.MAX_FILE_BYTES", 3_000)
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(byte_level())
    assert caught.value.code == "file_large"


def test_a_text_that_a_model_without_unknown_token_cannot_encode_is_an_error() -> None:
    parts = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}}
    with pytest.raises(TokenizerFileError) as caught:
        HuggingFaceTokenizer(json.dumps(parts).encode()).encode("b")
    assert caught.value.code == "tokenizer_lacks_unknown"
