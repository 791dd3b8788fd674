"""How much the app takes: the numbers that its messages name."""

import os

MAX_CORPUS_BYTES = 50 * 2**20
MAX_FILES = 500
MAX_VIEW_CHARACTERS = 1_000_000
MAX_VOCAB_SIZE = 100_000
MAX_TRAININGS = max(4, 2 * (os.cpu_count() or 1))
UNSEEN_SECONDS = 2 * 3600.0
LEFT_ALONE_SECONDS = 60.0
"""A running training that nobody has looked at for so long makes room for another visitor's."""
