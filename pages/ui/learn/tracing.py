"""The definition of byte-pair encoding at work: each line that it runs, with the values of its variables."""

import ast
import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from tokenizer_core.bpe import reference

_SHOWN: tuple[Callable[..., Any], ...] = (
    reference.get_stats,
    reference.merge,
    reference.train_by_definition,
)


class Step(NamedTuple):
    """The line that runs next, and what each variable of its function holds."""

    line: int
    values: list[tuple[str, str]]


def traced(text: str, vocab_size: int) -> tuple[list[str], list[Step]]:
    """Train by the definition; return its lines without docstrings, and the steps of the training."""
    lines, places = _listing()
    steps: list[Step] = []
    shown = {function.__code__ for function in _SHOWN}

    def watch(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code not in shown:
            return None
        if event == "line" and frame.f_lineno in places:
            values = [(name, repr(value)) for name, value in frame.f_locals.items() if name not in _NOT_SHOWN]
            steps.append(Step(places[frame.f_lineno], values))
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        reference.train_by_definition(text, vocab_size, "none")
    finally:
        sys.settrace(before)
    return lines, steps


_NOT_SHOWN = {"text", "vocab_size", "pattern"}
"""Variables that never change."""


def _listing() -> tuple[list[str], dict[int, int]]:
    """Return the lines of the definitions, and the place among them of each line of the file."""
    lines: list[str] = []
    places: dict[int, int] = {}
    for function in _SHOWN:
        source, first = inspect.getsourcelines(function)
        (tree,) = ast.parse("".join(source)).body
        assert isinstance(tree, ast.FunctionDef)
        docstring = range(tree.body[0].lineno, (tree.body[0].end_lineno or 0) + 1)
        lines += [""] if lines else []
        for number, line in enumerate(source, start=1):
            if number not in docstring:
                places[first + number - 1] = len(lines)
                lines.append(line.rstrip("\n"))
    return lines, places
