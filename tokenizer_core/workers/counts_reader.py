"""Reads a counts file in a child: a hostile one can make the reader ask for gigabytes.

The child is `python -m tokenizer_core.workers.counts_reader`. Its events are read, or failed.
"""

import io
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenizer_core.corpus_counts.counts import Counts, chosen
from tokenizer_core.corpus_counts.counts_file import FORMAT, SUFFIX, read_counts
from tokenizer_core.errors import CountsError
from tokenizer_core.patterns.pretokens import PretokenCounts
from tokenizer_core.readers.mixing import Shares, shares_of
from tokenizer_core.workers.child import MEMORY_BYTES, Task, run, send
from tokenizer_core.workers.training_settings import CountedCorpus

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


@dataclass(frozen=True)
class ReadCounts:
    """What a counts file says."""

    corpus: CountedCorpus
    shares: Shares | None
    """The shares of scripts among all letters that were counted; None without letters."""
    commonest: tuple[tuple[str, int], ...]
    """The most frequent pretokens, with their counts."""


class CountsReading(Task):
    """The reading of one counts file, which writes `read`."""

    module = "counts_reader"
    died = late = CountsError("counts_damaged")

    def __init__(
        self,
        content: bytes,
        *,
        turns: threading.Semaphore | None = None,
        memory_bytes: int = MEMORY_BYTES,
        seconds: float = SECONDS,
    ) -> None:
        """Read a file that may be trained on with so much memory."""
        super().__init__(turns=turns, seconds=seconds)
        self.read: ReadCounts | None = None
        self._content = content
        order = {"memory_bytes": memory_bytes, "most": memory_bytes // BYTES_EACH}, [content]
        self.start(lambda: order)

    def take_in(self, event: dict[str, Any]) -> bool:
        """Note what the file says."""
        corpus = CountedCorpus.from_description(event["corpus"], self._content)
        shares = None if event["shares"] is None else Shares(*event["shares"])
        self.read = ReadCounts(corpus, shares, tuple((text, count) for text, count in event["commonest"]))
        return True


# ---- within the child


def read_counts_file(description: dict[str, Any], contents: list[bytes]) -> None:
    """Read one counts file, and send what is in it."""
    send("read", **_summary(read_to_train(contents[0], description["most"])))


def read_to_train(content: bytes, most: int, *, pattern: str | None = None) -> Counts:
    """Read counts with at most `most` bytes of distinct pretokens; raise `CountsError` as `read_counts` does."""
    counts = read_counts(io.BytesIO(content), pattern=pattern, max_bytes=13 * most)
    if counts.pretokens.text.size > most:
        raise CountsError("counts_large", megabytes=most // 2**20)
    if not counts.pretokens.text.size:
        raise CountsError("counts_empty")
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
    run(read_counts_file, reads_parquet=True)
