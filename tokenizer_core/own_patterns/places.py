"""Where a text can be cut so that no pretoken of a pattern of one's own spans the cut, as far as can be proved.

The proof for a place between two characters: whatever a match asks behind the first of them, the answer is the
same if the text ends there. So no part that takes the first may be followed by a part that takes the second, looks
for it, or asks for the end of the text. And a match can begin at the second, so that a gap ends before it. Which
parts may follow which is told by their classes alone; that finds more pairs than there are, never fewer.
"""

from itertools import product

from tokenizer_core.own_patterns.characters import kinds_of
from tokenizer_core.own_patterns.parts import (
    Ahead,
    Characters,
    Choice,
    End,
    Held,
    Part,
    Repeat,
    Sequence,
    classes_of,
)
from tokenizer_core.own_patterns.reading import parts_of_pattern

_Asked = Characters | End


def can_be_cut_between(source: str, before: str, after: str) -> bool:
    r"""Tell whether it is proved that a text can be cut between any characters of two classes.

    >>> can_be_cut_between(r"\w+|\s+", "[a-z]", " "), can_be_cut_between(r"\w+ |\s+", "[a-z]", " ")
    (True, False)
    >>> can_be_cut_between(r"\w+", "[a-z]", " "), can_be_cut_between(r"\w+$|\s|\w", "[a-z]", " ")
    (False, False)
    """
    part = parts_of_pattern(source)
    if part is None:
        return False
    edges = [Characters(before, ""), Characters(after, "")]
    classes = list(dict.fromkeys([*edges, *classes_of(part)]))
    known = kinds_of(classes)
    if known is None:
        return False
    of = dict(zip(classes, known[1]))
    first, second = (of[edge] for edge in edges)
    pairs: set[tuple[Characters, _Asked]] = set()
    _walk(part, pairs)
    for taken, asked in pairs:
        if (of[taken] & first).any() and (isinstance(asked, End) or (of[asked] & second).any()):
            return False
    return any(not (second & ~of[each]).any() for each in _alone(part))


def _alone(part: Part) -> list[Characters]:
    """Return the classes of which one character is a match."""
    match part:
        case Characters() | Repeat(Characters(), 0 | 1):
            return classes_of(part)
        case Choice(parts):
            return [each for alternative in parts for each in _alone(alternative)]
        case _:
            return []


def _walk(part: Part, pairs: set[tuple[Characters, _Asked]]) -> tuple[list[_Asked], list[Characters], bool]:
    """Return what a part may ask first, what it may take last, and whether it may take nothing.

    Adds what it may ask right after taking a character.
    """
    match part:
        case Characters():
            return [part], [part], False
        case End():
            return [part], [], True
        case Ahead(inner):
            return _walk(inner, pairs)[0], [], True
        case Held(inner):
            return _walk(inner, pairs)
        case Repeat(inner, least, most):
            firsts, lasts, is_empty = _walk(inner, pairs)
            if most != 1:
                pairs.update(product(lasts, firsts))
            return firsts, lasts, is_empty or least == 0
        case Choice(parts):
            each = [_walk(one, pairs) for one in parts]
            return (
                [one for firsts, _, _ in each for one in firsts],
                [one for _, lasts, _ in each for one in lasts],
                any(is_empty for _, _, is_empty in each),
            )
        case Sequence(parts):
            return _walk_along(parts, pairs)


def _walk_along(
    parts: tuple[Part, ...], pairs: set[tuple[Characters, _Asked]]
) -> tuple[list[_Asked], list[Characters], bool]:
    """Do the same for parts one after the other."""
    firsts: list[_Asked] = []
    lasts: list[Characters] = []
    all_empty = True
    for part in parts:
        asked, taken, is_empty = _walk(part, pairs)
        pairs.update(product(lasts, asked))
        firsts += asked if all_empty else []
        lasts = [*lasts, *taken] if is_empty else taken
        all_empty &= is_empty
    return firsts, lasts, all_empty
