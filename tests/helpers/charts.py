"""Trainings that have ended, and what stands in the specification of a chart."""

from collections.abc import Sequence
from typing import Any

from tokenizer_core.jobs.training import Training
from tokenizer_core.trainer import Merge


class Finished:
    """What the curves read of a training that has ended."""

    ended = True
    merge_goal = 100

    def __init__(self, merges: Sequence[Merge], texts: Sequence[str] = (), name: str = "finished") -> None:
        self.id = name
        self.merges = list(merges)
        self.training = Training(texts, 356)


def layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """All the layers of a specification, those within layers too."""
    found = []
    for layer in spec.get("layer", []):
        found += [layer, *layers(layer)]
    return found


def named_levels(spec: dict[str, Any]) -> dict[str, float]:
    """The level lines by name."""
    rows = [row for layer in layers(spec) for row in layer.get("data", {}).get("values", [])]
    return {row["name"]: row["level"] for row in rows}
