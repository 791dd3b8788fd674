"""What the Vocabulary page keeps in the session."""

from pages.ui.session import Maybe, Value

LANE = "vocabulary_lane"
"""The key of the chosen tokenizer."""
SOURCE = "vocabulary_source"
"""The key of where the visitor's text comes from."""
TEXT = "vocabulary_text"
"""The key of the text box."""
MODEL = "vocabulary_model"
"""The key of the model whose rows are counted."""
WIDTH, TIED = "vocabulary_width", "vocabulary_tied"
"""The keys of a width of one's own, and of whether the output head shares its rows."""
PICKED: Value[dict[str, int]] = Value("vocabulary_picked", dict)
"""The id whose biography is shown, by the choice of its tokenizer."""
WORD: Maybe[str] = Maybe("vocabulary_word")
"""The word that is traced."""
GPT2_WORD: Maybe[str] = Maybe("vocabulary_gpt2_word")
"""The text that is sent through GPT-2's files."""
CLICKS: Value[int] = Value("vocabulary_clicks", int)
"""How many entries were clicked: the page scrolls to a biography once for each click."""


def child_of(choice: str, token_id: int) -> Maybe[int]:
    """Return the session value of the descendant that was chosen in a biography."""
    return Maybe(f"vocabulary_child_{choice}_{token_id}")
