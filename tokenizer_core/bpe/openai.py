"""OpenAI's tokenizers GPT-2, cl100k and o200k: tiktoken runs them from the rank files shipped beside this file."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import regex
import tiktoken
from numpy.typing import NDArray

from tokenizer_core.bpe.protocols import EncodedTexts
from tokenizer_core.bpe.special_tokens import allowed_tokens, assign_ids, split_on_special_tokens
from tokenizer_core.bpe.vocabulary import BYTES, Pair, merges_of_ranks, unknown_id
from tokenizer_core.errors import RankFileError
from tokenizer_core.patterns.pretokens import check_text, counted_pretokens
from tokenizer_core.patterns.split_patterns import pattern_source, pretokenize

OPENAI_NAMES = ("gpt2", "cl100k_base", "o200k_base")
RANK_FILES = Path(__file__).parent / "openai_ranks"
# tiktoken names each file in its cache by the SHA-1 of its download address.
_FILES_OF = {
    "gpt2": ("6d1cbeee0f20b3d9449abfede4726ed8212e3aee", "6c7ea1a7e38e3a7f062df639a5b80947f075ffe6"),
    "cl100k_base": ("9b5ad71b2ce5302211f9c61530b329a4922fc6a4",),
    "o200k_base": ("fb374d419588a4632f3f557e76b4b70aebbca790",),
}
_SHA256_OF = {
    "6d1cbeee0f20b3d9449abfede4726ed8212e3aee": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "6c7ea1a7e38e3a7f062df639a5b80947f075ffe6": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "9b5ad71b2ce5302211f9c61530b329a4922fc6a4": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "fb374d419588a4632f3f557e76b4b70aebbca790": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
_LONG = 100_000
"""Characters. A longer text gives too many ids for a list: 15 million of them would take 600 MB."""
MUCH = 500_000
"""Characters. In a longer text, tokens are counted by distinct pretokens."""
_environment = Lock()


class IdCounts(NamedTuple):
    """The token ids of a reference by kind; together they are tiktoken's `n_vocab`.

    >>> openai_tokenizer("cl100k_base").id_counts
    IdCounts(merges=100000, special_tokens=5, unused=16)
    """

    merges: int
    special_tokens: int
    unused: int
    """Ids below the largest that no token has."""

    @property
    def total(self) -> int:
        """The number of ids: the 256 bytes and all the others."""
        return BYTES + sum(self)


class OpenAITokenizer:
    """A reference tokenizer with the same methods as `Tokenizer`; its ids are tiktoken's."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self.name = encoding.name
        self._encoding = encoding

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, without special tokens."""
        return len(self._tokens)

    @cached_property
    def entry_ids(self) -> Sequence[int]:
        """The ids of the entries in ascending order, without special tokens; a rank file may leave some out."""
        last = max(self._tokens)
        return range(last + 1) if last + 1 == len(self._tokens) else sorted(self._tokens)

    @property
    def id_counts(self) -> IdCounts:
        """Its ids by kind, special tokens and unused ids included: GPT-2 has 50,257."""
        specials = len(self.special_tokens)
        unused = self._encoding.n_vocab - self.vocab_size - specials
        return IdCounts(self.vocab_size - BYTES, specials, unused)

    @property
    def pattern(self) -> str:
        """The split pattern in tiktoken."""
        return str(self._encoding._pat_str)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens in tiktoken and their ids."""
        return dict(self._encoding._special_tokens)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; special tokens are ordinary text unless allowed."""
        check_text(text)
        allowed = allowed_tokens(self.special_tokens, allowed_special)
        try:
            return self._encoding.encode(text, allowed_special=allowed, disallowed_special=())
        except ValueError:  # tiktoken's regular expressions give up on a million characters of white space
            return self._encode_by_pretokens(text, allowed)

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately; special tokens are ordinary text."""
        # One by one: tiktoken's own batches hand each text to a thread, which is 4 to 9 times as slow for lines.
        encoded = [np.zeros(0, dtype=np.int32), *(self._encode_ordinary(check_text(text)) for text in texts)]
        return EncodedTexts(np.concatenate(encoded), np.array([len(ids) for ids in encoded[1:]], dtype=np.int64))

    def count_tokens(self, texts: str | Iterable[str]) -> int:
        """Count the tokens of all texts, each encoded separately, without listing them.

        In long texts, each distinct pretoken is encoded once: in 0.3 to 0.9 of the time of `encode_each`. Short
        texts need no compiled code, which takes a page on a new machine seconds to load.

        >>> openai_tokenizer("gpt2").count_tokens(["a cat", "", "น้ำ"])
        8
        """
        texts = [texts] if isinstance(texts, str) else list(texts)
        if sum(map(len, texts)) < MUCH or any(cut_alike(text) is not text for text in texts):
            return int(self.encode_each(texts).counts.sum())
        counted = counted_pretokens(texts, self.pattern)
        text, encode, start, total = counted.text.tobytes(), self._encoding._encode_single_piece, 0, 0
        for end, count in zip(counted.ends.tolist(), counted.counts.tolist()):
            total += count * len(encode(text[start:end]))
            start = end
        return int(total)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; bytes that are not valid UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the exact bytes of the ids."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token, special or not; raise `TokenIdError` for an unknown id."""
        token = self._tokens.get(token_id) or self._specials.get(token_id)
        if token is None:
            raise unknown_id(token_id, self.name, self.vocab_size)
        return token

    @cached_property
    def merges(self) -> list[Pair]:
        """The merges, recovered from the ranks; the first makes token 256. The parts are this reference's own ids.

        >>> left, right = openai_tokenizer("gpt2").merges[0]
        >>> left, right, openai_tokenizer("gpt2").decode_bytes([left, right])
        (220, 83, b' t')
        """
        return merges_of_ranks([self._tokens[rank] for rank in self.entry_ids])

    def _encode_ordinary(self, text: str) -> NDArray[np.int32]:
        try:
            if len(text) > _LONG:
                return self._encoding.encode_to_numpy(text, disallowed_special=()).astype(np.int32)
            return np.array(self._encoding.encode_ordinary(text), dtype=np.int32)
        except ValueError:  # as in `encode`
            return np.array(self._encode_by_pretokens(text, ()), dtype=np.int32)

    def _encode_by_pretokens(self, text: str, allowed: Collection[str]) -> list[int]:
        """Return the same ids, with the text cut by `regex`: slower, but it needs no stack and never gives up."""
        ids: list[int] = []
        for stretch, is_special in split_on_special_tokens(text, allowed):
            if is_special:
                ids.append(self._encoding._special_tokens[stretch])
            else:
                for pretoken in cut_as_tiktoken(stretch, self.pattern):
                    ids += self._encoding._encode_single_piece(pretoken)
        return ids

    @cached_property
    def _tokens(self) -> dict[int, bytes]:
        return {rank: token for token, rank in self._encoding._mergeable_ranks.items()}

    @cached_property
    def _specials(self) -> dict[int, bytes]:
        return {token_id: token.encode("utf-8") for token, token_id in self.special_tokens.items()}


