"""SentencePiece models as lanes: the library's ids, the exact bytes under each, and no file that does harm."""

import random
import struct
from typing import Any

import pytest
import sentencepiece

from tests.helpers.hostile import HOSTILE_PIECES
from tests.helpers.trained import model_of, tokenizer_of
from tokenizer_core.errors import ModelFileError, SpecialTokenError, TokenIdError
from tokenizer_core.interop.sentencepiece_model import (
    MAX_FILE_BYTES,
    SentencePieceTokenizer,
    check_file,
)

RANDOM = random.Random(13)
MORE_PIECES = ["▁", "<s>", "<unk>", "<0xE0>", "½", "e\u0301", "각", "\x07", "hello", "ครับ", "xy", "   "]
TEXTS = ["".join(RANDOM.choices(HOSTILE_PIECES + MORE_PIECES, k=RANDOM.randrange(14))) for _ in range(300)]
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "unigram": {"model_type": "unigram"},
    "characters": {"model_type": "char"},
    "words": {"model_type": "word"},
    "byte fallback": {"byte_fallback": True},
    "unigram with bytes": {"model_type": "unigram", "byte_fallback": True, "normalization_rule_name": "nfkc_cf"},
    "no dummy prefix": {"add_dummy_prefix": False, "byte_fallback": True},
    "as it stands": {
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "allow_whitespace_only_pieces": True,
        "byte_fallback": True,
        "split_digits": True,
    },
    "nothing split": {
        "split_by_whitespace": False,
        "split_by_number": False,
        "split_by_unicode_script": False,
        "max_sentencepiece_length": 40,
    },
    "folded, no spaces dropped": {"normalization_rule_name": "nmt_nfkc_cf", "remove_extra_whitespaces": False},
    "space last": {"treat_whitespace_as_suffix": True, "user_defined_symbols": ("xy",), "unk_surface": "[?]"},
    "low coverage": {"character_coverage": 0.98, "normalization_rule_name": "nfkc", "unk_surface": ""},
}


@pytest.mark.parametrize("changes", SETTINGS.values(), ids=SETTINGS)
def test_ids_and_surfaces_are_the_librarys_and_spans_ascend_on_hostile_texts(changes: dict[str, Any]) -> None:
    tokenizer = tokenizer_of(**changes)
    library = sentencepiece.SentencePieceProcessor(model_proto=model_of(**changes))
    for text in TEXTS:
        content = text.encode()
        ids, starts, ends = (each.tolist() for each in tokenizer.encode_placed(text))
        proto = library.encode(text, return_type="proto")
        assert ids == [piece.id for piece in proto.pieces] == tokenizer.encode(text)
        for piece, token_id, start, end in zip(proto.pieces, ids, starts, ends, strict=True):
            if tokenizer.token_kind(token_id) != "byte":
                assert (piece.surface.encode(), piece.begin, piece.end) == (content[start:end], start, end)
        assert tokenizer.decode(ids) == library.decode(ids)
        assert tokenizer.decode_bytes(ids).decode() == library.decode(ids)
        edges = [edge for span in zip(starts, ends, strict=True) for edge in span]
        assert edges == sorted(edges)
        assert not edges or 0 <= edges[0] <= edges[-1] <= len(content)


def test_where_nothing_is_normalized_every_byte_is_covered_and_byte_tokens_cover_their_own() -> None:
    tokenizer = tokenizer_of(**SETTINGS["as it stands"])
    for text in filter(None, TEXTS):
        content = text.encode()
        ids, starts, ends = (each.tolist() for each in tokenizer.encode_placed(text))
        covered = [place for start, end in zip(starts, ends, strict=True) for place in range(start, end)]
        assert covered == list(range(len(content)))
        for token_id, start, end in zip(ids, starts, ends, strict=True):
            if tokenizer.token_kind(token_id) == "byte" and b"\xe2\x96\x81" not in content:
                assert tokenizer.token_bytes(token_id) == content[start:end]


def test_a_character_in_bytes_is_one_byte_a_token_and_a_normalized_one_stays_whole() -> None:
    tokenizer = tokenizer_of(byte_fallback=True)
    placed = tokenizer.encode_placed("☃½")
    texts = list(map(tokenizer.token_text, placed.ids.tolist()))
    assert texts[:4] == ["▁", "<0xE2>", "<0x98>", "<0x83>"]
    spans = list(zip(placed.starts.tolist(), placed.ends.tolist(), strict=True))
    assert spans[:4] == [(0, 0), (0, 1), (1, 2), (2, 3)]
    assert spans[-1] == (3, 5)
    assert all(span == (3, 3) for span in spans[4:-1])


def test_white_space_at_the_ends_is_covered_by_no_token() -> None:
    tokenizer = tokenizer_of()
    placed = tokenizer.encode_placed("   ครับ  a \n")
    assert (placed.starts[0], placed.ends[0]) in {(3, 3), (3, placed.ends[0])}
    assert placed.starts.min() == 3
    assert placed.ends.max() == len("   ครับ  a".encode())


