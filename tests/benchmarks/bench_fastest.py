"""Training and encoding against the fastest peers known, in the same run: prints Markdown tables.

    pip install -r tests/benchmarks/requirements.txt
    python -m tests.benchmarks.bench_fastest ENGLISH.txt THAI.txt [LARGE.txt]

Every figure is the best of three runs, in turn with the peers; ratios are our time by theirs, so that less than 1
is faster. Patterns that a visitor wrote, and every vocabulary, are measured in processor time, best of five and
seven. Each run begins with a tokenizer that has encoded nothing yet, if the column does not say "warm" or "array".
Our compiled code is warm, and so is our table of characters. On a large text each trains once.
"""

import contextlib
import io
import os
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import tiktoken

from tests.benchmarks.tables import Row, best_of, needs_peers, show
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, Trainer, openai_tokenizer
from tokenizer_core.bpe.vocabulary import Pair, merges_of_ranks
from tokenizer_core.patterns.cutter import WORTH
from tokenizer_core.patterns.pretokens import count_pretokens, counted_pretokens
from tokenizer_core.patterns.program import program_of
from tokenizer_core.patterns.split_patterns import compile_pattern
from tokenizer_core.workers.compiling import load_all

with needs_peers():
    import ffbpe
    import gigabpe
    import gigatoken
    import quicktok
    import riptoken
    import rustbpe
    from quicktok import _import_core as importer

RUNS = 3
CPU_RUNS = 21
"""Runs of what takes milliseconds, on machines that others disturb."""
COPIES = 24
PART = 2**20
TRAININGS = [("cl100k", 1), ("gpt2", COPIES), ("cl100k", COPIES), ("o200k", COPIES)]
VOCABULARY = 32_000
OWN_SIZE = 4_096


def main() -> None:
    """All tables, one after the other."""
    english, thai = (Path(argument).read_text(encoding="utf-8").strip() for argument in sys.argv[1:3])
    load_all()
    counted_pretokens(["a", "b"], "gpt2", threads=2)
    texts = {"English": english, "Thai": thai}
    show("Cutting and counting", COUNTING_HEADER, [counting_row(*case) for case in each_pattern(texts)])
    show("Training, 32,000", TRAINING_HEADER, [training_row([english] * copies, p) for p, copies in TRAININGS])
    for file in sys.argv[3:4]:
        show(
            "Training, 32,000, a large text", TRAINING_HEADER, [training_row(parts_of(Path(file)), "gpt2", runs=1)]
        )
    show("Encoding, own 4,096", ENCODING_HEADER, [encoding_row(*case) for case in each_pattern(texts)])
    with TemporaryDirectory() as name:
        show_every_vocabulary(kinds_of_text(english, thai), Path(name))
    counted_pretokens("a" * WORTH, "a+")
    own = [(name, *case) for name in OWN_PATTERNS for case in texts.items()]
    show("Patterns of one's own", OWN_HEADER, [own_row(*case) for case in own])


def show_every_vocabulary(texts: dict[str, str], folder: Path) -> None:
    """Loading and encoding, by vocabularies of OpenAI and two own ones."""
    vocabularies = [
        reference_vocabulary("cl100k_base", "cl100k", folder),
        reference_vocabulary("o200k_base", "o200k", folder),
        own_vocabulary(texts.values(), OWN_SIZE, "cl100k", folder),
        own_vocabulary(texts.values(), VOCABULARY, "o200k", folder),
    ]
    show("Loading", LOADING_HEADER, [loading_row(vocabulary) for vocabulary in vocabularies])
    rows = [every_row(vocabulary, *case) for vocabulary in vocabularies for case in texts.items()]
    show("Encoding, every vocabulary", EVERY_HEADER, rows)


def each_pattern(texts: dict[str, str]) -> list[tuple[str, str, str]]:
    """Every language with every pattern that cuts."""
    patterns = [pattern for pattern in SPLIT_PATTERNS if pattern != "none"]
    return [(language, text, pattern) for language, text in texts.items() for pattern in patterns]


COUNTING_HEADER = ["text", "pattern", "pretokens", "distinct", "compiled, s", "regex, s", "compiled ÷ regex"]


