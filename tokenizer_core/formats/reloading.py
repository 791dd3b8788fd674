"""Open exported files in the library that they are for, and tell what it makes of a text."""

import base64
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import regex
import tiktoken
import tokenizers

from tokenizer_core.errors import ExportError
from tokenizer_core.formats.pattern_dialects import for_oniguruma, for_tiktoken
from tokenizer_core.tokenizer import Tokenizer

Encode = Callable[[str], list[int]]
_BYTE_RANKS = {bytes([byte]): byte for byte in range(256)}


@dataclass(frozen=True)
class Reloaded:
    """A tokenizer as another library has read it."""

    library: str
    """Its name and version; empty for this library's own reader."""
    encode: Encode
    """Return the ids of a text in which special tokens are ordinary text."""
    encode_acting: Encode
    """Return the ids of a text in which special tokens act."""
    knows: Callable[[str], bool] = lambda character: True
    """Tell whether a character is in the library's Unicode tables."""


def reload(to: str, files: Mapping[str, bytes], pattern: str, special_tokens: Mapping[str, int]) -> Reloaded:
    """Open the files of an export; pattern and special tokens are for formats that hold none.

    Raises `ExportError` if the library refuses them, with its reason, or if there is no room for them on the disk.
    """
    try:
        match to:
            case "tiktoken":
                return _in_tiktoken(next(iter(files.values())), pattern, special_tokens)
            case "tokenizer.json":
                return _in_tokenizers(tokenizers.Tokenizer.from_str(files["tokenizer.json"].decode()))
            case "gpt2":
                return _in_tokenizers(_from_gpt2_files(files, pattern, special_tokens))
            case _:
                return _here(next(iter(files.values())))
    except ExportError:
        raise
    except Exception as error:  # both libraries raise whatever they like, such as a plain Exception
        why = " ".join(str(error).split())[:200]
        raise ExportError(
            f"the export must open in the other library; it says: {why}", "reload_refused", format=to, why=why
        ) from None


def newer_character(text: str, library: Reloaded) -> str | None:
    """Return the first character that Python's regex knows and the library does not, as "U+323B0"."""
    for character in dict.fromkeys(text):
        if regex.match(r"\P{Cn}", character) and not library.knows(character):
            return f"U+{ord(character):04X}"
    return None


def _in_tiktoken(content: bytes, pattern: str, special_tokens: Mapping[str, int]) -> Reloaded:
    rows = [line.split() for line in content.decode().splitlines()]
    encoding = tiktoken.Encoding(
        name="reloaded",
        pat_str=for_tiktoken(pattern)[0],
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in rows},
        special_tokens=dict(special_tokens),
    )
    unassigned = tiktoken.Encoding(
        name="unassigned", pat_str=r"\p{Cn}", mergeable_ranks=_BYTE_RANKS, special_tokens={}
    )
    return Reloaded(
        f"tiktoken {version('tiktoken')}",
        lambda text: encoding.encode(text, disallowed_special=()),
        lambda text: encoding.encode(text, allowed_special="all"),
        lambda character: not unassigned.encode_ordinary(character),
    )


def _in_tokenizers(tokenizer: tokenizers.Tokenizer) -> Reloaded:
    def encode(text: str, *, acting: bool) -> list[int]:
        if tokenizer.encode_special_tokens == acting:
            tokenizer.encode_special_tokens = not acting
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    unassigned = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"\p{Cn}"), "removed")
    return Reloaded(
        f"tokenizers {version('tokenizers')}",
        lambda text: encode(text, acting=False),
        lambda text: encode(text, acting=True),
        lambda character: bool(unassigned.pre_tokenize_str(character)),
    )


def _from_gpt2_files(
    files: Mapping[str, bytes], pattern: str, special_tokens: Mapping[str, int]
) -> tokenizers.Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), files)
        model = tokenizers.models.BPE.from_file(*(str(Path(folder) / name) for name in files))
    tokenizer = tokenizers.Tokenizer(model)
    letters = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    source, _ = for_oniguruma(pattern)
    if source is None:
        tokenizer.pre_tokenizer = letters
    else:
        split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(source), "isolated")
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, letters])
    tokenizer.add_special_tokens(list(special_tokens))
    return tokenizer


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise ExportError(
            f"the disk must have room for the files to be tried out; {error.strerror}", "proof_no_room"
        ) from None


def _here(content: bytes) -> Reloaded:
    tokenizer = Tokenizer.from_model(content)
    return Reloaded("", tokenizer.encode, lambda text: tokenizer.encode(text, allowed_special="all"))
