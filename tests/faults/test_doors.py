"""Only pages of the app's own address connect to it, and only whoever runs it sees the server's figures."""

import urllib.error
import urllib.parse
import urllib.request

import pytest
from starlette.requests import HTTPConnection
from streamlit import config

from pages.ui.frame.doors import is_own
from tests.helpers.browser import PATIENCE, running_app, websocket_status


def comes(origin: str | None, host: str = "127.0.0.1:8501") -> bool:
    headers = [(b"host", host.encode()), *([(b"origin", origin.encode())] if origin is not None else [])]
    return is_own(HTTPConnection({"type": "websocket", "headers": headers}))


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://127.0.0.1:8501", True),
        (None, True),
        *[(f"http://{other}", False) for other in ("127.0.0.1:9999", "127.0.0.1", "localhost:8501", "a.example")],
        *[(other, False) for other in ("null", "", "file://", "http://[", "http://127.0.0.1:8501@a.example")],
    ],
)
def test_only_the_own_origin_connects(origin: str | None, expected: bool) -> None:
    assert comes(origin) == expected


def test_settings_may_allow_more(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = {"server.corsAllowedOrigins": ["https://school.example"]}
    get = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: allowed.get(name, get(name)))
    assert comes("https://school.example")
    assert not comes("https://school.example:444")


def test_the_running_app_keeps_its_doors() -> None:
    with running_app(TOKENIZER_EXPLORER_STATUS="ความลับ") as (address, _):
        own = [websocket_status(address, each) for each in (address, None)]
        others = [websocket_status(address, each) for each in ("http://127.0.0.1:9999", "http://localhost:80")]
        assert (own, others) == ([101, 101], [403, 403])
        metrics = f"{address}/_stcore/metrics"
        secret = urllib.parse.quote("ความลับ")
        with urllib.request.urlopen(f"{metrics}?status={secret}", timeout=PATIENCE) as answer:
            assert b"# TYPE" in answer.read()
        for query in ("", "?status=", "?status=x"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(metrics + query, timeout=PATIENCE)
