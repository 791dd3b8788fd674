"""The choice of tokenizers: the references, and the visitor's own at any size that its training has passed."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.ui.session import remembered
from pages.ui.shell import visitor
from pages.ui.token_view.drawings import token_count
from pages.ui.token_view.lanes import MINE, Label, Lane
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import error_sentence, names, t
from tokenizer_core.errors import RankFileError
from tokenizer_core.measures.ratios import thai_entries
from tokenizer_core.openai import OPENAI_NAMES, IdCounts, references
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import BYTES

_at_sizes = Bounded[Tokenizer](16, weigh=lambda tokenizer: 1)
_entries = Bounded[int](256, weigh=lambda entries: 1)


def choose_tokenizers(key: str, *, more: Sequence[str] = (), label_visible: bool = True) -> list[str]:
    """Let the visitor choose tokenizers; at first, all but `more` are chosen."""
    known = [*([MINE] if visitor.mine() else []), *OPENAI_NAMES]
    choices = [*known, *more]
    chosen = st.pills(
        t("compare.tokenizers"),
        choices,
        selection_mode="multi",
        format_func=names("tokenizers.{}", choices),
        key=remembered(f"{key}_{MINE in choices}", known),
        persist_state="session",
        label_visibility="visible" if label_visible else "collapsed",
        wrap=True,
    )
    return [name for name in choices if name in chosen]


def all_tokenizers() -> dict[str, AnyTokenizer]:
    """Return the tokenizers that can decode token ids, keyed by choice."""
    own = visitor.mine()
    return {**references(), **({MINE: own.tokenizer} if own else {})}


def reference_lanes(chosen: Iterable[str] = OPENAI_NAMES) -> list[Lane]:
    """Return a lane for each reference, with its exact name and size; show an error for one that is unreadable."""
    return [
        Lane(name, reference_label(name, tokenizer.id_counts), tokenizer)
        for name, tokenizer in references(chosen, say=_say_unreadable).items()
    ]


def reference_label(name: str, counts: IdCounts) -> Label:
    """Return the common name of a reference, its exact name and size, and what that size is made of."""
    caption = t("tokenizers.reference", name=name, count=counts.total)
    key = "tokenizers.made_of_some_unused" if counts.unused else "tokenizers.made_of"
    made_of = t(key, bytes=BYTES, **counts._asdict())
    return Label(t(f"tokenizers.{name}"), caption, made_of)


def _say_unreadable(error: RankFileError) -> None:
    st.error(error_sentence(error), icon=":material/error:")


def reference_counts(text: str) -> list[tuple[str, int]]:
    """Count the tokens of a text by each reference, with its common name; return nothing for an empty text."""
    return [
        (t(f"tokenizers.{name}"), token_count(Lane(name, Label(name), tokenizer), text))
        for name, tokenizer in (references() if text else {}).items()
    ]


def entries_with_thai(lane: Lane) -> int:
    """Count the entries of a vocabulary with a whole Thai character."""
    return _entries.get(lane.key, lambda: thai_entries(lane.tokenizer))


def own_lane(own: visitor.Mine, size: int | None = None) -> Lane:
    """Return the lane of the visitor's own tokenizer at this vocabulary size, by default at its full size."""
    size = own.tokenizer.vocab_size if size is None else size
    name = own.tokenizer.name[:40]
    caption = (
        t("tokenizers.from_file", name=name, count=size) if own.from_file else t("tokenizers.entries", count=size)
    )
    key = f"{own.key}@{size}"
    tokenizer = _at_sizes.get(key, lambda: own.tokenizer.at(size))
    return Lane(
        key, Label(t("tokenizers.mine"), caption), tokenizer, is_own=True, counts=own.counts[: size - BYTES]
    )
