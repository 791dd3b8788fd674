"""`python -m tokenizer_core`: use the library without a browser."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from tokenizer_core.commands import compare, convert, count, encode, train
from tokenizer_core.commands.corpus import INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; exit with 0 if it succeeds, 1 if files fail, 2 if it is wrong, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m tokenizer_core", description=__doc__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    train.add_to(commands)
    count.add_to(commands)
    encode.add_to(commands)
    compare.add_to(commands)
    convert.add_to(commands)
    said = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # names may be in any script, whatever the terminal's encoding
    try:
        code: int = said.run(said)
        sys.stdout.flush()
    except OSError as error:
        return _not_written(error)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    return code


def _not_written(error: OSError) -> int:
    """Report that the output is full or closed; stay silent if its reader has simply gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python fails again while it exits
    if not isinstance(error, BrokenPipeError):
        print(f"the output could not be written: {error.strerror}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
