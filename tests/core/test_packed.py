"""Packed tokens and merges are read as lists are."""

import random

import numpy as np
import pytest

from tokenizer_core.bpe.packed import PackedMerges, PackedTokens


@pytest.mark.parametrize("count", [0, 1, 300, 10_000])
def test_they_are_read_as_lists_are(count: int) -> None:
    drawn = random.Random(count)
    tokens = [drawn.randbytes(drawn.randrange(4)) for _ in range(count)]
    merges = [(drawn.randrange(count), drawn.randrange(count)) for _ in range(count)]
    for packed, listed in ((PackedTokens(tokens), tokens), (PackedMerges.of(merges), merges)):
        assert list(packed) == listed
        assert packed == listed
        assert len(packed) == count
        for part in (slice(3), slice(-5, None), slice(2, 90, 7)):
            assert list(packed[part]) == listed[part]
        assert [packed[place] for place in range(-min(count, 9), min(count, 9))] == [
            listed[place] for place in range(-min(count, 9), min(count, 9))
        ]
        for beyond in (count, -count - 1):
            with pytest.raises(IndexError):
                packed[beyond]
    assert np.array(PackedMerges.of(merges), dtype=np.int64).tolist() == [list(pair) for pair in merges]
