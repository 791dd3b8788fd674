r"""Read a split pattern of one's own into its parts, if each of them means the same to `regex` and to our machine.

`regex` has a parser, but a private one, and its parts no longer know how they were written. This one reads little:
classes of characters, repeats, alternatives, groups without references, look-ahead, and the end of a text. That is
what split patterns are made of. Whatever it does not know for sure it refuses, and `regex` cuts as before: so its
rules list what is allowed, never what is not. A class is not understood at all: only where it ends. Which
characters belong to it is asked of `regex`.
"""

import regex

from tokenizer_core.own_patterns.parts import (
    Ahead,
    Characters,
    Choice,
    End,
    Held,
    Part,
    Repeat,
    Sequence,
    Way,
    may_be_empty,
)

MAX_DEPTH = 40
"""Groups in groups."""

_ESCAPE = r"\\(?:[dDsSwWnrtfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[pP](?:[A-Z]|\{\^?[A-Za-z_=]++\})|[!-/:-@\[-`{-~ ])"
_CHARACTER = regex.compile(rf"""{_ESCAPE}|[^\\^$.|?*+()\[\]{{}}]|\.|\[\^?+(?:{_ESCAPE}|[^\\\[\]])++\]""")
# Without regard to case, `regex` finds other characters one by one than in a run: (?i:\p{Lu}) and ﬁ.
_PROPERTY = regex.compile(r"\\[pP]")
_FLAGS = regex.compile(r"(?:\(\?[ims]++\))*+")
_GROUP = regex.compile(r"\((?!\?|\*)|\(\?P?<[A-Za-z_]\w*+>|\(\?(?P<on>[ims]*+)(?:-(?P<off>[ims]++))?:")
_HELD, _AHEAD, _NOT_AHEAD = "(?>", "(?=", "(?!"
_REPEAT = regex.compile(r"(?:([*+?])|\{([0-9]{1,3})\}|\{([0-9]{0,3}),([0-9]{0,3})\})([?+]?)")
_SIGNS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_WAYS: dict[str, Way] = {"": "greedy", "?": "lazy", "+": "possessive"}


class _Unknown(Exception):
    """The pattern has something that this parser does not read."""


def parts_of_pattern(source: str) -> Part | None:
    r"""Return the parts of a regular expression that compiles; None if not all of it is known.

    A pattern that may match nothing is not read, because `regex` has rules of its own for empty matches.

    >>> parts_of_pattern("a+")
    Repeat(part=Characters(source='a', flags=''), least=1, most=None, way='greedy')
    >>> parts_of_pattern(r"(?<=a)b"), parts_of_pattern("a*")
    (None, None)
    """
    allowed = regex.UNICODE | regex.V0 | regex.IGNORECASE | regex.MULTILINE | regex.DOTALL
    if regex.compile(source).flags & ~allowed:
        return None
    leading = _FLAGS.match(source)
    assert leading is not None
    reader = _Reader(source, leading.end())
    try:
        part = reader.choice("".join(sorted(set(leading[0]) & set("ims"))), 0)
    except _Unknown:
        return None
    return part if reader.at == len(source) and not may_be_empty(part) else None


class _Reader:
    """Reads a pattern from the left to the right, and stops at what it does not know."""

    def __init__(self, source: str, at: int) -> None:
        self.source = source
        self.at = at

    def choice(self, flags: str, depth: int) -> Part:
        """Read alternatives, up to the end or a closing parenthesis."""
        if depth > MAX_DEPTH:
            raise _Unknown
        alternatives = [self.sequence(flags, depth)]
        while self.takes("|"):
            alternatives.append(self.sequence(flags, depth))
        return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))

    def sequence(self, flags: str, depth: int) -> Part:
        """Read one alternative."""
        parts = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            parts.append(self.repeated(self.one(flags, depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def one(self, flags: str, depth: int) -> Part:
        """Read a character, a group, a look-ahead or the end of the text."""
        if character := self.found(_CHARACTER):
            if "i" in flags and _PROPERTY.search(character[0]):
                raise _Unknown
            return Characters(character[0], flags.replace("m", ""))
        if self.takes(r"\Z"):
            return End("text")
        if self.takes("$"):
            return End("line" if "m" in flags else "last_line")
        if self.takes(_HELD):
            return Held(self.inside(flags, depth))
        for opening in (_AHEAD, _NOT_AHEAD):
            if self.takes(opening):
                return Ahead(self.inside(flags, depth), opening == _AHEAD)
        if group := self.found(_GROUP):
            on, off = (set(group[name] or "") for name in ("on", "off"))
            if on & off:
                raise _Unknown
            return self.inside("".join(sorted(set(flags) - off | on)), depth)
        raise _Unknown

    def inside(self, flags: str, depth: int) -> Part:
        """Read what stands in a group, and its closing parenthesis."""
        part = self.choice(flags, depth + 1)
        if not self.takes(")"):
            raise _Unknown
        return part

    def repeated(self, part: Part) -> Part:
        """Read how often a part is repeated; not one that may be empty, for which `regex` has rules of its own."""
        repeat = self.found(_REPEAT)
        if repeat is None:
            return part
        sign, exactly, least, most, way = repeat.groups()
        if sign:
            few, many = _SIGNS[sign]
        elif exactly:
            few = many = int(exactly)
        elif least or most:
            few, many = int(least or 0), int(most) if most else None
        else:
            raise _Unknown
        if many == 0 or may_be_empty(part) or self.found(_REPEAT) or self.source.startswith("{", self.at):
            raise _Unknown
        return Repeat(part, few, many, _WAYS[way])

    def found(self, wanted: regex.Pattern[str]) -> regex.Match[str] | None:
        """Read what a pattern matches here, if it does."""
        found = wanted.match(self.source, self.at)
        if found:
            self.at = found.end()
        return found

    def takes(self, sign: str) -> bool:
        """Read a sign, if it stands here."""
        stands = self.source.startswith(sign, self.at)
        self.at += len(sign) * stands
        return stands
