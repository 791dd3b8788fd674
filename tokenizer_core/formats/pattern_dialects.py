"""Split patterns for the regular expressions of other libraries: fancy-regex in tiktoken, Oniguruma in tokenizers.

The named patterns cut the same in all three, except at characters that are newer than a library's Unicode tables.
Of a pattern of one's own only a proof can tell.
"""

import regex

from tokenizer_core.formats.traps import Trap
from tokenizer_core.patterns import SPLIT_PATTERNS, pattern_source

_POSSESSIVE_COUNT = regex.compile(r"(\{[0-9]+(?:,[0-9]*)?\})\+")


def for_oniguruma(pattern: str) -> tuple[str | None, list[Trap]]:
    r"""Return the pattern for tokenizers, None for no splitting, and what is to be known about it.

    Oniguruma reads `{1,3}+` as "one to three, once or more", so `{1,3}` takes its place. In the named patterns
    nothing follows it, so it is the same.

    >>> for_oniguruma(r"\p{N}{1,3}+")[0]
    '\\p{N}{1,3}'
    """
    if pattern == "none":
        return None, []
    source = pattern_source(pattern)
    found = _POSSESSIVE_COUNT.search(source)
    traps = _own(pattern, "tokenizers", "Oniguruma")
    if found:
        traps.append(
            Trap.of(
                f"tokenizers reads {found[0]} as {found[1]}, once or more; the file has {found[1]} instead",
                "possessive_count",
                pattern=found[0],
                instead=found[1],
            )
        )
    return _POSSESSIVE_COUNT.sub(r"\1", source), traps


def for_tiktoken(pattern: str) -> tuple[str, list[Trap]]:
    """Return the pattern for tiktoken, and what is to be known about it.

    tiktoken drops the text between two matches, so a pattern of one's own gets a branch that matches it.

    >>> for_tiktoken("[a-z]+")[0]
    '(?:[a-z]+)|(?:(?![a-z]+)(?s:.))+'
    """
    if pattern in SPLIT_PATTERNS:
        return pattern_source(pattern), []
    gap = Trap.of(
        "tiktoken drops text that the pattern does not match; in the snippet, the pattern has a branch for it",
        "tiktoken_gaps",
    )
    return f"(?:{pattern})|(?:(?!{pattern})(?s:.))+", [*_own(pattern, "tiktoken", "fancy-regex"), gap]


def _own(pattern: str, library: str, engine: str) -> list[Trap]:
    """Return the trap of a pattern of one's own."""
    if pattern in SPLIT_PATTERNS:
        return []
    return [
        Trap.of(
            f"the pattern was written for Python's regex; {library} reads it with {engine}, which may differ",
            "own_pattern",
            library=library,
            engine=engine,
        )
    ]
