"""What a visitor may hold in uploads, and a disk that is full while one arrives: told, and nothing is lost."""

import asyncio
import gc
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp
from streamlit import runtime as runtimes
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_routes

from pages.ui.choices import uploads
from pages.ui.shell import uploads as arriving
from pages.ui.shell.cookie import NAME
from pages.ui.shell.uploads import HELD, UploadGuard, refusal_of, uploads_held
from pages.ui.words import error_sentence
from pages.ui.words.breaks import without_breaks
from tests.helpers.app import LANGUAGES, open_page
from tests.helpers.browser import PATIENCE
from tokenizer_core.errors import CorpusError

KB = 1024


def page() -> None:
    """The pickers of texts, one at a time; "gone" is a page without any."""
    from collections.abc import Callable

    import streamlit as st

    from pages.ui.choices.corpus_picker import corpus_picker
    from pages.ui.choices.parallel_texts import pick_parallel
    from pages.ui.choices.text import text_picker

    pickers: dict[str, Callable[[], object]] = {
        "corpus": corpus_picker,
        "text": lambda: text_picker({}, examples=st.container()),
        "languages": pick_parallel,
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
    error = CorpusError("", "uploads_too_large", limit=0, megabytes=megabytes)
    return without_breaks(error_sentence(error, spoken=language))


def held(app: AppTest) -> int:
    gc.collect()
    owner: str = app.session_state["owner"]
    return HELD.size(owner)


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
    assert uploads_held()[1] > 2 * 69 * KB
    owner = first.session_state["owner"]
    del first
    gc.collect()
    assert HELD.size(owner) == 0  # with its session, the visitor's first tab has given back its memory
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
        self.guards: list[UploadGuard] = []

        def guard(app: ASGIApp) -> UploadGuard:
            self.guards.append(UploadGuard(app, limit=limit))
            return self.guards[-1]

        self.app = Starlette(routes=routes, middleware=[Middleware(guard)])

    def put(
        self,
        session: str,
        file: str,
        size: int,
        visitor: str = "",
        name: str = "ไฟล์.txt",
        parts_until_reload: int | None = None,
    ) -> int:
        """Upload a file in parts, as browsers do; return the status of the answer."""
        head = f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
        body = head.encode() + b"Content-Type: text/plain\r\n\r\n" + b"x" * size + b"\r\n--b--\r\n"
        parts = [body[start : start + 65_536] for start in range(0, len(body), 65_536)]
        headers = {"content-type": "multipart/form-data; boundary=b", "content-length": str(len(body))}
        headers |= {"cookie": f"{NAME}={visitor}"} if visitor else {}
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
        assert not parts  # the browser could send everything
        assert not self.guards[-1]._coming  # and nothing is waited for any more
        return int(answers[0]["status"])

    def file(self, session: str, file: str) -> Any:
        (found,) = self.manager.get_files(session, [file])
        return found


def code(file: Any) -> str | None:
    refusal = refusal_of(file.type)
    return refusal.code if refusal else None


def test_whoever_sends_files_without_the_page_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(monkeypatch, 100 * KB)
    for session, file in (("one", "a"), ("two", "b"), ("one", "c"), ("three", "d")):
        assert server.put(session, file, 40 * KB, "visitor") == 204
    assert [code(server.file(*each)) for each in (("one", "a"), ("two", "b"))] == [None, None]
    for each in (("one", "c"), ("three", "d")):
        late = server.file(*each)
        assert (late.name, late.data, code(late)) == ("ไฟล์.txt", b"", "uploads_too_large")
    assert server.put("four", "e", 40 * KB, "somebody else") == 204
    assert code(server.file("four", "e")) is None
    server.manager.remove_session_files("one")
    assert server.put("three", "f", 40 * KB, "visitor") == 204
    assert code(server.file("three", "f")) is None
    assert uploads_held()[0] == 3 * 40 * KB


@pytest.mark.parametrize("limit", [100 * KB, 2**30], ids=["refused", "taken"])
def test_a_reload_in_mid_upload_leaves_nothing_half(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    server = Server(monkeypatch, limit)
    with pytest.raises(ClientDisconnect):
        server.put("one", "a", 2**21, "visitor", parts_until_reload=20)
    assert not server.manager.file_storage.get("one")
    assert not server.guards[-1]._coming
    assert server.put("two", "a", 50 * KB, "visitor") == 204
    assert len(server.file("two", "a").data) == 50 * KB


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """A full disk for temporary files, and what makes room on it."""
    place = tmp_path / "tmp"
    place.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a disk here")
    monkeypatch.setattr(tempfile, "tempdir", str(place))

    def make_room() -> None:
        subprocess.run(["mount", "-o", "remount,size=8m", str(place)], check=True)

    yield make_room
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_is_full_while_a_file_arrives_is_told(
    monkeypatch: pytest.MonkeyPatch, full_disk: Callable[[], None]
) -> None:
    server = Server(monkeypatch, 2**30)
    assert server.put("one", "a", 2**21) == 204
    late = server.file("one", "a")
    assert (late.name, late.data, code(late)) == ("ไฟล์.txt", b"", "upload_no_room")
    assert server.put("one", "small", 10 * KB) == 204  # small ones need no disk
    assert len(server.file("one", "small").data) == 10 * KB
    full_disk()
    assert server.put("one", "again", 2**21) == 204
    assert len(server.file("one", "again").data) == 2**21


@pytest.mark.parametrize("place", SOURCES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_that_did_not_arrive_is_told_where_it_was_chosen(place: str, language: str) -> None:
    app = show(opened(language), place)
    lost = ("mine.txt", b"", f"{arriving.REFUSED}; no_room=0")
    app.file_uploader(key=WIDGETS[place]).set_value(
        lost if place == "text" else [lost, ("b.txt", b"b", "text/plain")]
    )
    app.run()
    assert not app.exception
    sentence = error_sentence(CorpusError("", "upload_no_room"), spoken=language)
    boxes = " ".join(box.value for kind in (app.error, app.warning) for box in kind)
    assert without_breaks(sentence) in without_breaks(boxes)
    assert "mine.txt" in boxes


def test_a_tokenizer_that_did_not_arrive_is_told_and_the_others_open() -> None:
    app = open_page("compare")
    lost = ("lost.model", b"", f"{arriving.REFUSED}; no_room=0")
    app.file_uploader(key="model_file").set_value([lost, ("mine.model", b"minbpe v1\n\n0\n97 98\n", "")]).run()
    assert not app.exception
    (error,) = app.error
    assert "lost.model" in error.value
    assert without_breaks(error_sentence(CorpusError("", "upload_no_room"), spoken="en")) in error.value
    assert [file.name for file in app.session_state["opened_files"]] == ["mine"]
