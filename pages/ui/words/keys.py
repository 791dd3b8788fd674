"""The visitor's language in the session."""

from pages.ui.session import Maybe

LANGUAGE: Maybe[str] = Maybe("language")
"""The language that the visitor chose, or the one detected at first."""
SWITCH: Maybe[str] = Maybe("lang")
"""The language that the switch shows."""
