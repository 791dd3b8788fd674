"""A model at hand: which of its files hold the tokenizer, how large they are, and under which licence they are."""

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

Kind = Literal["hub", "package", "tiktoken", "ollama", "lm_studio", "llama_cpp", "file"]
"""Where a model comes from; "file" for a path on this machine."""
CHAT_FILES = ("chat_template.jinja", "tokenizer_config.json")
CARD = "README.md"
"""The file in which a model of the Hub names its licence."""
_ORDER = (
    ("tokenizer.json",),
    ("tekken.json",),
    ("tokenizer.model",),
    ("*.tiktoken",),
    ("vocab.json", "merges.txt"),
)
"""Files that hold a tokenizer, the most complete kind first. Only its content tells what a tokenizer.model is."""
_CARD_BYTES = 4_096
_LICENCE = re.compile(r"^license(?:_name)?:[ \t]*[\"']?([\w.+-]+)", re.MULTILINE)


@dataclass(frozen=True)
class ModelAtHand:
    """A model whose tokenizer is on this machine; `open_model` opens it by its name."""

    name: str
    kind: Kind
    files: tuple[Path, ...]
    """The files that hold its tokenizer."""
    licence: str | None = None
    """As its card, its package or its files name it. A package's licence is not that of the vocabulary in it."""
    version: str = ""
    """The commit of a model of the Hub, or the version of a package."""
    pattern: str | None = None
    """The split pattern, if the kind of the file is known and the file does not hold one."""
    chat_files: tuple[Path, ...] = ()

    @property
    def place(self) -> Path:
        """Its file, or the folder of its files."""
        return self.files[0] if len(self.files) == 1 else self.files[0].parent

    @property
    def size(self) -> int:
        """The bytes of its files; 0 if they are gone."""
        with suppress(OSError):
            return sum(file.stat().st_size for file in self.files)
        return 0

    @property
    def origin(self) -> str:
        """The page of the model on the Hub, or its place on this machine."""
        return f"https://huggingface.co/{self.name}/tree/{self.version}" if self.kind == "hub" else str(self.place)


def tokenizer_files(names: Iterable[str]) -> tuple[str, ...]:
    """Return which of a model's files hold its tokenizer; none if no kind is complete.

    >>> tokenizer_files(["README.md", "merges.txt", "qwen.tiktoken", "vocab.json"])
    ('qwen.tiktoken',)
    """
    listed = sorted(names)
    for kind in _ORDER:
        found = [next((name for name in listed if fnmatchcase(name, each)), None) for each in kind]
        complete = tuple(name for name in found if name is not None and "/" not in name)
        if len(complete) == len(kind):
            return complete
    return ()


def model_in(folder: Path, name: str, kind: Kind, version: str = "") -> ModelAtHand | None:
    """Return the model in a folder; None if no tokenizer is there, or the folder cannot be read."""
    try:
        names = {path.name for path in folder.iterdir() if path.is_file()}
    except OSError:
        return None
    files = tuple(folder / each for each in tokenizer_files(names))
    chat_files = tuple(folder / each for each in CHAT_FILES if each in names)
    licence = card_licence(folder / CARD) if CARD in names else None
    return ModelAtHand(name, kind, files, licence, version, chat_files=chat_files) if files else None


def card_licence(card: Path) -> str | None:
    """Return the licence that a model card names: its own name if it is of no common kind."""
    try:
        with card.open("rb") as file:
            start = file.read(_CARD_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    named: Collection[str] = _LICENCE.findall(start.split("\n---")[0]) if start.startswith("---") else ()
    return next((each for each in reversed([*named]) if each != "other"), None)
