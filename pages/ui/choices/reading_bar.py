"""How far the reading of large uploads is: a bar with the share, and how fast it goes."""

import time

import streamlit as st

from pages.ui.words import t
from tokenizer_core.texts.tables import Told

LARGE = 20 * 10**6
"""Bytes. Less is read before anyone has read a line about it."""
SAID_SECONDS = 0.25
"""Time between two words: each lets a visitor who has clicked elsewhere end the reading."""


class ReadingBar:
    """A bar that is drawn when the reading of large files has something to say, and removed at its end."""

    def __init__(self, size: int) -> None:
        """Take the bytes of all files that are to be read."""
        self._size = size
        self._place = st.empty()
        self._began: tuple[float, float] | None = None
        self._said = 0.0
        self._done = 0

    def file(self, size: int) -> Told:
        """Return what is told the share that is read of the next file, which has so many bytes."""
        before = self._done
        self._done += size
        return lambda share: self._say(before + share * size)

    def end(self) -> None:
        """Remove the bar."""
        self._place.empty()

    def _say(self, done: float) -> None:
        now = time.monotonic()
        if self._began is None:  # what came before was decoding, at another rate
            self._began, self._said = (now, done), now
        if self._size < LARGE or now - self._said < SAID_SECONDS:
            return
        self._said = now
        began, before = self._began
        words = t(
            "files.read_share",
            done=round(done / 10**6),
            size=round(self._size / 10**6),
            rate=f"{(done - before) / 10**6 / max(now - began, 0.001):,.0f}",
        )
        self._place.progress(min(1.0, done / self._size), text=words)
