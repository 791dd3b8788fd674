"""Uploads as they arrive: how many bytes one visitor may hold, in all tabs.

Streamlit limits the size of each file, and keeps uploaded files in memory until their tab is closed; it does not
limit their number.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol
from weakref import WeakSet

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.ui.frame.cookie_and_headers import COOKIE
from pages.ui.limits import MAX_UPLOAD_MB, MAX_UPLOADS_BYTES

_PATH = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+")


class UploadGuard:
    """ASGI middleware that refuses a file if its visitor's uploads would then be too large together.

    The page refuses what a visitor uploads beyond `MAX_UPLOADS_BYTES`, in the visitor's language. This is for
    those who send files without the page, so it allows one more file of the largest size.
    """

    def __init__(self, app: ASGIApp, limit: int = MAX_UPLOADS_BYTES + MAX_UPLOAD_MB * 2**20) -> None:
        self.app = app
        self.limit = limit
        self._visitors: dict[str, str] = {}  # by the session of a tab
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_put = scope["type"] == "http" and scope["method"] == "PUT"
        path = _PATH.fullmatch(scope["path"]) if is_put else None
        if path is None:
            await self.app(scope, receive, send)
            return
        visitor = HTTPConnection(scope).cookies.get(COOKIE) or path[1]
        size = _announced_size(Headers(scope=scope))
        if self._held(visitor, path[1]) + size > self.limit:
            await PlainTextResponse("Too many uploads", 413)(scope, receive, send)
            return
        self._arriving[visitor] += size
        try:
            await self.app(scope, receive, send)
        finally:
            self._arriving[visitor] -= size
            self._arriving += Counter()  # drops zeros

    def _held(self, visitor: str, session: str) -> int:
        """Return the bytes that a visitor holds in all tabs, including uploads that are still arriving."""
        stored = _stored()
        self._visitors = {each: who for each, who in self._visitors.items() if each in stored} | {session: visitor}
        kept = (stored.get(each, {}) for each, who in self._visitors.items() if who == visitor)
        return sum(len(file.data) for files in kept for file in list(files.values())) + self._arriving[visitor]


def _announced_size(headers: Headers) -> int:
    """Return the announced bytes; the most that Streamlit accepts if none are announced."""
    announced = headers.get("content-length", "")
    return int(announced) if announced.isascii() and announced.isdigit() else MAX_UPLOAD_MB * 2**20


def _stored() -> Mapping[str, Mapping[str, UploadedFileRec]]:
    """Return the uploads that Streamlit keeps, by session; none outside a server."""
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    return manager.file_storage if isinstance(manager, MemoryUploadedFileManager) else {}


def free_streamlits_copy(ids: Iterable[str]) -> None:
    """Free the bytes of uploaded files that no uploader of this tab lists any more."""
    context = get_script_run_ctx()
    if context is not None and isinstance(manager := context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file_id in ids:
            manager.remove_file(context.session_id, file_id)


# ---- unpacked uploads


class Unpacked(Protocol):
    """An unpacked upload, with its bytes and the key of its owner."""

    size: int
    owner: str


_unpacked: WeakSet[Unpacked] = WeakSet()
"""The unpacked uploads of all visitors, as long as their sessions keep them."""
_lock = threading.Lock()


def count_upload(upload: Unpacked) -> None:
    """Count an upload as its owner's until it is forgotten."""
    with _lock:
        _unpacked.add(upload)


def unpacked_bytes(owner: str | None = None, *, without: Unpacked | None = None) -> int:
    """Return the bytes of an owner's unpacked uploads, or of all, except one."""
    with _lock:
        return sum(each.size for each in _unpacked if owner in (None, each.owner) and each is not without)


def upload_sizes() -> tuple[int, int]:
    """Return the bytes of all uploads as they arrived, as long as uploaders list them, and unpacked."""
    arrived = sum(len(file.data) for files in list(_stored().values()) for file in list(files.values()))
    return arrived, unpacked_bytes()
