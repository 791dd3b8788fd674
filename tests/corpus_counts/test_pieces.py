"""Workers that read pieces of files read exactly the files, and count what one process counts."""

import dataclasses
import gzip
import os
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask.local import get_sync
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.files import CSV, PARQUET
from tests.helpers.hostile import HOSTILE_PIECES
from tokenizer_core import Trainer
from tokenizer_core.corpus_counts import file_parts
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.corpus_counts.dask_connection import versions
from tokenizer_core.corpus_counts.dask_counting import (
    PartCounts,
    Sum,
    _together,
    count_pieces,
    graph_of,
    order_of,
)
from tokenizer_core.corpus_counts.file_parts import Piece, blocks_in, pieces_of, plan
from tokenizer_core.corpus_counts.streaming import CountingRules, count_files
from tokenizer_core.errors import ClusterError, CorpusError, PatternError
from tokenizer_core.patterns import safe_places
from tokenizer_core.readers import tables
from tokenizer_core.readers.files import DETECT, ColumnGuess, Guess, Reading, Unreadable, blocks_of
from tokenizer_core.readers.storage import bytes_of, everywhere, expanded, opened

SIGNS = [*HOSTILE_PIECES, *" \n\r\t/'", "a\n", "1 ", "ก ", "!\n", "\r\n", "\u3000 ", "ที่นี่", "cat"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pieces")


def hostile(seed: int, signs: int = 400) -> str:
    return "a" + "".join(random.Random(seed).choices(SIGNS, k=signs))


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(1, 300),
    st.sampled_from(["gpt2", "o200k", "none"]),
    st.sampled_from(["file", "line"]),
)
def test_pieces_of_a_file_are_the_file(folder: Path, seed: int, size: int, pattern: str, boundaries: str) -> None:
    path = folder / "a.txt"
    path.write_text(hostile(seed), encoding="utf-8", newline="")
    rules = CountingRules(pattern, boundaries)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_parts, "_WINDOW", 7)
        patch.setattr(file_parts, "BLOCK_BYTES", 11)
        found = pieces_of(str(path), 3, rules, DETECT, piece_bytes=size)
        texts = [b"".join(blocks_in(piece, rules, DETECT)) for piece in found]
    assert b"".join(texts) == path.read_bytes()
    assert [piece.number for piece in found] == [*range(3, 3 + len(found))]
    assert sum(piece.size for piece in found) == path.stat().st_size
    assert (len(found) > 1) == (size < path.stat().st_size and (pattern, boundaries) != ("none", "file"))


def test_a_mark_at_the_beginning_of_a_file_is_no_text_and_one_within_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "marked.txt"
    path.write_text("\ufeff\ufeff one two \ufeff three " * 30, encoding="utf-8")
    rules = CountingRules("gpt2")
    monkeypatch.setattr(file_parts, "BLOCK_BYTES", 40)
    for size in (40, 300, 5_000):
        found = pieces_of(str(path), 0, rules, DETECT, piece_bytes=size)
        pieces = b"".join(block for piece in found for block in blocks_in(piece, rules, DETECT))
        assert pieces == path.read_bytes().removeprefix("\ufeff".encode())


def test_workers_get_rules_by_which_nothing_is_dropped_and_a_topic_of_their_own() -> None:
    given = CountingRules("gpt2", "line", min_count=3, memory_bytes=5, threads=4, chunk_bytes=7)
    order, other = (order_of(given, Reading(["en"]), 2) for _ in range(2))
    assert order.rules == CountingRules("gpt2", "line", chunk_bytes=7)
    assert (order.reading, order.shares, order.skip_unreadable) == (Reading(["en"]), 2, False)
    assert order.versions == versions()
    assert order.topic != other.topic


def test_a_worker_with_other_versions_counts_nothing_and_names_itself(folder: Path) -> None:
    (folder / "a.txt").write_text("a cat")
    pieces = pieces_of(str(folder / "a.txt"), 0, CountingRules(), DETECT, piece_bytes=100)
    order = dataclasses.replace(order_of(CountingRules(), DETECT, 1), versions=versions() | {"regex": "1"})
    with pytest.raises(ClusterError) as caught:
        count_pieces(order, pieces)
    assert (caught.value.code, caught.value.values) == (
        "worker_version",
        {"worker": f"process {os.getpid()}", "name": "regex", "expected": "1", "found": versions()["regex"]},
    )


