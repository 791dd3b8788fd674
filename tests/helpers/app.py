"""Pages run without a browser, and what stands on them."""

import html
import html.parser
import json
import time
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.token_view.payload import Block
from pages.ui.token_view.serve import offers
from pages.ui.trainings.registry import registry
from pages.ui.words import catalogue
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tokenizer_core.jobs.job import Job

ENGLISH = catalogue("en")


LANGUAGES = ("en", "th")
SPOKEN = (pytest.param("en", marks=pytest.mark.long), "th")
"""For tests that see the same in both languages: the words of both are compared elsewhere."""


def mostly_long(values: Iterable[str], *quick: str) -> list[Any]:
    """Parameters of which a quick run of the tests takes only these."""
    return [each if each in quick else pytest.param(each, marks=pytest.mark.long) for each in values]


def open_page(name: str, language: str = "en") -> AppTest:
    """The page as a visitor of that language finds it."""
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "main.py"), default_timeout=PATIENCE)
    app.query_params["lang"] = language
    if name != "home":
        app.switch_page(str(REPOSITORY / "pages" / f"{name}.py"))
    app.run()
    assert not app.exception
    return app


def drawn(app: AppTest) -> list[dict[str, Any]]:
    """The headers of the token views on the page: text, columns, counts."""
    views = []
    for element in app.get("bidi_component"):
        if "token_view" not in element.proto.component_name:
            continue
        block = bytes(element.proto.bytes)
        size = int.from_bytes(block[:4], "little")
        options = json.loads(block[4 : 4 + size])
        # Of a long text comes the opening; the browser fetches the whole.
        offer = offers().find(options["whole"].rpartition("/")[2]) if options["whole"] else None
        whole = offer.make() if offer else None
        views.append(Block.open(whole or block[4 + size :]).header)
    return views


def deck_on(app: AppTest) -> dict[str, Any] | None:
    """What the deck on the page got."""
    for element in app.get("bidi_component"):
        if element.proto.component_name.endswith("deck"):
            found: dict[str, Any] = json.loads(bytes(element.proto.bytes))
            return found
    return None


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
    app.segmented_control(key="train_pace").set_value(pace).run()
    app.button(key="start").click().run()
    assert not app.exception
    return app


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
