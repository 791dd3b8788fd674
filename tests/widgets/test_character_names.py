"""Characters are called by the names that people know, in both languages."""

import re
import tomllib
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages.ui.widgets.token_view.payload import character_names
from tests.helpers.paths import REPOSITORY

WORDS = REPOSITORY / "pages" / "ui" / "i18n"
ENGLISH, THAI = (
    tomllib.loads((WORDS / "characters" / f"{language}.toml").read_text(encoding="utf-8"))
    for language in ("en", "th")
)
KINDS = {"control", "private", "unassigned", "surrogate", "broken_byte", "nameless", "capital", "small", "digit"}
THAI_BLOCK = [*range(0x0E01, 0x0E3B), *range(0x0E3F, 0x0E5C)]
CONSONANTS = [chr(code_point) for code_point in range(0x0E01, 0x0E2F) if chr(code_point) not in "ฤฦ"]
KNOWN = {
    "Thai consonant": ("ฐ", "Thai character tho than", "ฐ ฐาน"),
    "Thai vowel": ("\u0e33", "Thai character sara am", "สระอำ"),
    "Thai tone mark": ("\u0e48", "Thai character mai ek", "ไม้เอก"),
    "Thai sign": ("\u0e4c", "Thai character thanthakhat", "ทัณฑฆาต (การันต์)"),
    "Thai digit": ("๑", "Thai digit one", "เลขไทย ๑"),
    "baht": ("฿", "Thai currency symbol baht", "เครื่องหมายบาท"),
    "Latin letter": ("a", "Latin small letter a", "ตัวพิมพ์เล็ก a"),
    "capital": ("M", "Latin capital letter M", "ตัวพิมพ์ใหญ่ M"),
    "digit": ("7", "Digit 7", "เลข 7"),
    "emoji": ("👋", "Waving hand sign", "Waving hand sign"),
    "CJK radical": ("⺀", "CJK radical repeat", "CJK radical repeat"),
    "zero-width space": ("\u200b", "Zero-width space", "ช่องว่างความกว้างศูนย์ (ZWSP)"),
    "named control": ("\t", "Tab", "แท็บ"),
    "nameless control": ("\x1c", "Control character 1C", "อักขระควบคุม 1C"),
    "private use": ("\ue000", ENGLISH["private"], THAI["private"]),
    "broken byte": (b"\xe0".decode("utf-8", "surrogateescape"), ENGLISH["broken_byte"], THAI["broken_byte"]),
    "Tangut ideograph": ("\U00017000", ENGLISH["nameless"], THAI["nameless"]),
    "lone surrogate": ("\ud83d", ENGLISH["surrogate"], THAI["surrogate"]),
}


def name_of(character: str, language: str) -> str:
    return character_names([ord(character)], language)[str(ord(character))]


def test_both_languages_have_the_same_keys() -> None:
    assert list(ENGLISH) == list(THAI)
    assert {key for key in ENGLISH if not re.fullmatch("[0-9A-F]{4,6}", key)} == KINDS


@pytest.mark.parametrize("words", [ENGLISH, THAI], ids=["en", "th"])
def test_no_two_characters_share_a_name(words: dict[str, str]) -> None:
    assert len(set(words.values())) == len(words)


def test_thai_names_are_thai() -> None:
    assert [key for key, name in THAI.items() if not re.search(r"[\u0e00-\u0e7f]", name)] == []
    # SARA AM is one character, not the two that look like it.
    assert [key for key, name in THAI.items() if "\u0e4d\u0e32" in name] == []


def test_english_names_of_thai_characters_are_those_of_unicode() -> None:
    official = {f"{number:04X}": unicodedata.name(chr(number)).lower() for number in THAI_BLOCK}
    assert {key: ENGLISH[key] for key in official} == {
        key: name.replace("thai", "Thai") for key, name in official.items()
    }


def test_a_consonant_is_called_by_a_word_that_holds_it() -> None:
    today = {"ฃ": "ข", "ฅ": "ค"}  # the words of letters out of use are written with others today
    names = {letter: name_of(letter, "th").split(" ") for letter in CONSONANTS}
    wrong = [
        letter
        for letter, (first, word) in names.items()
        if first != letter or today.get(letter, letter) not in word
    ]
    assert wrong == []


@pytest.mark.parametrize(("character", "english", "thai"), KNOWN.values(), ids=KNOWN)
def test_known_characters_have_their_known_names(character: str, english: str, thai: str) -> None:
    assert name_of(character, "en") == english
    assert name_of(character, "th") == thai


def test_a_code_point_unknown_to_unicode_says_of_which_version() -> None:
    assert unicodedata.unidata_version in name_of("\u0e00", "en")
    assert unicodedata.unidata_version in name_of("\uffff", "th")


def test_cjk_ideographs_are_left_to_the_browser() -> None:
    assert character_names(map(ord, "一龯𠀀"), "en") == {}


@given(code_points=st.sets(st.integers(0, 0x10FFFF)), language=st.sampled_from(["en", "th"]))
@example(code_points=set(range(0x3000)), language="th")
@example(code_points=set(range(0xD700, 0x10000)), language="en")
def test_every_character_but_cjk_ideographs_has_a_name(code_points: set[int], language: str) -> None:
    names = character_names(code_points, language)
    cjk = {
        code_point
        for code_point in code_points
        if unicodedata.name(chr(code_point), "").startswith("CJK UNIFIED IDEOGRAPH-")
    }
    assert set(names) == {str(code_point) for code_point in code_points - cjk}
    assert all(name.strip() and "{" not in name for name in names.values())
