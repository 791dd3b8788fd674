"""`python -m tokenizer_core learn`: write three assignments, each with the tests that grade it."""

import argparse
from pathlib import Path

from tokenizer_core.cli.options import Commands, add_command

_ASSIGNMENTS = Path(__file__).parent / "assignments"
_ABOUT = """\
Write three assignments into a folder: byte-pair encoding to be written, a split pattern for Thai to be
designed and measured, and an export to be checked in another library. Each has tests that grade it, which
`python -m unittest` runs.
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands,
        "learn",
        usage="--out FOLDER",
        summary="three assignments with tests that grade them",
        about=_ABOUT,
    )
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where to write")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    parser.set_defaults(run=run)


def run(said: argparse.Namespace) -> int:
    """Write all files; none if one of them is there."""
    out = Path(said.out)
    # The names end in .txt here, so that nobody takes unfinished code for ours.
    files = {out / _written_as(path): path for path in sorted(_ASSIGNMENTS.rglob("*.txt"))}
    if not said.force and (there := [path for path in files if path.exists()]):
        raise FileExistsError(17, "the file is there; --force replaces it", str(there[0]))
    for path, source in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.read_bytes())
    print(f"wrote {len(files)} files into {out}; begin with {out / 'README.md'}")
    return 0


def _written_as(path: Path) -> Path:
    """Return where a file stands in the folder.

    >>> [_written_as(_ASSIGNMENTS / name).as_posix() for name in ("1_train/bpe.py.txt", "2_pattern/thai.txt")]
    ['1_train/bpe.py', '2_pattern/thai.txt']
    """
    name = path.relative_to(_ASSIGNMENTS)
    return name.with_suffix("") if Path(name.stem).suffix else name
