"""Training, encoding and growth, each against its peers in the same run: prints Markdown tables.

    pip install -r tests/benchmarks/requirements.txt
    python -m tests.benchmarks.bench_core [a text file in UTF-8]

Every figure is the best of five runs, in turn with the peers; ratios are our time by theirs, so that less than 1
is faster. For growth it is the best of three, and rustbpe runs once on 200 MB: a first run there also waits for
memory that nobody has used yet. Our compiled code is warm, our compiled patterns are not.
"""

import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import regex
import tiktoken
import tokenizers
from tokenizers import Regex, decoders, models, pre_tokenizers, trainers

from tests.benchmarks.tables import CORPUS, RUNS, Row, best_of, machine, needs_peers, show
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, Trainer, count_pretokens
from tokenizer_core.bpe.reference import train_by_definition
from tokenizer_core.patterns.split_patterns import compile_pattern
from tokenizer_core.workers.compiling import load_all

with needs_peers():
    import bpeasy
    import rustbpe

TRAININGS = [("llama3", 512), ("llama3", 4_096), ("llama3", 32_000), ("o200k", 8_000), ("mark_aware", 8_000)]
GROWTH_MEGABYTES = (2, 8, 32, 200)
GROWTH_TRAINING = ("mark_aware", 4_096)

Tokens = list[bytes]
Train = Callable[[str, int, str], Tokens]


# The trainers: a text, a vocabulary size and the name of a pattern → the tokens in the order they were learned


def train_ours(text: str, vocab_size: int, pattern: str) -> Tokens:
    """Text to merges: the pattern is compiled anew, the pretokens are counted, the merges are learned."""
    compile_pattern.cache_clear()
    regex.purge()
    learned = Trainer(count_pretokens(text, pattern), vocab_size).step(vocab_size)
    return list(Tokenizer([(merge.left, merge.right) for merge in learned]).vocabulary)


def train_rustbpe(text: str, vocab_size: int, pattern: str) -> Tokens:
    """rustbpe takes an iterator of texts."""
    trainer = rustbpe.Tokenizer()
    trainer.train_from_iterator(iter([text]), vocab_size, pattern=SPLIT_PATTERNS[pattern])
    return [bytes(token) for token, _ in trainer.get_mergeable_ranks()]


def train_tokenizers(text: str, vocab_size: int, pattern: str) -> Tokens:
    """Hugging Face's byte-level BPE with our split pattern."""
    trainer = tokenizers.Tokenizer(models.BPE())
    trainer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT_PATTERNS[pattern]), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    settings = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    trainer.train_from_iterator([text], settings)
    return [token.encode() for token, _ in sorted(trainer.get_vocab().items(), key=lambda entry: entry[1])]


def train_bpeasy(text: str, vocab_size: int, pattern: str) -> Tokens:
    """bpeasy wants a longest token; none of ours is as long."""
    ranks = bpeasy.train_bpe(iter([text]), SPLIT_PATTERNS[pattern], 10_000, vocab_size)
    return sorted(ranks, key=ranks.__getitem__)


PEERS: dict[str, Train] = {"rustbpe": train_rustbpe, "tokenizers": train_tokenizers, "bpeasy": train_bpeasy}


# The tables


def main() -> None:
    """All tables, one after the other."""
    if sys.argv[1:2] == ["--grow"]:
        print(json.dumps(growth_of(int(sys.argv[2]), Path(sys.argv[3]))))
        return
    path = Path(sys.argv[1]) if sys.argv[1:] else CORPUS
    text = path.read_text(encoding="utf-8").strip()
    load_all()
    print(f"{machine()}. Corpus: {path.name}, {len(text.encode()):,} bytes.\n")
    show("Training: text to merges", training_header(), [training_row(text, *case) for case in TRAININGS])
    show("Training at 512 against the definition", ["", "s"], definition_rows(text))
    show("Encoding the corpus with an own vocabulary of 4,096", ENCODING_HEADER, encoding_rows(text))
    show(
        "Growth: distinct text, mark_aware, 4,096; memory is what training adds", GROWTH_HEADER, growth_rows(path)
    )


def training_header() -> list[str]:
    """Ours, then a time and a ratio for each peer."""
    return ["pattern", "size", "ours, s", *(f"{peer}, {unit}" for peer in PEERS for unit in ("s", "ours ÷ it"))]


def training_row(text: str, pattern: str, vocab_size: int) -> Row:
    """One training by everyone."""
    trains = [train_ours, *PEERS.values()]
    ours, *peers = best_of([partial(train, text, vocab_size, pattern) for train in trains])
    ratios = (cell for peer in peers for cell in (f"{peer:.3f}", f"**{ours / peer:.2f}**"))
    return [pattern, f"{vocab_size:,}", f"{ours:.3f}", *ratios]


def definition_rows(text: str) -> list[Row]:
    """One run of the definition, whose merges and counts must be ours."""
    trainer = Trainer(count_pretokens(text, "llama3"), 512)
    learned = [((merge.left, merge.right), merge.count) for merge in trainer.step(512)]
    (ours,) = best_of([lambda: train_ours(text, 512, "llama3")])
    started = time.perf_counter()
    assert train_by_definition(text, 512, "llama3") == learned
    slow = time.perf_counter() - started
    return [["definition", f"{slow:.1f}"], ["ours", f"{ours:.3f}"], ["times faster", f"**{slow / ours:.0f}**"]]


