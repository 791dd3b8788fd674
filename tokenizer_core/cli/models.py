"""`python -m tokenizer_core models`: whose tokenizers are at hand; and the tokenizer that a name stands for."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.cli.corpus import Progress
from tokenizer_core.cli.options import Commands, add_command, in_columns, one_line
from tokenizer_core.sources.at_hand import find_models
from tokenizer_core.sources.families import family_of
from tokenizer_core.sources.hub import PREFIX
from tokenizer_core.sources.model import ModelAtHand
from tokenizer_core.sources.models import is_ambiguous, model_named, open_at_hand

TOKENIZER = (
    "gpt2, cl100k or o200k; a file: a tokenizer.json, a .model of minbpe or SentencePiece, or a rank file of"
    " tiktoken (GPT-2's two files have a + between); a name of the Hugging Face Hub, such as Qwen/Qwen3-8B, which"
    " is fetched if it is not in the cache; or a name that the command models lists"
)
_ABOUT = """\
List the models whose tokenizers are on this machine: in the caches of the Hugging Face Hub and of tiktoken, in
packages that carry some, and among the models of Ollama, LM Studio and llama.cpp. Each name can be given to the
other commands. Nothing is fetched or imported.

A name of the Hub may end in @ and a version; hub: before it means the Hub even if there is a file of this name.
"""
_SHORT_NAMES = {name.removesuffix("_base"): name for name in OPENAI_NAMES}


def add_to(commands: Commands) -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands, "models", usage="", summary="whose tokenizers are on this machine", about=_ABOUT
    )
    parser.add_argument("--json", action="store_true", help="print all that is known as JSON")
    parser.set_defaults(run=run)


def run(said: argparse.Namespace) -> int:
    """Print the models at hand."""
    models = find_models()
    if said.json:
        print(json.dumps([summary_of(model) for model in models], ensure_ascii=False, indent=2))
    else:
        rows = [("name", "kind", "MB", "licence", "version", "place"), *map(_row, models)]
        sys.stdout.write(in_columns(rows, right=(2,)))
    return 0


def summary_of(model: ModelAtHand) -> dict[str, Any]:
    """Return what is known of a model at hand."""
    family = family_of(model.name)
    return {
        "name": model.name,
        "kind": model.kind,
        "files": list(map(str, model.files)),
        "bytes": model.size,
        "licence": model.licence,
        "version": model.version,
        "origin": model.origin,
        "borrowed_from": family.borrows if family else None,
    }


def _row(model: ModelAtHand) -> tuple[str, ...]:
    home, place = str(Path.home()), str(model.place)
    place = f"~{place.removeprefix(home)}" if place.startswith(home) else place
    licence, version = model.licence or "–", model.version[:12] or "–"
    return model.name, model.kind, f"{model.size / 2**20:,.1f}", licence, version, place


# ---- a tokenizer by its name


def tokenizer_named(name: str, pattern: str | None, command: str) -> AnyTokenizer:
    """Load a reference, a file, a model at hand or one of the Hub by its name; print remarks on it."""
    if reference := _SHORT_NAMES.get(name.removesuffix("_base")):
        return openai_tokenizer(reference)
    if is_ambiguous(name):
        taken = f"the path of this name is taken; {PREFIX}{name} is the model of the Hugging Face Hub"
        _say(command, f"{name}: {taken}")
    with Progress(command, "MB", None, per=2**20).shown() as bar:
        shown = 0

        def progress(done: int, total: int) -> None:
            nonlocal shown
            bar.add(done - shown)
            shown = done

        model = model_named(name, token=True, progress=progress)
        opened = open_at_hand(model, pattern=pattern)
    if model.kind == "hub":
        _say(command, f"{name}: version {model.version[:12]}, licence {model.licence or 'not given'}")
    for remark in opened.remarks:
        _say(command, f"{name}: {one_line(remark)}")
    return opened.tokenizer


def _say(command: str, sentence: str) -> None:
    print(f"{command}: {sentence}", file=sys.stderr)
