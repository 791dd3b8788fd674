"""Every export gives the same ids in the library it is for, and what a format cannot hold is refused."""

import csv
import io
import json
import random
from functools import cache
from importlib import metadata
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
from tokenizer_core.interop.exportable import exportable, may_be_exported
from tokenizer_core.interop.exports import LOADED_BY, export, file_name
from tokenizer_core.interop.hostile_texts import hostile_texts
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.interop.verifying import Reloaded, newer_character, reload, sampled_lines
from tokenizer_core.patterns.split_patterns import SUPERWORDS, THEN

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


LONG = "ab" * 30
"""Of a token this long, a sentence shows the beginning."""
ADDED = FileTokenizer(
    [(97, 98), (256, 99)],
    range(258),
    pattern=THEN.join([r"\p{N}{1,3}+", r"[a-z]{1,2}+|\s"]),
    special_tokens={"<s>": 300, "<r>": 299},
    added_tokens={"<think>": 298},
    normalizer="NFC",
    name="more",
)
"""A tokenizer of two steps, with an added token and a normal form."""


@pytest.mark.parametrize(
    ("tokenizer", "to", "code", "values"),
    [
        (PretokenTokenizer("gpt2"), "merges.csv", "export_kind", {"name": PretokenTokenizer("gpt2").name}),
        (TWICE, "tiktoken", "export_same_bytes", {"token_id": 258, "other": 259, "token": "abc"}),
        (
            FileTokenizer([(97, 98), (98, 99)], [*range(256), 300, 299], pattern="gpt2"),
            "tiktoken",
            "export_id_order",
            {"token_id": 299, "other": 300},
        ),
        (
            Tokenizer([(97, 98)], special_tokens={"ab": 300}),
            "gpt2",
            "export_special_is_token",
            {"token": "ab", "token_id": 300, "other": 256},
        ),
        (
            FileTokenizer([(97, 98)], [*range(256), 300], pattern="gpt2", name="mine"),
            "minbpe",
            "export_id_fixed",
            {"name": "mine", "token_id": 300, "token": "ab"},
        ),
        (ADDED, "tiktoken", "export_more", {}),
        (ADDED, "gpt2", "export_more", {}),
        (ADDED, "minbpe", "export_more", {}),
        (Tokenizer([], pattern=SUPERWORDS, name="wide"), "gpt2", "export_superwords", {"name": "wide"}),
        (chained("#version!"), "gpt2", "export_header_merge", {"token": "#version", "header": "#version"}),
        (Tokenizer([]), "exe", "export_format", {"format": "exe"}),
    ],
    ids=[
        "kind",
        "twice",
        "order",
        "special",
        "id",
        "added",
        "added gpt2",
        "added minbpe",
        "wide",
        "header",
        "format",
    ],
)
def test_what_a_format_cannot_hold_is_named(tokenizer: Any, to: str, code: str, values: dict[str, object]) -> None:
    with pytest.raises(TokenizerError) as caught:
        export(tokenizer, to)
    assert caught.value.code == code
    assert values.items() <= caught.value.values.items()


def test_a_long_token_is_named_by_its_beginning() -> None:
    word = "\x80".encode("latin-1") + LONG.encode()
    merges = [(word[0], word[1])] + [(BYTES + n, letter) for n, letter in enumerate(word[2:])]
    tokenizer = FileTokenizer(merges, [*range(256 + len(merges) - 1), 999], pattern="none")
    with pytest.raises(TokenizerError) as caught:
        export(tokenizer, "minbpe")
    assert caught.value.values["token"] == "\\x80" + LONG[:39]


class Untrue(Tokenizer):
    """A tokenizer whose tokens are not those that its merges make."""

    def token_bytes(self, token_id: int) -> bytes:
        return b"xy" if token_id == 256 else super().token_bytes(token_id)


class Twisted(Tokenizer):
    """A tokenizer with a byte twice."""

    def token_bytes(self, token_id: int) -> bytes:
        return super().token_bytes(1 if token_id == 0 else token_id)


