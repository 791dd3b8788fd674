"""Every export gives the same ids in the library it is for, and what a format cannot hold is refused."""

import base64
import csv
import io
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.helpers.hostile import hostile_texts as drawn_texts
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, openai_tokenizer, train
from tokenizer_core.errors import TokenizerError
from tokenizer_core.formats.byte_letters import letter_of_byte
from tokenizer_core.formats.exports import FORMATS, LOADED_BY, export, file_name
from tokenizer_core.formats.reloading import Reloaded, newer_character, reload
from tokenizer_core.measures.pretoken_tokenizer import PretokenTokenizer
from tokenizer_core.openai import RANK_FILES
from tokenizer_core.texts.hostile import hostile_texts, sampled_lines
from tokenizer_core.two_stage import train_in_two_stages
from tokenizer_core.vocabulary import BYTES

SPECIAL_TOKENS = {"<|end|>": 1101, "<|end|>s": 1107, "สวัสดี!": 1105}
CORPORA = 20
TEXTS_EACH = 25
HOSTILE = hostile_texts(special_tokens=SPECIAL_TOKENS)


def corpus(number: int) -> str:
    """A small corpus: Thai, English or both, and every fourth of hostile texts."""
    drawn = random.Random(number)
    if number % 4 == 3:
        return "".join(drawn.sample(hostile_texts(), 80))
    lines = [THAI_LINES, ENGLISH_LINES, THAI_LINES + ENGLISH_LINES][number % 4]
    return "\n".join(drawn.sample(lines, 40))


def reloaded(tokenizer: Tokenizer, to: str) -> Reloaded:
    return reload(to, export(tokenizer, to).files, tokenizer.pattern, tokenizer.special_tokens)


def codes(tokenizer: Any, to: str) -> list[str]:
    return [trap.code for trap in export(tokenizer, to).traps]


# The same ids


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_every_export_gives_the_same_ids_on_hostile_texts(pattern: str) -> None:
    """Of 500 texts, each corpus has 25 in turn; `test_export_proof` compares all with one tokenizer."""
    for number in range(CORPORA):
        texts = HOSTILE[number::CORPORA]
        assert len(texts) == TEXTS_EACH
        check_exports(number, pattern, texts)


@pytest.mark.long
@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
@pytest.mark.parametrize("number", range(CORPORA))
def test_every_export_of_every_corpus_gives_the_same_ids_on_all_hostile_texts(number: int, pattern: str) -> None:
    assert len(HOSTILE) == CORPORA * TEXTS_EACH
    check_exports(number, pattern, HOSTILE)


def check_exports(number: int, pattern: str, texts: Sequence[str]) -> None:
    """Train on a corpus, export to every format, and compare the ids of the texts in the other libraries."""
    tokenizer = train(corpus(number), 400 + 10 * number, pattern=pattern, special_tokens=SPECIAL_TOKENS)
    plain = [tokenizer.encode(text) for text in texts]
    acting = [tokenizer.encode(text, allowed_special="all") for text in texts]
    for to in LOADED_BY:
        library = reloaded(tokenizer, to)
        for text, ids, special in zip(texts, plain, acting, strict=True):
            assert library.encode(text) == ids, (number, to, text)
            if to != "tiktoken":  # which may find "<|end|>" in "<|end|>s"
                assert library.encode_acting(text) == special, (number, to, text)


@pytest.mark.parametrize("to", LOADED_BY)
def test_a_tokenizer_of_two_stages_is_plain_in_every_format(to: str) -> None:
    tokenizer = train_in_two_stages(corpus(2), 500, first_merges=40)
    library = reloaded(tokenizer, to)
    for text in HOSTILE[:60]:
        assert library.encode(text) == tokenizer.encode(text)


