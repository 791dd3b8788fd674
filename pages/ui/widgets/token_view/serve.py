"""Serves what the token view fetches in the browser: payloads of long texts, and the page that visitors save.

A long text is encoded in the request that fetches it, not while a page runs, so the page answers at once."""

import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pages.ui.widgets.colours import palette_css
from tokenizer_core.errors import TokenizerError

BROWSER = Path(__file__).parent / "browser"
FACES = {weight: Path(__file__).parent / "faces" / f"looped-{weight}.woff2" for weight in ("400", "600")}
"""Noto Sans Thai Looped by weight: the Thai letters only; OFL.txt beside them is their licence."""
PATH = "/token-view"
MOST_OFFERS = 64


def view_css() -> str:
    """Return the CSS of the view, tints first."""
    return palette_css() + (BROWSER / "token_view.css").read_text("utf-8")


class Offer(NamedTuple):
    """How to make a payload, and how to explain in the visitor's language why that failed."""

    make: Callable[[], bytes]
    explain: Callable[[TokenizerError], str]


class Offers:
    """Payloads that can be fetched by a name that nobody can guess, because it gives the text of one visitor."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._offers: OrderedDict[str, tuple[str, Offer]] = OrderedDict()
        self._used: dict[str, float] = {}
        self._lock = Lock()

    def offer(self, key: str, offer: Offer) -> str:
        """Return the name under which a payload can be fetched; it stays the same as long as its key is kept."""
        with self._lock:
            name = self._names.setdefault(key, secrets.token_urlsafe(16))
            self._offers[name] = (key, offer)
            self._note_use(name)
            while len(self._offers) > MOST_OFFERS:
                self._drop(next(iter(self._offers)))
            return name

    def find(self, name: str) -> Offer | None:
        """Return what is offered under a name, or None if nothing is; what is fetched again and again is kept."""
        with self._lock:
            if name not in self._offers:
                return None
            self._note_use(name)
            return self._offers[name][1]

    def forget_unused(self, seconds: float) -> None:
        """Drop what nobody has offered or fetched in this time: it keeps tokenizers, texts and whole trainings."""
        before = time.monotonic() - seconds
        with self._lock:
            for name in [name for name, used in self._used.items() if used < before]:
                self._drop(name)

    def _note_use(self, name: str) -> None:
        self._offers.move_to_end(name)
        self._used[name] = time.monotonic()

    def _drop(self, name: str) -> None:
        key, _ = self._offers.pop(name)
        del self._names[key], self._used[name]


@st.cache_resource(show_spinner=False)
def offers() -> Offers:
    """Return the offers of this app."""
    return Offers()


def address(name: str) -> str:
    """Return the address at which the browser fetches what is offered under a name."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}{PATH}/{name}"


def faces() -> dict[str, str]:
    """Return the addresses of the looped Thai face by weight."""
    return {weight: address(path.name) for weight, path in FACES.items()}


def _payload(request: Request) -> Response:
    """Answer with the payload of a name, or 422 and a sentence if the text cannot be cut."""
    offer = offers().find(request.path_params["name"])
    if offer is None:
        return Response(status_code=404)
    try:
        payload = offer.make()
    except TokenizerError as error:
        return Response(offer.explain(error), status_code=422, media_type="text/plain")
    # "identity" keeps Streamlit from compressing 16 MB in 0.7 s for a browser that is most often on this machine.
    headers = {"Cache-Control": "no-store", "Content-Encoding": "identity"}
    return Response(payload, media_type="application/octet-stream", headers=headers)


def page_to_take_away() -> str:
    """Return the view as one file that needs nothing else, with marks for the payload and the choices."""
    payload = '<script type="text/plain" id="payload">%PAYLOAD%</script>'
    return page_alone(view_css(), bundle(BROWSER / "page.js"), body="<h1>%TITLE%</h1>", more=payload)


def page_alone(css: str, code: str, *, body: str = "", more: str = "") -> str:
    """Return a page that needs nothing else, with marks for what the browser fills in."""
    styles = json.dumps(css).replace("</", "<\\/")
    parts = {"BODY": body, "MORE": more, "CSS": styles, "CODE": code}
    page = (BROWSER / "page.html").read_text("utf-8")
    return re.sub(r"%(BODY|MORE|CSS|CODE)%", lambda mark: parts[mark[1]], page)


def _face(request: Request) -> Response:
    """Answer with one weight of the looped Thai face; browsers keep it for a week."""
    path = FACES.get(request.path_params["weight"])
    if path is None:
        return Response(status_code=404)
    headers = {"Cache-Control": "public, max-age=604800"}
    return Response(path.read_bytes(), media_type="font/woff2", headers=headers)


def routes() -> list[Route]:
    """Return the routes that serve the view."""
    return [
        Route(address("page.html"), lambda request: HTMLResponse(page_to_take_away())),
        Route(address("looped-{weight}.woff2"), _face),
        Route(address("{name}"), _payload),
    ]


_IMPORT = re.compile(r'^import (?:\w+|\{\s*\w+(?:,\s*\w+)*,?\s*\}) from "(\.[\w./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:default )?(?=(?:async )?function\b|class\b|const\b)", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(entry: Path) -> str:
    """Return a module and all that it imports as one module, with the exports of the first."""
    return "\n".join(_inlined(path, is_entry=path == entry.resolve()) for path in modules(entry))


def modules(entry: Path) -> list[Path]:
    """List a module and all that it imports, each once and after its own imports.

    Raises ValueError if modules import one another in a circle.
    """
    found: list[Path] = []

    def visit(path: Path, way: tuple[Path, ...]) -> None:
        if path in way:
            circle = " → ".join(each.name for each in (*way[way.index(path) :], path))
            raise ValueError(f"modules must not import one another in a circle; these do: {circle}")
        if path in found:
            return
        for each in imported(path):
            visit(each, (*way, path))
        found.append(path)

    visit(entry.resolve(), ())
    return found


def imported(path: Path) -> Iterator[Path]:
    """Yield the files that a module imports."""
    return ((path.parent / match[1]).resolve() for match in _IMPORT.finditer(path.read_text("utf-8")))


def _inlined(path: Path, *, is_entry: bool) -> str:
    """Return the code of a module without its imports, and without its exports unless it is the entry."""
    code = _IMPORT.sub("", path.read_text("utf-8"))
    plain = _EXPORT.sub("", code)
    if unknown := _UNKNOWN.search(plain):
        raise ValueError(
            "a module must import names from files of ours, and export declarations;"
            f" {path.name} has {unknown[0]!r}"
        )
    return code if is_entry else plain
