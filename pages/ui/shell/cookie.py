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
        known = _valid(HTTPConnection(scope).cookies.get(NAME)) if is_page else None
        gives = is_page and (known is None or self.days is not None)
        await self.app(scope, receive, send_with_cookie if gives else send)


def _valid(value: object) -> str | None:
    return value if isinstance(value, str) and _SECRET.fullmatch(value) else None


def _cookie(known: str | None, days: int | None, *, is_encrypted: bool) -> str:
    """Return a cookie with this secret or a new one, which lasts some days or until the browser is closed.

    It is "lax", not "strict": with a strict one, a visitor who follows a link to the app would get a new secret.
    """
    lasting = "" if days is None else f"; Max-Age={days * 86_400}"
    encrypted = "; Secure" if is_encrypted else ""
    return f"{NAME}={known or secrets.token_urlsafe(32)}; Path=/{lasting}; HttpOnly; SameSite=Lax{encrypted}"
