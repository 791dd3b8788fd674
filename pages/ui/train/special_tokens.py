"""The special tokens of a training: names, and ids that are checked as they are typed."""

import streamlit as st

from pages.ui.session import remembered
from pages.ui.train import keys
from pages.ui.widgets.fold import fold
from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.special_tokens import assign_ids, parse_special_tokens

FIVE = "<|endoftext|>=1101 <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|endofprompt|>"
"""Five special tokens as GPT-4 has them, with the ids from 1,101 up."""
MAX_SAID = 12


def special_tokens_picker(vocab_size: int) -> list[str] | dict[str, int] | None:
    """Return the special tokens, with ids if the visitor chose some; None, with the reason, if they collide."""
    with fold(t("train.special_tokens"), icon=":material/star:", key="train_special_fold"):
        entered = st.text_input(
            t("train.special_tokens_label"),
            key=remembered(keys.SPECIAL_TOKENS.key, ""),
            persist_state="session",
            live=True,
            placeholder="<|endoftext|> <|user|>=1101",
        )
        st.caption(t("train.special_tokens_help"))
        fill_in = keys.SPECIAL_TOKENS.put
        st.button(t("train.special_tokens_five"), key="special_five", on_click=fill_in, args=(FIVE,))
        try:
            tokens = parse_special_tokens(entered or "", vocab_size)
        except TokenizerError as error:
            st.error(error_sentence(error), icon=":material/error:")
            return None
        _say(assign_ids(tokens, vocab_size))
    return tokens


def _say(ids: dict[str, int]) -> None:
    """Say which id each special token gets."""
    said = [f"{as_plain_markdown(token)} → {token_id:,}" for token, token_id in list(ids.items())[:MAX_SAID]]
    if said:
        st.markdown(" · ".join(said) + (" …" if len(ids) > MAX_SAID else ""))
