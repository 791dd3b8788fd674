"""The chart of the mix frontier; without Streamlit, so that tests can read what is drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pages.ui.widgets.charts import QUIET, STRONG, TYPE, Spec, nominal, quantitative


class Cost(NamedTuple):
    """Tokens per 1,000 characters of held-out Thai and English."""

    thai: float
    english: float


class FrontierPoint(NamedTuple):
    """The outcome of one training."""

    share: int
    """Percent of Thai in the text it learned from, by bytes."""
    cost: Cost
    vocab_size: int


def frontier_chart(
    points: Sequence[FrontierPoint],
    references: Sequence[tuple[str, Cost]],
    most: Cost,
    *,
    english_title: str,
    thai_title: str,
    share_title: str,
) -> tuple[list[dict[str, Any]], Spec]:
    """Return rows and specification: Thai against English, joined in the order of shares, and the references.

    Both axes are logarithmic: without Thai in training, Thai costs several times what it costs with only Thai.
    They end at `most`, the cost of single bytes, so that the upper ends stay where they are as points arrive.
    """
    rows: list[dict[str, Any]] = [
        {"share": share, "label": label, "thai": cost.thai, "english": cost.english}
        for share, label, cost in [
            *((point.share, f"{point.share}%", point.cost) for point in points),
            *((None, name, cost) for name, cost in references),
        ]
    ]
    said = [
        nominal("label", title=share_title),
        quantitative("thai", title=thai_title, format=",.0f"),
        quantitative("english", title=english_title, format=",.0f"),
    ]
    return rows, {
        "height": 440,
        "padding": {"left": 4, "top": 12, "right": 16, "bottom": 16},
        "encoding": {
            "x": _cost_axis("english", english_title, [most.english, *(row["english"] for row in rows)]),
            "y": _cost_axis("thai", thai_title, [most.thai, *(row["thai"] for row in rows)]),
        },
        "layer": [*_own_layers(said), *_reference_layers(said)],
    }


_LABEL = {"type": "text", "align": "left", "baseline": "middle", "dx": 9, "fontSize": 12}


def _own_layers(said: list[Spec]) -> list[Spec]:
    """Specify the line through the trainings, their points and shares.

    The line bends to the lower left and leaves room on both sides, so the labels alternate between the sides.
    """
    turn = "datum.share % 20 == 0"
    aside = {
        "align": {"expr": f"{turn} ? 'left' : 'right'"},
        "dx": {"expr": f"{turn} ? 4 : -4"},
        "dy": {"expr": f"{turn} ? -11 : 12"},
    }
    own = [{"filter": "isValid(datum.share)"}]
    line = {"type": "line", "strokeWidth": 2, "color": STRONG, "opacity": 0.6}
    point = {"type": "point", "aria": False, "filled": True, "size": 70, "opacity": 1, "color": STRONG}
    return [
        {"transform": own, "mark": line, "encoding": {"order": quantitative("share")}},
        {"transform": own, "mark": point, "encoding": {"tooltip": said}},
        {"transform": own, "mark": {**_LABEL, **aside, "color": STRONG}, "encoding": {"text": nominal("label")}},
    ]


def _reference_layers(said: list[Spec]) -> list[Spec]:
    """Specify diamonds with the names of the references."""
    other = [{"filter": "!isValid(datum.share)"}]
    point = {"type": "point", "aria": False, "shape": "diamond", "size": 90, "opacity": 1, "color": QUIET}
    return [
        {"transform": other, "mark": point, "encoding": {"tooltip": said}},
        {"transform": other, "mark": {**_LABEL, "color": QUIET}, "encoding": {"text": nominal("label")}},
    ]


def _cost_axis(field: str, title: str, values: Sequence[float]) -> Spec:
    """Specify a logarithmic axis that is a little wider than its values, with round numbers on it."""
    low, high = 0.9 * min(values), 1.15 * max(values)
    ticks = [tick * 10**power for power in range(5) for tick in (1, 2, 3, 5)]
    return quantitative(
        field,
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis={"title": title, "format": ",d", "values": [t for t in ticks if low <= t <= high], **TYPE},
    )
