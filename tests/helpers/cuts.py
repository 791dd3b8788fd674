"""The plain twins of cuts and agreement: sets of offsets, and each token decoded by itself."""

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.helpers.clusters import NAMES, TEXTS, boundaries, is_text
from tokenizer_core.measures.cuts import Cuts
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.protocols import Encoder
from tokenizer_core.segments import Ints

Span = tuple[int, int]


def lengths_of(tokens: Sequence[bytes]) -> Ints:
    """The length in bytes of each token."""
    return np.array(list(map(len, tokens)), dtype=np.int64)


def spans_of(lengths: Ints) -> list[Span]:
    """The first byte of each token and the one after it."""
    return list(itertools.pairwise([0, *itertools.accumulate(lengths.tolist())]))


def encoded(text: str, tokenizer: Encoder) -> list[bytes]:
    """The tokens of a text, each as its bytes."""
    return [tokenizer.token_bytes(token_id) for token_id in tokenizer.encode(text)]


@st.composite
def cut_up(draw: st.DrawFn, contents: SearchStrategy[bytes]) -> tuple[bytes, list[Ints]]:
    """Bytes, and one to four ways to cut them into tokens."""
    data = draw(contents)
    places = st.sets(st.integers(1, max(1, len(data) - 1)), max_size=len(data))
    found = []
    for _ in range(draw(st.integers(1, 4))):
        ends = sorted({0, len(data), *(place for place in draw(places) if place < len(data))})
        found.append(np.array([end - start for start, end in itertools.pairwise(ends)], dtype=np.int64))
    return data, found


@st.composite
def decoded(draw: st.DrawFn) -> list[bytes]:
    """Tokens of a reference tokenizer as nobody would have encoded them: ids from anywhere, and gaps between."""
    tokenizer = openai_tokenizer(draw(st.sampled_from(NAMES)))
    ids = draw(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=6))
    of_text = tokenizer.encode(draw(TEXTS))
    kept = draw(st.lists(st.booleans(), min_size=len(of_text), max_size=len(of_text)))
    at = draw(st.integers(0, len(of_text)))
    ids = [*itertools.compress(of_text[:at], kept), *ids, *itertools.compress(of_text[at:], kept[at:])]
    return [tokenizer.token_bytes(token_id) for token_id in ids]


def plain_cuts(data: bytes, tokens: Sequence[bytes]) -> Cuts:
    """The plain twin: offsets of characters and clusters as sets, and each token decoded by itself."""
    text = data.decode("utf-8", "surrogateescape")
    byte_at = [0, *itertools.accumulate(len(letter.encode("utf-8", "surrogateescape")) for letter in text)]
    cluster_bytes = {byte_at[end] for end in boundaries(text)}
    inner = list(itertools.accumulate(map(len, tokens)))[:-1]
    return Cuts(
        tokens=len(tokens),
        parts=sum(not is_text(token) for token in tokens),
        boundaries=len(inner),
        inside_characters=sum(end not in byte_at for end in inner),
        inside_clusters=sum(end not in cluster_bytes for end in inner),
    )


def plain_agreement(data: bytes, ways: Sequence[Ints]) -> tuple[list[list[bool]], list[Span], float | None]:
    """The plain twin: spans of bytes that all have are agreed, and between common boundaries lies the rest."""
    spans = [spans_of(lengths) for lengths in ways]
    shared = set.intersection(*map(set, spans))
    common = sorted(set.intersection(*({0, *(end for _, end in each)} for each in spans)))
    text = data.decode("utf-8", "surrogateescape")
    char_at = [char for char, letter in enumerate(text) for _ in letter.encode("utf-8", "surrogateescape")]
    stretches: list[Span] = []
    for start, end in itertools.pairwise(common):
        if (start, end) not in shared:
            first, stop = char_at[start], char_at[end - 1] + 1
            if stretches and first < stretches[-1][1]:  # both cut the same character
                first, _ = stretches.pop()
            stretches.append((first, stop))
    share = sum(stop - first for first, stop in stretches) / len(text) if text else None
    return [[span in shared for span in each] for each in spans], stretches, share
