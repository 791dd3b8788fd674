"""The stage: a training as a show, in which one sentence is recoloured by each merge, played in the browser."""

import json
from collections.abc import Sequence
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


def stage(
    job: Job, text: str, levels: Sequence[tuple[str, int]], *, title: str, what: str, race: str | None
) -> None:
    """Draw the stage of a training with this sentence, and what other tokenizers need for it, by name.

    `what` says in a line what is trained; `race` is the address of the counts of parallel texts. Raises
    `PatternError` if the split pattern of the training is too slow for the sentence.
    """
    data = json.dumps(options(job, text, levels, title=title, what=what, race=race)).encode()
    _component(key="stage", data=data)


def options(
    job: Job, text: str, levels: Sequence[tuple[str, int]], *, title: str, what: str, race: str | None
) -> dict[str, Any]:
    """Return what the browser needs: the sentence with the places where it may part, addresses, and words."""
    run = registry().run(job.id)
    spoken = language()
    mine = run is not None and visitor.owns(job)
    text_map = TextMap(text)
    starts = np.flatnonzero(text_map.cluster_starts[:-1])
    ends = bytes_and_ends(pretokenize(text, job.training.pattern))[1] if text else np.zeros(0, dtype=np.int64)
    return {
        "name": f"{job.id} {sha256(text.encode()).hexdigest()[:16]}",
        "feed": address("watch", job.id, spoken),
        "steer": address("steer", run.steering, spoken) if run and mine else None,
        "race": race,
        "text": text,
        "pretokens": ends.tolist(),
        "clusters": text_map.byte_at_char[starts].tolist(),
        "levels": [{"name": name, "count": count} for name, count in levels],
        "labels": section("stage"),
        "locale": spoken,
        "tints": TINT_COUNT,
        "title": without_breaks(title),
        "what": without_breaks(what),
        "page": address("replay.html"),
    }
