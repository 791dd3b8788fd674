"""A tokenizer by its name: a path of this machine, a model at hand, or a model of the Hugging Face Hub.

>>> [named(name) for name in ("Qwen/Qwen3-8B@1a2b", "hub:Qwen/Qwen3-8B")]
[('Qwen/Qwen3-8B', '1a2b'), ('Qwen/Qwen3-8B', None)]
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path

from tokenizer_core.errors import SourceError
from tokenizer_core.interop.opening import Opened, read_files
from tokenizer_core.sources.at_hand import find_models
from tokenizer_core.sources.hub import PREFIX, cached, fetch, is_hub_name
from tokenizer_core.sources.model import ModelAtHand, model_in
from tokenizer_core.workers.guarded import open_guarded

_SUFFIXES = {".json", ".model", ".tiktoken", ".gguf", ".bpe", ".txt", ".vocab"}
"""How files of tokenizers end."""


def open_model(
    name: str,
    *,
    pattern: str | None = None,
    public: bool = False,
    token: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Opened:
    """Open a tokenizer by its name, as `model_named` finds it; raises `TokenizerError`."""
    return open_at_hand(model_named(name, public=public, token=token, progress=progress), pattern=pattern)


def open_at_hand(model: ModelAtHand, *, pattern: str | None = None) -> Opened:
    """Open the tokenizer of a model at hand; raises `TokenizerError`, or `OSError` if its files are gone."""
    is_file = model.kind == "file" and not Path(model.name).is_dir()
    name = model.files[0].stem if is_file else model.name
    return open_guarded(name, read_files(model.files), pattern=pattern or model.pattern)


def model_named(
    name: str,
    *,
    public: bool = False,
    token: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ModelAtHand:
    """Return the model of this name: a path first, then what is at hand, then the Hub, which is asked only last.

    A path is a file, two files joined by +, or a folder; a public server opens none. A name of the Hub may end in
    @ and a version. Raises `SourceError`, or `OSError` for a file that is not there.
    """
    if not public and (model := model_at(name)):
        return model
    wanted, revision = named(name)
    if "/" not in wanted or ":" in wanted:
        if model := next((each for each in find_models(public=public) if each.name == wanted), None):
            return model
        if public or not _is_file_name(name):
            raise SourceError("model_unknown", name=name)
    if not public and _is_file_name(name):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return fetch(wanted, revision=revision, token=token, progress=progress)


def model_at(name: str) -> ModelAtHand | None:
    """Return the model at a path; None if nothing is there. A folder without a tokenizer is refused."""
    whole = Path(name)
    if whole.is_dir():
        if model := model_in(whole, name, "file"):
            return model
        raise SourceError("hub_no_tokenizer", name=name)
    paths = [whole] if whole.exists() else list(map(Path, name.split("+")))
    return ModelAtHand(name, "file", tuple(paths)) if all(path.exists() for path in paths) else None


def is_ambiguous(name: str) -> bool:
    """Tell whether a path has the name of a model in the Hub's cache."""
    return Path(name).exists() and is_hub_name(name) and cached(name) is not None


def _is_file_name(name: str) -> bool:
    """Tell whether a name means files, which are not there, and is not to be asked for on the Hub."""
    return any(Path(part).suffix.lower() in _SUFFIXES for part in name.split("+"))


def named(name: str) -> tuple[str, str | None]:
    """Return the name of a model without what says that it is of the Hub, and its version."""
    wanted, _, revision = name.removeprefix(PREFIX).partition("@")
    return wanted, revision or None
