"""Write minbpe's `.model` and `.vocab`, the files that this library keeps too."""

from tokenizer_core.errors import ExportError
from tokenizer_core.formats.exportable import ByteLevelBPE, source_of
from tokenizer_core.formats.traps import Export, Trap
from tokenizer_core.minbpe_files import ModelFile, model_text, vocab_text
from tokenizer_core.vocabulary import BYTES

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


def export_minbpe(tokenizer: ByteLevelBPE, name: str) -> Export:
    """Write `name`.model and `name`.vocab; raise `TokenizerError` if they cannot hold the tokenizer."""
    wanted = [bytes([byte]) for byte in range(BYTES)] + list(tokenizer.tokens[BYTES:])
    for place, token_id in enumerate(tokenizer.ids):
        if token_id != place or tokenizer.tokens[place] != wanted[place]:
            raise ExportError(
                "in a .model file, the id of a single byte is the byte, and the merges make the next ids;"
                f" {tokenizer.name} has other ids, first {token_id} for {tokenizer.tokens[place]!r}",
                "export_id_fixed",
                name=tokenizer.name,
                token_id=token_id,
                token=tokenizer.tokens[place][:40].decode("utf-8", errors="backslashreplace"),
            )
    file = ModelFile(tokenizer.pattern, tokenizer.merges, tokenizer.special_tokens)
    files = {f"{name}.model": model_text(file).encode(), f"{name}.vocab": vocab_text(file).encode()}
    if not source_of(tokenizer) or tokenizer.pattern == "none":
        return Export(files, _BASIC_SNIPPET.format(file=f"{name}.model"))
    keeps = Trap.of(
        "minbpe goes on cutting by GPT-4's pattern after loading; the last line of the snippet sets this one",
        "minbpe_pattern",
    )
    return Export(files, _REGEX_SNIPPET.format(file=f"{name}.model"), (keeps,))
