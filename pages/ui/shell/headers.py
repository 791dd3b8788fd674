"""Security headers for every response: only this app's scripts run; pages load and submit nothing elsewhere."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[\da-fA-F:]+\](:\d+)?", re.ASCII)


class SecurityHeaders:
    """ASGI middleware that adds a content security policy and related headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = HTTPConnection(scope).headers.get("host", "") if scope["type"] == "http" else ""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = content_security_policy(host)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
            await send(message)

        await self.app(scope, receive, send_with_headers)


def content_security_policy(host: str) -> str:
    """Return the policy for pages of this host.

    It allows Streamlit's inline scripts by hash, `blob:`, from which it loads components, and inline styles, with
    which it draws everything. It needs no `unsafe-eval`: Streamlit lets Vega interpret its expressions.
    """
    # 'self' covers a page's own websocket, but not in Safari before 15.4; nothing else may be talked to.
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    return f"{_policy()}; connect-src 'self'{sockets}"


@cache
def _policy() -> str:
    index = Path(streamlit.__file__).parent / "static" / "index.html"
    inline = re.findall(rb"<script>(.*?)</script>", index.read_bytes(), re.DOTALL)
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in inline
    )
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src 'self' blob: {hashes}".strip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "worker-src 'self' blob:",
            "frame-ancestors 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        ]
    )
