"""Parts of pages that know nothing about tokenizers: charts, tables, buttons, caches.

Its files: charts figures_table picture_button segmented fold live_area written bounded printed
"""
