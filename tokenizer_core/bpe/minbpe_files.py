"""`.model` and `.vocab` files in minbpe's format: a header, the pattern, special tokens, merges.

The lines of a `.model` file are: the header; the split pattern as a regular expression, empty for none; the number
of special tokens; each special token and its id; then each merge as the ids of its two parts. The first merge
makes token 256. The `.vocab` file shows the same to people; no code reads it.
"""

import re
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from tokenizer_core.bpe.special_tokens import MAX_TOKEN_ID, assign_ids
from tokenizer_core.bpe.vocabulary import BYTES, MergeCheck, Pair, build_vocabulary
from tokenizer_core.errors import ModelFileError, TokenizerError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, compile_pattern, pattern_source

HEADER = "minbpe v1"
KNOWN_HEADERS = (HEADER, "thai tokenizer v1.0")
MAX_FILE_BYTES = 16 * 2**20
"""A million merges fit. A hostile file of this size costs 5 s and 600 MB before it is refused."""
PATTERN_LINE, FIRST_SPECIAL_LINE = 2, 4

_NUMBER = re.compile(r"[0-9]{1,10}")


class ModelFile(NamedTuple):
    """The content of a `.model` file."""

    pattern: str
    """A name in `SPLIT_PATTERNS`, or a regular expression."""
    merges: Sequence[Pair]
    special_tokens: Mapping[str, int]


# ---- writing


def model_text(file: ModelFile) -> str:
    """Return the content of the `.model` file; raise `ModelFileError` if the format cannot hold it."""
    pattern = "" if file.pattern == "none" else pattern_source(file.pattern)
    if "\n" in pattern or "\r" in pattern:
        raise ModelFileError("save_pattern_line_break")
    for token in file.special_tokens:
        if any(character.isspace() for character in token):
            raise ModelFileError("save_special_token_space", token=token)
    lines = [HEADER, pattern, str(len(file.special_tokens))]
    lines += [f"{token} {token_id}" for token, token_id in file.special_tokens.items()]
    lines += [f"{left} {right}" for left, right in file.merges]
    return "\n".join(lines) + "\n"


def vocab_text(file: ModelFile) -> str:
    """Return the content of the `.vocab` file: one token per line, merges with their two parts."""
    shown = [readable(token) for token in build_vocabulary(file.merges)]
    lines = [f"[{token}] {token_id}" for token_id, token in enumerate(shown[:BYTES])]
    lines += [
        f"[{shown[left]}][{shown[right]}] -> [{shown[token_id]}] {token_id}"
        for token_id, (left, right) in enumerate(file.merges, BYTES)
    ]
    lines += [f"[{token}] {token_id}" for token, token_id in file.special_tokens.items()]
    return "\n".join(lines) + "\n"


def readable(token: bytes) -> str:
    r"""Write a token on one line: bytes outside whole characters as `\xe0`, control characters as `\u000a`.

    >>> readable(b"a\n\xe0\xb8")
    'a\\u000a\\xe0\\xb8'
    """
    text = token.decode("utf-8", errors="backslashreplace")
    return "".join(f"\\u{ord(c):04x}" if unicodedata.category(c)[0] in "CZ" and c != " " else c for c in text)


# ---- reading


def read(path: Path) -> bytes:
    """Read the bytes of a `.model` file; of a file that is too large, only one byte more than the limit."""
    if path.suffix != ".model":
        raise ModelFileError("model_suffix", file=path.name)
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


def parse(content: bytes) -> ModelFile:
    """Parse and check the bytes of a `.model` file; raise a `ModelFileError` that names the wrong line."""
    file = _parsed(content)
    _check_special_tokens(file.special_tokens, BYTES + len(file.merges))
    return file


class Renumbered(NamedTuple):
    """A special token whose id was taken, and the id that it got instead."""

    token: str
    before: int
    after: int


