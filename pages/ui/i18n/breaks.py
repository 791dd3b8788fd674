"""Where a line of Thai may break: browsers find words by a dictionary that lacks our terms, and cut them in two.

Marks that nobody sees tell them: a word joiner forbids a break, a zero-width space allows one. They are put into
the words when these are loaded, and must be taken out of whatever is saved, spoken or compared.
"""

import re

import regex

JOINER, SPACE, NO_BREAK = "\u2060", "\u200b", "\u00a0"
WHOLE = (
    "โท|เค็น",
    "ดู|ทุก|โมเดล",
    "ตัว|อักษร",
    "ตัว|แบ่ง",
    "ผู้|ใช้",
    "โรง|พยาบาล",
    "อัก|ขระ",
    "เว้น|วรรค",
    "ช่อง|ว่าง",
    "เปรียบ|เทียบ",
    "เรียน|รู้",
    "อัป|โหลด",
    "ดาวน์|โหลด",
    "พิ|เศษ",
    "ยู|นิ|โคด",
    "วิ|กิ|พี|เดีย",
    "อี|โม|จิ",
    "ของ|เรา",
    "ตรง|ไหน",
    "มิลลิ|วินาที",
    "เผย|แพร่",
    "ลูก|ศร",
    "ความ|กว้าง",
    "ข้อ|ย่อย",
    "บท|สนทนา",
    "ฐานสิบ|หก",
    "ที|ละ",
    "ครั้ง|ละ",
    "ชุด|นี้",
    "ประโยค|นี้",
    "ไหม|คะ",
    "ตัว|ละ",
    "น้อย|กว่า",
    "การ|รวม",
    "หาย|ไป",
    "ภาษา|อังกฤษ",
    "ภาษา|ไทย",
    "ซ้าย|ไป|ขวา",
    "วิธี|แรก",
    "คำ|ตอบ",
    "บน|ล่าง",
    "ใน|ภาษา|ไทย",
    "เศษ|ของ|อักขระ",
    "ความ|สุภาพ",
    "คลัง|โท|เค็น",
    "รอบ|เดียว",
    "เล็ก|กว่า",
    "ที่|นี่",
    "ต้อง|เขียน",
    "เมื่อ|คืน",
)
"""Words that must stay on one line; a bar where Chromium would break them."""
_WORDS = {word.replace("|", ""): word.replace("|", JOINER) for word in WHOLE}
_WORD = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)))
_UNITS = "ไบต์|โทเค็น|อักขระ|คู่|ประโยค|บรรทัด|ครั้ง|เท่า|วินาที|นาที|ไฟล์|ภาษา|ชิ้น|คำ|MB|kB"
_RULES = (
    (re.compile(r"GPT-(?=\d)"), f"GPT-{JOINER}"),
    (re.compile(r"(?<=\d)-(?=\d)"), f"-{JOINER}"),
    (re.compile(r" ๆ"), f"{NO_BREAK}ๆ"),
    (re.compile(rf"(?<=[\d}}*]) (?=(?:{_UNITS})(?![a-z]))"), NO_BREAK),
)
THAI = re.compile(r"[\u0e01-\u0e5b]")
_MARKS = {ord(JOINER): None, ord(SPACE): None, ord(NO_BREAK): " "}


def with_breaks(words: str) -> str:
    """Mark where lines of these words may break, and where not.

    >>> with_breaks("กี่โทเค็น").encode("unicode_escape").count(b"u2060"), with_breaks("GPT-4o") == "GPT-4o"
    (1, False)
    """
    for rule, mark in _RULES:
        words = rule.sub(mark, words)
    return _WORD.sub(_joined, words)


def without_breaks(words: str) -> str:
    """Take the marks out again.

    >>> without_breaks(with_breaks("3 โทเค็นของ GPT-4o ต่าง ๆ"))
    '3 โทเค็นของ GPT-4o ต่าง ๆ'
    """
    return words.translate(_MARKS)


def unbroken(name: str) -> str:
    """Return a name that stays on one line.

    >>> without_breaks(unbroken("GPT-4 (cl100k)")), unbroken("กำ").count(JOINER)
    ('GPT-4 (cl100k)', 0)
    """
    return JOINER.join(regex.findall(r"\X", name)).replace(" ", NO_BREAK)


def _joined(match: re.Match[str]) -> str:
    """Return a word that cannot break inside, but can before and after it, where it touches other Thai words."""
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    return (SPACE if THAI.match(before) else "") + _WORDS[match[0]] + (SPACE if THAI.match(after) else "")
