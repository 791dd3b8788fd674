"""Tokenizers that the visitor opened from files or by name, or trained here, and how they are saved."""

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import file_digest
from pathlib import Path
from weakref import WeakValueDictionary

from pages.ui.frame import visitor
from pages.ui.i18n import t
from pages.ui.limits import MAX_OPENED_BYTES, MAX_OPENED_FILES
from pages.ui.run_registry.registry import registry
from pages.ui.session import Value, distinct
from tokenizer_core.analysis.entries import vocab_size_with_special
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.errors import SavedRunsError, TokenizerFileError
from tokenizer_core.interop.hugging_face import FILE, HuggingFaceTokenizer
from tokenizer_core.interop.limits import ENTRY_BYTES, foreseen_bytes
from tokenizer_core.interop.model_tables import KnownFile, known_files
from tokenizer_core.interop.opening import Opened, digest_of, open_tokenizer, read_files
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.saved_runs.entry import MAX_NAME, Entry
from tokenizer_core.saved_runs.folder import SavedRuns
from tokenizer_core.sources.families import family_of
from tokenizer_core.sources.model import ModelAtHand
from tokenizer_core.workers.guarded import GuardedTokenizer, open_guarded

REPAIRED = "yes"
MODEL_FILE = "sentencepiece.model"
TRAINED_HERE = {"yes": "SentencePiece", "WordPiece": "WordPiece"}
"""What is kept of a tokenizer that was trained here by another library, and its name."""
Trained = SentencePieceTokenizer | HuggingFaceTokenizer
"""A tokenizer that another library trains here."""


@dataclass(frozen=True)
class OpenedFile:
    """A tokenizer from a file or several, and what is needed to open it in another way."""

    name: str
    opened: Opened
    files: Mapping[str, bytes] = field(repr=False)
    """The files, if the format lets the visitor choose a split pattern; else empty."""
    pattern: str | None = None
    model: ModelAtHand | None = None
    """The model that it was opened from by its name."""
    is_trained_here: bool = False
    """Whether another library trained it here."""

    @property
    def key(self) -> str:
        """Its name among the choices: another one for other files, and for another pattern."""
        return f"file:{self.opened.digest}"


def open_file(files: Mapping[str, bytes], *, pattern: str | None = None, repair: bool = False) -> OpenedFile:
    """Open the tokenizer of a file, or of files that belong together; raise `TokenizerError`."""
    name = _name_of(list(files))
    opened = _opened(name, files, pattern, repair=repair)
    kept = dict(files) if opened.needs_pattern else {}
    return OpenedFile(name, opened, kept, pattern)


def open_model(model: ModelAtHand) -> OpenedFile:
    """Open a model at hand on every page; raise `TokenizerError`, or `OSError` if its files are gone."""
    files = read_files(model.files)
    opened = _opened(model.name, files, model.pattern)
    kept = files if opened.needs_pattern else {}
    return OpenedFile(title_of(model, opened.known), opened, kept, model.pattern, model)


def key_of_model(model: ModelAtHand) -> str:
    """Return the key that a model will have once it is open; raise `TokenizerError`, or `OSError`."""
    return f"file:{digest_of(read_files(model.files).values(), pattern=model.pattern)}"


def title_of(model: ModelAtHand, known: KnownFile | None) -> str:
    """Return what people call a model of this file."""
    family = family_of(model.name)
    name = family.title if family else known.name if known else model.name.rpartition("/")[2]
    return name[:80]


def borrowed_from(name: str) -> str:
    """Return what people call the model whose tokenizer a well-known model reads with; nothing for its own."""
    family = family_of(name)
    if family is None or family.borrows is None:
        return ""
    lender = family_of(family.borrows)
    return lender.title if lender else t(f"tokenizers.{family.borrows}")


@cache
def known_name(path: Path) -> str | None:
    """Return the models that are known to use a file; None for an unknown one."""
    with suppress(OSError), path.open("rb") as file:
        known = known_files().get(file_digest(file, "sha256").hexdigest())
        return known.name if known else None
    return None


