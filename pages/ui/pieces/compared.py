"""Takes tokenizers of this page to Compare and Languages, where they are lanes beside all others."""

import hashlib
from collections.abc import Mapping

import streamlit as st

from pages.ui.choices.kept_files import trained_file
from pages.ui.choices.keys import keep_file
from pages.ui.choices.opened_files import OpenedFile
from pages.ui.shell.navigation import go
from pages.ui.words import t, told
from tokenizer_core.formats.naive import NaiveTokenizer
from tokenizer_core.formats.opening import Opened
from tokenizer_core.formats.sentencepiece_model import SentencePieceTokenizer


def compare_sentencepiece(tokenizer: SentencePieceTokenizer) -> None:
    """Draw a button that takes a trained SentencePiece tokenizer to Compare."""
    if st.button(t("studio.compare"), icon=":material/compare_arrows:", key="pieces_compare"):
        _take([trained_file(tokenizer)])


def compare_naive(tokenizers: Mapping[str, NaiveTokenizer], corpus_name: str) -> None:
    """Draw a button that takes the tokenizers of characters and words to Compare."""
    if st.button(t("naive.compare"), icon=":material/compare_arrows:", key="naive_compare"):
        files = []
        for name, tokenizer in tokenizers.items():
            digest = hashlib.sha256(repr((name, tokenizer.counts)).encode()).hexdigest()
            model = "characters" if name == "characters" else "words"
            opened = Opened(tokenizer, "corpus", model, (corpus_name,), digest)
            files.append(OpenedFile(t(f"naive.{name}"), opened, {}))
        _take(files)


def _take(files: list[OpenedFile]) -> None:
    """Keep tokenizers among the opened ones, and go there; say so if too many are open."""
    with told():
        for file in files:
            keep_file(file)
        go("compare")