def added_up(
    names: list[str], rules: CountingRules, shares: int, piece_bytes: int, *, skip: bool = False
) -> list[Sum]:
    """Run the cluster's tasks in this process."""
    units, _ = plan(names, rules, DETECT, 2, piece_bytes, skip_unreadable=skip)
    graph, keys = graph_of(order_of(rules, DETECT, shares, skip_unreadable=skip), units, rules.min_count)
    return list(get_sync(graph, keys))


@settings(max_examples=8)
@given(
    st.integers(0, 10**6),
    st.integers(60, 2_000),
    st.integers(1, 5),
    st.sampled_from(["gpt2", "mark_aware", "o200k", "[a-z]+"]),
    st.sampled_from(["file", "line"]),
    st.integers(1, 3),
)
def test_tasks_of_a_cluster_count_what_one_process_counts(
    folder: Path, seed: int, size: int, shares: int, pattern: str, boundaries: str, min_count: int
) -> None:
    names = [str(folder / f"{n}.txt") for n in range(4)]
    for number, name in enumerate(names):
        Path(name).write_text(hostile(seed + number, 300 * number + 1), encoding="utf-8", newline="")
    names[1] = str(folder / "1.txt.gz")
    Path(names[1]).write_bytes(gzip.compress(hostile(seed, 300).encode()))
    rules = CountingRules(pattern, boundaries, min_count)  # type: ignore[arg-type]
    here = count_files(names, rules)
    sums = added_up(names, rules, shares, size)
    there = PartCounts.of_shares(*(each.counts for each in sums if each.counts)).in_order()
    assert there.recipe == here.recipe
    assert there.sha256 == here.sha256


def test_how_files_were_read_comes_once_and_in_their_order(folder: Path) -> None:
    content = {"a.csv": CSV.encode(), "b.txt": "น้ำใจคนไทย ดื่มน้ำ\n".encode("cp874") * 20, "c.parquet": PARQUET}
    names = [str(folder / name) for name in content]
    for name, each in zip(names, content.values()):
        Path(name).write_bytes(each)
    here: list[tuple[str, Guess]] = []
    count_files(names, CountingRules(), guessed=lambda name, guess: here.append((name, guess)))
    sums = added_up(names[::-1], CountingRules(), 3, 5)
    assert [each.guesses for each in sums[1:]] == [(), ()]
    found = _together(sums, ()).guesses
    assert [(name, guess) for _, name, guess in found] == here[::-1]


@pytest.mark.parametrize("shares", [1, 2, 7, 32])
def test_shares_are_about_as_large(shares: int) -> None:
    words = [f"{word}{n}" for n in range(3_000) for word in ("cat", "ที่")]
    part = PartCounts.of(Counts.of(words, "none"), 0)
    sizes = [share.firsts.size for share in part.shared_out(shares)]
    assert sum(sizes) == part.firsts.size
    assert max(sizes) < 1.5 * part.firsts.size / shares
    assert PartCounts.of_shares(*part.shared_out(shares)).in_order().sha256 == part.counts.sha256
    nothing = PartCounts.of(Counts.of("", "gpt2"), 0)
    assert [share.firsts.size for share in nothing.shared_out(shares)] == [0] * shares
    assert PartCounts.of_shares(*nothing.shared_out(shares)).counts.recipe == nothing.counts.recipe


def test_a_long_word_belongs_to_who_has_its_beginning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "long.txt"
    path.write_text("one " + "ก" * 1_000 + " two " * 20, encoding="utf-8")
    found = pieces_of(str(path), 0, CountingRules("gpt2"), DETECT, piece_bytes=100)
    sizes = [len(b"".join(blocks_in(piece, CountingRules("gpt2"), DETECT))) for piece in found]
    assert sizes[0] > 3_000
    assert sizes[1:29] == [0] * 28
    assert sum(sizes) == path.stat().st_size
    monkeypatch.setattr(safe_places, "MAX_CHUNK_BYTES", 1_000)
    monkeypatch.setattr(file_parts, "MAX_CHUNK_BYTES", 1_000)
    monkeypatch.setattr(file_parts, "BLOCK_BYTES", 200)
    rules = CountingRules("gpt2", chunk_bytes=100)
    with pytest.raises(CorpusError, match=r"long\.txt") as caught:
        added_up([str(path)], rules, 1, 100)
    assert caught.value.code == "no_safe_place"


