"""What the Vocabulary page keeps in the session."""

from pages.ui.session import Maybe, Value

LANE = "vocabulary_lane"
"""The key of the chosen tokenizer."""
SOURCE = "vocabulary_source"
"""The key of where the visitor's text comes from."""
TEXT = "vocabulary_text"
"""The key of the text box."""
PICKED: Value[dict[str, int]] = Value("vocabulary_picked", dict)
"""The id whose biography is shown, by the choice of its tokenizer."""
CLICKS: Value[int] = Value("vocabulary_clicks", int)
"""How many entries were clicked: the page scrolls to a biography once for each click."""


def widget(name: str) -> Maybe[str]:
    """Return the session value of a text box of the page."""
    return Maybe(f"vocabulary_{name}")
