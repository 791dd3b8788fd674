"""Proof of an export: the files are opened in the other library, which must give the same ids for every text.

This happens in a child, `python -m tokenizer_core.workers.export_proof`, with a time limit: another library's
regular expressions may take forever. Its events are progress, and at the end outcome or failed.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.errors import ExportError
from tokenizer_core.interop.exportable import Export, exportable
from tokenizer_core.interop.hostile_texts import hostile_texts
from tokenizer_core.interop.verifying import Encode, Reloaded, newer_character, reload, sampled_lines
from tokenizer_core.workers.child import MEMORY_BYTES, Order, Task, run, send, texts_of

MAX_LINES = 2_000
SECONDS = 60.0
"""The longest that a proof may take. One of a named pattern takes two to five seconds."""
PROGRESS_SECONDS = 0.1
SHOWN_IDS = 60
SHOWN_TEXT = 40
_EXPLAINING = ("lost_merges", "special_begins", "own_pattern")
"""Warnings that explain a difference."""


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
    """Code of the known reason: "newer_character", or one of the export's warnings; else "unknown"."""
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
    """One proof, which writes `done` and `proof`."""

    module = "export_proof"
    died = ExportError("proof_died")
    late = ExportError("proof_slow", seconds=round(SECONDS))

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
        super().__init__(turns=turns, seconds=seconds)
        self.to = to
        self.done = self.all = 0
        """Texts compared so far, and all that are to be compared."""
        self.proof: Proof | None = None
        self._lines = 0
        self._memory_bytes = memory_bytes
        self.start(lambda: self._order(tokenizer, export, tuple(texts)))

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
            "warnings": [warning.code for warning in export.warnings],
        }
        return description, [*export.files.values(), *compared]

    def take_in(self, event: dict[str, Any]) -> bool:
        """Note progress or the outcome."""
        if event["event"] == "progress":
            self.done = event["texts"]
            return False
        self.done, found = self.all, event["difference"]
        difference = Difference(**found) if found else None
        self.proof = Proof(event["library"], self._lines, self.all - self._lines, difference)
        return True


# ---- within the child


def prove(description: dict[str, Any], contents: list[bytes]) -> None:
    """Open the files in the other library, and compare its ids."""
    names = description["files"]
    files, texts = dict(zip(names, contents)), list(texts_of(contents[len(names) :]))
    library = reload(description["format"], files, description["pattern"], description["special_tokens"])
    send("outcome", library=library.library, difference=_first_difference(library, texts, description))


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
            return _difference(library, text, expected, found, description["warnings"], acts=False)
        if description["acting"]:
            expected = description["acting"][n]
            if (found := _encoded(library.encode_acting, text, library)) != expected:
                return _difference(library, text, expected, found, description["warnings"], acts=True)
    return None


def _encoded(encode: Encode, text: str, library: Reloaded) -> list[int]:
    """Return the ids that the library gives; raise `ExportError` if it gives up on the text."""
    try:
        return encode(text)
    except BaseException as error:  # a panic in Rust is no Exception
        why, excerpt = " ".join(str(error).split())[:200], text[:SHOWN_TEXT]
        raise ExportError("library_gave_up", library=library.library, why=why, excerpt=excerpt) from None


def _difference(
    library: Reloaded, text: str, expected: list[int], found: list[int], warnings: Sequence[str], *, acts: bool
) -> dict[str, Any]:
    """Describe a difference, and find its reason among the known ones."""
    same = next(
        (n for n, (one, other) in enumerate(zip(expected, found)) if one != other), min(len(expected), len(found))
    )
    place = max(0, same - 1)
    character = newer_character(text, library)
    known = next((code for code in _EXPLAINING if code in warnings), "unknown")
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
    run(prove)