@pytest.mark.parametrize("tokenizer", [Untrue([(97, 98)], name="mine"), Twisted([(97, 98)], name="mine")])
def test_tokens_that_merges_do_not_make_are_not_exported(tokenizer: Tokenizer) -> None:
    with pytest.raises(TokenizerError) as caught:
        export(tokenizer, "merges.csv")
    assert (caught.value.code, caught.value.values) == ("export_tokens", {"name": "mine"})


def test_only_tokenizers_with_merges_may_be_exported() -> None:
    assert may_be_exported(Tokenizer([]))
    assert may_be_exported(ADDED)
    assert may_be_exported(openai_tokenizer("gpt2"))
    assert not may_be_exported(PretokenTokenizer("gpt2"))


def test_a_pattern_is_exported_by_its_name_if_it_has_one() -> None:
    parts = exportable(Tokenizer([], pattern=SPLIT_PATTERNS["gpt2"]))
    assert (parts.pattern, parts.is_plain) == ("gpt2", True)
    assert exportable(Tokenizer([], pattern="[a-z]+")).pattern == "[a-z]+"
    assert not exportable(ADDED).is_plain
    assert not exportable(FileTokenizer([], range(256), pattern="gpt2", normalizer="NFC")).is_plain


def test_a_tokenizer_json_holds_steps_added_tokens_and_the_normal_form() -> None:
    written = export(ADDED, "tokenizer.json")
    found = json.loads(written.files["tokenizer.json"])
    assert found["normalizer"] == {"type": "NFC"}
    assert [(token["id"], token["content"], token["special"]) for token in found["added_tokens"]] == [
        (298, "<think>", False),
        (299, "<r>", True),
        (300, "<s>", True),
    ]
    steps = found["pre_tokenizer"]["pretokenizers"]
    assert [step.get("pattern", {}).get("Regex") for step in steps] == [r"\p{N}{1,3}", r"[a-z]{1,2}|\s", None]
    again = open_tokenizer("again", written.files["tokenizer.json"]).tokenizer
    assert isinstance(again, FileTokenizer)
    assert (again.special_tokens, again.added_tokens) == ({"<r>": 299, "<s>": 300}, {"<think>": 298})
    assert again.normalizer == "NFC"
    assert (again.entry_ids, again.merges) == (ADDED.entry_ids, ADDED.merges)
    for text in ("abc 1234<think>e\u0301", "<s>ab12"):
        assert again.encode(text, allowed_special="all") == ADDED.encode(text, allowed_special="all")
    assert [warning.code for warning in written.warnings] == [
        "special_tokens_act",
        "own_pattern",
        "possessive_count",
        "id_gap",
    ]
    plain = json.loads(export(Tokenizer([], pattern="none"), "tokenizer.json").files["tokenizer.json"])
    assert (plain["normalizer"], plain["pre_tokenizer"]["type"]) == (None, "ByteLevel")
    assert plain["added_tokens"] == []


def test_files_are_named_after_the_tokenizer_or_as_told() -> None:
    tokenizer = Tokenizer([], name="my own")
    assert list(export(tokenizer, "tiktoken").files) == ["my-own.tiktoken"]
    assert list(export(tokenizer, "minbpe", name="a/b").files) == ["a-b.model", "a-b.vocab"]
    both = export(tokenizer, "gpt2").files
    assert list(both) == ["vocab.json", "merges.txt"]
    assert "Ġ".encode() in both["vocab.json"]  # letters as they are, and not as numbers
    assert "Ġ".encode() in export(tokenizer, "tokenizer.json").files["tokenizer.json"]
    assert file_name("x" * 61) == "x" * 60


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


def test_a_warning_names_what_it_is_about() -> None:
    def values(tokenizer: Any, to: str) -> dict[str, dict[str, Any]]:
        return {warning.code: dict(warning.values) for warning in export(tokenizer, to).warnings}

    lost = Tokenizer([(97, 98), (98, 99), (97, 257), (98, 98), (98, 258)])
    assert values(lost, "tiktoken")["lost_merges"] == {"count": 1, "token_id": 258, "token": "abc"}
    special = Tokenizer([], pattern="cl100k", special_tokens=["<b>x", "<a>", "<b>"])
    assert values(special, "tiktoken")["special_begins"] == {"token": "<b>x", "other": "<b>"}
    assert values(special, "tokenizer.json")["possessive_count"] == {"pattern": "{1,3}+", "instead": "{1,3}"}
    far = Tokenizer([], special_tokens={"<a>": 300})
    assert values(far, "tiktoken")["id_gap"] == {"rows": 301, "tokens": 257}
    own = Tokenizer([], pattern="[a-z]+")
    assert values(own, "tiktoken")["own_pattern"] == {"library": "tiktoken", "engine": "fancy-regex"}
    assert values(own, "tokenizer.json")["own_pattern"] == {"library": "tokenizers", "engine": "Oniguruma"}
    assert list(values(own, "gpt2")) == ["gpt2_files_bare", "own_pattern"]


