"""Write a vocabulary as JSON and merges as CSV: to read and to compute with, not to load."""

import csv
import io
import json

from tokenizer_core.formats.exportable import ByteLevelBPE
from tokenizer_core.formats.traps import Export
from tokenizer_core.minbpe_files import readable
from tokenizer_core.texts.csv_cells import harmless_cell
from tokenizer_core.vocabulary import BYTES


def export_vocabulary(tokenizer: ByteLevelBPE) -> Export:
    """Write vocabulary.json: for each id the text and the bytes; the text is null where it is not whole UTF-8.

    >>> from tokenizer_core import Tokenizer
    >>> from tokenizer_core.formats.exportable import exportable
    >>> export_vocabulary(exportable(Tokenizer([(97, 98)]))).files["vocabulary.json"].splitlines()[-2]
    b'"256": {"text": "ab", "bytes": "6162"}'
    """
    rows = [
        f'"{token_id}": {json.dumps({"text": _text(token), "bytes": token.hex()}, ensure_ascii=False)}'
        for token_id, token in zip(tokenizer.ids, tokenizer.tokens)
    ]
    for token, token_id in sorted(tokenizer.special_tokens.items(), key=lambda entry: entry[1]):
        entry = {"text": token, "bytes": token.encode().hex(), "special": True}
        rows.append(f'"{token_id}": {json.dumps(entry, ensure_ascii=False)}')
    return Export({"vocabulary.json": ("{\n" + ",\n".join(rows) + "\n}\n").encode()}, "")


def export_merges(tokenizer: ByteLevelBPE) -> Export:
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


def _text(token: bytes) -> str | None:
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None