def test_byte_ids_come_after_the_control_pieces() -> None:
    tokenizer = tokenizer_of(byte_fallback=True)
    assert [tokenizer.token_text(3 + byte) for byte in range(256)] == [f"<0x{byte:02X}>" for byte in range(256)]
    assert [tokenizer.token_bytes(3 + byte) for byte in range(256)] == [bytes([byte]) for byte in range(256)]
    assert tokenizer.special_tokens == {"<s>": 1, "</s>": 2}


def test_the_vocabulary_file_is_the_librarys_and_the_model_file_the_bytes() -> None:
    tokenizer = tokenizer_of()
    assert tokenizer.content == model_of()
    lines = tokenizer.vocab_text().splitlines()
    assert len(lines) == tokenizer.vocab_size == len(tokenizer.pieces)
    assert lines[:3] == ["<unk>\t0", "<s>\t0", "</s>\t0"]
    assert lines[-1].split("\t")[0] == tokenizer.pieces[-1]


def test_an_unknown_special_token_is_refused_however_a_text_is_encoded() -> None:
    tokenizer = tokenizer_of()
    for encode in (tokenizer.encode, tokenizer.encode_placed):
        with pytest.raises(SpecialTokenError):
            encode("a", allowed_special=["<nobody>"])


@pytest.mark.parametrize("token_id", [-1, 10**6, 2**40])
def test_an_unknown_id_is_refused(token_id: int) -> None:
    tokenizer = tokenizer_of()
    for use in (tokenizer.token_text, tokenizer.token_bytes, tokenizer.token_kind):
        with pytest.raises(TokenIdError):
            use(token_id)
    for decode in (tokenizer.decode, tokenizer.decode_bytes):
        with pytest.raises(TokenIdError):
            decode([token_id])


def code_of(content: bytes) -> str:
    with pytest.raises(ModelFileError) as raised:
        SentencePieceTokenizer(content)
    return raised.value.code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "pieces_file_damaged"),
        (b"hello", "pieces_file_damaged"),
        (b"minbpe v1\n\n0\n97 97\n", "pieces_file_is_minbpe"),
        (b"\n" * 200, "pieces_file_damaged"),
        (b"\n\x00" * 1_000_001, "pieces_file_too_much"),
        (b"\xff" * 64, "pieces_file_damaged"),
        (b"\n\x06\n\x04\xff\xff\xff\xff", "pieces_file_damaged"),
        (b"\0" * (MAX_FILE_BYTES + 1), "pieces_file_large"),
        (b"\n\x84\x27\n\x81\x27" + b"a" * 4_993, "pieces_file_too_much"),
        (model_of()[:-40], "pieces_file_damaged"),
        (model_of() + b"\x12\x02\x18\x09", "pieces_file_damaged"),
    ],
    ids=["empty", "text", "minbpe", "lines", "bomb", "numbers", "half", "large", "long", "cut", "model_type"],
)
def test_a_file_that_is_no_model_is_refused_with_the_reason(content: bytes, code: str) -> None:
    assert code_of(content) == code


def test_a_table_that_leads_out_of_itself_is_refused() -> None:
    model = model_of()
    trie = model.rindex(b"nmt_nfkc") + 20
    for place in range(trie, trie + 4_000, 400):
        assert check_file(model)
        broken = model[:place] + b"\xff\xfd\xff\x7f" + model[place + 4 :]
        with pytest.raises(ModelFileError):
            check_file(broken)


def test_a_value_leads_into_the_texts_of_its_table() -> None:
    model = model_of()
    table = model.rindex(b"nmt_nfkc") + 12  # after the tag and the length, a number of three times seven bits
    (size,) = struct.unpack_from("<I", model, table)
    length = sum((byte & 127) << 7 * n for n, byte in enumerate(model[table - 3 : table]))
    texts = length - 4 - size
    value = next(place for place in range(table + 4, table + 4 + size, 4) if model[place + 3] & 128)
    last, beyond = (
        model[:value] + struct.pack("<I", 2**31 + to) + model[value + 4 :] for to in (texts - 1, texts)
    )
    assert check_file(last)
    with pytest.raises(ModelFileError):
        check_file(beyond)


def test_a_damaged_file_opens_or_is_refused_and_what_opens_can_be_used() -> None:
    models = [model_of(), model_of(model_type="unigram", normalization_rule_name="identity")]
    rng = random.Random(4)
    opened = 0
    for turn in range(120):
        damaged = bytearray(models[turn % 2])
        for _ in range(rng.choice((1, 1, 3))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            tokenizer = SentencePieceTokenizer(bytes(damaged))
        except ModelFileError:
            continue
        opened += 1
        for text in TEXTS[:8]:
            tokenizer.decode(tokenizer.encode_placed(text).ids.tolist())
    assert 0 < opened < 120
