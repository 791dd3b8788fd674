"""Reads a counts file in a separate process: a hostile one can make the reader ask for gigabytes.

The process is `python -m tokenizer_core.jobs.counts_reader`. Its events are read, or failed.
"""

import io
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenizer_core.counting.counts import Counts, chosen
from tokenizer_core.counting.counts_file import FORMAT, SUFFIX, read_counts
from tokenizer_core.errors import CountsError
from tokenizer_core.jobs.counted import CountedCorpus
from tokenizer_core.jobs.process import (
    MEMORY_BYTES,
    Failure,
    contents_in,
    failures_sent,
    receive_for_parquet,
    send,
)
from tokenizer_core.jobs.task import Order, Task
from tokenizer_core.pretokens import PretokenCounts
from tokenizer_core.texts.scripts import Shares, shares_of

SECONDS = 300.0
COMMONEST = 12
"""Pretokens shown to people."""
BYTES_EACH = 40
"""Memory that training takes for each byte of distinct pretokens: 32 of rows, and the pairs."""
_AT_ONCE = 2**17
_MAGIC = b"PAR1"
_FOOTER = 2**22


def is_counts(name: str, content: bytes) -> bool:
    """Tell whether a file is meant as counts: by its name, or by what the footer of a Parquet file says.

    >>> is_counts("Thai.counts.parquet", b"PAR1"), is_counts("table.parquet", b"PAR1 text PAR1")
    (True, False)
    """
    if name.lower().endswith(SUFFIX):
        return True
    return content[:4] == content[-4:] == _MAGIC and f'"{FORMAT}"'.encode() in content[-_FOOTER:]


# ---- from the app's side


@dataclass(frozen=True)
class ReadCounts:
    """What a counts file says."""

    corpus: CountedCorpus
    shares: Shares | None
    """The shares of scripts among all letters that were counted; None without letters."""
    commonest: tuple[tuple[str, int], ...]
    """The most frequent pretokens, with their counts."""


class CountsReading(Task):
    """The handle on the reading of one counts file, which writes `read`."""

    died = Failure("counts_damaged", {}, "the counts file must be whole; the process that read it ended")
    late = died

    def __init__(
        self,
        content: bytes,
        *,
        turns: threading.Semaphore | None = None,
        memory_bytes: int = MEMORY_BYTES,
        seconds: float = SECONDS,
    ) -> None:
        """Read a file that may be trained on with so much memory."""
        super().__init__("counts_reader", turns=turns, seconds=seconds)
        self.read: ReadCounts | None = None
        self._content = content
        self.start(lambda: self._order(content, memory_bytes))

    def has_outcome(self) -> bool:
        """Whether the file is read."""
        return self.read is not None

    def take_in(self, event: str, values: dict[str, Any]) -> None:
        """Note what the file says."""
        corpus = CountedCorpus.from_description(values["corpus"], self._content)
        shares = None if values["shares"] is None else Shares(*values["shares"])
        self.read = ReadCounts(corpus, shares, tuple((text, count) for text, count in values["commonest"]))

    def _order(self, content: bytes, memory_bytes: int) -> Order:
        return {"memory_bytes": memory_bytes, "most": memory_bytes // BYTES_EACH}, [content]


# ---- within the process


def main() -> None:
    """Read one counts file from stdin, and say what is in it."""
    description = receive_for_parquet(sys.stdin.buffer)
    if description is None:
        return
    with failures_sent():
        (content,) = contents_in(sys.stdin.buffer, description)
        send("read", **_summary(read_to_train(content, description["most"])))


def read_to_train(content: bytes, most: int, *, pattern: str | None = None) -> Counts:
    """Read counts with at most `most` bytes of distinct pretokens; raise `CountsError` as `read_counts` does."""
    counts = read_counts(io.BytesIO(content), pattern=pattern, max_bytes=13 * most)
    if counts.pretokens.text.size > most:
        raise CountsError(
            f"the distinct pretokens must have at most {most:,} bytes; these have more",
            "counts_large",
            megabytes=most // 2**20,
        )
    if not counts.pretokens.text.size:
        raise CountsError("there must be at least one pretoken; there is none", "counts_empty")
    return counts


def _summary(counts: Counts) -> dict[str, Any]:
    pretokens = counts.pretokens
    letters, characters = _characters_of(pretokens)
    order = np.argsort(-pretokens.counts, kind="stable")[:COMMONEST]
    common = chosen(pretokens, order)
    shown = [text[:COMMONEST] + "…" if len(text) > COMMONEST else text for text in common.strings()]
    corpus = CountedCorpus(counts.recipe, counts.sha256, characters, pretokens.ends.size)
    return {
        "corpus": corpus.described(),
        "shares": shares_of(letters),
        "commonest": list(zip(shown, common.counts.tolist(), strict=True)),
    }


def _characters_of(pretokens: PretokenCounts) -> tuple[Counter[str], int]:
    """Count each character as often as the corpus has it, and all of them."""
    letters: Counter[str] = Counter()
    total = 0
    starts = pretokens.ends - pretokens.lengths
    for first in range(0, pretokens.ends.size, _AT_ONCE):
        rows = slice(first, first + _AT_ONCE)
        text = pretokens.text[starts[first] : pretokens.ends[rows][-1]]
        points = np.frombuffer(text.tobytes().decode("utf-8").encode("utf-32-le"), dtype=np.uint32)
        begins = np.flatnonzero((text & 0xC0) != 0x80)  # of each character
        owners = np.searchsorted(pretokens.ends[rows] - starts[first], begins, side="right")
        times = pretokens.counts[rows][owners]
        total += int(times.sum())
        kinds, places = np.unique(points, return_inverse=True)
        sums = np.zeros(kinds.size, dtype=np.int64)
        np.add.at(sums, places, times)
        letters.update({chr(kind): count for kind, count in zip(kinds.tolist(), sums.tolist(), strict=True)})
    return letters, total


if __name__ == "__main__":
    main()
