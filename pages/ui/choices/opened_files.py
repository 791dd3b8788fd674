"""Tokenizers that the visitor opened from files, several for each session, beside the visitor's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tokenizer_core.formats.opening import NEEDS_PATTERN, Opened
from tokenizer_core.jobs.guarded import open_guarded


@dataclass(frozen=True)
class OpenedFile:
    """A tokenizer from a file or several, and what is needed to open it in another way."""

    name: str
    opened: Opened
    files: Mapping[str, bytes] = field(repr=False)
    """The files, if the format lets the visitor choose a split pattern; else empty."""
    pattern: str | None = None

    @property
    def key(self) -> str:
        """Its name among the choices: another one for other files, and for another pattern."""
        return f"file:{self.opened.digest}"


def open_file(files: Mapping[str, bytes], *, pattern: str | None = None, repair: bool = False) -> OpenedFile:
    """Open the tokenizer of a file, or of files that belong together; raise `TokenizerError`."""
    (first, *_) = files
    name = first.rpartition(".")[0][:80] or first[:80]
    opened = open_guarded(name, files, pattern=pattern, repair=repair)
    kept = dict(files) if opened.format in NEEDS_PATTERN else {}
    return OpenedFile(name, opened, kept, pattern)
