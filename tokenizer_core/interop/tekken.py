"""Mistral's tekken.json: a split pattern, tokens by rank, and special tokens that have the first ids."""

import binascii
from collections.abc import Mapping
from typing import Any

from tokenizer_core.bpe.vocabulary import BYTES, MAX_TOKEN_BYTES
from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.interop.limits import check_entries
from tokenizer_core.interop.rank_file import RankedTokenizer, ranked_tokenizer

_TOOLS = ("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]")
_IMAGES = ("[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]")
_SYSTEM = ("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]")
_WITHOUT_A_LIST = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]", *_TOOLS, *_IMAGES, *_SYSTEM)
"""The special tokens of files up to version 7, which do not list them: those of mistral-common."""


def is_tekken(found: Mapping[str, Any]) -> bool:
    """Tell whether a JSON object is a tekken.json."""
    return isinstance(found.get("config"), dict) and isinstance(found.get("vocab"), list)


def tekken_tokenizer(found: Mapping[str, Any], *, name: str = "file") -> RankedTokenizer:
    """Read a tekken.json; only the first tokens of its list are in the vocabulary. Raises `TokenizerFileError`.

    >>> letters = [binascii.b2a_base64(bytes([n]), newline=False).decode() for n in range(256)]
    >>> tokens = [{"rank": n, "token_bytes": letter} for n, letter in enumerate(letters)]
    >>> config = {"pattern": "[a-z]+", "default_vocab_size": 258, "default_num_special_tokens": 2}
    >>> tokenizer = tekken_tokenizer({"config": config, "vocab": tokens}).tokenizer
    >>> tokenizer.encode("a<s>", allowed_special="all"), tokenizer.special_tokens
    ([99, 1], {'<unk>': 0, '<s>': 1})
    """
    config, listed = found["config"], found["vocab"]
    size, specials, pattern = (
        config.get(key) for key in ("default_vocab_size", "default_num_special_tokens", "pattern")
    )
    if type(size) is not int or type(specials) is not int or not isinstance(pattern, str):
        raise TokenizerFileError("tekken_config")
    check_entries(size)
    check_entries(len(listed))
    if not 0 <= specials <= size - BYTES or size - specials > len(listed):
        raise TokenizerFileError("tekken_config")
    tokens = {specials + rank: _token(entry, rank) for rank, entry in enumerate(listed[: size - specials])}
    if sum(map(len, tokens.values())) > MAX_TOKEN_BYTES:
        raise TokenizerFileError("file_unknown")
    special_tokens = _special_tokens(found.get("special_tokens"), specials)
    return ranked_tokenizer(tokens, pattern=pattern, special_tokens=special_tokens, name=name)


def _token(entry: Any, rank: int) -> bytes:
    try:
        token = binascii.a2b_base64(entry["token_bytes"], strict_mode=True)
        if entry["rank"] == rank and (token == bytes([rank]) if rank < BYTES else len(token) > 1):
            return token
    except (binascii.Error, KeyError, TypeError, ValueError):
        pass
    raise TokenizerFileError("tekken_token", rank=rank)


def _special_tokens(listed: Any, count: int) -> dict[str, int]:
    """Return the special tokens; those that the file does not name are called <SPECIAL_20> and so on."""
    if listed is None:
        listed = [{"rank": rank, "token_str": token} for rank, token in enumerate(_WITHOUT_A_LIST[:count])]
    try:
        named = {token["rank"]: token["token_str"] for token in listed}
        names = [named.get(rank, f"<SPECIAL_{rank}>") for rank in range(count)]
        if set(named) <= set(range(count)) and len(set(names)) == count and all(map(_is_name, names)):
            return {token: rank for rank, token in enumerate(names)}
    except (KeyError, TypeError):
        pass
    raise TokenizerFileError("tekken_special")


def _is_name(token: Any) -> bool:
    return isinstance(token, str) and bool(token) and not any("\ud800" <= each <= "\udfff" for each in token)
