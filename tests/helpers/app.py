"""Pages run without a browser, and what stands on them."""

import html
import html.parser
import json
import re
import time
from collections.abc import Callable, Iterable
from string import Formatter
from typing import Any, NamedTuple
from unittest import mock

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import FileUploader

from pages.ui.i18n import catalogue
from pages.ui.run_registry.registry import registry
from pages.ui.widgets.token_view.serve import offers
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tests.helpers.payload import Block
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

ENGLISH = catalogue("en")
MAIN = str(REPOSITORY / "pages" / "ui" / "frame" / "main.py")
"""The script that Streamlit runs."""
LANGUAGES = ("en", "th")
DRAWN_WHEN_OPEN = {
    "train": ("train_more",),
    "languages": ("languages_texts", "languages_terms", "receipt_texts"),
}
"""Boxes of pages that begin closed; tests open them, and the manual of each page."""
SPOKEN = (pytest.param("en", marks=pytest.mark.long), "th")
"""For tests that see the same in both languages: the words of both are compared elsewhere."""


def mostly_long(values: Iterable[str], *quick: str) -> list[Any]:
    """Parameters of which a quick run of the tests takes only these."""
    return [each if each in quick else pytest.param(each, marks=pytest.mark.long) for each in values]


def crossed(values: Iterable[Any], others: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Parameters with each value beside every other case in turn; the rest takes long, and shows little more."""
    values = list(values)
    return [
        pytest.param(value, *other, marks=[pytest.mark.long] if (row + column) % 2 else [])
        for row, other in enumerate(others)
        for column, value in enumerate(values)
    ]


def with_any_values(words: str) -> str:
    """The words of the catalogue as a regular expression, whatever values are filled in."""
    parts = []
    for literal, name, form, _ in Formatter().parse(words):
        one_of = "|".join(map(re.escape, form.split("|"))) if form else ".*?"
        parts.append(re.escape(literal) + (f"(?:{one_of})" if name else ""))
    return "".join(parts)


def open_page(name: str, language: str = "en", *, tab: str = "") -> AppTest:
    """The page as a visitor of that language finds it, in one of its tabs."""
    return open_link(name, lang=language, **({"tab": tab} if tab else {}))


def go_to_tab(app: AppTest, tab: str) -> None:
    """Open another tab of the page."""
    app.query_params["tab"] = tab
    app.run()
    assert not app.exception


def open_link(page: str = "compare", **parameters: str) -> AppTest:
    """The page as it opens from an address with these parameters; `with_` stands for `with`."""
    app = AppTest.from_file(MAIN, default_timeout=PATIENCE)
    for name, value in parameters.items():
        app.query_params[name.rstrip("_")] = value
    for box in (*DRAWN_WHEN_OPEN.get(page, ()), f"manual_{page}"):
        app.session_state[box] = True
    if page != "home":
        app.switch_page(str(REPOSITORY / "pages" / f"{page}.py"))
    app.run()
    assert not app.exception
    return app


def opener_of(app: AppTest) -> FileUploader:
    """The uploader of tokenizers, which is drawn when its box is open."""
    for box in ("compare_open", "opener_fold"):
        app.session_state[box] = True
    return app.run().file_uploader(key="model_file")


def drawn(app: AppTest) -> list[dict[str, Any]]:
    """The headers of the token views on the page: text, columns, counts."""
    return [view.block.header for view in views(app)]


def got_by(app: AppTest, component: str) -> dict[str, Any] | None:
    """What the component of this name on the page got; None if it is not there."""
    for element in app.get("bidi_component"):
        if element.proto.component_name.endswith(component):
            found: dict[str, Any] = json.loads(bytes(element.proto.bytes))
            return found
    return None


def deck_on(app: AppTest) -> dict[str, Any] | None:
    """What the deck on the page got."""
    return got_by(app, "deck")


def staged(app: AppTest) -> dict[str, Any]:
    """What the browser gets for the stage on the page."""
    (stage,) = (each for each in app.get("bidi_component") if each.proto.component_name.endswith("stage"))
    options: dict[str, Any] = json.loads(bytes(stage.proto.bytes))
    return options


def counts(app: AppTest) -> dict[str, int]:
    """Token counts of the last token view, by column."""
    return {column["name"]: column["count"] for column in drawn(app)[-1]["columns"]}


def address(app: AppTest, name: str) -> str:
    """One value of the page's address; AppTest gives a list or the value itself."""
    value = app.query_params[name]
    return value if isinstance(value, str) else value[0]


def job_of(app: AppTest) -> Job:
    """The training that the page's address names."""
    job = registry().get(address(app, "job"))
    assert job is not None
    return job


def said(app: AppTest) -> str:
    """All messages on the page."""
    return " ".join(box.value for kind in (app.error, app.warning, app.info, app.success) for box in kind)


def wait_until(app: AppTest, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Run the page again and again, ever less often, until it shows what is waited for.

    Its runs take the time of the workers, which let everybody else go first.
    """
    end, pause = time.monotonic() + seconds, 0.05
    while not condition():
        assert time.monotonic() < end, "the page never showed it"
        time.sleep(pause)
        pause = min(2 * pause, 0.4)
        app.run()
        assert not app.exception


def open_what_if(app: AppTest) -> None:
    """Open the question what if, as soon as the page has it: a run without the popover forgets that it is open."""

    def is_open() -> bool:
        app.session_state["what_if_asks"] = True
        app.run()
        return any(button.key == "what_if_go" for button in app.button)

    wait_until(app, is_open)


def start_training(
    language: str = "en", *, corpus: str | None = None, size: int | None = None, pace: str = "full"
) -> AppTest:
    """The train page after Train was pressed; at a slow pace with more to learn than any test waits for."""
    size = size or (300 if pace == "full" else 2_000)
    app = open_page("train", language)
    if corpus is not None:
        choose_source(app, "paste")
        app.text_area(key="corpus_paste").set_value(corpus).run()
    app.number_input(key="train_size").set_value(size).run()
    with mock.patch("pages.ui.i18n.language", return_value=language):  # AppTest sends the words of an option
        app.segmented_control(key="train_pace").set_value(pace).run()
        app.button(key="start").click().run()
    assert not app.exception
    return app


def two_trainings() -> tuple[AppTest, Job]:
    """The train page after a training, and another one of the same visitor that nobody started in this visit."""
    app = start_training(corpus="aaab aaab aaab " * 5, size=262)
    wait_until(app, lambda: job_of(app).ended)
    earlier = registry().start(Training(["the cat the cat " * 9], 264), owner=app.session_state["owner"])
    wait_until(app, lambda: earlier.ended)
    return app, earlier


def choose_source(app: AppTest, source: str) -> None:
    """Choose texts of one's own on the train page, and where they come from."""
    app.radio(key="train_card").set_value("own").run()
    app.segmented_control(key="corpus_source").set_value(source).run()
    assert not app.exception


def tables(app: AppTest) -> list[list[list[str]]]:
    """The tables on the page: rows of cells."""
    found = []
    for element in app.get("html"):
        reader = Cells()
        reader.feed(element.proto.body)
        found += reader.tables
    return found


def sortable_tables(app: AppTest) -> list[list[list[str]]]:
    """The tables on the page that can be sorted: rows of cells as they are shown."""
    found = []
    for table in app.dataframe:
        shown = pa.ipc.open_stream(table.proto.arrow_data.styler.display_values).read_pandas()
        found.append([list(table.value.columns), *shown.to_numpy().tolist()])
    return found


def chart_rows(app: AppTest, field: str) -> list[dict[str, Any]]:
    """The rows of the only chart on the page that has this field, and in it a value."""
    tables = [
        pa.ipc.open_stream(dataset.data.data).read_all()
        for chart in app.get("vega_lite_chart")
        for dataset in chart.proto.datasets
    ]
    (found,) = (table for table in tables if field in table.column_names)
    return [row for row in found.to_pylist() if row[field] is not None]


class Cells(html.parser.HTMLParser):
    """Reads the cells of tables; notes every element that is no part of one."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.others: list[str] = []

    def handle_starttag(self, tag: str, attributes: object) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        else:
            self.others.append(tag)

    def handle_data(self, text: str) -> None:
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += text


HOSTILE_HTML = "<script>alert(1)</script><style>*{display:none}</style>"
ALL = ["GPT-2", "GPT-4 (cl100k)", "GPT-4o (o200k)"]
MODEL = b"minbpe v1\n\n0\n97 97\n256 97\n"


class View(NamedTuple):
    """A token view on the page: how it is to be drawn, and what."""

    options: dict[str, Any]
    block: Block

    @property
    def text(self) -> str:
        return str(self.block.header["text"])

    @property
    def names(self) -> list[str]:
        return [lane["name"] for lane in self.block.header["columns"]]

    @property
    def counts(self) -> list[int]:
        return [lane["count"] for lane in self.block.header["columns"]]

    def ids(self, name: str) -> list[int]:
        """The ids that the lane of this name shows."""
        lane = self.block.header["columns"][self.names.index(name)]
        return [lane["ids"][place] for place in self.block.array(lane["tokens"])]

    def tokens(self, name: str) -> list[bytes]:
        """The tokens that the lane of this name shows."""
        lane = self.block.header["columns"][self.names.index(name)]
        data, at, table = bytes(self.block.array(lane["bytes"]).tolist()), 0, []
        for size in self.block.array(lane["sizes"]).tolist():
            table.append(data[at : at + size])
            at += size
        return [table[place] for place in self.block.array(lane["tokens"])]


def views(app: AppTest) -> list[View]:
    """The token views on the page, long texts whole."""
    found = []
    for element in app.get("bidi_component"):
        if "token_view" in element.proto.component_name:
            data = bytes(element.proto.bytes)
            size = int.from_bytes(data[:4], "little")
            options = json.loads(data[4 : 4 + size])
            if "bar_of" in options:  # the place for the toolbar of another view
                continue
            offer = offers().find(options["whole"].rpartition("/")[2]) if options["whole"] else None
            found.append(View(options, Block.open(offer.make() if offer else data[4 + size :])))
    return found


def view(app: AppTest) -> View:
    """The one view of the compare page."""
    (only,) = [each for each in views(app) if each.options["key"] == "compare_view"]
    return only


def move_size(app: AppTest, lane: str, size: int) -> None:
    """Move the slider in the head of a lane of the compare page, as the browser tells the page."""
    shown = view(app)
    stages = shown.options["sizes"][str(shown.names.index(lane))]
    app.session_state["compare_view"] = {"size": {"of": stages["of"], "size": size}}
    app.run()
    assert not app.exception


def opened_key(app: AppTest, number: int = 0) -> str:
    """The choice of a tokenizer that was opened from a file."""
    return str(app.session_state["opened_files"][number].key)


def paste(ids: str, whose: str = "gpt2", *, language: str = "en", app: AppTest | None = None) -> AppTest:
    """The compare page after token ids were pasted."""
    app = app or open_page("compare", language)
    app.segmented_control(key="text_source").set_value("ids").run()
    app.selectbox(key="text_ids_of").set_value(whose).run()
    app.text_area(key="text_ids").set_value(ids).run()
    assert not app.exception
    return app


def with_pattern(pattern: str, text: str = "aab", lane: str = "first") -> AppTest:
    """The page with a pattern of one's own in a lane."""
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(text).run()
    app.selectbox(key=f"lab_{lane}_choice").set_value("custom").run()
    app.text_area(key=f"lab_{lane}_custom").set_value(pattern).run()
    assert not app.exception
    return app


def tables_by_row(app: AppTest) -> list[dict[str, list[str]]]:
    """The tables of the page: the cells of each line by its first one."""
    return [{row[0]: row[1:] for row in table} for table in tables(app)]


def buttons(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}
