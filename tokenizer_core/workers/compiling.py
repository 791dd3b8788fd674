"""Compile the loops, or load them from numba's cache: `python -m tokenizer_core.workers.compiling cutting`.

Two processes compile at the same time, half of the loops each.
"""

import sys
from collections.abc import Callable

import numpy as np

from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Trainer
from tokenizer_core.bpe.vocabulary import recover_merges
from tokenizer_core.kernels import encode_loop
from tokenizer_core.kernels.longest_loop import Tree
from tokenizer_core.kernels.text_loop import empty_memory, move_slots, remember_tokens
from tokenizer_core.patterns.cutter import WORTH, Tally, encode_texts
from tokenizer_core.patterns.pretokens import PretokenCounts, counted_pretokens


def cutting() -> None:
    """Call the loops that cut texts, by named and user-written patterns, and count or encode pretokens."""
    Tally().add_counts(*counted_pretokens("ab", "none"))
    counted_pretokens("a" * WORTH, "a+")
    numbers, ids = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int32)
    memory = empty_memory(0)
    remember_tokens(np.zeros(0, dtype=np.uint8), numbers, ids, memory.slots)
    move_slots(memory.slots, memory.slots)
    encode_texts([b""], "none", Tree(numbers, ids, ids, ids, ids, numbers, ids), memory)


def merging() -> None:
    """Call the loops that learn merges, apply them, and recover them from ranks."""
    trainer = Trainer({"abab": 1}, 300)
    trainer.join(*trainer.candidates()[0][:2])
    trainer.step(1)
    tokenizer = Tokenizer([(97, 98)])
    for text in ("ab", "ab" * 10_000):  # a long one is encoded by another loop
        pretokens = PretokenCounts.of({text: 1})
        ids, stops = tokenizer.encode_pretokens(pretokens.text, pretokens.ends)
        encode_loop.in_order(ids, stops, np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int64))
    recover_merges([b"a", b"b", b"ab"])


PARTS: dict[str, Callable[[], None]] = {"cutting": cutting, "merging": merging}


def load_all() -> None:
    """Load all loops into this process, and compile what the cache lacks."""
    for load in PARTS.values():
        load()


if __name__ == "__main__":
    PARTS[sys.argv[1]]()
