"""Look-alikes are found once each, cleaning needs one pass, and what means something is left alone."""

import re
import sys
from unicodedata import combining, normalize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.files import least_seconds
from tests.helpers.hostile import hostile_texts
from tokenizer_core.readers.lookalikes import KINDS, Finding, cleaned, find_lookalikes

ZERO_WIDTH = "\u200b\u2060\ufeff\u00ad\u180e"
DIRECTION = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
VOWELS = "\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a\u0e47\u0e4d"
TONES = "\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4e"
EMOJI = "👩"

THAI = "กน" + "เแ" + "าำ" + VOWELS + TONES
INVISIBLE = "\u200b\u200c\u200d\u200e\u00a0\u3000 \n" + "aก漢" + EMOJI + "\u06cc\u0d28\u0d4d\u0301\u212a\u037e"
COMPOSING = (
    "aeK<\0 漢\u212a\u037e\u0958\u0928\u093c\u094d\u0301\u0327\u0323\u0344\u0f71\u0f72\u0f73\u1100\u1161\u11a8가"
)
TEXTS = st.one_of(
    hostile_texts,
    st.text(THAI, max_size=20),
    st.text("นา\u0e33\u0e34\u0e4d\u0e48\u0e49\u200b", max_size=12),
    st.text(INVISIBLE, max_size=12),
    st.text(COMPOSING + "ก\u0e48", max_size=12),
    st.text(THAI + INVISIBLE + COMPOSING + ZERO_WIDTH + DIRECTION + SPACES, max_size=30),
)

LOOK_ALIKES = {
    "mae_of_two_e": ("เเม่", "แม่", ["double_e"]),
    "three_e": ("เเเ", "แเ", ["double_e"]),
    "e_around_a_zero_width_space": ("เ\u200bเม่", "แม่", ["double_e"]),
    "swapped_marks": ("ท\u0e48\u0e35", "ท\u0e35\u0e48", ["mark_order"]),
    "thanthakhat_before_vowel": ("สทธ\u0e4c\u0e34", "สทธ\u0e34\u0e4c", ["mark_order"]),
    "swapped_around_a_zero_width_space": ("ท\u0e48\u200b\u0e35", "ท\u0e35\u0e48", ["mark_order"]),
    "two_swapped": ("ก\u0e49\u0e48\u0e38\u0e34", "ก\u0e38\u0e34\u0e49\u0e48", ["mark_order"]),
    "mark_twice": ("ท\u0e35\u0e48\u0e48", "ท\u0e35\u0e48", ["mark_twice"]),
    "am_in_two_pieces": ("ท\u0e4d\u0e32", "ท\u0e33", ["sara_am"]),
    "am_after_the_tone": ("น\u0e49\u0e4d\u0e32", "น\u0e49\u0e33", ["sara_am"]),
    "am_around_the_tone": ("น\u0e4d\u0e49\u0e32", "น\u0e49\u0e33", ["sara_am"]),
    "tone_after_am": ("น\u0e33\u0e49", "น\u0e49\u0e33", ["mark_order"]),
    "tone_after_am_in_two_pieces": ("น\u0e4d\u0e32\u0e49", "น\u0e49\u0e33", ["sara_am"]),
    "zero_width_space": ("ภาษา\u200bไทย", "ภาษาไทย", ["zero_width"]),
    "byte_order_mark": ("\ufeffa", "a", ["zero_width"]),
    "soft_hyphen": ("to\u00adken", "token", ["zero_width"]),
    "non_joiner_in_english": ("to\u200cken", "token", ["zero_width"]),
    "joiners_in_a_row": ("a" + "\u200c\u200d" * 5 + EMOJI, "a" + EMOJI, ["zero_width"]),
    "joiner_around_a_zero_width_space": ("a\u200d\u200b\u200d" + EMOJI, "a" + EMOJI, ["zero_width"]),
    "joiner_before_a_space_to_be": (EMOJI + "\u200d\u00a0", EMOJI + " ", ["zero_width", "white_space"]),
    "joiner_before_a_letter_to_be": (EMOJI + "\u200d\u212a", EMOJI + "K", ["zero_width", "decomposed"]),
    "direction_marks": ("a\u200e\u202e\u2069b", "ab", ["direction"]),
    "two_kinds_of_nothing": ("a\u200b\u200e\u200bb", "ab", ["zero_width", "direction", "zero_width"]),
    "no_break_space": ("a\u00a0b", "a b", ["white_space"]),
    "as_many_spaces": ("a\u00a0\u2009\u202fb", "a   b", ["white_space"]),
    "wide_space_in_thai": ("ก\u3000ข", "ก ข", ["white_space"]),
    "wide_spaces_after_ascii": ("a\u3000\u3000漢", "a  漢", ["white_space"]),
    "wide_space_beside_another": ("漢\u3000\u00a0漢", "漢  漢", ["white_space"]),
    "one_by_one": ("e\u0301e\u0301", "éé", ["decomposed", "decomposed"]),
    "e_acute_around_a_joiner": ("ae\u200d\u0301", "aé", ["decomposed"]),
    "jamo": ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글", ["decomposed", "decomposed"]),
    "not_equal": ("a=\u0338b", "a≠b", ["decomposed"]),
    "nukta": ("\u0958", "\u0915\u093c", ["decomposed"]),
    "marks_in_another_order": ("x\u0301\u0323", "x\u0323\u0301", ["decomposed"]),
    "marks_on_a_space_to_be": ("a\u00a0\u0301\u0323", "a \u0323\u0301", ["white_space", "decomposed"]),
    "marks_on_thai": ("ก\u0301\u0323", "ก\u0323\u0301", ["decomposed"]),
}

