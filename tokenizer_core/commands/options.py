"""What all commands have in common: how they are added, options of files, the output, and errors on one line."""

import argparse
import errno
import os
from pathlib import Path
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
EPILOG = (
    "Exit codes: 0 done, 1 the input or output fails (the reason is on stderr), 2 the command is wrong,"
    " 130 stopped by Ctrl-C."
)


def add_command(
    commands: Commands,
    name: str,
    *,
    summary: str,
    about: str,
    epilog: str = EPILOG,
) -> argparse.ArgumentParser:
    """Add a command, whose lines of help stay as they are written, and return its parser."""
    return commands.add_parser(
        name,
        help=summary,
        description=about,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add what files do not always tell of themselves to a parser."""
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether the first line of a table names its columns; detected by default",
    )
    parser.add_argument("--encoding", help="the encoding of the files, such as cp874; detected by default")


def check_out(name: str) -> None:
    """Refuse a file that cannot be written, before hours of work; make its folder if it is not there."""
    path = Path(name)
    if not os.path.basename(name) or path.is_dir():  # noqa: PTH119  Path ignores a slash at the end
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name or "--out")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))


def one_line(error: Exception) -> str:
    """Write an error on one line."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror or error}"
    return " ".join(str(error).split())
