"""The compare page, and what its view is given."""

import json
from typing import Any, NamedTuple

from streamlit.testing.v1 import AppTest

from pages.ui.token_view.payload import Block
from pages.ui.token_view.serve import offers
from tests.helpers.app import open_page
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY

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
            offer = offers().find(options["whole"].rpartition("/")[2]) if options["whole"] else None
            found.append(View(options, Block.open(offer.make() if offer else data[4 + size :])))
    return found


def view(app: AppTest) -> View:
    """The one view of the compare page."""
    (only,) = [each for each in views(app) if each.options["key"] == "compare_view"]
    return only


def opened_key(app: AppTest, number: int = 0) -> str:
    """The choice of a tokenizer that was opened from a file."""
    return str(app.session_state["opened_files"][number].key)


def open_link(page: str = "compare", **parameters: str) -> AppTest:
    """The page as it opens from an address with these parameters; `with_` stands for `with`."""
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "main.py"), default_timeout=PATIENCE)
    for name, value in parameters.items():
        app.query_params[name.rstrip("_")] = value
    app.switch_page(str(REPOSITORY / "pages" / f"{page}.py")).run()
    assert not app.exception
    return app


def paste(ids: str, whose: str = "gpt2", *, language: str = "en", app: AppTest | None = None) -> AppTest:
    """The compare page after token ids were pasted."""
    app = app or open_page("compare", language)
    app.segmented_control(key="text_source").set_value("ids").run()
    app.selectbox(key="text_ids_of").set_value(whose).run()
    app.text_area(key="text_ids").set_value(ids).run()
    assert not app.exception
    return app
