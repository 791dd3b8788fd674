"""Requests to the routes of the app, as a browser makes them, without a server."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.routing import Route


class Answer:
    """What the app answers to a request: status, headers and body."""

    def __init__(
        self, routes: Sequence[Route], path: str, method: str = "GET", headers: Mapping[str, str] | None = None
    ) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        path, _, query = path.partition("?")
        sent = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": quote(path).encode(),
            "root_path": "",
            "query_string": quote(query, safe="=&%").encode(),
            "headers": [(b"host", b"test"), *sent],
        }
        with ThreadPoolExecutor(1) as another:  # where no event loop runs, as a browser's does in this thread
            another.submit(asyncio.run, Starlette(routes=routes)(scope, self._receive, self._send)).result()

    @property
    def json(self) -> Any:
        """The body, which is JSON."""
        return json.loads(self.body)

    async def _receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
