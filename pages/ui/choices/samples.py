"""The bundled samples: parallel Thai and English sentences."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "sample_data"
SAMPLES = {"th": ("parallel.th.txt",), "en": ("parallel.en.txt",), "both": ("parallel.th.txt", "parallel.en.txt")}


def sample_texts() -> tuple[str, ...]:
    """Return the bundled samples of both languages."""
    return tuple(map(sample_text, SAMPLES["both"]))


@cache
def sample_text(file: str) -> str:
    """Return the text of a bundled sample."""
    return (FOLDER / file).read_text(encoding="utf-8")


@cache
def sample_topics() -> dict[str, tuple[int, ...]]:
    """Return the topics of the sample in its order, each with its pairs, numbered from 0 up."""
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(sample_text("parallel.topics.txt").split()):
        places.setdefault(topic, []).append(place)
    return {topic: tuple(found) for topic, found in places.items()}
