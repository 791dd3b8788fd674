"""Write a rank file for tiktoken, and the Python code that builds the `Encoding` from it."""

import base64
from itertools import pairwise

from tokenizer_core.errors import ExportError
from tokenizer_core.formats.exportable import ByteLevelBPE, check_distinct
from tokenizer_core.formats.pattern_dialects import for_tiktoken
from tokenizer_core.formats.traps import Export, Trap
from tokenizer_core.rank_merges import recover_merges
from tokenizer_core.vocabulary import BYTES

_SNIPPET = """\
import base64

import tiktoken

with open({file!r}) as ranks:
    rows = [line.split() for line in ranks]
encoding = tiktoken.Encoding(
    name={name!r},
    pat_str={pattern!r},
    mergeable_ranks={{base64.b64decode(token): int(rank) for token, rank in rows}},
    special_tokens={special_tokens!r},
)
"""
# Not with tiktoken.load.load_tiktoken_bpe: it keeps a copy even of a local file, by its name, and goes on reading
# the copy when the file has changed.


def export_tiktoken(tokenizer: ByteLevelBPE, name: str) -> Export:
    """Write `name`.tiktoken; raise `ExportError` if two tokens have the same bytes.

    >>> from tokenizer_core import Tokenizer
    >>> from tokenizer_core.formats.exportable import exportable
    >>> export_tiktoken(exportable(Tokenizer([(97, 98)])), "mine").files["mine.tiktoken"][-9:]
    b'YWI= 256\\n'
    """
    file = f"{name}.tiktoken"
    check_distinct(tokenizer, file)
    _check_order(tokenizer, file)
    rows = [f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in zip(tokenizer.ids, tokenizer.tokens)]
    pattern, traps = for_tiktoken(tokenizer.pattern)
    snippet = _SNIPPET.format(
        file=file, name=tokenizer.name, pattern=pattern, special_tokens=dict(tokenizer.special_tokens)
    )
    only_tokens = Trap.of(
        "a rank file holds the tokens alone; split pattern and special tokens are in the snippet", "rank_file_bare"
    )
    traps = [only_tokens, *_lost(tokenizer), *_hidden(tokenizer), *traps]
    return Export({file: "".join(rows).encode()}, snippet, tuple(traps))


def _check_order(tokenizer: ByteLevelBPE, file: str) -> None:
    """Refuse ids that do not rise with the merges: in a rank file, the id of a token is also its rank.

    Nothing makes single bytes, so theirs do not matter.
    """
    for earlier, later in pairwise(tokenizer.ids[BYTES:]):
        if later < earlier:
            raise ExportError(
                f"in {file}, a token learned later must have a higher id; {later} was learned after {earlier}",
                "export_id_order",
                file=file,
                token_id=later,
                other=earlier,
            )


def _lost(tokenizer: ByteLevelBPE) -> list[Trap]:
    """Tell of merges that the ranks do not tell: tiktoken then cuts some texts otherwise."""
    told = recover_merges(tokenizer.tokens).pairs[BYTES:].tolist()
    lost = [n for n, (pair, merge) in enumerate(zip(told, tokenizer.merges), BYTES) if tuple(pair) != merge]
    if not lost:
        return []
    token = tokenizer.tokens[lost[0]][:40].decode("utf-8", errors="backslashreplace")
    return [
        Trap.of(
            f"a rank file holds no pairs, and tiktoken finds others than {len(lost)} of these merges, first for"
            f" token {tokenizer.ids[lost[0]]} ({token!r}); texts with these tokens may be cut otherwise",
            "lost_merges",
            count=len(lost),
            token_id=tokenizer.ids[lost[0]],
            token=token,
        )
    ]


def _hidden(tokenizer: ByteLevelBPE) -> list[Trap]:
    """Tell of a special token that begins with another: tiktoken may find the shorter one."""
    tokens = sorted(tokenizer.special_tokens)
    for shorter, longer in zip(tokens, tokens[1:]):
        if longer.startswith(shorter):
            return [
                Trap.of(
                    f"the special token {longer!r} begins with {shorter!r}; tiktoken may take the shorter one",
                    "special_begins",
                    token=longer,
                    other=shorter,
                )
            ]
    return []
