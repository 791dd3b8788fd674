"""Names of characters: those of `words/characters/en.toml` and `th.toml`, or the ones of Unicode."""

import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[1] / "words"
_CJK_IDEOGRAPH = "CJK UNIFIED IDEOGRAPH-"
_KINDS = {"Cc": "control", "Co": "private", "Cn": "unassigned", "Cs": "surrogate"}
_BROKEN_BYTES = range(0xDC80, 0xDD00)  # what "surrogateescape" makes of the bytes 80 to FF


def character_names(code_points: Iterable[int], language: str) -> dict[str, str]:
    """Return the name of each character; its key is its code point as a decimal string, as JSON needs strings.

    CJK unified ideographs are left out, because the browser can make their 93,000 names from the code points.

    >>> character_names([0x0E01, 0x61, 0x4E00], "en")
    {'3585': 'Thai character ko kai', '97': 'Latin small letter a'}
    """
    words = _words(language)
    named = ((code_point, _name(code_point, words)) for code_point in code_points)
    return {str(code_point): name for code_point, name in named if name is not None}


@cache
def _words(language: str) -> dict[str, str]:
    """Return the names of a language by code point in hex, and its words for characters without a name."""
    with (_FOLDER / "characters" / f"{language}.toml").open("rb") as file:
        return tomllib.load(file)


def _name(code_point: int, words: dict[str, str]) -> str | None:
    """Return the name of a character, or None for a CJK unified ideograph."""
    if own := words.get(f"{code_point:04X}"):
        return own
    official = unicodedata.name(chr(code_point), None)
    if official is None:
        return _kind(code_point, words)
    return None if official.startswith(_CJK_IDEOGRAPH) else _sentence_form(official)


def _kind(code_point: int, words: dict[str, str]) -> str:
    """Describe a character without a name, as in "Control character 1C"."""
    # Nameless but assigned are only Tangut ideographs, as Python 3.11 leaves their names out.
    kind = _KINDS.get(unicodedata.category(chr(code_point)), "nameless")
    kind = "broken_byte" if code_point in _BROKEN_BYTES else kind
    # Python 3.11 knows Unicode 14: an emoji of 2022 is "not in Unicode 14.0.0", which stays true.
    return words[kind].format(hex=f"{code_point:02X}", version=unicodedata.unidata_version)


def _sentence_form(official: str) -> str:
    """Write a name of Unicode the way people write.

    >>> _sentence_form("LATIN SMALL LETTER A"), _sentence_form("CJK RADICAL REPEAT")
    ('Latin small letter a', 'CJK radical repeat')
    """
    return f"CJK{official[3:].lower()}" if official.startswith("CJK ") else official.capitalize()