def test_a_file_that_breaks_in_its_middle_is_skipped_as_a_whole(folder: Path) -> None:
    broken, good, gone = (str(folder / name) for name in ("broken.txt", "good.txt", "gone.txt"))
    Path(broken).write_bytes(b"one two three\n" * 100_000 + b"\xff\n" + b"four\n" * 100)
    Path(good).write_bytes(b"five six\n" * 50)
    names = [broken, gone, good]
    sums = added_up(names, CountingRules(), 2, 100_000, skip=True)
    there = PartCounts.of_shares(*(each.counts for each in sums if each.counts)).in_order()
    assert there.sha256 == count_files([good], CountingRules()).sha256
    assert there.recipe == count_files([good], CountingRules()).recipe
    where = Unreadable(broken, str(CorpusError("broken_utf8_byte", offset=1_400_000, file=broken)))
    assert {each.unreadable for each in sums} == {(where,)}
    _, missing = plan(names, CountingRules(), DETECT, 2, skip_unreadable=True)
    not_there = CorpusError("file_unreadable", file=gone, why="No such file or directory")
    assert missing == [Unreadable(gone, str(not_there))]
    for name, code in ((broken, "broken_utf8_byte"), (gone, "file_unreadable")):
        with pytest.raises(CorpusError, match=Path(name).name) as caught:
            added_up([name], CountingRules(), 2, 100_000)
        assert caught.value.code == code
    for names, code in (([gone], "no_file_readable"), (["-"], "cluster_stdin")):
        with pytest.raises(CorpusError) as caught:
            plan(names, CountingRules(), DETECT, 2, skip_unreadable=True)
        assert caught.value.code == code
        assert caught.value.values == ({"why": str(not_there)} if code == "no_file_readable" else {})


@pytest.mark.usefixtures("impatient")
def test_a_slow_pattern_is_named_with_the_file(folder: Path) -> None:
    path = folder / "slow.txt"
    path.write_text("a" * 60)
    with pytest.raises(PatternError, match=r"slow\.txt: ") as caught:
        added_up([str(path)], CountingRules("(a|a)+b"), 1, 100)
    assert caught.value.code == "pattern_slow"


def test_a_character_cut_off_at_the_end_is_broken(folder: Path) -> None:
    path = folder / "cut.txt"
    path.write_bytes(b"one two " * 200_000 + "ก".encode()[:2])
    pieces_found = pieces_of(str(path), 0, CountingRules(), DETECT, piece_bytes=2**20)
    with pytest.raises(CorpusError) as caught:
        list(blocks_in(pieces_found[-1], CountingRules(), DETECT))
    assert (caught.value.code, caught.value.values) == ("broken_utf8_byte", {"offset": 1_600_000})


