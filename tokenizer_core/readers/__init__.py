"""Input: bytes and files of many kinds → text, lines and parallel lines."""
