"""What Thai and English cost by each method of training: prints Markdown tables.

    pip install -r requirements.txt
    python -m tests.benchmarks.bench_parity [a Thai text] [an English text]

Trained on both texts (mark_aware), once whole, and once with a tenth of the Thai. Parity counts the tokens of
every second pair of the sample; all figures are of the other pairs, and intervals hold 95 % of 1,000 draws of
them. "Mixed" has its first half chosen by all together, as in the paper (arXiv 2508.04796). The last fifth of the
merges of "superwords" may cross pretokens. Unigram is sentencepiece's, with bytes for rare characters. Seconds are
those of learning, the best of three; of Unigram, which counts by itself, of one training with counting.
"""

import sys
import time
from pathlib import Path

from tests.benchmarks.tables import CORPUS, Row, machine, show
from tests.helpers.paths import REPOSITORY
from tokenizer_core import Tokenizer, Trainer, count_pretokens
from tokenizer_core.analysis.bootstrap import premium_intervals
from tokenizer_core.bpe.parity_trainer import Group, ParityTrainer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.kernels.compiled import wait_until_ready
from tokenizer_core.patterns.split_patterns import SUPERWORDS
from tokenizer_core.workers.sentencepiece_job import SentencePieceSettings, train_sentencepiece

SIZES = (1_000, 4_000, 16_000)
PATTERN = "mark_aware"
PAIRS = [
    (REPOSITORY / "sample_data" / f"parallel.{name}.txt").read_text("utf-8").splitlines() for name in ("th", "en")
]


def main() -> None:
    """Both corpora."""
    paths = [Path(name) for name in sys.argv[1:]] or [CORPUS, CORPUS.with_name("wikitext2_valid_test.txt")]
    thai, english = (path.read_text(encoding="utf-8") for path in paths)
    wait_until_ready()
    print(f"{machine()}. Measured on {len(PAIRS[0][1::2])} sentence pairs.\n")
    header = ["method", "vocabulary", "Thai", "English", "Thai ÷ English", "s"]
    for name, texts in (
        ("both texts", [thai, english]),
        ("a tenth of the Thai", [thai[: len(thai) // 10], english]),
    ):
        sizes = " and ".join(f"{len(text.encode()) / 1e6:.1f} MB" for text in texts)
        show(
            f"Trained on {name}: {sizes}",
            header,
            [row(method, size, texts) for size in SIZES for method in METHODS],
        )


def row(method: str, size: int, texts: list[str]) -> Row:
    """One training: what both languages cost, and how long it took."""
    tokenizer: AnyTokenizer
    if method == "Unigram":
        seconds, tokenizer = unigram(size, texts)
    else:
        seconds, merges = min(learned(method, size, texts) for _ in range(3))
        tokenizer = Tokenizer(merges, pattern=SUPERWORDS if method == "superwords" else PATTERN)
    thai, english = (tokenizer.encode_each(lines[1::2]).counts for lines in PAIRS)
    (interval,) = premium_intervals([thai], [english])
    assert interval is not None
    low, high = interval
    premium = f"**{thai.sum() / english.sum():.2f}** ({low:.2f} to {high:.2f})"
    return [
        method,
        f"{tokenizer.vocab_size:,}",
        f"{thai.sum():,}",
        f"{english.sum():,}",
        premium,
        f"{seconds:.2f}",
    ]


def unigram(size: int, texts: list[str]) -> tuple[float, AnyTokenizer]:
    """Return the seconds of a training by sentencepiece, and its tokenizer."""
    settings = SentencePieceSettings(
        vocab_size=size,
        byte_fallback=True,
        normalization_rule_name="identity",
        max_sentence_length=2**20,
        hard_vocab_limit=False,
    )
    started = time.perf_counter()
    content = train_sentencepiece(texts, settings, quiet=True)
    return time.perf_counter() - started, SentencePieceTokenizer(content)


def learned(method: str, size: int, texts: list[str]) -> tuple[float, list[tuple[int, int]]]:
    """Return the seconds of a training after its texts are counted, and its merges."""
    if method in ("plain", "superwords"):
        counted, lines = count_pretokens(texts, PATTERN), count_pretokens(texts, SUPERWORDS)
        started = time.perf_counter()
        trainer: Trainer | ParityTrainer = Trainer(counted, size)
        if method == "superwords":
            first = [(merge.left, merge.right) for merge in trainer.step((size - BYTES) * 4 // 5)]
            trainer = Trainer(lines, size, merges=first)
            second = [(merge.left, merge.right) for merge in trainer.step(size)]
            return time.perf_counter() - started, first + second
    else:
        groups = [
            Group(count_pretokens(text, PATTERN), len(pair[::2]), count_pretokens("\n".join(pair[::2]), PATTERN))
            for text, pair in zip(texts, PAIRS, strict=True)
        ]
        started = time.perf_counter()
        trainer = ParityTrainer(groups, size, global_merges=METHODS[method] * (size - BYTES) // 2)
    merges = [(merge.left, merge.right) for merge in trainer.step(size)]
    return time.perf_counter() - started, merges


METHODS = {"plain": 0, "parity": 0, "mixed": 1, "superwords": 0, "Unigram": 0}
"""Each method, and how many halves of its merges all choose together."""


if __name__ == "__main__":
    main()
