"""Controls: folds, choices that survive a page change, a live text area, and downloads."""

import json
from collections.abc import Callable, Sequence
from mimetypes import guess_type
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.session import one_of, remembered


def fold(
    label: str,
    *,
    key: str,
    icon: str,
    is_open: bool = False,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
) -> DeltaGenerator:
    """Draw a fold, at first closed unless `is_open`; it stays as it is when the language changes.

    The session value under its key tells whether it is open. Streamlit knows a fold by its label, so without the
    session every fold would close when its label is translated.
    """
    one_of(key, (is_open, not is_open))
    return st.expander(label, key=key, icon=icon, on_change=on_change or "rerun", args=args)


def answer(sentence: str, *, key: str) -> None:
    """Draw the answer of a page: a sentence whose **figures** can be read from the last row."""
    with st.container(key=f"answer_{key}"):
        st.header(sentence, anchor=False)


def popover(
    label: str, *, key: str, icon: str, type: Literal["primary", "secondary", "tertiary"] = "secondary"
) -> DeltaGenerator:
    """Draw a button that opens what is drawn in it; the session value under its key tells whether it is open."""
    one_of(key, (False, True))
    return st.popover(label, key=key, icon=icon, type=type, on_change="rerun")


T = TypeVar("T", bound=str | int)


def segmented(
    label: str,
    options: Sequence[T],
    called: Callable[[T], str],
    *,
    key: str,
    default: T | None = None,
    show_label: bool = False,
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
) -> T:
    """Let the visitor choose one option, at first the default or else the first one; it survives page changes.

    `called` names an option in the visitor's language. Screen readers read the label even if it is not shown.
    """
    first = options[0] if default is None else default
    chosen: T | None = st.segmented_control(
        label,
        options,
        format_func=called,
        required=True,
        key=remembered(key, first),
        persist_state="session",
        label_visibility="visible" if show_label else "collapsed",
        help=help,
        on_change=on_change,
        wrap=True,
    )
    return first if chosen is None else chosen


MOST_LIVE = 5_000
"""Characters up to which a short pause is enough: Compare shows them 0.2 to 0.5 seconds after it."""

_SCRIPT = """
const PAUSE = 400; // milliseconds
const LONG_PAUSE = 1500;
const COMPOSING_PAUSE = 1000; // a phone's keyboard may compose each word until the next
const limits = new Map();
const rooms = new Map(); // characters that a box has room for
const timers = new WeakMap();

function onInput(event) {
  const box = event.target;
  if (!(box instanceof HTMLTextAreaElement)) return;
  const most = limits.get([...limits.keys()].find((key) => box.closest(`.st-key-${key}`)));
  if (most === undefined) return;
  clearTimeout(timers.get(box));
  const pause = box.value.length > most ? LONG_PAUSE : event.isComposing ? COMPOSING_PAUSE : PAUSE;
  timers.set(box, setTimeout(() => apply(box), pause));
}

function apply(box) {
  const init = { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true };
  box.dispatchEvent(new KeyboardEvent("keydown", init));
}

// Streamlit drops a paste that is too long, without a word; the browser takes what fits, beside the count.
function onFocus({ target: box }) {
  const key = box instanceof HTMLTextAreaElement && [...rooms.keys()].find((key) => box.closest(`.st-key-${key}`));
  if (key) box.maxLength = rooms.get(key);
}

document.addEventListener("focusin", onFocus);
document.addEventListener("input", onInput);
document.addEventListener("compositionend", onInput);

export default function ({ data }) {
  const { target, most, room } = JSON.parse(new TextDecoder().decode(data));
  limits.set(target, most);
  if (room) rooms.set(target, room);
}
"""

_component = st.components.v2.component("live_area", js=_SCRIPT)


def live_text_area(
    label: str,
    *,
    key: str,
    height: int | Literal["content"],
    placeholder: str = "",
    help: str | None = None,
    show_label: bool = True,
    max_chars: int | None = None,
) -> str:
    """Draw a text area that survives page changes and takes over what is typed; return its text."""
    text = st.text_area(
        label,
        key=key,
        persist_state="session",
        height=height,
        placeholder=placeholder,
        help=help,
        max_chars=max_chars,
        label_visibility="visible" if show_label else "collapsed",
    )
    data = {"target": key, "most": MOST_LIVE, "room": max_chars}
    _component(key=f"live_area_{key}", data=json.dumps(data).encode())
    return text or ""


def save_button(
    label: str, content: str | bytes, file: str, *, key: str, icon: str = ":material/download:"
) -> None:
    """Draw a button that saves a file of this name; the page is not drawn anew."""
    kind = guess_type(file)[0]
    st.download_button(label, content, file, kind, on_click="ignore", icon=icon, key=key)
