"""The command line: `tokenizer-explorer`, or `python -m tokenizer_core`."""

import argparse
import io
import os
import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from tokenizer_core.cli import compare, convert, encode, learn, models, train
from tokenizer_core.cli.options import Commands, Parser, add_command, one_line, refuse
from tokenizer_core.corpus_counts.dask_connection import end_children
from tokenizer_core.ctrl_c import INTERRUPTED, SCRIPT, end_as_python_does, undone
from tokenizer_core.errors import TokenizerError

_ROOT = Path(__file__).resolve().parents[1]
_PLACES = (_ROOT, _ROOT / "tokenizer_explorer")
"""Where app.py is: in the project's folder, or in its own folder beside the installed library."""
READER_GONE = 141
"""The exit code that a shell shows for a program whose reader has gone: 128 and the number of SIGPIPE."""
_ABOUT_APP = """\
Serve the app on this computer and print its address. It needs the packages of the extra "app":
pip install 'tokenizer-explorer[app]'.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; exit with 0 if it succeeds, 1 if files fail, 2 if it is wrong, 130 if it is stopped."""
    _stand_in_for_closed_streams()
    prog = SCRIPT if Path(sys.argv[0]).stem == SCRIPT else "python -m tokenizer_core"
    parser = Parser(prog=prog, description=__doc__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    for module in (train, encode, compare, convert, models, learn):
        module.add_to(commands)
    _add_app(commands)
    said, unknown = parser.parse_known_args(arguments)
    if unknown:
        commands.choices[said.command].error(f"unknown arguments: {' '.join(unknown)}")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # names may be in any script, whatever the terminal's encoding
    try:
        with undone(end_children):
            code: int = said.run(said)
            sys.stdout.flush()
    except argparse.ArgumentError as error:
        commands.choices[said.command].error(error.message)
    except (TokenizerError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            return _not_written(error)
        print(f"{said.command}: {one_line(error)}", file=sys.stderr)
        return 1
    except MemoryError:
        print(f"{said.command}: the work must fit in the memory; it is full", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # of a program that calls this function; else `ctrl_c` ends this one
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    return code


def _not_written(error: OSError) -> int:
    """Report that the output is full or closed; stay silent if its reader has simply gone, as after `| head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python fails again while it exits
    if isinstance(error, BrokenPipeError):
        return READER_GONE
    print(f"the output could not be written: {error.strerror or error}", file=sys.stderr)
    return 1


def _stand_in_for_closed_streams() -> None:
    """Where the shell closed a stream (`>&-`), put one that fails when it is used; what stderr is told is lost."""
    streams = {"stdin": ("r", os.O_WRONLY), "stdout": ("w", os.O_RDONLY), "stderr": ("w", os.O_WRONLY)}
    for name, (mode, flag) in streams.items():
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flag), mode, encoding="utf-8"))


# ---- app


def _add_app(commands: Commands) -> None:
    parser = add_command(commands, "app", usage="", summary="the app, in a browser", about=_ABOUT_APP)
    parser.add_argument("--port", type=int, help="the port of the address; 8501 by default")
    parser.set_defaults(run=_run_app)


def _run_app(said: argparse.Namespace) -> int:
    """Serve the app until somebody stops it."""
    if find_spec("streamlit") is None:
        refuse("the app needs more packages: pip install 'tokenizer-explorer[app]'")
    os.chdir(next(place for place in _PLACES if (place / "app.py").is_file()))  # Streamlit reads its settings here
    end_as_python_does()
    port = [] if said.port is None else ["--server.port", str(said.port)]
    sys.argv = ["streamlit", "run", "app.py", *port]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
