"""Who is let in: pages of this app's own address, and to the server's figures whoever runs it."""

from urllib.parse import parse_qs, urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit.web.server.server_util import allow_all_cross_origin_requests, is_allowed_origin

from pages.ui.frame.status import is_secret


class Doors:
    """ASGI middleware that refuses websockets of other origins, and Streamlit's figures without the status secret.

    Streamlit lets in every page of this machine, whatever its port, and browsers send the visitor's cookie along.
    Its own settings `server.corsAllowedOrigins` and `server.enableCORS` may allow more. The figures are at
    `/_stcore/metrics?status=` with the secret.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "websocket" and not is_own(HTTPConnection(scope)):
            app = WebSocketClose(1008)
        elif scope["type"] == "http" and scope["path"].endswith("/_stcore/metrics"):
            given = parse_qs(scope["query_string"].decode("latin-1")).get("status", [""])
            app = app if is_secret(given[0]) else PlainTextResponse("Not found", 404)
        await app(scope, receive, send)


def is_own(connection: HTTPConnection) -> bool:
    """Return whether a page of this address connects, or one that a setting allows, or no page at all."""
    origin = connection.headers.get("origin")
    if origin is None or allow_all_cross_origin_requests() or is_allowed_origin(origin):
        return True
    try:
        return urlsplit(origin).netloc == connection.headers.get("host")
    except ValueError:
        return False
