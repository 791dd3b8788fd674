"""SentencePiece models as lanes: the library's ids, the exact bytes under each, and no file that does harm."""

import random
import struct
from typing import Any

import pytest
import sentencepiece

from tests.helpers.hostile import HOSTILE_PIECES
from tests.helpers.trained import model_of, tokenizer_of
from tokenizer_core.errors import ModelFileError, SpecialTokenError, TokenIdError
from tokenizer_core.interop import sentencepiece_model
from tokenizer_core.interop.sentencepiece_model import (
    MAX_FILE_BYTES,
    SentencePieceTokenizer,
    check_file,
    looks_like_sentencepiece,
    written_model,
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
    bare = tokenizer_of(add_dummy_prefix=False, byte_fallback=True).encode_placed("☃")
    assert list(zip(bare.starts.tolist(), bare.ends.tolist(), strict=True)) == [(0, 1), (1, 2), (2, 3)]


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


def test_controls_write_nothing_and_unknown_text_the_surface_of_the_model() -> None:
    tokenizer = tokenizer_of(byte_fallback=True)
    assert [tokenizer.token_bytes(token_id) for token_id in range(3)] == [" ⁇ ".encode(), b"", b""]
    kinds = [tokenizer.token_kind(token_id) for token_id in (0, 1, 2, 3, 258, tokenizer.vocab_size - 1)]
    assert kinds == ["unknown", "control", "control", "byte", "byte", "ordinary"]
    assert (tokenizer.name, tokenizer_of().facts.adds_dummy_prefix) == ("sentencepiece", True)
    ids = tokenizer.encode(" a b")
    assert tokenizer.decode_bytes([1, *ids, 2]) == b"a b"
    assert tokenizer.decode_bytes(ids[1:]) == tokenizer.decode(ids[1:]).encode()


def test_marks_of_spaces_are_dropped_where_the_library_drops_them() -> None:
    for changes in SETTINGS.values():
        tokenizer = tokenizer_of(**changes)
        library = sentencepiece.SentencePieceProcessor(model_proto=model_of(**changes))
        marks = [n for n, piece in enumerate(tokenizer.pieces) if piece.startswith("▁")][:2]
        for ids in ([], marks, marks * 2, [*marks, tokenizer.vocab_size - 1], [0], [1, *marks], marks[:1] * 3):
            assert tokenizer.decode_bytes(ids).decode() == library.decode(ids)
        assert tokenizer.stretches("a  ครับ") == [library.normalize("a  ครับ")]


def test_the_settings_that_a_file_holds_are_told() -> None:
    for changes in ({}, {"add_dummy_prefix": False}, {"remove_extra_whitespaces": False, "model_type": "char"}):
        facts = check_file(model_of(**changes))
        assert facts.adds_dummy_prefix is changes.get("add_dummy_prefix", True)
        assert facts.removes_extra_spaces is changes.get("remove_extra_whitespaces", True)
        assert facts.model_type == changes.get("model_type", "bpe")


# ---- a file byte by byte


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def within(field: int, value: bytes | int) -> bytes:
    """A field of a message: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    return varint(field << 3 | 2) + varint(len(value)) + value


def piece(text: bytes, kind: int | None = None, score: bytes = bytes(4)) -> bytes:
    more = b"" if kind is None else within(3, kind)
    return within(1, within(1, text) + b"\x15" + score + more)


SOME = piece(b"<unk>", 2) + piece(b"a")
TRAINER, NORMALIZER, DENORMALIZER = 2, 3, 5


def test_what_a_file_leaves_out_is_as_the_library_has_it() -> None:
    facts = check_file(SOME)
    assert facts.kinds == ["unknown", "ordinary"]
    assert facts[1:] == ("unigram", True, True, " ⁇ ".encode())
    told = (
        SOME + within(TRAINER, within(3, 4) + within(44, b"?")) + within(NORMALIZER, within(3, 0) + within(4, 0))
    )
    assert check_file(told)[1:] == ("char", False, False, b"?")
    other = (
        SOME + within(DENORMALIZER, within(3, 0) + within(4, 0)) + within(99, b"later") + b"\xa9\x06" + bytes(8)
    )
    assert check_file(other) == facts
    every = b"".join(piece(b"<0x41>", kind) for kind in range(1, 7))
    assert check_file(every).kinds == ["ordinary", "unknown", "control", "user_defined", "unused", "byte"]


def table(units: list[int], texts: bytes) -> bytes:
    """The normalizer's table: the size of the trie, its units, and the texts."""
    trie = struct.pack(f"<{len(units)}I", *units)
    return SOME + within(NORMALIZER, within(2, struct.pack("<I", len(trie)) + trie + texts))


STAYS = [255 << 10] + [0] * 255
"""256 units, of which each step stays within the table."""


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (SOME, None),
        (piece(b"a" * 4_096), None),
        (piece(b"a" * 4_097), "pieces_file_too_much"),
        (SOME + within(TRAINER, within(44, b"a" * 4_096)), None),
        (SOME + within(TRAINER, within(44, b"a" * 4_097)), "pieces_file_too_much"),
        (SOME + within(TRAINER, within(44, b"\xe0")), "pieces_file_damaged"),
        (SOME + within(TRAINER, within(44, 7)), "pieces_file_damaged"),
        (SOME + within(TRAINER, within(3, 5)), "pieces_file_damaged"),
        (SOME + within(TRAINER, 3), "pieces_file_damaged"),
        (within(1, 3), "pieces_file_damaged"),
        (within(TRAINER, b""), "pieces_file_damaged"),
        (piece(b"\xe0"), "pieces_file_damaged"),
        (piece(b"a", 7), "pieces_file_damaged"),
        (piece(b"<0x4g>", 6), "pieces_file_damaged"),
        (piece(b"<0x41> ", 6), "pieces_file_damaged"),
        (piece(b"a", score=struct.pack("<f", float("nan"))), "pieces_file_damaged"),
        (piece(b"a", score=struct.pack("<f", float("-inf"))), None),
        (within(1, within(1, b"a") + within(2, b"abc")), "pieces_file_damaged"),
        (SOME + b"\x1b", "pieces_file_damaged"),
        (SOME + b"\xfd\x06" + bytes(4), None),
        (SOME + b"\xfd\x06" + bytes(3), "pieces_file_damaged"),
        (SOME + b"\x98\x06" + b"\xff" * 9 + b"\x01", None),
        (SOME + b"\x98\x06" + b"\xff" * 10 + b"\x01", "pieces_file_damaged"),
        (SOME + b"\x98", "pieces_file_damaged"),
        (SOME + within(NORMALIZER, within(2, b"")), None),
        (SOME + within(DENORMALIZER, within(2, b"\x01")), "pieces_file_damaged"),
        (table(STAYS, b"\0"), None),
        (table(STAYS, b""), "pieces_file_damaged"),
        (table(STAYS, b"a"), "pieces_file_damaged"),
        (table([], b"\0"), "pieces_file_damaged"),
        (table(STAYS[:255], b"\0"), "pieces_file_damaged"),
        (table([256 << 10, *STAYS[1:]], b"\0"), "pieces_file_damaged"),
        (table([1 << 31, *STAYS[1:]], b"\0"), None),
        (table([255 << 10 | 256, *[0] * 254, 1 << 31], b"\0"), None),
        (table([255 << 10 | 256, *[0] * 254, 1 << 31 | 1], b"\0"), "pieces_file_damaged"),
        (table([255 << 10 | 256, *[0] * 254, 1 << 31 | 1], b"a\0"), None),
        (table(STAYS, b"a" * 256 + b"\0"), None),
        (table(STAYS, b"b\0" + b"a" * 257 + b"\0"), "pieces_file_too_much"),
        (
            SOME + within(NORMALIZER, within(2, struct.pack("<I", 1_028) + bytes(1_024) + b"\0")),
            "pieces_file_damaged",
        ),
        (
            SOME + within(NORMALIZER, within(2, struct.pack("<I", 1_025) + bytes(1_026) + b"\0")),
            "pieces_file_damaged",
        ),
    ],
    ids=[
        *("whole", "longest piece", "long piece", "longest surface", "long surface", "half surface"),
        *("number for surface", "kind of model", "number for settings", "number for piece", "no pieces"),
        *("half piece", "kind of piece", "no byte", "more than a byte", "no score", "lowest score", "short score"),
        *("group", "four bytes", "three bytes", "longest number", "long number", "cut number", "no table"),
        *("short table", "table", "no texts", "open text", "no trie", "short trie", "step beyond", "value first"),
        *("value", "value beyond", "value of two", "longest text", "long text", "cut trie", "odd trie"),
    ],
)
def test_a_file_is_checked_where_the_library_trusts_it(content: bytes, code: str | None) -> None:
    if code is None:
        assert check_file(content).kinds
    else:
        with pytest.raises(ModelFileError) as caught:
            check_file(content)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (piece(b"a" * 4_097), {"what": "piece", "limit": 4_096}),
        (SOME + within(TRAINER, within(44, b"a" * 4_097)), {"what": "unk_surface", "limit": 4_096}),
        (table(STAYS, b"a" * 257 + b"\0"), {"what": "normalization", "limit": 256}),
    ],
    ids=["piece", "surface", "normalization"],
)
def test_what_is_too_much_is_named_with_its_limit(content: bytes, values: dict[str, object]) -> None:
    with pytest.raises(ModelFileError) as caught:
        check_file(content)
    assert caught.value.values == values


