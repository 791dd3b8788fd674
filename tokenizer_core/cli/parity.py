"""`train --parity`: groups of texts, such as languages, that are to pay the same in tokens."""

import argparse
import functools
from pathlib import Path
from typing import Any, NamedTuple

from tokenizer_core.bpe.parity_trainer import Group, ParityTrainer
from tokenizer_core.bpe.trainer import arrays_of
from tokenizer_core.cli.corpus import counted
from tokenizer_core.cli.options import positive, refuse
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.patterns.pretokens import counted_pretokens

ABOUT = """\
With --parity, each merge is chosen by the language whose text then has the most tokens per unit: parity-aware BPE,
arXiv 2508.04796. The unit is a byte of its training text, or with --measured a line of a parallel text.

  train --parity th='thai/*.txt' --parity en='english/*.txt' --measured th=dev.th --measured en=dev.en \\
      --vocab-size 32000 --out fair
"""


class NamedGroup(NamedTuple):
    """A language on the command line."""

    name: str
    group: Group
    unit: str
    """What its tokens are divided by: "byte" or "line"."""


def add_parity(parser: argparse.ArgumentParser) -> None:
    """Add the options of parity-aware training."""
    options = parser.add_argument_group("parity-aware training")
    options.add_argument(
        "--parity",
        action="append",
        default=[],
        metavar="LANGUAGE=FILES",
        help="the texts of one language, instead of FILES; repeat it for each language",
    )
    options.add_argument(
        "--measured",
        action="append",
        default=[],
        metavar="LANGUAGE=FILE",
        help="a text whose lines say the same in each language; its tokens are counted instead",
    )
    options.add_argument(
        "--global-merges", type=positive, default=0, metavar="N", help="first N merges chosen by all together"
    )


def counted_groups(said: argparse.Namespace) -> tuple[list[NamedGroup], Counts]:
    """Count the texts of each language; return the languages, and the counts of all."""
    files, measured = _by_language("--parity", said.parity), _by_language("--measured", said.measured)
    if len(files) < 2:
        refuse("--parity needs at least two languages")
    if measured and measured.keys() != files.keys():
        refuse("--measured must name the languages of --parity, or none")
    texts = {name: Path(path).read_text(encoding="utf-8-sig") for name, path in measured.items()}
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    if len(set(lines.values())) > 1:
        refuse(f"the texts of --measured must have as many lines: {_said(lines)}")
    counts = {name: counted(_with_files(said, paths), "train") for name, paths in files.items()}
    pattern = said.pattern or "mark_aware"
    groups = [
        NamedGroup(name, Group(each.pretokens, lines[name], counted_pretokens(texts[name], pattern)), "line")
        if texts
        else NamedGroup(name, Group(each.pretokens, each.recipe.bytes_read), "byte")
        for name, each in counts.items()
    ]
    return groups, functools.reduce(Counts.merged, counts.values())


def parity_trainer(groups: list[NamedGroup], said: argparse.Namespace) -> ParityTrainer:
    """Return the trainer of these languages."""
    found = [each.group for each in groups]
    return ParityTrainer(found, said.vocab_size, said.min_count, global_merges=said.global_merges)


def distinct_bytes(groups: list[NamedGroup], counts: Counts, said: argparse.Namespace) -> int:
    """Return the bytes of distinct pretokens that the trainer holds: of each language, measured text, and all."""
    held = [counts.pretokens] if said.global_merges or not groups else []
    for each in groups:
        held += [arrays_of(mapped) for mapped in (each.group.trained, each.group.measured) if mapped is not None]
    return sum(pretokens.text.size for pretokens in held)


def tokens_per_unit(groups: list[NamedGroup], trainer: object) -> dict[str, dict[str, Any]]:
    """Return for each language its tokens, its units, and their ratio, for --json; nothing for a plain trainer."""
    if not isinstance(trainer, ParityTrainer):
        return {}
    return {
        each.name: {"tokens": tokens, each.unit + "s": each.group.unit, "ratio": tokens / each.group.unit}
        for each, tokens in zip(groups, trainer.measured_count, strict=True)
    }


def parity_sentence(groups: list[NamedGroup], trainer: ParityTrainer) -> str:
    """Say what each language pays now."""
    ratios = {name: f"{each['ratio']:.3f}" for name, each in tokens_per_unit(groups, trainer).items()}
    return f"tokens per {groups[0].unit}: {_said(ratios)}"


def _by_language(option: str, given: list[str]) -> dict[str, str]:
    """Return what each language was given; refuse what has no name, or comes twice."""
    found: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not (name and sign and value) or name in found:
            refuse(f"{option} takes LANGUAGE=FILES, each language once; {each!r} was given")
        found[name] = value
    return found


def _with_files(said: argparse.Namespace, pattern: str) -> argparse.Namespace:
    return argparse.Namespace(**{**vars(said), "files": [pattern]})


def _said(figures: dict[str, Any]) -> str:
    return ", ".join(f"{name} {figure}" for name, figure in figures.items())
