"""Counts of chunks add up to those of one pass in any order; a counts file gives back what was written."""

import contextlib
import dataclasses
import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.files import lying_parquet
from tests.helpers.hostile import hostile_texts
from tokenizer_core import SPLIT_PATTERNS, Trainer, train
from tokenizer_core.corpus_counts import counts_file
from tokenizer_core.corpus_counts.counts import Counts, CountsRecipe
from tokenizer_core.corpus_counts.counts_file import read_counts, write_counts
from tokenizer_core.corpus_counts.dask_counting import PartCounts
from tokenizer_core.errors import CountsError
from tokenizer_core.patterns.pretokens import PretokenCounts
from tokenizer_core.patterns.safe_places import parts_of

WORDS = ["the", "cat", "sat", "ที่นี่", "น้ำ", "a1", "...", "\n", "/", "🙂"]


def listed(counts: Counts) -> tuple[list[str], list[int], list[int]]:
    """Everything that training looks at."""
    text, ends, times = counts.pretokens
    return counts.pretokens.strings() if text.size else [], ends.tolist(), times.tolist()


def text_of_lines(seed: int, lines: int = 60) -> str:
    seeded = random.Random(seed)
    return "\n".join(" ".join(seeded.choices(WORDS, k=6)) for _ in range(lines))


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(0, 200), st.randoms(use_true_random=False))
def test_chunks_count_what_one_pass_counts_in_any_order(
    pattern: str, seed: int, size: int, order: random.Random
) -> None:
    text = text_of_lines(seed, 30)
    whole = Counts.of(text, pattern)
    chunks = [Counts.of(part.decode(), pattern, texts_read=0) for part in parts_of(text.encode(), pattern, size)]
    in_order = chunks[0]
    for chunk in chunks[1:]:
        in_order = Counts.merged(in_order, chunk)
    assert listed(in_order) == listed(whole)
    parts = [PartCounts.of(chunk, number) for number, chunk in enumerate(chunks)]
    order.shuffle(parts)
    while len(parts) > 1:  # a tree of any shape
        count = order.randint(2, 3)
        parts = [*parts[count:], PartCounts.merged(*parts[:count])]
    found = parts[0].in_order()
    assert listed(found) == listed(whole)
    assert (found.recipe.bytes_read, found.recipe.pretokens) == (len(text.encode()), whole.recipe.pretokens)
    assert found.sha256 == in_order.sha256 == whole.sha256


@settings(max_examples=30)
@given(st.lists(hostile_texts, min_size=1, max_size=5), st.sampled_from([*SPLIT_PATTERNS, "[a-z]+"]))
def test_merged_counts_of_texts_train_the_merges_of_the_texts(texts: list[str], pattern: str) -> None:
    counts = Counts.of(texts[:1], pattern)
    for text in texts[1:]:
        counts = Counts.merged(counts, Counts.of([text], pattern))
    learned = [(merge.left, merge.right) for merge in Trainer(counts.pretokens, 280).step(24)]
    assert learned == train(texts, 280, pattern=pattern).merges
    assert counts.recipe.texts == len(texts)


def test_rare_pretokens_are_dropped_and_the_recipe_says_what_is_missing() -> None:
    counts = Counts.of("a a a bb bb c", "gpt2")
    kept = counts.without_rare(2)
    assert listed(kept) == ([" a", " bb"], [2, 5], [2, 2])
    recipe = kept.recipe
    assert (recipe.pretokens, recipe.dropped, recipe.dropped_bytes, recipe.short_by) == (6, 2, 3, 1)
    assert (recipe.texts, recipe.min_pretoken_count, kept.without_rare(2)) == (1, 2, kept)
    rarer = kept.without_rare(3).recipe
    assert (rarer.dropped, rarer.dropped_bytes, rarer.short_by, rarer.min_pretoken_count) == (6, 13, 3, 3)
    both = Counts.merged(kept, kept).recipe
    assert (both.dropped, both.short_by) == (4, 2)
    assert counts.without_rare(1) is counts


