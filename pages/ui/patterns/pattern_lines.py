"""A split pattern in a box, one branch on each line: how it is written there, and how it is read back.

Lines are joined with |. A pattern with (?x) keeps its line breaks: there they mean nothing, or end a comment.
"""

import regex

from tokenizer_core.errors import TokenizerError
from tokenizer_core.measures.branches import branches

_VERBOSE = regex.compile(r"\(\?[a-zA-Z01]*x[a-zA-Z01]*(?:-[a-zA-Z]+)?[:)]")
_ESCAPED_OR_BREAK = regex.compile(r"\\?[\n\r]|\\.", regex.DOTALL)
_WRITTEN = {"\n": r"\n", "\r": r"\r"}
_ENDS_WITH_BAR = regex.compile(r"(?<!\\)(?:\\\\)*\|\Z")


def from_lines(written: str) -> str:
    r"""Read the pattern in a box: lines that are not empty, joined with |, unless a | stands there already.

    >>> from_lines("[a-z]+\n \n|[0-9]\n\n."), from_lines("(?x) a # letters\n | b")
    ('[a-z]+| |[0-9]|.', '(?x) a # letters\n | b')
    """
    if _VERBOSE.search(written):
        return written
    pattern = ""
    for line in written.split("\n"):
        if line:
            has_bar = not pattern or line.startswith("|") or _ENDS_WITH_BAR.search(pattern)
            pattern += line if has_bar else f"|{line}"
    return pattern


def as_lines(pattern: str) -> str:
    r"""Write a pattern with one branch on each line, so that `from_lines` gives a pattern of the same meaning.

    A line break in the pattern itself becomes `\n` or `\r`.

    >>> as_lines("[a-z]+|(?:b|c)|."), as_lines("(?x) a | b"), as_lines("a\nb")
    ('[a-z]+\n(?:b|c)\n.', '(?x) a | b', 'a\\nb')
    """
    if _VERBOSE.search(pattern):
        return pattern
    pattern = _ESCAPED_OR_BREAK.sub(lambda found: _WRITTEN.get(found[0][-1], found[0]), pattern)
    try:
        lines = "\n".join(branch.source for branch in branches(pattern))
    except TokenizerError:
        return pattern  # the page says what is wrong with it
    return lines if from_lines(lines) == pattern else pattern
