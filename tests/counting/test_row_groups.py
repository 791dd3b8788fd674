"""A large Parquet file is read by its row groups at the same time, with the text of the whole file."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask.local import get_sync
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenizer_core import Trainer
from tokenizer_core.counting.guesses import ColumnGuess, Guess
from tokenizer_core.counting.on_cluster import graph_of, order_of
from tokenizer_core.counting.parts import PartCounts
from tokenizer_core.counting.pieces import blocks_in, pieces_of, plan
from tokenizer_core.counting.reading import DETECT, Reading, blocks_of
from tokenizer_core.counting.streaming import CountingRules, count_files
from tokenizer_core.counting.unreadable import Unreadable
from tokenizer_core.errors import CorpusError

CELLS = [None, "", " ", "\n", "\r\n", "  the cat", "cat ", "...", "\n\n dog", "น้ำใจ ไทย", "ก", "a\r", "1 2", "!\n"]
PROSE = "the cat is on the mat"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("groups")


def written(path: Path, groups: list[list[str | None]]) -> str:
    """Write a Parquet file with these row groups of cells; a column beside it has no text to be read."""
    schema = pa.schema([("text", pa.string()), ("id", pa.string()), ("more", pa.struct([("en", pa.string())]))])
    with pq.ParquetWriter(path, schema) as writer:
        for cells in groups:
            more = [{"en": cell} for cell in cells]
            writer.write_table(pa.table([cells, ["x"] * len(cells), more], schema=schema))
    return str(path)


def hostile(seed: int, groups: int) -> list[list[str | None]]:
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
    name = written(folder / "a.parquet", hostile(seed, groups))
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


def test_a_file_of_many_groups_makes_work_for_many(folder: Path) -> None:
    name = written(folder / "many.parquet", [[f"{PROSE} {n}"] * 9 for n in range(40)])
    size = Path(name).stat().st_size
    for wanted in (2, 5, 40, 400):
        found = pieces_of(name, 7, CountingRules(), DETECT, piece_bytes=size // wanted)
        assert wanted / 2 <= len(found) <= 40 or (wanted == 400 and len(found) == 40)
        assert [piece.number for piece in found] == [*range(7, 7 + len(found))]
        assert max(piece.size for piece in found) < 3 * size / len(found)
    assert len(pieces_of(name, 0, CountingRules("none"), DETECT, piece_bytes=1)) == 1  # nobody can cut it
    one = written(folder / "one.parquet", [[PROSE] * 900])
    assert len(pieces_of(one, 0, CountingRules(), DETECT, piece_bytes=1)) == 1


def test_the_columns_of_all_parts_are_those_of_the_file(folder: Path) -> None:
    name = written(folder / "b.parquet", [[PROSE, None], [PROSE], ["cat"] * 5])
    there, here = list[Guess](), list[Guess]()
    for piece in pieces_of(name, 0, CountingRules(), DETECT, piece_bytes=1):
        list(blocks_in(piece, CountingRules(), DETECT, there.append))
    list(blocks_of(name, guessed=here.append))
    assert there == here
    assert len(here) == 1
    assert isinstance(here[0], ColumnGuess)
    with pytest.raises(CorpusError, match="'fr' is not"):
        pieces_of(name, 0, CountingRules(), Reading(["fr"]), piece_bytes=1)


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
            why = Unreadable(name, f"{name}: the file must be whole; it is damaged")
            assert get_sync(graph, keys)[0].unreadable == (why,)
        else:
            with pytest.raises(CorpusError, match=r"c\.parquet: the file must be whole"):
                get_sync(graph, keys)
