"""What the Compare page keeps in the session, and what it takes from a link."""

from collections.abc import Mapping

from pages.ui.choices.keys import choose_pattern, show_text
from pages.ui.session import Maybe
from pages.ui.shell.links import PRETOKENS, linked_names
from tokenizer_core.errors import TokenizerError

NAMES = "compare_names"
"""The prefix of the key of the chosen tokenizers."""
PATTERN = "compare_pattern"
"""The prefix of the pattern picker's keys."""

READ_FILE: Maybe[str] = Maybe("model_file_read")
"""The id of the file that was opened last."""
FILE_ERROR: Maybe[tuple[str, TokenizerError]] = Maybe("model_file_error")
"""The name of that file, and what is wrong with it."""


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
