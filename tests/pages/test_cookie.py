"""The visitor's cookie: given once with a page, never to a script, and read again only if it is whole."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import Message

from pages.ui.frame.cookie_and_headers import COOKIE, VisitorCookie, secret_of_cookie

APP = VisitorCookie(
    Starlette(
        routes=[
            Route("/", lambda request: HTMLResponse("<p>page")),
            Route("/script.js", lambda request: PlainTextResponse("1")),
        ]
    )
)
SECRET = "s" * 43


def given(path: str = "/", sent: str = "", scheme: str = "http") -> str | None:
    """The cookie that comes with an answer."""
    headers = [(b"cookie", sent.encode())] if sent else []
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": path,
        "headers": headers,
        "scheme": scheme,
        "query_string": b"",
    }
    answers: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        answers.append(message)

    with ThreadPoolExecutor() as threads:  # where no event loop of a browser runs
        threads.submit(asyncio.run, APP(scope, receive, send)).result()
    return Headers(scope=answers[0]).get("set-cookie")


def test_a_new_browser_gets_a_secret_of_its_own_with_the_page() -> None:
    first, second = given(), given()
    assert first is not None
    assert first != second
    assert re.fullmatch(rf"{COOKIE}=[\w-]{{43}}; Path=/; HttpOnly; SameSite=Lax", first)


def test_over_an_encrypted_connection_it_is_sent_only_over_such() -> None:
    assert (given(scheme="https") or "").endswith("; Secure")


def test_a_known_browser_keeps_its_secret_and_a_broken_one_is_replaced() -> None:
    assert given(sent=f"other=1; {COOKIE}={SECRET}") is None
    assert given(sent=f"{COOKIE}=<script>") is not None


def test_only_pages_bring_it() -> None:
    assert given("/script.js") is None


@pytest.mark.parametrize(
    ("sent", "secret"),
    [({COOKIE: SECRET}, SECRET), ({COOKIE: SECRET[1:]}, None), ({COOKIE: "../" + SECRET}, None), ({}, None)],
)
def test_only_a_whole_secret_counts(
    sent: dict[str, str], secret: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Context:
        cookies = sent

    monkeypatch.setattr(streamlit, "context", Context)
    assert secret_of_cookie() == secret
