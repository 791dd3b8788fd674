r"""Cutting and counting by patterns of one's own, by their programs and by `regex`: prints a Markdown table.

    python -m tests.benchmarks.bench_patterns English=wikitext2_valid_test.txt Thai=thai_wiki_small.txt

Every figure is processor time, best of five runs, both ways in turn; the counts are the same. To make a program
means to ask `regex` for all characters of its classes, as it is done once in a process.
"""

import sys
import time
from functools import partial
from pathlib import Path

from tests.benchmarks.bench_core import best_of
from tokenizer_core import SPLIT_PATTERNS
from tokenizer_core.cutter import WORTH
from tokenizer_core.own_patterns.program import program_of
from tokenizer_core.pretokens import counted_pretokens

RUNS = 5
PATTERNS = {
    "gpt2, and 'x": SPLIT_PATTERNS["gpt2"].replace("[sdmt]", "[sdmtx]"),
    "o200k, digits one by one": SPLIT_PATTERNS["o200k"].replace("{1,3}", ""),
    "words, white space, signs": r"\w+|\s+|[^\w\s]+",
    "Thai, Latin, white space, each other sign": "[ก-๙]+|[A-Za-z]+|\\s+|.",
}
HEADER = [
    *("pattern", "text", "pretokens", "distinct", "making the program, s", "program, s", "regex, s"),
    "program ÷ regex",
]


def main() -> None:
    """Measure every pattern on every text."""
    files = dict(argument.split("=") for argument in sys.argv[1:])
    texts = {language: Path(file).read_text(encoding="utf-8") for language, file in files.items()}
    counted_pretokens("a" * WORTH, "a+")
    for cells in (HEADER, ["---"] * len(HEADER)):
        print("| " + " | ".join(cells) + " |")
    for name, pattern in PATTERNS.items():
        (making,) = best_of([partial(program_of, pattern)], runs=1, clock=time.process_time)
        for language, text in texts.items():
            print("| " + " | ".join([name, language, *cells_of(text, pattern, making)]) + " |", flush=True)


def cells_of(text: str, pattern: str, making: float) -> list[str]:
    """The figures of one pattern on one text."""
    plain = f"(?#plain){pattern}"  # a comment is nothing that the parser knows
    counted = counted_pretokens(text, pattern)
    assert counted.strings() == counted_pretokens(text, plain).strings()
    ways = [partial(counted_pretokens, text, each) for each in (pattern, plain)]
    ours, theirs = best_of(ways, runs=RUNS, clock=time.process_time)
    sizes = [f"{counted.counts.sum():,}", f"{counted.counts.size:,}"]
    return [*sizes, f"{making:.3f}", f"{ours:.3f}", f"{theirs:.3f}", f"**{ours / theirs:.2f}**"]


if __name__ == "__main__":
    main()
