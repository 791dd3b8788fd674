"""Write a tokenizer in the format of another library, with what is to be known there.

>>> from tokenizer_core import train
>>> written = export(train("aaabdaaabac", 259, pattern="none"), "tiktoken", name="mine")
>>> list(written.files), written.snippet.splitlines()[2]
(['mine.tiktoken'], 'import tiktoken')
"""

import re
from collections.abc import Callable

from tokenizer_core.errors import ExportError
from tokenizer_core.formats.export_gpt2 import export_gpt2
from tokenizer_core.formats.export_hugging_face import export_hugging_face
from tokenizer_core.formats.export_minbpe import export_minbpe
from tokenizer_core.formats.export_tables import export_merges, export_vocabulary
from tokenizer_core.formats.export_tiktoken import export_tiktoken
from tokenizer_core.formats.exportable import ByteLevelBPE, exportable
from tokenizer_core.formats.traps import Export
from tokenizer_core.protocols import AnyTokenizer

_WRITERS: dict[str, Callable[[ByteLevelBPE, str], Export]] = {
    "minbpe": export_minbpe,
    "tiktoken": export_tiktoken,
    "tokenizer.json": lambda tokenizer, name: export_hugging_face(tokenizer),
    "gpt2": lambda tokenizer, name: export_gpt2(tokenizer),
    "vocabulary.json": lambda tokenizer, name: export_vocabulary(tokenizer),
    "merges.csv": lambda tokenizer, name: export_merges(tokenizer),
}
FORMATS = tuple(_WRITERS)
"""The names of the formats."""
LOADED_BY = {"minbpe": "minbpe", "tiktoken": "tiktoken", "tokenizer.json": "tokenizers", "gpt2": "tokenizers"}
"""The library that loads the files of a format; nothing loads the others, which are tables."""


def export(tokenizer: AnyTokenizer, to: str, *, name: str | None = None) -> Export:
    """Write a tokenizer in the format `to`, one of `FORMATS`; `name` is the beginning of some file names.

    Raises `TokenizerError` if the format cannot hold the tokenizer.
    """
    if to not in _WRITERS:
        raise ExportError(
            f"the format must be one of {', '.join(FORMATS)}; {to!r} came", "export_format", format=to
        )
    return _WRITERS[to](exportable(tokenizer), file_name(name or tokenizer.name))


def file_name(name: str) -> str:
    """Return a name that is safe as the beginning of a file name on any system.

    >>> file_name("../my tokens"), file_name("นิทาน 1"), file_name("..")
    ('my-tokens', 'นิทาน-1', 'tokenizer')
    """
    return re.sub(r"[^\w\u0e00-\u0e7f.-]+", "-", name).strip(".-")[:60] or "tokenizer"
