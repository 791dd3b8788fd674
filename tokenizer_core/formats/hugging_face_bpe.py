"""A byte-level BPE `tokenizer.json` as one of our tokenizers, where both give the same ids on every text."""

from collections.abc import Iterable
from typing import Any

from tokenizer_core.errors import TokenizerError, TokenizerFileError
from tokenizer_core.formats.byte_level import file_tokenizer
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.formats.hugging_face import HuggingFaceTokenizer, components
from tokenizer_core.formats.probes import PROBES
from tokenizer_core.patterns import SPLIT_PATTERNS, compile_pattern

_OURS = {source: name for name, source in SPLIT_PATTERNS.items()}
# `{1,3}+` is possessive in tiktoken's and our regular expressions, but in Oniguruma it repeats the group.
_OURS |= {source.replace("{1,3}+", "{1,3}"): name for source, name in _OURS.items()}
_GPT2_AS_PUBLISHED = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
_OURS[_GPT2_AS_PUBLISHED] = "gpt2"


def known_pattern(source: str) -> str | None:
    """Return the name of a split pattern of ours that cuts as this regular expression; None for any other."""
    return _OURS.get(source)


def as_ours(opened: HuggingFaceTokenizer, texts: Iterable[str] = PROBES) -> FileTokenizer:
    """Return one of our tokenizers with the same ids; it is held to the library's on the texts.

    Raises `TokenizerError` with the reason where it cannot be one.
    """
    parts = opened.parts
    model = parts["model"]
    if opened.model != "BPE" or not any(part["type"] == "ByteLevel" for part in components(parts)):
        raise _not_ours("it is not byte-level BPE", "ours_not_byte_level")
    if parts["normalizer"] is not None:
        raise _not_ours("a normalizer changes the text first", "ours_normalizer")
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"):
        raise _not_ours("its tokens carry marks of words", "ours_marks")
    if any(not token.get("special") for token in parts["added_tokens"]):
        raise _not_ours("it has added tokens that act in every text", "ours_added")
    ours = file_tokenizer(
        model["vocab"],
        [_pair(merge) for merge in model.get("merges") or []],
        pattern=_pattern(parts["pre_tokenizer"]),
        special_tokens=opened.special_tokens,
        whole_first=bool(model.get("ignore_merges")),
        name=opened.name,
    )
    for text in texts:
        if ours.encode(text) != opened.encode(text):
            raise TokenizerFileError(
                f"this tokenizer cannot be one of this app's: it gives other ids on {text!r}",
                "ours_other_ids",
                text=ascii(text)[1:-1],
            )
    return ours


def _pattern(part: Any) -> str:
    """Return the split pattern of a pre-tokenizer."""
    steps = part.get("pretokenizers") if isinstance(part, dict) and part.get("type") == "Sequence" else [part]
    match steps:
        case [{"type": "ByteLevel"} as level]:
            splits: str | None = "gpt2" if level.get("use_regex", True) else "none"
        case [{"type": "Split"} as split, {"type": "ByteLevel"} as level] if not level.get("use_regex", True):
            splits = _split_pattern(split)
        case _:
            splits = None
    if splits is None:
        raise _not_ours("it cuts text in several steps, or in a way of its own", "ours_steps")
    if level.get("add_prefix_space", True):
        raise _not_ours("it puts a space before the text", "ours_prefix_space")
    return splits


def _split_pattern(split: dict[str, Any]) -> str | None:
    source = (split.get("pattern") or {}).get("Regex")
    # Matches become pretokens, and so does what lies between them. "Removed" with invert is the same for a
    # pattern that leaves nothing between its matches.
    if not isinstance(source, str) or split.get("behavior") != "Isolated" or split.get("invert"):
        return None
    known = known_pattern(source)
    if known is None:
        compile_pattern(source)
    return known or source


def _pair(merge: Any) -> tuple[str, str]:
    """Return the two parts of a merge, which files write as a list, or with a space between them."""
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        raise _not_ours("a merge does not join two tokens", "ours_not_a_merge")
    return parts[0], parts[1]


def _not_ours(why: str, code: str) -> TokenizerError:
    return TokenizerFileError(f"this tokenizer cannot be one of this app's: {why}", code)
