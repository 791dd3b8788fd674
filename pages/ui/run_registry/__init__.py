"""The trainings of this server."""
