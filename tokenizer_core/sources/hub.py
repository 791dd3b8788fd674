"""Models of the Hugging Face Hub by their names: from its cache on this machine, else fetched, if somebody asks.

Only `huggingface_hub` talks to the Hub, in a child that can be stopped: `python -m tokenizer_core.sources.hub`.
Its events are progress and fetched, or failed. Code of a model is never run, and the Hub's address is that of the
environment (`HF_ENDPOINT`). Files are kept where the Hub's own cache is, pinned to a commit.
"""

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from tokenizer_core.errors import SourceError
from tokenizer_core.interop.limits import MAX_FILE_BYTES
from tokenizer_core.sources.model import CARD, CHAT_FILES, ModelAtHand, model_in, tokenizer_files
from tokenizer_core.workers.child import Task, run, send

SWITCH = "TOKENIZER_EXPLORER_HUB"
"""Set to off, this variable lets nobody fetch models; those in the cache still open."""
PREFIX = "hub:"
"""Stands before a name that means the Hub, even if there is a path of this name."""
ENDPOINT = "https://huggingface.co"
SECONDS = 900.0
"""The longest a fetch may take."""
STALL_SECONDS = 30.0
"""How long a fetch may go without a byte."""
FETCHES_AT_ONCE = 4
RESTARTS = 3
"""How often a file may begin anew after its connection broke off."""
MEMORY_BYTES = 2**30
MAX_SIDE_BYTES = 2**20
"""A larger chat template or card is left out: nothing depends on it."""
_TIMEOUT = 10.0
_BLOCK_BYTES = 2**18
_PROGRESS_SECONDS = 0.1
_LEFT_BEHIND_SECONDS = 3_600.0
_OFF = ("off", "0", "no", "false")
_NAME = re.compile(r"(?!.*(?:\.\.|--))[A-Za-z0-9][\w.-]*/(?=.{1,96}$)[A-Za-z0-9_][\w.-]*(?<![.-])", re.ASCII)
_REVISION = re.compile(r"(?!.*\.\.)\w[\w./-]{0,199}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_turns = threading.Semaphore(FETCHES_AT_ONCE)


# ---- names and the cache


def is_hub_name(name: str) -> bool:
    """Tell whether a name has the form of one of the Hub.

    >>> [is_hub_name(name) for name in ("Qwen/Qwen3-8B", "../x", "a/../b", "a/b/c", "gpt2", "a--b/c")]
    [True, False, False, False, False, False]
    """
    return _NAME.fullmatch(name) is not None


def is_on() -> bool:
    """Tell whether models may be fetched here."""
    return os.environ.get(SWITCH, "on").strip().lower() not in _OFF


def endpoint() -> str:
    """Return the address of the Hub, which only the environment can change."""
    return (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")


def host() -> str:
    """Return the machine that a fetch asks."""
    return urlsplit(endpoint()).netloc


def cache_folder() -> Path:
    """Return the folder in which `huggingface_hub` keeps files, without importing it."""
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{caches}/huggingface"
    found = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or f"{home}/hub"
    return Path(os.path.expandvars(found)).expanduser()


def cached(name: str, revision: str | None = None) -> ModelAtHand | None:
    """Return a model from the Hub's cache, without asking anybody; None if its tokenizer is not there.

    Raises `SourceError` if the name cannot be one of the Hub.
    """
    check_name(name, revision)
    folder = _folder(name)
    snapshots = folder / "snapshots"
    commits = [revision] if revision and _COMMIT.fullmatch(revision) else []
    with suppress(OSError, ValueError):
        commits = commits or [(folder / "refs" / (revision or "main")).read_text("ascii").strip()]
    if revision is None:  # files that are pinned to a commit come without the name of a branch
        with suppress(OSError):
            newest_first = sorted(snapshots.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
            commits += [each.name for each in newest_first[:20]]
    found = (model_in(snapshots / each, name, "hub", each) for each in commits if _COMMIT.fullmatch(each))
    return next((model for model in found if model), None)


def _folder(name: str) -> Path:
    return cache_folder() / f"models--{name.replace('/', '--')}"


def check_name(name: str, revision: str | None = None) -> None:
    """Refuse what cannot be the name of a model or of its version."""
    if not is_hub_name(name):
        raise SourceError("hub_name", name=name[:200])
    if revision is not None and not _REVISION.fullmatch(revision):
        raise SourceError("hub_revision", name=name, revision=revision[:200])


# ---- from the app's side


def fetch(
    name: str,
    *,
    revision: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    token: bool = False,
) -> ModelAtHand:
    """Return a model of the Hub, from the cache if it is there; else fetch it, and report bytes to `progress`.

    `token` lets it use the Hub's token of this machine's user, for models whose licence they have accepted: never
    on a public server. Raises `SourceError`.
    """
    if model := cached(name, revision):
        return model
    fetching = HubFetch(name, revision=revision, token=token)
    try:
        while not fetching.ended:
            fetching.wait(_PROGRESS_SECONDS)
            progress(fetching.done, fetching.total)
    finally:
        fetching.stop()  # also when the user presses Ctrl+C
    if fetching.model is None:
        raise fetching.failure or SourceError("hub_died")
    return fetching.model


class HubFetch(Task):
    """The download of one model's tokenizer, which writes `done`, `total` and `model`.

    Several for the same model wait for one another file by file, so that each file is fetched once.
    """

    module = "tokenizer_core.sources.hub"
    died = SourceError("hub_died")

    def __init__(
        self,
        name: str,
        *,
        revision: str | None = None,
        token: bool = False,
        turns: threading.Semaphore | None = _turns,
        seconds: float = SECONDS,
        stall_seconds: float = STALL_SECONDS,
    ) -> None:
        check_name(name, revision)
        if not is_on():
            raise SourceError("hub_off", name=name)
        super().__init__(turns=turns, seconds=seconds)
        self.late = SourceError("hub_slow", host=host())
        self.done = self.total = 0
        """Bytes fetched so far, and in all."""
        self.model: ModelAtHand | None = None
        self._name = name
        order = {"name": name, "revision": revision, "token": token, "stall_seconds": stall_seconds}
        self.start(lambda: ({**order, "memory_bytes": MEMORY_BYTES}, ()))

    def take_in(self, event: dict[str, Any]) -> bool:
        """Note progress or the model."""
        if event["event"] == "progress":
            self.done, self.total = event["done"], event["total"]
            return False
        self.model = cached(self._name, event["commit"])
        return True


# ---- within the child

_FAULTS = {
    "GatedRepoError": "hub_gated",
    "RevisionNotFoundError": "hub_revision",
    "RepositoryNotFoundError": "hub_missing",
    "DisabledRepoError": "hub_missing",
    "HFValidationError": "hub_name",
    "OfflineModeIsEnabled": "hub_off",
    "TimeoutException": "hub_slow",
    "Timeout": "hub_slow",
    "RemoteProtocolError": "hub_broken_off",
    "ReadError": "hub_broken_off",
    "NetworkError": "hub_offline",
    "ConnectionError": "hub_offline",
    "ProxyError": "hub_offline",
    "FileMetadataError": "hub_answer",
    "JSONDecodeError": "hub_answer",
}
"""Classes of errors by name, the most special first: the library's versions take them from different packages."""
_STATUSES = {401: "hub_gated", 403: "hub_gated", 429: "hub_busy"}


class _Fault(Exception):
    """A fault that was found here, by the code of its error."""


class Progress:
    """Counts the bytes of the files as they come, and reports them."""

    def __init__(self) -> None:
        self.done = self.total = self._most = self._restarts = 0
        self.moved = self._told = time.monotonic()

    def begin(self, size: int) -> None:
        """Expect a file of this size next."""
        self._most, self._restarts = self.done + size, 0

    def end(self) -> None:
        """Count the file as complete, also if it was there already."""
        self.update(self._most - self.done)

    def update(self, more: float | None = 1) -> None:
        """Note bytes, or a restart if there are fewer; the library tells its bars so."""
        self.done += int(more or 0)
        self._restarts += (more or 0) < 0
        if self._restarts == RESTARTS:  # the library would try for ever
            raise _Fault("hub_broken_off")
        if self.done > self._most:
            raise _Fault("hub_hash")
        self.moved = time.monotonic()
        if self.moved > self._told + _PROGRESS_SECONDS or self.done == self.total:
            self._told = self.moved
            send("progress", done=self.done, total=self.total)


def fetch_in_child(order: dict[str, Any], contents: list[bytes]) -> None:
    """Fetch the files of one model, and send its commit."""
    # Plain HTTP alone: it needs no second cache, and no second way to fail. No word about who is asking.
    os.environ.update(HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1")
    progress = Progress()
    threading.Thread(target=_end_if_stalled, args=(progress, order["stall_seconds"]), daemon=True).start()
    token = None if order["token"] else False
    send("fetched", commit=fetch_files(order["name"], order["revision"], token, progress))


def _end_if_stalled(progress: Progress, seconds: float) -> None:
    """End this process with a failure once nothing has come for this many seconds."""
    while time.monotonic() < progress.moved + seconds:
        time.sleep(min(0.2, seconds / 4))
    send("failed", code="hub_slow", values={"host": host()})
    os._exit(0)


def fetch_files(name: str, revision: str | None, token: bool | None, progress: Progress) -> str:
    """Fetch the files of a model's tokenizer into the cache, and return their commit; raise `SourceError`."""
    values = {"name": name, "revision": revision or "main", "host": host(), "address": f"{endpoint()}/{name}"}
    try:
        return _fetch(name, revision, token, progress)
    except SourceError:
        raise
    except Exception as error:
        code, status = _reason(error)
        if code is None:
            raise
        why = " ".join(str(error).split())[:200]
        raise SourceError(code, **values, status=str(status), why=why) from None


def _fetch(name: str, revision: str | None, token: bool | None, progress: Progress) -> str:
    from huggingface_hub import HfApi, constants  # takes half a second

    constants.DOWNLOAD_CHUNK_SIZE = _BLOCK_BYTES  # else progress comes every 10 MB
    api = HfApi(endpoint=endpoint(), token=token)
    model = api.model_info(name, revision=revision, timeout=_TIMEOUT, files_metadata=True)
    files = {file.rfilename: file for file in model.siblings or ()}
    if not _COMMIT.fullmatch(commit := model.sha or ""):
        raise _Fault("hub_answer")
    if not (wanted := tokenizer_files(files)):
        raise _Fault("hub_no_tokenizer")
    sizes = {file: files[file].size or 0 for file in (*wanted, *CHAT_FILES, CARD) if file in files}
    for file in wanted:
        if sizes[file] > MAX_FILE_BYTES:
            limit = MAX_FILE_BYTES // 2**20
            raise SourceError("hub_large", name=name, file=file, megabytes=sizes[file] // 2**20, limit=limit)
    sizes = {file: size for file, size in sizes.items() if file in wanted or size <= MAX_SIDE_BYTES}
    progress.total = sum(sizes.values())
    bar = cast(Any, lambda **given: nullcontext(progress))
    _sweep(_folder(name) / "blobs")
    for file, size in sizes.items():
        progress.begin(size)
        path = api.hf_hub_download(name, file, revision=commit, cache_dir=cache_folder(), tqdm_class=bar)
        progress.end()
        _check(Path(path), files[file])
    return commit


def _check(path: Path, file: Any) -> None:
    """Compare a file with the checksum that the Hub announced; delete it if it differs."""
    content = path.read_bytes()
    if file.lfs:
        expected, found = file.lfs.sha256, hashlib.sha256(content).hexdigest()
    else:  # git's own name for the content
        expected, found = file.blob_id, hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    if expected and expected != found:
        for each in (path.resolve(), path):
            each.unlink(missing_ok=True)
        raise _Fault("hub_hash")


def _sweep(blobs: Path) -> None:
    """Delete parts of files that stopped fetches left behind."""
    for part in blobs.glob("*.incomplete"):
        with suppress(OSError):
            if part.stat().st_mtime < time.time() - _LEFT_BEHIND_SECONDS:
                part.unlink()


def _reason(error: BaseException) -> tuple[str | None, int | None]:
    """Return the code of an error of the library or of what it runs on, None for others, and the Hub's status."""
    if isinstance(error, _Fault):
        return str(error), None
    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    names = {each.__name__ for cause in causes for each in type(cause).__mro__}
    statuses = [getattr(getattr(cause, "response", None), "status_code", None) for cause in causes]
    status = next(filter(None, statuses), None)
    code = next((code for name, code in _FAULTS.items() if name in names), None)
    if code is None and status:
        code = _STATUSES.get(status, "hub_status")
    if code is None and isinstance(error, OSError):
        code = "hub_broken_off" if "Consistency check" in str(error) else "hub_disk"
    return code, status


if __name__ == "__main__":
    run(fetch_in_child)
