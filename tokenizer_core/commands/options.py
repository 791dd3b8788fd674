"""What all commands have in common: how they are added, the options of files, and errors on one line."""

import argparse
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


def one_line(error: Exception) -> str:
    """Write an error on one line."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror or error}"
    return " ".join(str(error).split())
