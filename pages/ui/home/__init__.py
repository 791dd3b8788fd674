"""The Home page: a sentence in tokens, and what the same message costs in two languages."""
