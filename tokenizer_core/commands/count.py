"""`python -m tokenizer_core count`: the pretokens of a corpus of any size → a file of counts."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from tokenizer_core.commands.corpus import (
    add_corpus,
    add_counting,
    counted,
    dropped_sentence,
    failing,
    limit,
)
from tokenizer_core.commands.engine import add_engine, wrong_choice
from tokenizer_core.commands.options import Commands, add_command, check_out
from tokenizer_core.counting.counts import Counts
from tokenizer_core.counting.counts_file import write_counts

_ABOUT = """\
Count the pretokens of files, and write the counts with their recipe as Parquet: all that training needs of a
corpus. The files are read in parts, so memory grows with different pretokens only, not with text.
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands, "count", summary="the pretokens of a large corpus, in a file to train from", about=_ABOUT
    )
    add_corpus(parser, files="+")
    parser.add_argument(
        "-o", "--out", required=True, metavar="COUNTS", help="the file to write, replaced if there"
    )
    add_counting(parser)
    parser.add_argument("--json", action="store_true", help="print the recipe as JSON")
    add_engine(parser)

    def checked(said: argparse.Namespace) -> int:
        if wrong := wrong_choice(said):
            parser.error(wrong)
        return failing("count", run, said)

    parser.set_defaults(run=checked)


def run(said: argparse.Namespace) -> int:
    """Count and write."""
    check_out(said.out)
    if said.engine == "local":  # workers made here would have the limit of this process
        limit(said.memory)
    counts = counted(said, "count")
    write_counts(counts, said.out)
    if missing := dropped_sentence(counts):
        print(f"count: {missing}", file=sys.stderr)
    if said.json:
        print(json.dumps({**summary_of(counts), "out": said.out}, ensure_ascii=False, indent=2))
    elif sys.stderr.isatty():
        print(f"count: {counts.pretokens.ends.size:,} different pretokens in {said.out}", file=sys.stderr)
    return 0


def summary_of(counts: Counts) -> dict[str, Any]:
    """Return what is to be known of counts."""
    name = counts.recipe.pattern_name
    recipe = {"pattern_name": name, **asdict(counts.recipe)}
    return {"distinct_pretokens": int(counts.pretokens.ends.size), "sha256": counts.sha256, "recipe": recipe}
