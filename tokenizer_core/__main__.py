"""`python -m tokenizer_core`: what the library does without a browser."""

import argparse
import sys
from collections.abc import Sequence

from tokenizer_core import compare_command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, 1 where the input is wrong, 2 where the command is."""
    parser = argparse.ArgumentParser(prog="python -m tokenizer_core", description=__doc__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    compare_command.add_to(commands)
    said = parser.parse_args(arguments)
    code: int = said.run(said)
    return code


if __name__ == "__main__":
    sys.exit(main())
