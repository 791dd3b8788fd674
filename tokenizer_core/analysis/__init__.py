"""Figures of tokens in texts, each with its unit: ratios, cuts, costs, and how tokens are made."""
