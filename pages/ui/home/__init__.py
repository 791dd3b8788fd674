"""The Home page.

Its files: keys premiums
"""
