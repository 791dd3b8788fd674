"""The parts of which a split pattern is made."""

from dataclasses import dataclass
from typing import Literal

Way = Literal["greedy", "lazy", "possessive"]


@dataclass(frozen=True)
class Characters:
    """One character of a class, as the pattern writes the class, and the flags "i" and "s" if they hold there."""

    source: str
    flags: str


@dataclass(frozen=True)
class Sequence:
    """Parts one after the other."""

    parts: tuple["Part", ...]


@dataclass(frozen=True)
class Choice:
    """Alternatives, of which the first that fits is taken."""

    parts: tuple["Part", ...]


@dataclass(frozen=True)
class Repeat:
    """A part, never empty, that stands several times; if `most` is None, there is no bound."""

    part: "Part"
    least: int
    most: int | None
    way: Way


@dataclass(frozen=True)
class Held:
    """A group that gives nothing back once it has matched."""

    part: "Part"


@dataclass(frozen=True)
class Ahead:
    """What must follow, or must not."""

    part: "Part"
    wanted: bool


@dataclass(frozen=True)
class End:
    r"""The end of the text, of its last line (before a final \n, too), or of any line."""

    of: Literal["text", "last_line", "line"]


Part = Characters | Sequence | Choice | Repeat | Held | Ahead | End


def may_be_empty(part: Part) -> bool:
    """Tell whether a part can match without taking a character; if in doubt, it can.

    >>> may_be_empty(Repeat(Characters("a", ""), 0, None, "greedy"))
    True
    """
    match part:
        case Characters():
            return False
        case Sequence(parts):
            return all(map(may_be_empty, parts))
        case Choice(parts):
            return any(map(may_be_empty, parts))
        case Repeat(repeated, least):
            return least == 0 or may_be_empty(repeated)
        case Held(held):
            return may_be_empty(held)
        case _:
            return True


def classes_of(part: Part) -> list[Characters]:
    """Return the classes of characters in a part, each once, in their order."""
    match part:
        case Characters():
            return [part]
        case Sequence(parts) | Choice(parts):
            return list(dict.fromkeys(each for inner in parts for each in classes_of(inner)))
        case Repeat(inner) | Held(inner) | Ahead(inner):
            return classes_of(inner)
        case _:
            return []
