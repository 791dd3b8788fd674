"""Training and encoding against the fastest peers known, in the same run: prints Markdown tables.

    pip install -r tests/benchmarks/requirements.txt
    python -m tests.benchmarks.bench_fastest ENGLISH.txt THAI.txt

Every figure is the best of three runs, in turn with the peers; ratios are our time by theirs, so that less than 1
is faster. Patterns that a visitor wrote are measured in processor time, best of five. Each run begins with a
tokenizer that has encoded nothing yet. Our compiled code is warm, and so is our table of characters.
"""

import os
import sys
import time
from functools import partial
from pathlib import Path

import tiktoken

from tests.benchmarks.tables import Row, best_of, needs_peers, show
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, Trainer, openai_tokenizer
from tokenizer_core.bpe.openai import _FILES_OF, RANK_FILES
from tokenizer_core.bpe.vocabulary import merges_of_ranks
from tokenizer_core.patterns.cutter import WORTH
from tokenizer_core.patterns.pretokens import count_pretokens, counted_pretokens
from tokenizer_core.patterns.program import program_of
from tokenizer_core.patterns.split_patterns import compile_pattern
from tokenizer_core.workers.compiling import load_all

with needs_peers():
    import ffbpe
    import gigatoken
    import quicktok
    import riptoken
    import rustbpe

RUNS = 3
COPIES = 24
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
    show("Encoding, own 4,096", ENCODING_HEADER, [encoding_row(*case) for case in each_pattern(texts)])
    show("Encoding, cl100k_base", REFERENCE_HEADER, [reference_row(*case) for case in texts.items()])
    counted_pretokens("a" * WORTH, "a+")
    own = [(name, *case) for name in OWN_PATTERNS for case in texts.items()]
    show("Patterns of one's own", OWN_HEADER, [own_row(*case) for case in own])


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
    *("pattern", "MB", "one thread, s", "rustbpe, s", "ours ÷ it", "ffbpe, s", "ours ÷ it"),
    *("all cores, s", "÷ rustbpe", "÷ ffbpe"),
]


def training_row(texts: list[str], pattern: str) -> Row:
    """Texts to merges; the peers may take each text to a core of its own."""
    tasks = [
        lambda: train_ours(texts, pattern),
        lambda: train_ours(texts, pattern, threads=os.cpu_count() or 1),
        lambda: train_rustbpe(texts, pattern),
        lambda: train_ffbpe(texts, pattern),
    ]
    ours, threaded, *peers = best_of(tasks, runs=RUNS)
    ratios = (cell for peer in peers for cell in (f"{peer:.2f}", f"**{ours / peer:.2f}**"))
    of_all = (f"**{threaded / peer:.2f}**" for peer in peers)
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


REFERENCE_HEADER = [
    *("text", "tokens", "ours, s", "tiktoken, s", "ours ÷ it", "quicktok, s", "ours ÷ it"),
    *("riptoken, s", "ours ÷ it", "gigatoken, s", "ours ÷ it"),
]


def reference_row(language: str, text: str) -> Row:
    """The merges of cl100k_base in a tokenizer of our own; the ids of its 256 bytes are others."""
    reference = openai_tokenizer("cl100k_base")
    tokens = [reference.token_bytes(rank) for rank in range(reference.vocab_size)]
    byte_of = [tokens[rank][0] if rank < 256 else rank for rank in range(len(tokens))]
    merges = [(byte_of[left], byte_of[right]) for left, right in merges_of_ranks(tokens)]
    fresh = [Tokenizer(merges, pattern="cl100k") for _ in range(RUNS + 1)]
    for tokenizer in fresh:
        tokenizer.count_tokens("")  # its table of merges is made; the peers made theirs when they were loaded
    tik, quick = reference._encoding, quicktok.get_encoding("cl100k_base")
    rip = riptoken.CoreBPE({token: rank for rank, token in enumerate(tokens)}, {}, SPLIT_PATTERNS["cl100k"])
    file = RANK_FILES / next(iter(_FILES_OF["cl100k_base"]))
    gigas = [gigatoken.Tokenizer.from_tiktoken(file, pretokenizer="cl100k") for _ in range(RUNS + 1)]
    ids = tik.encode_ordinary(text)
    assert ids == quick.encode(text) == rip.encode_ordinary(text) == gigas.pop().encode(text).tolist()
    assert fresh.pop().encode(text) == [byte_of[token_id] for token_id in ids]
    tasks = [
        lambda: fresh.pop().encode(text),
        lambda: tik.encode_ordinary(text),
        lambda: quick.encode(text),
        lambda: rip.encode_ordinary(text),
        lambda: gigas.pop().encode(text).tolist(),
    ]
    ours, *peers = best_of(tasks, runs=RUNS)
    ratios = (cell for peer in peers for cell in (f"{peer:.3f}", f"**{ours / peer:.2f}**"))
    return [language, f"{len(ids):,}", f"{ours:.3f}", *ratios]


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
