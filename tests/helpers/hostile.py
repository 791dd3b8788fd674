"""Texts and patterns in which splitting, merging or decoding could go wrong."""

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
