"""Byte-level BPE to read, train and trust; `reference.py` holds the definition."""

from tokenizer_core.ctrl_c import end_at_once, is_command

if is_command():  # the imports below take a second
    end_at_once()

from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.segments import Segment, segments
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Merge, Trainer, train
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.pretokens import count_pretokens
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, pretokenize

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