REFERENCE_FILES = {f"tiktoken:{name}" for name in OPENAI_NAMES}
"""Models at hand that every page has without them."""
_SHARED: WeakValueDictionary[tuple[str, ...], Opened] = WeakValueDictionary()
"""The tokenizers that visitors have open: a class that opens the same file has it in memory once."""


def _opened(name: str, files: Mapping[str, bytes], pattern: str | None, *, repair: bool = False) -> Opened:
    digest = digest_of(files.values(), pattern=pattern, repair=repair)
    key = (digest, name, *files)
    opened = _SHARED.get(key)
    if opened is None:
        same = next((each for each in list(_SHARED.values()) if each.digest == digest), None)
        if same is None or isinstance(same.tokenizer, GuardedTokenizer):  # whose process ends with it
            _check_room(files)
            opened = open_guarded(name, files, pattern=pattern, repair=repair)
        else:
            opened = _under(name, files, same)
        _SHARED[key] = opened
    return opened


def _under(name: str, files: Iterable[str], opened: Opened) -> Opened:
    """Return a tokenizer under other names: its arrays are the same, and one visitor's names stay their own."""
    tokenizer = copy(opened.tokenizer)
    tokenizer.name = name
    return replace(opened, tokenizer=tokenizer, files=tuple(files))


