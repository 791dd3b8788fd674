"""The figures of a split pattern on a whole corpus, computed in a separate process so that nobody else waits.

The process is `python -m tokenizer_core.jobs.pattern_check`. Its events are progress and, at the end, figures or
failed.
"""

import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from tokenizer_core.jobs.process import (
    MEMORY_BYTES,
    Failure,
    failures_sent,
    receive,
    send,
    texts_in,
)
from tokenizer_core.jobs.task import Task
from tokenizer_core.measures.pattern_figures import PatternFigures, PatternTally
from tokenizer_core.measures.segmenters import newmm

PROGRESS_SECONDS = 0.1
LONGEST_SHOWN = 200
"""Characters of the longest pretoken that are sent back; without splitting, it is the whole corpus."""


class PatternCheck(Task):
    """The handle on one check, which writes `done` and `figures`."""

    died = Failure("check_died", {}, "the process that checked the pattern ended unexpectedly")

    def __init__(
        self,
        texts: Sequence[str],
        pattern: str,
        *,
        turns: threading.Semaphore | None = None,
        memory_bytes: int | None = MEMORY_BYTES,
    ) -> None:
        super().__init__("pattern_check", turns=turns)
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

    def has_outcome(self) -> bool:
        """Whether the figures are there."""
        return self.figures is not None

    def take_in(self, event: str, values: dict[str, Any]) -> None:
        """Note progress or figures."""
        if event == "progress":
            self.done, self.searched = values["characters"], values["searched"]
        else:
            self.done = self.characters
            self.longest = values.pop("longest_characters")
            self.figures = PatternFigures(**values)


def main() -> None:
    """Read one check from stdin and run it."""
    description = receive(sys.stdin.buffer)
    if description is None:
        return
    with failures_sent():
        tally = PatternTally(description["pattern"], newmm())
        told = 0.0
        for text in texts_in(sys.stdin.buffer, description):
            for _ in tally.add(text):
                if time.monotonic() > told + PROGRESS_SECONDS:
                    told = time.monotonic()
                    searched = tally.searched if tally.segmenter else None
                    send("progress", characters=tally.characters, searched=searched)
        found = tally.figures()
        shown = found._replace(longest=found.longest[:LONGEST_SHOWN])._asdict()
        send("figures", **shown, longest_characters=len(found.longest))


if __name__ == "__main__":
    main()
