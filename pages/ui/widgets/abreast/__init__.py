"""Several ways to make tokens abreast: one sentence by each, recoloured as its vocabulary grows, over curves."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui.i18n import language, section
from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.colours import CATEGORIES, TINT_COUNT
from pages.ui.widgets.player.serve import stage_css
from pages.ui.widgets.token_view.serve import bundle
from tokenizer_core.analysis.cuts import piece_ends
from tokenizer_core.analysis.lineage import trace
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.segments import TextMap
from tokenizer_core.bpe.tokenizer import Tokenizer

BROWSER = Path(__file__).parent / "browser"
MOST_CHARACTERS = 160
"""Characters of the sentence: each way draws all of it."""


class Frame(NamedTuple):
    """The tokens of the sentence from a vocabulary size on."""

    size: int
    ends: list[int]
    """Where each token ends, in bytes, and each stretch that belongs to no token."""
    plain: list[int]
    """Which of them are no tokens."""
    tokens: int
    """Tokens, also those that cover nothing."""


class Way(NamedTuple):
    """One way to make tokens: its name, the sentence by it, and what it needs for each line at some sizes."""

    name: str
    frames: list[Frame]
    sizes: list[int]
    thai: list[float]
    english: list[float]
    grows: bool
    """Whether each size continues the one before; otherwise each is a tokenizer of its own."""


def abreast_css() -> str:
    """Return the CSS of the race, that of the stage first."""
    return stage_css() + (BROWSER / "abreast.css").read_text("utf-8")


_component = st.components.v2.component("abreast", css=abreast_css(), js=bundle(BROWSER / "abreast.js"))


def abreast(drawn: Mapping[str, Any]) -> None:
    """Draw the race, which plays by itself when it comes into sight."""
    _component(key="abreast", data=json.dumps(drawn).encode())


def abreast_options(text: str, ways: Sequence[Way], sizes: Sequence[int], *, says: str) -> dict[str, Any]:
    """Return what the browser needs to play these ways over these vocabulary sizes; `says` is read aloud."""
    text_map = TextMap(text)
    shown = [
        {
            **way._asdict(),
            "name": without_breaks(way.name),
            "frames": [frame._asdict() for frame in way.frames],
            "light": colour.light,
            "dark": colour.dark,
        }
        for way, colour in zip(ways, CATEGORIES, strict=False)
    ]
    spoken = language()
    return {
        "name": sha256(json.dumps([text, shown, spoken]).encode()).hexdigest(),
        "text": text,
        "clusters": text_map.byte_at_char[np.flatnonzero(text_map.cluster_starts[:-1])].tolist(),
        "ways": shown,
        "sizes": list(sizes),
        "says": without_breaks(says),
        "labels": section("abreast", has_breaks=True),
        "locale": spoken,
        "tints": TINT_COUNT,
    }


def growing_frames(text: str, tokenizer: Tokenizer, sizes: Sequence[int]) -> list[Frame]:
    """Return the tokens of a text at each of these vocabulary sizes that changes them.

    >>> frames = growing_frames("aaa", Tokenizer([(97, 97), (256, 97)]), [256, 257, 258, 259])
    >>> [(frame.size, frame.ends) for frame in frames]
    [(256, [1, 2, 3]), (257, [2, 3]), (258, [3])]
    """
    gone_at = boundaries_gone(text, tokenizer)
    frames: list[Frame] = []
    for size in sizes:
        ends = [end for end, gone in enumerate(gone_at) if end and (gone is None or gone > size)]
        if not frames or ends != frames[-1].ends:
            frames.append(Frame(size, ends, [], len(ends)))
    return frames


def boundaries_gone(text: str, tokenizer: Tokenizer) -> list[int | None]:
    """Return for each byte of a text, and its end, the vocabulary size from which no token starts there.

    None where a token starts at every size.
    """
    gone: list[int | None] = [None] * (len(text.encode()) + 1)
    start = 0
    for traced in trace(text, tokenizer):
        size = len(traced.text.encode())
        before = set(range(start, start + size + 1))
        for step in traced.steps:
            lengths = [len(tokenizer.token_bytes(token_id)) for token_id in step.ids]
            now = set(accumulate(lengths, initial=start))
            for place in before - now:
                gone[place] = step.token_id + 1
            before = now
        start += size
    return gone


def frame_of(text: str, tokenizer: AnyTokenizer, size: int) -> Frame:
    """Return the tokens of a text by a tokenizer of this vocabulary size."""
    pieces, ends = piece_ends(text, tokenizer)
    covers = pieces.lengths > 0
    plain = np.flatnonzero(~pieces.are_tokens[covers]).tolist()
    return Frame(size, ends[covers].tolist(), plain, int(np.count_nonzero(pieces.are_tokens)))
