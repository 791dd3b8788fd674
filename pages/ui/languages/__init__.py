"""The Languages page.

Its files: keys comparison counts bill pairs metrics topics report charts slides
"""
