"""The Vocabulary page: everything a tokenizer knows, and the story of each token."""
