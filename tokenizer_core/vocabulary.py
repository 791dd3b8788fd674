"""Vocabularies: the 256 bytes, plus one token for each merge."""

from collections.abc import Iterable

from tokenizer_core.errors import TokenIdError, TokenizerError

BYTES = 256
MAX_TOKEN_BYTES = 2**28
"""Bytes of all tokens together. Each line of a hostile file can double the length of a token."""

Pair = tuple[int, int]
"""The ids of two tokens side by side."""


class MergeCheck:
    """Checks the merges of a vocabulary one by one, and refuses impossible ones.

    >>> check = MergeCheck()
    >>> check.add(97, 98)
    >>> check.add(97, 98)
    Traceback (most recent call last):
    tokenizer_core.errors.TokenizerError: each pair may be merged once; merge 1 joins 97 and 98 again
    """

    def __init__(self) -> None:
        self._lengths = [1] * BYTES
        self._seen: set[Pair] = set()
        self._total = BYTES

    def add(self, left: int, right: int) -> None:
        """Take the next merge.

        Raises `TokenizerError` if a part does not exist yet, if the pair came before, or if the tokens become
        too large together.
        """
        token_id = len(self._lengths)
        if not (0 <= left < token_id and 0 <= right < token_id):
            raise TokenizerError(
                "a merge may only join tokens that exist before it;"
                f" merge {token_id - BYTES} joins {left} and {right}",
                "merge_before_parts",
                rank=token_id - BYTES,
                left=left,
                right=right,
            )
        if (left, right) in self._seen:
            raise TokenizerError(
                f"each pair may be merged once; merge {token_id - BYTES} joins {left} and {right} again",
                "merge_duplicate",
                rank=token_id - BYTES,
                left=left,
                right=right,
            )
        self._seen.add((left, right))
        length = self._lengths[left] + self._lengths[right]
        self._lengths.append(length)
        self._total += length
        if self._total > MAX_TOKEN_BYTES:
            raise TokenizerError(
                f"the tokens must have at most {MAX_TOKEN_BYTES:,} bytes together;"
                f" merge {token_id - BYTES} goes beyond",
                "vocabulary_too_large",
                rank=token_id - BYTES,
                limit=MAX_TOKEN_BYTES,
            )


def build_vocabulary(merges: Iterable[Pair]) -> list[bytes]:
    """Return the bytes of every token, by id: the 256 bytes, then the joined parts of each merge.

    Raises `TokenizerError` for a merge that `MergeCheck` refuses.

    >>> build_vocabulary([(97, 98), (256, 99)])[256:]
    [b'ab', b'abc']
    """
    vocabulary = [bytes([byte]) for byte in range(BYTES)]
    check = MergeCheck()
    for left, right in merges:
        check.add(left, right)
        vocabulary.append(vocabulary[left] + vocabulary[right])
    return vocabulary


def unknown_id(token_id: int, name: str, vocab_size: int) -> TokenIdError:
    """Return the error for an id that a vocabulary does not have."""
    return TokenIdError(
        f"a token id of {name} must be one of its {vocab_size:,} entries or a special token; {token_id} came",
        "token_id_unknown",
        token_id=token_id,
        name=name,
        vocab_size=vocab_size,
    )
