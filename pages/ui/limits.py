"""How much the app takes: the numbers that its messages name."""

import os

MAX_CORPUS_BYTES = 50 * 2**20
MAX_FILES = 500
MAX_VIEW_CHARACTERS = 1_000_000
MAX_VOCAB_SIZE = 100_000
MAX_TRAININGS = int(os.environ.get("TOKENIZER_EXPLORER_MAX_TRAININGS") or os.cpu_count() or 1)
"""Trainings at work at the same time; others wait for their turn."""
MAX_WORKER_BYTES = int(float(os.environ.get("TOKENIZER_EXPLORER_WORKER_GB") or 4) * 2**30)
MAX_PAUSED = 16
"""Paused trainings whose workers are kept; of more, the one unseen for longest ends and keeps what it learned."""
MAX_RUNS = 20
"""Runs of one visitor."""
MAX_KEPT_CHARACTERS = 512 * 2**20
"""Characters of all texts that are kept so that runs can be trained again."""
UNSEEN_SECONDS = 2 * 3600.0
LEFT_ALONE_SECONDS = 60.0
"""A slow training that nobody has looked at for so long is paused when others wait."""
