"""What the Compare page keeps in the session, and what it takes from a link."""

from collections.abc import Mapping
from typing import NamedTuple

from pages.ui.choices.keys import choose_pattern, show_text
from pages.ui.session import Maybe, Value
from pages.ui.shell.links import PRETOKENS, linked_names
from tokenizer_core.errors import LibraryError, TokenizerError


class Refused(NamedTuple):
    """Uploaded files that could not be opened together."""

    ids: tuple[str, ...]
    files: Mapping[str, bytes]
    why: TokenizerError


NAMES = "compare_names"
"""The prefix of the key of the chosen tokenizers."""
PATTERN = "compare_pattern"
"""The prefix of the pattern picker's keys."""

CHAT_OPEN: Value[bool] = Value("compare_chat_open", bool)
CHAT: Maybe[str] = Maybe("compare_chat")
CHAT_WIDTH: Maybe[int] = Maybe("compare_chat_width")
"""The numbers that stand for a token in the model of the chat markers."""
READ_FILES: Value[set[str]] = Value("model_files_read", set)
"""The ids of uploaded files that are open or were refused; a file that waits for another one is not among them."""
REFUSED: Value[list[Refused]] = Value("model_files_refused", list)
"""The uploads that could not be opened, and why."""
NOT_KEPT: Maybe[LibraryError] = Maybe("model_files_not_kept")
"""Why the library could not keep a tokenizer that was opened just now."""
EXPORTS_OPEN: Value[bool] = Value("compare_exports", bool)
EXPORTED = "compare_exported"
"""The key of the choice of a tokenizer to take along."""


def take_over(query: Mapping[str, str]) -> None:
    """Take text, tokenizers and pattern from a link."""
    if "text" in query:
        show_text(query["text"])
    chosen = linked_names(query)
    if chosen:
        for has_own in (True, False):
            Maybe[list[str]](f"{NAMES}_{has_own}").put(chosen)
    if PRETOKENS in chosen and query.get("pattern"):
        choose_pattern(PATTERN, query["pattern"])
