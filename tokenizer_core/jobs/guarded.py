"""Opens files of strangers in a process of its own first, with limited time and memory.

A `tokenizer.json` may unpack to gigabytes, and its regular expressions may search for hours. What opens there is
opened here too. If its regular expressions are unknown, that process stays, and encodes with a time limit.

The process is `python -m tokenizer_core.jobs.guarded`. Its events are opened and encoded, or failed.
"""

import contextlib
import json
import sys
import threading
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.formats.hugging_face import HuggingFaceTokenizer
from tokenizer_core.formats.hugging_face_bpe import known_pattern
from tokenizer_core.formats.opening import Opened, open_tokenizer, part_of
from tokenizer_core.jobs.process import (
    Failure,
    Process,
    end_process,
    events_of,
    failures_sent,
    receive,
    send,
    start_process,
    starting,
)
from tokenizer_core.pretokens import check_text
from tokenizer_core.protocols import EncodedTexts, PlacedTokens

MEMORY_BYTES = 2 * 2**30
OPEN_SECONDS = 60.0
"""Gemma's vocabulary of 256,000 entries takes 8 s on a busy machine."""
ENCODE_SECONDS = 20.0
MAX_KEPT = 4
"""Processes that stay to encode; beyond that, the least recently asked one ends, and starts again when asked."""
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
    if any(part_of(file) == "tokenizer_json" for file in files.values()):
        guard = Guard(name, files, open_seconds=seconds)
    try:
        if guard:
            guard.start()
        opened = open_tokenizer(name, files, pattern=pattern, repair=repair)
        tokenizer = opened.tokenizer
        if guard and isinstance(tokenizer, HuggingFaceTokenizer) and not _are_harmless(tokenizer.regexes):
            kept, guard = guard, None
            return replace(opened, tokenizer=GuardedTokenizer(tokenizer, kept))
        return opened
    finally:
        if guard:
            guard.end()


def _are_harmless(regexes: Iterable[str]) -> bool:
    """Tell whether regular expressions are known to take linear time."""
    return all(known_pattern(source) or len(source) == 1 for source in regexes)


