"""Models of the Hub: found, cached, and every way in which there is none; a stand-in answers, and nobody else."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pages.ui.i18n import catalogue, filled
from tests.helpers.hub import COMMIT, GOOD, StandInHub
from tests.helpers.trained import byte_level
from tokenizer_core.errors import SourceError, sentence_of
from tokenizer_core.sources import hub
from tokenizer_core.sources.hub import HubFetch, Progress, cached, fetch, fetch_files
from tokenizer_core.sources.models import model_named, open_model

pytestmark = pytest.mark.usefixtures("stand_in_hub")


def fetch_here(name: str, revision: str | None = None, *, token: bool | None = False) -> str:
    """Fetch as the child does, in this process: it spares the second in which a child warms up."""
    return fetch_files(name, revision, token, Progress())


def refusal(name: str, revision: str | None = None, *, token: bool = False) -> SourceError:
    """Why a model is not fetched. Nothing of it may stay, and it has a sentence in both languages."""
    with pytest.raises(SourceError) as refused:
        fetch_here(name, revision, token=token)
    assert cached(name) is None if hub.is_hub_name(name) else True
    assert list(hub.cache_folder().rglob("*.incomplete")) == []
    for language in ("en", "th"):
        sentence, values = sentence_of(refused.value, catalogue(language))
        assert "{" not in filled(sentence, **values)
    return refused.value


# ---- found


def test_a_model_is_fetched_by_a_child_and_pinned_to_its_commit(stand_in_hub: StandInHub) -> None:
    told: list[tuple[int, int]] = []
    model = fetch("stand/found", progress=lambda done, total: told.append((done, total)))
    assert (model.name, model.version, model.licence) == ("stand/found", COMMIT, "apache-2.0")
    assert [path.name for path in (*model.files, *model.chat_files)] == ["tokenizer.json", "tokenizer_config.json"]
    assert model.files[0].read_bytes() == byte_level()
    assert model.origin == f"https://huggingface.co/stand/found/tree/{COMMIT}"
    assert told[-1][0] == told[-1][1] > len(byte_level())
    assert all(f"resolve/{COMMIT}/" in asked for asked in stand_in_hub.asked if "/resolve/" in asked)
    assert stand_in_hub.sent("model.py") == 0
    assert open_model("stand/found").tokenizer.name == "stand/found"


def test_what_is_cached_opens_without_asking_anybody(stand_in_hub: StandInHub) -> None:
    fetch_here("stand/found")
    stand_in_hub.asked.clear()
    stand_in_hub.shutdown()
    stand_in_hub.server_close()
    for revision in ("", f"@{COMMIT}"):
        opened = open_model(f"stand/found{revision}", public=True)
        assert opened.tokenizer.decode(opened.tokenizer.encode("น้ำใจ")) == "น้ำใจ"
    assert stand_in_hub.asked == []
    assert refusal("stand/other").code == "hub_offline"


def test_two_visitors_at_once_fetch_each_file_once(stand_in_hub: StandInHub) -> None:
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(fetch, ["stand/found"] * 2)
    assert first == second
    assert stand_in_hub.sent("tokenizer.json") == 1


def test_a_token_is_sent_only_where_it_is_allowed(
    stand_in_hub: StandInHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", GOOD)
    assert refusal("stand/gated").code == "hub_gated"
    fetch_here("stand/found")
    assert stand_in_hub.tokens == {None}
    assert fetch_here("stand/gated", token=None) == COMMIT
    assert stand_in_hub.tokens == {None, f"Bearer {GOOD}"}


def test_a_token_is_sent_only_if_the_caller_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def noted(name: str, *, token: bool, **others: Any) -> HubFetch:
        asked.append(token)
        raise SourceError("hub_off", name=name)

    monkeypatch.setattr(hub, "HubFetch", noted)
    for fetch_one in (fetch, partial(fetch, token=True)):
        with pytest.raises(SourceError):
            fetch_one("stand/nowhere")
    assert asked == [False, True]


def test_parts_that_a_stopped_fetch_left_behind_are_deleted_later() -> None:
    blobs = hub.cache_folder() / "models--stand--found" / "blobs"
    blobs.mkdir(parents=True)
    old, new = blobs / "a.1.incomplete", blobs / "b.2.incomplete"
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (time.time() - 7_200,) * 2)
    fetch_here("stand/found")
    assert (old.exists(), new.exists()) == (False, True)


# ---- not found, or not to be had


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("stand/gated", "hub_gated"),
        ("stand/nobody", "hub_missing"),
        ("stand/weights", "hub_no_tokenizer"),
        ("stand/large", "hub_large"),
        ("stand/wrong", "hub_hash"),
        ("stand/longer", "hub_hash"),
        ("stand/breaks", "hub_broken_off"),
        ("stand/login-page", "hub_answer"),
        ("status/429", "hub_busy"),
        ("status/500", "hub_status"),
    ],
)
def test_each_way_to_fail_has_its_sentence(name: str, code: str, stand_in_hub: StandInHub) -> None:
    assert refusal(name).code == code
    if code == "hub_large":
        assert stand_in_hub.sent("tokenizer.json") == 0


def test_a_changed_file_is_refused_where_a_folder_can_hold_no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.file_download.are_symlinks_supported", lambda folder=None: False)
    assert refusal("stand/wrong").code == "hub_hash"


def test_a_version_that_is_not_there_is_refused() -> None:
    assert refusal("stand/found", "v9").code == "hub_revision"
    for revision in ("../x", "a b", "-", "x" * 999):
        with pytest.raises(SourceError, match="has no version"):
            fetch("stand/found", revision=revision)


@pytest.mark.parametrize(
    "name", ["../x", "a/../b", "a/b/../c", "a/..", "a//b", "/etc/passwd/", "a/b c", "a--b/c", "a/" + "b" * 99]
)
def test_a_name_that_is_none_reaches_neither_the_hub_nor_a_file(name: str, stand_in_hub: StandInHub) -> None:
    for call in (cached, fetch, HubFetch, lambda name: model_named(name, public=True)):
        with pytest.raises(SourceError) as refused:
            call(name)
        assert refused.value.code == "hub_name"
    assert stand_in_hub.asked == []


def test_a_hub_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_TIMEOUT", 0.2)
    assert refusal("stand/silent").code == "hub_slow"


def test_a_hub_that_stops_sending_is_given_up_and_the_fetch_can_be_stopped() -> None:
    fetching = HubFetch("stand/stalls", stall_seconds=0.5)
    stopped = HubFetch("stand/silent")
    stopped.stop()
    for each in (fetching, stopped):
        each.wait(60)
    assert (fetching.failure and fetching.failure.code, fetching.model) == ("hub_slow", None)
    assert (stopped.failure, stopped.model, stopped.ended) == (None, None, True)


def test_the_hub_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, stand_in_hub: StandInHub) -> None:
    fetch_here("stand/found")
    stand_in_hub.asked.clear()
    monkeypatch.setenv(hub.SWITCH, "Off")
    assert fetch("stand/found").version == COMMIT
    with pytest.raises(SourceError, match="switched off"):
        fetch("stand/gated")
    assert stand_in_hub.asked == []


def test_a_cache_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "file" / "hub"))
    assert refusal("stand/found").code == "hub_disk"
