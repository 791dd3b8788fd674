"""The picker of a split pattern, named or custom."""

import streamlit as st

from pages.ui.i18n import error_sentence, language, names, t
from pages.ui.session import Maybe, one_of, remembered
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Label, pretoken_lane
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, compile_pattern

OWN_PATTERN = "custom"
"""The choice of a custom split pattern."""
PATTERN_ORDER = ("mark_aware", "llama3", "gpt2", "cl100k", "o200k", "none", OWN_PATTERN)
PREVIEW_SENTENCE = "กำลังเรียนที่โรงเรียน They're 2,567!"
MOST_PREVIEWED = 100
"""Characters of a sentence in a preview."""


def pattern_picker(sentence: str) -> str | None:
    """Let the visitor pick a split pattern, and show what it does to a sentence; None while it cannot be used."""
    _, pattern = pattern_choice("pattern", says_what=True)
    return pattern if preview_of(pattern, sentence) else None


def pattern_choice(prefix: str, *, says_what: bool = False) -> tuple[str, str]:
    """Return a pattern's name in the list, and the pattern; a custom one is named "custom", and is unchecked."""
    choice = st.selectbox(
        t("pattern.label"),
        PATTERN_ORDER,
        format_func=names("pattern.{}_name", PATTERN_ORDER),
        key=one_of(f"{prefix}_choice", PATTERN_ORDER),
        persist_state="session",
        help=t("pattern.help"),
    )
    if says_what:
        st.caption(t(f"pattern.{choice}_what"))
    if choice != OWN_PATTERN:
        return choice, choice
    own = st.text_input(
        t("pattern.custom_label"),
        key=remembered(f"{prefix}_custom", SPLIT_PATTERNS["mark_aware"]),
        persist_state="session",
        live=True,
    )
    return choice, own or ""


def choose_pattern(prefix: str, pattern: str) -> None:
    """Choose a split pattern in the picker with this prefix; a pattern without a name becomes the custom one."""
    named = pattern in SPLIT_PATTERNS
    Maybe[str](f"{prefix}_choice").put(pattern if named else OWN_PATTERN)
    if not named:
        Maybe[str](f"{prefix}_custom").put(pattern)


def preview_of(pattern: str, sentence: str) -> bool:
    """Show a sentence, or ours for "", cut by the pattern; return False if it cannot be used, and say why."""
    try:
        compile_pattern(pattern)
        lane = pretoken_lane(pattern, Label(t("pattern.preview")))
        text = Text(sentence[:MOST_PREVIEWED] or PREVIEW_SENTENCE)
        drawn = drawing(text, [lane], language=language())
    except TokenizerError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return False
    token_view(drawn, key="pattern_preview", ruler=False, large=True, toolbar="none", max_height=None)
    return True


def pattern_name(pattern: str) -> str:
    """Return the name of a split pattern; for a custom one, its beginning."""
    if pattern in SPLIT_PATTERNS:
        return t(f"pattern.{pattern}_name")
    return pattern if len(pattern) <= 40 else pattern[:40] + "…"


def shortened(name: str) -> str:
    """Return the part of a name before its colon.

    >>> shortened("Thai-aware: marks stay with their letter")
    'Thai-aware'
    """
    return name.partition(":")[0]