def counting_row(language: str, text: str, pattern: str) -> Row:
    """Compiled code against `regex`, which cuts the same pattern if a comment makes it unknown."""
    twin = f"(?#plain)(?:{SPLIT_PATTERNS[pattern]})"
    counted = counted_pretokens(text, pattern)
    assert counted.strings() == list(count_pretokens(text, twin))
    findall = compile_pattern(pattern).findall
    ours, theirs = best_of([partial(counted_pretokens, text, pattern), lambda: count(findall(text))], runs=RUNS)
    cells = [f"{counted.counts.sum():,}", f"{counted.counts.size:,}", f"{ours:.3f}", f"{theirs:.3f}"]
    return [language, pattern, *cells, f"**{ours / theirs:.2f}**"]


def count(pretokens: list[str]) -> dict[str, int]:
    """What was done with the pretokens of `regex`."""
    counts: dict[str, int] = {}
    for pretoken in pretokens:
        counts[pretoken] = counts.get(pretoken, 0) + 1
    return counts


TRAINING_HEADER = [
    *(
        "pattern",
        "MB",
        "one thread, s",
        "rustbpe, s",
        "ours ÷ it",
        "ffbpe, s",
        "ours ÷ it",
        "gigabpe, s",
        "ours ÷ it",
    ),
    *("all cores, s", "÷ rustbpe", "÷ ffbpe", "÷ gigabpe"),
]


def parts_of(file: Path) -> list[str]:
    """A large text in parts, each of whole lines, for those who take each to its own core."""
    with file.open(encoding="utf-8") as lines:
        return ["".join(part) for part in iter(lambda: lines.readlines(PART), [])]


def training_row(texts: list[str], pattern: str, runs: int = RUNS) -> Row:
    """Texts to merges; peers may take each text to its own core. gigabpe reads files, and knows one pattern."""
    tasks = [
        lambda: train_ours(texts, pattern),
        lambda: train_ours(texts, pattern, threads=os.cpu_count() or 1),
        lambda: train_rustbpe(texts, pattern),
        lambda: train_ffbpe(texts, pattern),
    ]
    with TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{n}.txt") for n in range(len(texts))]
        for file, text in zip(files, texts):
            Path(file).write_text(text, encoding="utf-8")
        if pattern == "gpt2":
            tasks.append(lambda: gigabpe.train_bpe(files, VOCABULARY, pretokenizer="bytelevel"))
        ours, threaded, *peers = best_of(tasks, runs=runs)
    missing = [""] * (3 - len(peers))
    ratios = [cell for peer in peers for cell in (f"{peer:.2f}", f"**{ours / peer:.2f}**")] + 2 * missing
    of_all = [f"**{threaded / peer:.2f}**" for peer in peers] + missing
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    return [pattern, f"{megabytes:.1f}", f"{ours:.2f}", *ratios, f"{threaded:.2f}", *of_all]


def train_ours(texts: list[str], pattern: str, threads: int = 1) -> object:
    """Count, then merge."""
    return Trainer(counted_pretokens(texts, pattern, threads=threads), VOCABULARY).step(VOCABULARY)


def train_rustbpe(texts: list[str], pattern: str) -> object:
    """rustbpe takes an iterator of texts."""
    trainer = rustbpe.Tokenizer()
    trainer.train_from_iterator(iter(texts), VOCABULARY, pattern=SPLIT_PATTERNS[pattern])
    return trainer


def train_ffbpe(texts: list[str], pattern: str) -> object:
    """ffbpe counts in batches, and trains from its own counter."""
    counter = ffbpe.PreTokenizer([], pat_str=SPLIT_PATTERNS[pattern]).word_counter()
    counter.add_source(texts)
    trainer = ffbpe.BpeTrainer([], unit="byte")
    trainer.add_word_counter(counter)
    trainer.train(VOCABULARY)
    return trainer.validate_model()


ENCODING_HEADER = [
    *("text", "pattern", "tokens", "ours, s", "tiktoken, s", "ours ÷ it"),
    *("riptoken, s", "ours ÷ it", "counting alone, s"),
]


