"""What the app adds to its responses: security headers, the visitor's cookie, and what a page needs at once."""

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "tokenizer_explorer_visitor"
_SECRET = re.compile(r"[\w-]{43}", re.ASCII)
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[\da-fA-F:]+\](:\d+)?", re.ASCII)


_SERVER = b'window.__streamlit ??= { BACKEND_BASE_URL: new URL(".", location.href).href }'
"""A script that tells a page where its server is, as its scripts are: beside the page."""
_OF_OTHER_FORMS = (b"accept-encoding", b"if-none-match", b"if-modified-since")
"""What a browser allows, and a page to change must not be: compressed, or "not modified"."""


class SecurityHeaders:
    """ASGI middleware that adds a content security policy and related headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        host = HTTPConnection(scope).headers.get("host", "")

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
    index = Path(st.__file__).parent / "static" / "index.html"
    inline = re.findall(rb"<script>(.*?)</script>", index.read_bytes(), re.DOTALL)
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in [*inline, _SERVER]
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


# ---- what a page will need

_OF_EVERY_PAGE = ("Html", "BidiComponent", "PageLink", "Button", "ButtonGroup", "TextInput")
_OF_PAGES = {
    "train": ("Radio", "NumberInput"),
    "compare": ("TextArea",),
    "languages": ("ArrowVegaLiteChart", "embed", "Selectbox"),
    "patterns": ("TextArea", "Selectbox"),
    "vocabulary": ("Metric",),
    "learn": ("DownloadButton",),
}
_SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"


class Preload:
    """ASGI middleware that names, with the page, those scripts that Streamlit would ask for only when it draws."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Link"] = _links(scope["path"].rpartition("/")[2])
            await send(message)

        await self.app(scope, receive, send_with_links)


def _links(page: str) -> str:
    scripts = later_scripts(page if page in _OF_PAGES else "")
    return ", ".join(f"<./static/js/{name}>; rel=modulepreload; crossorigin" for name in scripts)


@cache
def later_scripts(page: str) -> list[str]:
    """Return the scripts of a page's widgets, with their imports, but for those that the page itself names."""
    named = set(re.findall(r"static/js/([\w.-]+\.js)", (_SCRIPTS.parents[1] / "index.html").read_text("utf-8")))
    found: list[str] = []
    widgets = (*_OF_EVERY_PAGE, *_OF_PAGES.get(page, ()))
    waiting = [path.name for each in widgets for path in _SCRIPTS.glob(f"{each}.*.js")]
    while waiting:
        if (name := waiting.pop()) not in named and (_SCRIPTS / name).is_file():
            named.add(name)
            found.append(name)
            script = (_SCRIPTS / name).read_text("utf-8")
            waiting += re.findall(r"""(?:from|import)\s*["'`]\./([\w.-]+\.js)["'`]""", script)
    return sorted(found)


class KnownServer:
    """ASGI middleware that tells each page where its server is.

    Streamlit's page looks for it under its own path first, as in /compare/_stcore/health, and waits for 0.1 s
    before it looks anywhere else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message = {}
        page = b""

        async def send_page(message: Message) -> None:
            nonlocal start, page
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
                return
            if not start:  # what else a visitor opens, such as a large file, goes on as it comes
                await send(message)
                return
            page += message.get("body", b"")
            if message.get("more_body"):
                return
            page = page.replace(b"<script>", b"<script>%b</script><script>" % _SERVER, 1)
            if page:
                MutableHeaders(scope=start)["content-length"] = str(len(page))
            await send(start)
            await send({"type": "http.response.body", "body": page})

        if scope["type"] == "http" and "text/html" in HTTPConnection(scope).headers.get("accept", ""):
            whole = [header for header in scope["headers"] if header[0] not in _OF_OTHER_FORMS]
            await self.app({**scope, "headers": whole}, receive, send_page)
        else:
            await self.app(scope, receive, send)


def _is_page(start: Message) -> bool:
    return MutableHeaders(scope=start).get("content-type", "").startswith("text/html")


# ---- the visitor's cookie


def secret_of_cookie() -> str | None:
    """Return the secret that the browser sent when the session began; None without one."""
    return secret_in(st.context.cookies)


def secret_in(cookies: Mapping[str, str]) -> str | None:
    """Return the secret among these cookies; None without one."""
    value = cookies.get(COOKIE)
    return value if isinstance(value, str) and _SECRET.fullmatch(value) else None


class VisitorCookie:
    """ASGI middleware that gives each new browser a secret, together with the page.

    With a number of days, the cookie lasts so long after the latest visit; otherwise until the browser is closed.
    """

    def __init__(self, app: ASGIApp, days: int | None = None) -> None:
        self.app = app
        self.days = days

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append(
                        "set-cookie", _cookie(known, self.days, is_encrypted=scope["scheme"] == "https")
                    )
            await send(message)

        is_page = scope["type"] == "http"
        known = secret_in(HTTPConnection(scope).cookies) if is_page else None
        gives = is_page and (known is None or self.days is not None)
        await self.app(scope, receive, send_with_cookie if gives else send)


def _cookie(known: str | None, days: int | None, *, is_encrypted: bool) -> str:
    """Return a cookie with this secret or a new one, which lasts some days or until the browser is closed.

    It is "lax", not "strict": with a strict one, a visitor who follows a link to the app would get a new secret.
    """
    lasting = "" if days is None else f"; Max-Age={days * 86_400}"
    encrypted = "; Secure" if is_encrypted else ""
    return f"{COOKIE}={known or secrets.token_urlsafe(32)}; Path=/{lasting}; HttpOnly; SameSite=Lax{encrypted}"