# ---- characters that are newer than tiktoken's Unicode tables

_ALIKE: set[str] = set()
"""Characters known to be of the same kind in tiktoken and in `regex`."""
_INSTEAD = {ord("ʕ"): "ɐ"}
"""Characters of another kind there, and what `regex` cuts alike: U+0295 is a small letter in Unicode 16."""
_NEVER_ASSIGNED = "\ufdd0"


def cut_alike(text: str) -> str:
    """Return a text of equal length that `regex` cuts as tiktoken cuts this one; most often it is this one.

    `regex` knows 18,000 characters, most of them Chinese, that tiktoken and Hugging Face do not know yet.

    >>> cut_alike("น้ำ") == "น้ำ", [f"{ord(character):X}" for character in cut_alike("\U0003d000a")]
    (True, ['FDD0', '61'])
    """
    if text.isascii():
        return text
    others = set(text) - _ALIKE
    if fresh := others - set(map(chr, _INSTEAD)):
        there = set(bytes(_unassigned().encode_ordinary("".join(fresh))).decode())
        newer = {character for character in there if regex.match(r"\P{Cn}", character)}
        _INSTEAD.update(dict.fromkeys(map(ord, newer), _NEVER_ASSIGNED))
        _ALIKE.update(fresh - newer)
        others &= set(map(chr, _INSTEAD))
    return text.translate(_INSTEAD) if others else text


def cut_as_tiktoken(text: str, pattern: str) -> list[str]:
    """Cut a text into pretokens as tiktoken does, also at characters that are newer than its tables."""
    ends = accumulate(map(len, pretokenize(cut_alike(text), pattern)))
    return [text[start:end] for start, end in pairwise([0, *ends])]


