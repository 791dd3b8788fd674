"""GPT-2's two files: `encoder.json` or `vocab.json` with the ids, `vocab.bpe` or `merges.txt` with the merges."""

from codecs import BOM_UTF8

from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.formats.byte_level import file_tokenizer
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.formats.json_files import check_entries, check_size, ids_of_tokens, read_json


def gpt2_tokenizer(ids: bytes, merges: bytes, *, pattern: str = "gpt2", name: str = "file") -> FileTokenizer:
    """Read the two files. They say nothing of the split pattern; GPT-2's is the default.

    Entries that no merge makes are special tokens, since no text leads to them.
    """
    return file_tokenizer(ids_of_tokens(read_json(ids)), read_merges(merges), pattern=pattern, name=name)


def read_merges(content: bytes) -> list[tuple[str, str]]:
    """Return the merges of `vocab.bpe`: on each line the two parts, in GPT-2's letters.

    >>> read_merges("#version: 0.2\\nĠ t\\nh e\\n".encode())
    [('Ġ', 't'), ('h', 'e')]
    """
    check_size(content)
    try:
        lines = content.removeprefix(BOM_UTF8).decode().replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        at = content.count(b"\n", 0, error.start) + 1
        raise TokenizerFileError(f"line {at:,} of the merges must be UTF-8", "merges_line", at=at) from None
    merges = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or (number == 1 and line.startswith("#version")):
            continue
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise TokenizerFileError(
                f"line {number:,} of the merges must hold two tokens; {line[:40]!r} came", "merges_line", at=number
            )
        merges.append((parts[0], parts[1]))
    check_entries(len(merges))
    return merges
