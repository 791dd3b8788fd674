"""The Stories page.

Its files: keys form lanes tales telling worksheet, talk my_talk
"""
