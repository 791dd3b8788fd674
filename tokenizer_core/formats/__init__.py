"""Other tokenizers, through the libraries that know their files."""
