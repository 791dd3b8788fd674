"""What the exports keep in the session."""

from dataclasses import dataclass

from pages.ui.session import Value
from tokenizer_core.errors import TokenizerError
from tokenizer_core.formats.traps import Export
from tokenizer_core.jobs.export_proof import ExportProof

PASSING = ("proof_no_room", "proof_died", "worker_not_started", "out_of_memory")
"""Why a proof may fail at one time and not at another."""


@dataclass(frozen=True)
class Taken:
    """A tokenizer in one format: its files and their proof, or why the format cannot hold it."""

    export: Export | None
    proof: ExportProof | None = None
    """None for a table, which no library loads."""
    refusal: TokenizerError | None = None

    @property
    def is_pending(self) -> bool:
        """Whether it is still being proven."""
        return self.proof is not None and not self.proof.ended

    @property
    def can_be_repeated(self) -> bool:
        """Whether the proof was stopped, or failed for a reason that may pass."""
        failure = self.proof.failure if self.proof else None
        return self.proof is not None and (self.proof.stopped or (failure is not None and failure.code in PASSING))


TAKEN: Value[dict[tuple[str, str], Taken]] = Value("exports", dict)
"""By the tokenizer's key and the format."""
WANTED: Value[set[tuple[str, str]]] = Value("exports_wanted", set)
"""What was asked for and is not yet taken, by the tokenizer's key and the format."""
