"""The lanes of the Compare page: chosen tokenizers, those with merges at any size, and a pattern's pretokens."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.choices.keys import OPENED_FILES
from pages.ui.choices.pattern import PREVIEW_SENTENCE, pattern_choice, pattern_name
from pages.ui.choices.tokenizers import (
    file_lane,
    own_lane,
    reference_lanes,
    run_lanes,
    sizes_of_choices,
    that_can,
)
from pages.ui.compare.keys import PATTERN
from pages.ui.shell import visitor
from pages.ui.token_view.drawings import Text
from pages.ui.token_view.lanes import MINE, Label, Lane, pretoken_lane
from pages.ui.words import as_name, error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.patterns import pretokenize
from tokenizer_core.vocabulary import BYTES


def choose_pattern() -> str | None:
    """Let the visitor choose the pattern to cut by; None, with the reason on the page, if it cannot be used."""
    _, pattern = pattern_choice(PATTERN)
    try:
        pretokenize(PREVIEW_SENTENCE, pattern)
    except TokenizerError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return None
    return pattern


def lanes_of(chosen: Sequence[str], pattern: str | None, text: Text) -> list[Lane]:
    """Return a lane for each choice; if token ids do not form text, only the lane of their own tokenizer."""
    lanes = []
    own = visitor.mine()
    if own and MINE in chosen:
        lanes.append(own_lane(own, _size(own, text)))
    lanes += reference_lanes(name for name in OPENAI_NAMES if name in chosen or name == text.ids_of)
    if own and text.ids_of == MINE and MINE not in chosen:
        lanes.insert(0, own_lane(own))
    sizes = _sizes(chosen, text)
    lanes += [
        file_lane(file, sizes.get(file.key))
        for file in OPENED_FILES.get()
        if file.key in chosen or file.key == text.ids_of
    ]
    lanes += run_lanes(chosen, sizes)
    if pattern is not None:
        caption = t("tokenizers.cut_by", pattern=pattern_name(pattern))
        lanes.append(pretoken_lane(pattern, Label(t("tokenizers.pretokens"), caption)))
    if isinstance(text.content, bytes):
        return [lane for lane in lanes if text.is_of(lane)]
    return that_can(lanes, [text.content])


def _sizes(chosen: Sequence[str], text: Text) -> dict[str, int]:
    """Let the visitor pick the vocabulary size of each chosen file and run; the full size for its own ids."""
    return {
        key: st.slider(t("compare.size_of", name=as_name(name)), BYTES, most, most, key=f"compare_size_{key}")
        for key, (name, most) in sizes_of_choices(chosen).items()
        if text.ids_of != key
    }


def _size(own: visitor.Mine, text: Text) -> int:
    """Let the visitor pick any vocabulary size that their tokenizer has passed; the full size for its own ids."""
    most = own.tokenizer.vocab_size
    if most <= BYTES + 1 or text.ids_of == MINE:
        return most
    return st.slider(
        t("compare.size"), BYTES, most, most, key=f"compare_size_{own.key}", help=t("compare.size_help")
    )
