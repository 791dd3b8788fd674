"""How many bytes of uploads a visitor may hold: more is refused with the reason, and nothing is lost."""

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from streamlit import runtime as runtimes
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_routes

from pages.ui.frame import upload_limit as arriving
from pages.ui.frame.cookie_and_headers import COOKIE
from pages.ui.frame.upload_limit import UploadGuard, unpacked_bytes, upload_sizes
from pages.ui.i18n import error_sentence
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs import uploads
from tests.helpers.app import LANGUAGES
from tests.helpers.browser import PATIENCE
from tokenizer_core.errors import CorpusError

KB = 1024


def page() -> None:
    """The pickers of texts, one at a time; "gone" is a page without any."""
    from collections.abc import Callable

    import streamlit as st

    from pages.ui.inputs.corpus_picker import corpus_picker
    from pages.ui.inputs.parallel_texts import pick_parallel
    from pages.ui.inputs.text import text_picker

    pickers: dict[str, Callable[[], object]] = {
        "corpus": corpus_picker,
        "text": lambda: text_picker({}),
        "languages": lambda: pick_parallel(is_shown=True),
    }
    shown = st.session_state.get("shown", "corpus")
    st.session_state["given"] = pickers[shown]() if shown in pickers else None


SOURCES = {"corpus": "corpus_source", "text": "text_source", "languages": "languages_source"}
WIDGETS = {"corpus": "corpus_files", "text": "text_file", "languages": "languages_files"}


@pytest.fixture(autouse=True)
def limit(monkeypatch: pytest.MonkeyPatch) -> int:
    """A visitor may hold 100 kB."""
    for module in (uploads, arriving):
        monkeypatch.setattr(module, "MAX_UPLOADS_BYTES", 100 * KB)
    return 100 * KB


def opened(language: str = "en") -> AppTest:
    app = AppTest.from_function(page, default_timeout=PATIENCE)
    app.query_params["lang"] = language
    return app.run()


def show(app: AppTest, place: str) -> AppTest:
    app.session_state["shown"] = place
    app.run()
    if place in SOURCES:
        app.segmented_control(key=SOURCES[place]).set_value("upload").run()
    assert not app.exception
    return app


