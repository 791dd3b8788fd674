"""A text area that takes over what is typed after a short pause, as `st.text_input(live=True)` does.

`st.text_area` has no `live` (Streamlit 1.67): it waits for Ctrl+Enter or for the focus to leave. The script
presses Ctrl+Enter in it when typing pauses. In a long text the pause is longer, because the page is drawn anew
each time.
"""

import json

import streamlit as st

MOST_LIVE = 5_000
"""Characters up to which a short pause is enough: Compare shows them 0.2 to 0.5 seconds after it."""

_SCRIPT = """
const PAUSE = 400; // milliseconds
const LONG_PAUSE = 1500;
const limits = new Map();
const timers = new WeakMap();

function onInput(event) {
  const box = event.target;
  if (!(box instanceof HTMLTextAreaElement)) return;
  const most = limits.get([...limits.keys()].find((key) => box.closest(`.st-key-${key}`)));
  if (most === undefined) return;
  clearTimeout(timers.get(box));
  if (event.isComposing) return;
  timers.set(box, setTimeout(() => apply(box), box.value.length > most ? LONG_PAUSE : PAUSE));
}

function apply(box) {
  const init = { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true };
  box.dispatchEvent(new KeyboardEvent("keydown", init));
}

document.addEventListener("input", onInput);
document.addEventListener("compositionend", onInput);

export default function ({ data }) {
  const { target, most } = JSON.parse(new TextDecoder().decode(data));
  limits.set(target, most);
}
"""

_component = st.components.v2.component("live_area", js=_SCRIPT)


def live_text_area(
    label: str, *, key: str, height: int, placeholder: str = "", help: str | None = None, show_label: bool = True
) -> str:
    """Draw a text area that survives page changes and takes over what is typed; return its text."""
    text = st.text_area(
        label,
        key=key,
        persist_state="session",
        height=height,
        placeholder=placeholder,
        help=help,
        label_visibility="visible" if show_label else "collapsed",
    )
    _component(key=f"live_area_{key}", data=json.dumps({"target": key, "most": MOST_LIVE}).encode())
    return text or ""
