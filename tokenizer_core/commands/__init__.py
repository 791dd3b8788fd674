"""What `python -m tokenizer_core` can do."""
