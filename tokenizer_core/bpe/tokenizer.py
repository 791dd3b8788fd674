"""A byte-level BPE tokenizer: merges, and everything computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.bpe import minbpe_files
from tokenizer_core.bpe.minbpe_files import ModelFile
from tokenizer_core.bpe.packed import PackedMerges, PackedTokens
from tokenizer_core.bpe.protocols import EncodedTexts
from tokenizer_core.bpe.special_tokens import allowed_tokens, assign_ids, split_on_special_tokens
from tokenizer_core.bpe.vocabulary import BYTES, Pair, build_vocabulary, unknown_id
from tokenizer_core.errors import TrainingError
from tokenizer_core.kernels import encode_loop, longest_loop, text_loop
from tokenizer_core.kernels.compiled import are_ready, wait_until_ready
from tokenizer_core.patterns.cutter import encode_texts, is_named
from tokenizer_core.patterns.pretokens import batches_of, check_text, counted_pretokens, number_pretokens
from tokenizer_core.patterns.split_patterns import compile_pattern

MEMORIES_KEPT = 2
"""Of threads that encoded at the same time; each has up to 15 MB after long texts, the first 12 MB more
for 200,000 tokens, and one more thread begins with nothing."""
_WORTH = 4
"""A text with this many times the bytes of the vocabulary is encoded faster by the tree of tokens, even if it must
grow first."""
_LONG = 2_000
"""Bytes. Plain Python takes the square of a pretoken's length, so waiting for the loops is faster beyond this."""

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]


