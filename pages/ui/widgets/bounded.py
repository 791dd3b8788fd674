"""A cache with a limit on the total weight of its values, for values of very different sizes."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

Value = TypeVar("Value")


@dataclass
class _Entry(Generic[Value]):
    lock: Lock = field(default_factory=Lock)
    values: list[Value] = field(default_factory=list)
    weight: int = 0
    used: float = 0.0


class Bounded(Generic[Value]):
    """Values by key: each is made once; the least recently used are dropped when all weigh more than the limit.

    Threads that ask for the same key wait until one of them has made its value.

    >>> cache = Bounded[str](limit=5, weigh=len)
    >>> [cache.get(key, lambda: key * 3) for key in "aba"], len(cache)
    (['aaa', 'bbb', 'aaa'], 1)
    """

    def __init__(self, limit: int, weigh: Callable[[Value], int]) -> None:
        self._limit = limit
        self._weigh = weigh
        self._entries: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._lock = Lock()
        with _adding:
            _all.add(self)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, and make it if needed; if making it raises an error, keep nothing."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            entry.used = time.monotonic()
        with entry.lock:
            if not entry.values:
                try:
                    entry.values.append(make())
                except BaseException:
                    with self._lock:
                        if self._entries.get(key) is entry:
                            del self._entries[key]
                    raise
                self._make_room(key, entry)
            return entry.values[0]

    def forget_unused(self, seconds: float) -> None:
        """Drop the values that nobody has asked for in this time."""
        before = time.monotonic() - seconds
        with self._lock:
            for key, entry in list(self._entries.items()):  # the least recently used come first
                if entry.used >= before:
                    break
                if entry.values:  # else it is still being made
                    del self._entries[key]

    def _make_room(self, key: Hashable, entry: _Entry[Value]) -> None:
        """Weigh a new value and drop the least recently used ones; the new one stays, however heavy it is."""
        entry.weight = self._weigh(entry.values[0])
        with self._lock:
            total = sum(each.weight for each in self._entries.values())
            for old in [each for each in self._entries if each != key]:
                if total <= self._limit:
                    break
                if self._entries[old].weight:  # an entry without weight is still being made
                    total -= self._entries.pop(old).weight


_all: WeakSet[Bounded[Any]] = WeakSet()
_adding = Lock()


def forget_unused(seconds: float) -> None:
    """Drop from all these caches the values that nobody has asked for in this time."""
    with _adding:
        caches = list(_all)
    for cache in caches:
        cache.forget_unused(seconds)
