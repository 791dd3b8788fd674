"""The lessons of the Learn page."""
