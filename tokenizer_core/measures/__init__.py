"""Figures of tokens in texts: ratios, cuts and histories, each with its unit."""
