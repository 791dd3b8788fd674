"""Parallel texts in two languages, and what is said when they are refused."""

from collections.abc import Sequence

import tiktoken

from tests.helpers.sample import THAI
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.parallel import (
    Joining,
)
from tokenizer_core.trainer import train


def files(**contents: str | bytes) -> list[PackedFile]:
    """Files of these names, dots for underscores."""
    return [
        PackedFile(name.replace("_", "."), content if isinstance(content, bytes) else content.encode())
        for name, content in contents.items()
    ]


def by_hand(lines: Sequence[str], whole: str, name: str, joining: Joining) -> int:
    """What tiktoken counts, used as its own documentation says; its rank files are those in the project."""
    openai_tokenizer(name)  # after this tiktoken has the encoding, and reads no file
    encoding = tiktoken.get_encoding(name)
    if joining == "lines":
        return sum(len(encoding.encode(line, disallowed_special=())) for line in lines)
    return len(encoding.encode(" ".join(lines) if joining == "space" else whole, disallowed_special=()))


OWN = train(THAI, 600)
