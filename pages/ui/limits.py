"""How much the app takes: the numbers that its messages name."""

import os

MAX_UPLOAD_MB = 200
"""What `.streamlit/config.toml` lets a browser send at once."""


def corpus_megabytes(setting: str | None) -> int:
    """The megabytes of a corpus that a setting asks for, from 1 to what can be uploaded; 50 for none or nonsense.

    >>> [corpus_megabytes(setting) for setting in (None, "", "80", "0", "-3", "9999", "many")]
    [50, 50, 80, 1, 1, 200, 50]
    """
    try:
        return min(max(1, int(setting or 50)), MAX_UPLOAD_MB)
    except ValueError:
        return 50


MAX_CORPUS_BYTES = corpus_megabytes(os.environ.get("TOKENIZER_EXPLORER_MAX_CORPUS_MB")) * 2**20
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
