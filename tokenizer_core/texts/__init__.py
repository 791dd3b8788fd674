"""What came in: bytes and files of any kind → text, lines and parallel lines."""
