"""The picker of a text to view: typed, bundled, uploaded, or token ids."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.choices import keys
from pages.ui.choices.corpus import openings
from pages.ui.choices.corpus_picker import pick_sample
from pages.ui.choices.encodings import encoding_name, encoding_picker
from pages.ui.choices.tokenizers import names_of_choices
from pages.ui.choices.upload import NOT_GUESSED, Limits, comparison_too_large
from pages.ui.choices.uploads import forget_what_was_taken_out, say_refused, uploaded
from pages.ui.limits import MAX_UPLOAD_MB, MAX_VIEW_CHARACTERS
from pages.ui.session import one_of, remembered
from pages.ui.token_view.drawings import Text
from pages.ui.widgets.live_area import live_text_area
from pages.ui.widgets.segmented import segmented
from pages.ui.words import as_plain_markdown, error_sentence, names, t
from tokenizer_core.errors import CorpusError, TokenIdError, TokenizerError
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.encodings import DecodedText, decode_text

PLACE, WIDGET = "text", "text_file"
_LIMITS = Limits(1, MAX_UPLOAD_MB * 2**20, comparison_too_large(MAX_UPLOAD_MB * 2**20), unpacks=False)
SOURCES = ("type", "sample", "upload", "ids")
TYPED_HEIGHT = 76
"""Two lines of Thai, so that the tokens below come into sight; the box's corner makes it taller."""
EXAMPLES = ("thai", "english", "mixed", "numbers", "emoji", "special")


def example_pills(text_key: str, prefix: str) -> None:
    """Draw examples; a click puts one into the text box with this key."""
    pills, box = keys.widget(f"{prefix}_example"), keys.widget(text_key)

    def use_example() -> None:
        if name := pills.get():
            box.put(t(f"examples.{name}"))
            pills.put(None)

    st.pills(
        t("examples.label"),
        EXAMPLES,
        format_func=names("examples.{}_name", EXAMPLES),
        key=pills.key,
        on_change=use_example,
        label_visibility="collapsed",
    )


def text_picker(tokenizers: Mapping[str, AnyTokenizer], *, examples: DeltaGenerator) -> Text:
    """Let the visitor pick a text: typed or pasted, a bundled sample, a file, or token ids of a tokenizer.

    Examples for what is typed are drawn into the container `examples`.
    """
    source = segmented(t("text.label"), SOURCES, names("text.{}", SOURCES), key="text_source")
    if source == "ids":
        return _pick_ids(tokenizers)
    text = {"type": _pick_typed, "sample": _pick_sample_text, "upload": _pick_uploaded_text}[source]()
    if source == "type":
        with examples:
            example_pills("compare_text", "compare")
    if len(text) > MAX_VIEW_CHARACTERS:
        st.info(t("text.window", shown=MAX_VIEW_CHARACTERS, characters=len(text)), icon=":material/crop:")
        text = text[:MAX_VIEW_CHARACTERS]
    return Text(text)


def _pick_ids(tokenizers: Mapping[str, AnyTokenizer]) -> Text:
    """Let the visitor enter token ids and pick the tokenizer that decodes them; show what is wrong with them."""
    options = list(tokenizers)
    if not options:
        return Text("")  # the page says which files are missing
    whose = st.selectbox(
        t("text.ids_of"),
        options,
        format_func=names_of_choices(options),
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
    """Return how many of the token ids can be shown, up to the end of a character."""
    shown = bisect_right(list(accumulate(sizes)), MAX_VIEW_CHARACTERS)
    for _ in range(3):  # a character has at most three bytes after its first one
        if 0 < shown < len(ids) and tokenizer.token_bytes(ids[shown])[0] & 0xC0 == 0x80:
            shown -= 1
    return shown


def parse_ids(text: str) -> list[int]:
    """Read token ids from a list as people or programs write it; raise `TokenIdError` if that is not possible.

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
    return live_text_area(
        t("text.type_label"),
        key=remembered("compare_text", t("examples.sample")),
        height=TYPED_HEIGHT,
        placeholder=t("text.placeholder"),
        show_label=False,
    )


def _pick_sample_text() -> str:
    return "\n".join(pick_sample().texts)


def _pick_uploaded_text() -> str:
    """Return the text of a file, and show a guessed encoding; "", with the reason on the page, if that fails."""
    widget = st.file_uploader(
        t("text.upload_label", limit=MAX_UPLOAD_MB, characters=MAX_VIEW_CHARACTERS),
        key=WIDGET,
        on_change=forget_what_was_taken_out,
        args=(PLACE, WIDGET),
    )
    upload = uploaded(PLACE, [widget] if widget else [], _LIMITS)
    if upload is None:
        return ""
    if upload.refusal is not None:
        say_refused(PLACE, upload.refusal)
        return ""
    ((key, file),) = upload.files.items()
    chosen = upload.choices(key).encoding
    read: DecodedText | CorpusError = upload.read(key, chosen, lambda: _decoded(file, chosen))
    name = as_plain_markdown(file.name)
    choose = upload.chooser(key)
    if isinstance(read, CorpusError):
        st.error(f"{name} – {error_sentence(read)}")
        if read.code in NOT_GUESSED:
            encoding_picker(f"encoding_{key}", chosen, lambda encoding: choose(encoding=encoding))
        return ""
    if read.is_guess or chosen:
        st.info(t("corpus.guessed", name=name, encoding=encoding_name(read.encoding)), icon=":material/help:")
        st.text(openings([read.text]))
        encoding_picker(f"encoding_{key}", chosen or read.encoding, lambda encoding: choose(encoding=encoding))
    return read.text


def _decoded(file: PackedFile, encoding: str | None) -> DecodedText:
    if file.refusal is not None:  # it did not arrive
        raise file.refusal
    return decode_text(file.content, encoding=encoding)
