"""`python -m tokenizer_core`: what the library does without a browser."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from tokenizer_core.commands import compare


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, 1 where the input is wrong, 2 where the command is."""
    parser = argparse.ArgumentParser(prog="python -m tokenizer_core", description=__doc__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    compare.add_to(commands)
    said = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # names and languages of any script, wherever it is written
    try:
        code: int = said.run(said)
        sys.stdout.flush()
    except OSError as error:
        return _not_written(error)
    return code


def _not_written(error: OSError) -> int:
    """Where the output went is closed or full: say so, unless whoever read it has simply gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python fails once more as it ends
    if not isinstance(error, BrokenPipeError):
        print(f"the output could not be written: {error.strerror}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