@pytest.mark.parametrize("seed", range(5))
def test_no_count_is_short_by_more_than_the_recipe_says(seed: int) -> None:
    chunks = [Counts.of(part.decode(), "gpt2") for part in parts_of(text_of_lines(seed).encode(), "gpt2", 40)]
    whole, short = chunks[0], chunks[0].without_rare(2)
    for chunk in chunks[1:]:
        whole, short = Counts.merged(whole, chunk), Counts.merged(short, chunk.without_rare(2)).without_rare(3)
    found = dict(zip(short.pretokens.strings(), short.pretokens.counts.tolist()))
    pairs = zip(whole.pretokens.strings(), whole.pretokens.counts.tolist())
    missing = [count - found.get(word, 0) for word, count in pairs]
    assert 0 < max(missing) <= short.recipe.short_by
    assert min(missing) >= 0
    assert sum(missing) == short.recipe.dropped
    assert short.recipe.pretokens == whole.recipe.pretokens


def test_counts_that_do_not_belong_together_are_not_added_up() -> None:
    counts = Counts.of("a", "gpt2")
    for other in (Counts.of("a", "cl100k"), Counts.of("a", "gpt2", boundaries="line")):
        with pytest.raises(CountsError) as caught:
            Counts.merged(counts, other)
        assert caught.value.code == "counts_differ"
        with pytest.raises(CountsError):
            PartCounts.merged(PartCounts.of(counts, 0), PartCounts.of(other, 1))


def test_two_recipes_add_up_field_by_field() -> None:
    first = CountsRecipe("a+", "line", 1, 20, 3, 4, 5, 6, 7)
    second = CountsRecipe("a+", "line", 10, 200, 30, 40, 50, 2, 70)
    assert first.joined(second) == CountsRecipe("a+", "line", 11, 220, 33, 44, 55, 6, 77)
    assert second.joined(first) == first.joined(second)


@pytest.mark.parametrize(
    ("field", "other"), [("pattern", "b"), ("boundaries", "line"), ("version", 2), ("regex_version", "1")]
)
def test_what_keeps_two_recipes_apart_is_named(field: str, other: Any) -> None:
    recipe = CountsRecipe("a", regex_version="2")
    with pytest.raises(CountsError) as caught:
        recipe.joined(dataclasses.replace(recipe, **{field: other}))
    assert caught.value.values == {
        "field": field,
        "expected": str(getattr(recipe, field)),
        "found": str(other),
    }


def test_a_recipe_knows_the_name_of_its_pattern_and_other_versions_of_regex() -> None:
    recipe = Counts.of("a", "gpt2").recipe
    assert (recipe.pattern, recipe.pattern_name, recipe.is_of_other_regex) == (
        SPLIT_PATTERNS["gpt2"],
        "gpt2",
        False,
    )
    own = CountsRecipe("[a-z]+", regex_version="1")
    assert (own.pattern_name, own.is_of_other_regex) == (None, True)


@pytest.mark.parametrize("field", ["bytes_read", "pretokens"])
def test_a_corpus_may_have_one_byte_less_than_2_to_the_62(field: str) -> None:
    half, less = (CountsRecipe("a", **{field: size}) for size in (2**61, 2**61 - 1))  # type: ignore[arg-type]
    assert getattr(half.joined(less), field) == 2**62 - 1
    with pytest.raises(CountsError) as caught:
        half.joined(half)
    assert (caught.value.code, caught.value.values) == ("counts_total", {"limit": 2**62})


def test_sums_that_do_not_fit_are_refused() -> None:
    huge = Counts.counted(PretokenCounts.of({"a": 2**61}), "gpt2")
    with pytest.raises(CountsError) as caught:
        Counts.merged(huge, huge)
    assert caught.value.code == "counts_total"
    recipe = CountsRecipe(pattern="gpt2", bytes_read=0, pretokens=2**61)
    with pytest.raises(CountsError) as caught:
        recipe.joined(recipe)
    assert caught.value.code == "counts_total"


