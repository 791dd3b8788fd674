"""The stage: a training as a show, in which one sentence is recoloured by each merge, played in the browser."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui.i18n import language, section
from pages.ui.i18n.breaks import without_breaks
from pages.ui.run_registry.registry import registry
from pages.ui.widgets.colours import CATEGORIES, TINT_COUNT
from pages.ui.widgets.player.serve import BROWSER, address, stage_css
from pages.ui.widgets.token_view.serve import bundle
from tokenizer_core.bpe.segments import TextMap
from tokenizer_core.patterns.pretokens import bytes_and_ends
from tokenizer_core.patterns.split_patterns import SUPERWORDS, pretokenize
from tokenizer_core.workers.training_job import Job

MOST_CHARACTERS = 300
"""Characters of the sentence. More would be too small to read from afar."""
_component = st.components.v2.component("stage", css=stage_css(), js=bundle(BROWSER / "stage.js"))


class Wish(NamedTuple):
    """What the visitor has just asked the stage for."""

    sentence: str | None
    """Another sentence to show."""
    compares: bool
    """Whether to compare what the training has learned with other tokenizers."""
    exports: bool
    """Whether to take what the training has learned to other programs."""
    trains: bool
    """Whether to train another tokenizer."""


def stage(drawn: Mapping[str, Any]) -> Wish:
    """Draw a stage with these options; return what the visitor has just asked it for."""
    data = json.dumps(drawn).encode()
    asked: dict[str, Any] = {
        f"on_{what}_change": lambda: None for what in ("sentence", "compare", "exports", "train")
    }
    shown = _component(key="stage", data=data, **asked)
    typed = shown.sentence
    sentence = typed[:MOST_CHARACTERS] if isinstance(typed, str) else None
    return Wish(sentence, shown.compare is True, shown.exports is True, shown.train is True)


def options(
    job: Job,
    text: str,
    levels: Sequence[tuple[str, int]],
    *,
    is_steered: bool,
    title: str,
    what: str,
    race: str | None,
    choosers: Sequence[str] = (),
    is_learned: bool = False,
    is_at_once: bool = False,
) -> dict[str, Any]:
    """Return what the browser needs to play a training on this sentence, and the tokens that others need for it.

    `is_steered` says whether the visitor may control the training, `what` says in a line what is trained, `race`
    is the address of the counts of parallel texts, and `choosers` are the languages that take turns, if they do.
    `is_learned` says whether the training text has this sentence, and `is_at_once` whether the end of a training
    that is over is shown without its film.
    Raises `PatternError` if the split pattern is too slow for the sentence.
    """
    run = registry().run(job.id)
    spoken = language()
    return {
        **_sentence(text, job.training.pattern, levels, superwords=job.training.superwords_from is not None),
        "name": f"{job.id} {sha256(text.encode()).hexdigest()[:16]}",
        "feed": address("watch", job.id, spoken),
        "steer": address("steer", spoken) if is_steered else None,
        "key": run.steering if run and is_steered else "",
        "race": race,
        "is_learned": is_learned,
        "is_at_once": is_at_once,
        "free_after": max(len(job.training.given), job.training.first_merges),
        "choosers": [
            {"name": without_breaks(name), "light": colour.light, "dark": colour.dark}
            for name, colour in zip(choosers, CATEGORIES, strict=False)
        ],
        "title": without_breaks(title),
        "what": without_breaks(what),
        "most": MOST_CHARACTERS,
        "page": address("replay.html"),
    }


def replay_options(
    pattern: str,
    corpus: str,
    merges: Sequence[tuple[int, int, int]],
    text: str,
    levels: Sequence[tuple[str, int]],
    *,
    title: str,
    superwords_after: int | None = None,
) -> dict[str, Any]:
    """Return what the browser needs to play a training that has ended, without asking for anything.

    The merges are given as left, right and count; after `superwords_after` of them, tokens may cross spaces.
    """
    learned = {
        "state": "done",
        "says": "",
        "pace": "gathering",
        "learned": len(merges),
        "goal": len(merges),
        "merges": [number for merge in merges for number in merge],
        "superwords_after": superwords_after,
    }
    return {
        **_sentence(text, pattern, levels, superwords=superwords_after is not None),
        "name": "replay",
        "feed": "",
        "steer": None,
        "key": "",
        "race": None,
        "title": without_breaks(title),
        "what": without_breaks(corpus),
        "page": None,
        "presents": True,
        "saved": {"answer": learned, "runners": [], "note": ""},
    }


def _sentence(text: str, pattern: str, levels: Sequence[tuple[str, int]], *, superwords: bool) -> dict[str, Any]:
    """Describe the sentence: where it may part, in bytes, what others need for it, and the words around it."""
    text_map = TextMap(text)
    starts = np.flatnonzero(text_map.cluster_starts[:-1])
    return {
        "text": text,
        "pretokens": _ends(text, pattern),
        "superwords": _ends(text, SUPERWORDS) if superwords else [],
        "clusters": text_map.byte_at_char[starts].tolist(),
        "levels": [{"name": name, "count": count} for name, count in levels],
        "labels": section("stage", has_breaks=True),
        "locale": language(),
        "tints": TINT_COUNT,
    }


def _ends(text: str, pattern: str) -> list[int]:
    """Return where the pretokens of a text end, in bytes."""
    ends: list[int] = bytes_and_ends(pretokenize(text, pattern))[1].tolist() if text else []
    return ends
