"""Names, cells and texts from strangers, made safe to show: labels, harmless cells, openings."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

LONGEST = 80
"""Characters of a label."""
_LISTED, _LISTED_LETTERS = 10, 30
"""Labels in a list of them, and characters of each."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def clean_name(name: str) -> str:
    """Remove invisible characters and parts such as `..` from a file name; of a long name, keep the end.

    >>> clean_name("..\\\\ชุด/./\\u202eก\\x00.txt"), clean_name("/" * 9)
    ('ชุด/ก.txt', '?')
    """
    parts = (_visible(part) for part in name.replace("\\", "/").split("/"))
    path = "/".join(part for part in parts if part.strip(". ") or len(part) > 2) or "?"
    return path if len(path) <= LONGEST else "…" + _from_a_letter(path[-LONGEST + 1 :])


def column_labels(names: Iterable[str]) -> tuple[str, ...]:
    """Make column names short, visible and all different; a column without a name gets its number.

    >>> column_labels(["text", "", "text"])
    ('text', '2', 'text (2)')
    """
    labels: list[str] = []
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    for number, name in enumerate(names, 1):
        label = wanted = _visible(name)[:LONGEST] or str(number)
        while label in taken:
            seen[wanted] += 1
            label = f"{wanted} ({seen[wanted] + 1})"
        taken.add(label)
        labels.append(label)
    return tuple(labels)


def listed(labels: Sequence[str]) -> str:
    """Name the first columns; an ellipsis tells that there are more, or that a name is longer.

    >>> listed(["id", "text"]), listed([str(n) for n in range(12)]), len(listed(["a" * 80]))
    ('id, text', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …', 31)
    """
    shown = [
        label if len(label) <= _LISTED_LETTERS else label[:_LISTED_LETTERS] + "…" for label in labels[:_LISTED]
    ]
    return ", ".join([*shown, "…"] if len(labels) > _LISTED else shown)


def harmless_cell(cell: str) -> str:
    """Put an apostrophe before a cell that begins like a formula, so that no spreadsheet runs it.

    >>> harmless_cell("=1+1"), harmless_cell("a=1")
    ("'=1+1", 'a=1')
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def opening(text: str, characters: int = 200) -> str:
    """Return the first lines of a text, at most `characters` long; if the first line is longer, its beginning.

    >>> opening("one\\ntwo\\nthree", 8)
    'one\\ntwo'
    """
    beginning = text.lstrip()[:characters]
    whole_lines = beginning.rpartition("\n")[0]
    return beginning if len(beginning) == len(text.lstrip()) else whole_lines.strip() or beginning


def corpus_opening(texts: Sequence[str]) -> str:
    """Return the first lines of the first two texts.

    >>> corpus_opening(["one", "", "three"])
    'one'
    """
    return "\n".join(filter(None, map(opening, texts[:2])))


def _visible(text: str) -> str:
    """Remove control characters, marks of writing direction, lone surrogates and line breaks."""
    return "".join(character for character in text if character.isprintable()).strip()


def _from_a_letter(text: str) -> str:
    """Remove the combining marks at the start, whose letter was cut off."""
    start = next((place for place, each in enumerate(text) if not unicodedata.category(each).startswith("M")), 0)
    return text[start:]