def test_small_files_share_a_task_and_large_ones_have_several(folder: Path) -> None:
    sizes = {"e1": 0, "s1": 10, "s2": 20, "s3": 80, "large": 350, "e2": 0, "s4": 30}
    for name, size in sizes.items():
        (folder / name).write_text("ab " * (size // 3) + "c" * (size % 3))
    units, _ = plan([str(folder / name) for name in sizes], CountingRules(), DETECT, 2, 100)
    found = [[[Path(piece.name).name for piece in task] for task in unit] for unit in units]
    assert found == [[["e1", "s1", "s2"]], [["s3"]], [["large"]] * 4, [["e2", "s4"]]]
    assert [piece.number for unit in units for task in unit for piece in task] == [*range(10)]


def test_a_corpus_is_cut_into_as_many_pieces_as_give_each_worker_its_turns(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "text").write_text("ab " * 3_200)
    for least, pieces in ((1, 2 * 16), (960, 10)):
        monkeypatch.setattr(file_parts, "LEAST_PIECE", least)
        (unit,), _ = plan([str(folder / "text")], CountingRules(), DETECT, 2)
        assert len(unit) == pieces
    (unit,), _ = plan([str(folder / "text")], CountingRules(), DETECT, 0)  # all workers are just being replaced
    assert len(unit) == 10


def test_a_file_whose_storage_tells_no_size_stays_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_parts, "bytes_of", lambda name: None)
    (folder / "text").write_text("ab " * 100)
    units, _ = plan([str(folder / "text")], CountingRules(), DETECT, 2)
    (piece,) = [piece for unit in units for task in unit for piece in task]
    assert (piece.size, piece.end) == (0, None)


def test_addresses_are_opened_by_fsspec(folder: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    text = "one two ที่นี่ three\n" * 40_000
    for name in ("b", "a"):
        memory.pipe(f"/corpus/{name}.txt", (name + text).encode())
    memory.pipe("/corpus/a.parquet", PARQUET)
    names = expanded(["memory://corpus/*.txt", str(folder)])
    assert names == ["memory:///corpus/a.txt", "memory:///corpus/b.txt", str(folder)]
    assert bytes_of(names[0]) == len(text.encode()) + 1
    assert everywhere(names[0]) == names[0]
    (folder / "a.txt").write_text("a" + text, newline="")
    (folder / "b.txt").write_text("b" + text, newline="")
    (folder / "a.parquet").write_bytes(PARQUET)
    local = [str(folder / name) for name in ("a.txt", "b.txt", "a.parquet")]
    away = [*names[:2], "memory://corpus/a.parquet"]
    assert count_files(away, CountingRules()).sha256 == count_files(local, CountingRules()).sha256
    sums = added_up(away, CountingRules(), 2, 2**20 + 3)
    shares = [each.counts for each in sums if each.counts]
    assert PartCounts.of_shares(*shares).in_order().sha256 == count_files(local, CountingRules()).sha256


@pytest.mark.parametrize(
    ("address", "code"), [("nothing://a.txt", "storage_unknown"), ("memory://none/*.txt", "no_file_fits")]
)
def test_an_address_that_cannot_be_opened_is_named(address: str, code: str) -> None:
    asked = address + "*" if code == "storage_unknown" else address
    with pytest.raises(CorpusError, match=address.partition(":")[0]) as caught:
        expanded([asked])
    assert caught.value.code == code
    assert asked in {caught.value.values.get("address"), caught.value.values.get("pattern")}
    assert code != "storage_unknown" or "nothing" in caught.value.values["why"]
    with pytest.raises(OSError, match="gone") as missing, opened("memory://gone.txt"):
        pass
    assert missing.value.filename == "memory://gone.txt"
    with pytest.raises(FileNotFoundError) as missing, opened("file:///gone.txt"):
        pass
    assert (missing.value.strerror, missing.value.filename) == ("No such file or directory", "file:///gone.txt")


def test_a_path_means_the_same_file_for_every_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    found = [everywhere(name) for name in ("a.txt", "../a.txt", "-", "memory://a.txt", str(folder / "b"))]
    assert found == [str(folder / "a.txt"), str(folder.parent / "a.txt"), "-", "memory://a.txt", str(folder / "b")]
    assert expanded(["a*.txt", "memory://a.txt"]) == ["a*.txt", "memory://a.txt"]


def test_what_a_storage_does_not_know_or_say_is_no_size_and_an_error_of_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import fsspec

    memory = type(fsspec.filesystem("memory"))
    fsspec.filesystem("memory").pipe("/sized.txt", b"a cat")
    assert bytes_of("memory://sized.txt") == 5
    monkeypatch.setattr(memory, "info", lambda self, path, **more: {"name": path, "size": None})
    assert bytes_of("memory://sized.txt") is None

    def refused(self: object, path: str, **more: object) -> None:
        raise RuntimeError("no token")

    monkeypatch.setattr(memory, "info", refused)
    with pytest.raises(OSError, match="RuntimeError: no token") as caught:
        bytes_of("memory://sized.txt")
    assert (caught.value.errno, caught.value.filename) == (0, "memory://sized.txt")


# ---- row groups of Parquet

CELLS = [None, "", " ", "\n", "\r\n", "  the cat", "cat ", "...", "\n\n dog", "น้ำใจ ไทย", "ก", "a\r", "1 2", "!\n"]
PROSE = "the cat is on the mat"


def written(path: Path, groups: list[list[str | None]]) -> str:
    """Write a Parquet file with these row groups of cells; a column beside it has no text to be read."""
    schema = pa.schema([("text", pa.string()), ("id", pa.string()), ("more", pa.struct([("en", pa.string())]))])
    with pq.ParquetWriter(path, schema) as writer:
        for cells in groups:
            more = [{"en": cell} for cell in cells]
            writer.write_table(pa.table([cells, ["x"] * len(cells), more], schema=schema))
    return str(path)


def hostile_groups(seed: int, groups: int) -> list[list[str | None]]:
    """Row groups of which some are empty, or have nothing in any cell."""
    seeded = random.Random(seed)
    found: list[list[str | None]] = [seeded.choices(CELLS, k=seeded.randrange(7)) for _ in range(groups)]
    found = [[None, None] if seeded.random() < 0.2 else cells for cells in found]
    return [[PROSE], *found]


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.sampled_from([1, 300, 900]),
    st.sampled_from(["gpt2", "o200k", "mark_aware", "[a-z]+"]),
    st.sampled_from(["file", "line"]),
    st.sampled_from([None, ["more.en"], ["text", "more.en"]]),
)
def test_parts_of_a_file_count_what_one_process_counts(
    folder: Path, seed: int, groups: int, size: int, pattern: str, boundaries: str, columns: list[str] | None
) -> None:
    name = written(folder / "a.parquet", hostile_groups(seed, groups))
    rules, reading = CountingRules(pattern, boundaries), Reading(columns)  # type: ignore[arg-type]
    found = pieces_of(name, 0, rules, reading, piece_bytes=size)
    texts = [b"".join(blocks_in(piece, rules, reading)) for piece in found]
    assert b"".join(texts) == b"".join(blocks_of(name, reading))
    assert sum(piece.size for piece in found) == Path(name).stat().st_size
    units, _ = plan([name], rules, reading, 2, size)
    graph, keys = graph_of(order_of(rules, reading, 2), units, 1)
    sums = [each.counts for each in get_sync(graph, keys) if each.counts]
    here, there = count_files([name], rules, reading), PartCounts.of_shares(*sums).in_order()
    assert (there.sha256, there.recipe) == (here.sha256, here.recipe)
    assert Trainer(there.pretokens, 270).step(14) == Trainer(here.pretokens, 270).step(14)


def test_groups_in_which_nothing_can_be_cut_belong_to_who_has_the_text_before_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_BLOCK", 1)
    groups: list[list[str | None]] = [[PROSE], [" "], ["\n", "..."], [" "], [PROSE], ["..."], [PROSE]]
    name = written(folder / "uncut.parquet", groups)
    rules, reading = CountingRules("gpt2"), Reading(["text"])
    found = pieces_of(name, 0, rules, reading, piece_bytes=1)
    texts = [b"".join(blocks_in(piece, rules, reading)).decode() for piece in found]
    assert len(texts) == len(groups)
    assert [bool(text.strip()) for text in texts] == [True, False, False, False, True, False, True]
    assert "".join(texts).encode() == b"".join(blocks_of(name, reading))


def test_a_file_of_many_groups_makes_work_for_many(folder: Path) -> None:
    name = written(folder / "many.parquet", [[f"{PROSE} {n}"] * 9 for n in range(40)])
    size = Path(name).stat().st_size
    for wanted in (2, 5, 40, 400):
        found = pieces_of(name, 7, CountingRules(), DETECT, piece_bytes=size // wanted)
        assert wanted / 2 <= len(found) <= 40 or (wanted == 400 and len(found) == 40)
        assert [piece.number for piece in found] == [*range(7, 7 + len(found))]
        assert max(piece.size for piece in found) < 3 * size / len(found)
    assert pieces_of(name, 0, CountingRules("none"), DETECT, piece_bytes=1) == [Piece(0, name, size)]  # nobody can
    one = written(folder / "one.parquet", [[PROSE] * 900])
    whole = [Piece(3, one, Path(one).stat().st_size)]
    assert pieces_of(one, 3, CountingRules(), DETECT, piece_bytes=1) == whole


def test_the_columns_of_all_parts_are_those_of_the_file(folder: Path) -> None:
    name = written(folder / "b.parquet", [[PROSE, None], [PROSE], ["cat"] * 5])
    there, here = list[Guess](), list[Guess]()
    for piece in pieces_of(name, 0, CountingRules(), DETECT, piece_bytes=1):
        list(blocks_in(piece, CountingRules(), DETECT, there.append))
    list(blocks_of(name, guessed=here.append))
    assert there == here
    assert len(here) == 1
    assert isinstance(here[0], ColumnGuess)
    with pytest.raises(CorpusError) as caught:
        pieces_of(name, 0, CountingRules(), Reading(["fr"]), piece_bytes=1)
    assert (caught.value.code, caught.value.values["column"]) == ("unknown_column", "fr")


def test_a_group_that_is_damaged_leaves_out_the_whole_file(folder: Path) -> None:
    name = written(folder / "c.parquet", [[f"{PROSE} {n}" * 50 for n in range(50)]] * 4)
    content = bytearray(Path(name).read_bytes())
    third = pq.ParquetFile(name).metadata.row_group(2).column(0).dictionary_page_offset
    content[third : third + 200] = b"\xff" * 200
    Path(name).write_bytes(content)
    for skip in (False, True):
        units, _ = plan([name], CountingRules(), DETECT, 2, 500)
        graph, keys = graph_of(order_of(CountingRules(), DETECT, 1, skip_unreadable=skip), units, 1)
        assert len(units[0]) > 1
        if skip:
            assert [each.counts for each in get_sync(graph, keys)] == [None]
            why = str(CorpusError("damaged_file", kind="Parquet", file=name))
            assert get_sync(graph, keys)[0].unreadable == (Unreadable(name, why),)
        else:
            with pytest.raises(CorpusError) as caught:
                get_sync(graph, keys)
            assert (caught.value.code, caught.value.values["file"]) == ("damaged_file", name)
