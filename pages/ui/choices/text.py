"""The picker of a text to look at: typed, bundled, uploaded, or token ids."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import streamlit as st

from pages.ui.choices.corpus_picker import pick_sample, source_picker
from pages.ui.choices.uploads import read_upload
from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.shell.visitor import one_of, remembered
from pages.ui.token_view.drawings import Text
from pages.ui.words import error_sentence, names, t
from tokenizer_core.errors import TokenIdError, TokenizerError
from tokenizer_core.protocols import AnyTokenizer

EXAMPLES = ("thai", "english", "mixed", "numbers", "emoji")


def example_pills(text_key: str, prefix: str) -> None:
    """Examples that are one click away: a click puts one into the text box of that key."""
    key = f"{prefix}_example"

    def use_example() -> None:
        name = st.session_state.get(key)
        if name:
            st.session_state[text_key] = t(f"examples.{name}")
            st.session_state[key] = None

    st.pills(
        t("examples.label"),
        EXAMPLES,
        format_func=names("examples.{}_name", EXAMPLES),
        key=key,
        on_change=use_example,
        label_visibility="collapsed",
    )


def text_picker(tokenizers: Mapping[str, AnyTokenizer]) -> Text:
    """A text to look at: typed or pasted, a bundled sample, a file, or token ids of one of these tokenizers."""
    source = source_picker("text", ["type", "sample", "upload", "ids"], label_visibility="collapsed")
    if source == "ids":
        return _pick_ids(tokenizers)
    text = {"type": _pick_typed, "sample": _pick_sample_text, "upload": _pick_uploaded_text}[source]()
    if len(text) > MAX_VIEW_CHARACTERS:
        st.info(t("text.window", shown=MAX_VIEW_CHARACTERS, characters=len(text)), icon=":material/crop:")
        text = text[:MAX_VIEW_CHARACTERS]
    return Text(text)


def _pick_ids(tokenizers: Mapping[str, AnyTokenizer]) -> Text:
    """A list of ids, and the tokenizer that they are decoded with; what is wrong with them is said."""
    options = list(tokenizers)
    if not options:
        return Text("")  # the page says which files are missing
    whose = st.selectbox(
        t("text.ids_of"),
        options,
        format_func=names("tokenizers.{}", options),
        key=one_of("text_ids_of", options),
        persist_state="session",
    )
    typed = st.text_area(
        t("text.ids_label"),
        key=remembered("text_ids", t("examples.ids")),
        persist_state="session",
        height=110,
        placeholder=t("text.ids_placeholder"),
    )
    try:
        ids = parse_ids(typed or "")
        sizes = [len(tokenizers[whose].token_bytes(token_id)) for token_id in ids]
    except TokenizerError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return Text("")
    shown = _that_fit(ids, sizes, tokenizers[whose])
    if shown < len(ids):
        st.info(t("text.ids_window", shown=shown, ids=len(ids)), icon=":material/crop:")
    ids = ids[:shown]
    content = tokenizers[whose].decode_bytes(ids)
    try:
        return Text(content.decode("utf-8"), tuple(ids), whose)
    except UnicodeDecodeError:
        st.info(t("text.ids_broken"), icon=":material/broken_image:")
        return Text(content, tuple(ids), whose)


def _that_fit(ids: Sequence[int], sizes: Sequence[int], tokenizer: AnyTokenizer) -> int:
    """How many of the ids have as many bytes as can be shown, up to the end of a character."""
    shown = bisect_right(list(accumulate(sizes)), MAX_VIEW_CHARACTERS)
    for _ in range(3):  # a character has at most three bytes after its first one
        if 0 < shown < len(ids) and tokenizer.token_bytes(ids[shown])[0] & 0xC0 == 0x80:
            shown -= 1
    return shown


def parse_ids(text: str) -> list[int]:
    """Token ids from a list as people or programs write it; raises `TokenIdError`.

    >>> parse_ids("[1, 22 333]")
    [1, 22, 333]
    """
    words = text.translate(_BETWEEN_IDS).split()
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS):
            raise TokenIdError(f"token ids must be whole numbers; {word!r} came", "token_id_no_number", word=word)
    if len(words) > MAX_VIEW_CHARACTERS:
        raise TokenIdError(
            f"at most {MAX_VIEW_CHARACTERS:,} token ids can be shown; {len(words):,} came",
            "too_many_ids",
            limit=MAX_VIEW_CHARACTERS,
            count=len(words),
        )
    return [int(word) for word in words]


MAX_DIGITS = 40
_BETWEEN_IDS = dict.fromkeys(map(ord, ",;[](){}|"), " ")


def _pick_typed() -> str:
    text = st.text_area(
        t("text.type_label"),
        key=remembered("compare_text", t("examples.sample")),
        persist_state="session",
        height=110,
        placeholder=t("text.placeholder"),
        label_visibility="collapsed",
    )
    example_pills("compare_text", "compare")
    return text or ""


def _pick_sample_text() -> str:
    return "\n".join(pick_sample().texts)


def _pick_uploaded_text() -> str:
    upload = st.file_uploader(t("text.upload_label"), key="text_file", on_change=_forget_text)
    if upload is not None:
        decoded = read_upload(upload)
        st.session_state["text_upload"] = decoded.text if decoded else ""
    text: str = st.session_state.get("text_upload", "")
    return text


def _forget_text() -> None:
    """The file was exchanged or taken out by hand."""
    st.session_state.pop("text_upload", None)
