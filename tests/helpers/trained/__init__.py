"""Tokenizers that other libraries train for tests."""