ENCODING_HEADER = ["pattern", "tokens", "ours, s", "tiktoken, s", "ours ÷ tiktoken"]


def encoding_rows(text: str) -> list[Row]:
    """Each pattern's own tokenizer, and tiktoken with its ranks, whose ids must be the same."""
    return [encoding_row(text, pattern) for pattern in SPLIT_PATTERNS if pattern != "none"]


def encoding_row(text: str, pattern: str) -> Row:
    """A tokenizer made anew for each run, so that nothing is remembered."""
    learned = Trainer(count_pretokens(text, pattern), 4_096).step(4_096)
    merges = [(merge.left, merge.right) for merge in learned]
    fresh = [Tokenizer(merges, pattern=pattern) for _ in range(RUNS + 1)]
    ranks = {token: rank for rank, token in enumerate(fresh[0].vocabulary)}
    peer = tiktoken.Encoding("own", pat_str=SPLIT_PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})
    ids = fresh.pop().encode(text)
    assert ids == peer.encode_ordinary(text)
    ours, theirs = best_of([lambda: fresh.pop().encode(text), lambda: peer.encode_ordinary(text)])
    return [pattern, f"{len(ids):,}", f"{ours:.3f}", f"{theirs:.3f}", f"**{ours / theirs:.2f}**"]


GROWTH_HEADER = [
    *("MB", "distinct pretokens", "their MB", "counting, s", "training, s", "exponent", "rustbpe, s", "exponent"),
    "bytes of memory per byte of distinct pretokens",
]


def growth_rows(path: Path) -> list[Row]:
    """Texts of several sizes, each in a process of its own; the exponent is that of the time, 1 being linear."""
    rows: list[Row] = []
    before: dict[str, float] = {}
    for megabytes in GROWTH_MEGABYTES:
        command = [sys.executable, "-m", "tests.benchmarks.bench_core", "--grow", str(megabytes), str(path)]
        grown = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        rows.append(growth_row(megabytes, grown, before))
        before = grown
    return rows


def growth_row(megabytes: int, grown: dict[str, float], before: dict[str, float]) -> Row:
    """One size, with the exponents from the size before."""
    return [
        megabytes,
        f"{grown['distinct']:,}",
        f"{grown['distinct_bytes'] / 1e6:.1f}",
        f"{grown['counting']:.2f}",
        f"{grown['training']:.2f}",
        exponent(grown, before, "ours"),
        f"{grown['rustbpe']:.2f}",
        exponent(grown, before, "rustbpe"),
        f"{grown['memory'] / grown['distinct_bytes']:.0f}",
    ]


def exponent(grown: dict[str, float], before: dict[str, float], whose: str) -> str:
    """The power of the text's size with which a time has grown; empty for the first size."""
    if not before:
        return ""
    return (
        f"**{math.log(grown[whose] / before[whose]) / math.log(grown['text_bytes'] / before['text_bytes']):.2f}**"
    )


def growth_of(megabytes: int, path: Path) -> dict[str, float]:
    """Count and train one size; memory is what the peak is above what was in use before."""
    pattern, vocab_size = GROWTH_TRAINING
    load_all()
    text = distinct_text(path.read_text(encoding="utf-8").strip(), megabytes * 1_000_000)
    counts = count_pretokens(text, pattern)
    before = memory_now_then_peak()
    Trainer(counts, vocab_size).step(vocab_size)
    memory = memory_peak() - before
    counting, training = best_of(
        [lambda: count_pretokens(text, pattern), lambda: Trainer(counts, vocab_size).step(vocab_size)], runs=3
    )
    (peer,) = best_of([lambda: train_rustbpe(text, vocab_size, pattern)], runs=3 if megabytes < 100 else 1)
    return {
        "text_bytes": len(text.encode()),
        "distinct": len(counts),
        "distinct_bytes": len("".join(counts).encode()),
        "counting": counting,
        "training": training,
        "ours": counting + training,
        "rustbpe": peer,
        "memory": memory,
    }


def memory_now_then_peak() -> int:
    """Bytes in use; the peak counts anew from here (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory_peak()


def memory_peak() -> int:
    """The most bytes in use since the peak was last set back (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def distinct_text(text: str, size: int) -> str:
    """Copies of the corpus, up to `size` bytes, each with its Thai consonants exchanged in another way.

    The words of every copy are new, their lengths and how often they occur are those of Thai.
    """
    consonants = [chr(code) for code in range(ord("ก"), ord("ฮ") + 1)]
    shuffled = random.Random(0)
    copies: list[bytes] = []
    while sum(map(len, copies)) < size:
        others = shuffled.sample(consonants, len(consonants)) if copies else consonants
        copies.append(text.translate(str.maketrans("".join(consonants), "".join(others))).encode())
    return b"\n".join(copies)[:size].decode("utf-8", errors="ignore")


if __name__ == "__main__":
    main()
