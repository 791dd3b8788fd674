"""What the loops promise beside their results: they stay inside their arrays, and their tables spread well."""

import _thread
import random
import string
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tests.helpers.training import called_from_python
from tokenizer_core import Tokenizer, Trainer, train
from tokenizer_core.bpe.vocabulary import recover_merges
from tokenizer_core.kernels import count_loop, cut_loop, encode_loop, longest_loop, merge_loop, text_loop
from tokenizer_core.kernels.cut_loop import character_kinds
from tokenizer_core.kernels.encode_loop import SHORT
from tokenizer_core.patterns.cutter import Tally
from tokenizer_core.patterns.pretokens import PretokenCounts, counted_pretokens

LOOPS = (cut_loop, count_loop, merge_loop, encode_loop, longest_loop, text_loop)
MACHINES = (cut_loop.GPT2, cut_loop.CL100K, cut_loop.LLAMA3, cut_loop.O200K, cut_loop.MARK_AWARE, cut_loop.NONE)
SECRET = np.int64(0x2545F4914F6CDD1D)
TEXT = "the cat's กำลังเรียน 12345  ที่นี่\r\n ABcd😀 -- naïve, it'll\0 be aaaaaaaa "
CODE = "    def f(x):\n\n        return '/'.join(map(theirOwn, x[:12345]))  # it's \n   \n\n!\n/ "


# Numba checks no bounds, so a loop that leaves its arrays may seem to work. Python checks.


