"""tiktoken's rank files, read and written: on each line a token in base64 and its rank, which is its id."""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from tokenizer_core.bpe.openai import OpenAITokenizer, tokenizer_of_ranks
from tokenizer_core.bpe.packed import PackedMerges
from tokenizer_core.bpe.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.bpe.special_tokens import MAX_TOKEN_ID
from tokenizer_core.bpe.vocabulary import BYTES, MAX_TOKEN_BYTES, recover_merges
from tokenizer_core.errors import ExportError, ExportWarning, RankFileError, TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer, Normalizer
from tokenizer_core.interop.exportable import ByteLevelBPE, Export, check_distinct, excerpt, pattern_warnings
from tokenizer_core.interop.limits import check_entries, check_size
from tokenizer_core.interop.normal_form import ends_in_original, is_nfc, nfc
from tokenizer_core.kernels.encode_loop import NONE
from tokenizer_core.patterns.pretokens import check_text
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, compile_pattern, pattern_source

# Not with tiktoken.load.load_tiktoken_bpe: it caches even a local file by its name, and does not see that the file
# has changed.
_SNIPPET = """\
import base64

import tiktoken

with open({file!r}) as ranks:
    rows = [line.split() for line in ranks]
encoding = tiktoken.Encoding(
    name={name!r},
    pat_str={pattern!r},
    mergeable_ranks={{base64.b64decode(token): int(rank) for token, rank in rows}},
    special_tokens={special_tokens!r},
)
"""

# ---- reading

_NONE: Mapping[str, int] = MappingProxyType({})


class RankedTokenizer(NamedTuple):
    """A tokenizer from a rank file, and what its ranks leave open."""

    tokenizer: FileTokenizer | OpenAITokenizer
    without_pair: int
    """Tokens for which no pair can be recovered. If there are any, tiktoken encodes."""
    empty: tuple[range, ...]
    """Ids between others that no token has: tiktoken leaves them out, or gives them to special tokens."""


def read_ranks(content: bytes) -> dict[int, bytes]:
    """Return the tokens by rank, in order. As in tiktoken, ranks may leave numbers out.

    Raises `RankFileError` for a line that is not a token and its rank, for a rank or a token given twice, and for
    a byte without a token.

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
            raise RankFileError("rank_line_rank_twice", at=number, rank_twice=rank)
        if token in first_line:
            raise RankFileError("rank_line_token_twice", at=number, other=first_line[token])
        tokens[rank], first_line[token] = token, number
    check_entries(len(tokens))
    byte = next((byte for byte in range(BYTES) if bytes([byte]) not in first_line), None)
    if byte is not None:
        raise RankFileError("rank_byte_missing", byte=f"{byte:02X}")
    if sum(map(len, first_line)) > MAX_TOKEN_BYTES:
        raise TokenizerFileError("file_unknown")
    return dict(sorted(tokens.items()))


def rank_tokenizer(
    content: bytes,
    *,
    pattern: str,
    special_tokens: Mapping[str, int] = _NONE,
    normalizer: Normalizer | None = None,
    name: str = "file",
) -> RankedTokenizer:
    """Read a rank file with a split pattern and special tokens, which the file does not hold."""
    tokens = read_ranks(content)
    return ranked_tokenizer(
        tokens, pattern=pattern, special_tokens=special_tokens, normalizer=normalizer, name=name
    )


def ranked_tokenizer(
    tokens: Mapping[int, bytes],
    *,
    pattern: str,
    special_tokens: Mapping[str, int] = _NONE,
    normalizer: Normalizer | None = None,
    name: str = "file",
) -> RankedTokenizer:
    """Make a tokenizer of tokens by rank, in ascending order; each byte must be one.

    The merges are recovered from the ranks. If a token has none, tiktoken's own loop encodes.
    """
    compile_pattern(pattern)
    ranks, in_order = list(tokens), list(tokens.values())
    empty = _between(sorted({*ranks, *special_tokens.values()}))
    pairs, without_pair = recover_merges(in_order)
    if without_pair:
        library = tokenizer_of_ranks(name, pattern, tokens, special_tokens)
        in_form = library if normalizer is None else NormalizingTiktoken(library)
        return RankedTokenizer(in_form, len(without_pair), empty)
    is_byte = pairs[:, 0] == NONE
    of_bytes = sorted(np.flatnonzero(is_byte).tolist(), key=in_order.__getitem__)
    longer = np.flatnonzero(~is_byte)
    places = np.concatenate([of_bytes, longer])
    own = np.empty(len(places), dtype=np.int32)
    own[places] = np.arange(len(places), dtype=np.int32)
    merges, entry_ids = PackedMerges(own[pairs[longer]]), np.array(ranks)[places].tolist()
    tokenizer = FileTokenizer(
        merges,
        entry_ids,
        pattern=pattern,
        special_tokens=special_tokens,
        normalizer=normalizer,
        name=name,
    )
    return RankedTokenizer(tokenizer, 0, empty)


class NormalizingTiktoken(OpenAITokenizer):
    """A tokenizer that tiktoken runs, on texts that are put in NFC first."""

    normalizer: Normalizer = "NFC"

    def __init__(self, library: OpenAITokenizer) -> None:
        super().__init__(library._encoding)

    def spells(self, text: str) -> bool:
        """Tell whether the tokens spell a text, since it is in the normal form already."""
        return is_nfc(text)

    def normalized(self, text: str) -> str:
        """Return a text in the normal form in which it is encoded."""
        return nfc(text)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; special tokens are ordinary text unless allowed."""
        return super().encode(nfc(check_text(text)), allowed_special=allowed_special)

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately; special tokens are ordinary text."""
        return super().encode_each(nfc(check_text(text)) for text in texts)

    def count_tokens(self, texts: str | Iterable[str]) -> int:
        """Count the tokens of all texts, each encoded separately, without listing them."""
        return super().count_tokens(
            nfc(check_text(text)) for text in ([texts] if isinstance(texts, str) else texts)
        )

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the tokens of a text with the bytes that each covers; together they cover all of it."""
        ids = self.encode(text, allowed_special=allowed_special)
        sizes = np.array([len(self.token_bytes(token_id)) for token_id in ids], dtype=np.int64)
        stops = ends_in_original(text)[np.cumsum(sizes)]
        return PlacedTokens(np.array(ids, dtype=np.int32), np.append(0, stops)[: len(stops)], stops)


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
        token = binascii.a2b_base64(parts[0], strict_mode=True)
        if len(parts) == 2 and token and parts[1].isdigit() and len(parts[1]) <= 10:
            rank = int(parts[1])
            if rank <= MAX_TOKEN_ID:
                return token, rank
            raise RankFileError("rank_line_beyond", at=number, most=MAX_TOKEN_ID)
    except (binascii.Error, IndexError):
        pass
    raise RankFileError("rank_line", at=number, found=line[:40].decode("utf-8", errors="replace"))


