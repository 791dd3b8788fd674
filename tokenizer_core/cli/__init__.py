"""The commands of `python -m tokenizer_core`."""
