"""The shell around every page: frame, headers, navigation, links, and what the app knows about the visitor.

Its files: frame headers cookie navigation links manual terms presenting visitor local uploads
sessions status
"""
