"""One function opens every file by its content; rank files give tiktoken's ids, and damaged files a reason."""

import base64
import hashlib
import json
import struct
from pathlib import Path

import pytest
import tiktoken

from tests.helpers.trained import (
    byte_level,
    char_bpe,
    gpt2_files,
    hostile_lines,
    model_of,
    rank_file,
    unigram,
    word_level,
    word_piece,
)
from tokenizer_core.analysis.entries import entries_of
from tokenizer_core.bpe.openai import OpenAITokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.errors import (
    RankFileError,
    SpecialTokenError,
    TextError,
    TokenIdError,
    TokenizerError,
    TokenizerFileError,
)
from tokenizer_core.interop import opening
from tokenizer_core.interop.byte_level import FileTokenizer, file_tokenizer, letter_of_byte
from tokenizer_core.interop.limits import check_ids
from tokenizer_core.interop.model_tables import KnownFile, known_files
from tokenizer_core.interop.opening import digest_of, in_groups, known_file, open_tokenizer, part_of, read_files
from tokenizer_core.interop.rank_file import NormalizingTiktoken, rank_tokenizer, read_ranks
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, compile_pattern

MINBPE = Tokenizer([(97, 97)], pattern="gpt2", special_tokens=["<|end|>"]).model_text().encode()
COLLIDES = b"minbpe v1\n\n3\n<a> 256\n<b> 257\n<c> 257\n97 97\n"
ENCODER, MERGES = gpt2_files()


@pytest.mark.parametrize(
    ("content", "format_", "model", "has_merges"),
    [
        (MINBPE, "minbpe", "BPE", True),
        (b"\xef\xbb\xbf" + MINBPE, "minbpe", "BPE", True),
        (byte_level(), "tokenizer_json", "BPE", True),
        (b"\xef\xbb\xbf\n " + byte_level(), "tokenizer_json", "BPE", True),
        (char_bpe(), "tokenizer_json", "BPE", False),
        (word_piece(), "tokenizer_json", "WordPiece", False),
        (word_level(), "tokenizer_json", "WordLevel", False),
        (unigram(), "tokenizer_json", "Unigram", False),
        (rank_file(), "ranks", "BPE", True),
        (model_of(), "sentencepiece", "BPE", False),
    ],
    ids=[
        *("minbpe", "bom", "byte_level", "json_bom", "char_bpe", "word_piece", "word_level", "unigram", "ranks"),
        "sentencepiece",
    ],
)
@pytest.mark.parametrize("name", ["a.model", "b.json", "c"])
def test_a_file_is_known_by_its_content(
    content: bytes, format_: str, model: str, has_merges: bool, name: str
) -> None:
    opened = open_tokenizer(name, content)
    assert (opened.format, opened.model, opened.has_merges) == (format_, model, has_merges)
    assert opened.tokenizer.encode("the cat")
    assert opened.files == (name,)


def test_a_byte_level_file_says_that_it_was_held_to_the_library_or_why_it_is_not_ours() -> None:
    assert [remark.code for remark in open_tokenizer("a", byte_level()).remarks] == ["opened_as_ours"]
    normalized = open_tokenizer("a", byte_level(normalizer="nfkd"))
    assert [remark.code for remark in normalized.remarks] == ["ours_normalizer"]
    assert not normalized.has_merges
    assert [remark.code for remark in open_tokenizer("a", char_bpe()).remarks] == ["ours_not_byte_level"]
    for content in (unigram(), word_level(), model_of()):
        assert open_tokenizer("a", content).remarks == ()
    assert [remark.code for remark in open_tokenizer("a", word_piece()).remarks] == ["file_adds_tokens"]


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
}
BERT = {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
TRIMS = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}


@pytest.mark.parametrize(
    ("post_processor", "around"),
    [
        (TEMPLATE, "<s> …"),
        (BERT, "[CLS] … [SEP]"),
        ({"type": "Sequence", "processors": [TRIMS, TEMPLATE]}, "<s> …"),
        (TRIMS, None),
        ({"type": "nothing known"}, None),
        (7, None),
    ],
)
@pytest.mark.parametrize("content", [byte_level(), word_piece()], ids=["byte_level", "word_piece"])
def test_tokens_that_the_library_adds_to_every_text_are_said_and_left_out(
    content: bytes, post_processor: object, around: str | None
) -> None:
    opened = open_tokenizer("a", json.dumps({**json.loads(content), "post_processor": post_processor}).encode())
    said = [remark.values["around"] for remark in opened.remarks if remark.code == "file_adds_tokens"]
    assert said == ([around] if around else [])
    assert opened.tokenizer.encode("the cat") == open_tokenizer("a", content).tokenizer.encode("the cat")


