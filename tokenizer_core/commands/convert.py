"""`python -m tokenizer_core convert`: write a tokenizer in another library's format, and prove it there."""

import argparse
import sys
from pathlib import Path

from tokenizer_core.commands.compare import tokenizer_named
from tokenizer_core.commands.options import Commands, add_command, one_line
from tokenizer_core.errors import ExportError, TokenizerError
from tokenizer_core.formats.exports import FORMATS, LOADED_BY, export
from tokenizer_core.formats.traps import Export
from tokenizer_core.jobs.export_proof import Difference, ExportProof, Proof
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.files import read_corpus_file

_ABOUT = """\
Write a tokenizer in the format of another library, and prove it: the files are opened there, and must give the
same ids for 500 hostile texts and, with --verify, for up to 2,000 lines of a corpus.

Formats:
  minbpe           NAME.model and NAME.vocab
  tiktoken         NAME.tiktoken, a rank file
  tokenizer.json   tokenizer.json of Hugging Face's tokenizers and transformers
  gpt2             vocab.json and merges.txt, as GPT-2 has them
  vocabulary.json  the text and the bytes of each id; no library loads it
  merges.csv       a table of all merges; no library loads it

The Python code that opens the files is printed on stdout. Proof, and what is to be known of the other library, are
printed on stderr.
"""
_EPILOG = (
    "Exit codes: 0 done, 1 the tokenizer cannot be written or does not behave the same (the reason is on stderr),"
    " 2 the command is wrong, 130 stopped by Ctrl-C."
)


def add_to(commands: Commands) -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands,
        "convert",
        summary="a tokenizer in another library's format, with proof",
        about=_ABOUT,
        epilog=_EPILOG,
    )
    parser.add_argument("tokenizer", metavar="TOKENIZER", help="a file, two joined by +, or a reference")
    parser.add_argument("--to", required=True, choices=FORMATS, help="the format")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="where to write; by default here")
    parser.add_argument("--verify", metavar="CORPUS", help="a text file or table whose lines are compared too")
    parser.add_argument("--pattern", help="the split pattern of a rank file, or of GPT-2's two files")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    parser.set_defaults(run=run)


def run(said: argparse.Namespace) -> int:
    """Write and prove; return 1, with the reason on stderr, if that fails."""
    try:
        tokenizer = tokenizer_named(said.tokenizer, said.pattern, command="convert")
        texts = [_text(Path(said.verify))] if said.verify is not None else []
        written = export(tokenizer, said.to)
        paths = _write(written, Path(said.out), replace=said.force)
        for path in paths:
            _say(f"wrote {path}")
        for trap in written.traps:
            _say(f"note: {trap.message}")
        done = said.to not in LOADED_BY or _prove(tokenizer, said.to, written, texts)
    except (TokenizerError, OSError) as error:
        _say(one_line(error))
        return 1
    sys.stdout.write(written.snippet)
    return 0 if done else 1


def _write(written: Export, folder: Path, *, replace: bool) -> list[Path]:
    """Write the files into a folder, which is made if it is not there; replace none unless told to."""
    paths = {folder / name: content for name, content in written.files.items()}
    there = next((path for path in paths if path.exists()), None)
    if there is not None and not replace:
        raise ExportError(f"{there} is there already; --force replaces it", "export_file_there", file=str(there))
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in paths.items():
        path.write_bytes(content)
    return list(paths)


def _prove(tokenizer: AnyTokenizer, to: str, written: Export, texts: list[str]) -> bool:
    """Wait for the proof and print it; tell whether all ids are the same."""
    proving = ExportProof(tokenizer, to, written, texts)
    try:
        while not proving.ended:
            proving.wait(1)
    finally:
        proving.stop()  # also when the user presses Ctrl+C
    if proving.failure is not None:
        _say(f"not proven: {' '.join(proving.failure.message.split())}")
    if proving.proof is None:
        return False
    _say(proof_sentence(proving.proof))
    return proving.proof.difference is None


def proof_sentence(proof: Proof) -> str:
    """Say what came of a proof, on one line.

    >>> proof_sentence(Proof("tiktoken 0.14.0", 2000, 500))
    '2,000 lines and 500 hostile texts: the same ids in tiktoken 0.14.0'
    """
    compared = f"{proof.lines:,} lines and {proof.hostile:,} hostile texts"
    library = proof.library or "this library's own reader of minbpe's files"
    if proof.difference is None:
        return f"{compared}: the same ids in {library}"
    return f"not the same ids in {library}: {_difference_sentence(proof.difference)}"


def _difference_sentence(found: Difference) -> str:
    why = {
        "newer_character": f"{found.character} is newer than its Unicode tables",
        "lost_merges": "a rank file does not hold these merges",
        "special_begins": "it takes the shorter of two special tokens",
        "own_pattern": "its regular expressions read the split pattern otherwise",
    }.get(found.why, "the reason is not known")
    acting = " if special tokens act" if found.special_tokens_act else ""
    return (
        f"{found.text!r}{acting} has {list(found.expected)} here and {list(found.found)} there, from token"
        f" {found.place:,}; {why}"
    )


def _text(path: Path) -> str:
    return read_corpus_file(PackedFile(path.name, path.read_bytes())).text


def _say(sentence: str) -> None:
    print(f"convert: {sentence}", file=sys.stderr)
