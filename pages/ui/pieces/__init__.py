"""The page of other tokenizers: SentencePiece, characters and words."""