def test_two_files_are_one_tokenizer_in_any_order_and_under_any_name() -> None:
    for files in ({"encoder.json": ENCODER, "vocab.bpe": MERGES}, {"a": MERGES, "b": ENCODER}):
        opened = open_tokenizer("gpt2", files)
        assert (opened.format, opened.tokenizer.special_tokens) == ("gpt2", {"<|endoftext|>": 0})
    bare = MERGES.split(b"\n", 1)[1]
    assert open_tokenizer("gpt2", {"a": bare, "b": ENCODER}).format == "gpt2"
    other = open_tokenizer("gpt2", {"a": MERGES, "b": ENCODER}, pattern="none")
    assert other.digest != opened.digest


@pytest.mark.parametrize(
    ("files", "groups"),
    [
        (
            [("v", ENCODER), ("m", MINBPE), ("x", b"?"), ("b", MERGES), ("t", byte_level()), ("v2", ENCODER)],
            [["v", "b"], ["m"], ["x"], ["t"], ["v2"]],
        ),
        ([("added", b'{"<|im_start|>": 1197}'), ("m", MERGES), ("v", ENCODER)], [["added"], ["m", "v"]]),
    ],
    ids=["of all formats", "added tokens take no merges"],
)
def test_several_files_are_put_into_groups(files: list[tuple[str, bytes]], groups: list[list[str]]) -> None:
    assert [list(group) for group in in_groups(files)] == groups


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"encoder.json": ENCODER}, "file_needs_both"),
        ({"vocab.bpe": MERGES}, "file_needs_both"),
        ({"a": MINBPE, "b": rank_file()}, "file_needs_both"),
        ({"a": ENCODER, "b": ENCODER}, "file_needs_both"),
        ({"tokenizer.json": b'{"a": 1}'}, "file_unknown"),
        ({"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"#version: 0.2\na b\n"}, "ours_byte_missing"),
        ({"a": b""}, "file_unknown"),
        ({"a.model": b"\x89PNG\r\n"}, "file_unknown"),
        ({"a": b"import os"}, "file_unknown"),
        ({"a": b"\x80\x04\x95\x00pickle"}, "file_unknown"),
        ({"a": b"PK\x03\x04"}, "file_unknown"),
    ],
    ids=[
        "vocab_only",
        "merges_only",
        "no_pair",
        "same_twice",
        "bare",
        "too_few",
        "empty",
        "picture",
        "program",
        "pickle",
        "zip",
    ],
)
def test_what_is_no_tokenizer_gets_a_clear_sentence(files: dict[str, bytes], code: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("a", files)
    assert caught.value.code == code


def test_special_tokens_whose_ids_are_taken_are_repaired_only_on_request() -> None:
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("a", COLLIDES)
    assert caught.value.code == "special_token_id_taken"
    opened = open_tokenizer("a", COLLIDES, repair=True)
    assert opened.tokenizer.special_tokens == {"<a>": 258, "<b>": 257, "<c>": 259}
    assert [remark.values for remark in opened.remarks] == [
        {"token": "<a>", "before": 256, "after": 258},
        {"token": "<c>", "before": 257, "after": 259},
    ]
    assert open_tokenizer("a", MINBPE, repair=True).remarks == ()


def test_lines_of_two_numbers_are_no_merges_of_tokens() -> None:
    assert part_of(b"1 a\nb 2\n" * 100) == "merges"
    with pytest.raises(TokenizerFileError):
        part_of(b"1 2\n3 4\n" * 100)


def test_a_merge_of_what_is_no_entry_is_refused() -> None:
    ids = {letter: byte for byte, letter in letter_of_byte().items()}
    with pytest.raises(TokenizerFileError) as caught:
        file_tokenizer(ids | {"ab": 256}, [("a", "b"), ("ab", "c")], pattern="gpt2")
    assert (caught.value.code, caught.value.values["value"]) == ("ours_merge_parts", 2)


def test_added_tokens_and_characters_cut_otherwise_are_counted_as_they_are_encoded() -> None:
    tokenizer = FileTokenizer([], range(256), pattern="gpt2", added_tokens={"<think>": 256})
    for text in ("a<think>b", "<think><think>", "a\U000323b0<think>c"):
        assert tokenizer.count_tokens(text) == len(tokenizer.encode(text)) > 1


STORY = FileTokenizer(
    [(97, 98), (256, 99)],
    [*range(10, 266), 5, 3],
    pattern="gpt2",
    special_tokens={"<s>": 0, "</s>": 1},
    added_tokens={"<think>": 2, "แมว": 900},
    name="story",
)
"""A tokenizer whose ids have another order than its merges: "ab" is 5 and "abc" is 3."""


def test_ids_of_a_file_lead_to_entries_whatever_their_order() -> None:
    assert STORY.encode("abc ab") == [3, 10 + 32, 5]
    assert STORY.own_ids([3, 5, 10, 265, 0, 2, 900, 4, 10**9, -1]).tolist() == [257, 256, 0, 255, *[-1] * 6]
    assert [STORY.token_bytes(token_id) for token_id in (3, 5, 1, 900)] == [b"abc", b"ab", b"</s>", "แมว".encode()]
    assert STORY.decode([3, 900, 0]) == "abcแมว<s>"
    assert STORY.decode([10 + 0xE0]) == "\ufffd"
    for unknown in (4, 266, -1, 10**9):
        with pytest.raises(TokenIdError, match="story"):
            STORY.token_bytes(unknown)


def test_tokens_that_act_cover_themselves_and_the_others_what_they_spell() -> None:
    text = "ab<think>ก<s>abcแมว"
    found = STORY.encode_placed(text, allowed_special="all")
    assert found.ids.tolist() == STORY.encode(text, allowed_special="all")
    spelled = [text.encode()[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert spelled == [STORY.token_bytes(token_id) for token_id in found.ids.tolist()]
    assert found.starts.tolist() == [0, *found.ends.tolist()[:-1]]
    assert [STORY.token_bytes(token_id) for token_id in STORY.encode_placed("<s>").ids.tolist()] == [
        b"<",
        b"s",
        b">",
    ]
    assert [len(each) for each in STORY.encode_placed("")] == [0, 0, 0]


def test_texts_are_encoded_one_by_one_with_their_added_tokens() -> None:
    texts = ["ab<think>", "", "<think>", "abc", "a\U000323b0แมวa\U000323b0", "<s>"]
    found = STORY.encode_each(texts)
    assert found.counts.tolist() == [len(STORY.encode(text)) for text in texts]
    assert found.ids.tolist() == [token_id for text in texts for token_id in STORY.encode(text)]
    assert STORY.encode("<think>") == [2]
    assert 0 not in found.ids
    assert STORY.count_tokens(texts) == len(found.ids)
    assert STORY.count_tokens("ab") == 1
    assert STORY.piece_count("ab<think>abc ab") == 4


def test_a_smaller_size_of_a_file_keeps_what_acts() -> None:
    smaller = STORY.at(257)
    assert (smaller.vocab_size, smaller.name, smaller.pattern) == (257, "story", "gpt2")
    assert smaller.encode("abc<think>") == [5, 10 + 99, 2]
    assert smaller.encode("<s>", allowed_special="all") == [0]
    assert STORY.at(258) is STORY
    normalized = FileTokenizer([(97, 98)], range(257), pattern="gpt2", normalizer="NFC")
    assert normalized.at(256).normalizer == "NFC"
    assert (normalized.spells("e\u0301"), normalized.spells("é"), STORY.spells("e\u0301")) == (False, True, True)
    assert (normalized.normalized("e\u0301"), STORY.normalized("e\u0301")) == ("é", "e\u0301")
    assert normalized.count_tokens(["e\u0301", "ab"]) == 3


def test_an_id_that_is_an_entry_and_a_special_token_is_named_the_smallest_first() -> None:
    with pytest.raises(SpecialTokenError) as caught:
        FileTokenizer([], range(256), pattern="gpt2", special_tokens={"<a>": 300, "<b>": 70, "<c>": 65})
    assert (caught.value.code, caught.value.values) == ("special_token_id_used", {"token": "<c>", "token_id": 65})
    with pytest.raises(TokenizerFileError) as refused:
        FileTokenizer([], range(256), pattern="gpt2", special_tokens={"<a>": 300}, added_tokens={"<b>": 300})
    assert refused.value.code == "file_id_twice"


@pytest.mark.parametrize(
    ("ids", "merges", "code", "value"),
    [
        ({"\x00": 0}, [], "ours_byte_missing", "00"),
        ({"ab": 256}, [("a", "b"), ("a", "b")], "ours_merge_twice", 2),
        ({"ab": 256}, [("a", "b"), ("ก", "a")], "ours_merge_parts", 2),
        ({"ab": 256}, [("a", "c")], "ours_merge_parts", 1),
    ],
    ids=["byte", "twice", "left", "joined"],
)
def test_a_vocabulary_that_its_merges_do_not_make_is_refused_with_the_line(
    ids: dict[str, int], merges: list[tuple[str, str]], code: str, value: object
) -> None:
    letters = {letter: byte for byte, letter in letter_of_byte().items()} if code != "ours_byte_missing" else {}
    with pytest.raises(TokenizerFileError) as caught:
        file_tokenizer(letters | ids, merges, pattern="gpt2")
    assert (caught.value.code, caught.value.values) == (code, {"value": value})


def test_entries_that_no_merge_makes_are_special_unless_the_file_tells_them() -> None:
    ids = {letter: byte for byte, letter in letter_of_byte().items()} | {"ab": 256, "<s>": 257, "<t>": 258}
    found = file_tokenizer(ids, [("a", "b")], pattern="gpt2", name="mine")
    assert (found.special_tokens, found.name, found.added_tokens) == ({"<s>": 257, "<t>": 258}, "mine", {})
    told = file_tokenizer(
        ids, [("a", "b")], pattern="gpt2", special_tokens={"<s>": 257}, added_tokens={"<t>": 258}
    )
    assert (told.special_tokens, told.added_tokens) == ({"<s>": 257}, {"<t>": 258})
    for whole in (False, True):
        assert file_tokenizer(ids, [("a", "b")], pattern="gpt2", whole_first=whole).encode("ab") == [256]
    with pytest.raises(TokenizerFileError) as caught:
        file_tokenizer(ids, [("a", "b")], pattern="gpt2", special_tokens={"<s>": 257}, whole_first=True)
    assert (caught.value.code, caught.value.values) == ("ours_whole_entries", {"value": 1})


# ---- known files


def test_a_known_file_says_whose_it_is_and_brings_what_it_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    content = rank_file()
    known = KnownFile("Story 1", "Somebody", 2024, "o200k", "NFC", (("<|a|>", 300), ("<|b|>", 301)))
    monkeypatch.setattr(opening, "known_files", lambda: {hashlib.sha256(content).hexdigest(): known})
    opened = open_tokenizer("mine", content)
    assert isinstance(opened.tokenizer, FileTokenizer)
    assert (opened.tokenizer.pattern, opened.tokenizer.normalizer) == ("o200k", "NFC")
    assert (opened.tokenizer.special_tokens, opened.tokenizer.name) == ({"<|a|>": 300, "<|b|>": 301}, "mine")
    assert (opened.known, opened.needs_pattern) == (known, False)
    about = opened.remarks[0]
    assert (about.code, about.values) == (
        "file_known",
        {"name": "Story 1", "maker": "Somebody", "year": "2024"},
    )
    assert "pattern_assumed" not in [remark.code for remark in opened.remarks]
    assert known_file(content) == known
    assert known_file(content + b"\n") is None
    other = open_tokenizer("mine", content, pattern="gpt2")
    assert isinstance(other.tokenizer, FileTokenizer)
    assert (other.tokenizer.pattern, other.tokenizer.special_tokens) == ("gpt2", {})
    assert [remark.code for remark in other.remarks[:2]] == ["file_known", "pattern_assumed"]
    unknown = open_tokenizer("mine", content + b"\n")
    assert (unknown.known, unknown.needs_pattern) == (None, True)
    assert [remark.values for remark in unknown.remarks] == [{"pattern": "cl100k"}]
    without = known._replace(pattern=None)
    monkeypatch.setattr(opening, "known_files", lambda: {hashlib.sha256(content).hexdigest(): without})
    assert open_tokenizer("mine", content).needs_pattern
    pair = open_tokenizer("mine", {"a": ENCODER, "b": MERGES})
    assert (pair.known, pair.needs_pattern) == (None, True)
    assert [(remark.code, remark.values) for remark in pair.remarks] == [("pattern_assumed", {"pattern": "gpt2"})]
    assert not open_tokenizer("mine", byte_level()).needs_pattern


def test_the_table_of_known_files_spells_out_its_special_tokens() -> None:
    by_name = {file.name: file for file in known_files().values()}
    assert all(len(digest) == 64 for digest in known_files())
    qwen = by_name["Qwen 1–3"]
    assert (qwen.maker, qwen.year, qwen.normalizer) == ("Alibaba", 2023, "NFC")
    assert qwen.special_tokens[:4] == (
        ("<|endoftext|>", 151_643),
        ("<|im_start|>", 151_644),
        ("<|im_end|>", 151_645),
        ("<|extra_0|>", 151_646),
    )
    assert qwen.special_tokens[-1] == ("<|extra_204|>", 151_850)
    assert qwen.pattern is not None
    assert compile_pattern(qwen.pattern).findall("a1 b") == ["a", "1", " b"]
    assert (by_name["Llama 3"].pattern, by_name["Llama 3"].normalizer) == ("llama3", None)
    assert dict(by_name["Llama 3"].special_tokens)["<|reserved_special_token_245|>"] == 128_255
    assert (by_name["Qwen 3"].pattern, by_name["Qwen 3"].special_tokens) == (None, ())


def test_ranks_without_merges_are_encoded_by_tiktoken_in_the_normal_form_that_is_known() -> None:
    content = rank_file([b"the", b"he", b" t", "é".encode()])
    special = {"<|a|>": 300}
    found = rank_tokenizer(content, pattern="gpt2", special_tokens=special, normalizer="NFC", name="mine")
    tokenizer = found.tokenizer
    assert isinstance(tokenizer, NormalizingTiktoken)
    plain = rank_tokenizer(content, pattern="gpt2", special_tokens=special).tokenizer
    text = "the e\u0301<|a|>e\u0301 the"
    changed = "the é<|a|>é the"
    assert tokenizer.name == "mine"
    assert tokenizer.encode(text) == plain.encode(changed)
    assert tokenizer.encode(text, allowed_special="all") == plain.encode(changed, allowed_special="all")
    assert tokenizer.encode_each([text, "a"]).ids.tolist() == [*plain.encode(changed), *plain.encode("a")]
    assert tokenizer.encode_each([text, "a"]).counts.tolist() == [len(plain.encode(changed)), 1]
    assert tokenizer.count_tokens(text) == tokenizer.count_tokens([text]) == len(plain.encode(changed))
    assert (tokenizer.normalized(text), tokenizer.normalizer) == (changed, "NFC")
    assert (tokenizer.spells(text), tokenizer.spells(changed)) == (False, True)
    placed = tokenizer.encode_placed("e\u0301 the", allowed_special="all")
    assert placed.ids.tolist() == tokenizer.encode("e\u0301 the")
    assert placed.starts.tolist() == [0, *placed.ends.tolist()[:-1]]
    assert (placed.ends[0], placed.ends[-1]) == (3, 7)
    with pytest.raises(TextError):
        tokenizer.encode("\ud800")


def test_a_vocabulary_of_rwkv_is_known_and_refused() -> None:
    with pytest.raises(TokenizerFileError) as caught:
        open_tokenizer("a", b"1 '\\x00' 1\n2 b'\\xe0' 1\n")
    assert caught.value.code == "file_rwkv"


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"#version: 0.2\na b\n", "merges"),
        (b"a b\r\nc d\r\ne f\r\n", "merges"),
        (b"1 b\na 2\ne f", "merges"),
        (b'{"model": 3, "a": 1}', "vocab"),
        (b'{"a": 1}', "vocab"),
        (b'{"model": {}}', "tokenizer_json"),
        (b"\xef\xbb\xbf \n YQ== 0\n", "ranks"),
    ],
    ids=["header", "windows", "numbers", "model as token", "vocab", "json", "ranks"],
)
def test_a_part_is_known_by_its_first_lines(content: bytes, part: str) -> None:
    assert part_of(content) == part


