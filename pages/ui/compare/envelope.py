"""The envelope of a chat: what a model's own template puts around what people type, and what it costs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from pages.ui.i18n import as_name, as_plain_markdown, errors_shown, language, section, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.opened_files import OPENED_FILES
from pages.ui.session import Value, distinct, remembered
from pages.ui.widgets.controls import segmented
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Drawing
from pages.ui.widgets.token_view.lanes import BranchCuts, Label, Lane
from pages.ui.widgets.token_view.payload import token_payload
from tokenizer_core.analysis.cuts import NO_TOKEN, pieces_of
from tokenizer_core.bpe.protocols import AnyTokenizer, PlacedTokens
from tokenizer_core.errors import ChatError
from tokenizer_core.sources.chats import (
    GPT_MARKERS,
    ChatToken,
    Message,
    Stretch,
    chat_template,
    chat_tokens,
    gpt_tokenizer,
    gpt_wrapped,
    wrapped,
)

FIELDS = ("system", "user", "reasoning", "assistant", "tool")
"""What can be said, in the order of a conversation; a colour and a name each, after the envelope's."""
FILLED = ("system", "user")
MOST_CHARACTERS = 2_000
ENVELOPE_OPEN: Value[bool] = Value("compare_envelope_open", bool)
_TYPED_ACTS: Value[bool] = Value("envelope_acts", bool)


class Chat(NamedTuple):
    """A model's name and tokenizer, and whether the envelope is that of GPT."""

    name: str
    tokenizer: AnyTokenizer
    is_gpt: bool


def envelope() -> None:
    """Let the visitor write a conversation, and draw it as a model reads it, each part in a colour of its own."""
    files = {file.key: file for file in OPENED_FILES.get()}
    names = {name: t(f"tokenizers.{name}") for name in reversed(GPT_MARKERS)}
    names = distinct(names | {key: as_name(file.name) for key, file in files.items()})
    st.markdown(t("envelope.what"))
    left, right = st.columns([2, 3], gap="medium")
    with left:
        messages = _conversation()
    with right, errors_shown():
        key = f"envelope_model_{len(names)}"
        chosen = segmented(t("envelope.model"), list(names), names.__getitem__, key=key)
        if chosen in files:
            file = files[chosen]
            if file.model is None:
                raise ChatError("chat_none", name=file.name)
            chat = Chat(names[chosen], file.opened.tokenizer, is_gpt=False)
            stretches = wrapped(chat_template(file.model), messages)
        else:
            chat = Chat(names[chosen], gpt_tokenizer(chosen), is_gpt=True)
            stretches = gpt_wrapped(messages)
        _draw(chat, messages, stretches)


def _conversation() -> list[Message]:
    """Let the visitor say what each side says; what is left empty is not said."""
    said = {}
    for field in FIELDS:
        example = without_breaks(t(f"envelope.example_{field}")) if field in FILLED else ""
        key = remembered(f"envelope_{field}", example)
        said[field] = st.text_input(
            t(f"envelope.{field}"), key=key, max_chars=MOST_CHARACTERS, persist_state="session", live=True
        )
    answer = said["assistant"] or said["reasoning"]
    messages = [Message(role, said[role] or "") for role in ("system", "user") if said[role]]
    messages += [Message("assistant", said["assistant"] or "", said["reasoning"] or "")] if answer else []
    return messages + ([Message("tool", said["tool"])] if said["tool"] else [])


def _draw(chat: Chat, messages: Sequence[Message], stretches: Sequence[Stretch]) -> None:
    """Say what was typed and what is billed, draw the tokens, and say what markers become that somebody typed."""
    acts = _TYPED_ACTS.get()
    tokens = chat_tokens(chat.tokenizer, stretches, typed_acts=acts)
    typed = sum(stretches[token.stretch].part != "envelope" for token in tokens)
    with st.container(horizontal=True, gap="medium"):
        st.metric(t("envelope.billed"), f"{len(tokens):,}", width="content")
        st.metric(t("envelope.typed"), f"{typed:,}", width="content")
        st.metric(t("envelope.around"), f"{len(tokens) - typed:,}", width="content")
    token_view(_drawing(chat, messages, stretches, tokens), key="envelope_view", colour="branch", toolbar="none")
    st.caption(t("envelope.gpt" if chat.is_gpt else "envelope.template"))
    content = "".join(stretch.text for stretch in stretches if stretch.part != "envelope")
    if found := [token for token in chat.tokenizer.special_tokens if token in content]:
        other = len(chat_tokens(chat.tokenizer, stretches, typed_acts=not acts))
        counts = {"off": other, "on": len(tokens)} if acts else {"off": len(tokens), "on": other}
        st.markdown(t("envelope.markers", markers=", ".join(map(as_plain_markdown, found[:3])), **counts))
    st.toggle(t("envelope.acts"), key=_TYPED_ACTS.key, persist_state="session")


def _drawing(
    chat: Chat, messages: Sequence[Message], stretches: Sequence[Stretch], tokens: Sequence[ChatToken]
) -> Drawing:
    """Return one lane, coloured by the part of the conversation of which each token is."""
    text = "".join(stretch.text for stretch in stretches)
    utf8 = text.encode()
    spans = np.array([token.span for token in tokens], dtype=np.int64).reshape(-1, 2)
    ids = np.array([token.token_id for token in tokens], dtype=np.int32)
    placed = PlacedTokens(ids, spans[:, 0], spans[:, 1])
    parts = iter(_part(stretches[token.stretch], messages) for token in tokens)
    of_pieces = [None if each == NO_TOKEN else next(parts) for each in pieces_of(placed, len(utf8)).ids.tolist()]
    names = [("", t(f"envelope.part_{name}"), number) for number, name in enumerate(("envelope", *FIELDS))]
    lane = Lane(
        "chat",
        Label(chat.name),
        chat.tokenizer,
        ids,
        cuts=BranchCuts(names, of_pieces),
        placed=placed,
        special_acts=True,
    )
    own = {"branches": t("envelope.parts"), "colour_branch": t("envelope.by_part")}
    return Drawing(token_payload(text, [lane], labels={**section("token_view"), **own}, locale=language()))


def _part(stretch: Stretch, messages: Sequence[Message]) -> int:
    """Return the number of the part of a conversation that a stretch is of."""
    if stretch.message is None:
        return 0
    field = "reasoning" if stretch.part == "reasoning" else messages[stretch.message].role
    return 1 + FIELDS.index(field)
