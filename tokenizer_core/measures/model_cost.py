"""What a vocabulary costs a language model: a row for each id in the embedding, and one in the output head."""

from collections.abc import Sequence
from typing import NamedTuple

from tokenizer_core.vocabulary import BYTES

WORTHWHILE = 0.05
"""A doubling of the vocabulary that saves a smaller share of the tokens is not counted as worthwhile."""


class Model(NamedTuple):
    """The published shape of a language model."""

    name: str
    width: int
    """Numbers in the row of a token."""
    is_tied: bool
    """Whether the output head uses the rows of the embedding, and needs none of its own."""
    vocab_size: int


PUBLISHED = (
    Model("GPT-2 small", 768, True, 50_257),
    Model("GPT-2 XL", 1_600, True, 50_257),
    Model("Llama 2 7B", 4_096, False, 32_000),
    Model("Llama 3 8B", 4_096, False, 128_256),
    Model("Gemma 2B", 2_048, True, 256_000),
)
"""Sources: Radford et al. (2019); Touvron et al., Llama 2 (2023); Llama Team, The Llama 3 Herd of Models (2024);
Gemma Team (2024); and the configuration published with each model."""


def row_parameters(vocab_size: int, width: int, *, is_tied: bool) -> int:
    """Return the parameters of all rows: embedding and output head, or only one of them if they are tied.

    >>> row_parameters(50_257, 768, is_tied=True), row_parameters(128_256, 4_096, is_tied=False)
    (38597376, 1050673152)
    """
    return vocab_size * width * (1 if is_tied else 2)


def sweet_spot(counts: Sequence[int], *, worthwhile: float = WORTHWHILE) -> int | None:
    """Return the largest vocabulary size that still saves a worthwhile share of the tokens of half its size.

    `counts` are the tokens of a text after each number of merges, from none to all. None if the doubling that ends
    at the full size is still worthwhile: then the sweet spot lies beyond it.

    >>> sweet_spot([100] * 256 + [50] * 1000), sweet_spot([1000 - n for n in range(600)])
    (1023, None)
    """
    last = BYTES + len(counts) - 1

    def saves(size: int) -> bool:
        before, after = counts[size // 2 - BYTES], counts[size - BYTES]
        return bool(before) and 1 - after / before >= worthwhile

    if last < 2 * BYTES or saves(last):
        return None
    return next((size for size in range(last, 2 * BYTES - 1, -1) if saves(size)), BYTES)
