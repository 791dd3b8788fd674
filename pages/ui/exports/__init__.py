"""Taking a tokenizer elsewhere: its files for other libraries, each with proof that it behaves the same there."""
