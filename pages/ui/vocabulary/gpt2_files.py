"""GPT-2's two files, walked through: the letters of bytes, and a word on its way through both files to its ids."""

import html
import json
from collections.abc import Iterable

import pandas as pd
import streamlit as st

from pages.ui.i18n import t
from pages.ui.session import remembered
from pages.ui.widgets.controls import fold
from pages.ui.widgets.figures_table import figures_table, scroll_box
from pages.ui.widgets.token_view.chips import chip_parts
from tokenizer_core.analysis.lineage import Trace, trace
from tokenizer_core.bpe.openai import OpenAITokenizer, references
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.interop.byte_level import as_letters, letter_of_byte

MOST_CHARACTERS = 40
FIRST = 10
"""Entries of each file that are shown."""
_STYLE = """<style>
.letters { overflow-x: auto; }
.letters table { border-collapse: separate; border-spacing: 2px; font-variant-numeric: tabular-nums; }
.letters :is(th, td) { border: 0; padding: 0; width: 2.25rem; min-width: 2.25rem; height: 2.25rem;
  text-align: center; font-weight: 400; }
.letters th { opacity: .8; font-size: .8125rem; }
.letters td { border-radius: .3rem; font-size: 1.125rem; background: rgba(128,128,128,.12); }
.letters td.corner { background: none; }
.letters td.moved { box-shadow: inset 0 0 0 2px light-dark(#0f766e, #2dd4bf); background: none; font-weight: 600; }
</style>"""


def gpt2_files() -> None:
    """Draw the walk through GPT-2's files, folded away; nothing if they cannot be read."""
    tokenizer = references(["gpt2"]).get("gpt2")
    if tokenizer is not None:
        with fold(t("gpt2_files.title"), icon=":material/description:", key="vocabulary_gpt2"):
            st.fragment(_walk)(tokenizer)
            st.subheader(t("gpt2_files.letters"), anchor=False)
            st.markdown(t("gpt2_files.letters_why"))
            st.html(_STYLE + letters_html(t("gpt2_files.letters")))
            st.caption(t("gpt2_files.letters_says"))
            _first_entries(tokenizer)


def _walk(tokenizer: OpenAITokenizer) -> None:
    counts = tokenizer.id_counts
    st.markdown(
        t(
            "gpt2_files.what",
            all=counts.total,
            bytes=BYTES,
            merges=counts.merges,
            special=counts.special_tokens,
        )
    )
    word = st.text_input(
        t("gpt2_files.word"), key=remembered("vocabulary_gpt2_word", t("gpt2_files.example")), live=True
    )
    found = list(trace((word or "")[:MOST_CHARACTERS], tokenizer))
    if found:
        head = [t(f"gpt2_files.{name}") for name in ("piece", "bytes", "as_letters", "merges", "tokens")]
        frame = pd.DataFrame([walked(each, tokenizer) for each in found], columns=head)
        figures_table(frame, t("gpt2_files.word"), words=range(len(head)))
        st.caption(t("gpt2_files.walk_says"))


def walked(found: Trace, tokenizer: OpenAITokenizer) -> list[str]:
    """Return what the files make of a pretoken: bytes, letters, merges with their numbers, tokens with ids."""
    data = found.text.encode("utf-8")
    ids = found.steps[-1].ids if found.steps else found.ids
    merges = [
        f"{step.token_id - BYTES + 1:,}: {_letters_of(step.left, tokenizer)} {_letters_of(step.right, tokenizer)}"
        for step in found.steps
    ]
    tokens = [f"{_letters_of(token_id, tokenizer)} → {token_id}" for token_id in ids]
    written = [data.hex(" ").upper(), as_letters(data), " · ".join(merges), " · ".join(tokens)]
    return ["".join(text for text, _ in chip_parts(data)), *written]


def letters_html(label: str) -> str:
    """Return the HTML of the letters of all bytes: 16 rows of 16, with those marked that stand for another."""
    letters = letter_of_byte()
    head = "".join(f"<th>_{column:X}</th>" for column in range(16))
    rows = "".join(
        f"<tr><th>{row:X}_</th>{''.join(_cell(16 * row + column, letters) for column in range(16))}</tr>"
        for row in range(16)
    )
    return scroll_box("letters", f"<table><tr><td class='corner'></td>{head}</tr>{rows}</table>", label)


def _cell(byte: int, letters: dict[int, str]) -> str:
    letter = letters[byte]
    moved = ' class="moved"' if ord(letter) != byte else ""
    return f'<td{moved} title="{byte:02X} → U+{ord(letter):04X}">{html.escape(letter)}</td>'


def _first_entries(tokenizer: OpenAITokenizer) -> None:
    """Show the first entries of both files, as they stand there."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(t("gpt2_files.merges_file"), anchor=False)
        st.code("\n".join(merge_lines(tokenizer, FIRST)), language=None)
        st.caption(t("gpt2_files.merges_says", merges=len(tokenizer.merges)))
    with right:
        st.subheader(t("gpt2_files.ids_file"), anchor=False)
        st.code("\n".join(id_lines(tokenizer, FIRST)), language=None)
        st.caption(t("gpt2_files.ids_says", bytes=BYTES, first=BYTES))


def merge_lines(tokenizer: OpenAITokenizer, most: int) -> list[str]:
    """Return the first lines of `vocab.bpe`: its version, then the parts of each merge in letters."""
    pairs = tokenizer.merges[:most]
    return ["#version: 0.2", *(" ".join(_letters_of(part, tokenizer) for part in pair) for pair in pairs)]


def id_lines(tokenizer: OpenAITokenizer, most: int) -> list[str]:
    """Return lines of `encoder.json`: the first bytes, the first merges, and the special tokens."""

    def lines(ids: Iterable[int]) -> list[str]:
        return [
            f"{json.dumps(_letters_of(token_id, tokenizer), ensure_ascii=False)}: {token_id}," for token_id in ids
        ]

    specials = [f"{json.dumps(token)}: {token_id}" for token, token_id in tokenizer.special_tokens.items()]
    return [*lines(range(most)), "…", *lines(range(BYTES, BYTES + most)), "…", *specials]


def _letters_of(token_id: int, tokenizer: OpenAITokenizer) -> str:
    return as_letters(tokenizer.token_bytes(token_id))
