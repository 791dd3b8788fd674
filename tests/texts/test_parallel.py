"""Parallel texts: what is read, what is refused, and that premiums are those that tiktoken gives by hand."""

import gzip
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.files import parquet
from tests.helpers.hostile import hostile_texts
from tests.helpers.paths import REPOSITORY
from tokenizer_core.errors import CorpusError, TokenizerError
from tokenizer_core.measures.line_counts import line_cuts, text_sizes, token_total
from tokenizer_core.measures.prices import cost, parse_price
from tokenizer_core.measures.ratios import context_left, premium, thai_entries
from tokenizer_core.measures.segmenters import NEWMM, WHITE_SPACE, newmm, segmenter_for, word_spans
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.texts.alignment import first_extra_line, first_shifted
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.parallel import (
    JOININGS,
    EmptyLines,
    Joining,
    Parallel,
    parallel_files,
    parallel_table,
    parallel_texts,
    read_parallel,
    split_lines,
)
from tokenizer_core.texts.tables import TableReading
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import train

THAI = (REPOSITORY / "sample_data" / "parallel.th.txt").read_text(encoding="utf-8")
ENGLISH = (REPOSITORY / "sample_data" / "parallel.en.txt").read_text(encoding="utf-8")
THAI_LINES, ENGLISH_LINES = THAI.split("\n")[:-1], ENGLISH.split("\n")[:-1]


def files(**contents: str | bytes) -> list[PackedFile]:
    """Files of these names, dots for underscores."""
    return [
        PackedFile(name.replace("_", "."), content if isinstance(content, bytes) else content.encode())
        for name, content in contents.items()
    ]


def refusal(*, code: str, **contents: str | bytes) -> CorpusError:
    """Why these files are not compared."""
    with pytest.raises(CorpusError) as caught:
        read_parallel(files(**contents))
    assert caught.value.code == code
    return caught.value


# ---- lines


