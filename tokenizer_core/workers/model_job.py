"""The training of another library's tokenizer in a child, whose only event is the content of its file."""

import base64
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from tokenizer_core.errors import TrainingError
from tokenizer_core.patterns.pretokens import check_text
from tokenizer_core.workers.child import Order, Task

Model = TypeVar("Model")


class ModelJob(Task, Generic[Model]):
    """One training. Its own threads write `tokenizer` and `failure`; `stop` ends it early."""

    died = TrainingError("pieces_died")

    def __init__(
        self,
        texts: Sequence[str],
        settings: Mapping[str, Any],
        *,
        name: str,
        turns: threading.Semaphore | None,
        memory_bytes: int | None,
        keep: Callable[[Model], None],
    ) -> None:
        """Start the training; raise `TokenizerError` for texts that cannot be used.

        A thread of the training hands the tokenizer to `keep` before the training has `ended`.
        """
        super().__init__(turns=turns)
        checked = tuple(map(check_text, texts))
        self.name = name
        self.tokenizer: Model | None = None
        self.began: float | None = None
        self.seconds = 0.0
        self._settings = settings
        self._keep = keep
        self._memory_bytes = memory_bytes
        self.start(lambda: self._order(checked))

    @property
    def vocab_size(self) -> int:
        """The size that it was asked for."""
        return int(self._settings["vocab_size"])

    @property
    def waits(self) -> bool:
        """Whether it waits for its turn."""
        return self.began is None and not self.ended

    def opened(self, content: bytes) -> Model:
        """Open the file of the tokenizer."""
        raise NotImplementedError

    def take_in(self, event: dict[str, Any]) -> bool:
        """Open the tokenizer, and keep it."""
        assert self.began is not None
        self.seconds = time.monotonic() - self.began
        self.tokenizer = self.opened(base64.b64decode(event["content"]))
        self._keep(self.tokenizer)
        return True

    def _order(self, texts: tuple[str, ...]) -> Order:
        self.began = time.monotonic()
        return {"settings": self._settings, "memory_bytes": self._memory_bytes}, texts
