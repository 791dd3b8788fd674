"""What the Stories page keeps in the session, and what it takes from a link."""

from collections.abc import Mapping

from pages.ui.session import Maybe

STORY: Maybe[str] = Maybe("story")
LINKED_STORY: Maybe[str] = Maybe("linked_story")
"""The story that a link names, until it is shown."""


def take_over(query: Mapping[str, str]) -> None:
    """Take a story from a link."""
    if query.get("story"):
        LINKED_STORY.put(query["story"])
