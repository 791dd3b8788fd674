"""The visitor's secret: a cookie that no script can read, so that a reload finds the visitor's own trainings.

Links contain the id of a training, which lets anyone look at it. Only this secret lets a visitor control it.
"""

import re
import secrets

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAME = "tokenizer_explorer_visitor"
_SECRET = re.compile(r"[\w-]{43}", re.ASCII)


def secret_of_cookie() -> str | None:
    """Return the secret that the browser sent when the session began; None without one."""
    return _valid(st.context.cookies.get(NAME))


class VisitorCookie:
    """ASGI middleware that gives each new browser a secret, together with the page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("set-cookie", _new_cookie(is_encrypted=scope["scheme"] == "https"))
            await send(message)

        is_new = scope["type"] == "http" and not _valid(HTTPConnection(scope).cookies.get(NAME))
        await self.app(scope, receive, send_with_cookie if is_new else send)


def _valid(value: object) -> str | None:
    return value if isinstance(value, str) and _SECRET.fullmatch(value) else None


def _new_cookie(*, is_encrypted: bool) -> str:
    """Return a cookie with a new secret, which lasts until the browser is closed.

    It is "lax", not "strict": with a strict one, a visitor who follows a link to the app would get a new secret.
    """
    return (
        f"{NAME}={secrets.token_urlsafe(32)}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_encrypted else ''}"
    )