@given(hostile_texts)
def test_only_line_feeds_end_lines_and_nothing_is_lost(text: str) -> None:
    by_hand = [line.removesuffix("\r") for line in text.split("\n")[:-1]]
    last = text.split("\n")[-1]
    assert split_lines(text) == [*by_hand, *([last] if last else [])]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb", ["a", "b"]),
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\n\n", ["a", ""]),
        ("\n\n", ["", ""]),
        ("a\rb\n", ["a\rb"]),
        ("a\x85b\u2028c\x0bd\x1ce\n", ["a\x85b\u2028c\x0bd\x1ce"]),
        ("", []),
    ],
    ids=["no end", "end", "crlf", "empty last", "only ends", "lone cr", "other separators", "nothing"],
)
def test_what_a_line_is(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_an_end_at_the_end_makes_no_difference() -> None:
    assert parallel_texts(["a", "b"], ["x\ny\n", "x\ny"]).pairs == 2


def test_empty_lines_stay_pairs_and_are_counted() -> None:
    parallel = parallel_texts(["a", "b"], ["x\n\n \ny\n", "x\n\ny\ny\n"])
    assert parallel.pairs == 4
    assert parallel.empty == EmptyLines(all_sides=1, some_sides=1, first=3)


# ---- what is refused


def test_files_of_different_length_are_refused_with_counts_and_the_line() -> None:
    broken = "\n".join([*ENGLISH_LINES[:100], *ENGLISH_LINES[101:]])
    error = refusal(code="parallel_lines_differ", a_th=THAI, b_en=broken)
    assert error.values["first"] == "a.th"
    assert (error.values["first_lines"], error.values["other_lines"]) == (483, 482)
    assert abs(error.values["line"] - 101) <= 3
    assert "483" in str(error)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("missing", [1, 4])
def test_the_line_where_files_part_is_found(seed: int, missing: int) -> None:
    start = random.Random(seed).randrange(480)
    shorter = ENGLISH_LINES[:start] + ENGLISH_LINES[start + missing :]
    assert abs(first_extra_line(THAI_LINES, shorter) - start - 1) <= 5
    assert abs(first_extra_line(shorter, THAI_LINES) - start - 1) <= 5


def test_a_file_that_is_cut_off_parts_at_its_end() -> None:
    assert first_extra_line(THAI_LINES, ENGLISH_LINES[:-2]) in range(480, 484)


@pytest.mark.parametrize("start", [0, 50, 200, 400, 450])
def test_lines_out_of_step_are_noticed_though_files_have_the_same_length(start: int) -> None:
    late = [*ENGLISH_LINES[:start], "One line that nobody translated.", *ENGLISH_LINES[start:-1]]
    found = first_shifted(THAI_LINES, late)
    assert found is not None
    assert abs(found - start - 1) <= 3


@pytest.mark.parametrize(("late", "again"), [(5, 250), (100, 300), (1, 50), (300, 340)])
def test_lines_that_are_out_of_step_for_a_while_are_noticed(late: int, again: int) -> None:
    thai = [*THAI_LINES[:late], *THAI_LINES[late + 1 :]]
    english = [*ENGLISH_LINES[:again], *ENGLISH_LINES[again + 1 :]]
    found = first_shifted(thai, english)
    assert found is not None
    assert abs(found - late - 1) <= 5


@pytest.mark.parametrize("late", [1, 4, 5, 8, 10])
def test_a_side_that_is_some_lines_late_is_noticed(late: int) -> None:
    assert first_shifted(THAI_LINES[late:], ENGLISH_LINES[:-late]) in range(1, 20)
    assert first_shifted(THAI_LINES[:-late], ENGLISH_LINES[late:]) in range(1, 20)


@given(st.sets(st.integers(0, 482), min_size=40))
def test_lines_in_step_raise_no_alarm(chosen: set[int]) -> None:
    assert first_shifted([THAI_LINES[n] for n in chosen], [ENGLISH_LINES[n] for n in chosen]) is None


def test_a_file_without_content_is_named() -> None:
    assert refusal(code="empty_file", a_th=THAI, b_en=b"").values["file"] == "b.en"


@pytest.mark.parametrize("empty", ["\n" * 483, " \n" * 483], ids=["line ends", "spaces"])
def test_a_side_without_text_is_refused(empty: str) -> None:
    assert refusal(code="parallel_side_empty", a_th=THAI, b_en=empty).values["name"] == "b.en"


def test_one_file_is_not_enough() -> None:
    refusal(code="parallel_languages", a_th=THAI)


def test_a_table_beside_other_files_is_refused() -> None:
    assert refusal(code="parallel_table_and_more", a_th=THAI, b_csv="a,b\n").values["name"] == "b.csv"


def test_bytes_that_are_no_text_are_refused() -> None:
    assert refusal(code="binary_file", a_th=THAI, b_en=b"\x89PNG\r\n\x1a\n" + bytes(99)).values["file"] == "b.en"


def test_a_guessed_encoding_is_said() -> None:
    parallel = parallel_files(files(a_th=THAI.encode("cp874"), b_en=ENGLISH))
    assert [(guess.name, guess.encoding) for guess in parallel.guesses] == [("a.th", "cp874")]
    assert parallel.lines[0] == tuple(THAI_LINES)


def test_two_files_of_the_same_name_are_two_languages() -> None:
    parallel = parallel_files([PackedFile("x.txt", b"a\n"), PackedFile("x.txt", b"b\n")])
    assert parallel.names == ("x.txt", "x.txt (2)")


def test_a_packed_file_is_read() -> None:
    (packed,) = unpack("b.en.gz", gzip.compress(ENGLISH.encode()), max_bytes=10**7, max_files=9)
    assert read_parallel([PackedFile("a.th", THAI.encode()), packed]).pairs == 483


# ---- tables


def table_of(parallel: Parallel) -> TableReading:
    """How the table was read that the lines are from."""
    assert parallel.table is not None
    return parallel.table


def test_quotes_and_line_breaks_in_cells_are_kept() -> None:
    table = 'th,en\n"แมว\nดำ","a ""black"" cat, 1"\nหมา,a dog\n'
    parallel = parallel_table(PackedFile("t.csv", table.encode()), header=True)
    assert parallel.names == ("th", "en")
    assert parallel.lines == (("แมว\nดำ", "หมา"), ('a "black" cat, 1', "a dog"))
    assert parallel.texts[0] == "แมว\nดำ\nหมา"


def test_a_table_may_have_many_languages_and_columns_that_are_none() -> None:
    rows = ["id;th;en;de", *(f"{n};{THAI_LINES[n]};{ENGLISH_LINES[n]};Wort {n} und mehr" for n in range(50))]
    parallel = parallel_table(PackedFile("t.csv", "\n".join(rows).replace(";;", ";").encode()))
    assert table_of(parallel).columns == ("id", "th", "en", "de")
    assert set(parallel.names) >= {"th", "en"}
    assert "id" not in parallel.names
    chosen = parallel_table(PackedFile("t.csv", "\n".join(rows).encode()), columns=["en", "de"])
    assert chosen.names == ("en", "de")


def test_a_broken_row_is_left_out_of_all_languages_and_counted() -> None:
    table = "th\ten\nแมว ดำ\ta black cat\nx\ty\tz\nหมา ขาว\ta white dog\n"
    parallel = parallel_table(PackedFile("t.tsv", table.encode()), header=True)
    assert parallel.pairs == 2
    assert (table_of(parallel).skipped_rows, table_of(parallel).first_skipped) == (1, 3)


def test_empty_cells_stay_pairs() -> None:
    parallel = parallel_table(PackedFile("t.csv", "th,en\nแมว,\nหมา,a dog\n".encode()), header=True)
    assert parallel.lines == (("แมว", "หมา"), ("", "a dog"))
    assert parallel.empty == EmptyLines(0, 1, 1)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(CorpusError) as caught:
        parallel_table(PackedFile("t.csv", b"a,b\nx y,z w\n"), columns=["c"], header=True)
    assert caught.value.code == "unknown_column"


def test_a_table_of_one_column_is_refused() -> None:
    with pytest.raises(CorpusError) as caught:
        parallel_table(PackedFile("t.csv", b"text\nonly this\nand that\n"))
    assert caught.value.code == "parallel_languages"


PAIRS = [{"en": en, "th": th} for th, en in zip(THAI_LINES[:40], ENGLISH_LINES[:40])]
KINDS = {
    "flat.jsonl": "\n".join(json.dumps({"id": str(n), **pair}) for n, pair in enumerate(PAIRS)).encode(),
    "nested.ndjson": "\n".join(json.dumps({"translation": pair}) for pair in PAIRS).encode(),
    "flat.parquet": parquet({"n": list(range(40)), **{name: [pair[name] for pair in PAIRS] for name in PAIRS[0]}}),
    "nested.parquet": parquet({"translation": PAIRS}),
    "nested in groups.parquet": parquet({"translation": PAIRS}, row_group_size=7),
}


@pytest.mark.parametrize("name", KINDS)
def test_tables_of_each_kind_have_the_same_pairs(name: str) -> None:
    parallel = read_parallel([PackedFile(name, KINDS[name])])
    prefix = "translation." if "nested" in name else ""
    assert parallel.names == (f"{prefix}en", f"{prefix}th")
    assert parallel.lines == (tuple(ENGLISH_LINES[:40]), tuple(THAI_LINES[:40]))
    assert table_of(parallel).header is None
    chosen = read_parallel([PackedFile(name, KINDS[name])], columns=[f"{prefix}th", f"{prefix}en"])
    assert chosen.lines == parallel.lines


def test_what_is_missing_is_an_empty_line_and_what_is_broken_is_left_out() -> None:
    rows = '{"a": "one cat", "b": "ein Hund"}\n{"a": "a bird"}\nbroken\n{"b": "die Maus", "a": null}\n'
    table = parquet({"t": [{"a": "one cat", "b": "ein Hund"}, {"a": "a bird", "b": None}, None]})
    read = read_parallel([PackedFile("t.jsonl", rows.encode())])
    assert read.lines == (("one cat", "a bird", ""), ("ein Hund", "", "die Maus"))
    assert (table_of(read).skipped_rows, table_of(read).first_skipped) == (1, 3)
    assert read_parallel([PackedFile("t.parquet", table)]).lines == (
        ("one cat", "a bird", ""),
        ("ein Hund", "", ""),
    )


def test_a_packed_table_that_becomes_too_large_is_refused() -> None:
    table = parquet({"a": ["x" * 1_000] * 1_000, "b": ["y z"] * 1_000})
    assert len(table) < 10_000
    with pytest.raises(CorpusError) as caught:
        read_parallel([PackedFile("t.parquet", table)], max_bytes=500_000)
    assert caught.value.code == "unpacked_too_large"


# ---- premiums


def by_hand(lines: Sequence[str], whole: str, name: str, joining: Joining) -> int:
    """What tiktoken counts, used as its own documentation says; its rank files are those in the project."""
    openai_tokenizer(name)  # after this tiktoken has the encoding, and reads no file
    encoding = tiktoken.get_encoding(name)
    if joining == "lines":
        return sum(len(encoding.encode(line, disallowed_special=())) for line in lines)
    return len(encoding.encode(" ".join(lines) if joining == "space" else whole, disallowed_special=()))


@pytest.mark.parametrize("joining", JOININGS)
@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_premiums_are_those_that_tiktoken_gives(name: str, joining: Joining, tmp_path: Path) -> None:
    parallel = parallel_files(files(a_th=THAI, b_en=ENGLISH))
    totals = [token_total(parallel, side, openai_tokenizer(name), joining) for side in (0, 1)]
    expected = [by_hand(THAI_LINES, THAI, name, joining), by_hand(ENGLISH_LINES, ENGLISH, name, joining)]
    assert totals == expected
    assert premium(*totals) == expected[0] / expected[1]


@given(st.lists(hostile_texts, min_size=1, max_size=5), st.sampled_from(OPENAI_NAMES))
def test_many_texts_at_once_have_the_tokens_of_each(texts: list[str], name: str) -> None:
    tokenizer = openai_tokenizer(name)
    encoded = tokenizer.encode_each(texts)
    alone = [tokenizer.encode(text) for text in texts]
    assert encoded.counts.tolist() == [len(ids) for ids in alone]
    assert encoded.ids.tolist() == [token_id for ids in alone for token_id in ids]


@given(st.lists(hostile_texts, max_size=5))
def test_ones_own_tokenizer_counts_many_texts_as_each(texts: list[str]) -> None:
    alone = [OWN.encode(text) for text in texts]
    encoded = OWN.encode_each(texts)
    assert encoded.counts.tolist() == [len(ids) for ids in alone]
    assert encoded.ids.tolist() == [token_id for ids in alone for token_id in ids]


OWN = train(THAI, 600)


@pytest.mark.parametrize(
    "text", ["<|endoftext|> น้ำ" * 20_000, " " * 1_200_000 + "x"], ids=["special", "white space"]
)
@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_a_very_long_text_has_the_same_tokens(name: str, text: str) -> None:
    tokenizer = openai_tokenizer(name)
    assert tokenizer.encode_each([text]).ids.tolist() == tokenizer.encode(text)


def test_special_tokens_are_text_among_many_texts() -> None:
    assert openai_tokenizer("gpt2").encode_each(["<|endoftext|>"]).counts.tolist() == [7]


def test_a_base_without_tokens_has_no_premium() -> None:
    assert premium(5, 0) is None
    assert premium(0, 5) == 0.0


def test_a_hundred_thousand_pairs_are_all_counted() -> None:
    thai, english = (
        "".join(f"{lines[n % 483]} {n}\n" for n in range(100_000)) for lines in (THAI_LINES, ENGLISH_LINES)
    )
    parallel = parallel_files(files(a_th=thai, b_en=english))
    assert parallel.pairs == 100_000
    counts = OWN.encode_each(parallel.lines[0]).counts
    assert len(counts) == 100_000
    assert counts[-1] == len(OWN.encode(parallel.lines[0][-1]))
    assert token_total(parallel, 1, openai_tokenizer("o200k_base"), "lines") > 1_000_000


# ---- what tokens break


def broken_by_hand(lines: Sequence[str], tokenizer: Tokenizer) -> tuple[int, int]:
    """Characters and grapheme clusters with a boundary inside, by sets of offsets."""
    characters = clusters = 0
    for line in lines:
        ends, at = set(), 0
        for token_id in tokenizer.encode(line):
            at += len(tokenizer.token_bytes(token_id))
            ends.add(at)
        for pattern, is_cluster in ((r"(?s).", False), (r"\X", True)):
            at = 0
            for piece in regex.findall(pattern, line):
                size = len(piece.encode())
                hit = any(at < end < at + size for end in ends)
                characters, clusters = characters + (hit and not is_cluster), clusters + (hit and is_cluster)
                at += size
    return characters, clusters


@given(st.lists(hostile_texts.filter(lambda text: "\n" not in text), min_size=1, max_size=4))
def test_broken_characters_and_clusters_are_those_that_offsets_give(lines: list[str]) -> None:
    found = line_cuts(lines, OWN.encode_each(lines), OWN)
    assert (found.broken_characters, found.broken_clusters) == broken_by_hand(lines, OWN)


@given(st.lists(hostile_texts, min_size=1, max_size=4))
def test_sizes_are_those_of_the_lines(lines: list[str]) -> None:
    sizes = text_sizes(lines)
    assert sizes.characters == sum(map(len, lines))
    assert sizes.bytes == sum(len(line.encode()) for line in lines)
    assert sizes.clusters == sum(len(regex.findall(r"\X", line)) for line in lines)


def test_blocks_of_lines_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = OWN.encode_each(THAI_LINES)
    whole = line_cuts(THAI_LINES, encoded, OWN), text_sizes(THAI_LINES)
    monkeypatch.setattr("tokenizer_core.measures.line_counts._BLOCK", 700)
    assert (line_cuts(THAI_LINES, encoded, OWN), text_sizes(THAI_LINES)) == whole


# ---- words


def test_words_of_english_stand_between_spaces() -> None:
    segmenter = segmenter_for(ENGLISH_LINES)
    assert segmenter is not None
    assert segmenter.name == WHITE_SPACE
    text = "Doctor, my son's (fever) – 38.5 °C!"
    words = [text[start:end] for start, end in word_spans(text, segmenter)]
    assert words == ["Doctor", "my", "son's", "fever", "38.5", "C"]
    assert text_sizes([text], segmenter).words == 6


def test_no_word_reaches_over_the_end_of_a_line() -> None:
    segmenter = segmenter_for(ENGLISH_LINES)
    assert text_sizes(["one", "two", "", "three four"], segmenter).words == 4


def test_continued_words_are_those_with_a_boundary_inside() -> None:
    segmenter = segmenter_for(ENGLISH_LINES)
    letters = Tokenizer([])
    lines = ["a bc, def!"]
    assert line_cuts(lines, letters.encode_each(lines), letters, segmenter).continued_words == 2
    whole = openai_tokenizer("gpt2")
    lines = ["the cat, the dog"]
    assert line_cuts(lines, whole.encode_each(lines), whole, segmenter).continued_words == 0


@pytest.mark.parametrize(
    "texts", [["請喝水，謝謝"], ["ກິນນ້ຳ"], ["123 !?"], []], ids=["chinese", "lao", "digits", "none"]
)
def test_where_no_segmenter_fits_there_are_no_words(texts: list[str]) -> None:
    assert segmenter_for(texts) is None


def test_thai_words_are_absent_without_pythainlp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pythainlp", None)
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", None)
    assert newmm() is None
    assert segmenter_for(THAI_LINES) is None
    assert text_sizes(THAI_LINES, None).words is None
    encoded = OWN.encode_each(THAI_LINES)
    assert line_cuts(THAI_LINES, encoded, OWN).continued_words is None


def test_thai_words_are_those_of_newmm(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def word_tokenize(text: str, *, engine: str) -> list[str]:
        asked.append(engine)
        return ["ดื่ม", "น้ำ", " ", "เยอะ", "ๆ", "!"]

    stand_in = ModuleType("pythainlp.tokenize")
    stand_in.word_tokenize = word_tokenize  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pythainlp", ModuleType("pythainlp"))
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", stand_in)
    segmenter = segmenter_for(["ดื่มน้ำ เยอะๆ!"])
    assert segmenter is not None
    assert segmenter.name == NEWMM
    assert len(word_spans("ดื่มน้ำ เยอะๆ!", segmenter)) == 4
    assert asked == ["newmm"]


def test_words_of_the_real_newmm() -> None:
    pytest.importorskip("pythainlp")
    segmenter = segmenter_for(THAI_LINES)
    assert segmenter is not None
    sizes = text_sizes(THAI_LINES, segmenter)
    assert 8_000 < (sizes.words or 0) < 9_500


def test_the_core_imports_no_segmenter_unasked() -> None:
    import subprocess

    code = "import sys, tokenizer_core.measures.line_counts, tokenizer_core.measures.segmenters;"
    code += " print('pythainlp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ---- figures


@pytest.mark.parametrize(("name", "entries"), [("gpt2", 0), ("cl100k_base", 58), ("o200k_base", 1545)])
def test_thai_entries_of_the_references(name: str, entries: int) -> None:
    assert thai_entries(openai_tokenizer(name)) == entries


def test_thai_entries_leave_out_parts_of_letters() -> None:
    # E0+B8, then +81 for ก; the baht sign ฿ is of no script
    tokenizer = Tokenizer([(0xE0, 0xB8), (256, 0x81), (256, 0xBF)], pattern="none")
    assert thai_entries(tokenizer) == 1


@pytest.mark.parametrize(
    ("written", "price"),
    [
        ("2.50", 2.5),
        (" 2.5 ", 2.5),
        ("$0.15", 0.15),
        ("฿90", 90.0),
        ("1,250", 1250.0),
        ("1,250,000.5", 1250000.5),
        ("2,5", 2.5),
        ("0", 0.0),
        (".5", 0.5),
        ("", None),
        ("  ", None),
    ],
)
def test_prices_are_read_as_people_write_them(written: str, price: float | None) -> None:
    assert parse_price(written) == price


@pytest.mark.parametrize(
    "written",
    ["two", "-1", "1.2.3", "1e9", "nan", "inf", "1 000", "๒.๕.๑", "๒ บาท ๓", "1,2,3", "9" * 40, "<b>", "0x10"],
)
def test_a_price_that_is_no_number_is_refused(written: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        parse_price(written)
    assert caught.value.code == "price_no_number"


def test_context_and_cost() -> None:
    assert context_left(100, 124) == -24
    assert cost(500_000, 2.5) == 1.25


def test_the_same_lines_have_the_same_digest_and_others_another() -> None:
    def digest(*texts: str) -> str:
        return parallel_texts(["a", "b"], texts).digest

    assert digest("x\ny", "z\nw") == digest("x\ny", "z\nw")
    assert len({digest("x\ny", "z\nw"), digest("x\ny\n", "z\nw"), digest("xy\n.", "z\nw"), digest("x", "z")}) == 4


def test_pairs_are_counted_of_all_languages() -> None:
    parallel: Parallel = parallel_texts(["a", "b", "c"], ["x\ny", "z\nw", "v\nu"])
    assert parallel.pairs == 2
    assert np.array(parallel.lines).shape == (3, 2)
