"""Other tokenizers' files: opening, exporting and verifying them, and one file for each format."""