def encoding_row(language: str, text: str, pattern: str) -> Row:
    """A tokenizer made anew for each run; all give the same ids."""
    learned = Trainer(counted_pretokens(text, pattern), OWN_SIZE).step(OWN_SIZE)
    merges = [(merge.left, merge.right) for merge in learned]
    fresh = [Tokenizer(merges, pattern=pattern) for _ in range(2 * RUNS + 1)]
    ranks = {token: rank for rank, token in enumerate(fresh[0].vocabulary)}
    rip = riptoken.CoreBPE(ranks, {}, SPLIT_PATTERNS[pattern])
    tik = tiktoken.Encoding("own", pat_str=SPLIT_PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})
    ids = fresh.pop().encode(text)
    assert ids == tik.encode_ordinary(text) == rip.encode_ordinary(text)
    tasks = [
        lambda: fresh.pop().encode(text),
        lambda: tik.encode_ordinary(text),
        lambda: rip.encode_ordinary(text),
        lambda: fresh.pop().count_tokens(text),
    ]
    ours, *peers, counting = best_of(tasks, runs=RUNS)
    ratios = (cell for peer in peers for cell in (f"{peer:.3f}", f"**{ours / peer:.2f}**"))
    return [language, pattern, f"{len(ids):,}", f"{ours:.3f}", *ratios, f"{counting:.3f}"]


EVERY_HEADER = [
    *("vocabulary", "text", "tokens", "tiktoken, s", "ours ÷ it"),
    *(
        f"{when}{cell}"
        for when in ("cold: ", "warm: ", "array: ")
        for cell in ("ours, s", "÷ quicktok", "÷ gigatoken")
    ),
]
LOADING_HEADER = ["vocabulary", "entries", "ours, s", "quicktok, s", "gigatoken, s"]
LISTED = {
    "ours": lambda tokenizer, text: tokenizer.encode(text),
    "quicktok": lambda tokenizer, text: tokenizer.encode_ordinary(text),
    "gigatoken": lambda tokenizer, text: tokenizer.encode(text).tolist(),
}
IN_ARRAYS = {
    "ours": lambda tokenizer, text: tokenizer.encode_each([text]).ids,
    "quicktok": lambda tokenizer, text: tokenizer.encode_batch([text], 1)[0],
    "gigatoken": lambda tokenizer, text: tokenizer.encode(text),
}


class Vocabulary(NamedTuple):
    """A vocabulary, and how each library loads it."""

    name: str
    pattern: str
    tokens: list[bytes]
    byte_of: list[int]
    """Our id of each of its ids: the 256 bytes have others."""
    loads: dict[str, Callable[[], Any]]


def reference_vocabulary(name: str, pattern: str, folder: Path) -> Vocabulary:
    """A vocabulary of OpenAI, from the ranks of its tokens."""
    reference = openai_tokenizer(name)
    tokens = [reference.token_bytes(rank) for rank in range(reference.vocab_size)]
    byte_of = [tokens[rank][0] if rank < 256 else rank for rank in range(len(tokens))]
    merges = [(byte_of[left], byte_of[right]) for left, right in merges_of_ranks(tokens)]
    shipped = Path(quicktok.__file__).parent / "data"
    return vocabulary_of(name, pattern, merges, tokens, byte_of, folder, shipped)


def own_vocabulary(texts: Iterable[str], size: int, pattern: str, folder: Path) -> Vocabulary:
    """A vocabulary learned from all texts, which quicktok imports."""
    merges = [merge[:2] for merge in Trainer(counted_pretokens(texts, pattern), size).step(size)]
    tokens = list(Tokenizer(merges, pattern=pattern).vocabulary)
    name = f"own{size}"
    with contextlib.redirect_stdout(io.StringIO()):
        importer.write_files(
            str(folder), name, {token: rank for rank, token in enumerate(tokens)}, {}, pattern, False, 0
        )
        importer.ensure_tables(str(folder), str(Path(quicktok.__file__).parent / "data"), pattern, False)
    return vocabulary_of(name, pattern, merges, tokens, list(range(size)), folder, folder)


