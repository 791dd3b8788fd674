"""SentencePiece models for tests: trained on a small text in milliseconds, each only once."""

from dataclasses import replace
from functools import cache
from typing import Any

from tests.helpers.paths import REPOSITORY
from tokenizer_core.formats.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.jobs.sentencepiece_job import train_sentencepiece
from tokenizer_core.jobs.sentencepiece_settings import SentencePieceSettings

SMALL = SentencePieceSettings(model_type="bpe", vocab_size=420, hard_vocab_limit=False)


@cache
def small_text() -> str:
    """Some Thai and some English, of the bundled sentences."""
    parts = (REPOSITORY / "sample_data" / f"parallel.{language}.txt" for language in ("th", "en"))
    return "\n".join("\n".join(path.read_text("utf-8").splitlines()[:60]) for path in parts)


@cache
def model_of(**changes: Any) -> bytes:
    """The bytes of a model trained on the small text, with these settings changed."""
    return train_sentencepiece([small_text()], replace(SMALL, **changes))


def tokenizer_of(**changes: Any) -> SentencePieceTokenizer:
    """The tokenizer of such a model."""
    return SentencePieceTokenizer(model_of(**changes))
