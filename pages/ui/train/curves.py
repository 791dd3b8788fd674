"""The curves of a training: tokens in the corpus, bytes per token, and how often each merged pair occurred."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import regex
import streamlit as st

from pages.ui.train.merges import chip_parts
from pages.ui.widgets import written
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import CURVE_HEIGHT, Axis, Level, Spec, curve_spec, thinned
from pages.ui.widgets.segmented import segmented
from pages.ui.words import names, t
from tokenizer_core.jobs.job import Job
from tokenizer_core.openai import references
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge
from tokenizer_core.vocabulary import BYTES

KINDS = ("tokens", "bytes_per_token", "pair_count")
COUNTED_BYTES = 200_000
"""The references count only the beginning of a longer corpus: all three need 45 ms for this much Thai."""
SHOWN_CLUSTERS = 24
"""A longer token shows only its end, where its newest part is."""
_BREAK = regex.compile(r"\s")
_CLUSTER = regex.compile(r"\X")

Row = dict[str, Any]
Points = Sequence[tuple[int, int]]
"""Merges learned, and the tokens in the corpus at that time; at first the corpus has one token per byte."""


class Counted(NamedTuple):
    """The tokens of the references for the beginning of a corpus, and how much of the corpus that is."""

    bytes: int
    is_whole: bool
    tokens: dict[str, int]
    """Tokens by the name of the reference, without references whose file cannot be read."""


_counted = Bounded[Counted](64, weigh=lambda counted: 1)


def curves(job: Job, tokenizer: Tokenizer) -> None:
    """Draw one curve of the training against vocabulary size, as the visitor chooses; cheap enough to redraw."""
    # On the left, because Streamlit's own buttons appear above the right end of a chart under the mouse.
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.header(t("curves.title"), anchor=False, width="content")
        kind = segmented(t("curves.label"), KINDS, names("curves.{}", KINDS), key="curve_kind")
    points = list(job.curve)
    if len(points) < 2 or not tokenizer.merges:
        st.skeleton(height=CURVE_HEIGHT)
        return
    counted = references_counted(job)
    if kind == "pair_count":
        rows, spec, sentence = pair_count_curve(job, tokenizer)
    elif kind == "tokens":
        rows, spec, sentence = token_curve(points, _sizes(job), counted)
    else:
        rows, spec, sentence = bytes_per_token_curve(points, _sizes(job), counted)
    # The alternative text stays the same while the training runs: a new one would draw a new chart.
    st.vega_lite_chart(rows, spec, key=f"curve_{kind}", alt=t(f"curves.{kind}_alt"))
    st.caption(sentence)


def _sizes(job: Job) -> tuple[int, int]:
    """Return the vocabulary sizes that the axis spans: up to the goal, or to where an ended training stopped."""
    merges = max(1, len(job.merges)) if job.ended else job.merge_goal
    return BYTES, BYTES + merges


def token_curve(points: Points, sizes: tuple[int, int], counted: Counted) -> tuple[list[Row], Spec, str]:
    """Return rows, specification and caption for the tokens in the corpus.

    The level lines need the counts of the whole corpus.
    """
    rows = [{"size": BYTES + merges, "value": tokens} for merges, tokens in thinned(points)]
    levels = _levels(counted.tokens) if counted.is_whole else []
    most = max(points[0][1], *(level.value for level in levels), 1)
    spec = curve_spec(
        sizes,
        t("curves.axis_size"),
        Axis(t("curves.axis_tokens"), most=most),
        levels=levels,
        own=t("tokenizers.mine") if levels else "",
    )
    sentence = t("curves.tokens_says", merges=points[-1][0], first=points[0][1], last=points[-1][1])
    if levels:
        sentence += " " + t("curves.levels_whole")
    elif counted.tokens:
        sentence += " " + t("curves.levels_too_long")
    return rows, spec, sentence


def bytes_per_token_curve(points: Points, sizes: tuple[int, int], counted: Counted) -> tuple[list[Row], Spec, str]:
    """Return rows, specification and caption for the bytes per token.

    This is a ratio, so the level lines may come from a part of the corpus; then the caption says so.
    """
    corpus_bytes = points[0][1]
    rows = [{"size": BYTES + merges, "value": corpus_bytes / tokens} for merges, tokens in thinned(points)]
    levels = _levels({name: counted.bytes / tokens for name, tokens in counted.tokens.items()})
    spec = curve_spec(
        sizes,
        t("curves.axis_size"),
        Axis(t("curves.axis_bytes"), ".2~f"),
        levels=levels,
        own=t("tokenizers.mine") if levels else "",
    )
    sentence = t("curves.bytes_per_token_says", now=written.ratio(rows[-1]["value"]))
    if levels:
        part = t("curves.levels_part", kilobytes=written.kilobytes(counted.bytes))
        sentence += " " + (t("curves.levels_whole") if counted.is_whole else part)
    return rows, spec, sentence


def pair_count_curve(job: Job, tokenizer: Tokenizer) -> tuple[list[Row], Spec, str]:
    """Return rows, specification and caption for how often each merged pair occurred, on a logarithmic scale.

    The rows also name the token that each pair became. A merge that was given, not learned, may join a pair that
    never occurred; it is left out, because a logarithmic scale has no place for 0.
    """
    merges = [merge for merge in job.merges[: len(tokenizer.merges)] if merge.count]
    counts = [merge.count for merge in merges] or [0]
    rows = [_pair_row(merge, tokenizer) for merge in thinned(merges)]
    spec = curve_spec(
        _sizes(job),
        t("curves.axis_size"),
        Axis(t("curves.axis_count"), most=max(*counts, 10), is_log=True),
        words=[(t("curves.new_token"), "token")],
    )
    return rows, spec, t("curves.pair_count_says", first=counts[0], last=counts[-1])


def _pair_row(merge: Merge, tokenizer: Tokenizer) -> Row:
    token = readable(tokenizer.vocabulary[merge.token_id])
    return {"size": merge.token_id + 1, "value": merge.count, "token": token}


@lru_cache(maxsize=4_096)
def readable(token: bytes) -> str:
    """Write a token as plain text: letters whole, a mark on a circle, bytes of a broken letter as hex.

    >>> readable(" น้ำ".encode()), readable("่า".encode() + b"\\xe0\\xb8")
    ('␣น้ำ', '◌่า E0 B8')
    """
    clusters = _CLUSTER.findall(" ".join(text for text, _ in chip_parts(token)))
    return "".join(clusters) if len(clusters) <= SHOWN_CLUSTERS else "…" + "".join(clusters[-SHOWN_CLUSTERS:])


def _levels(values: dict[str, Any]) -> list[Level]:
    """Return the level lines of the references, with their common names."""
    return [Level(t(f"tokenizers.{name}"), value) for name, value in values.items()]


def references_counted(job: Job) -> Counted:
    """Count the tokens of the references for the corpus of a training, or for its beginning.

    A training may have dropped its texts; then return what was counted before, or nothing.
    """
    texts = job.training.texts
    return _counted.get(job.id, lambda: count_references(texts))


def count_references(texts: Iterable[str]) -> Counted:
    """Count the tokens of the references for the beginning of a corpus, text by text, exactly."""
    pieces, is_whole = beginning(texts)
    tokens = {name: int(tokenizer.encode_each(pieces).counts.sum()) for name, tokenizer in references().items()}
    size = sum(len(piece.encode("utf-8")) for piece in pieces)
    return Counted(size, is_whole, tokens if size else {})


def beginning(texts: Iterable[str], most: int = COUNTED_BYTES) -> tuple[list[str], bool]:
    """Return the first texts up to `most` bytes, the last one cut after white space, and whether that is all.

    >>> beginning(["one", "two words"], 9)
    (['one', 'two '], False)
    """
    pieces: list[str] = []
    left = most
    for text in texts:
        piece = text[:left].encode("utf-8")[:left].decode("utf-8", errors="ignore")
        if len(piece) < len(text):
            ends = [space.end() for space in _BREAK.finditer(piece)]
            pieces.append(piece[: ends[-1]] if ends else piece)
            return [each for each in pieces if each], False
        pieces.append(piece)
        left -= len(piece.encode("utf-8"))
    return pieces, True
