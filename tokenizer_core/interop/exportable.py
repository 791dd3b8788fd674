"""What all formats share when a tokenizer is exported: the parts that files hold, the export and its warnings."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.errors import ExportError, ExportWarning
from tokenizer_core.interop.byte_level import as_letters
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, steps_of


class Export(NamedTuple):
    """A tokenizer written in one format."""

    files: dict[str, bytes]
    """The content of each file, by its name."""
    snippet: str
    """Python code that opens the files; empty if no library does."""
    warnings: tuple[ExportWarning, ...] = ()


class ByteLevelBPE(NamedTuple):
    """The parts of a byte-level BPE tokenizer. Its entries are the 256 bytes, then one for each merge in order."""

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
    added_tokens: Mapping[str, int] = MappingProxyType({})
    """Tokens that act in every text."""
    normalizer: str | None = None
    """The normal form in which a text is put first."""

    @property
    def is_plain(self) -> bool:
        """Whether one split pattern, merges and special tokens are all of it."""
        return not self.added_tokens and self.normalizer is None and len(steps_of(self.pattern)) == 1


def may_be_exported(tokenizer: AnyTokenizer) -> bool:
    """Tell whether a tokenizer has merges, without working them out."""
    return "merges" in vars(tokenizer) or hasattr(type(tokenizer), "merges")


def exportable(tokenizer: AnyTokenizer) -> ByteLevelBPE:
    """Take the parts of a tokenizer; raise `ExportError` if it is not byte-level BPE.

    >>> from tokenizer_core import Tokenizer
    >>> exportable(Tokenizer([(97, 98)])).tokens[256]
    b'ab'
    """
    pattern, merges = getattr(tokenizer, "pattern", None), getattr(tokenizer, "merges", None)
    if not isinstance(pattern, str) or not isinstance(merges, Sequence):
        raise ExportError("export_kind", name=tokenizer.name)
    ids: Sequence[int] = getattr(tokenizer, "entry_ids", range(BYTES + len(merges)))
    tokens = list(map(tokenizer.token_bytes, ids))
    made = all(tokens[left] + tokens[right] == token for (left, right), token in zip(merges, tokens[BYTES:]))
    if not made or sorted(tokens[:BYTES]) != [bytes([byte]) for byte in range(BYTES)]:
        raise ExportError("export_tokens", name=tokenizer.name)
    names = {source: name for name, source in SPLIT_PATTERNS.items()}
    return ByteLevelBPE(
        tokenizer.name,
        names.get(pattern, pattern),
        tokens,
        merges,
        ids,
        dict(tokenizer.special_tokens),
        getattr(tokenizer, "added_tokens", {}),
        getattr(tokenizer, "normalizer", None),
    )


def excerpt(token: bytes) -> str:
    """Write the start of a token for a sentence."""
    return token[:40].decode("utf-8", errors="backslashreplace")


def check_distinct(tokenizer: ByteLevelBPE, file: str) -> None:
    """Raise `ExportError` if two ids have the same bytes: a file with ids by token can hold only one of them."""
    first: dict[bytes, int] = {}
    for token_id, token in zip(tokenizer.ids, tokenizer.tokens):
        if first.setdefault(token, token_id) != token_id:
            raise ExportError(
                "export_same_bytes", file=file, token_id=first[token], other=token_id, token=excerpt(token)
            )


def vocabulary_in_letters(tokenizer: ByteLevelBPE, file: str) -> dict[str, int]:
    """Return the id of each token in GPT-2's letters, and of each special token as it is.

    Raises `ExportError` if two of them would be written the same.
    """
    check_distinct(tokenizer, file)
    ids = {as_letters(token): token_id for token_id, token in zip(tokenizer.ids, tokenizer.tokens)}
    for token, token_id in (*tokenizer.special_tokens.items(), *tokenizer.added_tokens.items()):
        if token in ids:
            raise ExportError(
                "export_special_is_token", file=file, token=token, token_id=token_id, other=ids[token]
            )
        ids[token] = token_id
    return ids


def merges_in_letters(tokenizer: ByteLevelBPE) -> list[tuple[str, str]]:
    """Return the two parts of each merge in GPT-2's letters."""
    written = list(map(as_letters, tokenizer.tokens))
    return [(written[left], written[right]) for left, right in tokenizer.merges]


def pattern_warnings(pattern: str, library: str, engine: str) -> list[ExportWarning]:
    """Warn that another engine reads a user-written pattern.

    The named patterns cut the same in fancy-regex, Oniguruma and Python's regex, except at characters that are
    newer than a library's Unicode tables. For any other pattern, only a proof can tell.
    """
    return [] if pattern in SPLIT_PATTERNS else [ExportWarning("own_pattern", library=library, engine=engine)]
