"""A stand-in for Wikipedia: a server of this machine that answers well, badly, slowly or not at all."""

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

THAI = "ภาษาไทยเป็นภาษาราชการ\nประวัติ\nเริ่มที่สุโขทัย"


def answer(**page: Any) -> dict[str, Any]:
    """What the API says of one page."""
    page = {"pageid": 1, "ns": 0, "title": "ภาษาไทย", "lastrevid": 42, "extract": THAI} | page
    return {"batchcomplete": True, "query": {"pages": [{k: v for k, v in page.items() if v is not None}]}}


ANSWERS: dict[str, Any] = {
    "ภาษาไทย": answer(),
    "ไทย": answer(),
    "C++": answer(title="C++ & (b)"),
    "a" * 255: answer(title="a" * 255, lastrevid=1),
    "missing": answer(title="missing", missing=True, extract=None, lastrevid=None),
    "invalid": answer(title="invalid", invalid=True, invalidreason="?", extract=None, lastrevid=None),
    "Special:Random": answer(title="Special:Random", special=True, extract=None, lastrevid=None),
    "de:Thai": {"batchcomplete": True, "query": {"interwiki": [{"title": "de:Thai", "iw": "de"}]}},
    "empty": answer(title="empty", extract=" \n"),
    "no extract": answer(title="no extract", extract=None),
    "ambiguous": answer(title="ambiguous", pageprops={"disambiguation": ""}),
    "429": 429,
    "500": 500,
    "503": 503,
    "302": 302,
    "maxlag": {"error": {"code": "maxlag", "info": "Waiting for a host"}},
    "ratelimited": {"error": {"code": "ratelimited"}},
    "readonly": {"error": {"code": "readonly"}},
    "refused": {"error": {"code": "unknown_action", "info": "<script>"}},
    "hostile refusal": {"error": {"code": "[x](http://evil)" * 99}},
    "no object refusal": {"error": 7},
    "html": b"<html>Wikimedia Error</html>",
    "no utf-8": b'{"query": "\xff"}',
    "nested": b"[" * 200_000,
    "list": [],
    "no query": {},
    "query is text": {"query": "pages"},
    "pages by id": {"query": {"pages": {"1": {}}}},
    "two pages": {"query": {"pages": [{}, {}]}},
    "page is a number": {"query": {"pages": [1]}},
    "title is a number": answer(title=5),
    "title has a line": answer(title="a\nb"),
    "title is empty": answer(title=""),
    "title is long": answer(title="a" * 256),
    "revision is missing": answer(lastrevid=0),
    "revision is text": answer(lastrevid="1"),
    "revision is true": answer(lastrevid=True),
    "revision is negative": answer(lastrevid=-1),
    "extract is a list": answer(extract=["a"]),
    "surrogate": b'{"query": {"pages": [{"title": "a", "lastrevid": 1, "extract": "\\ud83d"}]}}',
    "in parts": answer(extract=None) | {"continue": {"excontinue": 1, "continue": "||info"}},
}


class StandIn(ThreadingHTTPServer):
    """A MediaWiki that gives fixed answers and remembers what it was asked."""

    daemon_threads = True
    asked: list[dict[str, str]]
    headers: list[dict[str, str]]

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{{language}}/w/api.php"

    @property
    def titles(self) -> list[str]:
        return [question["titles"] for question in self.asked]


class Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_GET(self) -> None:
        question = dict(parse_qsl(urlsplit(self.path).query))
        self.server.asked.append(question)
        self.server.headers.append(dict(self.headers))
        title = question["titles"]
        special: Callable[[dict[str, str]], None] | None = getattr(self, f"_{title.replace(' ', '_')}", None)
        if special:
            special(question)
            return
        found = ANSWERS.get(title, ANSWERS["missing"])
        if isinstance(found, int):
            self._send(b"no", found)
        else:
            self._send(found if isinstance(found, bytes) else json.dumps(found, ensure_ascii=False).encode())

    def _send(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.path.replace("302", "%E0%B8%A0"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _endless(self, question: dict[str, str]) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" " * 65_536)
        except OSError:
            self.close_connection = True

    def _silent(self, question: dict[str, str]) -> None:
        time.sleep(1)

    def _drop_by_drop(self, question: dict[str, str]) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(200):
                self.wfile.write(b" ")
                time.sleep(0.02)
        except OSError:
            self.close_connection = True

    def _broken_off(self, question: dict[str, str]) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"query"')
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""
