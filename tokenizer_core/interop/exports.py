"""Write a tokenizer in the format of another library, or as tables, with known incompatibilities.

>>> from tokenizer_core import train
>>> written = export(train("aaabdaaabac", 259, pattern="none"), "tiktoken", name="mine")
>>> list(written.files), written.snippet.splitlines()[2]
(['mine.tiktoken'], 'import tiktoken')
"""

import csv
import io
import json
import re
from collections.abc import Callable

from tokenizer_core.bpe.minbpe_files import ModelFile, model_text, readable, vocab_text
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.vocabulary import BYTES, utf8_text
from tokenizer_core.errors import ExportError, ExportWarning
from tokenizer_core.interop.exportable import ByteLevelBPE, Export, excerpt, exportable
from tokenizer_core.interop.gpt2 import export_gpt2
from tokenizer_core.interop.hugging_face import export_hugging_face
from tokenizer_core.interop.rank_file import export_tiktoken
from tokenizer_core.patterns.split_patterns import pattern_source
from tokenizer_core.readers.labels import harmless_cell

_REGEX_SNIPPET = """\
import regex
from minbpe import RegexTokenizer

tokenizer = RegexTokenizer()
tokenizer.load({file!r})
tokenizer.compiled_pattern = regex.compile(tokenizer.pattern)
"""
_BASIC_SNIPPET = """\
from minbpe import BasicTokenizer

tokenizer = BasicTokenizer()
tokenizer.load({file!r})
"""


def export(tokenizer: AnyTokenizer, to: str, *, name: str | None = None) -> Export:
    """Write a tokenizer in the format `to`, one of `FORMATS`; some file names begin with `name`.

    Raises `TokenizerError` if the format cannot hold the tokenizer.
    """
    if to not in _WRITERS:
        raise ExportError("export_format", format=to)
    parts = exportable(tokenizer)
    if not parts.is_plain and to in LOADED_BY and to != "tokenizer.json":
        raise ExportError("export_more")
    written = _WRITERS[to](parts, file_name(name or tokenizer.name))
    ids = {*parts.ids, *parts.special_tokens.values(), *parts.added_tokens.values()}
    if to in LOADED_BY and (rows := max(ids) + 1) > len(ids):
        gap = ExportWarning("id_gap", rows=rows, tokens=len(ids))
        written = written._replace(warnings=(*written.warnings, gap))
    return written


def file_name(name: str) -> str:
    """Return a name that is safe as the beginning of a file name on any system.

    >>> file_name("../my tokens"), file_name("นิทาน 1"), file_name("..")
    ('my-tokens', 'นิทาน-1', 'tokenizer')
    """
    return re.sub(r"[^\w\u0e00-\u0e7f.-]+", "-", name).strip(".-")[:60] or "tokenizer"


def _minbpe_files(tokenizer: ByteLevelBPE, name: str) -> Export:
    """Write `name`.model and `name`.vocab; raise `TokenizerError` if they cannot hold the tokenizer."""
    wanted = [bytes([byte]) for byte in range(BYTES)] + list(tokenizer.tokens[BYTES:])
    for place, (token_id, token) in enumerate(zip(tokenizer.ids, tokenizer.tokens)):
        if token_id != place or token != wanted[place]:
            raise ExportError("export_id_fixed", name=tokenizer.name, token_id=token_id, token=excerpt(token))
    file = ModelFile(tokenizer.pattern, tokenizer.merges, tokenizer.special_tokens)
    files = {f"{name}.model": model_text(file).encode(), f"{name}.vocab": vocab_text(file).encode()}
    if tokenizer.pattern == "none" or not pattern_source(tokenizer.pattern):
        return Export(files, _BASIC_SNIPPET.format(file=f"{name}.model"))
    return Export(files, _REGEX_SNIPPET.format(file=f"{name}.model"), (ExportWarning("minbpe_pattern"),))


def _vocabulary_table(tokenizer: ByteLevelBPE) -> Export:
    """Write vocabulary.json: for each id the text and the bytes; the text is null if it is not whole UTF-8."""
    entries: dict[int, dict[str, object]] = {
        token_id: {"text": utf8_text(token), "bytes": token.hex()}
        for token_id, token in zip(tokenizer.ids, tokenizer.tokens)
    }
    for token, token_id in sorted(tokenizer.special_tokens.items(), key=lambda entry: entry[1]):
        entries[token_id] = {"text": token, "bytes": token.encode().hex(), "special": True}
    for token, token_id in tokenizer.added_tokens.items():
        entries[token_id] = {"text": token, "bytes": token.encode().hex(), "added": True}
    rows = [f'"{token_id}": {json.dumps(entry, ensure_ascii=False)}' for token_id, entry in entries.items()]
    return Export({"vocabulary.json": ("{\n" + ",\n".join(rows) + "\n}\n").encode()}, "")


def _merges_table(tokenizer: ByteLevelBPE) -> Export:
    """Write merges.csv: one row for each merge, in order; broken bytes are written as `\\xe0`."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["rank", "token_id", "left_id", "right_id", "left", "right", "token", "token_bytes"])
    shown = [harmless_cell(readable(token)) for token in tokenizer.tokens]
    for rank, (left, right) in enumerate(tokenizer.merges):
        made = BYTES + rank
        cells = [shown[left], shown[right], shown[made], tokenizer.tokens[made].hex()]
        writer.writerow([rank, *(tokenizer.ids[entry] for entry in (made, left, right)), *cells])
    return Export({"merges.csv": ("\ufeff" + written.getvalue()).encode()}, "")


_WRITERS: dict[str, Callable[[ByteLevelBPE, str], Export]] = {
    "minbpe": _minbpe_files,
    "tiktoken": export_tiktoken,
    "tokenizer.json": lambda tokenizer, name: export_hugging_face(tokenizer),
    "gpt2": lambda tokenizer, name: export_gpt2(tokenizer),
    "vocabulary.json": lambda tokenizer, name: _vocabulary_table(tokenizer),
    "merges.csv": lambda tokenizer, name: _merges_table(tokenizer),
}
FORMATS = tuple(_WRITERS)
LOADED_BY = {"minbpe": "minbpe", "tiktoken": "tiktoken", "tokenizer.json": "tokenizers", "gpt2": "tokenizers"}
"""The library that loads each format. The other formats are tables to read and compute with."""
