"""The figures of a split pattern on a whole corpus, computed in a child so that nobody else waits.

The child is `python -m tokenizer_core.workers.pattern_check`. Its events are progress, and at the end figures, or
failed.
"""

import threading
import time
from collections.abc import Sequence
from typing import Any

from tokenizer_core.analysis.pattern_figures import PatternFigures, PatternTally
from tokenizer_core.analysis.segmenters import newmm
from tokenizer_core.errors import PatternError
from tokenizer_core.workers.child import MEMORY_BYTES, Task, run, send, texts_of

PROGRESS_SECONDS = 0.1
LONGEST_SHOWN = 200
"""Characters of the longest pretoken that are sent back; without splitting, it is the whole corpus."""


class PatternCheck(Task):
    """One check, which writes `done` and `figures`."""

    module = "pattern_check"
    died = PatternError("check_died")

    def __init__(
        self,
        texts: Sequence[str],
        pattern: str,
        *,
        turns: threading.Semaphore | None = None,
        memory_bytes: int | None = MEMORY_BYTES,
    ) -> None:
        super().__init__(turns=turns)
        self.characters = sum(map(len, texts))
        self.done = 0
        """Characters cut so far."""
        self.searched: int | None = None
        """Characters searched for words so far, which takes longest; None without a segmenter."""
        self.figures: PatternFigures | None = None
        self.longest = 0
        """Characters of the longest pretoken; `figures` has only its beginning."""
        order = {"pattern": pattern, "memory_bytes": memory_bytes}, tuple(texts)
        self.start(lambda: order)

    def take_in(self, event: dict[str, Any]) -> bool:
        """Note progress or figures."""
        if event["event"] == "progress":
            self.done, self.searched = event["characters"], event["searched"]
            return False
        self.done, self.longest = self.characters, event["longest_characters"]
        self.figures = PatternFigures(**event["figures"])
        return True


def check(description: dict[str, Any], texts: list[bytes]) -> None:
    """Tally the texts, and send the figures."""
    tally = PatternTally(description["pattern"], newmm())
    told = 0.0
    for text in texts_of(texts):
        for _ in tally.add(text):
            if time.monotonic() > told + PROGRESS_SECONDS:
                told = time.monotonic()
                searched = tally.searched if tally.segmenter else None
                send("progress", characters=tally.characters, searched=searched)
    found = tally.figures()
    shown = found._replace(longest=found.longest[:LONGEST_SHOWN])._asdict()
    send("figures", figures=shown, longest_characters=len(found.longest))


if __name__ == "__main__":
    run(check)
