"""What the tests of the core share: bounded examples, hostile texts, and the Thai corpus."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

REPOSITORY = Path(__file__).resolve().parents[1]
THAI_CORPUS = Path(os.environ.get("THAI_CORPUS", REPOSITORY.parent / "shared" / "corpora" / "thai_wiki_small.txt"))

# The first example loads compiled code from disk, so no deadline. The same examples in every run.
settings.register_profile(
    "bounded",
    deadline=None,
    max_examples=100,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("bounded")

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


@pytest.fixture(scope="session")
def thai_corpus() -> str:
    """2.2 MB of Thai Wikipedia, which is no part of the project; `THAI_CORPUS` says where it is."""
    if not THAI_CORPUS.is_file():
        pytest.skip(
            f"the Thai corpus must be at {THAI_CORPUS}; THAI_CORPUS in the environment names another place"
        )
    return THAI_CORPUS.read_text(encoding="utf-8").strip()
