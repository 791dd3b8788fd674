"""The Patterns page."""
