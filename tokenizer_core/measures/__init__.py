"""Figures of tokens in texts: ratios, cuts and histories, each with its unit.

Its files: ratios prices branches cuts line_counts pattern_figures segmenters history parting pieces entries
lineage contexts model_cost pretoken_tokenizer
"""
