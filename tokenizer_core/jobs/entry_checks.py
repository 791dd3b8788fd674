"""Checks of what a kept run says of itself: a damaged or hostile file may say anything."""

import math
from collections.abc import Collection, Mapping
from typing import Any, get_args

from tokenizer_core.jobs.job import Ending
from tokenizer_core.jobs.training import Training
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.patterns import MAX_PATTERN_LENGTH, compile_pattern
from tokenizer_core.vocabulary import BYTES

MAX_ID = 2**31 - 1


def check_run(found: Mapping[str, Any], states: Collection[str]) -> None:
    """Refuse a state or an ending that no run has."""
    _must(found["state"] in states)
    _must(found["ending"] is None or found["ending"] in get_args(Ending))


def checked_training(found: Mapping[str, Any]) -> Training:
    """Return the training of a description in which every value is of its kind; raise `ValueError` otherwise."""
    _must(_is_count(found["vocab_size"], BYTES))
    _must(isinstance(found["pattern"], str) and len(found["pattern"]) <= MAX_PATTERN_LENGTH)
    compile_pattern(found["pattern"])
    special = found["special_tokens"]
    _must(isinstance(special, (list, dict)) and all(isinstance(token, str) for token in special))
    _must(not isinstance(special, dict) or all(_is_count(token_id, 0) for token_id in special.values()))
    _must(isinstance(found["corpus_name"], str) and len(found["corpus_name"]) <= 1_000)
    _must(found["pace"] is None or found["pace"] == "gathering" or _is_positive(found["pace"]))
    _must(_is_count(found["first_merges"], 0) and all(_is_pair(pair) for pair in found["given"]))
    _check_stop(found["stop"])
    return Training.from_description(
        {**found, "texts": (), "given": [(left, right) for left, right in found["given"]]}
    )


def _check_stop(stop: Mapping[str, Any]) -> None:
    _must(_is_count(stop["min_count"], 1))
    _must(stop["max_seconds"] is None or _is_positive(stop["max_seconds"]))
    if (beat := stop["beat"]) is not None:
        _must(isinstance(beat["text"], str) and _is_count(beat["tokens"], 0))
        _must(beat["reference"] in ("", *OPENAI_NAMES))


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_count(each, 0) for each in value)


def _is_count(value: Any, least: int) -> bool:
    return type(value) is int and least <= value <= MAX_ID


def _is_positive(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value > 0


def _must(holds: bool) -> None:
    if not holds:
        raise ValueError("a setting of the training is wrong")