class Careful:
    """NumPy, but memory not written yet holds numbers that fit nowhere, and a byte may be shifted to the left."""

    uint8 = np.int64

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def frombuffer(self, content: bytes, dtype: Any) -> Any:
        """Read bytes as they are."""
        return np.frombuffer(content, dtype=np.uint8)

    def empty(self, shape: Any, dtype: Any) -> Any:
        """Make an array of what no code should read."""
        return np.full(shape, True if dtype is np.bool_ else np.iinfo(dtype).max // 3, dtype=dtype)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Python run the loops, which checks each index."""
    for loop in LOOPS:
        monkeypatch.setattr(loop, "np", Careful())
        for name, value in list(vars(loop).items()):
            if name in READS:
                monkeypatch.setattr(loop, name, READS[name])
            elif hasattr(value, "py_func"):
                monkeypatch.setattr(loop, name, value.py_func)
    with np.errstate(all="ignore"):  # numbers of 64 bits wrap around in both
        yield


OF_THAI = {
    "_thai_in": (0xE0, 0xE0),
    "_first_half_in": (0xB8, 0xB8),
    "_second_half_in": (0xB9, 0xB9),
    "_letters_to_a_in": (0x81, 0xB0),
    "_letters_to_am_in": (0xB2, 0xB3),
    "_letters_from_e_in": (0x80, 0x86),
    "_sara_above_in": (0xB1, 0xB1),
    "_signs_to_phinthu_in": (0xB4, 0xBA),
    "_tones_in": (0x87, 0x8E),
}
"""The first and the last byte of what the masks of Thai find."""
MARKS = {"spaces": b" ", "newlines": b"\n", "slashes": b"/", "apostrophes": b"'"}


def word_at(text: Any, i: int) -> np.int64:
    """Eight bytes as one number, which numba reads at once; of those not written yet the loops use none."""
    assert 0 <= i <= text.size - 8
    return np.int64(int.from_bytes((text[i : i + 8] & 0xFF).astype(np.uint8).tobytes(), "little", signed=True))


def run_of(letters: bytes) -> Callable[[Any, int], np.int64]:
    """Count these letters one by one, up to sixteen, which numba does at once."""

    def run_at(text: Any, i: int) -> np.int64:
        assert 0 <= i <= text.size - 16
        found = bytes(text[i : i + 16].astype(np.uint8))
        return np.int64(16 - len(found.lstrip(letters)))

    return run_at


def put_word(array: Any, i: int, word: np.int64) -> None:
    """Write eight bytes as two ids, which numba does at once."""
    for place, half in enumerate((word & 0xFFFFFFFF, word >> 32)):
        array[i + place] = np.array(half).astype(np.int32)


def mask_of(wanted: bytes) -> Callable[[Any, int], np.uint64]:
    """Tell one by one which of 64 bytes are wanted, which numba does at once."""

    def mask_at(text: Any, i: int) -> np.uint64:
        assert 0 <= i <= text.size - 64
        return np.uint64(sum((int(byte) in wanted) << place for place, byte in enumerate(text[i : i + 64])))

    return mask_at


def put_number(numbers: Any, i: int, number: np.int64) -> None:
    """Write one number."""
    assert 0 <= i < numbers.size
    numbers[i] = number


def prefetch(numbers: Any, i: int) -> None:
    """Only the processor needs to know."""
    assert 0 <= i < numbers.size


def highest_bit(mask: np.uint64) -> np.int64:
    """Count the bits below the highest one."""
    return np.int64(int(mask).bit_length() - 1)


def lowest_bit(mask: np.uint64) -> np.int64:
    """Count the zeros below the lowest bit."""
    return np.int64((int(mask) & -int(mask)).bit_length() - 1 if mask else 64)


SMALL = string.ascii_lowercase.encode()
READS = {
    "word_at": word_at,
    "number_at": lambda numbers, i: numbers[i],
    "put_word": put_word,
    "put_number": put_number,
    "prefetch": prefetch,
    "letters_at": run_of(SMALL + SMALL.upper()),
    "small_letters_at": run_of(SMALL),
    "letters_in": mask_of(SMALL + SMALL.upper()),
    "capitals_in": mask_of(SMALL.upper()),
    "digits_in": mask_of(string.digits.encode()),
    "printable_in": mask_of(bytes(range(0x20, 0x7F))),
    "not_ascii_in": mask_of(bytes(range(0x80, 0x100))),
    **{name: mask_of(bytes(range(first, last + 1))) for name, (first, last) in OF_THAI.items()},
    **{f"{name}_in": mask_of(byte) for name, byte in MARKS.items()},
    "highest_bit": highest_bit,
    "lowest_bit": lowest_bit,
    "count_bits": lambda mask: np.int64(int(mask).bit_count()),
}


def training() -> list[Any]:
    """Train with large and empty counts, and with a merge that is asked for."""
    trainer = Trainer({TEXT: 3, "aaaa": 2**40, "abab": 1, "": 7, "ก": 5}, 330)
    merges = trainer.step(40)
    merges.append(trainer.join(*trainer.candidates()[-1][:2]))
    return [*merges, *trainer.step(1_000), *trainer.token_counts]


def encoding() -> list[Any]:
    """Encode pretokens, some of them long, by both loops; in one vocabulary nothing merges."""
    pretokens = [b"\0" * (SHORT + 1), b"aab" * SHORT, TEXT.encode(), *(bytes([byte]) for byte in range(256))]
    pretokens += [b"xyz" * SHORT, b"a" * longest_loop.LONG, b"a" * (longest_loop.LONG + 1), b"\0ab"]
    text = np.frombuffer(b"".join(pretokens), dtype=np.uint8)
    ends = np.cumsum(list(map(len, pretokens)))
    found = []
    for merges in ([], [(97, 97), (256, 98), (257, 256)], training()[:60]):
        tokenizer = Tokenizer([pair[:2] for pair in merges])
        plain = encode_loop.encode_pretokens(text, ends, tokenizer._ranks)
        by_tree = longest_loop.encode_pretokens(text, ends, tokenizer._tree, text_loop.empty_memory(0).pairs)
        places = np.array([2, 0, 2], dtype=np.int32)
        found += [*plain, *by_tree, *encode_loop.in_order(*plain, places, np.array([1, 1, 3]))]
    return [array.tolist() for array in found]


def encoding_texts() -> list[Any]:
    """Cut and encode texts at once, twice with one memory; some pretokens are long, and most come again."""
    texts = [
        TEXT,
        CODE,
        "",
        "x" * (longest_loop.LONG + 5),
        "aab aab " * 4,
        "กำลัง",
        "ab" * longest_loop.LONG + " the",
        TEXT,
    ]
    content, kinds = np.frombuffer("".join(texts).encode(), dtype=np.uint8), character_kinds()
    edges = np.cumsum([0, *(len(text.encode()) for text in texts)])
    memory, found = text_loop.empty_memory(0), []
    little = longest_loop.LONG + 60  # room for one long pretoken, so that all are forgotten again and again
    memory = memory._replace(longer_text=memory.longer_text[:little], longer_ids=memory.longer_ids[:little])
    memory = memory._replace(slots=memory.slots[:32])  # and for eight short
    for merges in ([], [pair[:2] for pair in training()[:60]]):
        tokenizer = Tokenizer(merges)
        tree = tokenizer._tree
        tokens = np.frombuffer(b"".join(tokenizer.vocabulary), dtype=np.uint8)
        ends = np.cumsum(list(map(len, tokenizer.vocabulary)))
        for machine in MACHINES:
            memory.slots[:] = 0
            if machine % 2:
                text_loop.remember_tokens(as_read(tokens), ends, tree.lengths, memory.slots)
            memory.pairs[:] = 0
            memory.longer[:] = 0
            memory.used[:] = 0
            for _ in range(2):
                read = (as_read(content), edges, as_read(kinds), machine)
                found += text_loop.encode_texts(*read, tree, memory)
            more = text_loop.empty_memory(0).slots[:64]
            text_loop.move_slots(memory.slots, more)
            found.append(more)
    return [array.tolist() for array in found]


def counting() -> list[Any]:
    """Cut and count texts by each pattern, with little room at first."""
    texts = [TEXT, CODE, "", "a", *(f"word{n} {n * n}" for n in range(40)), "x" * 70, "  ", TEXT]
    content, kinds = np.frombuffer("".join(texts).encode(), dtype=np.uint8), character_kinds()
    edges = np.cumsum([0, *(len(text.encode()) for text in texts)])
    found: list[Any] = []
    empty = vars(count_loop)["np"].empty
    for machine in MACHINES:
        slots = np.full((8, 4), count_loop.FREE, dtype=np.int64)
        few, ends_of, counts = (empty(2, np.uint8), empty(4, np.int64), empty(4, np.int64))
        used, places, ends = np.zeros(3, dtype=np.int64), np.zeros(content.size, dtype=np.int32), edges.copy()
        text, *rest = count_loop.number_pretokens(
            *(as_read(content), ends, as_read(kinds), machine, SECRET),
            *(count_loop.Distinct(few, ends_of, counts, slots), used, places),
        )
        size, rows = used[count_loop.BYTES], used[count_loop.ROWS]
        found += [text[:size], rest[0][:rows], rest[1][:rows], ends, places[: ends[-1]]]
    return [array.tolist() for array in found]


def as_read(content: Any) -> Any:
    """Bytes as numba reads them: as numbers that can be shifted to the left."""
    return content.astype(np.int64) if isinstance(vars(count_loop)["np"], Careful) else content


def recovering() -> list[Any]:
    """Recover merges, of which some are none."""
    some = [b"ab", b"bab", b"a" * 60, b"b", b"aa", b"aaa", b"a"]
    found = [recover_merges(tokens) for tokens in (vocabulary(), some)]
    return [[pairs.tolist(), without_pair] for pairs, without_pair in found]


@cache
def vocabulary() -> list[bytes]:
    """The tokens of a training."""
    return list(train(TEXT * 2, 330).vocabulary)


@pytest.mark.parametrize("work", [training, encoding, encoding_texts, counting, recovering])
def test_no_loop_leaves_its_arrays(work: Callable[[], list[Any]], request: pytest.FixtureRequest) -> None:
    expected = work()
    request.getfixturevalue("interpreted")
    assert work() == expected


def press_ctrl_c_in_loops() -> None:
    """Press it at seeded moments of three kinds of work; print how often that was an exception."""
    seeded = random.Random(7)
    text = " ".join(str(seeded.randrange(10**9)) for _ in range(100_000))
    counted = counted_pretokens(text, "gpt2")
    tokenizer = train(text[:50_000], 500, pattern="gpt2")
    works: list[Callable[[], object]] = [
        lambda: Tally().add_counts(*counted_pretokens(text, "gpt2")),
        lambda: tokenizer.encode_each([text]),
        lambda: Trainer(counted, 500).step(500),
    ]
    for work in works:
        work()
        begin = time.monotonic()
        work()
        seconds, presses = time.monotonic() - begin, 0
        for _ in range(5):
            pressing = threading.Timer(seconds * seeded.random(), _thread.interrupt_main)
            try:
                pressing.start()
                work()
                pressing.join()
            except KeyboardInterrupt:
                presses += 1
        print(presses)


def test_ctrl_c_in_a_loop_is_an_exception() -> None:
    """It crashed numba, which made arrays of what a loop returns in spite of the exception."""
    code = "from tests.core.test_loops import press_ctrl_c_in_loops; press_ctrl_c_in_loops()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["5", "5", "5"], "")


@pytest.mark.parametrize("machine", MACHINES[:-1])
def test_a_machine_stops_where_there_is_no_more_room(machine: np.int64) -> None:
    cut, kinds = called_from_python(cut_loop.cut), character_kinds()
    text, ends = np.frombuffer(b"a b c d e", dtype=np.uint8), np.zeros(70, dtype=np.int64)
    assert cut(text, 0, text.size, kinds, machine, ends[:66]) == 3  # two more, and there was room for a block
    assert ends.tolist() == [1, 3, 5] + 67 * [0]
    text = np.frombuffer(b"a1" * 100, dtype=np.uint8)
    found = cut(text, 0, text.size, kinds, machine, ends[:64])
    assert ends[:found].tolist() == list(range(1, found + 1))
    assert found > 50
    assert not ends[64:].any()


@pytest.mark.parametrize(("rows", "used", "more"), [(4, 3, 1), (4, 4, 1), (4, 3, 2), (4, 4, 90)])
def test_a_table_that_grows_keeps_its_rows_and_has_room(rows: int, used: int, more: int) -> None:
    table = np.arange(5 * rows, dtype=np.int64).reshape(rows, 5)
    larger = called_from_python(merge_loop.with_room)(table, used, more)
    assert len(larger) >= used + more
    assert larger[:used].tolist() == table[:used].tolist()
    assert (larger is table) == (used + more <= rows)


def test_pretokens_may_be_had_without_the_first_so_many() -> None:
    tally = Tally()
    tally.add_counts(*counted_pretokens("a bc a a", "cl100k"))
    known = PretokenCounts(*tally.pretokens())
    assert (known.strings(), known.counts.tolist()) == (["a", " bc", " a"], [1, 1, 2])
    later = PretokenCounts(*tally.pretokens(since=1))
    assert (later.strings(), later.counts.tolist()) == ([" bc", " a"], [1, 2])


# Who writes a text must not be able to make it slow, so what differs has other hashes, and other slots.


def key(pretoken: bytes, after: bytes = b"") -> tuple[int, int, int]:
    """The first bytes of a pretoken that stands in a text, its last ones, and its hash."""
    text = np.frombuffer(b"." + pretoken + after, dtype=np.uint8)
    first, last, hashed = called_from_python(count_loop.key_of)(
        text, np.int64(1), np.int64(1 + len(pretoken)), SECRET
    )
    return int(first), int(last), int(hashed)


def test_a_short_pretoken_has_a_key_of_its_own_wherever_it_stands() -> None:
    seeded = random.Random(1)
    short = {seeded.randbytes(seeded.randint(1, 16)) for _ in range(3_000)} | {
        bytes([byte]) for byte in range(256)
    }
    short |= {b"a" * length for length in range(1, 17)} | {b"\0" * length for length in range(1, 17)}
    assert len({(len(pretoken), *key(pretoken)[:2]) for pretoken in short}) == len(short)
    assert all(key(pretoken) == key(pretoken, b"what follows") for pretoken in short)


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 17, 40])
def test_each_bit_of_a_pretoken_changes_its_hash(length: int) -> None:
    seeded = random.Random(length)
    pretoken = bytearray(seeded.randbytes(length))
    hashes = [key(bytes(pretoken))[2]]
    for place in range(length):
        for bit in range(8):
            pretoken[place] ^= 1 << bit
            hashes.append(key(bytes(pretoken))[2])
            pretoken[place] ^= 1 << bit
    assert len({*hashes}) == len(hashes) == 8 * length + 1


@pytest.mark.parametrize("word", ["word{}", "{}word", " a long word, {}", "{} is a long word"])
def test_hashes_spread_over_the_slots(word: str) -> None:
    """A thousand keys in 2,048 slots leave 61 of 100 slots free by chance alone: about 790 are taken."""
    taken = {key(word.format(n).encode())[2] & 2_047 for n in range(1_000)}
    assert 720 < len(taken) < 860
