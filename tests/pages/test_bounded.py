"""A bounded cache makes each value once, and drops what was used longest ago."""

import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.widgets import bounded
from pages.ui.widgets.bounded import Bounded, forget_unused
from tests.helpers.browser import PATIENCE


class Making:
    """Makes a value, and counts how often it was asked to."""

    def __init__(self, value: str = "value", seconds: float = 0.0) -> None:
        self.value = value
        self.seconds = seconds
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        time.sleep(self.seconds)
        return self.value


def test_a_value_is_made_once_by_many_threads() -> None:
    cache, make, ready = Bounded[str](limit=100, weigh=len), Making(seconds=0.05), threading.Barrier(16)

    def ask() -> str:
        ready.wait()
        return cache.get("key", make)

    with ThreadPoolExecutor(16) as pool:
        found = [each.result() for each in [pool.submit(ask) for _ in range(16)]]
    assert make.calls == 1
    assert all(each is make.value for each in found)


def test_another_key_does_not_wait() -> None:
    cache, entered, leave = Bounded[str](limit=100, weigh=len), threading.Event(), threading.Event()

    def slowly() -> str:
        entered.set()
        assert leave.wait(PATIENCE)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(cache.get, "slow", slowly)
        assert entered.wait(PATIENCE)
        assert cache.get("quick", lambda: "quick") == "quick"
        leave.set()
        assert slow.result() == "slow"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_keeps_nothing(error: type[BaseException]) -> None:
    cache, make = Bounded[str](limit=100, weigh=len), Making()

    def fail() -> str:
        raise error("no")

    with pytest.raises(error, match="no"):
        cache.get("key", fail)
    assert len(cache) == 0
    assert [cache.get("key", make), cache.get("key", fail)] == ["value", "value"]
    assert make.calls == 1


def test_threads_that_wait_for_an_error_try_by_themselves() -> None:
    cache, entered, leave = Bounded[str](limit=100, weigh=len), threading.Event(), threading.Event()

    def fail() -> str:
        entered.set()
        assert leave.wait(PATIENCE)
        raise ValueError("no")

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(cache.get, "key", fail)
        assert entered.wait(PATIENCE)
        others = [pool.submit(cache.get, "key", lambda: "value") for _ in range(4)]
        leave.set()
        assert [each.result() for each in others] == ["value"] * 4
        with pytest.raises(ValueError, match="no"):
            first.result()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 30)), max_size=40))
def test_what_was_used_longest_ago_goes_first(asked: list[tuple[int, int]]) -> None:
    """The plain twin: an ordered dict; the newest stays, however heavy."""
    limit = 20
    cache, kept = Bounded[str](limit, weigh=len), OrderedDict[int, str]()
    for key, weight in asked:
        make = Making("x" * weight)
        found = cache.get(key, make)
        assert make.calls == (key not in kept)
        assert found == kept.setdefault(key, make.value)
        kept.move_to_end(key)
        while make.calls and sum(map(len, kept.values())) > limit and len(kept) > 1:
            kept.popitem(last=False)
        assert len(cache) == len(kept)


def test_what_nobody_has_asked_for_is_dropped_from_all_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(bounded, "time", SimpleNamespace(monotonic=lambda: now))
    caches = [Bounded[str](limit=100, weigh=len) for _ in range(2)]
    for cache in caches:
        for key in ("asked for again", "left", "empty"):
            cache.get(key, lambda: "")
    now += 60
    caches[0].get("asked for again", Making())
    forget_unused(60)
    assert [len(cache) for cache in caches] == [3, 3]
    now += 1
    forget_unused(60)
    assert [len(cache) for cache in caches] == [1, 0]


def test_what_is_still_being_made_is_not_dropped() -> None:
    cache = Bounded[str](limit=100, weigh=len)

    def make() -> str:
        cache.forget_unused(-1)
        return "value"

    assert cache.get("key", make) == "value"
    assert len(cache) == 1
    cache.forget_unused(-1)
    assert len(cache) == 0
