"""`.model` and `.vocab` files in minbpe's format: a header, the pattern, special tokens, merges.

A `.model` file has on its lines: the header; the split pattern as a regular expression, empty for none; the
number of special tokens; each special token and its id; then each merge as the ids of its two parts, the first
of them making token 256. The `.vocab` file shows the same to people and is never read.
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from tokenizer_core.errors import ModelFileError, TokenizerError
from tokenizer_core.patterns import SPLIT_PATTERNS, pattern_source
from tokenizer_core.tokenizer import BYTES, Pair, Tokenizer

HEADER = "minbpe v1"
KNOWN_HEADERS = (HEADER, "thai tokenizer v1.0")
MAX_FILE_BYTES = 16 * 2**20
"""A million merges fit; a hostile file of this size costs 5 s and 600 MB before it is refused."""

_NUMBER = re.compile(r"[0-9]{1,10}")


def save(tokenizer: Tokenizer, prefix: str | Path) -> None:
    """Write `prefix`.model and `prefix`.vocab; nothing is written where the format cannot hold the tokenizer."""
    model = model_text(tokenizer)
    for suffix, text in ((".model", model), (".vocab", vocab_text(tokenizer))):
        Path(f"{prefix}{suffix}").write_text(text, encoding="utf-8", newline="\n")


def load(path: str | Path) -> Tokenizer:
    """The tokenizer of a `.model` file; raises `ModelFileError` with the line that is wrong."""
    path = Path(path)
    if path.suffix != ".model":
        raise ModelFileError(
            f"a tokenizer is loaded from its .model file; {path.name!r} came", "model_suffix", file=path.name
        )
    with path.open("rb") as file:
        return parse_model(file.read(MAX_FILE_BYTES + 1), name=path.stem)


def model_text(tokenizer: Tokenizer) -> str:
    """The content of the `.model` file; raises `ModelFileError` for what the format cannot hold."""
    _check_can_hold(tokenizer)
    pattern = "" if tokenizer.pattern == "none" else pattern_source(tokenizer.pattern)
    lines = [HEADER, pattern, str(len(tokenizer.special_tokens))]
    lines += [f"{token} {token_id}" for token, token_id in tokenizer.special_tokens.items()]
    lines += [f"{left} {right}" for left, right in tokenizer.merges]
    return "\n".join(lines) + "\n"


def vocab_text(tokenizer: Tokenizer) -> str:
    """The content of the `.vocab` file: one token per line, merges with their two parts."""
    shown = [readable(token) for token in tokenizer.vocabulary]
    lines = [f"[{token}] {token_id}" for token_id, token in enumerate(shown[:BYTES])]
    lines += [
        f"[{shown[left]}][{shown[right]}] -> [{shown[token_id]}] {token_id}"
        for token_id, (left, right) in enumerate(tokenizer.merges, BYTES)
    ]
    lines += [f"[{token}] {token_id}" for token, token_id in tokenizer.special_tokens.items()]
    return "\n".join(lines) + "\n"


def readable(token: bytes) -> str:
    r"""A token on one line: bytes that are no whole character as `\xe0`, control characters as `\u000a`.

    >>> readable(b"a\n\xe0\xb8")
    'a\\u000a\\xe0\\xb8'
    """
    text = token.decode("utf-8", errors="backslashreplace")
    return "".join(f"\\u{ord(c):04x}" if unicodedata.category(c)[0] in "CZ" and c != " " else c for c in text)


def parse_model(content: bytes, *, name: str = "mine") -> Tokenizer:
    """The tokenizer in the bytes of a `.model` file; raises `ModelFileError` with the line that is wrong."""
    lines = iter(_lines(content))
    header = next(lines, "").strip()
    if header not in KNOWN_HEADERS:
        raise ModelFileError(
            f"line 1 must be one of {', '.join(map(repr, KNOWN_HEADERS))}; {header[:40]!r} came",
            "model_header",
            line=1,
            expected=HEADER,
            found=header[:40],
        )
    pattern = next(lines, "")
    special_tokens = _parse_special_tokens(lines)
    first_line = 4 + len(special_tokens)
    merges = [_parse_merge(line, number) for number, line in enumerate(lines, first_line)]
    names = {source: name for name, source in SPLIT_PATTERNS.items()} | {"": "none"}
    try:
        return Tokenizer(merges, pattern=names.get(pattern, pattern), special_tokens=special_tokens, name=name)
    except TokenizerError as error:
        raise _with_line(error, _line_of(error, list(special_tokens), first_line)) from None


def _lines(content: bytes) -> list[str]:
    """The lines of the file; only a line feed ends one, for a pattern may hold any other separator."""
    if len(content) > MAX_FILE_BYTES:
        raise ModelFileError(
            f"a .model file must have at most {MAX_FILE_BYTES:,} bytes; this one has more",
            "model_large",
            limit=MAX_FILE_BYTES,
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ModelFileError(
            f"line {line} must be UTF-8 text; this is no .model file", "model_not_text", line=line
        ) from None
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _parse_special_tokens(lines: Iterator[str]) -> dict[str, int]:
    """The special tokens, after their number on line 3."""
    count = next(lines, "")
    if not _NUMBER.fullmatch(count.strip()):
        raise _bad_line(3, count, "the number of special tokens", "model_special_count")
    special_tokens: dict[str, int] = {}
    for number in range(4, 4 + int(count)):
        line = next(lines, "")
        token, _, token_id = line.rstrip().rpartition(" ")
        if not _NUMBER.fullmatch(token_id) or not token or token in special_tokens:
            raise _bad_line(number, line, "a new special token and its id", "model_special")
        special_tokens[token] = int(token_id)
    return special_tokens


def _parse_merge(line: str, number: int) -> Pair:
    """The two ids of a merge line."""
    parts = line.split()
    if len(parts) != 2 or not all(map(_NUMBER.fullmatch, parts)):
        raise _bad_line(number, line, "two token ids", "model_merge")
    return int(parts[0]), int(parts[1])


def _bad_line(number: int, line: str, expected: str, code: str) -> ModelFileError:
    return ModelFileError(
        f"line {number} must hold {expected}; {line[:40]!r} came", code, line=number, found=line[:40]
    )


def _line_of(error: TokenizerError, special_tokens: list[str], first_merge_line: int) -> int:
    """The line that a merge, a special token or else the pattern stands on."""
    if "rank" in error.values:
        return first_merge_line + int(error.values["rank"])
    if "token" in error.values and error.values["token"] in special_tokens:
        return 4 + special_tokens.index(error.values["token"])
    return 4 if error.code.startswith("special") else 2


def _with_line(error: TokenizerError, line: int) -> ModelFileError:
    """The same error, with the line of the file it comes from."""
    return ModelFileError(f"line {line}: {error}", error.code, **{**error.values, "line": line})


def _check_can_hold(tokenizer: Tokenizer) -> None:
    """Refuse what a line-based file would tear: line breaks in the pattern, white space in special tokens."""
    source = pattern_source(tokenizer.pattern)
    if "\n" in source or "\r" in source:
        raise ModelFileError(
            "the .model format keeps the split pattern on one line; this pattern holds a line break:"
            r" write it as \n or \r",
            "save_pattern_line_break",
        )
    for token in tokenizer.special_tokens:
        if any(character.isspace() for character in token):
            raise ModelFileError(
                f"the .model format ends a special token at white space; {token!r} holds some",
                "save_special_token_space",
                token=token,
            )
