"""Known differences that wait for whoever opens an exported file, each named where it applies."""

from typing import Any, NamedTuple


class Trap(NamedTuple):
    """One trap: a sentence for programmers, and the code and values to say the same in another language."""

    message: str
    code: str
    values: dict[str, Any]

    @classmethod
    def of(cls, message: str, code: str, **values: Any) -> "Trap":
        """Return a trap with its values by name."""
        return cls(message, code, values)


class Export(NamedTuple):
    """A tokenizer written in one format."""

    files: dict[str, bytes]
    """The content of each file, by its name."""
    snippet: str
    """Python code that opens the files; empty if no library does."""
    traps: tuple[Trap, ...] = ()