class Tokenizer:
    """Encodes text by applying merges in the order they were learned.

    Only the merges are stored; the vocabulary is computed from them. `vocab_size` counts the 256 bytes and the
    merges, not the special tokens. Both are lists, or packed if the merges are given as `PackedMerges`.

    >>> tokenizer = Tokenizer([(97, 97), (256, 97)], pattern="none", special_tokens=["<|end|>"])
    >>> tokenizer.encode("aaab<|end|>", allowed_special=["<|end|>"])
    [257, 98, 258]
    >>> tokenizer.decode([257, 98, 258]), tokenizer.token_bytes(257)
    ('aaab<|end|>', b'aaa')
    """

    def __init__(
        self,
        merges: Iterable[Pair],
        *,
        pattern: str = "mark_aware",
        special_tokens: Iterable[str] | Mapping[str, int] = (),
        name: str = "mine",
    ) -> None:
        self.name = name
        self.pattern = pattern
        self.merges: Sequence[Pair] = (
            merges if isinstance(merges, PackedMerges) else [(int(left), int(right)) for left, right in merges]
        )
        vocabulary = build_vocabulary(self.merges)
        self.vocabulary: Sequence[bytes] = (
            PackedTokens(vocabulary) if isinstance(merges, PackedMerges) else vocabulary
        )
        compile_pattern(pattern)
        self.special_tokens = assign_ids(special_tokens, self.vocab_size)

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary: the 256 bytes and the merges, without special tokens."""
        return BYTES + len(self.merges)

    def at(self, vocab_size: int) -> Tokenizer:
        """Return the tokenizer at a smaller vocabulary size: with the first `vocab_size` - 256 merges.

        Special tokens stay. If their ids directly follow the last merge, they still do; otherwise they keep
        their ids.
        """
        if not BYTES <= vocab_size <= self.vocab_size:
            raise TrainingError("vocab_size_not_trained", size=vocab_size, most=self.vocab_size)
        if vocab_size == self.vocab_size:
            return self
        follow = assign_ids(list(self.special_tokens), self.vocab_size) == self.special_tokens
        return Tokenizer(
            self.merges[: vocab_size - BYTES],
            pattern=self.pattern,
            special_tokens=list(self.special_tokens) if follow else self.special_tokens,
            name=self.name,
        )

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; special tokens are ordinary text unless allowed."""
        allowed = allowed_tokens(self.special_tokens, allowed_special)
        if allowed:
            check_text(text)  # the whole text, so that an error counts characters from its start
        stretches = list(split_on_special_tokens(text, allowed))
        encoded = self.encode_each(stretch for stretch, is_special in stretches if not is_special)
        ordinary = self._listed(encoded.ids)
        if len(stretches) == 1 and ordinary:
            return ordinary
        ids: list[int] = []
        ends = iter(np.cumsum(encoded.counts).tolist())
        start = 0
        for stretch, is_special in stretches:
            if is_special:
                ids.append(self.special_tokens[stretch])
            else:
                end = next(ends)
                ids += ordinary[start:end]
                start = end
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately, so no token crosses the end of a text; special tokens are ordinary text.

        >>> Tokenizer([(97, 97)], pattern="none").encode_each(["aaa", "", "a"]).counts
        array([2, 0, 1])
        """
        texts = list(texts)
        if is_named(self.pattern) and self._has_tree_for(sum(map(len, texts))):
            return self._encode_whole(texts)
        numbered = number_pretokens(texts, self.pattern)
        # Each distinct pretoken is encoded once; then its ids are copied to every place where it occurs.
        ids, stops = self.encode_pretokens(numbered.distinct.text, numbered.distinct.ends)
        put_in_order = encode_loop.in_order if are_ready() else plain_in_order
        return EncodedTexts(*put_in_order(ids, stops, numbered.places, numbered.text_ends))

    def count_tokens(self, texts: str | Iterable[str]) -> int:
        """Count the tokens of all texts without listing them, each text encoded separately."""
        counted = counted_pretokens(texts, self.pattern)
        _, stops = self.encode_pretokens(counted.text, counted.ends)
        return int(np.diff(stops, prepend=0) @ counted.counts)

    def encode_pretokens(self, text: NDArray[np.uint8], ends: Numbers) -> tuple[Ids, Numbers]:
        """Encode pretokens that lie end to end; return their ids, and where the ids of each one end.

        >>> text, ends = np.frombuffer(b"aaab", dtype=np.uint8), np.array([3, 4])
        >>> Tokenizer([(97, 97)]).encode_pretokens(text, ends)
        (array([256,  97,  98], dtype=int32), array([2, 3]))
        """
        if not are_ready():
            ids, stops = encode_until_ready(text, ends, self._rank_of)
            if stops.size == ends.size:
                return ids, stops
            start = ends[stops.size - 1] if stops.size else 0
            more_ids, more_stops = self.encode_pretokens(text[start:], ends[stops.size :] - start)
            return np.concatenate([ids, more_ids]), np.concatenate([stops, more_stops + ids.size])
        encoded: tuple[Ids, Numbers]
        if self._has_tree_for(text.size):
            with self._memory(text.size) as memory:
                encoded = longest_loop.encode_pretokens(text, ends, self._tree, memory.pairs)
        else:
            encoded = encode_loop.encode_pretokens(text, ends, self._ranks)
        return encoded

    def _has_tree_for(self, size: int) -> bool:
        """Tell whether to encode a text of this size by the tree: if it has grown, or is worth growing."""
        return are_ready() and ("_tree" in vars(self) or size > _WORTH * self._vocabulary_bytes)

    def _encode_whole(self, texts: list[str]) -> EncodedTexts:
        """Encode by a named pattern, without counting pretokens first."""
        with self._memory(sum(map(len, texts))) as memory:
            encoded = [encode_texts(batch, self.pattern, self._tree, memory) for batch in batches_of(texts)]
        if len(encoded) == 1:
            return EncodedTexts(*encoded[0])
        ids, counts = ([arrays[column] for arrays in encoded] for column in (0, 1))
        return EncodedTexts(
            np.concatenate([np.empty(0, dtype=np.int32), *ids]),
            np.concatenate([np.empty(0, dtype=np.int64), *counts]),
        )

    @contextmanager
    def _memory(self, characters: int) -> Iterator[text_loop.Memory]:
        """Lend what earlier calls remember to one thread; another thread meanwhile begins with nothing."""
        try:
            known = self._memories.pop()
        except IndexError:
            known = None
        memory = text_loop.enough_memory(known, characters, self.vocab_size)
        yield memory
        self._memories[MEMORIES_KEPT - 1 :] = [memory]  # many threads at once leave no more behind

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; bytes that are not valid UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the exact bytes of the ids."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token, special or not; raise `TokenIdError` for an unknown id."""
        if 0 <= token_id < len(self.vocabulary):
            return self.vocabulary[token_id]
        if token_id in self._special_bytes:
            return self._special_bytes[token_id]
        raise unknown_id(token_id, self.name, self.vocab_size)

    def save(self, prefix: str | Path) -> None:
        """Write `prefix`.model and `prefix`.vocab in minbpe's format.

        Raises `ModelFileError`, and writes neither file, if the format cannot hold the tokenizer.
        """
        model, vocab = self.model_text(), self.vocab_text()
        for suffix, text in ((".model", model), (".vocab", vocab)):
            Path(f"{prefix}{suffix}").write_text(text, encoding="utf-8", newline="\n")

    def model_text(self) -> str:
        """Return the content of the `.model` file; raise `ModelFileError` if the format cannot hold it."""
        return minbpe_files.model_text(ModelFile(self.pattern, self.merges, self.special_tokens))

    def vocab_text(self) -> str:
        """Return the content of the `.vocab` file for people: one token per line, merges with their two parts."""
        return minbpe_files.vocab_text(ModelFile(self.pattern, self.merges, self.special_tokens))

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Read a `.model` file; raise a `ModelFileError` that names the wrong line."""
        path = Path(path)
        return cls.from_model(minbpe_files.read(path), name=path.stem)

    @classmethod
    def from_model(cls, content: bytes, *, name: str = "mine") -> Tokenizer:
        """Read the bytes of a `.model` file; raise a `ModelFileError` that names the wrong line."""
        file = minbpe_files.parse(content)
        return cls(file.merges, pattern=file.pattern, special_tokens=file.special_tokens, name=name)

    @cached_property
    def _vocabulary_bytes(self) -> int:
        """The bytes of all tokens; counting them takes 10 ms for 150,000 tokens."""
        return sum(map(len, self.vocabulary))

    @cached_property
    def _special_bytes(self) -> dict[int, bytes]:
        return {token_id: token.encode("utf-8") for token, token_id in self.special_tokens.items()}

    def _listed(self, ids: Ids) -> list[int]:
        """Return ids in a list; equal ids are one object, which saves two thirds of time and memory."""
        if ids.size < self.vocab_size:
            listed: list[int] = ids.tolist()
        else:  # all ids are in range, but NumPy takes less time if it need not raise an error for one
            listed = numbers_to(self.vocab_size).take(ids, mode="clip").tolist()
        return listed

    @cached_property
    def _tree(self) -> longest_loop.Tree:
        text = np.frombuffer(b"".join(self.vocabulary), dtype=np.uint8)
        ends = np.cumsum(np.fromiter(map(len, self.vocabulary), dtype=np.int64, count=self.vocab_size))
        parts = np.vstack([np.arange(BYTES).repeat(2).reshape(-1, 2), self._pairs]).astype(np.int32)
        tree = longest_loop.Tree(
            *longest_loop.grow_tree(text, ends, parts[:, 0].copy(), parts[:, 1].copy(), self._ranks)
        )
        memory = text_loop.empty_memory(0, self.vocab_size)
        text_loop.remember_tokens(text, ends, tree.lengths, memory.slots)
        self._memories.append(memory)
        return tree

    @cached_property
    def _memories(self) -> list[text_loop.Memory]:
        """What no thread uses now; a call that fails leaves nothing here."""
        return []

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy and another process get: not what this one remembers.

        A cluster sends large arrays when the network takes them, and small ones at once. Meanwhile a thread may
        encode: then the arrays of a memory would not fit together, and the copy would write wrong ids.
        """
        return {name: value for name, value in vars(self).items() if name != "_memories"}

    @cached_property
    def _ranks(self) -> Numbers:
        pairs = self._pairs
        table: Numbers = encode_loop.index_merges(pairs[:, 0].copy(), pairs[:, 1].copy())
        return table

    @cached_property
    def _rank_of(self) -> dict[Pair, int]:
        return {pair: rank for rank, pair in enumerate(self.merges)}

    @property
    def _pairs(self) -> Numbers:
        return np.array(self.merges, dtype=np.int64).reshape(-1, 2)


