"""Uploads as they arrive: how much one visitor may hold, and what happens if the disk has no room for them.

Streamlit keeps uploaded files in memory until their tab is closed, and large ones pass through a temporary file.
If the server refused one, the browser would show words of its own. So a refused file arrives empty, with the
reason as its type, and the page says it in the visitor's language.
"""

import re
import secrets
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol
from weakref import WeakSet

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.ui.limits import MAX_UPLOAD_MB, MAX_UPLOADS_BYTES
from pages.ui.shell.cookie import NAME
from tokenizer_core.errors import CorpusError

REFUSED = "application/x-refused"
_PATH = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+")
_FILE_NAME = re.compile(rb'filename="([^"\r\n]*)"')
_TYPE = re.compile(re.escape(REFUSED) + r"; (too_much|no_room)=(\d{1,9})", re.ASCII)
_HEAD = 4_096
"""Bytes of an upload in which its name is looked for."""


def uploads_too_large(size: int) -> CorpusError:
    """Return the error for a visitor whose uploads would have this many bytes together."""
    limit, megabytes = MAX_UPLOADS_BYTES // 2**20, round(size / 2**20, 1)
    return CorpusError(
        f"a visitor's uploads may have {limit} MB together; they would have {megabytes} MB",
        "uploads_too_large",
        limit=limit,
        megabytes=megabytes,
    )


def refusal_of(media_type: str) -> CorpusError | None:
    """Return why an uploaded file of this type did not arrive; None if it did.

    >>> str(refusal_of("application/x-refused; no_room=0"))
    'the disk must have room for an upload; it has none'
    """
    found = _TYPE.fullmatch(media_type)
    if found is None:
        return None
    if found[1] == "too_much":
        return uploads_too_large(int(found[2]) * 2**20)
    return CorpusError("the disk must have room for an upload; it has none", "upload_no_room")


def drop_raw(ids: Iterable[str]) -> None:
    """Free the bytes of uploaded files that no uploader of this tab lists any more."""
    context = get_script_run_ctx()
    if context is not None and isinstance(manager := context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file_id in ids:
            manager.remove_file(context.session_id, file_id)


class Unpacked(Protocol):
    """An upload that was unpacked."""

    size: int


class Held:
    """The uploads of all visitors, as long as their sessions keep them."""

    def __init__(self) -> None:
        self._uploads: dict[str, WeakSet[Unpacked]] = {}
        self._lock = threading.Lock()

    def add(self, owner: str, upload: Unpacked) -> None:
        """Count an upload as its owner's until it is forgotten."""
        with self._lock:
            self._uploads = {each: uploads for each, uploads in self._uploads.items() if len(uploads)}
            self._uploads.setdefault(owner, WeakSet()).add(upload)

    def size(self, owner: str, *, but: Unpacked | None = None) -> int:
        """Return the bytes of an owner's uploads, except one."""
        with self._lock:
            return sum(upload.size for upload in self._uploads.get(owner, ()) if upload is not but)

    def total(self) -> int:
        """Return the bytes of all uploads."""
        with self._lock:
            return sum(upload.size for uploads in self._uploads.values() for upload in uploads)


HELD = Held()


def uploads_held() -> tuple[int, int]:
    """Return the bytes of all uploads as they arrived, as long as uploaders list them, and unpacked."""
    arrived = sum(len(file.data) for files in list(_stored().values()) for file in list(files.values()))
    return arrived, HELD.total()


class UploadGuard:
    """ASGI middleware that lets no visitor fill the memory with uploads, and survives a full disk.

    The page refuses what a visitor uploads beyond the limit. This is for those who send files without the page, so
    it allows one more file of the largest size.
    """

    def __init__(self, app: ASGIApp, limit: int = MAX_UPLOADS_BYTES + MAX_UPLOAD_MB * 2**20) -> None:
        self.app = app
        self.limit = limit
        self._sessions: dict[str, set[str]] = {}
        self._coming: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_put = scope["type"] == "http" and scope["method"] == "PUT"
        path = _PATH.fullmatch(scope["path"]) if is_put else None
        if path is None:
            await self.app(scope, receive, send)
            return
        visitor = HTTPConnection(scope).cookies.get(NAME) or path[1]
        size = _size(Headers(scope=scope))
        arriving = _Arriving(receive, send)
        if (held := self._held(visitor, path[1]) + size) > self.limit:
            await self._refuse(scope, arriving, f"too_much={min(held // 2**20, 10**9 - 1)}")
            return
        self._coming[visitor] += size
        try:
            await self.app(scope, arriving.receive, arriving.send)
        except (OSError, MemoryError):
            if arriving.is_answered:
                raise
            await self._refuse(scope, arriving, "no_room=0")
        finally:
            self._coming[visitor] -= size
            self._coming += Counter()  # drops what is 0

    def _held(self, visitor: str, session: str) -> int:
        """Return the bytes that a visitor holds in all tabs, with what is about to arrive."""
        stored = _stored()
        self._sessions = {
            each: left
            for each, known in self._sessions.items()
            if (left := {one for one in known if one in stored})
        }
        mine = self._sessions.setdefault(visitor, set())
        mine.add(session)
        kept = sum(len(file.data) for each in mine for file in list(stored.get(each, {}).values()))
        return kept + self._coming[visitor]

    async def _refuse(self, scope: Scope, arriving: "_Arriving", why: str) -> None:
        """Let the rest of an upload pass by, and hand on an empty file with the reason as its type."""
        await arriving.drain()
        edge = secrets.token_hex(16)
        name = _FILE_NAME.search(arriving.head)
        body = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="'.encode()
            + (name[1] if name else b"file")
            + f'"\r\nContent-Type: {REFUSED}; {why}\r\n\r\n\r\n--{edge}--\r\n'.encode()
        )
        instead = dict(scope, headers=list(scope["headers"]))
        headers = MutableHeaders(scope=instead)
        headers["content-type"] = f"multipart/form-data; boundary={edge}"
        headers["content-length"] = str(len(body))
        del headers["transfer-encoding"]

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(instead, receive, arriving.send)


class _Arriving:
    """An upload whose beginning is kept, and of which the rest can be let pass by."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.head = b""
        self.is_answered = False
        self._receive, self._send = receive, send
        self._ended = False

    async def receive(self) -> Message:
        """Receive the next part."""
        message = await self._receive()
        self._ended = not message.get("more_body", False)
        if len(self.head) < _HEAD:
            self.head += message.get("body", b"")[:_HEAD]
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        self.is_answered = True
        await self._send(message)

    async def drain(self) -> None:
        """Let the rest pass by; raise `ClientDisconnect` if the browser goes away."""
        while not self._ended:
            if (await self.receive())["type"] == "http.disconnect":
                raise ClientDisconnect


def _size(headers: Headers) -> int:
    """Return how many bytes are announced; the most that Streamlit takes if none are."""
    announced = headers.get("content-length", "")
    return int(announced) if announced.isascii() and announced.isdigit() else MAX_UPLOAD_MB * 2**20


def _stored() -> Mapping[str, Mapping[str, UploadedFileRec]]:
    """Return the uploads that Streamlit keeps, by session; none outside a server."""
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    return manager.file_storage if isinstance(manager, MemoryUploadedFileManager) else {}
