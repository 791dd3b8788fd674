"""Byte-level BPE as other programs write it, vocabulary and merges in letters, read as one of our tokenizers.

Only a tokenizer that gives the same ids on every text becomes one of ours. Every reason against it is an error
that says so.
"""

from collections.abc import Collection, Mapping, Sequence

from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.formats.byte_letters import from_letters
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.vocabulary import BYTES, Pair


def file_tokenizer(
    ids: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    *,
    pattern: str,
    special_tokens: Mapping[str, int] | None = None,
    whole_first: bool = False,
    name: str = "file",
) -> FileTokenizer:
    """Build the tokenizer of a vocabulary and merges in GPT-2's letters.

    Special tokens may stand beside the vocabulary; None for every entry that is neither a byte nor made by a
    merge, since no text leads to it. `whole_first` says that a pretoken which is an entry becomes this entry at
    once; then each entry must be what the merges make of it.
    """
    own = {token: number for number, token in enumerate(_byte_entries(ids))}
    pairs: list[Pair] = []
    for number, (left, right) in enumerate(merges, 1):
        if left not in own or right not in own or left + right not in ids:
            raise _cannot(
                f"merge {number:,} joins tokens that are not there before it", "ours_merge_parts", number
            )
        if left + right in own:
            raise _cannot(f"merge {number:,} makes a token that is already there", "ours_merge_twice", number)
        pairs.append((own[left], own[right]))
        own[left + right] = len(own)
    apart = {token: token_id for token, token_id in ids.items() if token not in own}
    special = apart if special_tokens is None else special_tokens
    tokenizer = FileTokenizer(
        pairs, [ids[token] for token in own], pattern=pattern, special_tokens=special, name=name
    )
    if whole_first:
        _check_whole(tokenizer, apart.keys() - special.keys())
    return tokenizer


def _byte_entries(ids: Mapping[str, int]) -> list[str]:
    """Return the entries of the 256 bytes, in the order of bytes; every one must be there, or text is lost."""
    of_byte = {found[0]: token for token in ids if len(token) == 1 and (found := from_letters(token))}
    missing = next((byte for byte in range(BYTES) if byte not in of_byte), None)
    if missing is not None:
        raise _cannot(f"the byte {missing:#04x} has no entry", "ours_byte_missing", f"{missing:02X}")
    return [of_byte[byte] for byte in range(BYTES)]


def _check_whole(tokenizer: FileTokenizer, apart: Collection[str]) -> None:
    """Refuse entries that a pretoken becomes at once, and that merges do not make of it."""
    if apart:
        raise _cannot(f"{len(apart):,} entries have no merge", "ours_whole_entries", len(apart))
    whole = FileTokenizer(tokenizer.merges, tokenizer.entry_ids, pattern="none")
    # Bytes outside whole characters cannot be encoded as text; such entries are parts of others.
    texts = [text for token in tokenizer.vocabulary if (text := _text(token)) is not None]
    others = int((whole.encode_each(texts).counts != 1).sum())
    if others:
        raise _cannot(f"{others:,} entries are not what the merges make of them", "ours_whole_entries", others)


def _text(token: bytes) -> str | None:
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _cannot(why: str, code: str, value: int | str) -> TokenizerFileError:
    return TokenizerFileError(f"this tokenizer cannot be one of this app's: {why}", code, value=value)
