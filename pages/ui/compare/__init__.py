"""The Compare page.

Its files: keys lanes opened hints chat take_along
"""