@pytest.mark.parametrize(
    "content", [b"a b\nc d\n", b"a b\nc d\ne\n", b"a b\nc d\n f\n", b"a b c\nd e\nf g\n"], ids=str
)
def test_lines_that_are_not_all_of_two_tokens_are_no_merges(content: bytes) -> None:
    with pytest.raises(TokenizerFileError) as caught:
        part_of(content)
    assert caught.value.code == "file_unknown"


def test_a_digest_tells_files_and_options_apart() -> None:
    digests = {
        digest_of([b"a"]),
        digest_of([b"b"]),
        digest_of([b"a", b"b"]),
        digest_of([b"ab"]),
        digest_of([b"a"], pattern="gpt2"),
        digest_of([b"a"], repair=True),
    }
    assert len(digests) == 6
    opened = open_tokenizer("a", MINBPE)
    assert opened.digest == digest_of([MINBPE]) == open_tokenizer("b", MINBPE).digest
    assert open_tokenizer("a", MINBPE, repair=True).digest == digest_of([MINBPE], repair=True)


def test_files_are_read_up_to_their_limit_and_of_gguf_the_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "MAX_FILE_BYTES", 6)
    empty_header = b"GGUF" + struct.pack("<IQQ", 3, 0, 0)
    for name, content in {"a": b"abc", "b": b"0123456789abc", "c": empty_header + b"weights"}.items():
        (tmp_path / name).write_bytes(content)
    found = read_files([tmp_path / "c", str(tmp_path / "a"), tmp_path / "b"])
    assert list(found.items()) == [("c", empty_header), ("a", b"abc"), ("b", b"0123456789")]


