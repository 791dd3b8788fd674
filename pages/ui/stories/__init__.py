"""The Stories page."""
