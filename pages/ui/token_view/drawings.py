"""Bounded caches of what pages show: a text's tokens are computed once, and again only for what changed."""

import contextlib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import streamlit as st

from pages.ui.choices.samples import sample_text
from pages.ui.shell.visitor import Mine
from pages.ui.token_view import Column, Drawing, token_payload
from pages.ui.token_view.serve import Offer, offers
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import error_sentence, section, t
from tokenizer_core.errors import RankFileError
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.patterns import pretokenize
from tokenizer_core.segments import TokenSource
from tokenizer_core.tokenizer import Tokenizer

INLINE_CHARACTERS = 20_000
"""A longer text is encoded when the browser fetches it, so that the page itself answers at once."""
OPENING_CHARACTERS = 3_000
"""What is drawn of a longer text until then."""
CACHE_BYTES = 192 * 2**20


class Encoder(TokenSource, Protocol):
    """Anything that cuts a text into numbered pieces of bytes."""

    def encode(self, text: str, /) -> list[int]: ...


@dataclass(frozen=True)
class TokenizerRow:
    """A tokenizer to be drawn: with the key of its tokens in the cache, its name and a caption."""

    tokenizer: Encoder
    key: str
    name: str
    caption: str
    kind: Literal["tokens", "pretokens"] = "tokens"
    merges: Sequence[tuple[int, int]] = field(default=(), repr=False)
    counts: Sequence[int] = field(default=(), repr=False)


