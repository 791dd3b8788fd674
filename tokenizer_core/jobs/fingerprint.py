"""What decides the merges beside the settings: the corpus, by its fingerprint, and the versions of software."""

import hashlib
import platform
from collections.abc import Iterable

import numpy as np
import regex


def corpus_hash(texts: Iterable[str | bytes]) -> str:
    """Return the SHA-256, in hexadecimal, over each text's length in bytes and its UTF-8, which bytes are already.

    A length takes eight bytes, little-endian. The lengths distinguish ["ab", "c"] from ["a", "bc"].

    >>> corpus_hash(["ab", "c"])[:8], corpus_hash(["a", "bc"])[:8]
    ('43ee6555', '9a8acca1')
    """
    digest = hashlib.sha256()
    for text in texts:
        encoded = text if isinstance(text, bytes) else text.encode("utf-8", errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


def software_versions() -> dict[str, str]:
    """Return the versions of what decides the merges."""
    return {"python": platform.python_version(), "regex": regex.__version__, "numpy": np.__version__}