def test_first_places_of_late_chunks_stay_in_order() -> None:
    numbers = [0, 1, 2**20, 2**31 - 1]
    parts = [PartCounts.of(Counts.of(f"{n} x", "none"), n) for n in numbers]
    firsts = PartCounts.merged(*parts[::-1]).in_order().pretokens.strings()
    assert firsts == [f"{n} x" for n in numbers]
    assert all(int(a.firsts[0]) < int(b.firsts[0]) for a, b in pairwise(parts))


# ---- counts files

COUNTS = Counts.of("the cat sat on the mat, ที่นี่ที่นั่น the end", "cl100k")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("counts") / "a.parquet"


@settings(max_examples=15)
@given(texts=st.lists(hostile_texts, max_size=4), rows=st.sampled_from([1, 2, 1000]))
def test_what_was_written_is_read(path: Path, texts: list[str], rows: int) -> None:
    counts = Counts.of(texts, "gpt2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_file, "_ROWS_AT_ONCE", rows)
        write_counts(counts, path)
        found = read_counts(path, pattern="gpt2")
    assert [array.tolist() for array in found.pretokens] == [array.tolist() for array in counts.pretokens]
    assert found.recipe == counts.recipe
    assert Trainer(found.pretokens, 270).step(14) == Trainer(counts.pretokens, 270).step(14)


def test_other_programs_find_two_columns_without_gaps(path: Path) -> None:
    write_counts(COUNTS, path)
    fields = list(pq.read_schema(path))
    assert [(field.name, str(field.type), field.nullable) for field in fields] == [
        ("pretoken", "binary", False),
        ("count", "int64", False),
    ]
    assert pq.read_table(path).to_pydict() == cells()


def test_counts_are_read_from_an_open_file_too_and_a_missing_one_is_missing(path: Path) -> None:
    write_counts(COUNTS, str(path))
    assert read_counts(str(path)).sha256 == COUNTS.sha256
    with path.open("rb") as opened:
        assert read_counts(opened).recipe == COUNTS.recipe
    with pytest.raises(FileNotFoundError):
        read_counts(path.parent / "gone.parquet")
    with pytest.raises(IsADirectoryError):
        read_counts(path.parent)


def test_a_count_beyond_32_bits_is_trained_on(path: Path) -> None:
    write_counts(Counts.counted(PretokenCounts.of({" the": 2**40 + 3, "he": 2**33}), "gpt2"), path)
    merges = Trainer(read_counts(path).pretokens, 258).step(2)
    assert merges[0][:2] == (ord("h"), ord("e"))
    assert merges[0].count == 2**40 + 3 + 2**33
    assert merges[1].count == 2**40 + 3


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.parquet"
    target.write_bytes(b"before")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_batch", full)
    with pytest.raises(OSError, match="space"):
        write_counts(COUNTS, target)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.parquet", b"before")]


def rewritten(
    path: Path,
    columns: dict[str, Any] | None = None,
    recipe: Callable[[dict[str, Any]], Any] = lambda recipe: recipe,
    **options: Any,
) -> Path:
    """The counts as a stranger may write them, with other columns or another recipe."""
    write_counts(COUNTS, path)
    file = pq.ParquetFile(path)
    found = json.loads(file.metadata.metadata[b"recipe"])
    table = file.read() if columns is None else pa.table(columns)
    with pq.ParquetWriter(path, table.schema, use_dictionary=False, store_schema=False, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"recipe": json.dumps(recipe(found))})
    return path


def refused(path: Path, **options: Any) -> CountsError:
    with pytest.raises(CountsError) as caught:
        read_counts(path, **options)
    return caught.value


def cells(**changed: list[Any]) -> dict[str, Any]:
    pretokens = COUNTS.pretokens
    rows = {"pretoken": [each.encode() for each in pretokens.strings()], "count": pretokens.counts.tolist()}
    return rows | changed


