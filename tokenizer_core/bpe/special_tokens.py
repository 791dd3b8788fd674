"""Special tokens: which of them act in a text, and where. If several start at one place, the longest wins."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal

import regex

from tokenizer_core.errors import SpecialTokenError

MAX_TOKEN_ID = 2**31 - 1


def assign_ids(special_tokens: Iterable[str] | Mapping[str, int], first_free_id: int) -> dict[str, int]:
    """Give special tokens the ids from `first_free_id` up, or check the ids that they come with.

    >>> assign_ids(["<|end|>", "<|start|>"], 300)
    {'<|end|>': 300, '<|start|>': 301}
    """
    if isinstance(special_tokens, Mapping):
        ids = dict(special_tokens)
    else:
        listed = [special_tokens] if isinstance(special_tokens, str) else list(special_tokens)
        _refuse_duplicates(listed)
        ids = {token: first_free_id + n for n, token in enumerate(listed)}
    owners: dict[int, str] = {}
    for token, token_id in ids.items():
        _check_token(token, token_id, first_free_id)
        if token_id in owners:
            raise SpecialTokenError(
                "special_token_same_id", token=token, other=owners[token_id], token_id=token_id
            )
        owners[token_id] = token
    return ids


def special_tokens_text(special_tokens: Iterable[str] | Mapping[str, int]) -> str:
    """Write special tokens as people enter them: separated by spaces, each with its id if it is given.

    >>> special_tokens_text({"<|end|>": 1101, "<|start|>": 1102}), special_tokens_text(["<|end|>"])
    ('<|end|>=1101 <|start|>=1102', '<|end|>')
    """
    if isinstance(special_tokens, Mapping):
        return " ".join(f"{token}={token_id}" for token, token_id in special_tokens.items())
    return " ".join([special_tokens] if isinstance(special_tokens, str) else special_tokens)


def parse_special_tokens(text: str, first_free_id: int) -> list[str] | dict[str, int]:
    """Parse what `special_tokens_text` writes; after a given id, each token without one gets the next id.

    Raises `SpecialTokenError` as `assign_ids` does.

    >>> parse_special_tokens("<|a|> <|b|>", 300)
    ['<|a|>', '<|b|>']
    >>> parse_special_tokens("<|a|>=1101 <|b|> <|c|>=2000", 300)
    {'<|a|>': 1101, '<|b|>': 1102, '<|c|>': 2000}
    """
    parts = [regex.fullmatch(r"(.+)=([0-9]{1,12})", word) or word for word in text.split()]
    tokens = [part if isinstance(part, str) else str(part[1]) for part in parts]
    _refuse_duplicates(tokens)
    if all(isinstance(part, str) for part in parts):
        assign_ids(tokens, first_free_id)
        return tokens
    ids: dict[str, int] = {}
    following = first_free_id
    for token, part in zip(tokens, parts, strict=True):
        ids[token] = following if isinstance(part, str) else int(part[2])
        following = ids[token] + 1
    return assign_ids(ids, first_free_id)


def split_on_special_tokens(text: str, allowed: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Cut a text into ordinary stretches (False) and special tokens (True); the longest token wins.

    >>> list(split_on_special_tokens("a<|x|>b", ["<|x|>"]))
    [('a', False), ('<|x|>', True), ('b', False)]
    """
    if not allowed:
        yield text, False
        return
    longest_first = sorted(allowed, key=len, reverse=True)
    end = 0
    for match in regex.finditer("|".join(map(regex.escape, longest_first)), text):
        if match.start() > end:
            yield text[end : match.start()], False
        yield match.group(), True
        end = match.end()
    if end < len(text):
        yield text[end:], False


def allowed_tokens(special_tokens: Mapping[str, int], allowed_special: Iterable[str] | Literal["all"]) -> set[str]:
    """Return the allowed special tokens, or every one for "all"; raise `SpecialTokenError` for an unknown one."""
    if allowed_special == "all":
        return set(special_tokens)
    allowed = {allowed_special} if isinstance(allowed_special, str) else set(allowed_special)
    unknown = sorted(allowed - set(special_tokens))
    if unknown:
        raise SpecialTokenError("special_token_unknown", token=unknown[0])
    return allowed


def _refuse_duplicates(tokens: list[str]) -> None:
    for token, times in Counter(tokens).items():
        if times > 1:
            raise SpecialTokenError("special_token_duplicate", token=token)


def _check_token(token: str, token_id: int, first_free_id: int) -> None:
    if not token:
        raise SpecialTokenError("special_token_empty")
    if any("\ud800" <= character <= "\udfff" for character in token):
        raise SpecialTokenError("special_token_surrogate", token=ascii(token))
    if token_id > MAX_TOKEN_ID:
        raise SpecialTokenError("special_token_id_large", token=token, token_id=token_id, most=MAX_TOKEN_ID)
    if token_id < first_free_id:
        raise SpecialTokenError(
            "special_token_id_taken", token=token, token_id=token_id, first_free_id=first_free_id
        )