def test_an_export_that_cannot_be_opened_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TokenizerError) as caught:
        reload("tokenizer.json", {"tokenizer.json": b"{" + b"x" * 500}, "gpt2", {})
    assert (caught.value.code, caught.value.values["format"]) == ("reload_refused", "tokenizer.json")
    with pytest.raises(TokenizerError) as caught:
        reload("tiktoken", {"a": b"YQ== zero and a long reason" * 40}, "gpt2", {})
    assert 0 < len(str(caught.value.values["why"])) <= 200

    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(TokenizerError) as caught:
        reloaded(Tokenizer([]), "gpt2")
    assert caught.value.code == "proof_no_room"


def test_each_library_is_named_with_its_version_and_tells_special_tokens_from_text() -> None:
    tokenizer = Tokenizer([(97, 98)], special_tokens={"<|end|>": 300})
    for to, library in LOADED_BY.items():
        found = reload(to, export(tokenizer, to).files, tokenizer.pattern, tokenizer.special_tokens)
        assert found.library == (f"{library} {metadata.version(library)}" if to != "minbpe" else "")
        assert found.encode("ab<|end|>") == tokenizer.encode("ab<|end|>")
        assert found.encode_acting("ab<|end|>") == [
            256,
            300 if to != "minbpe" else tokenizer.special_tokens["<|end|>"],
        ]
        assert found.encode("<|end|>ab") == tokenizer.encode("<|end|>ab")
        assert found.knows("ก")


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


def test_the_merges_are_numbered_from_0_with_the_text_of_both_parts() -> None:
    tokenizer = FileTokenizer([(0xE0, 0xB8), (97, 98)], [*range(256), 300, 299], pattern="none")
    content = export(tokenizer, "merges.csv").files["merges.csv"]
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.decode("utf-8-sig").splitlines() == [
        "rank,token_id,left_id,right_id,left,right,token,token_bytes",
        r"0,300,224,184,\xe0,\xb8,\xe0\xb8,e0b8",
        "1,299,97,98,a,b,ab,6162",
    ]


def test_the_merges_have_a_row_each_that_no_spreadsheet_runs() -> None:
    tokenizer = train("=A1 =A1 ที่", 262, pattern="none")
    content = export(tokenizer, "merges.csv").files["merges.csv"].decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(int(row["left_id"]), int(row["right_id"])) for row in rows] == tokenizer.merges
    assert [bytes.fromhex(row["token_bytes"]) for row in rows] == tokenizer.vocabulary[BYTES:]
    assert not any(cell.startswith("=") for row in rows for cell in row.values())


# Small things


def test_hostile_texts_are_always_the_same_and_hold_special_tokens_whole_cut_off_and_doubled() -> None:
    texts = hostile_texts(3_000, special_tokens=["<|Ab|>"])
    assert len(texts) == 3_000
    assert texts == hostile_texts(3_000, special_tokens=["<|Ab|>"])
    assert hostile_texts(7) == hostile_texts()[:7]
    whole = "\n".join(texts)
    for made in ("<|Ab|>", "<|Ab|", "|Ab|>", "<|Ab|><|Ab|>", "<|aB|>", " <|Ab|> "):
        assert any(text.count(made) for text in texts), made
    for piece in (
        "ที่",
        "👨\u200d👩\u200d👧\u200d👦",
        "e\u0301",
        "\x85",
        "\r\n",
        "\u3000",
        "1234567",
        "don't",
        "漢字",
        "#version",
    ):
        assert piece in whole
    assert all(texts)
    assert min(map(len, hostile_texts())) == 1 < 100 < max(map(len, hostile_texts()))


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