@pytest.mark.parametrize(
    ("count", "code"),
    [
        (0, "counts_row"),
        (-1, "counts_row"),
        (-(2**63), "counts_row"),
        (2**62, "counts_total"),
        (2, "counts_not_totals"),
    ],
)
def test_impossible_counts(path: Path, count: int, code: str) -> None:
    rows = cells()
    rows["count"][3] = count
    error = refused(rewritten(path, rows))
    assert error.code == code
    if code == "counts_row":
        assert error.values == {"row": 4, "pretoken": " on", "count": count}
    assert code != "counts_total" or error.values == {"limit": 2**62}


def test_rows_of_2_to_the_62_bytes_are_more_than_a_corpus_may_have(path: Path) -> None:
    for count, code in ((2**62, "counts_total"), (2**61, "counts_not_totals")):
        assert refused(rewritten(path, {"pretoken": [b"z", b"y"], "count": [count, 1]})).code == code


@pytest.mark.parametrize(
    ("first", "code"),
    [
        (b"", "counts_row"),
        (b"\xff", "counts_damaged"),
        (b" on", "counts_twice"),
        (b"\xe0\xb8", "counts_damaged"),
    ],
    ids=["empty", "no UTF-8", "twice", "half a character"],
)
def test_impossible_pretokens(path: Path, first: bytes, code: str) -> None:
    rows = cells()
    before = len(rows["pretoken"][0]) - len(first)
    rows["pretoken"][0] = first
    recipe = {"bytes_read": COUNTS.recipe.bytes_read - before}
    error = refused(rewritten(path, rows, lambda found: found | recipe))
    assert error.code == code
    assert code != "counts_twice" or error.values == {"row": 4, "pretoken": " on"}
    assert code != "counts_row" or error.values == {"row": 1, "pretoken": "", "count": 1}


def test_forty_bytes_of_a_long_pretoken_are_shown(path: Path) -> None:
    rows = cells()
    rows["pretoken"][2] = b"a" * 30 + "ก".encode() * 9
    rows["count"][2] = 0
    assert refused(rewritten(path, rows)).values == {"row": 3, "pretoken": "a" * 30 + "กกก\ufffd", "count": 0}


@pytest.mark.parametrize(("bytes_dropped", "dropped", "is_allowed"), [(0, 0, True), (1, 0, False), (0, 1, False)])
def test_totals_are_those_of_the_rows_and_of_what_was_dropped(
    path: Path, bytes_dropped: int, dropped: int, is_allowed: bool
) -> None:
    short = Counts.of("a a a bb bb c", "gpt2").without_rare(2)
    write_counts(short, path)
    assert read_counts(path).recipe == short.recipe
    recipe = dataclasses.replace(
        short.recipe,
        dropped=short.recipe.dropped + dropped,
        dropped_bytes=short.recipe.dropped_bytes + bytes_dropped,
    )
    write_counts(Counts(short.pretokens, recipe), path)
    if is_allowed:
        assert read_counts(path).recipe == recipe
    else:
        assert refused(path).code == "counts_not_totals"


def test_two_rows_that_share_a_character(path: Path) -> None:
    rows = {"pretoken": ["ก".encode()[:1], "ก".encode()[1:]], "count": [1, 1]}
    halves = PretokenCounts(np.frombuffer("ก".encode(), np.uint8), np.array([1, 3]), np.array([1, 1]))
    recipe = {"pretokens": 2, "bytes_read": 3, "sha256": Counts(halves, COUNTS.recipe).sha256}
    assert refused(rewritten(path, rows, lambda found: found | recipe)).code == "counts_damaged"


@pytest.mark.parametrize(
    "rows",
    [
        {"pretoken": cells()["pretoken"]},
        cells(pretoken=[1] * 13),
        cells(count=[1.0] * 13),
        cells(count=["1"] * 13),
    ],
    ids=["missing", "numbers", "fractions", "strings"],
)
def test_other_columns(path: Path, rows: dict[str, Any]) -> None:
    error = refused(rewritten(path, rows))
    other = "pretoken" if rows["pretoken"] == [1] * 13 else "count"
    assert (error.code, error.values) == ("counts_column", {"column": other})


