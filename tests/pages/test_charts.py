"""What charts share: valid definitions without rows, words in both languages, names that do not overlap."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui import i18n
from pages.ui.i18n import catalogue
from pages.ui.languages.charts import Bar, Bin, bar_chart, bar_rows, distribution_chart, distribution_rows
from pages.ui.patterns.costs import cost_lines, costs_chart
from pages.ui.pieces.baselines import baselines_chart, baselines_of, baselines_rows
from pages.ui.train.divergence import divergence_chart, divergence_rows
from pages.ui.train.frontier import Cost, Frontier, FrontierPoint, Premium, frontier_chart, frontier_rows
from pages.ui.vocabulary.composition import length_rows, lengths_chart, strip_chart, strip_rows
from pages.ui.vocabulary.cost import cost_chart, cost_rows
from pages.ui.widgets.charts import Definition, spread, vega_lite
from pages.ui.widgets.colours import CATEGORIES
from tests.helpers.app import LANGUAGES
from tests.helpers.paths import REPOSITORY
from tokenizer_core import Tokenizer
from tokenizer_core.analysis.costs import PUBLISHED
from tokenizer_core.analysis.entries import SCRIPTS, divergence, entries_of


def frontier() -> pd.DataFrame:
    point = FrontierPoint(50, Cost(650, 420), 1_000, Premium(1.5, (1.4, 1.6)))
    return frontier_rows(Frontier(1_000, 1, [], [], "ก", "a", [("gpt2", Cost(1_900, 240))], points=[point]))


CHARTS: dict[Definition, Callable[[], pd.DataFrame]] = {
    bar_chart: lambda: pd.DataFrame(
        bar_rows([Bar("GPT-2", "Thai", 9, "Thai 9", 0), Bar("GPT-2", "English", 3, "English 3", 1)])
    ),
    distribution_chart: lambda: distribution_rows([Bin(1.0, 1.5, 3), Bin(1.5, 2.0, 4)], 1.6),
    costs_chart: lambda: cost_lines([("one", np.array([9, 7])), ("other", np.array([9, 6]))]),
    baselines_chart: lambda: baselines_rows(baselines_of(["the cat sat on the mat"])),
    frontier_chart: frontier,
    divergence_chart: lambda: divergence_rows(divergence([b"ab", b"cd"], [b"cd", b"xy"])),
    cost_chart: lambda: cost_rows("one", [900, 800, 700], [("GPT-2", 50_257, 600)], 258, PUBLISHED[0]),
    strip_chart: lambda: strip_rows(entries_of(Tokenizer([(97, 98)])), {script: script for script in SCRIPTS}),
    lengths_chart: lambda: length_rows(np.array([0, 2, 1]), np.array([0, 1])),
}
every_chart = pytest.mark.parametrize("define", CHARTS, ids=lambda define: define.__name__)


def channels(drawn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All encodings of a chart and of its layers."""
    for part in (drawn, *drawn.get("layer", [])):
        for channel in part.get("encoding", {}).values():
            yield from channel if isinstance(channel, list) else [channel]


@every_chart
def test_a_definition_has_no_rows_and_each_of_its_fields_is_a_column(define: Definition) -> None:
    drawn = define().to_dict()  # Altair validates it
    assert drawn["data"] == {"name": "rows"}
    assert "datasets" not in drawn
    columns = set(CHARTS[define]().columns)
    assert {each["field"] for each in channels(drawn) if "field" in each} <= columns
    assert set(re.findall(r"datum\.?\[?'?(\w+)", json.dumps(drawn))) - {"label", "value"} <= columns


@every_chart
def test_each_word_in_a_chart_is_in_the_visitors_language(
    define: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def titles(spoken: str) -> list[str]:
        monkeypatch.setattr(i18n, "language", lambda: spoken)
        found = [each.get("title") for each in channels(define().to_dict())]
        return [title for title in found if title and title.strip()]

    english, thai = titles("en"), titles("th")
    assert english
    assert set(english) <= set(catalogue("en").values())
    assert set(thai) <= set(catalogue("th").values())
    assert len(english) == len(thai)
    assert not set(english) & set(thai)


@every_chart
def test_no_tooltip_shows_the_name_of_a_field_and_no_title_cuts_off_thai_marks(define: Definition) -> None:
    drawn = define().to_dict()
    assert drawn["config"]["mark"]["tooltip"] is None  # Streamlit would show fields
    assert "title" not in drawn
    for part in (drawn, *drawn.get("layer", [])):
        assert all(each["title"] for each in part.get("encoding", {}).get("tooltip", []))


def test_premiums_fill_the_width_of_their_chart() -> None:
    premiums = distribution_chart().to_dict()["layer"][0]["encoding"]["x"]
    assert premiums["scale"] == {"nice": False, "zero": False}  # none is near 0


def test_a_chart_is_defined_once_for_each_language() -> None:
    made = []

    def define() -> Any:
        made.append(1)
        return strip_chart()

    assert vega_lite(define, "en") is vega_lite(define, "en")
    vega_lite(define, "th")
    assert len(made) == len(LANGUAGES)


def test_saved_pictures_have_the_colors_of_charts() -> None:
    config = tomllib.loads((REPOSITORY / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    assert config["light"]["chartCategoricalColors"] == [colour.light for colour in CATEGORIES]
    assert config["dark"]["chartCategoricalColors"] == [colour.dark for colour in CATEGORIES]


@given(st.lists(st.floats(0, 100), max_size=6))
def test_names_beside_level_lines_never_lie_over_one_another(places: list[float]) -> None:
    moved = spread(places, gap=15, most=100)
    ordered = sorted(moved)
    assert all(above - below >= 15 - 1e-9 for below, above in zip(ordered, ordered[1:], strict=False))
    assert all(-1e-9 <= place <= 100 + 1e-9 for place in moved)
    by_place = sorted(range(len(places)), key=places.__getitem__)
    assert [moved[index] for index in by_place] == ordered
    if all(above - below >= 15 for below, above in zip(sorted(places), sorted(places)[1:], strict=False)):
        assert moved == pytest.approx(places)


def test_a_language_keeps_its_colour_where_it_is_drawn_alone() -> None:
    """Without a domain, Vega gives the first colour to the first value."""
    domains = [
        each["scale"]["domain"] for each in channels(bar_chart().to_dict()) if each.get("field") == "colour"
    ]
    assert domains == [list(range(len(CATEGORIES)))]