LEFT_ALONE = {
    "empty": "",
    "ascii": "plain text\r\n\t\0\x7f",
    "thai": "แม่ซื้อน้ำที่ร้าน ๕ บาท เก็บศูนย์สิทธิ์ดุจญาติผู้ใหญ่ ทฤษฎี ปฏิบัติ ฤๅษี",
    "am_with_tones": "น้ำ ต่ำ ค่ำ ซ้ำ ย่ำ",
    "nikhahit_in_pali": "อรห\u0e4d สมฺมา พุทฺธ\u0e4d",
    "tone_before_aa": "ข้าว ป่า",
    "e_apart": "เก เ เ",
    "emoji_family": "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d🚀 ❤️\u200d🔥 🏳️\u200d🌈 1️⃣",
    "flags": "🇹🇭🇯🇵 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "persian": "می\u200cخواهم کتاب\u200cها را",
    "persian_beside_ascii": "PDF\u200cها ه\u200d. ش\u200c",
    "hindi": "क्\u200dष हिन्दी श्री",
    "hindi_beside_a_space": "क्\u200d ष",
    "malayalam_at_the_end_of_a_word": "അവന്\u200d വന്നു",
    "bengali": "র\u200d্যাব উত্\u200d",
    "arabic": "مرحبا بالعالم",
    "hebrew": "שלום",
    "japanese": "東京\u3000大阪\n\u3000吾輩は猫である。\u3000名前は",
    "korean": "한국어 텍스트",
    "vietnamese": "Tiếng Việt",
    "wide_space_alone": "\u3000",
    "joiner_alone": "\u200d",
    "compatibility_forms": "ﬁ ２ ㎏ Ⅳ",
}

HOSTILE = {
    "one_kind_of_mark": "ก" + "\u0e48" * 80_000,
    "swapped_marks_in_one_run": "ก" + "\u0e48\u0e35" * 40_000,
    "nikhahit_and_tones": "\u0e4d" + "\u0e48" * 80_000,
    "ams_and_tones": "\u0e33\u0e49" * 40_000,
    "double_e": "เ" * 80_000,
    "joiners_and_marks": "\u0301" * 40_000 + "\u200d" * 40_000 + "a",
    "joined_letters": "a\u200d" * 40_000,
    "wide_spaces": "\u3000" * 80_000,
    "acutes": "e" + "\u0301" * 80_000,
    "composable": "e\u0301" * 40_000,
    "marks_in_the_worst_order": "e" + "\u0301" * 40_000 + "\u0327" * 40_000,
    "marks_of_two_marks": "\u0f73" * 80_000,
    "jamo": "\u1112\u1161\u11ab" * 26_000,
}


def kinds(text: str) -> list[str]:
    return [finding.kind for finding in find_lookalikes(text)]


def rewritten(text: str, *rules: tuple[str, str]) -> str:
    """The text after each rule in turn, and each as often as it finds anything."""
    for pattern, replacement in rules:
        before = ""
        while before != text:
            before, text = text, re.sub(pattern, replacement, text)
    return text


def thai_by_definition(text: str) -> str:
    """The twin of the Thai repairs: one swap or removal at a time, until nothing changes."""
    return rewritten(
        re.sub("เเ", "แ", text),
        (f"\u0e4d([{TONES}]*)\u0e32", "\\1\u0e33"),
        (f"\u0e33([{TONES}])", "\\1\u0e33"),
        (f"([{TONES}])([{VOWELS}])", r"\2\1"),
        (f"([{VOWELS}{TONES}])\\1", r"\1"),
    )


