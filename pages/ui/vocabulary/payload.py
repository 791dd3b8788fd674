"""Packs the entries of a vocabulary into bytes, which the browser reads without making a string for each."""

import json

import numpy as np

from tokenizer_core.measures.entries import Entries


def pack(entries: Entries) -> bytes:
    """Pack a header, then ids, ends in bytes, scripts, and the bytes of all tokens; numbers are little-endian."""
    header = json.dumps({"entries": len(entries.tokens)}).encode("utf-8")
    header += b" " * (-len(header) % 4)  # numbers must start at a multiple of four
    ends = np.cumsum(np.fromiter(map(len, entries.tokens), dtype=np.int64, count=len(entries.tokens)))
    return b"".join(
        [
            len(header).to_bytes(4, "little"),
            header,
            entries.ids.astype("<i4").tobytes(),
            ends.astype("<u4").tobytes(),
            entries.scripts.tobytes(),
            *entries.tokens,
        ]
    )
