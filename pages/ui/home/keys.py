"""What the Home page keeps in the session, and what it takes from a link."""

from collections.abc import Mapping

from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.session import Maybe

TEXT: Maybe[str] = Maybe("home_text")


def take_over(query: Mapping[str, str]) -> None:
    """Take the text from a link, as one line."""
    if "text" in query:
        TEXT.put(query["text"][:MAX_VIEW_CHARACTERS].replace("\n", " "))
