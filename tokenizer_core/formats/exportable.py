"""What a file of a byte-level BPE tokenizer can hold, taken from a tokenizer of ours or from a reference."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tokenizer_core.errors import ExportError
from tokenizer_core.formats.byte_letters import as_letters
from tokenizer_core.patterns import SPLIT_PATTERNS, pattern_source
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.vocabulary import BYTES, Pair


class ByteLevelBPE(NamedTuple):
    """The parts of a byte-level BPE tokenizer. Its entries are the 256 bytes, and one for each merge in order."""

    name: str
    pattern: str
    """A name in `SPLIT_PATTERNS`, or a regular expression."""
    tokens: Sequence[bytes]
    """The bytes of each entry."""
    merges: Sequence[Pair]
    """The pair of each entry from 256 up, as the numbers of two entries."""
    ids: Sequence[int]
    """The token id of each entry."""
    special_tokens: Mapping[str, int]


def may_be_exported(tokenizer: AnyTokenizer) -> bool:
    """Tell whether a tokenizer has merges, without working them out."""
    return "merges" in vars(tokenizer) or hasattr(type(tokenizer), "merges")


def exportable(tokenizer: AnyTokenizer) -> ByteLevelBPE:
    """Take the parts of a tokenizer; raise `ExportError` if it is no byte-level BPE.

    >>> from tokenizer_core import Tokenizer
    >>> exportable(Tokenizer([(97, 98)])).tokens[256]
    b'ab'
    """
    pattern, merges = getattr(tokenizer, "pattern", None), getattr(tokenizer, "merges", None)
    if not isinstance(pattern, str) or not isinstance(merges, list):
        raise ExportError(
            f"only a byte-level BPE tokenizer can be written to these formats; {tokenizer.name} has no merges of"
            " bytes and one split pattern",
            "export_kind",
            name=tokenizer.name,
        )
    ids: Sequence[int] = getattr(tokenizer, "entry_ids", range(BYTES + len(merges)))
    tokens = list(map(tokenizer.token_bytes, ids))
    made = all(tokens[left] + tokens[right] == token for (left, right), token in zip(merges, tokens[BYTES:]))
    if not made or sorted(tokens[:BYTES]) != [bytes([byte]) for byte in range(BYTES)]:
        raise ExportError(
            f"the tokens must be the single bytes and what the merges make; those of {tokenizer.name} are others",
            "export_tokens",
            name=tokenizer.name,
        )
    names = {source: name for name, source in SPLIT_PATTERNS.items()}
    return ByteLevelBPE(
        tokenizer.name, names.get(pattern, pattern), tokens, merges, ids, dict(tokenizer.special_tokens)
    )


def source_of(tokenizer: ByteLevelBPE) -> str:
    """Return the split pattern as a regular expression."""
    return pattern_source(tokenizer.pattern)


def check_distinct(tokenizer: ByteLevelBPE, file: str) -> None:
    """Raise `ExportError` if two ids have the same bytes: a file with ids by token can hold only one of them."""
    first: dict[bytes, int] = {}
    for token_id, token in zip(tokenizer.ids, tokenizer.tokens):
        if first.setdefault(token, token_id) != token_id:
            raise ExportError(
                f"{file} has one id for each token; {first[token]} and {token_id} are both {token[:40]!r}",
                "export_same_bytes",
                file=file,
                token_id=first[token],
                other=token_id,
                token=token[:40].decode("utf-8", errors="backslashreplace"),
            )


def vocabulary_in_letters(tokenizer: ByteLevelBPE, file: str) -> dict[str, int]:
    """Return the id of each token, written in GPT-2's letters, and of each special token, as it is.

    Raises `ExportError` if two of them would be written the same.
    """
    check_distinct(tokenizer, file)
    ids = {as_letters(token): token_id for token_id, token in zip(tokenizer.ids, tokenizer.tokens)}
    for token, token_id in tokenizer.special_tokens.items():
        if token in ids:
            raise ExportError(
                f"{file} would have two ids for {token!r}: {ids[token]} as a learned and {token_id} as a special"
                " token; rename the special token",
                "export_special_is_token",
                file=file,
                token=token,
                token_id=token_id,
                other=ids[token],
            )
        ids[token] = token_id
    return ids


def merges_in_letters(tokenizer: ByteLevelBPE) -> list[tuple[str, str]]:
    """Return the two parts of each merge, written in GPT-2's letters."""
    written = list(map(as_letters, tokenizer.tokens))
    return [(written[left], written[right]) for left, right in tokenizer.merges]
