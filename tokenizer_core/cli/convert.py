"""`python -m tokenizer_core convert`: write a tokenizer in another library's format, and prove it there."""

import argparse
import sys
from pathlib import Path

from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.cli.models import TOKENIZER, tokenizer_named
from tokenizer_core.cli.options import Commands, add_command, check_out
from tokenizer_core.ctrl_c import replacing
from tokenizer_core.errors import ExportError
from tokenizer_core.interop.exportable import Export
from tokenizer_core.interop.exports import FORMATS, LOADED_BY, export
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.files import read_corpus_file
from tokenizer_core.workers.export_proof import ExportProof, Proof

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

The Python code that opens the files is printed on stdout. The proof, and
warnings about the other library, are printed on stderr.
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands,
        "convert",
        usage="TOKENIZER --to FORMAT",
        summary="a tokenizer in another library's format, with proof",
        about=_ABOUT,
    )
    parser.add_argument("tokenizer", metavar="TOKENIZER", help=TOKENIZER)
    parser.add_argument("--to", required=True, choices=FORMATS, help="the format")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="where to write; by default here")
    parser.add_argument("--verify", metavar="CORPUS", help="a text file or table whose lines are compared too")
    parser.add_argument("--pattern", help="the split pattern of a rank file, or of GPT-2's two files")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    parser.set_defaults(run=run)


def run(said: argparse.Namespace) -> int:
    """Write and prove; return 1 if the other library gives other ids."""
    tokenizer = tokenizer_named(said.tokenizer, said.pattern, "convert")
    texts = []
    if said.verify is not None:
        path = Path(said.verify)
        texts.append(read_corpus_file(PackedFile(path.name, path.read_bytes())).text)
    written = export(tokenizer, said.to)
    for path in _write(written, Path(said.out), replace=said.force):
        _say(f"wrote {path}")
    for warning in written.warnings:
        _say(f"note: {warning}")
    is_proven = said.to not in LOADED_BY or _prove(tokenizer, said.to, written, texts)
    sys.stdout.write(written.snippet)
    return 0 if is_proven else 1


def _write(written: Export, folder: Path, *, replace: bool) -> list[Path]:
    """Write the files into a folder, which is made if it is not there; replace none unless told to."""
    paths = {folder / name: content for name, content in written.files.items()}
    there = next((path for path in paths if path.is_file()), None)
    if there is not None and not replace:
        raise ExportError("export_file_there", file=str(there))
    for path in paths:
        check_out(str(path))
    with replacing(*paths) as parts:
        for part, content in zip(parts, paths.values()):
            part.write_bytes(content)
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
        _say(f"not proven: {' '.join(str(proving.failure).split())}")
    if proving.proof is None:
        return False
    _say(proof_sentence(proving.proof))
    return proving.proof.difference is None


def proof_sentence(proof: Proof) -> str:
    """Report a proof on one line.

    >>> proof_sentence(Proof("tiktoken 0.14.0", 2000, 500))
    '2,000 lines and 500 hostile texts: the same ids in tiktoken 0.14.0'
    """
    compared = f"{proof.lines:,} lines and {proof.hostile:,} hostile texts"
    library = proof.library or "this library's own reader of minbpe's files"
    if proof.difference is None:
        return f"{compared}: the same ids in {library}"
    found = proof.difference
    why = {
        "newer_character": f"{found.character} is newer than its Unicode tables",
        "lost_merges": "a rank file does not hold these merges",
        "special_begins": "it takes the shorter of two special tokens",
        "own_pattern": "its regular expressions read the split pattern otherwise",
    }.get(found.why, "the reason is not known")
    acting = " if special tokens act" if found.special_tokens_act else ""
    return (
        f"not the same ids in {library}: {found.text!r}{acting} has {list(found.expected)} here and"
        f" {list(found.found)} there, from token {found.place:,}; {why}"
    )


def _say(sentence: str) -> None:
    print(f"convert: {sentence}", file=sys.stderr)
