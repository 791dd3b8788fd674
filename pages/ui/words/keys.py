"""The visitor's language in the session."""

from pages.ui.session import Maybe

LANGUAGE: Maybe[str] = Maybe("language")
"""As the visitor chose it, or as it was found out first."""
SWITCH: Maybe[str] = Maybe("lang")
"""What the language switch shows."""
