"""What the compare page lets people choose: tokenizers, their own at any size, and the pieces of a pattern."""

import contextlib
from collections.abc import Sequence

import streamlit as st

from pages.ui.choices.text import PREVIEW_SENTENCE, Picked, pattern_choice
from pages.ui.shell import visitor
from pages.ui.shell.links import PRETOKENS
from pages.ui.shell.visitor import remembered
from pages.ui.token_view.drawings import Text, TokenizerRow, own_row, pretoken_row, references
from pages.ui.words import error_sentence, names, t
from tokenizer_core.errors import RankFileError, TokenizerError
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.patterns import pretokenize
from tokenizer_core.tokenizer import AnyTokenizer
from tokenizer_core.vocabulary import BYTES

MINE = "mine"


def tokenizers() -> dict[str, AnyTokenizer]:
    """What ids can be decoded with, by the name of the choice."""
    own = visitor.mine()
    found: dict[str, AnyTokenizer] = {}
    for name in OPENAI_NAMES:
        with contextlib.suppress(RankFileError):  # which the page says where the tokenizer is chosen
            found[name] = openai_tokenizer(name)
    return found | ({MINE: own.tokenizer} if own else {})


def choose() -> list[str]:
    """The tokenizers to compare, by name; at first all but the bare pieces of a pattern."""
    choices = [*([MINE] if visitor.mine() else []), *OPENAI_NAMES, PRETOKENS]
    chosen = st.pills(
        t("compare.tokenizers"),
        choices,
        selection_mode="multi",
        format_func=names("tokenizers.{}", choices),
        key=remembered(f"compare_names_{MINE in choices}", choices[:-1]),
        persist_state="session",
        wrap=True,
    )
    return [name for name in choices if name in chosen]


def choose_pattern() -> str | None:
    """The pattern whose pieces are shown; None, with the reason on the page, while it cannot be used."""
    _, pattern = pattern_choice("compare_pattern")
    try:
        pretokenize(PREVIEW_SENTENCE, pattern)
    except TokenizerError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return None
    return pattern


def rows_of(chosen: Sequence[str], pattern: str | None, picked: Picked) -> list[TokenizerRow]:
    """A row for each choice; where ids make no text, only that of their own tokenizer."""
    rows = []
    own = visitor.mine()
    if own and MINE in chosen:
        rows.append(own_row(own, _size(own, picked)))
    rows += references(name for name in OPENAI_NAMES if name in chosen or name == picked.ids_of)
    if own and picked.ids_of == MINE and MINE not in chosen:
        rows.insert(0, own_row(own, own.tokenizer.vocab_size))
    if pattern is not None:
        rows.append(
            pretoken_row(pattern, t("tokenizers.pretokens"), t("tokenizers.cut_by", pattern=_name(pattern)))
        )
    if isinstance(picked.content, bytes):
        return [row for row in rows if _is_of(row, picked)]
    return rows


def text_of(picked: Picked, rows: Sequence[TokenizerRow]) -> Text:
    """The text, with the pasted ids for the row they are of."""
    return Text(picked.content, {row.key: list(picked.ids) for row in rows if _is_of(row, picked)})


def _is_of(row: TokenizerRow, picked: Picked) -> bool:
    whose = MINE if row.merges or row.name == t("tokenizers.mine") else row.key
    return picked.ids_of is not None and whose == picked.ids_of


def _size(own: visitor.Mine, picked: Picked) -> int:
    """The vocabulary size of one's own tokenizer: any that it has passed on its way, all of it for its ids."""
    most = own.tokenizer.vocab_size
    if most <= BYTES + 1 or picked.ids_of == MINE:
        return most
    return st.slider(
        t("compare.size"), BYTES, most, most, key=f"compare_size_{own.key}", help=t("compare.size_help")
    )


def _name(pattern: str) -> str:
    words = names("pattern.{}_name", ["mark_aware", "llama3", "gpt2", "cl100k", "o200k", "none"])
    try:
        return words(pattern)
    except KeyError:
        return pattern if len(pattern) <= 40 else pattern[:40] + "…"
