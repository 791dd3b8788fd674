"""WordPiece, trained by the `tokenizers` library in a child.

The child is `python -m tokenizer_core.workers.word_piece_job`. Its events are model, at the end, or failed.
"""

import base64
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.interop.word_piece import check_size, train_word_piece
from tokenizer_core.workers.child import MEMORY_BYTES, run, send, texts_of
from tokenizer_core.workers.model_job import ModelJob


class WordPieceJob(ModelJob[HuggingFaceTokenizer]):
    """One training of WordPiece."""

    module = "word_piece_job"

    def __init__(
        self,
        texts: Sequence[str],
        vocab_size: int,
        *,
        name: str = "WordPiece",
        turns: threading.Semaphore | None = None,
        memory_bytes: int | None = MEMORY_BYTES,
        keep: Callable[[HuggingFaceTokenizer], None] = lambda tokenizer: None,
    ) -> None:
        """Start the training; raise `TokenizerError` for a size or texts that cannot be used."""
        check_size(vocab_size)
        settings = {"vocab_size": vocab_size}
        super().__init__(texts, settings, name=name, turns=turns, memory_bytes=memory_bytes, keep=keep)

    def opened(self, content: bytes) -> HuggingFaceTokenizer:
        """Open the `tokenizer.json`."""
        return HuggingFaceTokenizer(content, name=self.name)


# ---- within the child


def train(description: dict[str, Any], texts: list[bytes]) -> None:
    """Train, and send the model."""
    os.environ.setdefault("RAYON_NUM_THREADS", "2")
    content = train_word_piece(list(texts_of(texts)), description["settings"]["vocab_size"])
    send("model", content=base64.b64encode(content).decode())


if __name__ == "__main__":
    run(train)
