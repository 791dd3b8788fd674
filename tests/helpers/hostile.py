"""Texts and patterns in which splitting, merging or decoding could go wrong."""

import random

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

HOSTILE_PIECES = [
    *("a", "aa", "aaaaa", "ab", "b", "A", "don't", "WE'LL", "ſ", "ß", "ﬁ", "İ", "x_1", "12345", "٣٤", "๑๒๓"),
    *("ที่", "น้ำใจ", "กำ", "ำ", "่", "เแ", "ภาษาไทย", " ไม่", "ๆ", "฿", "ดื่มน้ำเยอะๆ นะ", "e\u0301", "\u0301\u0301"),
    *("😀", "👨‍👩‍👧", "🇹🇭", "👍🏽", "❤️", "‍", "\u200b", "\ufeff", "\u202e", "\u2066", "مرحبا", "한국", "漢字"),
    *(" ", "  ", "\t", "\n", "\r\n", "\r", "\n\n ", "\v", "\f", "\x1c", "\x85", "\u2028", "\u00a0", "\u3000"),
    *("\0", "\x1b", "\x7f", "<script>", "</style>", "&amp;", "<|endoftext|>", "{}", "\\", "'", '"', "'s", "..."),
    *("\uffff", "\ue000", "\U0010ffff", "𝒳", "ǆ", "ﷺ", "!!!\n", "//", "=)"),
]
hostile_texts: SearchStrategy[str] = st.one_of(
    st.lists(st.sampled_from(HOSTILE_PIECES), max_size=30).map("".join),
    st.text(max_size=40),
    st.text(alphabet="ab", max_size=40),
)
"""Texts without lone surrogates in which splitting, merging or decoding could go wrong."""
HOSTILE_PATTERNS = {
    "empty": "",
    "empty_matches": "a*",
    "empty_between": r"\b|(?=a)",
    "never_matches": "(?!)",
    "groups": "(a)|(b)(c)?",
    "nested_groups": "((a)+(b)?)+",
    "gaps": "[a-z]+",
    "lookbehind": "(?<=a)b|(?<! ) ",
    "lookahead": "a(?=b)|(?!a).",
    "backwards": "(?r)a+b?|.",
    "backwards_gaps": "(?r)[ab]{1,2}",
    "keep_out": r"a\Kb?|\s\K",
    "keep_out_of_all": r".*\K",
    "branch_reset": r"(?|(a)|(b))\1",
    "conditional": "(a)?(?(1)b|c)",
    "clusters": r"\X",
    "anchors": r"^.|.$|\Ga",
    "fuzzy": "(?:ab){e<=1}",
    "full_case": "(?if)ss",
    "bounded_recursion": "a(?R)?b",
    "lazy": ".*?",
    "dot_all": "(?s).",
}
CLASSES = [
    *(r"\p{L}", r"\p{N}", r"\p{^M}", r"\s", r"\S", r"\w", r"\d", r"\n", r"\r", ".", r"\.", r"\x41", r"\u0e01"),
    *(r"[^\r\n\p{L}\p{N}]", r"[\r\n]", "[a-z]", "[^a]", "[ก-๙]", r"[^\s\p{L}\p{N}]", r"[\p{Lu}\p{Lt}]", r"\P{L}"),
    *("a", "b", "s", "S", "i", "ſ", "K", "İ", "ß", "σ", "ǆ", "ก", "่", "'", " ", "/", "!", "\U0001f600"),
]
OPENINGS = ["(?:", "(?:", "(", "(?i:", "(?s:", "(?-i:", "(?>", "(?is:", "(?m:", "(?P<name>", "(?!", "(?="]
COUNTS = ["*", "+", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "{,2}"]
REPEATS = [count + way for count in COUNTS for way in ("", "", "?", "+")]


def own_pattern(seeded: random.Random, depth: int = 0) -> str:
    """Make a split pattern of the parts that a program may have."""
    alternatives = []
    for _ in range(seeded.choice([1, 1, 2, 3])):
        parts = []
        for _ in range(seeded.choice([1, 1, 2, 2, 3])):
            chance = seeded.random()
            if depth < 3 and chance < 0.3:
                part = f"{seeded.choice(OPENINGS)}{own_pattern(seeded, depth + 1)})"
            else:
                part = seeded.choice(["$", r"\Z"]) if chance < 0.33 else seeded.choice(CLASSES)
            parts.append(part + seeded.choice(["", seeded.choice(REPEATS)]))
        alternatives.append("".join(parts))
    leading = seeded.choice(["", "", "", "", "(?i)", "(?ms)"]) if depth == 0 else ""
    return leading + "|".join(alternatives)