class GuardedTokenizer:
    """A tokenizer whose texts are encoded in the other process; what asks for no regular expression stays here."""

    def __init__(self, inner: HuggingFaceTokenizer, guard: "Guard") -> None:
        self._inner = inner
        self._guard = guard
        self.name = inner.name
        weakref.finalize(self, guard.end)

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, without special tokens."""
        return self._inner.vocab_size

    @property
    def entry_ids(self) -> list[int]:
        """The ids of the entries, without special tokens."""
        return self._inner.entry_ids

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens of the file and their ids."""
        return self._inner.special_tokens

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; raise `TokenizerFileError` if that takes too long."""
        allowed = allowed_special if isinstance(allowed_special, str) else list(allowed_special)
        ids: list[int] = self._guard.ask(task="encode", texts=[check_text(text)], allowed=allowed)["ids"]
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately; raise `TokenizerFileError` if that takes too long."""
        answer = self._guard.ask(task="each", texts=list(map(check_text, texts)))
        return EncodedTexts(np.array(answer["ids"], dtype=np.int32), np.array(answer["counts"], dtype=np.int64))

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the tokens with the bytes that each covers; raise `TokenizerFileError` if that takes too long."""
        allowed = allowed_special if isinstance(allowed_special, str) else list(allowed_special)
        answer = self._guard.ask(task="placed", texts=[check_text(text)], allowed=allowed)
        starts, ends = (np.array(answer[edge], dtype=np.int64) for edge in ("starts", "ends"))
        return PlacedTokens(np.array(answer["ids"], dtype=np.int32), starts, ends)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids."""
        return self._inner.decode(ids)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of the ids."""
        return self._inner.decode_bytes(ids)

    def token_bytes(self, token_id: int) -> bytes:
        """Return what one token spells."""
        return self._inner.token_bytes(token_id)

    def token_text(self, token_id: int) -> str:
        """Return a token as the file writes it."""
        return self._inner.token_text(token_id)

    def token_kind(self, token_id: int) -> str:
        """Tell whether a token stands for text that the vocabulary does not have, or is special."""
        return self._inner.token_kind(token_id)


class Guard:
    """The handle on the other process, which is started again when it was ended."""

    def __init__(self, name: str, files: Mapping[str, bytes], *, open_seconds: float = OPEN_SECONDS) -> None:
        self._name = name
        self._files = dict(files)
        self._open_seconds = open_seconds
        self._process: Process | None = None
        self._turn = threading.Lock()

    def start(self) -> None:
        """Open the files in the process; raise `TokenizerFileError` if they do not open in time."""
        with self._turn:
            self._start()

    def ask(self, *, seconds: float = ENCODE_SECONDS, **task: Any) -> dict[str, Any]:
        """Return the answer to one task; raise `TokenizerFileError` if it does not come in time."""
        with self._turn:
            if self._process is None:
                self._start()
            self._keep()
            return self._answer(json.dumps(task).encode() + b"\n", seconds)

    def end(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            end_process(process)

    def _keep(self) -> None:
        """Become the most recently asked guard, and end one that was asked long ago, unless it is at work."""
        with _keeping:
            _kept[:] = [guard for guard in _kept if guard is not self and guard._process is not None] + [self]
            idle = [guard for guard in _kept[:-MAX_KEPT] if guard._turn.acquire(blocking=False)]
        for guard in idle:
            guard.end()
            guard._turn.release()

    def _start(self) -> None:
        with starting(TokenizerFileError):
            self._process = start_process("guarded")
        sizes = [[name, len(content)] for name, content in self._files.items()]
        description = {"memory_bytes": MEMORY_BYTES, "name": self._name, "files": sizes}
        told = json.dumps(description).encode() + b"\n" + b"".join(self._files.values())
        self._answer(told, self._open_seconds)

    def _answer(self, told: bytes, seconds: float) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        late = threading.Timer(seconds, process.kill)
        with starting(TokenizerFileError):
            late.start()
        try:
            with contextlib.suppress(OSError):  # a process that has died gives no answer
                process.stdin.write(told)
                process.stdin.flush()
            answer = next(events_of(process), None)
        finally:
            is_late = not late.is_alive()
            late.cancel()
        if answer is None:
            self.end()
            raise _not_in_time(seconds) if is_late else _too_much()
        if answer["event"] == "failed":
            why = Failure(answer["code"], answer["values"], answer["message"])
            if why.code == "out_of_memory":
                self.end()
                raise _too_much()
            raise TokenizerFileError(why.message, why.code, **why.values)
        return answer


def _not_in_time(seconds: float) -> TokenizerFileError:
    return TokenizerFileError(
        f"the tokenizer must open and encode in {seconds:g} s; its regular expressions took longer",
        "tokenizer_slow",
        seconds=f"{seconds:g}",
    )


def _too_much() -> TokenizerFileError:
    return TokenizerFileError(
        f"the tokenizer must fit in {MEMORY_BYTES // 2**30} GB of memory; it took more, or ended its process",
        "tokenizer_memory",
        limit=MEMORY_BYTES // 2**30,
    )


# ---- within the process


def main() -> None:
    """Open the files from stdin, then do one task for each line until stdin ends."""
    description = receive(sys.stdin.buffer)
    if description is None:
        return
    opened = None
    with failures_sent():
        files = {name: sys.stdin.buffer.read(size) for name, size in description["files"]}
        opened = open_tokenizer(description["name"], files)
        send("opened", model=opened.model)
    while opened and (line := sys.stdin.buffer.readline()):
        with failures_sent():
            send("encoded", **_done(opened.tokenizer, json.loads(line)))


def _done(tokenizer: Any, task: dict[str, Any]) -> dict[str, Any]:
    texts = task["texts"]
    if task["task"] == "placed":
        found = tokenizer.encode_placed(texts[0], allowed_special=task["allowed"])
        return {"ids": found.ids.tolist(), "starts": found.starts.tolist(), "ends": found.ends.tolist()}
    if task["task"] == "each":
        encoded = tokenizer.encode_each(texts)
        return {"ids": encoded.ids.tolist(), "counts": encoded.counts.tolist()}
    return {"ids": tokenizer.encode(texts[0], allowed_special=task["allowed"])}


if __name__ == "__main__":
    main()
