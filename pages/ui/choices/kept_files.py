"""What the library keeps besides runs: files that the visitor opened, and SentencePiece models trained here."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pages.ui.choices.keys import OPENED_FILES, keep_file
from pages.ui.choices.opened_files import OpenedFile, open_file
from pages.ui.shell import visitor
from pages.ui.trainings.registry import registry
from tokenizer_core.errors import LibraryError
from tokenizer_core.formats.opening import open_tokenizer
from tokenizer_core.formats.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.jobs.entry import MAX_NAME, Entry
from tokenizer_core.jobs.library import Library
from tokenizer_core.measures.ratios import token_total

REPAIRED = TRAINED_HERE = "yes"
MODEL_FILE = "sentencepiece.model"


@dataclass
class Shelf:
    """The library of one owner. A training can use it in its own thread, where there is no visitor."""

    library: Library | None
    owner: str
    trouble: LibraryError | None = field(default=None, compare=False)
    """Why the last tokenizer could not be kept."""

    @classmethod
    def of_visitor(cls) -> "Shelf":
        """Return the visitor's own."""
        return cls(registry().library, visitor.owner())

    def entries(self) -> list[Entry]:
        """What is kept besides runs, oldest first."""
        found = self.library.entries(self.owner) if self.library is not None else []
        return [entry for entry in found if isinstance(entry, Entry) and entry.run is None]

    def store(self, file: OpenedFile, files: Mapping[str, bytes], **options: str) -> None:
        """Keep an opened tokenizer as its files, and how they are to be read."""
        if self.library is None:
            return
        names = {f"name{number}": name[:MAX_NAME] for number, name in enumerate(files)}
        tokenizer, now = file.opened.tokenizer, time.time()
        pattern = str(getattr(tokenizer, "pattern", ""))
        chosen = {"pattern": file.pattern} if file.pattern else {}
        entry = Entry(
            _id(file),
            "",
            now,
            now,
            token_total(tokenizer),
            pattern,
            file_name=file.name,
            options=names | options | chosen,
        )
        self.trouble = None
        try:
            self.library.keep_files(self.owner, entry, list(files.values()))
        except LibraryError as error:  # it is open all the same
            self.trouble = error.bare()

    def store_instead(self, file: OpenedFile, files: Mapping[str, bytes], before: OpenedFile) -> None:
        """Keep a tokenizer in the place of the same files read in another way, under the visitor's name for it."""
        known = next((entry for entry in self.entries() if entry.id == _id(before)), None)
        self.store(file, files)
        if self.library is None or known is None or self.trouble is not None or _id(file) == known.id:
            return
        try:
            if known.name:
                self.library.rename(self.owner, _id(file), known.name)
            self.library.delete(self.owner, known.id)
        except LibraryError as error:
            self.trouble = error.bare()

    def store_trained(self, tokenizer: SentencePieceTokenizer) -> None:
        """Keep a SentencePiece model that was trained here."""
        self.store(trained_file(tokenizer), {MODEL_FILE: tokenizer.content}, trained=TRAINED_HERE)


def trained_file(tokenizer: SentencePieceTokenizer) -> OpenedFile:
    """Return a SentencePiece model that was trained here as a tokenizer that is open on every page."""
    name = f"SentencePiece {tokenizer.model_type} {tokenizer.vocab_size:,}"
    # It was trained here: it needs no process of its own to be opened.
    return OpenedFile(name, open_tokenizer(MODEL_FILE, tokenizer.content), {})


def kept_files() -> list[Entry]:
    """Return the files that the visitor opened, and the SentencePiece models trained here, oldest first."""
    return Shelf.of_visitor().entries()


def open_kept(entry: Entry) -> None:
    """Open a kept file on every page; raise `TokenizerError` if it cannot be read, or if too many are open."""
    library = registry().library
    if library is None:
        return
    contents = library.files_of(visitor.owner(), entry)
    files = {entry.options.get(f"name{number}", str(number)): each for number, each in enumerate(contents)}
    file = open_file(files, pattern=entry.options.get("pattern"), repair=entry.options.get("repair") == REPAIRED)
    keep_file(replace(file, name=file_title(entry)))


def is_open(entry: Entry) -> bool:
    """Tell whether a kept file is open in this session."""
    return any(each.opened.digest.startswith(entry.id) for each in OPENED_FILES.get())


def was_trained_here(entry: Entry) -> bool:
    """Tell whether a kept file is a SentencePiece model that was trained here."""
    return entry.options.get("trained") == TRAINED_HERE


def file_title(entry: Entry) -> str:
    """Return the name of a kept file: the visitor's, or else that of the file."""
    return entry.name or entry.file_name


def _id(file: OpenedFile) -> str:
    return file.opened.digest[:32]
