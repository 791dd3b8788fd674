"""A SentencePiece training in a process of its own: `python -m tokenizer_core.jobs.sentencepiece_job`.

Its events are model, at the end, or failed. How far it is stands in the log that the library writes to stderr.
"""

import base64
import contextlib
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from tokenizer_core.errors import TokenizerError
from tokenizer_core.formats.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.jobs.process import (
    CANNOT_START,
    MEMORY_BYTES,
    Failure,
    Process,
    events_of,
    failures_sent,
    hand_over,
    receive,
    send,
    start_process,
    texts_in,
)
from tokenizer_core.jobs.sentencepiece_log import TrainingLog, refusal
from tokenizer_core.jobs.sentencepiece_settings import SentencePieceSettings
from tokenizer_core.pretokens import check_text

_ERRORS_ONLY = 2


class SentencePieceJob:
    """The handle on one training. Its own threads write `log`, `tokenizer` and `failure`; `stop` ends it early.

    At most as many trainings as `turns` allows run at the same time; the others wait.
    """

    def __init__(
        self,
        texts: Sequence[str],
        settings: SentencePieceSettings,
        *,
        name: str = "sentencepiece",
        turns: threading.Semaphore | None = None,
        memory_bytes: int | None = MEMORY_BYTES,
        keep: Callable[[SentencePieceTokenizer], None] = lambda tokenizer: None,
    ) -> None:
        """Start the training; raise `TokenizerError` for settings or texts that cannot be used.

        A thread of the training hands the tokenizer to `keep` before the training has `ended`.
        """
        settings.check()
        for text in texts:
            check_text(text)
        self.settings = settings
        self.name = name
        self.log = TrainingLog(settings)
        self.tokenizer: SentencePieceTokenizer | None = None
        self.failure: Failure | None = None
        self.stopped = False
        self.began: float | None = None
        self.seconds = 0.0
        self._keep = keep
        self._turns = turns or threading.Semaphore()
        self._worker: Process | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        description = {"settings": asdict(settings), "memory_bytes": memory_bytes}
        threading.Thread(target=self._run, args=(tuple(texts), description), daemon=True).start()

    @property
    def ended(self) -> bool:
        """Whether the training is over: it has a tokenizer or a failure, or it was stopped."""
        return self._ended.is_set()

    @property
    def waits(self) -> bool:
        """Whether it waits for its turn."""
        return self.began is None and not self.ended

    def wait(self, seconds: float) -> None:
        """Wait for the end, at most this many seconds."""
        self._ended.wait(seconds)

    def stop(self) -> None:
        """End the training, whatever it is doing."""
        with self._lock:
            if not self.ended:
                self.stopped = True
            if self._worker is not None:
                self._worker.kill()

    def _run(self, texts: tuple[str, ...], description: dict[str, Any]) -> None:
        try:
            with self._turns:
                with self._lock:
                    worker = None if self.stopped else start_process("sentencepiece_job", with_log=True)
                    self._worker = worker
                if worker is not None:
                    self.began = time.monotonic()
                    self._follow(worker, texts, description)
                    self.seconds = time.monotonic() - self.began
        except CANNOT_START as error:
            self.failure = Failure("worker_not_started", {}, f"no process could be started: {error}")
        if not (self.stopped or self.tokenizer or self.failure):
            self.failure = Failure("pieces_died", {}, "the process that trained SentencePiece ended unexpectedly")
        try:
            if self.tokenizer is not None:
                self._keep(self.tokenizer)
        finally:
            self._ended.set()

    def _follow(self, worker: Process, texts: tuple[str, ...], description: dict[str, Any]) -> None:
        """Send the texts, and read the events and the log, at the same time; else one side might wait forever."""
        reader = threading.Thread(target=self._read_log, args=(worker,), daemon=True)
        reader.start()
        threading.Thread(target=_hand_over, args=(worker, description, texts), daemon=True).start()
        for event in events_of(worker):
            self._take_in(event)
        reader.join()
        assert worker.stdin is not None
        with contextlib.suppress(OSError):
            worker.stdin.close()  # not sooner: its end tells the process that the app is gone

    def _read_log(self, worker: Process) -> None:
        assert worker.stderr is not None
        with contextlib.closing(worker.stderr):
            for line in worker.stderr:
                self.log.add(line.decode("utf-8", "replace"))

    def _take_in(self, event: dict[str, Any]) -> None:
        match event.pop("event"):
            case "model":
                self._open(base64.b64decode(event["content"]))
            case "failed":
                self.failure = Failure(**event)

    def _open(self, content: bytes) -> None:
        try:
            self.tokenizer = SentencePieceTokenizer(content, name=self.name)
        except TokenizerError as error:
            self.failure = Failure.of(error)


def _hand_over(worker: Process, description: dict[str, Any], texts: tuple[str, ...]) -> None:
    """Write the description and the texts; whoever listens to the worker notices if it has died."""
    with contextlib.suppress(OSError):
        hand_over(worker, description, texts)


def train_sentencepiece(texts: Iterable[str], settings: SentencePieceSettings, *, quiet: bool = False) -> bytes:
    """Train at once, in this process, and return the bytes of the `.model` file; each line is a sentence.

    The library writes its log to stderr, unless it must be `quiet`.

    Raises `TrainingError` with what the library says against the settings or the texts.
    """
    import sentencepiece

    settings.check()
    lines = (line for text in texts for line in text.split("\n"))
    model = io.BytesIO()
    more: dict[str, Any] = {"minloglevel": _ERRORS_ONLY} if quiet else {}
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=lines, model_writer=model, **settings.arguments(), **more
        )
    except (RuntimeError, ValueError, IndexError) as error:
        if "Resource temporarily unavailable" in str(error):  # no memory for the stack of another thread
            raise MemoryError from None
        raise refusal(str(error), settings) from None
    return model.getvalue()


def main() -> None:
    """Read one training from stdin, run it, and write its model."""
    description = receive(sys.stdin.buffer)
    if description is None:
        return
    with failures_sent():
        settings = SentencePieceSettings(**description["settings"])
        texts = list(texts_in(sys.stdin.buffer, description))
        threading.Thread(target=_end_with_the_app, daemon=True).start()
        send("model", content=base64.b64encode(train_sentencepiece(texts, settings)).decode())


def _end_with_the_app() -> None:
    """Exit at once when the app is gone: then stdin ends."""
    sys.stdin.buffer.read(1)
    os._exit(0)


if __name__ == "__main__":
    main()
    os._exit(0)  # an ordinary exit aborts, because it needs stdin, which the thread holds
