"""Corpora to train on."""

from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tokenizer_core import SPLIT_PATTERNS

runs = st.lists(st.tuples(st.sampled_from("ab c"), st.integers(1, 9)), max_size=12).map(
    lambda pieces: "".join(letter * times for letter, times in pieces)
)


corpora = st.one_of(
    st.text(alphabet="a", max_size=40),
    st.text(alphabet="ab", max_size=60),
    st.text(alphabet="abc ", max_size=80),
    runs,
    st.lists(st.sampled_from(["ab", "ba", "aab", " ab", " ba"]), max_size=30).map("".join),
    st.text(alphabet="กาที่น้ำ ", max_size=40),
    st.text(alphabet="😀👍🏽🇹🇭", max_size=20),
    hostile_texts,
)


patterns = st.sampled_from([*SPLIT_PATTERNS, "[ab]+", "."])
