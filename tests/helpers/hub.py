"""A stand-in for the Hugging Face Hub: a server of this machine that answers well, badly, slowly or not at all."""

import hashlib
import json
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.helpers.trained import byte_level

COMMIT = "c0ffee" + "0" * 34
TEMPLATE = "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}{% endfor %}"
CARD = b"---\nlicense: apache-2.0\n---\n# A model\n"
GOOD = "good-token"


def config(**more: Any) -> bytes:
    """A `tokenizer_config.json` with a chat template."""
    return json.dumps({"chat_template": TEMPLATE, "eos_token": "<|end|>", **more}).encode()


@dataclass
class Repository:
    """The files of a model, and how it answers."""

    files: dict[str, bytes]
    gated: bool = False
    announced: dict[str, int] = field(default_factory=dict)
    """Sizes that are not the true ones."""
    wrong: str = ""
    """The file whose content is not the one that the checksum is of."""
    way: str = ""
    """How files come: "stalls" or "breaks off" halfway, "goes on" for ever."""

    def siblings(self) -> list[dict[str, Any]]:
        return [self._sibling(name, content) for name, content in self.files.items()]

    def _sibling(self, name: str, content: bytes) -> dict[str, Any]:
        size = self.announced.get(name, len(content))
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        lfs = {"sha256": hashlib.sha256(content).hexdigest(), "size": size, "pointerSize": 134}
        return {"rfilename": name, "size": size, "blobId": blob, **({"lfs": lfs} if size > 999 else {})}


def repositories() -> dict[str, Repository]:
    """Some models; each has code of its own, which nobody may ask for."""
    code = b"raise SystemExit"
    files = {
        "README.md": CARD,
        "tokenizer.json": byte_level(),
        "tokenizer_config.json": config(),
        "model.py": code,
    }
    return {
        "stand/found": Repository(files),
        "stand/gated": Repository(files, gated=True),
        "stand/weights": Repository({"model.safetensors": b"weights", "config.json": b"{}"}),
        "stand/large": Repository(files, announced={"tokenizer.json": 65 * 2**20}),
        "stand/wrong": Repository(files, wrong="tokenizer.json"),
        "stand/stalls": Repository(files, way="stalls"),
        "stand/breaks": Repository(files, way="breaks off"),
        "stand/longer": Repository(files, way="goes on"),
    }


class StandInHub(ThreadingHTTPServer):
    """A hub with a few models that remembers what it was asked."""

    daemon_threads = True

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.repositories = repositories()
        self.asked: list[str] = []
        self.tokens: set[str | None] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def sent(self, file: str) -> int:
        """How often a file was sent."""
        return sum(each.startswith("GET") and each.endswith(file) for each in self.asked)


class HubHandler(BaseHTTPRequestHandler):
    server: StandInHub

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_CONNECT(self) -> None:
        """Somebody asks for another machine, through the proxy that the environment names."""
        self.server.asked.append(f"CONNECT {self.path}")
        self._refuse(403)

    def _answer(self, *, with_body: bool) -> None:
        way = urlsplit(self.path).path.strip("/").split("/")
        token = self.headers.get("authorization")
        self.server.asked.append(f"{self.command} {'/'.join(way)}")
        self.server.tokens.add(token)
        maker, model, *rest = way[2:] if way[:2] == ["api", "models"] else way
        repository = self.server.repositories.get(f"{maker}/{model}")
        if (maker, model) == ("stand", "silent"):
            time.sleep(3)
        elif maker == "status":
            self._refuse(int(model))
        elif (maker, model) == ("stand", "login-page"):
            self._send(b"<html>Log in</html>")
        elif repository is None:
            self._refuse(401, "RepoNotFound")
        elif way[0] == "api":
            if rest and rest[-1] not in ("main", COMMIT):
                self._refuse(404, "RevisionNotFound")
            else:
                about = {"id": f"{maker}/{model}", "sha": COMMIT, "siblings": repository.siblings()}
                self._send(json.dumps(about | {"gated": repository.gated and "auto"}).encode())
        elif repository.gated and token != f"Bearer {GOOD}":
            self._refuse(403, "GatedRepo")
        elif content := repository.files.get(rest[-1]):
            self._send_file(repository, rest[-1], content, with_body=with_body)
        else:
            self._refuse(404, "EntryNotFound")

    def _send_file(self, repository: Repository, name: str, content: bytes, *, with_body: bool) -> None:
        tag = hashlib.sha256(content).hexdigest()
        headers = {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT}
        if name == repository.wrong:
            content = bytes(len(content))
        if not with_body or not repository.way or len(content) < 999:
            self._send(content, headers=headers, with_body=with_body)
            return
        length = {} if repository.way == "goes on" else {"Content-Length": str(len(content))}
        self._head(200, headers | length)
        try:
            self.wfile.write(content[: len(content) // 2])
            for _ in range(100 if repository.way == "goes on" else 0):
                self.wfile.write(bytes(2**16))
            if repository.way == "stalls":
                time.sleep(3)
        except OSError:
            pass
        self.close_connection = True

    def _refuse(self, status: int, code: str = "") -> None:
        self._send(b"", status, {"X-Error-Code": code} if code else {})

    def _send(
        self, body: bytes, status: int = 200, headers: dict[str, str] | None = None, *, with_body: bool = True
    ) -> None:
        self._head(status, {**(headers or {}), "Content-Length": str(len(body))})
        self.wfile.write(body if with_body and self.command != "HEAD" else b"")

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""
