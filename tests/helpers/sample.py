"""The bundled sentence pairs, and parallel texts in two languages."""

from collections.abc import Sequence

import tiktoken

from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.trainer import train
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.parallel import Joining

THAI = (REPOSITORY / "sample_data" / "parallel.th.txt").read_text(encoding="utf-8")
ENGLISH = (REPOSITORY / "sample_data" / "parallel.en.txt").read_text(encoding="utf-8")
THAI_LINES, ENGLISH_LINES = THAI.split("\n")[:-1], ENGLISH.split("\n")[:-1]


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