_numbers = [np.zeros(0, dtype=object)]


def numbers_to(size: int) -> NDArray[np.object_]:
    """Return the numbers below `size` as Python has them; all tokenizers share them.

    >>> numbers_to(3).tolist()
    [0, 1, 2]
    """
    known = _numbers[0]
    if known.size < size:  # two threads at once make two arrays, and one is forgotten
        known = _numbers[0] = np.concatenate([known, np.arange(known.size, size).astype(object)])
    return known[:size]


# Encoding in plain Python and NumPy, until the compiled loops are ready


def encode_pretoken(pretoken: bytes, ranks: Mapping[Pair, int]) -> list[int]:
    """Merge the bytes of a pretoken: the pair of lowest rank first, and of equal ones the leftmost.

    >>> encode_pretoken(b"aaab", {(97, 97): 0, (256, 97): 1})
    [257, 98]
    """
    ids = list(pretoken)
    never = len(ranks)
    pair_ranks = [ranks.get(pair, never) for pair in zip(ids, ids[1:])]
    while pair_ranks and (best := min(pair_ranks)) < never:
        i = pair_ranks.index(best)
        ids[i : i + 2] = [BYTES + best]
        del pair_ranks[i]
        if i < len(pair_ranks):
            pair_ranks[i] = ranks.get((ids[i], ids[i + 1]), never)
        if i > 0:
            pair_ranks[i - 1] = ranks.get((ids[i - 1], ids[i]), never)
    return ids


def encode_until_ready(text: NDArray[np.uint8], ends: Numbers, ranks: Mapping[Pair, int]) -> tuple[Ids, Numbers]:
    """Encode pretokens that lie end to end, until the loops are ready or all are done.

    Returns their ids, and where the ids of each one end; both say how far it came.
    """
    ids: list[int] = []
    stops: list[int] = []
    start = 0
    for end in ends.tolist():
        if end - start > _LONG:
            wait_until_ready()
        if are_ready():
            break
        ids += encode_pretoken(text[start:end].tobytes(), ranks)
        stops.append(len(ids))
        start = end
    return np.array(ids, dtype=np.int32), np.array(stops, dtype=np.int64)


def plain_in_order(ids: Ids, stops: Numbers, places: NDArray[np.int32], text_ends: Numbers) -> tuple[Ids, Numbers]:
    """Return what `encode_loop.in_order` returns: the ids at all places, and how many ids each text has."""
    lengths = np.diff(stops, prepend=0)[places]
    ends = np.cumsum(lengths)
    ordered = ids[np.repeat(stops[places] - ends, lengths) + np.arange(lengths.sum())]
    return ordered, np.diff(np.append(0, ends)[text_ends], prepend=0)
