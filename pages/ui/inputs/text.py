"""The picker of a text to view: typed, bundled, uploaded, or token ids."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
import streamlit as st

from pages.ui.i18n import LANGUAGES, as_name, as_plain_markdown, catalogue, error_sentence, names, plain, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import openings, pick_sample
from pages.ui.inputs.tokenizers import SPECIAL_ACTS, names_of_choices
from pages.ui.inputs.uploads import (
    NOT_GUESSED,
    Limits,
    encoding_name,
    encoding_picker,
    file_picker,
    show_refusal,
)
from pages.ui.limits import MAX_UPLOAD_MB, MAX_VIEW_CHARACTERS
from pages.ui.session import Maybe, one_of, remembered
from pages.ui.widgets.controls import live_text_area, segmented
from pages.ui.widgets.token_view.drawings import Text
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.segments import TextMap
from tokenizer_core.errors import CorpusError, TokenIdError
from tokenizer_core.readers.encodings import DecodedText, decode_text
from tokenizer_core.readers.labels import opening

PLACE = "text"
_LIMITS = Limits(1, MAX_UPLOAD_MB * 2**20, unpacks=False)
_SOURCE: Maybe[str] = Maybe("text_source")
TYPED_TEXT: Maybe[str] = Maybe("compare_text")
_GIVEN_TEXT: Maybe[str] = Maybe(f"{TYPED_TEXT.key}_given")
"""What the box was given, not typed: it follows the sentence on Home."""
SOURCES = ("type", "sample", "upload", "ids")
MAX_DIGITS = 40
MOST_NAMED = 5
"""Wrong ids that are named."""
_BETWEEN_IDS = dict.fromkeys(map(ord, ",;[](){}|"), " ")
TYPED_HEIGHT = 76
"""Two lines of Thai, so that the tokens below come into sight; the box's corner makes it taller."""
SENTENCE_CHARACTERS = 80
"""Characters of the sentence that a corpus gives, if it must be cut: they fit in three lines of large type."""
WHOLE_CHARACTERS = 120
"""Characters of a line that is not cut: what somebody wrote in it would be missed."""
EXAMPLES = ("thai", "english", "mixed", "numbers", "emoji", "special")


SENTENCE: Maybe[str] = Maybe("home_text")
"""The sentence on Home, which goes along to the other pages once the visitor has changed it."""


WATCHED: Maybe[str] = Maybe("watched_sentence")
"""The sentence whose training the visitor watched last."""


def own_sentence() -> str:
    """Return the sentence of the visitor's own; "" while it is the one that Home begins with."""
    typed = SENTENCE.get() or ""
    return "" if typed == t("examples.thai") else typed


def is_example(sentence: str) -> bool:
    """Tell whether a sentence is one of the examples, in any language."""
    return any(sentence == catalogue(spoken)[f"examples.{name}"] for spoken in LANGUAGES for name in EXAMPLES)


def sentence_to_watch(of_corpus: str) -> str:
    """Return the visitor's own sentence, or one of the corpus; no example in place of what is trained on."""
    own = own_sentence()
    return own if own and (not is_example(own) or is_example(of_corpus)) else of_corpus


def is_thai(text: str) -> bool:
    """Tell whether most bytes of a text are Thai, if all others are of ASCII.

    >>> is_thai("น้ำ water"), is_thai("น้ำ water, please")
    (True, False)
    """
    thai = sum("ก" <= character <= "๛" for character in text)
    return 3 * thai > len(text) - thai


def line_to_watch(beginning: str) -> str:
    """Return the first line of the beginning of a corpus; "" if there is none.

    It is the first one of Thai where Thai has most bytes: the first merges join those, and are seen in it.
    A long line is cut at a space, or else where a letter with its marks ends.
    """
    lines = [line.strip() for line in beginning.split("\n") if line.strip()] or [""]
    line = next(filter(is_thai, lines), lines[0]) if is_thai(beginning) else lines[0]
    if len(line) <= WHOLE_CHARACTERS:
        return line
    ends = np.flatnonzero(TextMap(line).cluster_starts)
    cut = line[: int(ends[ends <= SENTENCE_CHARACTERS][-1])]
    return cut.rpartition(" ")[0] or cut


def take_sentence(text: str) -> None:
    """Make a text that the visitor typed on another page the sentence on Home."""
    SENTENCE.put(" ".join(text.splitlines()))


def carry_sentence(key: str, most: int) -> None:
    """Make what the visitor typed into a box on another page the sentence on Home, up to so many characters."""
    typed = Maybe[str](key).get() or ""
    if typed and typed != Maybe[str](f"{key}_given").get():
        take_sentence(opening(typed, most))


def follow_sentence(key: str, default: str) -> str:
    """Give a text box the visitor's own sentence, or a default, until something else is in it; return the key."""
    box, given = Maybe[str](key), Maybe[str](f"{key}_given")
    if box.get() in (None, given.get()):
        given.put(own_sentence() or default)
        box.put(given.get())
    return key


def example_pills(text_key: str, prefix: str) -> None:
    """Draw examples; a click puts one into the text box with this key."""
    pills, box = Maybe[str](f"{prefix}_example"), Maybe[str](text_key)

    def use_example() -> None:
        if name := pills.get():
            box.put(t(f"examples.{name}"))
            if name == "special":  # its sentence speaks of markers that act
                SPECIAL_ACTS.put(True)
            pills.put(None)

    st.pills(
        t("examples.label"),
        EXAMPLES,
        format_func=names("examples.{}_name", EXAMPLES),
        key=pills.key,
        on_change=use_example,
        label_visibility="collapsed",
    )


