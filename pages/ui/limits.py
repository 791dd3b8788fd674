"""The limits of the app, which its messages state."""

import math
import os
from contextlib import suppress
from pathlib import Path

MAX_UPLOAD_MB = 200
"""MB of 2**20 bytes; `maxUploadSize` in `.streamlit/config.toml` is as much in MB of 10**6, as browsers count."""
MEMORY_OF_MB = 8 * 2**30 // MAX_UPLOAD_MB
"""Bytes of memory that a machine should have for each MB that may be uploaded."""
_CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def setting(name: str, default: float, *, least: float, most: float = math.inf) -> float:
    """Read a number from the environment, kept between two limits; the default if it is not a number.

    >>> setting("TOKENIZER_EXPLORER_NO_SUCH_SETTING", 50, least=1)
    50.0
    """
    try:
        value = float(os.environ.get(name) or default)
    except ValueError:
        value = math.nan
    return float(default) if math.isnan(value) else min(max(least, value), most)


def memory_bytes() -> int | None:
    """Return the memory of this machine, or of its container if that has less; None if the system does not say."""
    found: list[int] = []
    with suppress(ValueError, OSError, AttributeError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in _CONTAINER_LIMITS:
        with suppress(ValueError, OSError):  # "max" stands for no limit
            found.append(int(Path(file).read_text(encoding="ascii")))
    return min(found, default=None)


def default_corpus_mb(memory: int | None) -> int:
    """Return how large a corpus may be by default, in MB: 200 from 8 GB of memory up, else as that allows.

    >>> [default_corpus_mb(gigabytes * 2**30) for gigabytes in (16, 4, 1)], default_corpus_mb(None)
    ([200, 100, 50], 50)
    """
    least, most = 50, MAX_UPLOAD_MB
    return least if memory is None else min(max(memory // MEMORY_OF_MB, least), most)


MAX_CORPUS_BYTES = (
    int(
        setting("TOKENIZER_EXPLORER_MAX_CORPUS_MB", default_corpus_mb(memory_bytes()), least=1, most=MAX_UPLOAD_MB)
    )
    * 2**20
)
MAX_UPLOADS_BYTES = int(
    setting("TOKENIZER_EXPLORER_MAX_UPLOADS_MB", 2 * MAX_CORPUS_BYTES // 2**20, least=1, most=1_000_000) * 2**20
)
"""Bytes of all files that one visitor has uploaded and not removed, unpacked, in all tabs."""
MAX_FILES = 500
MAX_VIEW_CHARACTERS = 1_000_000
MAX_VOCAB_SIZE = 100_000
MAX_OPENED_FILES = 8
"""Tokenizers that a visitor may have open from files at once."""
MAX_OPENED_BYTES = max((memory_bytes() or 0) // 4, 2**30)
"""Memory of the tokenizers that all visitors together may have open from files."""
MAX_WAITING = int(setting("TOKENIZER_EXPLORER_MAX_WAITING", 200, least=1, most=100_000))
"""Trainings that may wait for their turn; more are refused."""
MAX_TRAININGS = int(setting("TOKENIZER_EXPLORER_MAX_TRAININGS", os.cpu_count() or 1, least=1, most=1_000))
"""Trainings that run at the same time; others wait for their turn."""
MAX_WORKER_BYTES = int(setting("TOKENIZER_EXPLORER_WORKER_GB", 4, least=0.5, most=1_000) * 2**30)
MAX_PAUSED = 16
"""Paused trainings with a worker; beyond that, the least recently viewed is stopped and keeps its merges."""
MAX_RUNS = int(setting("TOKENIZER_EXPLORER_MAX_RUNS", 20, least=1, most=100_000))
"""Runs kept per visitor if none is saved."""
MAX_KEPT_CHARACTERS = 512 * 2**20
"""Characters of all texts kept so that runs can be repeated."""
OFF = ("", "off", "0", "no", "false")
"""What turns a setting off."""
IS_PUBLIC = os.environ.get("TOKENIZER_EXPLORER_PUBLIC", "").strip().lower() not in OFF
"""Whether a browser on this machine is a visitor like any other."""
STATUS_SECRET = os.environ.get("TOKENIZER_EXPLORER_STATUS", "").strip()
"""What opens the status for whoever runs the app; nobody sees it without."""
SAVED_RUNS_FOLDER = os.environ.get("TOKENIZER_EXPLORER_LIBRARY")
"""Where tokenizers are kept; None for the user's data."""
SAVED_RUNS_ENTRIES = int(setting("TOKENIZER_EXPLORER_LIBRARY_ENTRIES", 100, least=1, most=100_000))
"""Tokenizers kept per visitor."""
SAVED_RUNS_BYTES = int(setting("TOKENIZER_EXPLORER_LIBRARY_MB", 200, least=1, most=1_000_000) * 2**20)
"""Bytes kept per visitor."""
SAVED_RUNS_DAYS = int(setting("TOKENIZER_EXPLORER_LIBRARY_DAYS", 30, least=1, most=400))
"""Days after the last visit until a visitor's cookie ends, and what was kept for them is deleted."""
UNSEEN_SECONDS = setting("TOKENIZER_EXPLORER_UNSEEN_HOURS", 2, least=0.001, most=24 * 400) * 3600.0
LEFT_ALONE_SECONDS = 60.0
"""A slow training unviewed for this long is paused if others wait."""
