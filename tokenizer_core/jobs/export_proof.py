"""Proof of an export: the files are opened in the other library, which must give the same ids for every text.

It happens in a separate process with a time limit, `python -m tokenizer_core.jobs.export_proof`, because another
library's regular expressions may take forever. Its events are progress and, at the end, outcome or failed.
"""

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenizer_core.errors import ExportError
from tokenizer_core.formats.exportable import exportable
from tokenizer_core.formats.reloading import Encode, Reloaded, newer_character, reload
from tokenizer_core.formats.traps import Export
from tokenizer_core.jobs.process import MEMORY_BYTES, Failure, failures_sent, receive, send, texts_in
from tokenizer_core.jobs.task import Order, Task
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.texts.hostile import hostile_texts, sampled_lines

MAX_LINES = 2_000
SECONDS = 60.0
"""The longest that a proof may take. One of a named pattern takes two to five seconds."""
PROGRESS_SECONDS = 0.1
SHOWN_IDS = 60
SHOWN_TEXT = 40
_EXPLAINING = ("lost_merges", "special_begins", "own_pattern")
"""Traps that explain a difference."""


@dataclass(frozen=True)
class Difference:
    """The first text for which the other library gives other ids."""

    text: str
    special_tokens_act: bool
    expected: Sequence[int]
    """At most 60 ids, from just before the first that differs."""
    found: Sequence[int]
    place: int
    """How many ids come before these."""
    why: str
    """Code of the known reason: "newer_character", or one of the export's traps; else "unknown"."""
    character: str = ""
    """For "newer_character": the character, as U+323B0."""


@dataclass(frozen=True)
class Proof:
    """What came of a proof; without a difference, all ids are the same."""

    library: str
    """Name and version of the other library; empty if this library read its own file."""
    lines: int
    hostile: int
    difference: Difference | None = None


class ExportProof(Task):
    """The handle on one proof, which writes `done` and `proof`."""

    died = Failure("proof_died", {}, "the process that proved the export ended unexpectedly")
    late = Failure(
        "proof_slow", {"seconds": round(SECONDS)}, f"the proof must end within {SECONDS:g} s; it was still at work"
    )

    def __init__(
        self,
        tokenizer: AnyTokenizer,
        to: str,
        export: Export,
        texts: Sequence[str] = (),
        *,
        turns: threading.Semaphore | None = None,
        memory_bytes: int | None = MEMORY_BYTES,
        seconds: float = SECONDS,
    ) -> None:
        super().__init__("export_proof", turns=turns, seconds=seconds)
        self.to = to
        self.done = self.all = 0
        """Texts compared so far, and all that are to be compared."""
        self.proof: Proof | None = None
        self._memory_bytes = memory_bytes
        self._traps = [trap.code for trap in export.traps]
        self._lines = 0
        self.start(lambda: self._order(tokenizer, export, tuple(texts)))

    def has_outcome(self) -> bool:
        """Whether the proof is there."""
        return self.proof is not None

    def take_in(self, event: str, values: dict[str, Any]) -> None:
        """Note progress or the outcome."""
        if event == "progress":
            self.done = values["texts"]
            return
        self.done = self.all
        found = values["difference"]
        difference = Difference(**found) if found else None
        self.proof = Proof(values["library"], self._lines, self.all - self._lines, difference)

    def _order(self, tokenizer: AnyTokenizer, export: Export, texts: Sequence[str]) -> Order:
        """Return the files and the texts, with the ids that this library gives for them."""
        special_tokens = tokenizer.special_tokens
        lines = sampled_lines(texts, MAX_LINES)
        compared = [*lines, *hostile_texts(special_tokens=special_tokens)]
        self._lines, self.all = len(lines), len(compared)
        ids = tokenizer.encode_each(compared)
        acting = [tokenizer.encode(text, allowed_special="all") for text in compared] if special_tokens else []
        description = {
            "memory_bytes": self._memory_bytes,
            "format": self.to,
            "files": list(export.files),
            "pattern": exportable(tokenizer).pattern,
            "special_tokens": special_tokens,
            "ids": ids.ids.tolist(),
            "counts": ids.counts.tolist(),
            "acting": acting,
            "traps": self._traps,
        }
        return description, [*(content.decode() for content in export.files.values()), *compared]


# ---- in the process


def main() -> None:
    """Read one proof from stdin and run it."""
    description = receive(sys.stdin.buffer)
    if description is None:
        return
    with failures_sent():
        texts = list(texts_in(sys.stdin.buffer, description))
        names = description["files"]
        files = {name: text.encode() for name, text in zip(names, texts)}
        library = reload(description["format"], files, description["pattern"], description["special_tokens"])
        found = _first_difference(library, texts[len(names) :], description)
        send("outcome", library=library.library, difference=found)


def _first_difference(
    library: Reloaded, texts: Sequence[str], description: dict[str, Any]
) -> dict[str, Any] | None:
    """Compare the ids of each text, with special tokens as ordinary text and as tokens that act."""
    end, told = 0, 0.0
    for n, (text, count) in enumerate(zip(texts, description["counts"])):
        if time.monotonic() > told + PROGRESS_SECONDS:
            told = time.monotonic()
            send("progress", texts=n)
        expected = description["ids"][end : end + count]
        end += count
        if (found := _encoded(library.encode, text, library)) != expected:
            return _difference(library, text, expected, found, description["traps"], acts=False)
        if description["acting"]:
            expected = description["acting"][n]
            if (found := _encoded(library.encode_acting, text, library)) != expected:
                return _difference(library, text, expected, found, description["traps"], acts=True)
    return None


def _encoded(encode: Encode, text: str, library: Reloaded) -> list[int]:
    """Return the ids that the library gives; raise `ExportError` if it gives up on the text."""
    try:
        return encode(text)
    except BaseException as error:  # a panic in Rust is no Exception
        why, excerpt = " ".join(str(error).split())[:200], text[:SHOWN_TEXT]
        raise ExportError(
            f"{library.library} must read every text; it gives up on {excerpt!r}: {why}",
            "library_gave_up",
            library=library.library,
            why=why,
            excerpt=excerpt,
        ) from None


def _difference(
    library: Reloaded, text: str, expected: list[int], found: list[int], traps: Sequence[str], *, acts: bool
) -> dict[str, Any]:
    """Describe a difference, and find its reason among the known ones."""
    same = next(
        (n for n, (one, other) in enumerate(zip(expected, found)) if one != other), min(len(expected), len(found))
    )
    place = max(0, same - 1)
    character = newer_character(text, library)
    known = next((trap for trap in _EXPLAINING if trap in traps), "unknown")
    return {
        "text": text,
        "special_tokens_act": acts,
        "expected": expected[place : place + SHOWN_IDS],
        "found": found[place : place + SHOWN_IDS],
        "place": place,
        "why": "newer_character" if character else known,
        "character": character or "",
    }


if __name__ == "__main__":
    main()
