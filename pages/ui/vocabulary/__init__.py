"""The Vocabulary page."""