def test_of_many_gaps_only_the_first_are_named() -> None:
    tokens = [*range(256), *range(300, 320, 2)]
    pairs = {n: bytes([97, 98 + n % 200]) for n in range(10)}
    letters = [bytes([byte]) for byte in range(256)]
    content = b"".join(
        _line(letters[rank] if rank < 256 else pairs[place - 256], rank) for place, rank in enumerate(tokens)
    )
    remarks = {remark.code: remark.values for remark in open_tokenizer("a", content).remarks}
    assert remarks["ranks_empty"] == {"count": 44 + 9, "ids": "256–299, 301, 303, 305, 307, …"}
    few = b"".join(_line(letters[byte], byte) for byte in range(256)) + _line(b"ab", 1_300) + _line(b"ac", 1_302)
    remarks = {remark.code: remark.values for remark in open_tokenizer("a", few).remarks}
    assert remarks["ranks_empty"] == {"count": 1_044 + 1, "ids": "256–1,299, 1,301"}
    assert "ranks_empty" not in [remark.code for remark in open_tokenizer("a", rank_file()).remarks]


def test_an_id_of_many_digits_is_quoted_in_part() -> None:
    with pytest.raises(TokenizerFileError) as caught:
        check_ids([10**50])
    assert caught.value.values["token_id"] == "1" + "0" * 39


