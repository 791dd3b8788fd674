"""A small training whose race can be shown."""

from collections.abc import Sequence
from typing import Any

from tokenizer_core.jobs.training import Training
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import train


def own(text: str = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ the cat sat on the mat " * 5, size: int = 330) -> Tokenizer:
    return train(text, size)


class Learned:
    """What the race reads of a training: its tokenizer, and the texts that it keeps."""

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str] = (), name: str = "learned") -> None:
        self.id = name
        self.training = Training(texts, tokenizer.vocab_size)
        self.tokenizer = lambda: tokenizer


def learned(tokenizer: Tokenizer, texts: Sequence[str] = (), name: str = "learned") -> Any:
    """A training that has learned this."""
    return Learned(tokenizer, texts, name)
