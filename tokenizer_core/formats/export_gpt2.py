"""Write the two files of GPT-2: vocab.json (OpenAI: encoder.json) and merges.txt (OpenAI: vocab.bpe)."""

import json

from tokenizer_core.errors import ExportError
from tokenizer_core.formats.exportable import ByteLevelBPE, merges_in_letters, vocabulary_in_letters
from tokenizer_core.formats.pattern_dialects import for_oniguruma
from tokenizer_core.formats.traps import Export, Trap

VOCABULARY, MERGES = "vocab.json", "merges.txt"
HEADER = "#version"
_SNIPPET = """\
from tokenizers import {imports}

tokenizer = Tokenizer(models.BPE.from_file("{vocabulary}", "{merges}"))
tokenizer.pre_tokenizer = {pre_tokenizer}
tokenizer.decoder = decoders.ByteLevel()
"""
_SPLIT = """\
pre_tokenizers.Sequence(
    [
        pre_tokenizers.Split(Regex({pattern!r}), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
)"""
_SPECIAL_SNIPPET = """\
tokenizer.add_special_tokens({tokens!r})
tokenizer.encode_special_tokens = True  # special tokens in a text are ordinary text
"""


def export_gpt2(tokenizer: ByteLevelBPE) -> Export:
    """Write vocab.json and merges.txt; raise `ExportError` if they cannot hold the tokenizer."""
    ids = vocabulary_in_letters(tokenizer, VOCABULARY)
    merges = merges_in_letters(tokenizer)
    _check_merges(merges)
    pattern, traps = for_oniguruma(tokenizer.pattern)
    if tokenizer.pattern != "gpt2":
        no_pattern = Trap.of(
            "GPT-2's files hold no split pattern: what reads them cuts by GPT-2's; the snippet sets this one",
            "gpt2_files_bare",
        )
        traps = [no_pattern, *traps]
    plain = "pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)"
    snippet = _SNIPPET.format(
        imports=("" if pattern is None else "Regex, ") + "Tokenizer, decoders, models, pre_tokenizers",
        vocabulary=VOCABULARY,
        merges=MERGES,
        pre_tokenizer=plain if pattern is None else _SPLIT.format(pattern=pattern),
    )
    if tokenizer.special_tokens:
        snippet += _SPECIAL_SNIPPET.format(tokens=list(tokenizer.special_tokens))
    rows = [f"{HEADER}: 0.2", *(f"{left} {right}" for left, right in merges)]
    files = {
        VOCABULARY: json.dumps(ids, ensure_ascii=False).encode(),
        MERGES: ("\n".join(rows) + "\n").encode(),
    }
    return Export(files, snippet, tuple(traps))


def _check_merges(merges: list[tuple[str, str]]) -> None:
    """Refuse a merge that tokenizers takes for the header, wherever it stands, and leaves out."""
    for left, _ in merges:
        if left.startswith(HEADER):
            raise ExportError(
                f"only the header of {MERGES} may begin with {HEADER}; the merge of {left!r} would, too",
                "export_header_merge",
                file=MERGES,
                token=left,
                header=HEADER,
            )
