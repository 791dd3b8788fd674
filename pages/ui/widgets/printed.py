"""Pages to print: self-contained HTML with the faces and tables that all of them share."""

import html
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pages.ui.words import language, t
from pages.ui.words.breaks import without_breaks


def printed(template: Path, **values: Any) -> str:
    """Fill a template that extends `printed.html`; its `t` gives words without marks of line breaks."""
    places = [template.parent, Path(__file__).parent]
    environment = Environment(
        loader=FileSystemLoader(places), autoescape=True, undefined=StrictUndefined, auto_reload=False
    )
    return environment.get_template(template.name).render(language=language(), t=_plain, **values)


def _plain(key: str, **values: Any) -> str:
    return without_breaks(t(key, **values))


def bold(words: str) -> str:
    """Write what is bold in Markdown as HTML, and escape everything else.

    >>> bold("**6** < 9")
    '<strong>6</strong> &lt; 9'
    """
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(words))
