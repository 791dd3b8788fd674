"""Byte-level BPE to read, train and trust; `reference.py` holds the definition."""

from tokenizer_core.errors import TokenizerError
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.patterns import SPLIT_PATTERNS, pretokenize
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.segments import Segment, segments
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, Trainer, train

__all__ = [
    "SPLIT_PATTERNS",
    "Merge",
    "Segment",
    "Tokenizer",
    "TokenizerError",
    "Trainer",
    "count_pretokens",
    "openai_tokenizer",
    "pretokenize",
    "segments",
    "train",
]