def test_missing_cells(path: Path) -> None:
    rows = cells()
    rows["count"][2] = None
    assert refused(rewritten(path, rows)).code == "counts_damaged"


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(COUNTS.recipe)])
@pytest.mark.parametrize("value", [None, -1, 2**64, [], "\x00" * 5000])
def test_a_recipe_with_a_wrong_field(path: Path, field: str, value: Any) -> None:
    error = refused(rewritten(path, recipe=lambda found: found | {field: value}))
    assert error.code == ("counts_version" if field == "version" else "counts_recipe")
    assert field == "version" or error.values == {"field": field}


@pytest.mark.parametrize("found", [None, [], "x", {"format": "another"}, {}], ids=repr)
def test_a_file_without_a_recipe(path: Path, found: Any) -> None:
    assert refused(rewritten(path, recipe=lambda _: found)).code == "counts_none"


def test_counts_of_another_pattern_or_version(path: Path) -> None:
    write_counts(COUNTS, path)
    error = refused(path, pattern="gpt2")
    assert (error.code, error.values) == ("counts_pattern", {"expected": "gpt2", "found": "cl100k"})
    later = refused(rewritten(path, recipe=lambda found: found | {"version": "a version " * 9}))
    assert (later.code, later.values) == ("counts_version", {"expected": 1, "found": "a version a version "})
    own = rewritten(path, recipe=lambda found: found | {"pattern": "[a-z]+"})
    assert refused(own, pattern="gpt2").values == {"expected": "gpt2", "found": "[a-z]+"}
    changed = rewritten(path, recipe=lambda found: found | {"pattern": "[a-z]+"})
    assert refused(changed).code == "counts_damaged"  # the hash is another


def test_sizes_are_checked_before_anything_is_unpacked(path: Path) -> None:
    rows = {"pretoken": [b"a" * 10**6] * 10, "count": [1] * 10}
    error = refused(rewritten(path, rows, compression="zstd"), max_bytes=2**20)
    assert (error.code, error.values) == ("counts_large", {"megabytes": 1})
    assert refused(path, max_bytes=3 * 2**20 + 1).values == {"megabytes": 3}


@pytest.mark.parametrize("counts", [Counts.of("a b c d", "gpt2"), COUNTS], ids=["by rows", "by bytes"])
def test_as_many_bytes_as_allowed_are_read_and_not_one_less(path: Path, counts: Counts) -> None:
    write_counts(counts, path)
    group = pq.ParquetFile(path).metadata.row_group(0)
    size = max(group.total_byte_size, 12 * group.num_rows)
    assert read_counts(path, max_bytes=size).sha256 == counts.sha256
    assert refused(path, max_bytes=size - 1).code == "counts_large"


def test_a_dictionary_that_repeats_a_long_pretoken_is_refused(path: Path) -> None:
    write_counts(COUNTS, path)
    recipe = pq.ParquetFile(path).metadata.metadata[b"recipe"]
    table = pa.table({"pretoken": [b"a" * 1000] * 1000, "count": [1] * 1000})
    pq.write_table(table.replace_schema_metadata({"recipe": recipe}), path, use_dictionary=True)
    assert refused(path).code == "counts_encoding"


def test_damaged_files(path: Path) -> None:
    write_counts(COUNTS, path)
    whole = path.read_bytes()
    seeded = random.Random(14)
    broken = [b"", b"PAR1", whole[:-1], whole[: len(whole) // 2], whole[100:], lying_parquet(), b"text\n" * 99]
    for _ in range(60):
        changed = bytearray(whole)
        changed[seeded.randrange(len(changed))] ^= 1 << seeded.randrange(8)
        broken.append(bytes(changed))
    read = 0
    for content in broken:
        path.write_bytes(content)
        with contextlib.suppress(CountsError):  # any other error is a fault
            found = read_counts(path)
            read += 1  # the changed bit says nothing of the counts, as the name of the program that wrote them
            assert found.sha256 == COUNTS.sha256
    assert read < len(broken) / 2