def parse_and_repair(content: bytes) -> tuple[ModelFile, list[Renumbered]]:
    r"""Parse the bytes of a `.model` file; give special tokens whose ids are taken the next free ids.

    >>> parse_and_repair(b"minbpe v1\n\n1\n<s> 256\n97 97\n")[1]
    [Renumbered(token='<s>', before=256, after=257)]
    """
    file = _parsed(content)
    first_free_id = BYTES + len(file.merges)
    kept: set[int] = set()
    taken = []
    for token, token_id in file.special_tokens.items():
        if first_free_id <= token_id <= MAX_TOKEN_ID and token_id not in kept:
            kept.add(token_id)
        else:
            taken.append((token, token_id))
    free = (number for number in count(first_free_id) if number not in kept)
    changes = [Renumbered(token, before, after) for (token, before), after in zip(taken, free)]
    new = {change.token: change.after for change in changes}
    special_tokens = {token: new.get(token, before) for token, before in file.special_tokens.items()}
    _check_special_tokens(special_tokens, first_free_id)
    return file._replace(special_tokens=special_tokens), changes


def _parsed(content: bytes) -> ModelFile:
    """Parse a file; its special tokens may still have ids that are taken."""
    lines = iter(_lines(content))
    header = next(lines, "").strip()
    if header not in KNOWN_HEADERS:
        raise ModelFileError("model_header", line=1, expected=HEADER, found=header[:40])
    source = next(lines, "")
    names = {source: name for name, source in SPLIT_PATTERNS.items()} | {"": "none"}
    pattern = names.get(source, source)
    try:
        compile_pattern(pattern)
    except TokenizerError as error:
        raise ModelFileError(error.code, **error.values, line=PATTERN_LINE) from None
    special_tokens = _parse_special_tokens(lines)
    merges = _parse_merges(lines, FIRST_SPECIAL_LINE + len(special_tokens))
    return ModelFile(pattern, merges, special_tokens)


def _lines(content: bytes) -> list[str]:
    """Return the lines of the file; only a line feed ends one, because a pattern may hold any other separator."""
    if len(content) > MAX_FILE_BYTES:
        raise ModelFileError("model_large", limit=MAX_FILE_BYTES)
    try:
        text = content.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ModelFileError("model_not_text", line=line) from None
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _parse_special_tokens(lines: Iterator[str]) -> dict[str, int]:
    """Read the number of special tokens on line 3, then the special tokens."""
    listed = next(lines, "")
    if not _NUMBER.fullmatch(listed.strip()):
        raise _bad_line(3, listed, "model_special_count")
    special_tokens: dict[str, int] = {}
    for number in range(FIRST_SPECIAL_LINE, FIRST_SPECIAL_LINE + int(listed)):
        line = next(lines, "")
        token, _, token_id = line.rstrip().rpartition(" ")
        if not _NUMBER.fullmatch(token_id) or not token or token in special_tokens:
            raise _bad_line(number, line, "model_special")
        special_tokens[token] = int(token_id)
    return special_tokens


def _check_special_tokens(special_tokens: Mapping[str, int], first_free_id: int) -> None:
    """Refuse special token ids that merges have taken; this needs the number of all merges."""
    try:
        assign_ids(special_tokens, first_free_id)
    except TokenizerError as error:
        line = FIRST_SPECIAL_LINE + list(special_tokens).index(error.values["token"])
        raise ModelFileError(error.code, **error.values, line=line) from None


def _parse_merges(lines: Iterator[str], first_line: int) -> list[Pair]:
    check = MergeCheck()
    merges: list[Pair] = []
    for number, line in enumerate(lines, first_line):
        parts = line.split()
        if len(parts) != 2 or not all(map(_NUMBER.fullmatch, parts)):
            raise _bad_line(number, line, "model_merge")
        left, right = int(parts[0]), int(parts[1])
        try:
            check.add(left, right)
        except TokenizerError as error:
            raise ModelFileError(error.code, **error.values, line=number) from None
        merges.append((left, right))
    return merges


def _bad_line(number: int, line: str, code: str) -> ModelFileError:
    return ModelFileError(code, line=number, found=line[:40])
