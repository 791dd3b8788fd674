"""Nobody sees another's text: a link shows one training alone, and the headers allow no code of others."""

import asyncio
import base64
import hashlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import streamlit
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from pages.ui.frame.cookie_and_headers import KnownServer, content_security_policy, later_scripts
from pages.ui.i18n import catalogue
from pages.ui.i18n.breaks import without_breaks
from pages.ui.run_registry.registry import registry
from pages.ui.widgets.player.serve import routes
from tests.helpers.app import job_of, open_page, start_training
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import wait_for
from tests.helpers.paths import REPOSITORY
from tests.helpers.routes import Answer
from tokenizer_core import Tokenizer
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

SECRET = "หกสิบสองทองแดง-private-9417"
CORPUS = f"{SECRET}\n" + "ab ac ad ae af\n" * 50
PAGES = ("home", "train", "compare", "languages", "vocabulary", "pieces")


@pytest.fixture
def theirs() -> Job:
    """A training of another visitor, on a text that nobody else may see."""
    job = job_of(start_training(corpus=CORPUS, size=260))
    wait_for(job, "done")
    return job


def followed(job: Job, page: str) -> AppTest:
    """A page of somebody who has opened the link to a training."""
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "frame" / "main.py"), default_timeout=PATIENCE)
    app.query_params["job"], app.query_params["lang"] = job.id, "en"
    app.run()
    return app.switch_page(str(REPOSITORY / "pages" / f"{page}.py")).run()


def protos(node: Any) -> Iterator[bytes]:
    """Everything that the browser receives for a page."""
    for child in node.children.values() if hasattr(node, "children") else ():
        if isinstance(child, Element):
            yield child.proto.SerializeToString()
        yield from protos(child)


def received(app: AppTest) -> bytes:
    return b"".join(protos(app._tree))


def test_a_link_shows_one_run_and_nothing_of_its_text(theirs: Job) -> None:
    run = registry().run(theirs.id)
    assert run is not None
    other = registry().start(theirs.training, owner=run.owner, name="not-to-be-seen")
    watched = Answer(routes(), f"/stage/watch/{theirs.id}/en")
    assert watched.status == 200
    for page in PAGES:
        app = followed(theirs, page)
        assert not app.exception
        assert app.query_params["job"] in (theirs.id, [theirs.id])
        seen = received(app) + watched.body
        assert len(seen) > 1_000
        for hidden in (SECRET, "private-9417", run.steering, run.owner, other.id, "not-to-be-seen", "watch_link"):
            assert hidden.encode() not in seen, (page, hidden)


def test_whole_lines_may_become_tokens_and_the_link_says_so() -> None:
    job = registry().start(Training([f"{SECRET}\n\n" * 50], 400, pattern="none"), owner="somebody")
    wait_for(job, "done")
    merges = Answer(routes(), f"/stage/watch/{job.id}/en").json["merges"]
    learned = Tokenizer(list(zip(merges[::3], merges[1::3])))
    assert SECRET in [
        learned.token_bytes(256 + place).decode(errors="replace") for place in range(len(merges) // 3)
    ]
    assert "whole lines" in catalogue("en")["watch.says"]
    assert "ทั้งบรรทัด" in without_breaks(catalogue("th")["watch.says"])


def test_its_owner_sees_the_text_and_the_link(theirs: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    run = registry().run(theirs.id)
    assert run is not None
    monkeypatch.setattr("pages.ui.frame.visitor.owner", lambda: run.owner)
    app = followed(theirs, "train")
    assert b"private-9417" in received(app)
    assert f"?lang=en&job={theirs.id}".encode() in received(app)


def test_whoever_comes_without_a_link_sees_no_run(theirs: Job) -> None:
    assert theirs.id.encode() not in received(open_page("train"))


# ---- the security headers


def sources(host: str) -> dict[str, list[str]]:
    """What a policy allows, by its directives."""
    rules = (rule.split() for rule in content_security_policy(host).split(";"))
    return {name: allowed for name, *allowed in rules}


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "tokens.example.org", "[::1]:8501"])
def test_pages_talk_to_their_own_host_alone(host: str) -> None:
    assert sources(host)["connect-src"] == ["'self'", f"ws://{host}", f"wss://{host}"]


@pytest.mark.parametrize("host", ["", "*", "a b", "a;script-src *", "evil.org/path", "a, b", "ไทย", "http://a"])
def test_a_host_that_is_none_adds_nothing(host: str) -> None:
    assert sources(host)["connect-src"] == ["'self'"]
    assert sources(host).keys() == sources("a").keys()


def test_no_text_becomes_code() -> None:
    scripts = sources("a")["script-src"]
    assert not {"'unsafe-eval'", "'unsafe-inline'", "*", "http:", "https:", "data:"} & {*scripts}
    assert {"'self'", "blob:"} <= {*scripts}


# ---- what a page will need


@pytest.mark.parametrize(
    ("page", "own"),
    [
        ("", []),
        ("train", ["Radio.", "NumberInput."]),
        ("languages", ["ArrowVegaLiteChart.", "embed."]),
    ],
)
def test_each_widget_of_a_page_is_named_with_it_and_nothing_twice(page: str, own: list[str]) -> None:
    index = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    scripts = later_scripts(page)
    widgets = (*own, "Html.", "BidiComponent.", "PageLink.", "Button.", "ButtonGroup.", "TextInput.")
    assert all(any(name.startswith(widget) for name in scripts) for widget in widgets)
    assert [name for name in scripts if name in index] == []
    assert 10 < len(set(scripts)) == len(scripts) < 120


def test_a_page_is_told_where_its_server_is_by_a_script_that_the_policy_allows() -> None:
    page = b'<html><script>window.a = "\xe0\xb8\x81"</script></html>'

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        """Compress and skip as Streamlit does where the browser allows it."""
        assert not {b"accept-encoding", b"if-none-match"} & {name for name, _ in scope["headers"]}
        await PlainTextResponse(page, media_type="text/html" if scope["path"] == "/train" else None)(
            scope, receive, send
        )

    asked = {"Accept": "text/html,*/*", "Accept-Encoding": "gzip", "If-None-Match": '"1"'}
    told = Answer([Route("/train", KnownServer(server))], "/train", headers=asked)
    first, _ = re.findall(rb"<script>(.*?)</script>", told.body)
    assert b"BACKEND_BASE_URL" in first
    assert told.body.replace(b"<script>%b</script>" % first, b"", 1) == page
    assert int(told.headers["content-length"]) == len(told.body)
    hashed = base64.b64encode(hashlib.sha256(first).digest()).decode()
    assert f"'sha256-{hashed}'" in content_security_policy("localhost:8501")


def test_a_large_file_that_a_visitor_opens_goes_on_part_by_part() -> None:
    sent: list[Message] = []

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/csv")]})
        for part in range(3):
            await send({"type": "http.response.body", "body": b"<script>", "more_body": part < 2})
            assert len(sent) == part + 2

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("nothing is asked for")

    scope = {"type": "http", "path": "/a.csv", "headers": [(b"accept", b"text/html,*/*")]}
    with ThreadPoolExecutor(1) as another:  # where no event loop runs, as a browser's does in this thread
        another.submit(asyncio.run, KnownServer(server)(scope, receive, send)).result()
    assert b"".join(each.get("body", b"") for each in sent) == b"<script>" * 3
