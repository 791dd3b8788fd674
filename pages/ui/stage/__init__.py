"""The stage: a training as a show, in which one sentence is recoloured by each merge, played in the browser."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import streamlit as st

from pages.ui.shell import visitor
from pages.ui.token_view.palette import TINT_COUNT
from pages.ui.trainings.registry import registry
from pages.ui.words import language, section
from pages.ui.words.breaks import without_breaks
from tokenizer_core.jobs.job import Job
from tokenizer_core.patterns import pretokenize
from tokenizer_core.pretokens import bytes_and_ends
from tokenizer_core.segments import TextMap

from .serve import address, stage_css, stage_js

MOST_CHARACTERS = 300
"""Characters of the sentence. More would be too small to read from afar."""
_component = st.components.v2.component("stage", css=stage_css(), js=stage_js())


def stage(drawn: Mapping[str, Any]) -> str | None:
    """Draw a stage with these options; return another sentence if the visitor has just typed one."""
    shown = _component(key="stage", data=json.dumps(drawn).encode(), on_sentence_change=lambda: None)
    typed = shown.sentence
    return typed[:MOST_CHARACTERS] if isinstance(typed, str) else None


def options(
    job: Job, text: str, levels: Sequence[tuple[str, int]], *, title: str, what: str, race: str | None
) -> dict[str, Any]:
    """Return what the browser needs to play a training on this sentence, and the tokens that others need for it.

    `what` says in a line what is trained; `race` is the address of the counts of parallel texts. Raises
    `PatternError` if the split pattern of the training is too slow for the sentence.
    """
    run = registry().run(job.id)
    spoken = language()
    mine = run is not None and visitor.owns(job)
    return {
        **_sentence(text, job.training.pattern, levels),
        "name": f"{job.id} {job.continued_from} {sha256(text.encode()).hexdigest()[:16]}",
        "feed": address("watch", job.id, spoken),
        "steer": address("steer", spoken) if mine else None,
        "key": run.steering if run and mine else "",
        "race": race,
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
) -> dict[str, Any]:
    """Return what the browser needs to play a training that has ended, without asking for anything.

    The merges are given as left, right and count.
    """
    learned = {
        "state": "done",
        "says": "",
        "pace": "gathering",
        "learned": len(merges),
        "goal": len(merges),
        "merges": [number for merge in merges for number in merge],
    }
    return {
        **_sentence(text, pattern, levels),
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


def _sentence(text: str, pattern: str, levels: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """Describe the sentence: where it may part, in bytes, what others need for it, and the words around it."""
    text_map = TextMap(text)
    starts = np.flatnonzero(text_map.cluster_starts[:-1])
    ends = bytes_and_ends(pretokenize(text, pattern))[1] if text else np.zeros(0, dtype=np.int64)
    return {
        "text": text,
        "pretokens": ends.tolist(),
        "clusters": text_map.byte_at_char[starts].tolist(),
        "levels": [{"name": name, "count": count} for name, count in levels],
        "labels": section("stage", has_breaks=True),
        "locale": language(),
        "tints": TINT_COUNT,
    }
