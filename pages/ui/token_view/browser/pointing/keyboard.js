// The keyboard in the text: one stop for Tab; arrows walk along boxes, Enter opens one, N and P go to differences.
// @ts-check

/** @import { Cursor, Step } from "./cursor.js" */
/** @import { Differences } from "../frame/differences.js" */
/** @import { Inspector } from "./inspector.js" */
/** @import { Light } from "./light.js" */
/** @import { ViewState } from "../state.js" */

/** @type {Record<string, Step>} */
const STEPS = {
  ArrowRight: "next",
  ArrowLeft: "previous",
  ArrowDown: "down",
  ArrowUp: "up",
  Home: "first",
  End: "last",
};
/** @type {Record<string, 1 | -1>} */
const DIFFERENCES = { n: 1, N: 1, p: -1, P: -1 };
const SPOKEN = ["role", "aria-label", "aria-describedby"]; // of the box with the focus alone

export class Keyboard {
  /**
   * @param {ViewState} state
   * @param {{ cursor: Cursor, differences: Differences, light: Light, inspector: Inspector }} parts
   */
  constructor(state, { cursor, differences, light, inspector }) {
    this.state = state;
    this.cursor = cursor;
    this.differences = differences;
    this.light = light;
    this.inspector = inspector;
    state.scroller.addEventListener("focusin", (event) => this.focusIn(event));
    state.scroller.addEventListener("focusout", (event) => this.focusOut(event));
    state.scroller.addEventListener("keydown", (event) => this.press(event));
  }

  /** @param {FocusEvent} event */
  focusIn({ target, relatedTarget }) {
    const { scroller } = this.state;
    if (target !== scroller) return;
    const isFromInside = relatedTarget instanceof Node && scroller.contains(relatedTarget);
    if (!isFromInside && scroller.matches(":focus-visible")) this.walk("here");
  }

  /** @param {FocusEvent} event */
  focusOut({ target, relatedTarget }) {
    const { scroller } = this.state;
    if (target instanceof Element && target !== scroller) for (const name of SPOKEN) target.removeAttribute(name);
    if (relatedTarget instanceof Node && scroller.contains(relatedTarget)) return;
    this.cursor.release();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (!this.state.model.text || event.metaKey || event.ctrlKey || event.altKey) return;
    if (this.answer(event.key)) event.preventDefault();
  }

  /**
   * Do what a key is for; false if it is for nothing here.
   * @param {string} key
   */
  answer(key) {
    const { hot } = this.light;
    if (key === "Escape") {
      if (this.inspector.pinned) this.inspector.leave();
      else if (this.cursor.hasFocus) this.cursor.leave();
    } else if (key === "Enter" && hot && this.cursor.hasFocus) this.inspector.pin(hot.lane, hot.box, hot.element);
    else if (key in DIFFERENCES && this.state.base !== null) this.differences.go(DIFFERENCES[key]);
    else if (key in STEPS) this.walk(STEPS[key]);
    else return false;
    return true;
  }

  /** @param {Step} step */
  walk(step) {
    this.differences.forget();
    this.cursor.go(step);
  }
}
