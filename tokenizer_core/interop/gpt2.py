"""GPT-2's two files, read and written: vocab.json with the ids and merges.txt with the merges.

OpenAI named them encoder.json and vocab.bpe.
"""

import json
from codecs import BOM_UTF8
from typing import Any

from tokenizer_core.errors import ExportError, ExportWarning, TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer, file_tokenizer
from tokenizer_core.interop.exportable import ByteLevelBPE, Export, merges_in_letters, vocabulary_in_letters
from tokenizer_core.interop.hugging_face import for_oniguruma
from tokenizer_core.interop.limits import check_entries, check_size, ids_of_tokens, read_json
from tokenizer_core.patterns.split_patterns import SUPERWORDS

VOCABULARY, MERGES = "vocab.json", "merges.txt"
HEADER = "#version"
_SNIPPET = """\
from tokenizers import {imports}

tokenizer = Tokenizer(models.BPE.from_file("{vocabulary}", "{merges}"))
tokenizer.pre_tokenizer = {pre_tokenizer}
tokenizer.decoder = decoders.ByteLevel()
"""
_LETTERS = "pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)"
_SPLIT = """\
pre_tokenizers.Sequence(
    [
        pre_tokenizers.Split(Regex({pattern!r}), "isolated"),
        {letters},
    ]
)"""
_SPECIAL_SNIPPET = """\
tokenizer.add_special_tokens({tokens!r})
tokenizer.encode_special_tokens = True  # special tokens in a text are ordinary text
"""


def gpt2_tokenizer(
    ids: bytes | dict[str, Any], merges: bytes, *, pattern: str = "gpt2", name: str = "file"
) -> FileTokenizer:
    """Read the two files with a split pattern, which they do not hold.

    Entries that no merge makes are special tokens, since no text leads to them.
    """
    found = read_json(ids) if isinstance(ids, bytes) else ids
    return file_tokenizer(ids_of_tokens(found), read_merges(merges), pattern=pattern, name=name)


def read_merges(content: bytes) -> list[tuple[str, str]]:
    """Return the merges: each line has the two parts, in GPT-2's letters.

    >>> read_merges("#version: 0.2\\nĠ t\\nh e\\n".encode())
    [('Ġ', 't'), ('h', 'e')]
    """
    check_size(content)
    try:
        lines = content.removeprefix(BOM_UTF8).decode().replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        at = content.count(b"\n", 0, error.start) + 1
        raise TokenizerFileError("merges_line", at=at) from None
    merges = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or (number == 1 and line.startswith(HEADER)):
            continue
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise TokenizerFileError("merges_line", at=number)
        merges.append((parts[0], parts[1]))
    check_entries(len(merges))
    return merges


def export_gpt2(tokenizer: ByteLevelBPE) -> Export:
    """Write vocab.json and merges.txt; raise `ExportError` if they cannot hold the tokenizer."""
    if tokenizer.pattern == SUPERWORDS:  # the usual loader cuts at spaces, and would never make them
        raise ExportError("export_superwords", name=tokenizer.name)
    ids = vocabulary_in_letters(tokenizer, VOCABULARY)
    merges = merges_in_letters(tokenizer)
    for left, _ in merges:
        if left.startswith(HEADER):  # tokenizers takes it for the header on any line, and leaves it out
            raise ExportError("export_header_merge", file=MERGES, token=left, header=HEADER)
    pattern, warnings = for_oniguruma(tokenizer.pattern)
    if tokenizer.pattern != "gpt2":
        warnings = [ExportWarning("gpt2_files_bare"), *warnings]
    snippet = _SNIPPET.format(
        imports=("" if pattern is None else "Regex, ") + "Tokenizer, decoders, models, pre_tokenizers",
        vocabulary=VOCABULARY,
        merges=MERGES,
        pre_tokenizer=_LETTERS if pattern is None else _SPLIT.format(pattern=pattern, letters=_LETTERS),
    )
    if tokenizer.special_tokens:
        snippet += _SPECIAL_SNIPPET.format(tokens=list(tokenizer.special_tokens))
    rows = [f"{HEADER}: 0.2", *(f"{left} {right}" for left, right in merges)]
    files = {
        VOCABULARY: json.dumps(ids, ensure_ascii=False).encode(),
        MERGES: ("\n".join(rows) + "\n").encode(),
    }
    return Export(files, snippet, tuple(warnings))
