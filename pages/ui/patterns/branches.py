"""The branches of split patterns: in plain words, and one on each line of a text box."""

from itertools import count

import regex

from pages.ui.i18n import t
from tokenizer_core.analysis.branches import branches
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS

_WORD = r"[^\r\n\p{L}\p{N}]?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
WORDS = {
    r"'(?:[sdmt]|ll|ve|re)": "endings_small",
    r"'(?i:[sdmt]|ll|ve|re)": "endings",
    _ENDINGS: "endings",
    r" ?\p{L}++": "letters_space",
    rf"{_WORD}+\p{{L}}++": "letters",
    rf"{_WORD}\p{{L}}+": "letters",
    r"[^\r\n\p{L}\p{M}\p{N}]?[\p{L}\p{M}]+": "letters_marks",
    rf"{_WORD}{_UPPER}*{_LOWER}+{_ENDINGS}?": "letters_small",
    rf"{_WORD}{_UPPER}+{_LOWER}*{_ENDINGS}?": "letters_capital",
    r" ?\p{N}++": "digits_space",
    r"\p{N}{1,3}+": "digits",
    r"\p{N}{1,3}": "digits",
    r" ?[^\s\p{L}\p{N}]++": "signs",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+": "signs_lines",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*": "signs_lines",
    r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*": "signs_no_marks",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*": "signs_slashes",
    r"\s++$": "white_end",
    r"\s*[\r\n]": "lines_one",
    r"\s*[\r\n]+": "lines",
    r"\s+(?!\S)": "white_but_last",
    r"\s": "white_one",
    r"\s+": "white",
    SPLIT_PATTERNS["none"]: "everything",
}
"""The key under "branches" in the catalogue, by the source of a branch."""


KINDS = (
    ("endings", "endings_small"),
    ("letters", "letters_space", "letters_marks", "letters_small", "everything"),
    ("digits", "digits_space"),
    ("signs", "signs_lines", "signs_no_marks", "signs_slashes"),
    ("lines", "lines_one"),
    ("white_but_last",),
    ("white", "white_one"),
    ("letters_capital", "white_end"),
)
"""Branches of a kind match the same, so all patterns color them the same; the last two never share a pattern."""
_COLOURS = {name: number for number, kind in enumerate(KINDS) for name in kind}


def explained(pattern: str) -> list[tuple[str, str, int]]:
    """Return each branch of a pattern: its source, its plain words, and the number of its color.

    An unknown branch has only its source, and a color that the others leave free.
    """
    sources = [branch.source for branch in branches(pattern)]
    known = [WORDS.get(source) for source in sources]
    taken = {_COLOURS[name] for name in known if name}
    free = (number for number in count() if number not in taken)
    return [
        (source, t(f"branches.{name}"), _COLOURS[name]) if name else (source, source or "∅", next(free))
        for source, name in zip(sources, known, strict=True)
    ]


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
