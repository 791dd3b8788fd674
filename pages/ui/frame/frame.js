// What the browser does for every page: its language, its history, its focus, and the meanings of terms.

import { explain } from "./terms.js";

// Streamlit adds a step for the back button with each change of the address's query, two for a change of page.
// A step within a page leads nowhere: back there, the page would put its query in again, with another step.
// Before a change of page it puts the next page's query into this one's address, to which Back leads: it is made
// again what it was when the visitor pressed something.
const step = history.pushState.bind(history);
let pressedAt = "";
const forget = () => (pressedAt = "");
for (const pressed of ["click", "keydown"]) document.addEventListener(pressed, forget, { capture: true });
history.pushState = (state, title, url) => {
  const isSamePage = url != null && new URL(url, location.href).pathname === location.pathname;
  if (isSamePage) {
    pressedAt ||= location.href;
    history.replaceState(state, title, url);
    return;
  }
  if (pressedAt) history.replaceState(history.state, "", pressedAt);
  forget();
  step(state, title, url);
};

// What a chart says of a bar goes when the page moves, or at the next tap: Vega leaves it where a finger was.
const hideTooltip = () => document.querySelector("#vg-tooltip-element")?.classList.remove("visible");
for (const moved of ["scroll", "pointerdown"]) {
  document.addEventListener(moved, hideTooltip, { capture: true, passive: true });
}

// From a button the keyboard goes on into what the button has opened, which Streamlit draws at the page's end.
document.addEventListener("keydown", (event) => {
  const opener = event.target.closest?.('[data-testid="stPopoverButton"][aria-expanded="true"]');
  const isForward = event.key === "Tab" && !event.shiftKey;
  if (!opener || !isForward) return;
  const all = '[data-testid="stPopoverBody"] :is(button, input, select, textarea, a)';
  const inside = document.querySelectorAll(all);
  const first = [...inside].find((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility());
  if (!first) return;
  event.preventDefault();
  first.focus();
});

const seen = new WeakMap();
export default function ({ data, parentElement }) {
  const { language, screen, explained } = JSON.parse(new TextDecoder().decode(data));
  document.documentElement.lang = language; // screen readers choose their voice by this
  const before = seen.get(document);
  seen.set(document, screen);
  // A new screen on the same page, such as a training that has just started, is shown from its top.
  if (before !== undefined && before !== screen) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  explain(explained);
}
