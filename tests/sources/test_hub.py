"""Models of the Hub: found, cached, and every way in which there is none; a stand-in answers, and nobody else."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pages.ui.i18n import catalogue, filled
from tests.helpers.hub import COMMIT, GOOD, StandInHub
from tests.helpers.trained import byte_level
from tokenizer_core.errors import SourceError, sentence_of
from tokenizer_core.interop.limits import MAX_FILE_BYTES
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


def test_the_child_uses_a_token_only_if_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[tuple[object, ...]] = []
    sent: list[dict[str, object]] = []

    def noted(name: str, revision: str | None, token: bool | None, progress: Progress) -> str:
        fetched.append(
            (name, revision, token, os.environ["HF_HUB_DISABLE_XET"], os.environ["HF_HUB_DISABLE_TELEMETRY"])
        )
        return COMMIT

    monkeypatch.setenv("HF_HUB_DISABLE_XET", "0")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "0")
    monkeypatch.setattr(hub, "fetch_files", noted)
    monkeypatch.setattr(hub, "send", lambda event, **values: sent.append({"event": event, **values}))
    for token in (False, True):
        hub.fetch_in_child({"name": "a/b", "revision": "v1", "token": token, "stall_seconds": 10**6}, [])
    assert fetched == [("a/b", "v1", False, "1", "1"), ("a/b", "v1", None, "1", "1")]
    assert sent == [{"event": "fetched", "commit": COMMIT}] * 2


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


# ---- on the way


Told = list[tuple[int, int]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    """What is told of a fetch."""
    sent: Told = []
    monkeypatch.setattr(hub, "send", lambda event, done, total: sent.append((done, total)))
    return sent


def test_bytes_are_told_now_and_then_and_at_the_end(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    # The watch of an earlier test may still sleep.
    monkeypatch.setattr(hub, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=time.sleep))
    progress = Progress()
    progress.total = 20
    progress.begin(12)
    for moment, more in ((0.05, 1), (0.1, None), (0.11, 2.0), (0.2, 3), (0.21, 0), (0.22, 1)):
        now[0] = moment
        progress.update(more)
        assert progress.moved == moment
    progress.update()
    progress.end()
    assert (progress.done, told) == (12, [(3, 20), (7, 20)])
    progress.begin(8)
    progress.end()
    assert told[2:] == [(20, 20)]


@pytest.mark.usefixtures("told")
def test_a_file_may_begin_anew_twice_and_have_no_more_bytes_than_it_should() -> None:
    progress = Progress()
    for _ in range(2):  # each file anew
        progress.begin(10)
        for _ in range(2):
            progress.update(5)
            progress.update(-5)
        progress.update(10)
    progress.begin(10)
    progress.update(10)
    with pytest.raises(Exception, match="hub_hash"):
        progress.update(1)
    progress = Progress()
    progress.begin(10)
    for more in (5, -5, 5, -5, 5):
        progress.update(more)
    with pytest.raises(Exception, match="hub_broken_off"):
        progress.update(-5)


def test_a_large_side_file_is_left_out_and_the_largest_tokenizer_is_fetched(stand_in_hub: StandInHub) -> None:
    files = stand_in_hub.repositories["stand/found"].files
    for name, size, left_out in (("a", 2**20, False), ("b", 2**20 + 1, True)):
        announced = {"tokenizer_config.json": size, "tokenizer.json": MAX_FILE_BYTES}
        stand_in_hub.repositories[f"stand/{name}"] = replace(
            stand_in_hub.repositories["stand/found"], files=dict(files), announced=announced
        )
        fetch_here(f"stand/{name}")
        model = cached(f"stand/{name}")
        assert model is not None
        assert [path.name for path in model.chat_files] == ([] if left_out else ["tokenizer_config.json"])
    announced = {"tokenizer.json": MAX_FILE_BYTES + 2**20}
    stand_in_hub.repositories["stand/c"] = replace(
        stand_in_hub.repositories["stand/found"], files=dict(files), announced=announced
    )
    assert refusal("stand/c").values == {
        "name": "stand/c",
        "file": "tokenizer.json",
        "megabytes": 65,
        "limit": 64,
    }


def test_an_answer_without_a_commit_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = SimpleNamespace(sha="main", siblings=None)
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *given, **options: answer)
    assert refusal("stand/found").code == "hub_answer"
    answer.sha = COMMIT
    assert refusal("stand/found").code == "hub_no_tokenizer"
    answer.sha = None
    assert refusal("stand/found").code == "hub_answer"


def error_of(
    *names: str, base: type[Exception] = Exception, said: str = "why", status: int | None = None
) -> Exception:
    """An error of a library by the names of its classes, the most special one first."""
    made = base
    for name in reversed(names):
        made = type(name, (made,), {})
    error = made(said)
    if status is not None:
        error.response = SimpleNamespace(status_code=status)  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (error_of("GatedRepoError", "RepositoryNotFoundError"), "hub_gated"),
        (error_of("RevisionNotFoundError"), "hub_revision"),
        (error_of("RepositoryNotFoundError"), "hub_missing"),
        (error_of("DisabledRepoError"), "hub_missing"),
        (error_of("HFValidationError", base=ValueError), "hub_name"),
        (error_of("OfflineModeIsEnabled", base=ConnectionError), "hub_off"),
        (error_of("ReadTimeout", "TimeoutException", "NetworkError"), "hub_slow"),
        (error_of("ReadTimeout", "Timeout", base=OSError), "hub_slow"),
        (error_of("RemoteProtocolError"), "hub_broken_off"),
        (error_of("ReadError", "NetworkError"), "hub_broken_off"),
        (error_of("ConnectError", "NetworkError"), "hub_offline"),
        (error_of("ConnectionError", base=OSError), "hub_offline"),
        (error_of("ProxyError"), "hub_offline"),
        (error_of("FileMetadataError", base=OSError), "hub_answer"),
        (error_of("JSONDecodeError", base=ValueError), "hub_answer"),
        (error_of("HTTPError", base=OSError, status=401), "hub_gated"),
        (error_of("HTTPError", base=OSError, status=403), "hub_gated"),
        (error_of("HTTPError", base=OSError, status=429), "hub_busy"),
        (error_of("HTTPError", base=OSError, status=418), "hub_status"),
        (error_of("GatedRepoError", status=418), "hub_gated"),
        (error_of(base=OSError, said="Consistency check failed"), "hub_broken_off"),
        (error_of(base=OSError, said="No space left"), "hub_disk"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_error_of_a_library_is_known_by_its_class_or_its_status(
    error: Exception, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object, **options: object) -> None:
        raise error

    def fail_within(*given: object, **options: object) -> None:
        raise RuntimeError("of another") from error

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", fail)
    found = refusal("stand/found")
    status = getattr(getattr(error, "response", None), "status_code", None)
    assert (found.code, found.values["status"]) == (code, str(status))
    if type(error) is not OSError:
        monkeypatch.setattr("huggingface_hub.HfApi.model_info", fail_within)
        assert refusal("stand/found").code == code


def test_a_fault_that_is_none_of_the_hub_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", broken)
    with pytest.raises(ZeroDivisionError):
        fetch_here("stand/found")


def test_a_refusal_tells_whom_it_asked_for_what(stand_in_hub: StandInHub) -> None:
    found = refusal("status/500")
    where = stand_in_hub.address
    assert {name: value for name, value in found.values.items() if name != "why"} == {
        "name": "status/500",
        "revision": "main",
        "host": where.removeprefix("http://"),
        "address": f"{where}/status/500",
        "status": "500",
    }
    assert 0 < len(str(found.values["why"])) <= 200
    assert refusal("stand/found", "v9").values["revision"] == "v9"


class Fetching:
    """A fetch that ends at its second look, as the test says."""

    model: object = None
    failure: SourceError | None = None
    stops = 0

    def __init__(self, name: str, *, revision: str | None, token: bool) -> None:
        self.done, self.total = 0, 10

    @property
    def ended(self) -> bool:
        return self.done == 10

    def wait(self, seconds: float) -> None:
        self.done += 5

    def stop(self) -> None:
        type(self).stops += 1


def test_a_fetch_is_told_while_it_goes_on_and_always_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "HubFetch", Fetching)
    told: list[tuple[int, int]] = []
    with pytest.raises(SourceError) as caught:
        fetch("stand/found", progress=lambda *more: told.append(more))
    assert (caught.value.code, told, Fetching.stops) == ("hub_died", [(5, 10), (10, 10)], 1)
    monkeypatch.setattr(Fetching, "failure", SourceError("hub_busy"))
    with pytest.raises(SourceError) as caught:
        fetch("stand/found")
    assert caught.value.code == "hub_busy"
    monkeypatch.setattr(Fetching, "model", "a model")
    assert fetch("stand/found") == "a model"

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("stand/found", progress=interrupt)
    assert Fetching.stops == 4


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, "~/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/x", "HF_HOME": "/y"}, "/y/hub"),
        ({"HF_HOME": "/y", "HUGGINGFACE_HUB_CACHE": "/z"}, "/z"),
        ({"HF_HUB_CACHE": "$HF_HOME/w", "HF_HOME": "/y", "HUGGINGFACE_HUB_CACHE": "/z"}, "/y/w"),
    ],
    ids=str,
)
def test_the_cache_is_where_the_environment_says(
    variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert hub.cache_folder() == Path(folder).expanduser()


def test_the_hub_is_asked_where_and_if_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example:8443/way/")
    assert (hub.endpoint(), hub.host()) == ("https://hub.example:8443/way", "hub.example:8443")
    monkeypatch.setenv("HF_ENDPOINT", "")
    assert (hub.endpoint(), hub.host()) == ("https://huggingface.co", "huggingface.co")
    for said, is_on in {
        "": True,
        "on": True,
        "1": True,
        "off": False,
        " NO ": False,
        "0": False,
        "False": False,
    }.items():
        monkeypatch.setenv(hub.SWITCH, said)
        assert hub.is_on() is is_on
    monkeypatch.delenv(hub.SWITCH)
    assert hub.is_on()


def in_cache(commit: str, name: str = "a/b") -> Path:
    folder = hub.cache_folder() / f"models--{name.replace('/', '--')}" / "snapshots" / commit
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").touch()
    return folder


def test_a_version_is_found_by_its_commit_its_name_or_else_the_newest() -> None:
    assert cached("a/b") is None
    folders = [in_cache(f"{n:040x}") for n in range(22)]
    for place, folder in enumerate(folders):
        os.utime(folder, (place, place))
    newest = cached("a/b")
    assert newest is not None
    assert newest.version == folders[-1].name
    exact = cached("a/b", folders[0].name)
    assert exact is not None
    assert (exact.version, exact.kind, exact.name) == (folders[0].name, "hub", "a/b")
    assert cached("a/b", "f" * 40) is None
    assert cached("a/b", "v1") is None
    refs = folders[0].parents[1] / "refs"
    refs.mkdir()
    (refs / "v1").write_text(f"{folders[3].name}\n")
    (refs / "main").write_text(folders[4].name)
    (refs / "odd").write_text("../x")
    versions = [found.version if (found := cached("a/b", name)) else None for name in ("v1", "main", None, "odd")]
    assert versions == [folders[3].name, folders[4].name, folders[4].name, None]
    (folders[4] / "tokenizer.json").unlink()
    assert cached("a/b") == newest
    for folder in folders[2:]:
        (folder / "tokenizer.json").unlink(missing_ok=True)
    assert cached("a/b") is None  # the two left are older than the 20 that are looked at


def test_what_cannot_be_a_name_or_a_version_is_quoted_in_part() -> None:
    with pytest.raises(SourceError) as caught:
        cached("x" * 300)
    assert caught.value.values == {"name": "x" * 200}
    with pytest.raises(SourceError) as caught:
        cached("a/b", "-" * 300)
    assert (caught.value.code, caught.value.values) == ("hub_revision", {"name": "a/b", "revision": "-" * 200})


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
        ("status/403", "hub_gated"),
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
