"""Options of the commands, and what they stand for."""

import argparse
import errno
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias

from tokenizer_core.ctrl_c import is_written_through
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
EPILOG = (
    "Exit codes: 0 done, 1 the input or output fails (the reason is on stderr), 2 the command is wrong,"
    " 130 stopped by Ctrl-C, 141 the reader of the output has gone."
)
_SIZE = re.compile(r"(\d+(?:\.\d+)?) *([KMGT]?)(i?)B?", re.IGNORECASE)
_LEAST_MEMORY = 64 * 2**20


class Parser(argparse.ArgumentParser):
    """Answers a wrong command with what is wrong, one line of usage, and where all options are listed."""

    def error(self, message: str) -> NoReturn:
        """End the program with exit code 2."""
        self.exit(2, f"{self.prog}: {message}\n{self.format_usage()}{self.prog} --help lists all options\n")


def add_command(
    commands: Commands,
    name: str,
    *,
    usage: str,
    summary: str,
    about: str,
    epilog: str = EPILOG,
) -> Parser:
    """Add a command, whose help stays as it is written, and return its parser; `usage` is what must come."""
    return commands.add_parser(
        name,
        usage=" ".join(f"%(prog)s {usage} [options]".split()),
        help=summary,
        description=about,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the read options to a parser."""
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether the first line of a table names its columns; detected by default",
    )
    parser.add_argument("--encoding", help="the encoding of the files, such as cp874; detected by default")


def add_corpus(parser: argparse.ArgumentParser, *, files: str = "*") -> None:
    """Add the files and their read options to a parser."""
    parser.add_argument(
        "files",
        nargs=files,
        metavar="FILE",
        help="text, .csv, .tsv, .jsonl or .parquet, each of the first four also as .gz; patterns such as"
        " 'corpus/*.txt' (** for all folders); - is the standard input",
    )
    parser.add_argument(
        "--column", action="append", metavar="NAME", help="a column of tables; repeat it; by default the prose"
    )
    add_reading(parser)
    parser.add_argument(
        "--skip-unreadable", action="store_true", help="leave out files that cannot be read, and name them"
    )
    add_boundaries(parser)


def add_boundaries(parser: argparse.ArgumentParser) -> None:
    """Add --boundaries to a parser."""
    parser.add_argument(
        "--boundaries",
        choices=["file", "line"],
        default="file",
        help="what is one text: a file (by default), or each line without its end; no token crosses from one to"
        " the next",
    )


def add_counting(parser: argparse.ArgumentParser) -> None:
    """Add the options of counting to a parser."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser.add_argument(
        "--pattern",
        help=f"the split pattern: {', '.join(SPLIT_PATTERNS)}, or a regular expression; by default mark_aware",
    )
    parser.add_argument(
        "--min-pretoken-count",
        type=positive,
        default=1,
        metavar="N",
        help="drop pretokens that occur less often; how much that can matter is printed; by default 1",
    )
    parser.add_argument(
        "--memory",
        type=memory_size,
        metavar="SIZE",
        help="memory for counts and training, such as 4GB, besides 0.5 GB for the program; if it is too little,"
        " the command ends with a sentence, or drops rare pretokens earlier",
    )
    parser.add_argument(
        "--threads", type=positive, default=cores, metavar="N", help="by default %(default)s, all cores"
    )


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the options of a cluster to a parser."""
    group = parser.add_argument_group(
        "on a cluster",
        "FILES may be addresses such as s3://bucket/*.txt, which every worker must be able to open. Large texts"
        " are shared out, and Parquet files by their row groups; each gz, CSV or JSON Lines file is read by one"
        " worker. The result is the same as that of one process.",
    )
    group.add_argument(
        "--engine",
        choices=["local", "dask"],
        default="local",
        help="this process (by default), or a cluster of Dask",
    )
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="the scheduler of a cluster that runs, such as tcp://10.0.0.1:8786"
    )
    group.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="without --scheduler: workers to start on this machine; by default one for each core",
    )


def check_engine(said: argparse.Namespace) -> None:
    """Refuse choices that do not go together."""
    if said.engine != "dask" and (said.scheduler or said.workers is not None):
        refuse(f"{'--scheduler' if said.scheduler else '--workers'} needs --engine dask")
    if said.scheduler and said.workers:
        refuse("either --scheduler or --workers may come, not both")


def refuse(sentence: str) -> NoReturn:
    """End a wrong command with a sentence and exit code 2."""
    raise argparse.ArgumentError(None, sentence)


def positive(said: str) -> int:
    """Read a number from 1 up."""
    if not said.isascii() or not said.isdigit() or not 1 <= int(said) < 2**31:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 up, got {said!r}")
    return int(said)


def memory_size(said: str) -> int:
    """Read a size of memory.

    >>> memory_size("4GB"), memory_size("1.5 GiB") == memory_size("1.5g")
    (4294967296, True)
    """
    found = _SIZE.fullmatch(said.strip())
    size = float(found[1]) * 2 ** (10 * " KMGT".index(found[2].upper() or " ")) if found else 0
    if not _LEAST_MEMORY <= size < 2**60:
        raise argparse.ArgumentTypeError(f"must be a size such as 4GB, at least 64MB, got {said!r}")
    return int(size)


def check_out(name: str) -> None:
    """Refuse a file that cannot be written, before hours of work; make its folder if missing."""
    path = Path(name)
    if not os.path.basename(name) or path.is_dir():  # noqa: PTH119  Path ignores a slash at the end
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name or "--out")
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path if path.exists() and is_written_through(path) else path.parent
    if not os.access(written, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(written))


def in_columns(rows: Sequence[Sequence[str]], *, right: Collection[int]) -> str:
    """Write a table; the columns of numbers are aligned at the right.

    >>> in_columns([("name", "MB"), ("a", "1.0")], right=(1,))
    'name   MB\\na     1.0\\n'
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "".join(
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        + "\n"
        for row in rows
    )


def one_line(error: Exception) -> str:
    """Write an error on one line."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror or error}"
    return " ".join(str(error).split())
