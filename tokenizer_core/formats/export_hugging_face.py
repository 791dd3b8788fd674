"""Write tokenizer.json for the tokenizers library of Hugging Face: byte-level BPE."""

import json
from typing import Any

from tokenizer_core.formats.exportable import ByteLevelBPE, merges_in_letters, vocabulary_in_letters
from tokenizer_core.formats.pattern_dialects import for_oniguruma
from tokenizer_core.formats.traps import Export, Trap

FILE = "tokenizer.json"
_SNIPPET = f"""\
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file("{FILE}")
"""
_SPECIAL_SNIPPET = "tokenizer.encode_special_tokens = True  # special tokens in a text are ordinary text\n"


def export_hugging_face(tokenizer: ByteLevelBPE) -> Export:
    """Write tokenizer.json; raise `ExportError` if two ids would have the same token."""
    pattern, traps = for_oniguruma(tokenizer.pattern)
    vocabulary = vocabulary_in_letters(tokenizer, FILE)
    snippet = _SNIPPET
    if tokenizer.special_tokens:
        snippet += _SPECIAL_SNIPPET
        acting = Trap.of(
            "tokenizers reads special tokens in any text as special, unless encode_special_tokens is set",
            "special_tokens_act",
        )
        traps = [acting, *traps]
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            _added(token, token_id)
            for token, token_id in sorted(tokenizer.special_tokens.items(), key=lambda entry: entry[1])
        ],
        "normalizer": None,
        "pre_tokenizer": _pre_tokenizer(pattern),
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocabulary,  # with the special tokens: else the library would give them the next free ids
            "merges": merges_in_letters(tokenizer),
        },
    }
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return Export({FILE: written.encode()}, snippet, tuple(traps))


def _pre_tokenizer(pattern: str | None) -> dict[str, Any]:
    """Return the splitting; text between two matches stays as pieces of its own, as in ours."""
    letters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    if pattern is None:
        return letters
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, letters]}


def _added(token: str, token_id: int) -> dict[str, Any]:
    return {
        "id": token_id,
        "content": token,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
