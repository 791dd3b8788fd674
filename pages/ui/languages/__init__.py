"""The Languages page."""