@pytest.mark.parametrize("token_id", [-1, 2**31, 2**63, -(2**70)])
def test_an_id_that_no_token_can_have_is_refused(token_id: int) -> None:
    vocabulary = json.loads(ENCODER)
    changed = json.dumps({**vocabulary, next(reversed(vocabulary)): token_id}).encode()
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("gpt2", {"a": changed, "b": MERGES})
    assert caught.value.code == "file_id_range"


# ---- rank files


THAI = [word.encode()[:size] for word in ("ที่", "น้ำ") for size in (2, 3, 6)] + [b" \xe0\xb8"]


def in_tiktoken(tokens: dict[int, bytes], pattern: str) -> tiktoken.Encoding:
    ranks = {token: rank for rank, token in tokens.items()}
    return tiktoken.Encoding("ranks", pat_str=SPLIT_PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", "llama3"])
def test_ids_are_tiktokens(pattern: str) -> None:
    content = rank_file([b"th", b"the", b" the", b"\xe0\xb8", b"\xe0\xb9"])
    tokens = read_ranks(content)
    reference = in_tiktoken(tokens, pattern)
    tokenizer, without_pair, _ = rank_tokenizer(content, pattern=pattern)
    assert without_pair == 0
    assert isinstance(tokenizer, FileTokenizer)
    for text in hostile_lines():
        assert tokenizer.encode(text) == reference.encode_ordinary(text)
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_token_whose_merge_cannot_be_recovered_leaves_encoding_to_tiktoken() -> None:
    content = rank_file([b"the", b"he", b" t"])  # "the" comes before any two parts of it
    tokenizer, without_pair, _ = rank_tokenizer(content, pattern="gpt2")
    assert without_pair == 1
    assert isinstance(tokenizer, OpenAITokenizer)
    tokens = read_ranks(content)
    reference = in_tiktoken(tokens, "gpt2")
    for text in ["the", " the then", *hostile_lines()]:
        assert tokenizer.encode(text) == reference.encode_ordinary(text)
    remarks = {remark.code: remark.values for remark in open_tokenizer("a", content, pattern="gpt2").remarks}
    assert remarks["ranks_without_pair"] == {"count": 1}


@pytest.mark.parametrize("extra", [[b"th", b"the", b" the"], [b"the", b"he", b" t"]], ids=["merges", "no_pair"])
def test_ranks_may_leave_ids_out_as_in_tiktoken(extra: list[bytes]) -> None:
    whole = read_ranks(rank_file(extra))
    spread = {rank if rank < 10 else 3 * rank: token for rank, token in whole.items()}
    content = b"".join(_line(token, rank) for rank, token in spread.items())
    reference = in_tiktoken(spread, "cl100k")
    opened = open_tokenizer("gaps", content)
    for text in ["the then", *hostile_lines()]:
        assert opened.tokenizer.encode(text) == reference.encode_ordinary(text)
    remarks = {remark.code: remark.values for remark in opened.remarks}
    assert remarks["ranks_empty"]["count"] == max(spread) + 1 - len(spread)
    assert remarks["ranks_empty"]["ids"].startswith("10–29, 31–32, 34–35")
    assert entries_of(opened.tokenizer).ids.tolist() == sorted(spread)


def _line(token: bytes, rank: object) -> bytes:
    return base64.b64encode(token) + b" " + str(rank).encode() + b"\n"


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (rank_file([]) + b"\n" + _line(b"zz", 255), {"at": 258, "rank_twice": 255}),
        (rank_file([b"zz"]) + _line(b"zz", 300), {"at": 258, "other": 257}),
        (rank_file([]) + _line(b"zz", 2**31), {"at": 257, "most": 2**31 - 1}),
        (rank_file([]) + b"x" * 50, {"at": 257, "found": "x" * 40}),
        (rank_file([]) + b"YWI= 12345678901", {"at": 257, "found": "YWI= 12345678901"}),
        (rank_file([]).split(b"\n", 1)[1], {"byte": "21"}),
    ],
    ids=["rank twice", "token twice", "beyond", "no line", "long rank", "byte"],
)
def test_the_line_of_a_damaged_rank_file_is_named(content: bytes, values: dict[str, object]) -> None:
    with pytest.raises(RankFileError) as caught:
        read_ranks(content)
    assert caught.value.values == values


