"""The entries of a vocabulary: its tokens and their scripts, and how two vocabularies differ."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import regex

from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.segments import distinct_ids
from tokenizer_core.bpe.vocabulary import utf8_text
from tokenizer_core.errors import TokenIdError

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

    def only(self, chosen: npt.NDArray[np.bool_] | Ids) -> "Entries":
        """Return some of the entries: those that are flagged, or those at these places."""
        places = np.arange(len(self.tokens))[chosen].tolist()
        return Entries(self.ids[places], [self.tokens[place] for place in places], self.scripts[places])


def entries_of(tokenizer: AnyTokenizer) -> Entries:
    """List the entries of a tokenizer with its special tokens; leave out ids that no token has.

    A token that does not spell bytes is listed as its tokenizer writes it, such as "▁the".

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> entries = entries_of(Tokenizer([(97, 98)], special_tokens=["<|end|>"]))
    >>> entries.tokens[-2:], [SCRIPTS[code] for code in entries.scripts[-2:]]
    ([b'ab', b'<|end|>'], ['latin', 'special'])
    """
    special = set(tokenizer.special_tokens.values())
    # In a vocabulary of bytes, a token is written in letters that stand for them: "à¸ģ" for ก.
    written = None if getattr(tokenizer, "is_byte_level", False) else getattr(tokenizer, "token_text", None)
    ids, tokens = [], []
    for token_id in sorted({*entry_ids(tokenizer), *special, *_added_tokens(tokenizer).values()}):
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
    and digits, are "mixed". Thai digits and signs count as Thai, as in Unicode. A token with bytes that are not
    whole characters is "broken".

    >>> [SCRIPTS[code] for code in scripts_of(["ไทย".encode(), b" the", b"x1", b"\\xe0\\xb8", b"...", b" "])]
    ['thai', 'latin', 'mixed', 'broken', 'signs', 'white']
    """
    texts = list(map(utf8_text, tokens))
    scripts = _SCRIPT_OF_KINDS[_kinds_of([text or "" for text in texts])]
    scripts[[text is None for text in texts]] = _NUMBER["broken"]
    return scripts


