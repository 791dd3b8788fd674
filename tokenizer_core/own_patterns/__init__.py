"""Split patterns of one's own, read into parts and laid out as a program that compiled code runs over a text.

It knows nothing of texts and pretokens: `cutter` takes the program, and `match_loop` runs it.

Its files: parts reading characters steps program places
"""
