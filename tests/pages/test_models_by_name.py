"""Models by their names on every page: at hand, from a stand-in hub, and every way in which there is none."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.inputs import models_by_name, opened_files
from tests.helpers.app import SPOKEN, counts, mostly_long, open_link, open_page, said, view, wait_until
from tests.helpers.hub import COMMIT, StandInHub
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import byte_level, rank_file
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.sources import hub
from tokenizer_core.sources.hub import Progress, fetch_files
from tokenizer_core.sources.model import ModelAtHand

pytestmark = pytest.mark.usefixtures("stand_in_hub")
PAGES = ("compare", "home", "languages", "vocabulary", "stories")
IN_MENUS = ("home", "stories")
TEXT = "น้ำใจ the cat"


def opened_on(page: str, language: str = "en") -> AppTest:
    """A page on which the picker is open."""
    return open_picker(open_page(page, language), page)


def open_picker(app: AppTest, page: str = "compare") -> AppTest:
    app.session_state["opener_fold" if page in IN_MENUS else "compare_open"] = True
    return app.run()


def fetch(app: AppTest, name: str) -> AppTest:
    """Type a name and press the button; the fetch goes on behind the page."""
    box = app.selectbox(key="model_name")
    box.options.append(name)  # AppTest types nothing, it only chooses
    box.set_value(name).run()
    app.button(key="model_fetch").click().run()
    assert not app.exception
    return app


def is_fetching(app: AppTest) -> bool:
    return "model_stop" in {button.key for button in app.button}


def fetched(app: AppTest, name: str) -> AppTest:
    """The page after a fetch has ended, well or not."""
    fetch(app, name)
    wait_until(app, lambda: not is_fetching(app))
    return app


def cache(name: str) -> None:
    """Fetch in this process, which spares the second in which a child warms up."""
    fetch_files(name, None, False, Progress())


def lanes(app: AppTest) -> list[str]:
    return [file.name for file in app.session_state["opened_files"]]


# ---- found


@pytest.mark.parametrize("language", SPOKEN)
def test_a_name_is_fetched_and_its_lane_is_exact_and_says_where_it_comes_from(
    language: str, stand_in_hub: StandInHub
) -> None:
    app = opened_on("compare", language)
    words = catalogue(language)
    app.text_area(key="compare_text").set_value(TEXT).run()
    open_picker(app)
    assert stand_in_hub.asked == []
    assert app.button(key="model_fetch").label == filled(words["models.fetch"], host=hub.host())
    fetched(app, "stand/found")
    assert view(app).names[3:] == ["found"]
    assert view(app).ids("found") == HuggingFaceTokenizer(byte_level()).encode(TEXT)
    details = view(app).block.header["columns"][3]["details"]
    assert f"stand/found @ {COMMIT[:12]}" in details
    assert filled(words["models.licence"], licence="apache-2.0") in details
    assert words["models.exact"] in details
    assert app.session_state["compare_open"] is False


@pytest.mark.parametrize("page", PAGES)
def test_on_every_page_one_click_opens_what_is_at_hand_beside_the_others(
    page: str, stand_in_hub: StandInHub
) -> None:
    cache("stand/found")
    stand_in_hub.asked.clear()
    app = opened_on(page)
    button = app.button(key="at_hand_stand/found")
    assert COMMIT[:12] in button.label
    button.click().run()
    assert not app.exception
    assert stand_in_hub.asked == []
    assert lanes(app) == ["found"]
    if page == "vocabulary":
        assert app.segmented_control(key="vocabulary_lane_4").value == app.session_state["opened_files"][0].key
    elif page == "languages":
        assert app.session_state["opened_files"][0].key in (app.pills(key="languages_names_False").value or ())
    elif page == "stories":
        app.button(key="story_show").click().run()
    if page not in ("vocabulary", "languages"):
        assert "found" in counts(app)
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    assert "found" in view(app).names
    open_picker(app)
    assert "at_hand_stand/found" not in {button.key for button in app.button}


def test_a_file_under_two_names_is_listed_once_and_what_every_page_has_not_at_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"the same")
    models = [
        ModelAtHand("package:one", "package", (tmp_path / "file",)),
        ModelAtHand("package:two", "package", (tmp_path / "file",)),
        ModelAtHand("tiktoken:cl100k_base", "tiktoken", (tmp_path / "file",)),
    ]
    monkeypatch.setattr(models_by_name, "known_name", lambda path: "A name")
    monkeypatch.setattr(models_by_name, "find_models", lambda **given: models)
    app = opened_on("compare")
    listed = [str(button.key) for button in app.button if str(button.key).startswith("at_hand_")]
    assert listed == ["at_hand_package:one"]


def test_a_closed_picker_looks_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(**given: object) -> list[ModelAtHand]:
        raise AssertionError

    monkeypatch.setattr(models_by_name, "find_models", never)
    for page in PAGES:
        assert "model_name" not in {box.key for box in open_page(page).selectbox}


def test_the_address_of_a_models_page_is_a_name_too() -> None:
    assert lanes(fetched(opened_on("compare"), f"{hub.host()}/stand/found/tree/main")) == ["found"]


def test_a_borrowed_tokenizer_is_said_before_it_is_fetched() -> None:
    app = opened_on("compare")
    app.selectbox(key="model_name").set_value("scb10x/typhoon2.5-qwen3-4b").run()
    assert any("Typhoon 2.5" in caption.value and "Qwen 3." in caption.value for caption in app.caption)


def test_a_rank_file_at_hand_asks_for_its_pattern_and_keeps_its_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ranks.tiktoken"
    path.write_bytes(rank_file([b"e ", b"e c"]))
    model = ModelAtHand("ollama:ranks", "ollama", (path,))
    monkeypatch.setattr(models_by_name, "find_models", lambda **given: [model])
    app = opened_on("compare")
    app.button(key="at_hand_ollama:ranks").click().run()
    (file,) = app.session_state["opened_files"]
    assert app.session_state["compare_open"] is True
    (picker,) = [box for box in app.selectbox if box.key and box.key.startswith("opened_pattern")]
    picker.set_value("none").run()
    (changed,) = app.session_state["opened_files"]
    assert (changed.model, changed.name) == (model, file.name)
    assert changed.key != file.key
    details = view(app.run()).block.header["columns"][3]["details"]
    assert "ollama:ranks" in details
    assert catalogue("en")["models.exact"] not in details


# ---- and every way in which there is none

FAILURES = {
    "stand/gated": "hub_gated",
    "stand/nothing": "hub_missing",
    "stand/weights": "hub_no_tokenizer",
    "stand/large": "hub_large",
    "stand/wrong": "hub_hash",
    "stand/breaks": "hub_broken_off",
    "status/429": "hub_busy",
    "../x": "hub_name",
    "a/../b": "hub_name",
    "stand/found@nothing": "hub_revision",
}


@pytest.mark.parametrize("name", mostly_long(FAILURES, "stand/gated", "stand/wrong", "../x"))
def test_each_failure_has_a_sentence_and_the_page_goes_on(name: str) -> None:
    app = fetched(opened_on("compare"), name)
    assert app.session_state["model_failed"].why.code == FAILURES[name]
    assert len(app.error) == 1
    assert app.error[0].value
    assert len(view(app).names) == 3
    assert lanes(fetched(app, "stand/found")) == ["found"]
    assert not app.error


def test_without_a_network_what_is_cached_opens_and_the_rest_is_told(stand_in_hub: StandInHub) -> None:
    cache("stand/found")
    stand_in_hub.shutdown()
    stand_in_hub.server_close()
    app = fetched(opened_on("compare"), "stand/gated")
    assert app.session_state["model_failed"].why.code == "hub_offline"
    assert lanes(fetched(open_picker(app), "stand/found")) == ["found"]


def test_a_slow_fetch_is_shown_and_can_be_stopped_and_another_visitor_opens_one_meanwhile() -> None:
    cache("stand/found")
    slow, other = opened_on("compare"), opened_on("compare")
    fetch(slow, "stand/stalls")
    assert is_fetching(slow)
    task = slow.session_state["model_fetching"].task
    other.button(key="at_hand_stand/found").click().run()
    assert (lanes(other), is_fetching(other)) == (["found"], False)
    slow.button(key="model_stop").click().run()
    assert not is_fetching(slow)
    assert not slow.error
    task.wait(10)
    assert (task.ended, task.stopped) == (True, True)
    assert hub.cached("stand/stalls") is None
    assert lanes(fetched(slow, "stand/found")) == ["found"]


def test_two_visitors_share_one_tokenizer_until_neither_has_it_open() -> None:
    cache("stand/found")
    first, second = opened_on("compare"), opened_on("compare")
    for app in (first, second):
        app.button(key="at_hand_stand/found").click().run()
    (mine,), (theirs,) = (app.session_state["opened_files"] for app in (first, second))
    assert mine.opened is theirs.opened
    assert mine.opened in opened_files._SHARED.values()
    first.session_state["opened_files"] = []
    assert view(second.run()).names[3:] == ["found"]


def test_files_that_are_gone_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ModelAtHand("ollama:gone", "ollama", (tmp_path / "gone",))
    monkeypatch.setattr(models_by_name, "find_models", lambda **given: [model])
    app = opened_on("compare")
    app.button(key="at_hand_ollama:gone").click().run()
    assert "ollama:gone" in said(app)


# ---- on a public server, and switched off


def test_on_a_public_server_no_token_is_sent_and_only_what_the_owner_chose_is_listed(
    stand_in_hub: StandInHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    monkeypatch.setattr(models_by_name, "IS_PUBLIC", True)
    asked: list[bool] = []

    def find(*, public: bool) -> list[ModelAtHand]:
        asked.append(public)
        return []

    monkeypatch.setattr(models_by_name, "find_models", find)
    fetched(opened_on("compare"), "stand/gated")
    assert set(asked) == {True}
    assert stand_in_hub.tokens == {None}


def test_switched_off_the_field_is_gone_and_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    cache("stand/found")
    monkeypatch.setenv(hub.SWITCH, "off")
    app = opened_on("compare")
    assert "model_name" not in {box.key for box in app.selectbox}
    app.button(key="at_hand_stand/found").click().run()
    assert lanes(app) == ["found"]


# ---- links


def test_a_link_names_the_model_and_where_it_is_not_open_says_so(stand_in_hub: StandInHub) -> None:
    app = fetched(opened_on("compare"), "stand/found")
    link = view(app).options["link"]
    assert link["leaves_out_mine"] is False
    assert link["parameters"]["with"].split(",")[3:] == [f"hub:stand/found@{COMMIT}"]
    stand_in_hub.asked.clear()
    again = open_link("compare", with_=link["parameters"]["with"])
    assert len(view(again).names) == 3
    assert "stand/found" in said(again)
    again.button(key=f"linked_stand/found@{COMMIT}").click().run()
    assert again.session_state["compare_open"] is True
    again.button(key="model_fetch").click().run()
    assert view(again.run()).names[3:] == ["found"]
    assert "stand/found" not in said(again)
    assert stand_in_hub.asked == []


@pytest.mark.parametrize("name", ["hub:../x", "hub:a/b@../c", "hub:<b>/x", "stand/found"])
def test_a_link_cannot_name_what_is_no_model(name: str) -> None:
    assert said(open_link("compare", with_=f"gpt2,{name}")) == ""
