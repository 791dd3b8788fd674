"""The status: whoever runs the app sees its load by a secret, and nobody sees it without."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame import status
from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.run_registry import registry as trainings
from tests.helpers.app import LANGUAGES, said, start_training
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY

SECRET = "ความลับ of whoever runs it"

NAMES = ("visitors", "at_work", "waiting", "paused", "runs", "uploads", "memory", "workers")


def status_of(app: AppTest, language: str) -> dict[str, str]:
    """The figures of the status on a page; those of the page itself have other names."""
    shown = {without_breaks(metric.label): str(metric.value) for metric in app.metric}
    words = {name: without_breaks(catalogue(language)[f"status.{name}"]) for name in NAMES}
    return {name: shown[word] for name, word in words.items() if word in shown}


def opened(given: str | None, language: str = "en") -> AppTest:
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "frame" / "main.py"), default_timeout=PATIENCE)
    app.query_params["lang"] = language
    if given is not None:
        app.query_params["status"] = given
    app.run()
    assert not app.exception
    assert "status" not in app.query_params
    return app


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_secret_shows_the_load(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "STATUS_SECRET", SECRET)
    app = opened(SECRET, language)
    figures = status_of(app, language)
    assert list(figures) == [*NAMES]
    assert int(figures["memory"].removesuffix(" MB").replace(",", "")) > 10
    assert list(status_of(app.run(), language)) == [*NAMES]  # the address is clean, and the session still sees it


@pytest.mark.parametrize(("given", "secret"), [(SECRET[1:], SECRET), ("", SECRET), ("", ""), (None, SECRET)])
def test_nobody_sees_it_without(given: str | None, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "STATUS_SECRET", secret)
    assert status_of(opened(given), "en") == {}


def test_more_trainings_than_may_wait_are_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 0)
    monkeypatch.setattr(trainings, "MAX_WAITING", 1)
    start_training()
    app = start_training("th")
    refusal = filled(catalogue("th")["errors.queue_full"], limit=1)
    assert without_breaks(refusal) in without_breaks(said(app))
    assert trainings.registry().standing() == (0, 1, 0, 1)