def test_as_many_pieces_and_bytes_as_allowed_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentencepiece_model, "MAX_PIECES", 2)
    monkeypatch.setattr(sentencepiece_model, "MAX_FILE_BYTES", len(SOME))
    assert len(check_file(SOME).kinds) == 2
    with pytest.raises(ModelFileError) as caught:
        check_file(SOME + b"\n")
    assert (caught.value.code, caught.value.values) == ("pieces_file_large", {"limit": len(SOME)})
    monkeypatch.undo()
    monkeypatch.setattr(sentencepiece_model, "MAX_PIECES", 1)
    with pytest.raises(ModelFileError) as caught:
        check_file(SOME)
    assert caught.value.values == {"what": "pieces", "limit": 1}


def test_a_file_that_begins_with_a_piece_is_told_from_others() -> None:
    assert looks_like_sentencepiece(model_of())
    assert looks_like_sentencepiece(piece(b"a"))
    assert not any(
        map(looks_like_sentencepiece, (b"", b"\n\x05\n", b"\n\x05\n\x05a", b"\n\x05a\x01", b"a\x05\n\x01"))
    )
    assert looks_like_sentencepiece(b"\n\x05\n\x04")


def test_a_model_is_written_with_the_kinds_and_scores_that_it_is_given() -> None:
    pieces = ["a", "<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁a", "x" * 200, "▁"]
    kinds = [1, 2, 3, *[6] * 256, 1, 4, 1]
    scores = [-1.5, *[0.0] * 258, -0.25, 0.0, -3.0]
    for prefix in (True, False):
        tokenizer = SentencePieceTokenizer(
            written_model(pieces, scores, kinds, adds_dummy_prefix=prefix), name="b"
        )
        assert tokenizer.pieces == pieces
        assert [tokenizer.token_kind(token_id) for token_id in (0, 1, 2, 3, 260)] == [
            "ordinary",
            "unknown",
            "control",
            "byte",
            "user_defined",
        ]
        assert tokenizer.facts.adds_dummy_prefix is prefix
        assert not tokenizer.facts.removes_extra_spaces
        assert tokenizer.encode("a") == [259 if prefix else 0]
        assert tokenizer.encode("x" * 200)[-1] == 260
        assert tokenizer.vocab_text().splitlines()[0] == "a\t-1.5"
        assert tokenizer.decode_bytes(tokenizer.encode("½  ☃")) == "½  ☃".encode()


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
