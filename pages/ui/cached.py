"""Bounded caches of what pages show: a text's tokens are computed once, and again only for what changed."""

import contextlib
import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import streamlit as st

from pages.ui.samples import sample_text
from pages.ui.state import Mine
from pages.ui.token_view import Column, token_payload
from pages.ui.words import error_sentence, section, t
from tokenizer_core.errors import RankFileError
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.patterns import pretokenize
from tokenizer_core.tokenizer import AnyTokenizer


class TokenizerRow(NamedTuple):
    """A tokenizer to be drawn: with the key of its tokens in the cache, its name and a caption."""

    tokenizer: AnyTokenizer
    key: str
    name: str
    caption: str


@st.cache_resource(max_entries=64, show_spinner=False)
def encoded(_tokenizer: AnyTokenizer, tokenizer_key: str, text: str) -> list[int]:
    """The token ids of a text, by the tokenizer's key."""
    return _tokenizer.encode(text)


@st.cache_resource(max_entries=32, show_spinner=False)
def _payload(_tokenizers: list[TokenizerRow], keys: str, text: str, language: str, labels_key: str) -> bytes:
    columns = [
        Column(name, caption, encoded(tokenizer, key, text), tokenizer)
        for tokenizer, key, name, caption in _tokenizers
    ]
    return token_payload(text, columns, labels=section(labels_key), locale=language)


def view_payload(
    text: str,
    tokenizers: list[TokenizerRow],
    *,
    language: str,
    labels_key: str = "token_view",
) -> bytes:
    """What the token view draws; the same rows and text are drawn from the cache."""
    keys = hashlib.sha256(repr([row[1:] for row in tokenizers]).encode()).hexdigest()
    return _payload(tokenizers, keys, text, language, labels_key)


class PretokenSource:
    """The pretokens of a pattern in the shape of a tokenizer, so that the token view can draw them."""

    def __init__(self, pattern: str) -> None:
        self.name = pattern
        self._pieces: dict[bytes, int] = {}
        self._by_id: list[bytes] = []

    def encode(self, text: str) -> list[int]:
        """A number for each pretoken; the same number for the same one."""
        ids = []
        for pretoken in pretokenize(text, self.name):
            piece = pretoken.encode("utf-8")
            if piece not in self._pieces:
                self._pieces[piece] = len(self._by_id)
                self._by_id.append(piece)
            ids.append(self._pieces[piece])
        return ids

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a pretoken."""
        return self._by_id[token_id]


@st.cache_resource(max_entries=64, show_spinner=False)
def pretoken_payload(text: str, pattern: str, name: str, caption: str, language: str) -> bytes:
    """What the token view draws for the pretokens of a text; raises `PatternError`."""
    source = PretokenSource(pattern)
    column = Column(name, caption, source.encode(text), source)
    labels = section("token_view") | section("pretoken_view")
    return token_payload(text, [column], labels=labels, locale=language)


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


def own_row(own: Mine, size: int) -> TokenizerRow:
    """The visitor's own tokenizer, at a vocabulary size."""
    name = own.tokenizer.name[:40]
    caption = (
        t("tokenizers.from_file", name=name, count=size) if own.from_file else t("tokenizers.entries", count=size)
    )
    return TokenizerRow(own.tokenizer.at(size), f"{own.key}@{size}", t("tokenizers.mine"), caption)
