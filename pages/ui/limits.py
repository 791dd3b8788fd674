"""The limits of the app, which its messages state."""

import os

MAX_UPLOAD_MB = 200
"""The same as `maxUploadSize` in `.streamlit/config.toml`."""


def corpus_megabytes(setting: str | None) -> int:
    """Read the corpus limit in megabytes, from 1 to the upload limit; 50 if the setting is not a number.

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
"""Trainings that run at the same time; others wait for their turn."""
MAX_WORKER_BYTES = int(float(os.environ.get("TOKENIZER_EXPLORER_WORKER_GB") or 4) * 2**30)
MAX_PAUSED = 16
"""Paused trainings with a worker; beyond that, the least recently viewed is stopped and keeps its merges."""
MAX_RUNS = 20
"""Runs kept per visitor."""
MAX_KEPT_CHARACTERS = 512 * 2**20
"""Characters of all texts kept so that runs can be repeated."""
UNSEEN_SECONDS = 2 * 3600.0
LEFT_ALONE_SECONDS = 60.0
"""A slow training unviewed for this long is paused if others wait."""