@cache
def _unassigned() -> tiktoken.Encoding:
    """Return a tokenizer whose tokens are the bytes of the characters that tiktoken does not know."""
    ranks = {bytes([byte]): byte for byte in range(BYTES)}
    return tiktoken.Encoding("unassigned", pat_str=r"\p{Cn}", mergeable_ranks=ranks, special_tokens={})


@lru_cache(maxsize=len(OPENAI_NAMES))
def openai_tokenizer(name: str) -> OpenAITokenizer:
    """Load the reference tokenizer "gpt2", "cl100k_base" or "o200k_base".

    Reads the rank files in `TIKTOKEN_CACHE_DIR` if they are all there, else the shipped ones, and checks their
    SHA-256. Raises `RankFileError` if the name is unknown, or a file is missing or damaged. Downloads nothing.

    >>> openai_tokenizer("cl100k_base").encode("สวัสดี")
    [36748, 38313, 24152, 36748, 38133, 29419]
    """
    if name not in OPENAI_NAMES:
        raise RankFileError("reference_unknown", name=name)
    directory = _rank_directory(name)
    for file in _FILES_OF[name]:
        _check_file(directory / file)
    with _tiktoken_reads_from(directory):
        return OpenAITokenizer(tiktoken.get_encoding(name))


def tokenizer_of_ranks(
    name: str, pattern: str, tokens: Mapping[int, bytes], special_tokens: Mapping[str, int] = MappingProxyType({})
) -> OpenAITokenizer:
    """Let tiktoken run any tokens, given by rank; it needs no merges."""
    ranks = {token: rank for rank, token in tokens.items()}
    try:
        encoding = tiktoken.Encoding(
            name, pat_str=pattern_source(pattern), mergeable_ranks=ranks, special_tokens=dict(special_tokens)
        )
    except ValueError as error:
        why = " ".join(str(error).split())[:200]
        raise RankFileError("ranks_refused", why=why) from None
    return OpenAITokenizer(encoding)


@lru_cache(maxsize=4)
def with_special_tokens(name: str, added: tuple[tuple[str, int], ...]) -> OpenAITokenizer:
    """Return a reference with special tokens added to its own, as a `tiktoken.Encoding` of its own.

    Raises `SpecialTokenError` if a token is there already, or if its id belongs to another token.
    """
    base = openai_tokenizer(name)
    assign_ids([*base.special_tokens, *(token for token, _ in added)], 0)  # refuse a token that comes twice
    special_tokens = assign_ids({**base.special_tokens, **dict(added)}, base.vocab_size)
    encoding = base._encoding
    extended = tiktoken.Encoding(
        f"{name} with {len(added)} more",
        pat_str=encoding._pat_str,
        mergeable_ranks=encoding._mergeable_ranks,
        special_tokens=special_tokens,
    )
    return OpenAITokenizer(extended)


def references(
    names: Iterable[str] = OPENAI_NAMES, *, say: Callable[[RankFileError], None] = lambda error: None
) -> dict[str, OpenAITokenizer]:
    """Load these reference tokenizers; skip one that cannot be read, and pass its error to `say`."""
    found = {}
    for name in names:
        try:
            found[name] = openai_tokenizer(name)
        except RankFileError as error:
            say(error)
    return found


def _rank_directory(name: str) -> Path:
    """Return the user's own tiktoken cache if it has all files, else the folder of the shipped files."""
    own = os.environ.get("TIKTOKEN_CACHE_DIR")
    if own and all((Path(own) / file).is_file() for file in _FILES_OF[name]):
        return Path(own)
    return RANK_FILES


def _check_file(path: Path) -> None:
    """Refuse a missing or damaged rank file, because tiktoken would delete it and download another."""
    found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    if found != _SHA256_OF[path.name]:
        raise RankFileError("rank_file_missing" if found is None else "rank_file_damaged", path=str(path))


@contextmanager
def _tiktoken_reads_from(directory: Path) -> Iterator[None]:
    """Point tiktoken's cache to a directory within the context; restore the environment afterward."""
    with _environment:
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(directory)
        try:
            yield
        finally:
            del os.environ["TIKTOKEN_CACHE_DIR"]
            if before is not None:
                os.environ["TIKTOKEN_CACHE_DIR"] = before
