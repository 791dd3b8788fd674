"""Payloads of the token view, opened again."""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pages.ui.widgets.token_view.payload import Ints


@dataclass(frozen=True)
class Block:
    """A payload that was opened again."""

    header: dict[str, Any]
    arrays: bytes

    @classmethod
    def open(cls, payload: bytes) -> "Block":
        """Split a payload into its header and its arrays."""
        (size,) = struct.unpack_from("<I", payload)
        return cls(json.loads(payload[4 : 4 + size]), payload[4 + size :])

    def array(self, place: Sequence[int]) -> Ints:
        """Return the array at a place that the header gives."""
        offset, length, width = place
        return np.frombuffer(self.arrays, f"<u{width}", length, offset).astype(np.int64)
