"""Pages to print, and pictures to save: self-contained HTML, SVG and PNG."""

import html
import json
import re
import textwrap
from pathlib import Path
from typing import Any

import streamlit as st
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pages.ui.i18n import language, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.colours import INK


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


_STYLE = """
button {
  font: inherit; font-size: .875rem; line-height: 1.6; padding: .25rem .75rem; min-height: 2.5rem; cursor: pointer;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
}
button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
"""

_SCRIPT = """
const SCALE = 2; // pixels of the PNG per pixel of the picture

export default function ({ data, parentElement }) {
  const { label, svg, file } = JSON.parse(new TextDecoder().decode(data));
  let button = parentElement.querySelector("button");
  button ??= parentElement.appendChild(document.createElement("button"));
  button.textContent = label;
  button.onclick = async () => save(await painted(svg), file);
}

async function painted(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * SCALE, image.height * SCALE];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

function save(blob, file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
"""

_component = st.components.v2.component("picture_button", css=_STYLE, js=_SCRIPT)


def picture_button(label: str, svg: str, file: str, *, key: str) -> None:
    """Draw a button that saves this picture as a PNG file with this name."""
    _component(key=key, data=json.dumps({"label": label, "svg": svg, "file": file}).encode(), width="content")


# ---- pictures to save

MARGIN = 24
"""Pixels around a picture that is saved."""
_LINE_OF_TITLE, _TITLE_HEIGHT = 72, 32
"""Characters of a line of a title, and its height; Thai marks need some of it."""


def svg_picture(template: Path, width: int, height: int, *, title: str, says: str, **values: Any) -> str:
    """Fill a template that extends `picture.svg`: dark on white, with its title above and a margin.

    `says` describes it to screen readers. Altair could write SVG only with a browser's engine (vl-convert, 30 MB).
    """
    lines = textwrap.wrap(title, _LINE_OF_TITLE, break_long_words=False)
    top = MARGIN + max(1, len(lines)) * _TITLE_HEIGHT
    heading = [(MARGIN + (number + 0.6) * _TITLE_HEIGHT, line) for number, line in enumerate(lines)]
    wide, high = width + 2 * MARGIN, top + height + MARGIN
    own = {"title": title, "says": says, "heading": heading, "margin": MARGIN, "top": top}
    return printed(template, **own, wide=wide, high=high, ink=INK.light, **values)
