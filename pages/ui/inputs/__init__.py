"""Pickers that pages share: texts, corpora, patterns, tokenizers."""