@given(text=drawn_texts)
@settings(max_examples=40)
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
@pytest.mark.parametrize("to", ["tiktoken", "tokenizer.json", "gpt2"])
def test_a_reference_goes_elsewhere_with_its_ids(name: str, to: str, text: str) -> None:
    tokenizer = openai_tokenizer(name)
    library = _reference(name, to)
    assert library.encode(text) == tokenizer.encode(text)
    assert library.encode_acting(text) == tokenizer.encode(text, allowed_special="all")


_OPENED: dict[tuple[str, str], Reloaded] = {}


def _reference(name: str, to: str) -> Reloaded:
    if (name, to) not in _OPENED:
        tokenizer = openai_tokenizer(name)
        _OPENED[name, to] = reload(to, export(tokenizer, to).files, tokenizer.pattern, tokenizer.special_tokens)
    return _OPENED[name, to]


def test_the_files_of_gpt2_are_those_that_openai_published() -> None:
    ours = export(openai_tokenizer("gpt2"), "gpt2").files
    merges, encoder = sorted(RANK_FILES.glob("6*"), key=lambda path: path.stat().st_size)
    assert ours["merges.txt"].splitlines()[1:] == merges.read_bytes().splitlines()[1:]
    assert json.loads(ours["vocab.json"]) == json.loads(encoder.read_bytes())


def test_the_rank_file_of_cl100k_is_that_which_openai_published() -> None:
    (published,) = RANK_FILES.glob("9b5ad*")
    assert (
        export(openai_tokenizer("cl100k_base"), "tiktoken").files["cl100k_base.tiktoken"] == published.read_bytes()
    )


# The snippets


