"""Limits on files from strangers: their size, their JSON, their entries and ids."""

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tokenizer_core.bpe.special_tokens import MAX_TOKEN_ID
from tokenizer_core.errors import TokenizerFileError

MAX_FILE_BYTES = 64 * 2**20
"""The largest files of known models have 35 MB."""
MAX_ENTRIES = 1_000_000
"""Entries of a vocabulary; the largest known ones have 900,000."""
MOST_PIECES = 100_000
"""Entries of a vocabulary that another library trains here."""
MOST_LINE_BYTES = 2**20
"""Bytes of a line that another library learns from."""
ENTRY_BYTES = 750
"""Memory of an opened tokenizer for each entry; measured: WordLevel 630, a rank file 500, BPE with merges 710."""


def check_size(content: bytes) -> None:
    """Refuse a file that is too large."""
    if len(content) > MAX_FILE_BYTES:
        raise TokenizerFileError("file_large", limit=MAX_FILE_BYTES // 2**20)


def foreseen_bytes(content: bytes) -> int:
    """Return how much memory a file may take once it is open, by what must stand between its entries.

    >>> foreseen_bytes(b'{"model": {"vocab": {"a": 0, "b": 1}}}') // ENTRY_BYTES
    4
    """
    is_json = content.removeprefix(BOM_UTF8).lstrip()[:1] == b"{"
    separators = (b":", b"[") if is_json else (b"\n", bytes(7))  # lines, tags of SentencePiece, lengths in GGUF
    return ENTRY_BYTES * max(map(content.count, separators))


def check_entries(count: int) -> None:
    """Refuse a vocabulary with too many entries."""
    if count > MAX_ENTRIES:
        raise TokenizerFileError("file_entries", limit=MAX_ENTRIES, count=count)


def check_ids(ids: Iterable[int]) -> None:
    """Refuse ids that are negative, beyond 2**31 - 1 or given twice."""
    times = Counter(ids)
    for token_id in times:
        if not 0 <= token_id <= MAX_TOKEN_ID:
            raise TokenizerFileError("file_id_range", token_id=str(token_id)[:40], most=MAX_TOKEN_ID)
    if times and (most := times.most_common(1)[0])[1] > 1:
        raise TokenizerFileError("file_id_twice", token_id=most[0])


def read_json(content: bytes) -> dict[str, Any]:
    """Parse the JSON object of a file; raise `TokenizerFileError` if it is too large, cut off or not an object."""
    check_size(content)
    try:
        found = json.loads(content.removeprefix(BOM_UTF8).decode())
    except json.JSONDecodeError as error:
        raise TokenizerFileError("file_json_damaged", at=f"{error.lineno:,}:{error.colno:,}") from None
    except (RecursionError, ValueError):  # nested too deeply, not UTF-8, or a number with thousands of digits
        raise TokenizerFileError("file_unknown") from None
    if not isinstance(found, dict):
        raise TokenizerFileError("file_unknown")
    return found


def ids_of_tokens(found: Any) -> dict[str, int]:
    """Check a JSON object that gives the id of each token, and return it."""
    if not isinstance(found, dict) or not found:
        raise TokenizerFileError("file_unknown")
    check_entries(len(found))
    if not all(type(token_id) is int for token_id in found.values()):
        raise TokenizerFileError("file_unknown")
    return found
