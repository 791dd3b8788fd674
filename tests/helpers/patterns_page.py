"""The page of split patterns, and a contest between patterns on it."""

from streamlit.testing.v1 import AppTest

from tests.helpers.app import open_page
from tests.helpers.app import tables as cells_of_tables


def with_pattern(pattern: str, text: str = "aab", lane: str = "first") -> AppTest:
    """The page with a pattern of one's own in a lane."""
    app = open_page("patterns")
    app.text_area(key="lab_text").set_value(text).run()
    app.selectbox(key=f"lab_{lane}_choice").set_value("custom").run()
    app.text_area(key=f"lab_{lane}_custom").set_value(pattern).run()
    assert not app.exception
    return app


def tables(app: AppTest) -> list[dict[str, list[str]]]:
    """The tables of the page: the cells of each line by its first one."""
    return [{row[0]: row[1:] for row in table} for table in cells_of_tables(app)]


def buttons(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}
