"""Rank files of tiktoken: on each line a token in base64 and its rank, which is its id."""

import base64
import binascii
from collections.abc import Sequence
from typing import NamedTuple

from tokenizer_core.errors import RankFileError, TokenizerFileError
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.formats.json_files import check_entries, check_size
from tokenizer_core.openai import OpenAITokenizer, tokenizer_of_ranks
from tokenizer_core.patterns import compile_pattern
from tokenizer_core.rank_merges import recover_merges
from tokenizer_core.special_tokens import MAX_TOKEN_ID
from tokenizer_core.vocabulary import BYTES, MAX_TOKEN_BYTES


class RankedTokenizer(NamedTuple):
    """A tokenizer from a rank file, and what its ranks do not tell."""

    tokenizer: FileTokenizer | OpenAITokenizer
    without_pair: int
    """Tokens for which no pair can be recovered. If there are any, tiktoken itself runs the tokenizer, and its
    merges are not known."""
    empty: tuple[range, ...]
    """Ids between others that no token has: tiktoken leaves them out, or gives them to special tokens."""


def read_ranks(content: bytes) -> dict[int, bytes]:
    """Return the tokens by rank, in order. As in tiktoken, ranks may leave numbers out.

    Raises `RankFileError` for a line that is not a token and its rank, a rank or a token that stands there twice,
    and a byte without a token.

    >>> read_ranks(b"".join(base64.b64encode(bytes([byte])) + b" %d\\n" % byte for byte in range(256)))[97]
    b'a'
    """
    check_size(content)
    tokens: dict[int, bytes] = {}
    first_line: dict[bytes, int] = {}
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        token, rank = _entry(line, number)
        if rank in tokens:
            raise _wrong(number, f"rank {rank} stands there twice", "rank_line_rank_twice", rank_twice=rank)
        if token in first_line:
            other = first_line[token]
            raise _wrong(number, f"its token stands in line {other:,} too", "rank_line_token_twice", other=other)
        tokens[rank], first_line[token] = token, number
    check_entries(len(tokens))
    _check_whole(tokens)
    return dict(sorted(tokens.items()))


def rank_tokenizer(content: bytes, *, pattern: str, name: str = "file") -> RankedTokenizer:
    """Read a rank file, which says nothing of the split pattern: that must be known.

    The merges are recovered from the ranks. Where a token has none, tiktoken's own loop encodes.
    """
    compile_pattern(pattern)
    tokens = read_ranks(content)
    ranks, in_order = list(tokens), list(tokens.values())
    empty = _between(ranks)
    pairs, without_pair = recover_merges(in_order)
    if without_pair:
        return RankedTokenizer(tokenizer_of_ranks(name, pattern, tokens), len(without_pair), empty)
    of_bytes = sorted((token[0], place) for place, token in enumerate(in_order) if len(token) == 1)
    longer = [place for place, token in enumerate(in_order) if len(token) > 1]
    places = [place for _, place in of_bytes] + longer
    own = {place: number for number, place in enumerate(places)}
    merges = [(own[left], own[right]) for left, right in pairs[longer].tolist()]
    entry_ids = [ranks[place] for place in places]
    return RankedTokenizer(FileTokenizer(merges, entry_ids, pattern=pattern, name=name), 0, empty)


def _between(ranks: Sequence[int]) -> tuple[range, ...]:
    """Return the numbers that ascending ranks leave out, from 0 up.

    >>> _between([0, 1, 4, 6])
    (range(2, 4), range(5, 6))
    """
    return tuple(range(before + 1, rank) for before, rank in zip([-1, *ranks], ranks) if rank > before + 1)


def is_rank_line(line: bytes) -> bool:
    """Tell whether a line may belong to a rank file: base64, a space, a number."""
    try:
        _entry(line, 1)
    except RankFileError:
        return False
    return True


def _entry(line: bytes, number: int) -> tuple[bytes, int]:
    parts = line.split()
    try:
        token = base64.b64decode(parts[0], validate=True)
        if len(parts) == 2 and token and parts[1].isdigit() and len(parts[1]) <= 10:
            rank = int(parts[1])
            if rank <= MAX_TOKEN_ID:
                return token, rank
            raise _wrong(
                number, f"ranks end at {MAX_TOKEN_ID}; {rank} came", "rank_line_beyond", most=MAX_TOKEN_ID
            )
    except (binascii.Error, IndexError):
        pass
    shown = line[:40].decode("utf-8", errors="replace")
    raise _wrong(number, f"it must hold a token in base64 and its rank; {shown!r} came", "rank_line", found=shown)


def _check_whole(tokens: dict[int, bytes]) -> None:
    single = {token[0] for token in tokens.values() if len(token) == 1}
    byte = next((byte for byte in range(BYTES) if byte not in single), None)
    if byte is not None:
        raise RankFileError(
            f"each of the 256 bytes must be a token; {byte:#04x} is not", "rank_byte_missing", byte=f"{byte:02X}"
        )
    if sum(map(len, tokens.values())) > MAX_TOKEN_BYTES:
        raise TokenizerFileError("the tokens are too long together", "file_unknown")


def _wrong(number: int, why: str, code: str, **values: int | str) -> RankFileError:
    return RankFileError(f"line {number:,} of a rank file: {why}", code, at=number, **values)
