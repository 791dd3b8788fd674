"""What the Languages page keeps in the session."""

from pages.ui.session import Value

VIEWS = ("bills", "pairs", "metrics", "take_away")

VIEW: Value[str] = Value("languages_view", lambda: VIEWS[0])
WITH_WORDS: Value[bool] = Value("languages_words", bool)
"""Whether the metrics include words."""
COUNTED: Value[set[tuple[str, str]]] = Value("languages_counted", set)
"""The texts that this session has counted, each with its joining."""
