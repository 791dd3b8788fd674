"""`python -m tokenizer_core compare`: what the same message costs in several languages, as text, CSV or JSON."""

import argparse
import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tokenizer_core.analysis.cuts import token_total
from tokenizer_core.analysis.ratios import premium
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.cli.models import TOKENIZER, tokenizer_named
from tokenizer_core.cli.options import Commands, add_command, add_reading, in_columns
from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.labels import harmless_cell, listed
from tokenizer_core.readers.parallel import JOININGS, Joining, Parallel, read_parallel

_ABOUT = """\
Count the tokens of the same lines in several languages, and the premium: the tokens of a language divided by
those of the base language, a ratio of sums over all lines.

FILES are text files, one for each language, aligned line by line, or one table with a language in each column:
.csv, .tsv, .jsonl or .parquet. Only \\n and \\r\\n end a line; a line end at the end of a file starts no other
line.

The tokens depend on how lines are joined, so every figure names the joining:
  lines   each line separately, without its end (in a table: each cell)
  whole   the whole file as it is, with its line ends (in a table: the cells, with a line feed between two)
  space   all lines in one text, with a space between two
"""


@dataclass(frozen=True)
class Bill:
    """The tokens of one language by one tokenizer; the premium is None if the base language has no tokens."""

    tokenizer: str
    joining: Joining
    language: str
    tokens: int
    premium: float | None


def add_to(commands: Commands) -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands,
        "compare",
        usage="FILE [FILE ...]",
        summary="tokens of the same message in several languages",
        about=_ABOUT,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="text files, or one table")
    parser.add_argument(
        "--tokenizers",
        default=",".join(OPENAI_NAMES),
        help=f"tokenizers, separated by commas; by default %(default)s. Each is {TOKENIZER}",
    )
    parser.add_argument(
        "--pattern",
        choices=list(SPLIT_PATTERNS),
        help="the split pattern of files that do not hold one; by default cl100k for rank files, gpt2 for GPT-2's",
    )
    parser.add_argument("--base", help="the file or column of the base language; by default the last one")
    parser.add_argument(
        "--joining", choices=[*JOININGS, "all"], default="all", help="how lines are joined; by default all ways"
    )
    parser.add_argument("--columns", help="columns of a table, separated by commas")
    add_reading(parser)
    parser.add_argument(
        "--format", choices=["text", "csv", "json"], default="text", help="the output format; by default text"
    )
    parser.set_defaults(run=run)


def run(said: argparse.Namespace) -> int:
    """Compare and print the table."""
    parallel = read_parallel(
        [PackedFile(path.name, path.read_bytes()) for path in map(Path, said.files)],
        columns=[name.strip() for name in said.columns.split(",")] if said.columns is not None else None,
        header=said.header,
        encoding=said.encoding,
    )
    base = _base(parallel, said.base, said.files)
    tokenizers = [tokenizer_named(name.strip(), said.pattern, "compare") for name in said.tokenizers.split(",")]
    joinings = JOININGS if said.joining == "all" else (said.joining,)
    bills = [bill for each in tokenizers for bill in bills_of(parallel, each, joinings, base)]
    for remark in remarks(parallel):
        print(f"compare: {remark}", file=sys.stderr)
    written = {"text": as_text, "csv": as_csv, "json": as_json}[said.format](parallel, bills, base)
    sys.stdout.write(written)
    return 0


def bills_of(parallel: Parallel, tokenizer: AnyTokenizer, joinings: Sequence[Joining], base: int) -> list[Bill]:
    """Count the tokens of one tokenizer for each language, in each joining."""
    bills = []
    for joining in joinings:
        totals = [token_total(parallel, place, tokenizer, joining) for place in range(len(parallel.names))]
        bills += [
            Bill(tokenizer.name, joining, name, tokens, premium(tokens, totals[base]))
            for name, tokens in zip(parallel.names, totals)
        ]
    return bills


def remarks(parallel: Parallel) -> list[str]:
    """Return warnings about the texts."""
    empty = parallel.empty
    said = [
        f"{guess.name} does not say its encoding; it was read as {guess.encoding}" for guess in parallel.guesses
    ]
    if (table := parallel.table) and table.skipped_rows:
        said.append(f"{table.skipped_rows:,} broken rows were skipped, the first in line {table.first_skipped:,}")
    if empty.all_sides:
        said.append(f"{empty.all_sides:,} pairs are empty on all sides; they are counted as pairs")
    if empty.some_sides:
        said.append(f"{empty.some_sides:,} pairs are empty on some side, the first is pair {empty.first:,}")
    if parallel.first_shifted:
        said.append(f"the lines seem to be shifted from about line {parallel.first_shifted:,}")
    return said


# ---- writing


def as_text(parallel: Parallel, bills: Sequence[Bill], base: int) -> str:
    """Write a table for people."""
    rows = [("tokenizer", "joining", "language", "tokens", "premium")]
    rows += [
        (
            *(bill.tokenizer, bill.joining, bill.language, f"{bill.tokens:,}"),
            "–" if bill.premium is None else f"{bill.premium:.4f}",
        )
        for bill in bills
    ]
    title = f"{parallel.pairs:,} pairs; premium = tokens / tokens of {parallel.names[base]}, a ratio of sums"
    return f"{title}\n\n{in_columns(rows, right=(3, 4))}"


def as_csv(parallel: Parallel, bills: Sequence[Bill], base: int) -> str:
    """Write a row for each figure; an undefined premium is an empty cell."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["tokenizer", "joining", "language", "tokens", "base", "premium", "pairs"])
    for bill in bills:
        tokenizer, language, base_name = map(harmless_cell, (bill.tokenizer, bill.language, parallel.names[base]))
        premium_cell = "" if bill.premium is None else repr(bill.premium)
        cells = [tokenizer, bill.joining, language, bill.tokens, base_name, premium_cell, parallel.pairs]
        writer.writerow(cells)
    return written.getvalue()


def as_json(parallel: Parallel, bills: Sequence[Bill], base: int) -> str:
    """Write one object; an undefined premium is null."""
    found = {
        "pairs": parallel.pairs,
        "languages": parallel.names,
        "base": parallel.names[base],
        "premium": "tokens / tokens of the base language, a ratio of sums",
        "skipped_rows": parallel.table.skipped_rows if parallel.table else 0,
        "empty_pairs": parallel.empty._asdict(),
        "bills": [asdict(bill) for bill in bills],
    }
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _base(parallel: Parallel, name: str | None, files: Sequence[str]) -> int:
    """Return the index of the base language, given as a file path or a name; by default the last one."""
    if name is None:
        return len(parallel.names) - 1
    if len(files) > 1 and name in files:
        return files.index(name)
    if name in parallel.names:
        return parallel.names.index(name)
    raise CorpusError("base_unknown", name=name, known=listed(parallel.names))