def _check_room(files: Mapping[str, bytes]) -> None:
    """Refuse files for which too little memory is left; what nobody has open any more takes none."""
    needed = sum(map(foreseen_bytes, files.values()))
    sizes = {each.digest: each.tokenizer.vocab_size for each in list(_SHARED.values())}
    taken = ENTRY_BYTES * sum(sizes.values())
    if taken + needed > MAX_OPENED_BYTES:
        free = max(0, MAX_OPENED_BYTES - taken)
        raise TokenizerFileError("files_memory", needed=needed // 2**20, free=free // 2**20)


def _name_of(files: Sequence[str]) -> str:
    """Return what a tokenizer is called at first: the name of its first file, without what the name ends in."""
    return files[0].rpartition(".")[0][:80] or files[0][:80]


OPENED_FILES: Value[list[OpenedFile]] = Value("opened_files", list)


def keep_file(file: OpenedFile, instead_of: str = "") -> None:
    """Keep an opened tokenizer, in the place of another one if its key is given.

    Equal names are numbered. Raises `TokenizerFileError` if too many are open.
    """
    known = {each.key: each for each in OPENED_FILES.get()}
    taken = {key: each.name for key, each in known.items() if key not in (instead_of, file.key)}
    file = replace(file, name=distinct({**taken, file.key: file.name})[file.key])
    if file.key not in known and not instead_of and len(known) >= MAX_OPENED_FILES:
        raise TokenizerFileError("file_too_many_open", limit=MAX_OPENED_FILES)
    known[instead_of if instead_of in known else file.key] = file
    OPENED_FILES.put(list({each.key: each for each in known.values()}.values()))


def rename_file(key: str, name: str) -> str:
    """Give an opened tokenizer a name, here and where it is kept; without one it has that of its file again.

    Returns the name that it has now: equal names are numbered.
    """
    file = next((each for each in OPENED_FILES.get() if each.key == key), None)
    if file is None:
        return name
    first = title_of(file.model, file.opened.known) if file.model else _name_of(file.opened.files)
    keep_file(replace(file, name=name or first))
    saved_files().rename(file, name)
    return next(each.name for each in OPENED_FILES.get() if each.key == key)


def close_file(key: str) -> None:
    """Close an opened tokenizer."""
    OPENED_FILES.put([each for each in OPENED_FILES.get() if each.key != key])


# ---- saved files


@dataclass
class SavedFiles:
    """The saved tokenizers of one owner. A training can use it in its own thread, where there is no visitor."""

    saved: SavedRuns | None
    owner: str
    trouble: SavedRunsError | None = field(default=None, compare=False)
    """Why the last tokenizer could not be kept."""

    def entries(self) -> list[Entry]:
        """Return the opened files and what other libraries trained here, oldest first."""
        found = self.saved.entries(self.owner) if self.saved is not None else []
        return [entry for entry in found if isinstance(entry, Entry) and entry.run is None]

    def store(self, file: OpenedFile, files: Mapping[str, bytes], **options: str) -> None:
        """Keep an opened tokenizer as its files, and how they are to be read."""
        if self.saved is None:
            return
        names = {f"name{number}": name[:MAX_NAME] for number, name in enumerate(files)}
        tokenizer, now = file.opened.tokenizer, time.time()
        size, pattern = vocab_size_with_special(tokenizer), str(getattr(tokenizer, "pattern", ""))
        if file.pattern:
            options["pattern"] = file.pattern
        entry = Entry(_id(file), "", now, now, size, pattern, None, file.name, names | options)
        self.trouble = None
        try:
            self.saved.keep_files(self.owner, entry, list(files.values()))
        except SavedRunsError as error:  # it is open all the same
            self.trouble = error.bare()

    def store_instead(self, file: OpenedFile, files: Mapping[str, bytes], before: OpenedFile) -> None:
        """Keep a tokenizer in the place of the same files read in another way, under the visitor's name for it."""
        known = next((entry for entry in self.entries() if entry.id == _id(before)), None)
        self.store(file, files)
        if self.saved is None or known is None or self.trouble is not None or _id(file) == known.id:
            return
        try:
            if known.name:
                self.saved.rename(self.owner, _id(file), known.name)
            self.saved.delete(self.owner, known.id)
        except SavedRunsError as error:
            self.trouble = error.bare()

    def rename(self, file: OpenedFile, name: str) -> None:
        """Keep the visitor's name of an opened tokenizer, if it is kept."""
        if self.saved is not None and any(entry.id == _id(file) for entry in self.entries()):
            with suppress(SavedRunsError):  # it has its name here all the same
                self.saved.rename(self.owner, _id(file), name)

    def store_trained(self, tokenizer: Trained) -> None:
        """Keep a tokenizer of another library that was trained here."""
        file = trained_file(tokenizer)
        kind = "yes" if isinstance(tokenizer, SentencePieceTokenizer) else tokenizer.model
        self.store(file, {file.opened.files[0]: tokenizer.content}, trained=kind)


def trained_file(tokenizer: Trained) -> OpenedFile:
    """Return a tokenizer of another library that was trained here as one that is open on every page."""
    if isinstance(tokenizer, SentencePieceTokenizer):
        kind, file = f"SentencePiece {tokenizer.model_type}", MODEL_FILE
    else:
        kind, file = tokenizer.model, FILE
    # It was trained here: it needs no process of its own to be opened.
    name, opened = f"{kind} {vocab_size_with_special(tokenizer):,}", open_tokenizer(file, tokenizer.content)
    return OpenedFile(name, opened, {}, is_trained_here=True)


def saved_files() -> SavedFiles:
    """Return the visitor's own saved files."""
    return SavedFiles(registry().saved, visitor.owner())


def open_kept(entry: Entry) -> None:
    """Open a kept file on every page; raise `TokenizerError` if it cannot be read, or if too many are open."""
    saved = registry().saved
    if saved is None:
        return
    contents = saved.files_of(visitor.owner(), entry)
    files = {entry.options.get(f"name{number}", str(number)): each for number, each in enumerate(contents)}
    file = open_file(files, pattern=entry.options.get("pattern"), repair=entry.options.get("repair") == REPAIRED)
    keep_file(replace(file, name=file_title(entry), is_trained_here=trained_here_as(entry) is not None))


def is_open(entry: Entry) -> bool:
    """Tell whether a kept file is open in this session."""
    return any(each.opened.digest.startswith(entry.id) for each in OPENED_FILES.get())


def trained_here_as(entry: Entry) -> str | None:
    """Return what was trained here if a kept file holds it: "SentencePiece" or "WordPiece"."""
    return TRAINED_HERE.get(entry.options.get("trained", ""))


def file_title(entry: Entry) -> str:
    """Return the name of a kept file: the visitor's, or else that of the file."""
    return entry.name or entry.file_name


def _id(file: OpenedFile) -> str:
    return file.opened.digest[:32]