def put(app: AppTest, place: str, *kilobytes: int) -> AppTest:
    """Upload files of these sizes, beside none."""
    files = [
        (f"{n}_{size}.txt", b"a cat sat\n" * (size * KB // 10), "text/plain") for n, size in enumerate(kilobytes)
    ]
    app.file_uploader(key=WIDGETS[place]).set_value(files[0] if place == "text" else files).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return without_breaks(" ".join(error.value for error in app.error))


def refused(megabytes: float, language: str = "en") -> str:
    error = CorpusError("uploads_too_large", limit=0, megabytes=megabytes)
    return without_breaks(error_sentence(error, spoken=language))


def held(app: AppTest) -> int:
    gc.collect()
    owner: str = app.session_state["owner"]
    return unpacked_bytes(owner)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_upload_beyond_the_limit_is_refused_and_the_others_stay(language: str) -> None:
    app = put(show(opened(language), "corpus"), "corpus", 70)
    corpus = app.session_state["given"]
    assert corpus.size > 69 * KB
    put(show(app, "text"), "text", 40)
    assert said(app) == refused(0.1, language)
    assert app.session_state["given"].content == ""
    assert show(app, "corpus").session_state["given"] is corpus
    assert held(app) == corpus.size


def test_what_is_removed_makes_room_and_what_was_refused_is_taken_without_another_upload() -> None:
    app = put(show(opened(), "corpus"), "corpus", 70)
    put(show(app, "languages"), "languages", 30, 30)
    (button,) = (each for each in app.button if each.key == "remove_upload_corpus")
    assert "0\\_70" in button.label or "0_70" in button.label
    app.button(key="remove_upload_corpus").click().run()
    assert not app.error
    assert app.session_state["given"].parallel.pairs > 1_000
    assert held(app) < 61 * KB
    assert show(app, "corpus").session_state["given"] is None
    assert not app.file_uploader(key="corpus_files").value


def test_what_is_refused_does_not_replace_what_was_there() -> None:
    app = put(show(opened(), "corpus"), "corpus", 70)
    before = app.session_state["given"]
    put(app, "corpus", 120)
    assert said(app) == refused(0.1)
    app.run()
    assert said(app) == refused(0.1)  # and not read again with each click
    app.file_uploader(key="corpus_files").set_value([]).run()
    assert app.session_state["given"] is before
    show(app, "gone")
    assert held(app) == before.size


def test_a_larger_upload_may_replace_a_smaller_one_in_its_place() -> None:
    app = put(show(opened(), "corpus"), "corpus", 70)
    put(app, "corpus", 90)
    assert not app.error
    assert app.session_state["given"].size > 89 * KB
    assert held(app.run()) < 91 * KB  # and nothing keeps the first one, such as a callback of a widget


def test_tabs_of_one_visitor_count_together_and_those_of_others_do_not() -> None:
    first = put(show(opened(), "corpus"), "corpus", 70)
    other = put(show(opened(), "corpus"), "corpus", 70)
    assert not other.error
    second = opened()
    second.session_state["owner"] = first.session_state["owner"]
    put(show(second, "corpus"), "corpus", 40)
    assert said(second) == refused(0.1)
    assert upload_sizes()[1] > 2 * 69 * KB
    owner = first.session_state["owner"]
    del first
    gc.collect()
    assert unpacked_bytes(owner) == 0  # with its session, the visitor's first tab has given back its memory
    assert not second.run().error


# ---- what arrives


class Server:
    """Streamlit's own route for uploads behind the guard, as whoever sends files sees it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
        self.manager = MemoryUploadedFileManager("/_stcore/upload_file")
        runtime: Any = SimpleNamespace(is_active_session=lambda session: True, uploaded_file_mgr=self.manager)
        monkeypatch.setattr(starlette_routes, "is_xsrf_enabled", lambda: False)
        monkeypatch.setattr(runtimes, "exists", lambda: True)
        monkeypatch.setattr(runtimes, "get_instance", lambda: runtime)
        routes = starlette_routes.create_upload_routes(runtime, self.manager, None)
        self.app = Starlette(routes=routes, middleware=[Middleware(UploadGuard, limit=limit)])

    def put(
        self,
        session: str,
        file: str,
        size: int,
        visitor: str = "",
        parts_until_reload: int | None = None,
    ) -> int:
        """Upload a file in parts, as browsers do; return the status of the answer."""
        head = b'--b\r\nContent-Disposition: form-data; name="a.txt"; filename="a.txt"\r\n'
        body = head + b"Content-Type: text/plain\r\n\r\n" + b"x" * size + b"\r\n--b--\r\n"
        parts = [body[start : start + 65_536] for start in range(0, len(body), 65_536)]
        headers = {"content-type": "multipart/form-data; boundary=b", "content-length": str(len(body))}
        headers |= {"cookie": f"{COOKIE}={visitor}"} if visitor else {}
        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/{session}/{file}",
            "query_string": b"",
            "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
        }
        answers: list[Any] = []
        whole = len(parts)

        async def receive() -> dict[str, Any]:
            if parts_until_reload is not None and whole - len(parts) >= parts_until_reload:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message: Any) -> None:
            answers.append(message)

        with ThreadPoolExecutor(1) as another:  # where no event loop runs, as a browser's does in this thread
            another.submit(asyncio.run, self.app(scope, receive, send)).result()
        return int(answers[0]["status"])


def test_whoever_sends_files_without_the_page_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(monkeypatch, 100 * KB)
    sent = [("one", "a"), ("two", "b"), ("one", "c"), ("three", "d")]
    assert [server.put(*each, 40 * KB, "visitor") for each in sent] == [204, 204, 413, 413]
    assert server.put("four", "e", 40 * KB, "somebody else") == 204
    server.manager.remove_session_files("one")
    assert server.put("three", "f", 40 * KB, "visitor") == 204
    assert upload_sizes()[0] == 3 * 40 * KB


def test_a_reload_in_mid_upload_leaves_nothing_half(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(monkeypatch, 2_200 * KB)
    with pytest.raises(ClientDisconnect):
        server.put("one", "a", 2_000 * KB, "visitor", parts_until_reload=20)
    assert not server.manager.file_storage.get("one")
    assert server.put("two", "a", 2_000 * KB, "visitor") == 204  # what was arriving counts no more
    assert len(server.manager.file_storage["two"]["a"].data) == 2_000 * KB
