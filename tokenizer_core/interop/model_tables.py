"""Facts about models of others that their files leave out, from the tables beside this file."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.interop.byte_level import Normalizer
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, THEN, pattern_source

_RANGE = re.compile(r"\{([0-9]+)\.\.([0-9]+)\}")


class KnownFile(NamedTuple):
    """What is known of a file by its hash."""

    name: str
    """The models that use it, such as "Qwen 2 to 3"."""
    maker: str
    year: int
    pattern: str | None = None
    """The split pattern of a rank file, which holds none."""
    normalizer: Normalizer | None = None
    special_tokens: tuple[tuple[str, int], ...] = ()
    """The special tokens of a rank file and their ids."""


@cache
def known_files() -> dict[str, KnownFile]:
    """Return the known files by the SHA-256 of their content."""
    table = _read("known_files.toml")
    found = {}
    for entry in table["file"]:
        listed = list(chain.from_iterable(map(_spelled_out, entry.get("special_tokens", []))))
        first = entry.get("first_special", 0)
        pattern = entry.get("pattern")
        found[entry["sha256"]] = KnownFile(
            entry["name"],
            entry["maker"],
            entry["year"],
            _pattern(pattern) if pattern else None,
            entry.get("normalizer"),
            (*((token, first + n) for n, token in enumerate(listed)), *entry.get("others", {}).items()),
        )
    return found


def pre_tokenizer(name: Any) -> tuple[str, bool]:
    """Return the split pattern that llama.cpp knows by a name, and whether whole entries come before merges.

    Raises `TokenizerFileError` for any other name.
    """
    table = _read("pre_tokenizers.toml")
    pattern = next((pattern for pattern, names in table["names"].items() if name in names), None)
    if pattern is None:
        raise TokenizerFileError("gguf_pre", found=str(name)[:40])
    return _pattern(pattern), name in table["whole_first"]


def _pattern(name: str) -> str:
    if name in SPLIT_PATTERNS:
        return name
    steps: Iterable[str] = _read("pre_tokenizers.toml")["patterns"][name]
    return THEN.join(map(pattern_source, steps))


def _spelled_out(token: str) -> Iterator[str]:
    """Yield the tokens that a writing with a range stands for.

    >>> list(_spelled_out("<|extra_{0..2}|>"))
    ['<|extra_0|>', '<|extra_1|>', '<|extra_2|>']
    """
    found = _RANGE.search(token)
    numbers = range(int(found[1]), int(found[2]) + 1) if found else ()
    return (_RANGE.sub(str(number), token) for number in numbers) if found else iter([token])


@cache
def _read(file: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(file).read_text("utf-8"))
