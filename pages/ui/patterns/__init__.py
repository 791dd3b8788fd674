"""The Patterns page.

Its files: keys knife pattern_lines branch_words corpus_check contest costs costs_chart
"""
