"""JSON of tokenizers, read with limits: a file may be as large as it likes to be, and nested without end."""

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any

from tokenizer_core.errors import TokenizerFileError

MAX_FILE_BYTES = 64 * 2**20
"""The largest files of known models have 35 MB."""
MAX_ENTRIES = 1_000_000
"""Entries of a vocabulary; the largest known ones have 900,000."""


def read_json(content: bytes) -> dict[str, Any]:
    """Parse the JSON object of a file; raise `TokenizerFileError` if it is too large, cut off or not one."""
    check_size(content)
    try:
        found = json.loads(content.removeprefix(BOM_UTF8).decode())
    except json.JSONDecodeError as error:
        raise TokenizerFileError(
            f"the JSON must be whole; it breaks at line {error.lineno:,}, character {error.colno:,}",
            "file_json_damaged",
            at=f"{error.lineno:,}:{error.colno:,}",
        ) from None
    except (RecursionError, ValueError):  # nested without end, not UTF-8, or a number of thousands of digits
        raise not_a_tokenizer() from None
    if not isinstance(found, dict):
        raise not_a_tokenizer()
    return found


def check_size(content: bytes) -> None:
    """Refuse a file that is too large."""
    if len(content) > MAX_FILE_BYTES:
        raise TokenizerFileError(
            f"a tokenizer's file must have at most {MAX_FILE_BYTES // 2**20} MB; this one has more",
            "file_large",
            limit=MAX_FILE_BYTES // 2**20,
        )


def check_entries(count: int) -> None:
    """Refuse a vocabulary with too many entries."""
    if count > MAX_ENTRIES:
        raise TokenizerFileError(
            f"a vocabulary must have at most {MAX_ENTRIES:,} entries; this one has {count:,}",
            "file_entries",
            limit=MAX_ENTRIES,
            count=count,
        )


def ids_of_tokens(found: Any) -> dict[str, int]:
    """Check a JSON object that gives each token its id."""
    if not isinstance(found, Mapping) or not found:
        raise not_a_tokenizer()
    check_entries(len(found))
    if not all(type(token_id) is int for token_id in found.values()):
        raise not_a_tokenizer()
    return dict(found)


def not_a_tokenizer() -> TokenizerFileError:
    """Return the error for JSON, or any other file, that is not a tokenizer of a known kind."""
    return TokenizerFileError(
        "the file must be a tokenizer of a known kind: minbpe's or SentencePiece's .model, tokenizer.json, a rank"
        " file of tiktoken, or GPT-2's two files; it is none of them",
        "file_unknown",
    )
