"""The entries of a vocabulary: all tokens that a tokenizer knows, and the script that each is written in."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import regex

from tokenizer_core.errors import TokenIdError
from tokenizer_core.measures.ratios import entry_ids
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.segments import distinct_ids

Script = Literal[
    "thai", "latin", "other_letters", "digits", "signs", "white", "broken", "special", "mixed", "other"
]
SCRIPTS: tuple[Script, ...] = get_args(Script)
Codes = npt.NDArray[np.uint8]
Ids = npt.NDArray[np.int64]
_NUMBER = {script: number for number, script in enumerate(SCRIPTS)}
_THAI, _LATIN, _OTHER, _DIGIT, _SIGN, _WHITE = (1 << bit for bit in range(6))
_KINDS = (
    (_THAI, regex.compile(r"\p{Thai}")),
    (_WHITE, regex.compile(r"\s")),
    (_LATIN, regex.compile(r"[[\p{L}\p{M}]&&\p{Latin}]", regex.V1)),
    (_OTHER, regex.compile(r"[\p{L}\p{M}--[\p{Common}\p{Inherited}]]", regex.V1)),
    (_DIGIT, regex.compile(r"\p{N}")),
    (_SIGN, regex.compile(r"[\p{P}\p{S}]")),
)
"""The kind of a character: the first that matches. Any other, such as a joiner or a control, has none."""


class Entries(NamedTuple):
    """All entries of a vocabulary, in the order of their ids."""

    ids: Ids
    tokens: list[bytes]
    scripts: Codes
    """For each entry: the place of its script in `SCRIPTS`."""

    def count(self, script: Script) -> int:
        """Count the entries in a script."""
        return int(np.count_nonzero(self.scripts == _NUMBER[script]))


def entries_of(tokenizer: AnyTokenizer) -> Entries:
    """List the entries of a tokenizer with its special tokens; leave out ids that no token has.

    A token that does not spell bytes is listed as its tokenizer writes it, such as "▁the".

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> entries = entries_of(Tokenizer([(97, 98)], special_tokens=["<|end|>"]))
    >>> entries.tokens[-2:], [SCRIPTS[code] for code in entries.scripts[-2:]]
    ([b'ab', b'<|end|>'], ['latin', 'special'])
    """
    special = set(tokenizer.special_tokens.values())
    written = getattr(tokenizer, "token_text", None)
    ids, tokens = [], []
    for token_id in sorted({*entry_ids(tokenizer), *special}):
        try:
            token = tokenizer.token_bytes(token_id) if written is None else written(token_id).encode("utf-8")
        except TokenIdError:  # an id below the largest that no token has
            continue
        ids.append(token_id)
        tokens.append(token)
    numbers = np.array(ids, dtype=np.int64)
    scripts = scripts_of(tokens)
    scripts[np.isin(numbers, list(special))] = _NUMBER["special"]
    return Entries(numbers, tokens, scripts)


def scripts_of(tokens: Sequence[bytes]) -> Codes:
    """Return for each token the place of its script in `SCRIPTS`.

    The letters decide; white space and signs around them do not count. Letters of different scripts, or letters
    and digits, are "mixed". Thai digits and Thai signs count as Thai, as Unicode has them. Bytes that are not
    whole characters make a token "broken", whatever else is in it.

    >>> [SCRIPTS[code] for code in scripts_of(["ไทย".encode(), b" the", b"x1", b"\\xe0\\xb8", b"...", b" "])]
    ['thai', 'latin', 'mixed', 'broken', 'signs', 'white']
    """
    texts, broken = [], np.zeros(len(tokens), dtype=np.bool_)
    for place, token in enumerate(tokens):
        try:
            texts.append(token.decode("utf-8"))
        except UnicodeDecodeError:
            broken[place] = True
            texts.append("")
    scripts = _SCRIPT_OF_KINDS[_kinds_of(texts)]
    scripts[broken] = _NUMBER["broken"]
    return scripts


def _kinds_of(texts: Sequence[str]) -> Codes:
    """Return for each text the kinds of all its characters, as bits; ask `regex` once for each character."""
    kinds = np.zeros(len(texts), dtype=np.uint8)
    code_points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    if not len(code_points):
        return kinds
    distinct, places = distinct_ids(code_points)
    kind_of = np.array([_kind(chr(code_point)) for code_point in distinct.tolist()], dtype=np.uint8)
    lengths = np.array(list(map(len, texts)), dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    filled = lengths > 0
    kinds[filled] = np.bitwise_or.reduceat(kind_of[places], starts[filled])
    return kinds


def _kind(character: str) -> int:
    return next((kind for kind, pattern in _KINDS if pattern.match(character)), 0)


def _script(kinds: int) -> Script:
    """Return the script of a token with characters of these kinds."""
    letters: dict[int, Script] = {_THAI: "thai", _LATIN: "latin", _OTHER: "other_letters"}
    found = [script for kind, script in letters.items() if kinds & kind]
    if len(found) > 1 or (found and kinds & _DIGIT):
        return "mixed"
    if found:
        return found[0]
    rest: dict[int, Script] = {_DIGIT: "digits", _SIGN: "signs", _WHITE: "white"}
    return next((script for kind, script in rest.items() if kinds & kind), "other")


_SCRIPT_OF_KINDS: Codes = np.array([_NUMBER[_script(kinds)] for kinds in range(64)], dtype=np.uint8)


class Overlap(NamedTuple):
    """How many tokens two vocabularies share, and how many only one of them has; no special tokens."""

    both: int
    only_first: int
    only_second: int


def overlap(first: Entries, second: Entries) -> Overlap:
    """Compare two vocabularies by the bytes of their tokens.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> overlap(entries_of(Tokenizer([(97, 98)])), entries_of(Tokenizer([(97, 99), (97, 98)])))
    Overlap(both=257, only_first=0, only_second=1)
    """
    one, other = (
        {token for token, code in zip(side.tokens, side.scripts.tolist()) if code != _NUMBER["special"]}
        for side in (first, second)
    )
    return Overlap(len(one & other), len(one - other), len(other - one))