# ---- writing


def export_tiktoken(tokenizer: ByteLevelBPE, name: str) -> Export:
    """Write `name`.tiktoken; raise `ExportError` if two tokens have the same bytes.

    >>> from tokenizer_core import Tokenizer
    >>> from tokenizer_core.interop.exportable import exportable
    >>> export_tiktoken(exportable(Tokenizer([(97, 98)])), "mine").files["mine.tiktoken"][-9:]
    b'YWI= 256\\n'
    """
    file = f"{name}.tiktoken"
    check_distinct(tokenizer, file)
    for earlier, later in pairwise(tokenizer.ids[BYTES:]):  # no merge makes a single byte, so its rank is free
        if later < earlier:
            raise ExportError("export_id_order", file=file, token_id=later, other=earlier)
    rows = [f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in zip(tokenizer.ids, tokenizer.tokens)]
    pattern, of_pattern = for_tiktoken(tokenizer.pattern)
    snippet = _SNIPPET.format(
        file=file, name=tokenizer.name, pattern=pattern, special_tokens=dict(tokenizer.special_tokens)
    )
    warnings = (
        ExportWarning("rank_file_bare"),
        *_lost_merges(tokenizer),
        *_prefixed_special_tokens(tokenizer),
        *of_pattern,
    )
    return Export({file: "".join(rows).encode()}, snippet, warnings)


def for_tiktoken(pattern: str) -> tuple[str, list[ExportWarning]]:
    """Return the pattern for tiktoken's fancy-regex, and its warnings.

    tiktoken drops the text between two matches, so a user-written pattern gets a branch that matches it.

    >>> for_tiktoken("[a-z]+")[0]
    '(?:[a-z]+)|(?:(?![a-z]+)(?s:.))+'
    """
    if pattern in SPLIT_PATTERNS:
        return pattern_source(pattern), []
    warnings = [*pattern_warnings(pattern, "tiktoken", "fancy-regex"), ExportWarning("tiktoken_gaps")]
    return f"(?:{pattern})|(?:(?!{pattern})(?s:.))+", warnings


def _lost_merges(tokenizer: ByteLevelBPE) -> list[ExportWarning]:
    """Warn of merges that the ranks do not imply: tiktoken then cuts some texts differently."""
    recovered = recover_merges(tokenizer.tokens).pairs[BYTES:].tolist()
    lost = [n for n, (pair, merge) in enumerate(zip(recovered, tokenizer.merges), BYTES) if tuple(pair) != merge]
    return [
        ExportWarning(
            "lost_merges", count=len(lost), token_id=tokenizer.ids[first], token=excerpt(tokenizer.tokens[first])
        )
        for first in lost[:1]
    ]


def _prefixed_special_tokens(tokenizer: ByteLevelBPE) -> list[ExportWarning]:
    """Warn of a special token that begins with another: tiktoken may find the shorter one."""
    found = [
        ExportWarning("special_begins", token=longer, other=shorter)
        for shorter, longer in pairwise(sorted(tokenizer.special_tokens))
        if longer.startswith(shorter)
    ]
    return found[:1]
