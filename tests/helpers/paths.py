"""Where things are."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


THAI_CORPUS = Path(os.environ.get("THAI_CORPUS", REPOSITORY.parent / "shared" / "corpora" / "thai_wiki_small.txt"))
