"""Branches of split patterns in plain words: those of the named patterns in any pattern, others as source."""

from itertools import count

from pages.ui.words import t
from tokenizer_core.measures.branches import branches
from tokenizer_core.patterns import SPLIT_PATTERNS

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
