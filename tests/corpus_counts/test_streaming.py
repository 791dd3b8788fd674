"""Files of any kind are counted in chunks exactly as in one pass, in bounded memory."""

import gzip
import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.files import BOTH, CSV, JSONL, PARQUET, ROWS, THAI, comma_separated
from tests.helpers.hostile import HOSTILE_PIECES, hostile_texts
from tests.helpers.paths import REPOSITORY
from tokenizer_core import SPLIT_PATTERNS, pretokenize
from tokenizer_core.corpus_counts import streaming
from tokenizer_core.corpus_counts.counts import Boundaries, Counts
from tokenizer_core.corpus_counts.streaming import Chunk, CountingRules, count_chunks, count_files
from tokenizer_core.errors import CorpusError, PatternError, TokenizerError
from tokenizer_core.patterns import safe_places, split_patterns
from tokenizer_core.patterns.cutter import Tally
from tokenizer_core.patterns.safe_places import chunks_of, safe_place
from tokenizer_core.readers import csv_table, files, tables
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.files import Reading, Unreadable, blocks_of, read_corpus_file

PIECES = [*HOSTILE_PIECES, " ", " ", "\n", "a\n", "'s", "/", "!\n", "ก", "1", "\u3000", "\xa0", "\r\n", "A", "ſ"]
NAMED = sorted({*SPLIT_PATTERNS} - {"none"})
OWN = [r"\w+|\s+|[^\w\s]+", *(f"(?:{SPLIT_PATTERNS[name]})" for name in ("gpt2", "o200k"))]
"""Patterns of one's own for which the places are proved."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streamed")


# ---- where a text is cut


@pytest.mark.parametrize("pattern", [*NAMED, *OWN])
def test_no_pretoken_spans_a_safe_place(pattern: str) -> None:
    seeded = random.Random(pattern)
    cut = 0
    for _ in range(1_500):
        text = "".join(seeded.choices(PIECES, k=10))
        place = safe_place(text.encode(), pattern)
        first, second = (part.decode() for part in (text.encode()[:place], text.encode()[place:]))
        cut += place > 0
        assert pretokenize(first, pattern) + pretokenize(second, pattern) == pretokenize(text, pattern)
    assert cut > 500


@given(st.sampled_from([*NAMED, *OWN]), st.lists(hostile_texts, max_size=3), st.integers(1, 30))
def test_chunks_are_the_text(pattern: str, texts: list[str], size: int) -> None:
    text = " x ".join(texts)
    blocks = [text.encode()[start : start + 7] for start in range(0, len(text.encode()), 7)]
    chunks = [*chunks_of(blocks, pattern, size=size)]
    assert b"".join(chunks) == text.encode()
    assert [piece for chunk in chunks for piece in pretokenize(chunk.decode(), pattern)] == pretokenize(
        text, pattern
    )


def test_a_row_that_spans_many_blocks_is_read_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    class Lines(csv_table._Lines):
        def __init__(self, text: str) -> None:
            looked_at.append(len(text))
            super().__init__(text)

    monkeypatch.setattr(csv_table, "_Lines", Lines)
    blocks = ['id,text\n1,"a cat"\n2,"a dog"\n3,"a', *[" cat sat" * 10] * 300, '"\n']
    rows = [list(cells or ()) for _, cells in csv_table.open_csv(blocks).rows([1])]
    assert rows == [["a cat"], ["a dog"], ["a" + " cat sat" * 3_000]]
    assert sum(looked_at) < 6 * len(rows[2][0])


@pytest.mark.parametrize(
    ("pattern", "boundaries", "code"),
    [
        ("gpt2", "file", "no_safe_place"),
        ("none", "file", "text_whole_large"),
        ("[a-z]+", "file", "text_whole_large"),
        ("gpt2", "line", "line_long"),
    ],
)
def test_one_endless_line_is_refused_with_a_sentence(
    pattern: str, boundaries: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe_places, "MAX_CHUNK_BYTES", 2**20)
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 2**16
            yield "ก".encode() * 2**16

    with pytest.raises(CorpusError) as caught:
        list(chunks_of(endless(), pattern, boundaries, size=2**18))
    assert caught.value.code == code
    assert read < 2**22


# ---- the same counts


@settings(max_examples=20)
@given(
    texts=st.lists(hostile_texts.filter(bool), min_size=1, max_size=3),
    pattern=st.sampled_from([*SPLIT_PATTERNS, "[a-z]+", r"(?<!a)\w+|\s"]),
    boundaries=st.sampled_from(["file", "line"]),
    size=st.integers(1, 60),
    threads=st.integers(1, 3),
)
def test_chunks_give_the_counts_of_one_pass(
    texts: list[str], pattern: str, boundaries: str, size: int, threads: int
) -> None:
    rules = CountingRules(pattern, boundaries, threads=threads, chunk_bytes=size)  # type: ignore[arg-type]
    chunks = []
    for text in texts:
        blocks = [text.encode()[start : start + 9] for start in range(0, len(text.encode()), 9)]
        parts = chunks_of(blocks, pattern, boundaries, size=size)
        chunks += [Chunk(part, number == 0) for number, part in enumerate(parts)]
    found = count_chunks(chunks, rules)
    units = texts
    if boundaries == "line":
        units = [line for text in texts for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n")]
    whole = Counts.of(units, pattern, boundaries=boundaries, texts_read=len(units))  # type: ignore[arg-type]
    assert found.sha256 == whole.sha256
    assert found.recipe == whole.recipe


def test_no_thread_is_left_when_counting_ends_or_fails() -> None:
    def failing() -> Iterator[Chunk]:
        yield from many(5_000)
        raise CorpusError("no_rows")

    before, rules = set(threading.enumerate()), CountingRules("gpt2", threads=3)
    assert count_chunks(many(5_000), rules).sha256 == count_chunks(many(5_000), CountingRules("gpt2")).sha256
    assert set(threading.enumerate()) <= before
    with pytest.raises(CorpusError):
        count_chunks(failing(), rules)
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("size", [1, 6, 2**20])
@pytest.mark.parametrize("pattern", ["gpt2", "[a-z]+", r"(?<!a)\w+|\s"], ids=["named", "own", "not compiled"])
@pytest.mark.parametrize(
    ("text", "lines"),
    [("a cat\r\n\na dog\n", ["a cat", "", "a dog"]), ("a cat\n a dog", ["a cat", " a dog"]), ("\n", [""])],
    ids=["line ends", "no end", "only an end"],
)
def test_each_line_is_a_text_if_lines_are_asked_for(
    folder: Path, size: int, pattern: str, text: str, lines: list[str]
) -> None:
    (folder / "lines.txt").write_text(text, encoding="utf-8", newline="")
    names = [str(folder / "lines.txt")] * 2
    by_line = count_files(names, CountingRules(pattern, "line", chunk_bytes=size))
    assert by_line.recipe.texts == 2 * len(lines)
    assert by_line.sha256 == Counts.of(lines * 2, pattern).sha256
    assert count_files(names, CountingRules(pattern, chunk_bytes=size)).recipe.texts == 2


@pytest.mark.parametrize("pattern", ["o200k", "[a-z]+"])
def test_files_of_every_kind_are_read_as_the_app_reads_them(folder: Path, pattern: str) -> None:
    contents = {
        "a.txt": "น้ำ one\r\ntwo\n".encode("utf-8-sig"),
        "b.csv": CSV.encode(),
        "c.jsonl": JSONL.encode(),
        "d.parquet": PARQUET,
        "e.txt.gz": gzip.compress(b"gz") + gzip.compress(b" two"),
        "f.txt": f"{THAI}\n".encode("cp874"),
        "g.txt": THAI.encode("utf-16"),
        "h.json": b'{\n"a": "no lines"}',
        "i.json": JSONL.encode(),
        "j.tsv.gz": gzip.compress(CSV.replace(",", "\t").encode()),
    }
    expected = []
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        plain = gzip.decompress(content) if name.endswith(".gz") else content
        expected.append(read_corpus_file(PackedFile(name.removesuffix(".gz"), plain)).text)
    found = count_files([str(folder / name) for name in contents], CountingRules(pattern, chunk_bytes=99))
    assert found.sha256 == Counts.of(expected, pattern).sha256
    assert found.recipe.texts == len(contents)


@pytest.mark.parametrize("size", [64, 1000])
def test_tables_that_come_in_pieces_are_read_as_whole_ones(
    folder: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = random.Random(size)
    rows = [[str(n), "".join(seeded.choices(['a "b"', "ก\nข", ", ", "\r\n", "x y"], k=9))] for n in range(9_000)]
    table = comma_separated([["id", "text"], *rows])
    broken = table[:300_000] + '"' + table[300_000:] + "1,2,3\n"
    lines = "".join(json.dumps({"t": text, "n": n}) + "\n{broken\n" for n, text in rows)
    monkeypatch.setattr(files, "BLOCK_BYTES", 70_000)
    for name, content in {"a.csv": table, "b.csv": broken, "c.jsonl": lines}.items():
        (folder / name).write_bytes(content.encode())
        found = b"".join(blocks_of(str(folder / name))).decode()
        assert found == read_corpus_file(PackedFile(name, content.encode())).text


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "cp874", "utf-32", "utf-32-be", "utf-32-le"],
)
def test_encodings_are_decoded_block_by_block(
    folder: Path, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "ภาษาไทย and English\r\n" * 300 + ("" if encoding == "cp874" else "🙂ก" * 400)
    monkeypatch.setattr(files, "BLOCK_BYTES", 1_001)
    (folder / "a.txt").write_bytes(text.encode(encoding))
    assert b"".join(blocks_of(str(folder / "a.txt"))).decode() == text


# ---- how files are known, measured and told of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("a.csv", "csv"), ("A.CSV", "csv"), ("a.tsv", "tsv"), ("a.tab", "tsv"), ("a.jsonl", "jsonl")),
        *(
            ("a.ndjson", "jsonl"),
            ("a.json", "jsonl"),
            ("a.parquet", "parquet"),
            ("a.csv.txt", None),
            ("csv", None),
        ),
    ],
)
def test_the_ending_of_a_name_tells_the_kind_of_a_table(name: str, kind: str | None) -> None:
    assert files.table_kind(name) == kind


def test_parquet_is_known_by_its_bytes_where_its_name_says_nothing(folder: Path) -> None:
    for name, content, expected in (
        ("whole", PARQUET, True),
        ("begun", PARQUET[:-4] + b"    ", False),
        ("ended", b"    " + PARQUET[4:], False),
        ("short", b"PAR1PAR1", False),
        ("least", b"PAR1    PAR1", True),
        ("empty", b"", False),
    ):
        (folder / name).write_bytes(content)
        assert files.is_parquet(str(folder / name)) == expected, name
    assert b"".join(blocks_of(str(folder / "whole"))).decode() == BOTH


def test_plain_text_in_utf8_is_neither_packed_nor_a_table_nor_in_another_encoding(folder: Path) -> None:
    text = f"{THAI}\n" * 3
    for name, content, expected in (
        ("a.txt", text.encode(), True),
        ("marked.txt", text.encode("utf-8-sig"), True),
        ("old.txt", text.encode("cp874"), False),
        ("wide.txt", text.encode("utf-16"), False),
        ("packed", gzip.compress(text.encode()), False),
        ("table.csv", text.encode(), False),
        ("table.csv.gz", text.encode(), False),
        ("rows", PARQUET, False),
    ):
        (folder / name).write_bytes(content)
        assert files.is_plain_utf8(str(folder / name)) == expected, name
    assert not files.is_plain_utf8(str(folder / "a.txt"), Reading(encoding="latin-1"))


def test_the_size_of_files_is_known_if_that_of_each_is(folder: Path) -> None:
    for name, size in (("one", 3), ("two", 5)):
        (folder / name).write_bytes(b"x" * size)
    names = [str(folder / name) for name in ("one", "two")]
    assert files.size_of(names) == 8
    assert files.size_of([]) == 0
    for unknown in (str(folder), str(folder / "gone"), "-", "memory://gone.txt"):
        assert files.size_of([*names, unknown]) is None


def test_every_byte_that_is_read_from_the_disk_is_told(folder: Path) -> None:
    packed = gzip.compress(CSV.encode())
    contents = {"a.txt": BOTH.encode(), "a.csv": CSV.encode(), "a.csv.gz": packed, "a.parquet": PARQUET}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        told: list[int] = []
        assert b"".join(blocks_of(str(folder / name), listener=told.append)).decode() == BOTH
        assert sum(told) == len(content)


def test_what_was_guessed_of_a_file_is_told_and_what_was_chosen_is_not(folder: Path) -> None:
    (folder / "a.csv").write_bytes(CSV.encode("cp874"))
    (folder / "b.txt").write_bytes(BOTH.encode())
    (folder / "c.jsonl").write_text('{"n": 1, "text": "a cat"}\n', encoding="utf-8")

    def guesses(name: str, reading: Reading = files.DETECT) -> list[files.Guess]:
        told: list[files.Guess] = []
        list(blocks_of(str(folder / name), reading, guessed=told.append))
        return told

    columns = files.ColumnGuess(("th", "en"), ("th", "en"))
    assert guesses("a.csv") == [files.EncodingGuess("cp874"), columns]
    assert guesses("a.csv", Reading(encoding="cp874")) == [columns]
    assert guesses("a.csv", Reading(columns=["en"])) == [files.EncodingGuess("cp874")]
    assert guesses("b.txt") == guesses("c.jsonl") == []


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV.encode()), ("a.parquet", PARQUET)])
def test_a_file_may_have_more_rows_than_an_upload(
    folder: Path, name: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_ROWS", 5)
    (folder / name).write_bytes(content)
    assert b"".join(blocks_of(str(folder / name))).decode() == BOTH


def test_whether_the_first_line_is_read_can_be_chosen_for_a_file_too(folder: Path) -> None:
    (folder / "a.csv").write_text("one,two\na cat,a dog\n", encoding="utf-8")
    read = [b"".join(blocks_of(str(folder / "a.csv"), Reading(header=header))) for header in (True, False)]
    assert read == [b"a cat\na dog\n", b"one\ntwo\na cat\na dog\n"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt"])
def test_the_text_of_a_file_comes_before_the_file_is_read_to_its_end(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = '{"text": "a cat sat on the mat"}\n' if name == "a.jsonl" else "a cat sat on the mat\n"
    monkeypatch.setattr(files, "BLOCK_BYTES", 1_000)
    monkeypatch.setattr(tables, "_BLOCK", 1_000)
    (folder / name).write_text(line * 1_000, encoding="utf-8")
    told: list[int] = []
    texts = blocks_of(str(folder / name), Reading(header=False), listener=told.append)
    first = next(texts)
    assert sum(told) <= 5_000
    assert first + b"".join(texts) == b"a cat sat on the mat\n" * 1_000
    assert sum(told) == len(line) * 1_000


def test_why_a_file_cannot_be_read_is_told_with_its_name(folder: Path) -> None:
    good, broken, gone = (str(folder / name) for name in ("good.txt", "broken.csv", "gone.txt"))
    Path(good).write_text("a cat", encoding="utf-8")
    Path(broken).write_bytes(b"\n\n")
    no_rows = Unreadable(broken, str(CorpusError("no_rows", file=broken)))
    why = CorpusError("file_unreadable", file=gone, why="No such file or directory")
    assert [files.why_unreadable(name) for name in (good, broken, gone, "-")] == [
        *(None, no_rows, Unreadable(gone, str(why)), None)
    ]
    skipped: list[Unreadable] = []
    names = [broken, good, gone]
    assert count_files(names, CountingRules("gpt2"), skipped=skipped).recipe.texts == 1
    assert skipped == [no_rows, Unreadable(gone, str(why))]


@pytest.mark.parametrize("min_count", [1, 2])
def test_files_that_may_be_skipped_give_the_same_counts_if_none_is(folder: Path, min_count: int) -> None:
    names = [str(folder / f"{number}.txt") for number in range(3)]
    for name, text in zip(names, ("a cat a cat", "a dog\n", "the cat")):
        Path(name).write_text(text, encoding="utf-8")
    rules, skipped = CountingRules("gpt2", min_count=min_count), list[Unreadable]()
    found, expected = count_files(names, rules, skipped=skipped), count_files(names, rules)
    assert (found.sha256, found.recipe, skipped) == (expected.sha256, expected.recipe, [])
    gone = [str(folder / "gone.txt")]
    with pytest.raises(CorpusError) as caught:
        count_files(gone * 2, rules, skipped=skipped)
    assert (caught.value.code, caught.value.values) == ("no_file_readable", {"why": skipped[0].why})
    assert [file.name for file in skipped] == gone * 2


def test_an_error_that_is_not_of_the_file_is_never_skipped(folder: Path) -> None:
    skipped: list[Unreadable] = []
    with pytest.raises(TokenizerError) as caught, files.readable("a.txt", skipped):
        raise PatternError("pattern_memory")
    assert (caught.value.code, caught.value.values, skipped) == ("pattern_memory", {"file": "a.txt"}, [])
    with pytest.raises(CorpusError) as other, files.readable("a.txt", None):
        raise OSError("two\nlines")
    assert (other.value.code, other.value.values) == ("file_unreadable", {"file": "a.txt", "why": "two lines"})


# ---- what is refused


def test_a_broken_byte_far_in_is_named_with_its_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 1_000)
    content = "กข\n".encode() * 1_000
    (folder / "a.txt").write_bytes(content[:5_000] + b"\xff" + content[5_000:])
    with pytest.raises(CorpusError) as caught:
        count_files([str(folder / "a.txt")], CountingRules())
    assert caught.value.code == "broken_utf8"
    assert caught.value.values["line"] == 715
    assert "a.txt" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.txt", b"", "empty_file"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(99), "binary_file"),
        ("a.gz", gzip.compress(b"text " * 999, mtime=0)[:-20], "damaged_file"),
        ("a.gz", b"\x1f\x8b\x08" + b"x" * 99, "damaged_file"),
        ("a.parquet", PARQUET[:-20] + PARQUET[-8:], "damaged_file"),
        ("a.parquet", b"text", "damaged_file"),
        ("a.csv", b"\n\n\n", "no_rows"),
        ("a.jsonl", b"{\n" * 9, "no_rows"),
    ],
)
def test_files_that_cannot_be_read(folder: Path, name: str, content: bytes, code: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        count_files([str(folder / name)], CountingRules())
    assert caught.value.code == code
    assert name in str(caught.value)


def test_a_column_that_is_never_found_is_refused(folder: Path) -> None:
    for name, content in {"a.csv": CSV.encode(), "a.jsonl": JSONL.encode(), "a.parquet": PARQUET}.items():
        (folder / name).write_bytes(content)
        with pytest.raises(CorpusError) as caught:
            count_files([str(folder / name)], CountingRules(), Reading(columns=["fr"]))
        assert caught.value.code == "unknown_column"
        chosen = b"".join(blocks_of(str(folder / name), Reading(columns=["en"])))
        assert chosen.decode() == "".join(f"{row['en']}\n" for row in ROWS)


@pytest.mark.parametrize(
    ("boundaries", "place"), [("file", ""), ("line", ", from byte 1,007")], ids=["file", "line"]
)
def test_where_a_pattern_is_slow_in_a_file_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, boundaries: Boundaries, place: str
) -> None:
    monkeypatch.setattr(split_patterns, "time_budget", lambda characters, pattern: 0.02)
    name = str(folder / "slow.txt")
    Path(name).write_text("ab ab\r\n" + "b" * 999 + "\n" + "a" * 60 + "\n", encoding="utf-8", newline="")
    with pytest.raises(PatternError) as caught:
        count_files([name], CountingRules("(a|a)+b", boundaries))
    assert (caught.value.code, caught.value.values["file"]) == ("pattern_slow", name + place)
    with pytest.raises(PatternError) as unnamed:
        count_chunks([Chunk(Path(name).read_bytes())], CountingRules("(a|a)+b", boundaries))
    assert "file" not in unnamed.value.values


# ---- memory


def many(distinct: int) -> Iterator[Chunk]:
    """Chunks of words that are all different, and some that are frequent."""
    for start in range(0, distinct, 1_000):
        words = " ".join(f"the cat {n}" for n in range(start, start + 1_000))
        yield Chunk(words.encode(), starts_text=start == 0)


def test_too_many_distinct_pretokens_end_with_a_sentence() -> None:
    rules = CountingRules("gpt2", memory_bytes=2**20)
    with pytest.raises(TokenizerError) as caught:
        count_chunks(many(40_000), rules)
    assert caught.value.code == "counts_memory"
    assert caught.value.values["megabytes"] == 1
    assert caught.value.values["distinct"] % 1_000 < 10  # the words of whole chunks, and three that are in each


def test_a_file_has_half_of_the_memory_if_files_may_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a cat and a dog", encoding="utf-8")
    names, tally = [str(tmp_path / "a.txt")], Tally()
    tally.add_counts(*count_files(names, CountingRules("gpt2")).pretokens)
    enough = 2 * streaming._GROWTH * tally.held_bytes
    skipped: list[Unreadable] = []
    assert count_files(names, CountingRules("gpt2", memory_bytes=enough), skipped=skipped).recipe.texts == 1
    with pytest.raises(CorpusError):
        count_files(names, CountingRules("gpt2", memory_bytes=enough - 2), skipped=skipped)


def test_rare_pretokens_are_dropped_where_memory_ends_and_the_bound_holds() -> None:
    short = count_chunks(many(40_000), CountingRules("gpt2", memory_bytes=2**20, min_count=2))
    whole = count_chunks(many(40_000), CountingRules("gpt2"))
    found = dict(zip(short.pretokens.strings(), short.pretokens.counts.tolist()))
    assert short.recipe.short_by > 1  # so it was dropped more than once
    assert found[" the"] == 40_000 - 40  # the first of each chunk has no space before it
    pairs = list(zip(whole.pretokens.strings(), whole.pretokens.counts.tolist()))
    assert all(0 <= count - found.get(word, 0) <= short.recipe.short_by for word, count in pairs)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_memory_does_not_grow_with_the_text() -> None:
    code = """
import resource, sys
from tokenizer_core.corpus_counts.streaming import *
rules = CountingRules("cl100k", threads=2, chunk_bytes=2**18)
line = " ".join(f"word{n}" for n in range(5_000)).encode()
warm = count_chunks(iter([Chunk(line)]), rules)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 40 * 2**20,) * 2)
blocks = (b" " + line for _ in range(1_200))
counts = count_chunks((Chunk(text) for text in chunks_of(blocks, "cl100k", size=2**18)), rules)
print(counts.recipe.bytes_read, counts.pretokens.ends.size)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    read, distinct = map(int, done.stdout.split())
    assert read > 50 * 2**20
    assert distinct < 10_000
