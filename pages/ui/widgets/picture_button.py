"""A button that saves an SVG picture as PNG; the browser draws it, with the fonts of the visitor's computer."""

import json

import streamlit as st

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