def vocabulary_of(
    name: str, pattern: str, merges: list[Pair], tokens: list[bytes], byte_of: list[int], folder: Path, data: Path
) -> Vocabulary:
    """Each library loads it ready to encode: with its tables made, and nothing encoded yet."""
    file = folder / f"{name}.tiktoken"
    file.write_text("".join(f"{b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens)))
    loads = {
        "ours": lambda: grown(Tokenizer(merges, pattern=pattern)),
        "quicktok": lambda: quicktok.Tokenizer(name, str(data)),
        "gigatoken": lambda: gigatoken.Tokenizer.from_tiktoken(file, pretokenizer=pattern),
    }
    return Vocabulary(name, pattern, tokens, byte_of, loads)


def grown(tokenizer: Tokenizer) -> Tokenizer:
    """A tokenizer with its tree, which otherwise grows at the first long text."""
    assert tokenizer._tree
    return tokenizer


def loading_row(vocabulary: Vocabulary) -> Row:
    """Seconds until each is ready to encode."""
    loads = best_of(list(vocabulary.loads.values()), runs=RUNS, clock=time.process_time)
    return [vocabulary.name, f"{len(vocabulary.tokens):,}", *(f"{seconds:.3f}" for seconds in loads)]


def every_row(vocabulary: Vocabulary, language: str, text: str) -> Row:
    """Cold: nothing encoded before, to a list. Warm: the same text encoded before. Array: warm, to an array."""
    _, pattern, tokens, byte_of, loads = vocabulary
    ranks = {token: rank for rank, token in enumerate(tokens)}
    tik = tiktoken.Encoding("own", pat_str=SPLIT_PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})
    ids = tik.encode_ordinary(text)
    kept = {name: load() for name, load in loads.items()}
    for name, tokenizer in kept.items():
        assert LISTED[name](tokenizer, text) == ([byte_of[token] for token in ids] if name == "ours" else ids)
    loaded = {name: [load() for _ in range(CPU_RUNS)] for name, load in loads.items()}
    fresh = {name: iter(tokenizers) for name, tokenizers in loaded.items()}  # freeing one takes time, too
    tasks: list[Callable[[], object]] = [
        lambda: tik.encode_ordinary(text),
        *(partial(lambda name: LISTED[name](next(fresh[name]), text), name) for name in loads),
        *(partial(LISTED[name], kept[name], text) for name in loads),
        *(partial(IN_ARRAYS[name], kept[name], text) for name in loads),
    ]
    theirs, *others = best_of(tasks, runs=CPU_RUNS, clock=time.process_time)
    cold = others[0]
    cells = []
    for ours, quick, giga in (others[0:3], others[3:6], others[6:9]):
        cells += [f"{ours:.4f}", f"**{ours / quick:.2f}**", f"**{ours / giga:.2f}**"]
    return [vocabulary.name, language, f"{len(ids):,}", f"{theirs:.4f}", f"**{cold / theirs:.2f}**", *cells]


def kinds_of_text(english: str, thai: str) -> dict[str, str]:
    """Two languages, 2 MB of Python's own library, and twenty lines of each in turn."""
    files = sorted(Path(os.__file__).parent.glob("*.py"))
    code = "".join(file.read_text(encoding="utf-8") for file in files)[:2_000_000]
    lines = [text.splitlines(keepends=True) for text in (english, thai, code)]
    turns = ("".join(each[n : n + 20]) for n in range(0, max(map(len, lines)), 20) for each in lines)
    mixed = "".join(turns)[:1_400_000]
    return {"English": english, "Thai": thai, "code": code, "mixed": mixed}


OWN_PATTERNS = {
    "gpt2, and 'x": SPLIT_PATTERNS["gpt2"].replace("[sdmt]", "[sdmtx]"),
    "o200k, digits one by one": SPLIT_PATTERNS["o200k"].replace("{1,3}", ""),
    "words, white space, signs": r"\w+|\s+|[^\w\s]+",
    "Thai, Latin, white space, each other sign": "[ก-๙]+|[A-Za-z]+|\\s+|.",
}
OWN_HEADER = [
    *("pattern", "text", "pretokens", "distinct", "making the program, s", "program, s", "regex, s"),
    "program ÷ regex",
]


def own_row(name: str, language: str, text: str) -> Row:
    """The program of a pattern against `regex`. Making it asks `regex` for all characters of its classes."""
    pattern = OWN_PATTERNS[name]
    plain = f"(?#plain){pattern}"  # the parser knows no comment
    counted = counted_pretokens(text, pattern)
    assert counted.strings() == counted_pretokens(text, plain).strings()
    (making,) = best_of([partial(program_of, pattern)], runs=1, clock=time.process_time)
    ways = [partial(counted_pretokens, text, each) for each in (pattern, plain)]
    ours, theirs = best_of(ways, runs=5, clock=time.process_time)
    sizes = [f"{counted.counts.sum():,}", f"{counted.counts.size:,}"]
    return [name, language, *sizes, f"{making:.3f}", f"{ours:.3f}", f"{theirs:.3f}", f"**{ours / theirs:.2f}**"]


if __name__ == "__main__":
    main()
