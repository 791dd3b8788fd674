"""Verify exported files: open them in the library that they are for, which must give the same ids."""

import base64
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import regex
import tiktoken
import tokenizers

from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.errors import ExportError
from tokenizer_core.interop.hugging_face import for_oniguruma
from tokenizer_core.interop.rank_file import for_tiktoken

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
    """Open the files of an export; `pattern` and `special_tokens` are for formats without them.

    Raises `ExportError` if the library refuses them, with its reason, or if the disk has no room for them.
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
                own = Tokenizer.from_model(next(iter(files.values())))
                return Reloaded("", own.encode, lambda text: own.encode(text, allowed_special="all"))
    except ExportError:
        raise
    except Exception as error:  # both libraries raise any kind, such as a plain Exception
        why = " ".join(str(error).split())[:200]
        raise ExportError("reload_refused", format=to, why=why) from None


def newer_character(text: str, library: Reloaded) -> str | None:
    """Return the first character that Python's regex knows and the library does not, as "U+323B0"."""
    for character in dict.fromkeys(text):
        if regex.match(r"\P{Cn}", character) and not library.knows(character):
            return f"U+{ord(character):04X}"
    return None


def _in_tiktoken(content: bytes, pattern: str, special_tokens: Mapping[str, int]) -> Reloaded:
    rows = map(str.split, content.decode().splitlines())
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
        paths = [Path(folder) / name for name in files]
        try:
            for path, content in zip(paths, files.values()):
                path.write_bytes(content)
        except OSError:
            raise ExportError("proof_no_room") from None
        model = tokenizers.models.BPE.from_file(*map(str, paths))
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


# ---- the lines of a corpus on which two tokenizers are compared

_ALL_SPLIT = 1_000_000
"""Characters. Of longer texts, only the lines that are wanted are cut out."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def sampled_lines(texts: Sequence[str], most: int = 2_000, *, longest: int = 1_000) -> list[str]:
    r"""Return lines of the texts with their ends, evenly spread if there are more than `most`; long ones are cut.

    >>> sampled_lines(["a\nb\n\nc"]), sampled_lines(["a\nb", "c\nd"], 2)
    (['a\n', 'b\n', 'c'], ['a\n', 'c\n'])
    """
    if sum(map(len, texts)) > _ALL_SPLIT:
        return _lines_at_places(texts, most, longest)
    full = [line for text in texts for line in _LINE.findall(text) if line.strip()]
    chosen = full if len(full) <= most else [full[n * len(full) // most] for n in range(most)]
    return [line[:longest] for line in chosen]


def _lines_at_places(texts: Sequence[str], most: int, longest: int) -> list[str]:
    """Return the lines at evenly spread places of long texts, and stretches of lines that are too long."""
    length = sum(map(len, texts))
    lines: dict[tuple[int, int], str] = {}
    before = 0
    for number, text in enumerate(texts):
        first, last = -(-before * most // length), -(-(before + len(text)) * most // length)
        for n in range(first, last):
            place = n * length // most - before
            start = text.rfind("\n", max(0, place - longest), place) + 1
            start = start or max(0, place - longest)
            end = text.find("\n", place, start + longest) + 1 or start + longest
            if (line := text[start:end]).strip():
                lines[number, start] = line
        before += len(text)
    return list(lines.values())
