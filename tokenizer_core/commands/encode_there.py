"""Encode files on a Dask cluster: pieces are encoded at the same time, and come back in the order of the texts.

No more pieces are under way than the workers need, so that neither they nor this process hold many ids.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.counting.cluster import refuse_other_versions, this_worker, versions
from tokenizer_core.counting.cluster_waiting import results_awaited
from tokenizer_core.counting.guesses import Guess
from tokenizer_core.counting.pieces import Piece, blocks_in, plan
from tokenizer_core.counting.reading import Listener, Reading
from tokenizer_core.counting.storage import everywhere
from tokenizer_core.counting.streaming import CountingRules
from tokenizer_core.counting.unreadable import Unreadable, readable, why_unreadable
from tokenizer_core.errors import CorpusError
from tokenizer_core.protocols import AnyTokenizer

if TYPE_CHECKING:
    from distributed import Client, Future

PIECE_BYTES = 2**23
MOST_IDS = 2**28
"""Ids of one piece, 1 GB. A file that cannot be parted, such as a gz file, may be larger."""
_AHEAD = 2
"""Pieces under way for each worker: the next one waits there when one is done."""


class IdSink(Protocol):
    """Takes ids, as `IdWriter` does."""

    def add(self, ids: Sequence[int] | NDArray[np.int32], /) -> None:
        """Take more ids of the same text."""

    def end_text(self) -> None:
        """End the text."""


Encode = Callable[[AnyTokenizer, Iterator[bytes], list[str], str, IdSink], None]
"""Encodes the blocks of a text; ends each line if each is a text of its own."""


@dataclass(frozen=True)
class EncodingOrder:
    """What every worker needs to know."""

    encode: Encode
    tokenizer: AnyTokenizer
    special: list[str]
    rules: CountingRules
    reading: Reading
    versions: dict[str, str]


class EncodedPiece(NamedTuple):
    """The ids of a piece, how many there are up to each end of a text, and how the file was read."""

    ids: NDArray[np.int32]
    ends: NDArray[np.int64]
    guesses: tuple[Guess, ...] = ()


class _Held:
    """Keeps ids in memory."""

    def __init__(self) -> None:
        self.parts: list[NDArray[np.int32]] = []
        self.ends: list[int] = []
        self.size = 0

    def add(self, ids: Sequence[int] | NDArray[np.int32]) -> None:
        self.parts.append(np.asarray(ids, dtype=np.int32))
        self.size += self.parts[-1].size
        if self.size > MOST_IDS:
            raise CorpusError(
                f"a file that is read whole may have at most {MOST_IDS:,} token ids on a cluster; unpack it, or"
                " leave out --engine dask",
                "piece_large",
                limit=MOST_IDS,
            )

    def end_text(self) -> None:
        self.ends.append(self.size)


def encode_on_cluster(
    client: "Client",
    names: Sequence[str],
    order: EncodingOrder,
    sink: IdSink,
    *,
    listener: Listener,
    guessed: Callable[[str, Guess], None] = lambda name, guess: None,
) -> None:
    """Encode files, each or each line a text, and give the ids to `sink` as one process would.

    Raises `TokenizerError`, which names a file that cannot be read.
    """
    units, _ = plan(names, order.rules, order.reading, len(client.nthreads()), PIECE_BYTES)
    pieces = [piece for unit in units for task in unit for piece in task]
    # A task, not scattered data: if the workers that hold it are killed, the scheduler has it made again.
    there = client.submit(_same, order, pure=False)
    under_way: deque[tuple[Piece, Future]] = deque()
    most = _AHEAD * len(client.nthreads())
    following: list[Piece | None] = [*pieces[1:], None]
    for piece, after in zip(pieces, following):
        under_way.append((piece, client.submit(encode_piece, there, piece, pure=False)))
        while under_way and (len(under_way) > most or after is None):
            first, future = under_way.popleft()
            results_awaited(client, [future])
            found: EncodedPiece = future.result()
            is_end = not under_way or under_way[0][0].name != first.name or under_way[0][0].start == 0
            _write(found, sink, ends_text=is_end and order.rules.boundaries == "file")
            listener(first.size)
            for guess in found.guesses:
                guessed(first.name, guess)


def unreadable_there(client: "Client", names: Sequence[str], reading: Reading) -> list[Unreadable | None]:
    """Let the workers read each file to its end; return for each why that fails, or None."""
    futures = client.map(why_unreadable, list(map(everywhere, names)), reading=reading, pure=False)
    results_awaited(client, futures)
    found: list[Unreadable | None] = client.gather(futures)
    return found


def _same(order: EncodingOrder) -> EncodingOrder:
    return order


def _write(found: EncodedPiece, sink: IdSink, *, ends_text: bool) -> None:
    start = 0
    for end in found.ends.tolist():
        sink.add(found.ids[start:end])
        sink.end_text()
        start = end
    if start < found.ids.size:
        sink.add(found.ids[start:])
    if ends_text:
        sink.end_text()


def encode_piece(order: EncodingOrder, piece: Piece) -> EncodedPiece:
    """Encode a piece on a worker."""
    refuse_other_versions(this_worker(), versions(), order.versions)
    held, guesses = _Held(), list[Guess]()
    with readable(piece.name, None):
        blocks = blocks_in(piece, order.rules, order.reading, guesses.append)
        order.encode(order.tokenizer, blocks, order.special, order.rules.boundaries, held)
    ids = np.concatenate([np.empty(0, dtype=np.int32), *held.parts])
    return EncodedPiece(ids, np.array(held.ends, dtype=np.int64), tuple(guesses))