def _kinds_of(texts: Sequence[str]) -> Codes:
    """Return for each text the kinds of all its characters, as bits; `regex` sees each distinct character once."""
    kinds = np.zeros(len(texts), dtype=np.uint8)
    code_points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    if not len(code_points):
        return kinds
    distinct, places = distinct_ids(code_points)
    found = (next((kind for kind, pattern in _KINDS if pattern.match(chr(each))), 0) for each in distinct.tolist())
    kind_of = np.fromiter(found, dtype=np.uint8)
    lengths = np.array(list(map(len, texts)), dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    filled = lengths > 0
    kinds[filled] = np.bitwise_or.reduceat(kind_of[places], starts[filled])
    return kinds


def _script(kinds: int) -> Script:
    """Return the script of a token with characters of these kinds."""
    names: dict[int, Script] = {_THAI: "thai", _LATIN: "latin", _OTHER: "other_letters"}
    letters = [script for kind, script in names.items() if kinds & kind]
    if len(letters) > 1 or (letters and kinds & _DIGIT):
        return "mixed"
    names |= {_DIGIT: "digits", _SIGN: "signs", _WHITE: "white"}
    return next((script for kind, script in names.items() if kinds & kind), "other")


_SCRIPT_OF_KINDS: Codes = np.array([_NUMBER[_script(kinds)] for kinds in range(64)], dtype=np.uint8)


def thai_entries(tokenizer: AnyTokenizer) -> int:
    """Count the entries that are whole characters, at least one of them Thai, without special tokens.

    Entries with parts of a character, such as the bytes E0 B8, do not count: they do not determine a letter.
    """
    tokens = map(tokenizer.token_bytes, entry_ids(tokenizer))
    return int(np.count_nonzero(_kinds_of([utf8_text(token) or "" for token in tokens]) & _THAI))


def entry_ids(tokenizer: AnyTokenizer) -> Iterable[int]:
    """Return the ids of a vocabulary without special tokens; those of a file may be any numbers.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> len(list(entry_ids(Tokenizer([(97, 98)]))))
    257
    """
    own: Iterable[int] = getattr(tokenizer, "entry_ids", range(tokenizer.vocab_size))
    return own


def vocabulary_hash(tokenizer: AnyTokenizer) -> bytes:
    """Return a hash of the ids and bytes of all entries: equal for a vocabulary in files of two kinds.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> one, other = (Tokenizer([(97, 98)], special_tokens=special) for special in ([], ["<|end|>"]))
    >>> vocabulary_hash(one) == vocabulary_hash(other)
    True
    """
    ids = np.array(entry_ids(tokenizer), dtype=np.int64)
    numbered: Iterable[bytes] = getattr(tokenizer, "vocabulary", None) or map(tokenizer.token_bytes, ids.tolist())
    listed, order = list(numbered), np.argsort(ids)
    tokens = [listed[place] for place in order.tolist()]
    found = hashlib.sha256(b"".join(tokens))
    found.update(np.array([ids[order], list(map(len, tokens))]).tobytes())
    return found.digest()


def _added_tokens(tokenizer: AnyTokenizer) -> Mapping[str, int]:
    """Return the tokens that were added to a vocabulary and act in every text, with their ids."""
    added: Mapping[str, int] = getattr(tokenizer, "added_tokens", {})
    return added


def vocab_size_with_special(tokenizer: AnyTokenizer) -> int:
    """Count all tokens of a tokenizer, special ones included, whether or not they are among its entries.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> vocab_size_with_special(Tokenizer([(97, 98)], special_tokens=["<|end|>"]))
    258
    """
    special = {*tokenizer.special_tokens.values(), *_added_tokens(tokenizer).values()}
    if hasattr(tokenizer, "entry_ids"):  # these are without added and special tokens
        return tokenizer.vocab_size + len(special)
    return tokenizer.vocab_size + sum(not 0 <= token_id < tokenizer.vocab_size for token_id in special)


# ---- two vocabularies


class Difference(NamedTuple):
    """How a second vocabulary differs from a first one, by the bytes of their tokens, without special tokens."""

    gained: Entries
    """What only the second one has."""
    lost: Entries
    """What only the first one has."""
    before: Entries
    """What both have, with the ids of the first one, in their order."""
    after: Ids
    """The same tokens' ids in the second one."""

    @property
    def renumbered(self) -> npt.NDArray[np.bool_]:
        """Which of the tokens that both have got another id."""
        flags: npt.NDArray[np.bool_] = self.before.ids != self.after
        return flags


def difference(first: Entries, second: Entries) -> Difference:
    """Compare two vocabularies; of several tokens with the same bytes, the one with the lowest id counts.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> first, second = Tokenizer([(97, 98), (97, 97)]), Tokenizer([(97, 99), (97, 98)])
    >>> found = difference(entries_of(first), entries_of(second))
    >>> found.gained.tokens, found.lost.tokens, found.gained.count("latin")
    ([b'ac'], [b'aa'], 1)
    >>> [found.before.tokens[place] for place in np.flatnonzero(found.renumbered)], found.after[-1].item()
    ([b'ab'], 257)
    """
    places = [_place_of(side) for side in (first, second)]
    both = [token for token in places[0] if token in places[1]]
    known = np.array([places[0][token] for token in both], dtype=np.int64)
    lost, gained = (
        np.array([place for token, place in places[n].items() if token not in places[1 - n]], dtype=np.int64)
        for n in (0, 1)
    )
    after = second.ids[[places[1][token] for token in both]]
    return Difference(second.only(gained), first.only(lost), first.only(known), after)


def _place_of(entries: Entries) -> dict[bytes, int]:
    """Return the first place of each token that is not special."""
    found: dict[bytes, int] = {}
    for place, (token, code) in enumerate(zip(entries.tokens, entries.scripts.tolist())):
        if code != _NUMBER["special"]:
            found.setdefault(token, place)
    return found


class Change(NamedTuple):
    """A text that another tokenizer encodes with more or fewer tokens."""

    place: int
    """Its place among the texts."""
    before: int
    after: int


def most_changed(
    texts: Sequence[str], first: AnyTokenizer, second: AnyTokenizer, *, most: int = 20
) -> list[Change]:
    """Return the texts whose number of tokens changed most; of equal changes, the largest in proportion first.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> most_changed(["ab", "abab", "c"], Tokenizer([]), Tokenizer([(97, 98)], pattern="none"))
    [Change(place=1, before=4, after=2), Change(place=0, before=2, after=1)]
    """
    before, after = (each.encode_each(texts).counts for each in (first, second))
    size = np.abs(after - before)
    order = np.lexsort((np.maximum(before, after), -size))[:most].tolist()
    return [Change(place, int(before[place]), int(after[place])) for place in order if size[place]]


@dataclass(frozen=True)
class Divergence:
    """How two vocabularies, learned token by token, differ after each number of merges."""

    differing: npt.NDArray[np.int32]
    """Shape (merges + 1,): the tokens that only one of the two has, after each number of merges of both."""
    only_first: Sequence[bytes]
    only_second: Sequence[bytes]
    """The tokens that only this one has when the shorter one ends, in the order they were learned."""

    @property
    def splits(self) -> list[int]:
        """The merges that make equal vocabularies differ."""
        splits: list[int] = (np.flatnonzero((self.differing[1:] > 0) & (self.differing[:-1] == 0)) + 1).tolist()
        return splits

    @property
    def meets(self) -> list[int]:
        """The merges that make them equal again."""
        meets: list[int] = (np.flatnonzero((self.differing[1:] == 0) & (self.differing[:-1] > 0)) + 1).tolist()
        return meets


def divergence(first: Sequence[bytes], second: Sequence[bytes]) -> Divergence:
    """Compare the tokens that two trainings learned, merge by merge, up to the end of the shorter one.

    Only the set of tokens counts, not their order.

    >>> found = divergence([b"ab", b"cd", b"abc"], [b"cd", b"ab", b"xy"])
    >>> found.differing.tolist(), found.splits, found.meets, found.only_first, found.only_second
    ([0, 2, 0, 2], [1, 3], [2], [b'abc'], [b'xy'])
    """
    merges = min(len(first), len(second))
    differing = np.zeros(merges + 1, dtype=np.int32)
    only: list[dict[bytes, None]] = [{}, {}]
    known: list[set[bytes]] = [set(), set()]
    for n in range(merges):
        for mine, token in enumerate((first[n], second[n])):
            other = 1 - mine
            if token in known[other]:
                only[other].pop(token, None)
            elif token not in known[mine]:
                only[mine][token] = None
            known[mine].add(token)
        differing[n + 1] = len(only[0]) + len(only[1])
    return Divergence(differing, list(only[0]), list(only[1]))
