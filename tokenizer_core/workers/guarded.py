"""Opens files of strangers in a child first, with limited time and memory.

A `tokenizer.json` may unpack to gigabytes, and its regular expressions may search for hours. Byte-level BPE comes
from there as arrays of merges and ids; any other kind is opened here once more. If its regular expressions are
unknown, that child stays, and encodes with a time limit.

The child is `python -m tokenizer_core.workers.guarded`. Its events are opened and encoded, or failed.
"""

import base64
import gc
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, Literal

import numpy as np

from tokenizer_core.bpe.packed import PackedMerges
from tokenizer_core.bpe.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.errors import TokenizerError, TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer, known_pattern
from tokenizer_core.interop.opening import Opened, known_file, open_tokenizer, part_of, signed
from tokenizer_core.patterns.pretokens import check_text
from tokenizer_core.workers.child import Child, contents_in, failures_sent, from_app, receive, send, take_commands

MEMORY_BYTES = 2 * 2**30
FULL = TokenizerFileError("tokenizer_memory", limit=MEMORY_BYTES // 2**30)
OPEN_SECONDS = 60.0
"""Gemma's vocabulary of 256,000 entries takes 8 s on a busy machine."""
ENCODE_SECONDS = 20.0
PATIENCE = 5
"""How many times as long these may take on a machine that is busy with something else."""
MAX_KEPT = 4
"""Children that stay to encode; beyond that, the least recently asked one ends, and starts again when asked."""
_kept: list["Guard"] = []
_keeping = threading.Lock()


def open_guarded(
    name: str,
    content: bytes | Mapping[str, bytes],
    *,
    pattern: str | None = None,
    repair: bool = False,
    seconds: float = OPEN_SECONDS,
) -> Opened:
    """Open a tokenizer as `open_tokenizer` does, but refuse a file that takes too much time or memory.

    Raises `TokenizerError`.
    """
    files = {name: content} if isinstance(content, bytes) else dict(content)
    guard = None
    try:
        is_known = all(known_file(file) or part_of(file) != "tokenizer_json" for file in files.values())
    except OSError as error:  # no free file descriptor to read the table of known files
        raise TokenizerError("worker_not_started") from error
    if not is_known:
        guard = Guard(name, files, open_seconds=seconds)
    if guard is None:
        return open_tokenizer(name, files, pattern=pattern, repair=repair)
    try:
        answer = guard.start()
        if answer["parts"] is not None:
            return _taken_over(answer, name, files, pattern, repair=repair)
        opened = open_tokenizer(name, files, pattern=pattern, repair=repair)
        tokenizer = opened.tokenizer
        if isinstance(tokenizer, HuggingFaceTokenizer) and not _are_harmless(tokenizer.regexes):
            kept, guard = guard, None
            return replace(opened, tokenizer=GuardedTokenizer(tokenizer, kept))
        return opened
    finally:
        if guard:
            guard.end()


def _taken_over(
    answer: Mapping[str, Any], name: str, files: Mapping[str, bytes], pattern: str | None, *, repair: bool
) -> Opened:
    """Make the tokenizer of the arrays that a child has sent."""
    merges, ids = (np.frombuffer(base64.b64decode(answer[each]), dtype=np.int32) for each in ("merges", "ids"))
    tokenizer = FileTokenizer(PackedMerges(merges.reshape(-1, 2)), ids.tolist(), name=name, **answer["parts"])
    remarks = tuple(TokenizerError(code, **values) for code, values in answer["remarks"])
    opened = Opened(tokenizer, "tokenizer_json", "BPE", remarks)
    return signed(opened, files, pattern=pattern, repair=repair)


def _are_harmless(regexes: Iterable[str]) -> bool:
    """Tell whether regular expressions are known to take linear time."""
    return all(known_pattern(source) or len(source) == 1 for source in regexes)


class GuardedTokenizer(HuggingFaceTokenizer):
    """A tokenizer that encodes in the child; what needs no regular expression stays here.

    Each encoding raises `TokenizerFileError` if it takes too long.
    """

    def __init__(self, inner: HuggingFaceTokenizer, guard: "Guard") -> None:
        vars(self).update(vars(inner))  # opening the file again would take seconds
        self._guard = guard
        weakref.finalize(self, guard.end)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text."""
        ids: list[int] = self._guard.ask("encode", [text], allowed_special)["ids"]
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately."""
        answer = self._guard.ask("each", texts)
        return EncodedTexts(np.array(answer["ids"], dtype=np.int32), np.array(answer["counts"], dtype=np.int64))

    def stretches(self, text: str) -> list[str]:
        """Return the pieces that are encoded one by one."""
        return list(self._guard.ask("stretches", [text])["stretches"])

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the tokens with the bytes that each covers."""
        answer = self._guard.ask("placed", [text], allowed_special)
        starts, ends = (np.array(answer[edge], dtype=np.int64) for edge in ("starts", "ends"))
        return PlacedTokens(np.array(answer["ids"], dtype=np.int32), starts, ends)


class Guard:
    """The files of one tokenizer, and the child that has opened them; it starts again if it was ended."""

    def __init__(self, name: str, files: Mapping[str, bytes], *, open_seconds: float = OPEN_SECONDS) -> None:
        self._name = name
        self._files = dict(files)
        self._open_seconds = open_seconds
        self._child: Child | None = None
        self._turn = threading.Lock()

    def start(self) -> dict[str, Any]:
        """Open the files in the child, and return what it says of them.

        Raises `TokenizerFileError` if they do not open in time.
        """
        with self._turn:
            return self._start()

    def ask(
        self,
        task: str,
        texts: Iterable[str],
        allowed_special: Iterable[str] | Literal["all"] = (),
        *,
        seconds: float = ENCODE_SECONDS,
    ) -> dict[str, Any]:
        """Return the answer to one task; raise `TokenizerFileError` if it does not come in time."""
        allowed = allowed_special if isinstance(allowed_special, str) else list(allowed_special)
        order = {"task": task, "texts": list(map(check_text, texts)), "allowed": allowed}
        with self._turn:
            if self._child is None:
                self._start()
            self._keep()
            return self._answer(order, (), seconds)

    def end(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _keep(self) -> None:
        """Become the most recently asked guard, and end one that was asked long ago, unless it is at work."""
        with _keeping:
            _kept[:] = [guard for guard in _kept if guard is not self and guard._child is not None] + [self]
            idle = [guard for guard in _kept[:-MAX_KEPT] if guard._turn.acquire(blocking=False)]
        for guard in idle:
            guard.end()
            guard._turn.release()

    def _start(self) -> dict[str, Any]:
        self._child = Child("guarded", died=FULL)
        description = {"memory_bytes": MEMORY_BYTES, "name": self._name, "files": list(self._files)}
        return self._answer(description, [*self._files.values()], self._open_seconds)

    def _answer(self, order: Mapping[str, Any], contents: Sequence[bytes], seconds: float) -> dict[str, Any]:
        assert self._child is not None
        try:
            late = TokenizerFileError("tokenizer_slow", seconds=seconds)
            with self._child.limited(seconds, late, patience=PATIENCE):
                self._child.send(order, contents)
                return next(self._child.events())
        except TokenizerFileError as error:
            if error.code in (FULL.code, "tokenizer_slow"):
                self.end()
            raise


# ---- within the child


def main() -> None:
    """Open the files, then do one task after the other."""
    gc.disable()  # nothing of a file refers to itself, and looking for that takes a quarter of the time
    stream = from_app()
    description = receive(stream)
    opened = None
    with failures_sent(FULL):
        if description is not None:
            files = dict(zip(description["files"], contents_in(stream, description)))
            opened = open_tokenizer(description["name"], files)
            send("opened", **_handed_over(opened))
    if opened is None:
        return
    orders: SimpleQueue[dict[str, Any]] = SimpleQueue()
    take_commands(stream, orders.put)
    while True:
        with failures_sent(FULL):
            send("encoded", **_done(opened.tokenizer, orders.get()))


def _handed_over(opened: Opened) -> dict[str, Any]:
    """Return the parts of byte-level BPE that is ours; of any other kind nothing."""
    tokenizer = opened.tokenizer
    if not isinstance(tokenizer, FileTokenizer):
        return {"parts": None}
    arrays = {"merges": tokenizer.merges.pairs, "ids": np.array(tokenizer.entry_ids, dtype=np.int32)}
    named = ("pattern", "special_tokens", "added_tokens", "normalizer")
    return {
        "parts": {each: getattr(tokenizer, each) for each in named},
        "remarks": [(remark.code, remark.values) for remark in opened.remarks],
        **{each: base64.b64encode(found.tobytes()).decode() for each, found in arrays.items()},
    }


def _done(tokenizer: Any, order: dict[str, Any]) -> dict[str, Any]:
    texts, allowed = order["texts"], order["allowed"]
    match order["task"]:
        case "encode":
            return {"ids": tokenizer.encode(texts[0], allowed_special=allowed)}
        case "each":
            encoded = tokenizer.encode_each(texts)
            return {"ids": encoded.ids.tolist(), "counts": encoded.counts.tolist()}
        case "stretches":
            return {"stretches": tokenizer.stretches(texts[0])}
        case _:
            found = tokenizer.encode_placed(texts[0], allowed_special=allowed)
            return {"ids": found.ids.tolist(), "starts": found.starts.tolist(), "ends": found.ends.tolist()}


if __name__ == "__main__":
    main()