@pytest.mark.parametrize(("text", "clean", "found"), LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_look_alikes_are_found_and_cleaned(text: str, clean: str, found: list[str]) -> None:
    assert kinds(text) == found
    assert cleaned(text) == clean


def test_every_kind_has_an_example() -> None:
    assert {kind for *_, found in LOOK_ALIKES.values() for kind in found} == set(KINDS)


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_means_something_is_left_alone(text: str) -> None:
    assert find_lookalikes(text) == []
    assert cleaned(text) == text


@pytest.mark.parametrize("character", ZERO_WIDTH + DIRECTION, ids=ascii)
def test_invisible_characters_go_wherever_they_are(character: str) -> None:
    for left, right in (("", ""), ("a", "b"), ("漢", "字"), ("ก", ""), (EMOJI, EMOJI)):
        assert cleaned(left + character + right) == left + right


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_every_space_becomes_the_ordinary_one(space: str) -> None:
    assert cleaned(f"漢{space}字") == "漢 字"


def test_offsets_count_characters_of_the_given_text() -> None:
    text = f"{EMOJI}\u200bเ\u200bเม\u0e48\u00a0e\u0301"
    assert find_lookalikes(text) == [
        Finding("zero_width", 1, 2, ""),
        Finding("double_e", 2, 5, "แ"),
        Finding("white_space", 7, 8, " "),
        Finding("decomposed", 8, 10, "é"),
    ]


def test_given_findings_are_replaced_and_no_others() -> None:
    text = "เเม่\u200bเเม่"
    assert cleaned(text, []) == text
    assert cleaned(text, find_lookalikes(text)[:1]) == "แม่\u200bเเม่"


@given(TEXTS)
@settings(max_examples=300)
def test_findings_are_apart_change_their_stretch_and_clean_the_text(text: str) -> None:
    findings = find_lookalikes(text)
    ends = [0, *(finding.end for finding in findings)]
    assert all(end <= finding.start < finding.end for end, finding in zip(ends, findings))
    assert ends[-1] <= len(text)
    assert {finding.kind for finding in findings} <= set(KINDS)
    assert all(text[finding.start : finding.end] != finding.replacement for finding in findings)
    assert cleaned(text, findings) == cleaned(text)


@given(TEXTS)
@settings(max_examples=300)
@example("ه\u200d\u00a0\u200d\u00a0a")
@example("\u0d28\u0d4d\u200d\u3000\u200d\u3000a")
@example("ا\u0653\u200d ")
@example("\u0d28\u0301\u0d4d\u200da")
@example("\u0e33\u0e4d\u0e49\u0e32\u0e33\u0e49\u0e34\u0e48\u0e33")
def test_cleaned_text_is_clean(text: str) -> None:
    clean = cleaned(text)
    assert find_lookalikes(clean) == []
    assert cleaned(clean) == clean


@given(st.text(THAI, max_size=20))
@settings(max_examples=300)
def test_thai_is_repaired_as_by_one_swap_at_a_time(text: str) -> None:
    assert cleaned(text) == thai_by_definition(text)


@given(st.text(COMPOSING, max_size=300) | st.text("a\0\u0301\u0327\u0323\u0f71\u0f73", min_size=201, max_size=600))
@settings(max_examples=200)
@example("\u0915" + "\u093e\u0301\u0323" * 100)  # a vowel sign, which no mark may be moved across
@example("\u0915" + "\u0301" * 199)
@example("\u0915" + "\u0301\u0323" * 100)
def test_text_without_thai_gets_its_nfc(text: str) -> None:
    assert cleaned(text) == normalize("NFC", text)


def test_all_that_unicode_composes_or_puts_in_order_is_so() -> None:
    characters = set(map(chr, range(sys.maxunicode + 1))) - set(map(chr, range(0xE00, 0xE80))) - set(SPACES)
    apart = [f"{normalize('NFD', c)}漢" for c in characters if normalize("NFD", c) != c]
    marked = [f"x\u0345{c}漢" for c in characters if combining(c)]  # no class is higher than that of U+0345
    for text in ("".join(apart), "".join(marked)):
        assert cleaned(text) == normalize("NFC", text)


def test_no_composition_changes_what_a_joiner_or_a_wide_space_does() -> None:
    changed = [chr(code) for code in range(sys.maxunicode + 1) if normalize("NFC", chr(code)) != chr(code)]
    text = "".join(f"漢\u200d{c}漢\u3000{c}漢{c}\u200d漢{c}\u3000漢{c}\u200da\u200d{c}漢" for c in changed)
    assert find_lookalikes(cleaned(text)) == []


def test_half_a_surrogate_pair_does_no_harm() -> None:
    assert cleaned("\ud83d\u200bเเ\udc00\u0301") == "\ud83dแ\udc00\u0301"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_take_linear_time(text: str) -> None:
    part = len(text) // 16
    eighth = text[:part] + text[-part:]
    assert least_seconds(cleaned, text) < 32 * least_seconds(cleaned, eighth)  # quadratic time would be 64 times
    assert find_lookalikes(cleaned(text)) == []
