"""A page whose session or run is gone: whatever is pressed on it, nobody sees a fault of the app."""

from types import SimpleNamespace
from typing import cast

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.testing.v1 import AppTest

from pages.ui.frame import status
from pages.ui.run_registry.registry import registry
from tests.helpers.app import job_of, open_page, start_training, wait_until
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import wait_for
from tests.helpers.paths import REPOSITORY

PAGES = ["home", "learn", "train", "compare", "languages", "patterns", "stories", "vocabulary", "pieces"]


def presses(app: AppTest) -> dict[str, WidgetStates]:
    """What the browser sends for each button of a page when it is pressed, by the button's key."""
    found = {}
    for button in app.button:
        if not button.disabled:
            button.click()
            found[button.key or button.label] = app._tree.get_widget_states()
            button.set_value(False)
    return found


def pressed_anew(page: str, states: WidgetStates, job: str | None) -> AppTest:
    """A new session that begins with a press on a page which another one drew, as after a restart of the app."""
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "frame" / "main.py"), default_timeout=PATIENCE)
    app.query_params["lang"] = "en"
    if job is not None:
        app.query_params["job"] = job
    if page != "home":
        app.switch_page(str(REPOSITORY / "pages" / f"{page}.py"))
    return app._run(widget_state=states)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page == "train" else pytest.mark.long) for page in PAGES]
)
def test_every_button_may_be_pressed_after_the_session_is_gone(page: str) -> None:
    for key, states in presses(open_page(page)).items():
        assert not pressed_anew(page, states, None).exception, key


@pytest.mark.long
@pytest.mark.parametrize("pace", ["full", "slow"])
def test_every_button_of_a_training_may_be_pressed_after_the_session_is_gone(pace: str) -> None:
    app = start_training(pace=pace, size=None if pace == "slow" else 270)
    job = job_of(app)
    wait_for(job, "running" if pace == "slow" else "done")
    before = registry().standing().runs
    found = presses(app.run())
    assert len(found) >= 3
    for key, states in found.items():
        for job_id in (job.id, "gone", None):
            assert not pressed_anew("train", states, job_id).exception, key
    assert registry().get(job.id) is job  # whoever presses is somebody else
    assert registry().standing().runs == before


@pytest.mark.long
def test_every_button_may_be_pressed_after_the_run_is_gone() -> None:
    keys = ["present", "add_stage", "again", "again_", "delete_"]
    for prefix in keys:
        app = start_training(size=270)
        wait_until(app, lambda app=app: bool(app.success))  # type: ignore[misc]
        app.run()
        (key,) = {key for button in app.button if (key := button.key or "").removesuffix(job_of(app).id) == prefix}
        registry().delete("another tab", job_of(app).id)
        app.button(key=key).click().run()
        assert not app.exception, key


def test_a_closed_tab_is_forgotten_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = MemorySessionStorage(ttl_seconds=60)
    now = 1_000.0
    monkeypatch.setattr(storage._cache, "_timer", lambda: now)
    storage.save(cast(SessionInfo, SimpleNamespace(session=SimpleNamespace(id="a tab"))))
    manager = SimpleNamespace(_session_storage=storage)
    running = SimpleNamespace(exists=lambda: True, get_instance=lambda: SimpleNamespace(_session_mgr=manager))
    monkeypatch.setattr(status, "runtime", running)
    status.forget_ended_sessions()
    assert len(storage.list()) == 1
    now += 61
    held = storage._cache._data  # type: ignore[attr-defined]
    assert len(held) == 1  # Streamlit shows it no more, and keeps it
    status.forget_ended_sessions()
    assert len(held) == 0


@pytest.mark.parametrize("manager", [None, SimpleNamespace(), SimpleNamespace(_session_storage=SimpleNamespace())])
def test_nothing_is_forgotten_where_streamlit_keeps_sessions_elsewhere(
    manager: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = SimpleNamespace(exists=lambda: True, get_instance=lambda: SimpleNamespace(_session_mgr=manager))
    monkeypatch.setattr(status, "runtime", running)
    status.forget_ended_sessions()


@pytest.mark.parametrize(("tabs", "seconds"), [(None, 2.0), (1, 2.0), (10, 2.0), (25, 5.0), (50, 10.0)])
def test_pages_redraw_what_changes_more_rarely_if_many_tabs_are_open(
    tabs: int | None, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "open_tabs", lambda: tabs)
    assert status.refresh_interval(2.0) == seconds
