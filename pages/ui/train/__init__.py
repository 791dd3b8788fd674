"""The Train page.

Its files: keys setup, studio merges vocabularies, race race_texts, runs continuing kept_rows special_tokens
recipes, what_if what_if_view, watch_link, frontier frontier_view frontier_chart, take_along
"""