def text_picker(tokenizers: Mapping[str, AnyTokenizer]) -> Text:
    """Let the visitor pick a text: typed or pasted, a bundled sample, a file, or token ids of a tokenizer."""
    source = segmented(t("text.label"), SOURCES, names("text.{}", SOURCES), key=_SOURCE.key)
    if source == "ids":
        return _pick_ids(tokenizers)
    if source == "type":
        text = live_text_area(
            t("text.type_label"),
            key=follow_sentence(TYPED_TEXT.key, WATCHED.get() or t("examples.pair")),
            height=TYPED_HEIGHT,
            placeholder=t("text.placeholder"),
            show_label=False,
        )
        example_pills(TYPED_TEXT.key, "compare")
    else:
        text = _pick_uploaded_text() if source == "upload" else "\n".join(pick_sample().texts)
    if len(text) > MAX_VIEW_CHARACTERS:
        st.info(t("text.window", shown=MAX_VIEW_CHARACTERS, characters=len(text)), icon=":material/crop:")
        text = text[:MAX_VIEW_CHARACTERS]
    return Text(text)


def show_text(text: str) -> None:
    """Put a text into the text picker, before it is drawn."""
    TYPED_TEXT.put(text)
    _GIVEN_TEXT.forget()
    _SOURCE.put("type")


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
    tokenizer = tokenizers[whose]
    typed = live_text_area(
        t("text.ids_label"),
        key=remembered("text_ids", t("examples.ids")),
        height=110,
        placeholder=t("text.ids_placeholder"),
    )
    try:
        words = parse_ids(typed)
    except TokenIdError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return Text("")
    sizes = {word: _size(word, tokenizer) for word in words}
    if wrong := [str(word) for word, size in sizes.items() if size is None]:
        named = plain(", ".join(wrong[:MOST_NAMED]) + (", …" if len(wrong) > MOST_NAMED else ""))
        name = as_name(without_breaks(names_of_choices([whose])(whose)))
        st.error(t("text.ids_wrong", name=name, count=len(wrong), ids=named), icon=":material/error:")
        return Text("")
    ids = [word for word in words if isinstance(word, int)]
    shown = _that_fit(ids, [sizes[token_id] or 0 for token_id in ids], tokenizer)
    if shown < len(ids):
        st.info(t("text.ids_window", shown=shown, ids=len(ids)), icon=":material/crop:")
    ids = ids[:shown]
    content = tokenizer.decode_bytes(ids)
    try:
        return Text(content.decode("utf-8"), tuple(ids), whose)
    except UnicodeDecodeError:
        st.info(t("text.ids_broken"), icon=":material/broken_image:")
        return Text(content, tuple(ids), whose)


def _size(word: int | str, tokenizer: AnyTokenizer) -> int | None:
    """Return how many bytes the token with this id has; None if there is no such token."""
    if isinstance(word, str):
        return None
    try:
        return len(tokenizer.token_bytes(word))
    except TokenIdError:
        return None


def _that_fit(ids: Sequence[int], sizes: Sequence[int], tokenizer: AnyTokenizer) -> int:
    """Return how many of the token ids can be shown, up to the end of a character."""
    shown = bisect_right(list(accumulate(sizes)), MAX_VIEW_CHARACTERS)
    for _ in range(3):  # a character has at most three bytes after its first one
        if 0 < shown < len(ids) and tokenizer.token_bytes(ids[shown])[0] & 0xC0 == 0x80:
            shown -= 1
    return shown


def parse_ids(text: str) -> list[int | str]:
    """Read token ids from a list as people or programs write it; what is no id stays a word.

    Raises `TokenIdError` if there are too many.

    >>> parse_ids("[1, 22 333, a]")
    [1, 22, 333, 'a']
    """
    words = text.translate(_BETWEEN_IDS).split()
    if len(words) > MAX_VIEW_CHARACTERS:
        raise TokenIdError("too_many_ids", limit=MAX_VIEW_CHARACTERS, count=len(words))
    return [int(word) if word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS else word for word in words]


def _pick_uploaded_text() -> str:
    """Return the text of a file, and show a guessed encoding; "", with the reason on the page, if that fails."""
    label = t("text.upload_label", limit=MAX_UPLOAD_MB, characters=MAX_VIEW_CHARACTERS)
    upload, _ = file_picker(PLACE, label, _LIMITS)
    if upload is None:
        return ""
    if upload.refusal is not None:
        show_refusal(PLACE, upload.refusal)
        return ""
    ((key, file),) = upload.files.items()
    chosen = upload.choices(key).encoding
    read: DecodedText | CorpusError = upload.read(key, chosen, lambda: decode_text(file.content, encoding=chosen))
    name = as_plain_markdown(file.name)
    if isinstance(read, CorpusError):
        st.error(f"{name} – {error_sentence(read)}")
        if read.code in NOT_GUESSED:
            encoding_picker(f"encoding_{key}", upload, key, chosen)
        return ""
    if read.is_guess or chosen:
        st.info(t("corpus.guessed", name=name, encoding=encoding_name(read.encoding)), icon=":material/help:")
        st.text(openings([read.text]))
        encoding_picker(f"encoding_{key}", upload, key, chosen or read.encoding)
    return read.text