@pytest.mark.parametrize("pattern", [*SPLIT_PATTERNS, "['\"]+|[a-z]+"])
@pytest.mark.parametrize("special_tokens", [{}, {"<|it's|> two": 1101, '"\\n"': 2000}], ids=["plain", "special"])
def test_the_snippets_open_the_files(
    pattern: str, special_tokens: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tokenizer = train(corpus(2), 350, pattern=pattern, special_tokens=special_tokens)
    for to in ("tiktoken", "tokenizer.json", "gpt2"):
        written = export(tokenizer, to, name="it's")
        for name, content in written.files.items():
            Path(name).write_bytes(content)
        names: dict[str, Any] = {}
        exec(written.snippet, names)
        for text in HOSTILE[:20]:
            if to == "tiktoken":
                ids = names["encoding"].encode(text, disallowed_special=())
            else:
                ids = names["tokenizer"].encode(text).ids
            assert ids == tokenizer.encode(text), (to, text)


def test_the_snippet_for_minbpe_sets_the_pattern_that_minbpe_does_not_read() -> None:
    split, whole = (export(train("ab ab", 257, pattern=name), "minbpe") for name in ("mark_aware", "none"))
    assert "tokenizer.compiled_pattern = regex.compile(tokenizer.pattern)" in split.snippet
    assert "BasicTokenizer" in whole.snippet
    for written in (split, whole):
        compile(written.snippet, "snippet", "exec")


# What a format cannot hold


def refused(tokenizer: Any, to: str) -> str:
    with pytest.raises(TokenizerError) as error:
        export(tokenizer, to)
    return error.value.code


TWICE = Tokenizer([(97, 98), (98, 99), (256, 99), (97, 257)])
"""Tokens 258 and 259 are both "abc"."""


def chained(word: str) -> Tokenizer:
    """A tokenizer that builds a word letter by letter."""
    merges = [(ord(word[0]), ord(word[1]))] + [(BYTES + n, ord(letter)) for n, letter in enumerate(word[2:])]
    return Tokenizer(merges, pattern="none")


@pytest.mark.parametrize(
    ("tokenizer", "to", "code"),
    [
        (Tokenizer([]), "exe", "export_format"),
        (PretokenTokenizer("gpt2"), "vocabulary.json", "export_kind"),
        (openai_tokenizer("gpt2"), "minbpe", "export_id_fixed"),
        (TWICE, "tiktoken", "export_same_bytes"),
        (TWICE, "tokenizer.json", "export_same_bytes"),
        (TWICE, "gpt2", "export_same_bytes"),
        (Tokenizer([(97, 98)], special_tokens=["ab"]), "tokenizer.json", "export_special_is_token"),
        (Tokenizer([(32, 98)], special_tokens=["Ġb"]), "gpt2", "export_special_is_token"),
        (Tokenizer([], special_tokens=["a b"]), "minbpe", "save_special_token_space"),
        (chained("#version!"), "gpt2", "export_header_merge"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tokenizer: Any, to: str, code: str) -> None:
    assert refused(tokenizer, to) == code


def test_merges_of_the_header_reach_tokenizer_json() -> None:
    assert reloaded(chained("#version!"), "tokenizer.json").encode("#version!") == [BYTES + 7]


class Renumbered(Tokenizer):
    """A tokenizer with the ids of a file."""

    def __init__(self, tokenizer: Tokenizer, entry_ids: list[int]) -> None:
        super().__init__(tokenizer.merges, pattern=tokenizer.pattern, special_tokens={"<|end|>": 9_000})
        self.entry_ids = entry_ids
        self._entry = {token_id: entry for entry, token_id in enumerate(entry_ids)}

    def encode(self, text: str, **options: Any) -> list[int]:
        ids = super().encode(text, **options)
        return [self.entry_ids[token_id] if token_id < self.vocab_size else token_id for token_id in ids]

    def token_bytes(self, token_id: int) -> bytes:
        return super().token_bytes(self._entry.get(token_id, token_id))


def test_ids_of_a_file_are_kept_where_the_format_can() -> None:
    tokenizer = train(corpus(1), 400)
    ids = random.Random(1).sample(range(5_000), 400)
    rising = [*ids[:BYTES], *range(6_000, 6_000 + 400 - BYTES)]
    shuffled, in_order = Renumbered(tokenizer, ids), Renumbered(tokenizer, rising)
    for renumbered, to in ((shuffled, "tokenizer.json"), (shuffled, "gpt2"), (in_order, "tiktoken")):
        library = reloaded(renumbered, to)
        for text in HOSTILE[:40]:
            assert library.encode(text) == renumbered.encode(text)
            assert library.encode_acting(text) == renumbered.encode(text, allowed_special="all")
    assert refused(shuffled, "tiktoken") == "export_id_order"
    assert refused(in_order, "minbpe") == "export_id_fixed"
    merges = export(shuffled, "merges.csv").files["merges.csv"].decode("utf-8-sig")
    first = next(csv.DictReader(io.StringIO(merges)))
    assert int(first["token_id"]) == ids[BYTES]
    assert str(ids[0]) in json.loads(export(shuffled, "vocabulary.json").files["vocabulary.json"])


# What is to be known


def test_traps_are_named_where_they_apply() -> None:
    plain, special = Tokenizer([(97, 98)]), Tokenizer([], pattern="cl100k", special_tokens=["<|a|>", "<|a|>b"])
    assert codes(plain, "minbpe") == ["minbpe_pattern"]
    assert codes(Tokenizer([], pattern="none"), "minbpe") == []
    assert codes(plain, "tiktoken") == ["rank_file_bare"]
    assert codes(special, "tiktoken") == ["rank_file_bare", "special_begins"]
    assert codes(Tokenizer([(97, 98), (98, 99), (97, 257)]), "tiktoken") == ["rank_file_bare", "lost_merges"]
    assert codes(Tokenizer([], pattern="[a-z]+"), "tiktoken") == ["rank_file_bare", "own_pattern", "tiktoken_gaps"]
    assert codes(plain, "tokenizer.json") == []
    assert codes(special, "tokenizer.json") == ["special_tokens_act", "possessive_count"]
    assert codes(openai_tokenizer("gpt2"), "gpt2") == []
    assert codes(plain, "gpt2") == ["gpt2_files_bare"]


@pytest.mark.parametrize("to", ["tiktoken", "tokenizer.json"])
def test_text_that_a_pattern_of_ones_own_does_not_match_is_kept(to: str) -> None:
    tokenizer = train("abc, 123\nabc", 262, pattern="[a-z]+|.(?=2)")
    library = reloaded(tokenizer, to)
    for text in ("abc, 123\nabc", "\n\n", "a2 b2", ""):
        assert library.encode(text) == tokenizer.encode(text)


@pytest.mark.parametrize("to", ["tiktoken", "tokenizer.json"])
def test_a_character_newer_than_the_library_is_named(to: str) -> None:
    library = reloaded(Tokenizer([]), to)
    assert newer_character("aก漢😀\n\ue000\u0378", library) is None
    assert newer_character("a\U000323b0", library) == "U+323B0"


# The tables


def test_the_vocabulary_has_every_token_with_its_bytes() -> None:
    tokenizer = train(corpus(0), 400, special_tokens=["<|end|>"])
    found = json.loads(export(tokenizer, "vocabulary.json").files["vocabulary.json"])
    assert list(found) == list(map(str, range(401)))
    for token_id in range(401):
        token = tokenizer.token_bytes(token_id)
        assert bytes.fromhex(found[str(token_id)]["bytes"]) == token
        assert found[str(token_id)]["text"] in (token.decode(errors="replace"), None)
    assert found["224"]["text"] is None
    assert found["400"] == {"text": "<|end|>", "bytes": b"<|end|>".hex(), "special": True}


def test_the_merges_have_a_row_each_that_no_spreadsheet_runs() -> None:
    tokenizer = train("=A1 =A1 ที่", 262, pattern="none")
    content = export(tokenizer, "merges.csv").files["merges.csv"].decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(int(row["left_id"]), int(row["right_id"])) for row in rows] == tokenizer.merges
    assert [bytes.fromhex(row["token_bytes"]) for row in rows] == tokenizer.vocabulary[BYTES:]
    assert not any(cell.startswith("=") for row in rows for cell in row.values())


# Small things


def test_the_letters_of_bytes_are_those_of_gpt2() -> None:
    ids = json.loads(export(openai_tokenizer("gpt2"), "gpt2").files["vocab.json"])
    letters = [letter for letter, token_id in ids.items() if token_id < BYTES]
    assert sorted(letters) == sorted(letter_of_byte().values())


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b\\c", "..", "", "con\0", "x" * 300, "นิทาน"])
def test_a_file_name_stays_where_it_is_put(name: str) -> None:
    made = file_name(name)
    assert 0 < len(made) <= 60
    assert not set(made) & set("/\\\0 ")
    assert not made.startswith(".")


@pytest.mark.parametrize("to", FORMATS)
def test_an_untrained_tokenizer_can_be_written(to: str) -> None:
    assert all(export(Tokenizer([]), to).files.values())


def test_a_rank_file_has_a_row_for_each_token() -> None:
    rows = export(Tokenizer([(97, 98)]), "tiktoken", name="x").files["x.tiktoken"].splitlines()
    assert [base64.b64decode(row.split()[0]) for row in rows] == Tokenizer([(97, 98)]).vocabulary


def test_lines_are_spread_over_the_whole_corpus() -> None:
    lines = sampled_lines(["\n".join(map(str, range(10_000)))], 2_000)
    assert len(lines) == 2_000
    assert (lines[0], lines[1], lines[-1]) == ("0\n", "5\n", "9995\n")
    assert sampled_lines(["x" * 5_000]) == ["x" * 1_000]
    long = sampled_lines(["\n".join(map(str, range(400_000)))], 2_000)
    assert 1_990 < len(long) <= 2_000
    assert all(line.strip().isdigit() and line.endswith("\n") for line in long[:-1])
    assert int(long[1_000]) in range(150_000, 250_000)
    assert sampled_lines(["x" * 3_000_000], 7) == ["x" * 1_000] * 7
    assert sampled_lines([]) == sampled_lines(["\n \n"]) == []
