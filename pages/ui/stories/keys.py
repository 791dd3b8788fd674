"""What the Stories page keeps in the session, and what it takes from a link."""

from collections.abc import Mapping
from typing import Any

from pages.ui.session import Maybe, Value

STORY: Maybe[str] = Maybe("story")
LINKED_STORY: Maybe[str] = Maybe("linked_story")
"""The story that a link names, until it is shown."""
SHOWS_ALL: Value[bool] = Value("story_all", bool)
"""Whether stories are shown at once, without a guess."""
BESIDE = "story_beside"
"""The key of the tokenizers that stand beside those of the stories."""
GUESSES: Value[dict[str, int | None]] = Value("story_guesses", dict)
"""The choice made in each story whose answer is shown; None if the answer was shown without a choice."""
PRESENTS: Value[str] = Value("presents_what", lambda: "talk")
"""What presenter mode shows: the "talk", the chosen "story", or the visitor's own talk, "mine"."""
TALK_FILE: Maybe[Any] = Maybe("talk_file")
TALK_REFUSED: Value[bool] = Value("talk_refused", bool)


def take_over(query: Mapping[str, str]) -> None:
    """Take a story from a link; it starts at its setting."""
    if query.get("story"):
        LINKED_STORY.put(query["story"])
        PRESENTS.put("story")
        GUESSES.put({name: guess for name, guess in GUESSES.get().items() if name != query["story"]})
        SHOWS_ALL.put(False)
