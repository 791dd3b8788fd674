"""Every export gives the same ids in the library it is for, and what a format cannot hold is refused."""

import csv
import io
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.helpers.hostile import hostile_texts as drawn_texts
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tests.helpers.training import train_in_two_stages
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, openai_tokenizer, train
from tokenizer_core.analysis.baselines import PretokenTokenizer
from tokenizer_core.bpe.openai import RANK_FILES, OpenAITokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.exports import LOADED_BY, export, file_name
from tokenizer_core.interop.hostile_texts import hostile_texts
from tokenizer_core.interop.verifying import Reloaded, newer_character, reload, sampled_lines

SPECIAL_TOKENS = {"<|end|>": 1101, "<|end|>s": 1107, "สวัสดี!": 1105}
CORPORA = 20
HOSTILE = hostile_texts(special_tokens=SPECIAL_TOKENS)


def corpus(number: int) -> str:
    """A small corpus: Thai, English or both, and every fourth of hostile texts."""
    drawn = random.Random(number)
    if number % 4 == 3:
        return "".join(drawn.sample(hostile_texts(), 80))
    lines = [THAI_LINES, ENGLISH_LINES, THAI_LINES + ENGLISH_LINES][number % 4]
    return "\n".join(drawn.sample(lines, 40))


def reloaded(tokenizer: Tokenizer | FileTokenizer | OpenAITokenizer, to: str) -> Reloaded:
    return reload(to, export(tokenizer, to).files, tokenizer.pattern, tokenizer.special_tokens)


def codes(tokenizer: Any, to: str) -> list[str]:
    return [warning.code for warning in export(tokenizer, to).warnings]


# The same ids


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_every_export_gives_the_same_ids_on_hostile_texts(pattern: str) -> None:
    """Each corpus has 25 of the 500 texts; `test_export_proof` compares all with one tokenizer."""
    for number in range(CORPORA):
        tokenizer = train(corpus(number), 400 + 10 * number, pattern=pattern, special_tokens=SPECIAL_TOKENS)
        libraries = {to: reloaded(tokenizer, to) for to in LOADED_BY}
        for text in HOSTILE[number::CORPORA]:
            for to, library in libraries.items():
                assert library.encode(text) == tokenizer.encode(text), (number, to, text)
                if to != "tiktoken":  # which may find "<|end|>" in "<|end|>s"
                    acting = tokenizer.encode(text, allowed_special="all")
                    assert library.encode_acting(text) == acting, (number, to, text)


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
    tokenizer, library = openai_tokenizer(name), _reference(name, to)
    assert library.encode(text) == tokenizer.encode(text)
    assert library.encode_acting(text) == tokenizer.encode(text, allowed_special="all")


@cache
def _reference(name: str, to: str) -> Reloaded:
    return reloaded(openai_tokenizer(name), to)


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


def test_ids_of_a_file_are_kept_where_the_format_can() -> None:
    tokenizer = train(corpus(1), 400)
    ids = random.Random(1).sample(range(5_000), 400)
    rising = [*ids[:BYTES], *range(6_000, 6_000 + 400 - BYTES)]
    shuffled, in_order = (
        FileTokenizer(tokenizer.merges, each, pattern=tokenizer.pattern, special_tokens={"<|end|>": 9_000})
        for each in (ids, rising)
    )
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


# Warnings


def test_warnings_are_given_where_they_apply() -> None:
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
def test_text_that_a_user_written_pattern_does_not_match_is_kept(to: str) -> None:
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


def test_the_vocabulary_tells_added_tokens_from_special_ones() -> None:
    tokenizer = FileTokenizer(
        [], range(256), pattern="gpt2", special_tokens={"<|end|>": 256}, added_tokens={"a b": 257}
    )
    found = json.loads(export(tokenizer, "vocabulary.json").files["vocabulary.json"])
    assert found["256"] == {"text": "<|end|>", "bytes": b"<|end|>".hex(), "special": True}
    assert found["257"] == {"text": "a b", "bytes": b"a b".hex(), "added": True}


def test_the_merges_have_a_row_each_that_no_spreadsheet_runs() -> None:
    tokenizer = train("=A1 =A1 ที่", 262, pattern="none")
    content = export(tokenizer, "merges.csv").files["merges.csv"].decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(int(row["left_id"]), int(row["right_id"])) for row in rows] == tokenizer.merges
    assert [bytes.fromhex(row["token_bytes"]) for row in rows] == tokenizer.vocabulary[BYTES:]
    assert not any(cell.startswith("=") for row in rows for cell in row.values())


# Small things


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b\\c", "..", "", "con\0", "x" * 300, "นิทาน"])
def test_a_file_name_stays_where_it_is_put(name: str) -> None:
    made = file_name(name)
    assert 0 < len(made) <= 60
    assert not set(made) & set("/\\\0 ")
    assert not made.startswith(".")


def test_lines_are_spread_over_the_whole_corpus() -> None:
    lines = sampled_lines(["\n".join(map(str, range(10_000)))], 2_000)
    assert len(lines) == 2_000
    assert (lines[0], lines[1], lines[-1]) == ("0\n", "5\n", "9995\n")
    assert sampled_lines(["x" * 5_000]) == ["x" * 1_000]
    long = sampled_lines(["\n".join(map(str, range(400_000)))], 2_000)
    assert 1_990 < len(long) <= 2_000
    assert all(line.strip().isdigit() and line.endswith("\n") for line in long[:-1])
    assert int(long[1_000]) in range(150_000, 250_000)
    of_two = sampled_lines(["\n".join(map(str, range(300_000)))] * 2, 10)
    assert of_two[:5] == of_two[5:]
    assert sampled_lines(["x" * 3_000_000], 7) == ["x" * 1_000] * 7
    assert sampled_lines([]) == sampled_lines(["\n \n"]) == []
