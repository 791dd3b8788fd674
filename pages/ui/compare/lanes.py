"""The lanes of the Compare page: chosen tokenizers, those with merges at any size, and a pattern's pretokens."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.links import PRETOKENS, linked_names
from pages.ui.i18n import as_name, error_sentence, t
from pages.ui.inputs.pattern import PREVIEW_SENTENCE, choose_pattern, pattern_choice, pattern_name
from pages.ui.inputs.text import show_text
from pages.ui.inputs.tokenizers import lanes_of_choices, lanes_that_encode, sizes_of_choices
from pages.ui.session import Maybe
from pages.ui.widgets.token_view.drawings import Text
from pages.ui.widgets.token_view.lanes import MINE, Label, Lane, pretoken_lane
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import pretokenize

NAMES = "compare_names"
"""The prefix of the key of the chosen tokenizers."""
PATTERN = "compare_pattern"
"""The prefix of the pattern picker's keys."""


def take_link(link: Mapping[str, str]) -> None:
    """Take text, tokenizers and pattern from a link."""
    if "text" in link:
        show_text(link["text"])
    chosen = linked_names(link)
    if chosen:
        for has_own in (True, False):
            Maybe[list[str]](f"{NAMES}_{has_own}").put(chosen)
    if PRETOKENS in chosen and link.get("pattern"):
        choose_pattern(PATTERN, link["pattern"])


def pick_pattern() -> str | None:
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
    wanted = [*chosen, text.ids_of] if text.ids_of else chosen
    lanes = lanes_of_choices(wanted, _sizes(chosen, text))
    if pattern is not None:
        caption = t("tokenizers.cut_by", pattern=pattern_name(pattern))
        lanes.append(pretoken_lane(pattern, Label(t("tokenizers.pretokens"), caption)))
    if isinstance(text.content, bytes):
        return [lane for lane in lanes if text.is_of(lane)]
    return lanes_that_encode(lanes, [text.content])


def _sizes(chosen: Sequence[str], text: Text) -> dict[str, int]:
    """Let the visitor pick the vocabulary size of each chosen tokenizer, except that of its own ids."""
    sizes, own = {}, visitor.own_tokenizer()
    if own and MINE in chosen and text.ids_of != MINE and (most := own.tokenizer.vocab_size) > BYTES + 1:
        key, words = f"compare_size_{own.key}", t("compare.size_help")
        sizes[MINE] = st.slider(t("compare.size"), BYTES, most, most, key=key, help=words)
    for choice, (name, most) in sizes_of_choices(chosen).items():
        if text.ids_of != choice:
            label = t("compare.size_of", name=as_name(name))
            sizes[choice] = st.slider(label, BYTES, most, most, key=f"compare_size_{choice}")
    return sizes