@dataclass(frozen=True)
class Text:
    """A text to look at; where token ids were pasted, their bytes, and the ids by the tokenizer they are of."""

    content: str | bytes
    ids: Mapping[str, list[int]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The same for the same text and ids."""
        ids = repr(sorted(self.ids.items())) if self.ids else ""
        return _digests.get((self.content, ids), lambda: _sha256(self.content, ids))


def _sha256(content: str | bytes, ids: str) -> str:
    if isinstance(content, str):
        content = b"text " + content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content + ids.encode()).hexdigest()


class _Encoded(NamedTuple):
    ids: npt.NDArray[np.int32 | np.int64]
    source: TokenSource


_digests = Bounded[str](16, weigh=lambda digest: 1)
_encodings = Bounded[_Encoded](CACHE_BYTES, weigh=lambda encoded: encoded.ids.nbytes + 1)
_payloads = Bounded[bytes](CACHE_BYTES, weigh=len)
_sizes = Bounded[Tokenizer](16, weigh=lambda tokenizer: 1)


def encoded(row: TokenizerRow, text: Text) -> _Encoded:
    """The token ids of a text: those that were pasted, else what the tokenizer makes of it."""

    def make() -> _Encoded:
        # Pretokens are numbered as they come, text by text.
        source = (
            PretokenSource(row.tokenizer.pattern) if isinstance(row.tokenizer, PretokenSource) else row.tokenizer
        )
        ids = text.ids.get(row.key)
        if ids is None:
            assert isinstance(text.content, str)  # bytes that are no text have only the ids they came from
            ids = source.encode(text.content)
        wide = max(ids, default=0) >= 2**31  # a special token may have any id
        return _Encoded(np.array(ids, dtype=np.int64 if wide else np.int32), source)

    return _encodings.get((row.key, text.digest), make)


def drawing(text: Text, rows: Sequence[TokenizerRow], *, language: str) -> Drawing:
    """What the token view draws of a text. The same text and rows come from the cache."""
    labels = section("token_view")
    key = f"{text.digest} {language} {[(row.key, row.name, row.caption) for row in rows]!r}"

    def make() -> bytes:
        # tiktoken and numpy let other threads run: lanes are encoded side by side.
        with ThreadPoolExecutor(max_workers=2) as pool:
            found = list(pool.map(lambda row: encoded(row, text), rows))
        return token_payload(text.content, _columns(rows, found), labels=labels, locale=language)

    if len(text.content) <= INLINE_CHARACTERS:
        return Drawing(_payloads.get(key, make))
    explain = partial(error_sentence, spoken=language)
    name = offers().offer(key, Offer(lambda: _payloads.get(key, make), explain))
    return Drawing(_payloads.get(f"opening {key}", lambda: _opening(text, rows, labels, language)), name)


def _opening(text: Text, rows: Sequence[TokenizerRow], labels: Mapping[str, str], language: str) -> bytes:
    """The first characters of a long text, up to a line or a space, drawn until the whole is there."""
    if not isinstance(text.content, str) or text.ids:
        return token_payload("", [], labels=labels, locale=language, whole=False)
    start = text.content[:OPENING_CHARACTERS]
    end = max(start.rfind("\n", OPENING_CHARACTERS // 2), start.rfind(" ", OPENING_CHARACTERS // 2))
    opening = Text(start[: end if end > 0 else len(start)])
    found = [encoded(row, opening) for row in rows]
    return token_payload(opening.content, _columns(rows, found), labels=labels, locale=language, whole=False)


def _columns(rows: Sequence[TokenizerRow], found: Sequence[_Encoded]) -> list[Column]:
    return [
        Column(row.name, row.caption, each.ids, each.source, row.kind, row.merges, row.counts)
        for row, each in zip(rows, found, strict=True)
    ]


class PretokenSource:
    """The pretokens of a pattern in the shape of a tokenizer, so that the token view can draw them."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._pieces: dict[bytes, int] = {}
        self._by_id: list[bytes] = []

    def encode(self, text: str) -> list[int]:
        """A number for each pretoken; the same number for the same one."""
        ids = []
        for pretoken in pretokenize(text, self.pattern):
            piece = pretoken.encode("utf-8")
            if piece not in self._pieces:
                self._pieces[piece] = len(self._by_id)
                self._by_id.append(piece)
            ids.append(self._pieces[piece])
        return ids

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a pretoken."""
        return self._by_id[token_id]


def pretoken_row(pattern: str, name: str, caption: str = "") -> TokenizerRow:
    """The pieces that a split pattern cuts, as a row beside tokenizers."""
    return TokenizerRow(PretokenSource(pattern), f"pretokens {pattern}", name, caption, "pretokens")


@st.cache_resource(max_entries=1, show_spinner=False)
def sample_premiums() -> list[tuple[str, float]]:
    """Thai tokens / English tokens of the parallel sample by reference: a ratio of sums over lines."""
    lines = [sample_text(f"parallel.{name}.txt").splitlines() for name in ("th", "en")]
    premiums = []
    for name in OPENAI_NAMES:
        with contextlib.suppress(RankFileError):
            encode = openai_tokenizer(name).encode
            thai, english = (sum(len(encode(line)) for line in side) for side in lines)
            premiums.append((name, thai / english))
    return premiums


def references(names: Iterable[str] = OPENAI_NAMES) -> list[TokenizerRow]:
    """The reference tokenizers, with their exact names and sizes; the page says which one cannot be read."""
    rows = []
    for name in names:
        try:
            tokenizer = openai_tokenizer(name)
        except RankFileError as error:
            st.error(error_sentence(error), icon=":material/error:")
            continue
        caption = t("tokenizers.reference", name=name, count=tokenizer.vocab_size)
        rows.append(TokenizerRow(tokenizer, name, t(f"tokenizers.{name}"), caption))
    return rows


def reference_counts(text: str) -> list[tuple[str, int]]:
    """How many tokens each reference needs for a text, by the name people know; none for an empty text."""
    counts = []
    for name in OPENAI_NAMES if text else ():
        with contextlib.suppress(RankFileError):
            row = TokenizerRow(openai_tokenizer(name), name, "", "")
            counts.append((t(f"tokenizers.{name}"), len(encoded(row, Text(text)).ids)))
    return counts


def own_row(own: Mine, size: int) -> TokenizerRow:
    """The visitor's own tokenizer, at a vocabulary size."""
    name = own.tokenizer.name[:40]
    caption = (
        t("tokenizers.from_file", name=name, count=size) if own.from_file else t("tokenizers.entries", count=size)
    )
    key = f"{own.key}@{size}"
    tokenizer = _sizes.get(key, lambda: own.tokenizer.at(size))
    return TokenizerRow(
        tokenizer, key, t("tokenizers.mine"), caption, merges=tokenizer.merges, counts=own.counts[: size - 256]
    )
