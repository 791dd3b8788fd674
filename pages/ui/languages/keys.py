"""What the Languages page keeps in the session, and what it takes from a link."""

from collections.abc import Mapping

from pages.ui.session import Maybe, Value

VIEWS = ("bills", "pairs", "metrics", "stories", "take_away")

VIEW: Value[str] = Value("languages_view", lambda: VIEWS[0])
STORY: Maybe[str] = Maybe("languages_story")
LINKED_STORY: Maybe[str] = Maybe("linked_story")
"""The story that a link names, until it is shown."""
WITH_WORDS: Value[bool] = Value("languages_words", bool)
"""Whether the metrics include words."""
COUNTED: Value[set[tuple[str, str]]] = Value("languages_counted", set)
"""The texts that this session has counted, each with its joining."""


def take_over(query: Mapping[str, str]) -> None:
    """Take a story from a link."""
    if query.get("story"):
        VIEW.put("stories")
        LINKED_STORY.put(query["story"])
