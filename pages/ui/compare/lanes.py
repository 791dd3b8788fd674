"""The lanes of the Compare page: chosen tokenizers, those with merges at any size, and a pattern's pretokens."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.links import PRETOKENS, linked_names
from pages.ui.i18n import error_sentence, t
from pages.ui.inputs.models_by_name import choices_in_link
from pages.ui.inputs.pattern import PREVIEW_SENTENCE, choose_pattern, pattern_choice, pattern_name
from pages.ui.inputs.text import show_text
from pages.ui.inputs.tokenizers import lanes_of_choices, lanes_that_encode, sizes_of_choices
from pages.ui.session import Maybe, Value
from pages.ui.widgets.token_view import Stages, moved_size
from pages.ui.widgets.token_view.drawings import Text
from pages.ui.widgets.token_view.lanes import MINE, Label, Lane, pretoken_lane
from tokenizer_core.analysis.entries import vocab_size_with_special
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import pretokenize

NAMES = "compare_names"
"""The prefix of the key of the chosen tokenizers."""
PATTERN = "compare_pattern"
"""The prefix of the pattern picker's keys."""
VIEW = "compare_view"
_SIZES: Value[dict[str, int]] = Value("compare_sizes", dict)
"""The vocabulary sizes that the visitor moved lanes to, by tokenizer."""


def take_link(link: Mapping[str, str]) -> None:
    """Take text, tokenizers and pattern from a link."""
    if "text" in link:
        show_text(link["text"])
    chosen = choices_in_link(linked_names(link))
    if chosen:
        for has_own in (True, False):
            Maybe[list[str]](f"{NAMES}_{has_own}").put(chosen)
    if PRETOKENS in chosen and link.get("pattern"):
        choose_pattern(PATTERN, link["pattern"])


def known_elsewhere(chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the choices that a talk can name too: all but the pieces of this page's pattern."""
    return tuple(name for name in chosen if name != PRETOKENS)


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
    lanes = lanes_of_choices(wanted, {choice: stages.at for choice, stages in _stages(chosen, text).items()})
    if pattern is not None:
        caption = t("tokenizers.cut_by", pattern=pattern_name(pattern))
        lanes.append(pretoken_lane(pattern, Label(t("tokenizers.pretokens"), caption)))
    if isinstance(text.content, bytes):
        return [lane for lane in lanes if text.is_of(lane)]
    return lanes_that_encode(lanes, [text.content])


def sizes_of(lanes: Sequence[Lane], text: Text) -> dict[int, Stages]:
    """Return the vocabulary sizes of the lanes that can have several, by their numbers."""
    stages = _stages([lane.choice for lane in lanes], text)
    return {
        number: stages[choice]._replace(special=vocab_size_with_special(tokenizer) - tokenizer.vocab_size)
        for number, (choice, tokenizer) in enumerate((lane.choice, lane.tokenizer) for lane in lanes)
        if choice in stages
    }


def _stages(chosen: Sequence[str], text: Text) -> dict[str, Stages]:
    """Return the sizes of each chosen tokenizer that has several, except that of its own ids."""
    most = {choice: (choice, size) for choice, size in sizes_of_choices(chosen).items()}
    own, moved, sizes = visitor.own_tokenizer(), moved_size(VIEW), _SIZES.get()
    if own and MINE in chosen and own.tokenizer.vocab_size > BYTES + 1:
        most[MINE] = (own.key, own.tokenizer.vocab_size)  # one that has learned more is another one
    if moved is not None and moved[0] in [key for key, _ in most.values()]:
        sizes[moved[0]] = moved[1]
    return {
        choice: Stages(key, BYTES, size, min(max(sizes.get(key, size), BYTES), size))
        for choice, (key, size) in most.items()
        if choice != text.ids_of
    }