def test_a_rank_file_has_its_tokens_by_rank_whatever_its_lines() -> None:
    lines = rank_file([b"th"]).splitlines(keepends=True)
    found = read_ranks(b"\xef\xbb\xbf" + b"\n".join(reversed(lines)) + b"  \n" + _line(b"zz", 2**31 - 1))
    assert list(found) == [*range(257), 2**31 - 1]
    assert (found[256], found[2**31 - 1]) == (b"th", b"zz")


def test_tokens_of_a_rank_file_that_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.interop.rank_file.MAX_TOKEN_BYTES", 258)
    assert len(read_ranks(rank_file([b"th"]))) == 257
    with pytest.raises(TokenizerFileError):
        read_ranks(rank_file([b"the"]))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (rank_file() + _line(b"zz", 257), "rank_line_rank_twice"),
        (rank_file() + _line(b"the", 260), "rank_line_token_twice"),
        (rank_file() + _line(b"zz", 2**31), "rank_line_beyond"),
        (rank_file() + _line(b"zz", -1), "rank_line"),
        (rank_file() + b"not base64! 260\n", "rank_line"),
        (rank_file() + b"enp6\n", "rank_line"),
        (rank_file() + b" 260\n", "rank_line"),
        (_line(b"a", 0), "rank_byte_missing"),
        (b"", "rank_byte_missing"),
        (rank_file()[: len(rank_file()) // 2], "rank_line"),
    ],
    ids=[
        *("rank_twice", "token_twice", "beyond_2_31", "negative", "no_base64", "no_rank", "no_token"),
        *("bytes_missing", "empty", "cut_off"),
    ],
)
def test_a_damaged_rank_file_gets_a_clear_sentence(content: bytes, code: str) -> None:
    with pytest.raises(RankFileError) as caught:
        read_ranks(content)
    assert caught.value.code == code


def test_ten_gigabytes_by_name_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.tiktoken"
    with path.open("wb") as file:
        file.truncate(10 * 2**30)
    with pytest.raises(TokenizerFileError) as caught:
        open_tokenizer("huge", read_files([path]))
    assert caught.value.code == "file_large"
