// The keyboard in the text: one stop for Tab; arrows walk along boxes, Enter opens one, N and P go to differences.
// @ts-check

import { BoxWords } from "../boxes/box_words.js";
import { keyOf } from "../pressed.js";

/** @import { Box, BoxElement, Lane } from "../types.d.ts" */
/** @import { TokenView } from "../view.js" */

/** @typedef {"next" | "previous" | "down" | "up" | "first" | "last" | "here"} Step */

/** @type {Record<string, Step>} */
const STEPS = { ArrowRight: "next", ArrowLeft: "previous", ArrowDown: "down", ArrowUp: "up", Home: "first", End: "last" };
/** @type {Record<string, 1 | -1>} */
const DIFFERENCES = { n: 1, p: -1 };
const SPOKEN = ["role", "aria-label", "aria-describedby"]; // of the box with the focus alone

/** @param {TokenView} view */
export function listenToKeys(view) {
  const { state, cursor } = view;
  const { scroller } = state;
  const isInside = (/** @type {EventTarget | null} */ target) => target instanceof Node && scroller.contains(target);
  scroller.addEventListener("focusin", ({ target, relatedTarget }) => {
    if (target === scroller && !isInside(relatedTarget) && scroller.matches(":focus-visible")) walk(view, "here");
  });
  scroller.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (target instanceof Element && target !== scroller) for (const name of SPOKEN) target.removeAttribute(name);
    if (!isInside(relatedTarget)) cursor.release();
  });
  scroller.addEventListener("keydown", (event) => {
    if (!state.model.text || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return; // a slider has keys of its own
    if (answer(view, keyOf(event))) event.preventDefault();
  });
}

/**
 * Do what a key is for; false if it is for nothing here.
 * @param {TokenView} view
 * @param {string} key
 */
function answer(view, key) {
  const { cursor, inspector, light } = view;
  if (key === "Escape") {
    if (inspector.pinned) inspector.leave();
    else if (cursor.hasFocus) cursor.leave();
  } else if (key === "Enter" && light.hot && cursor.hasFocus) {
    inspector.pin(light.hot.lane, light.hot.box, light.hot.element);
  } else if (key in DIFFERENCES && view.state.base !== null) view.differences.go(DIFFERENCES[key]);
  else if (key in STEPS) walk(view, STEPS[key]);
  else return false;
  return true;
}

/**
 * @param {TokenView} view
 * @param {Step} step
 */
function walk({ differences, cursor }, step) {
  differences.forget();
  cursor.go(step);
}

/** The place of the keyboard: a lane, and in it a segment, or a token while chips are drawn. */
export class Cursor {
  /** @param {TokenView} view */
  constructor(view) {
    this.view = view;
    this.state = view.state;
    this.lane = 0;
    this.index = 0;
    this.hasFocus = false;
  }

  /** @param {Step} step */
  go(step) {
    const { drawn, model } = this.state;
    if (!drawn.length || !model.text) return;
    const at = Math.max(0, drawn.findIndex(({ index }) => index === this.lane));
    if (drawn[at].index !== this.lane) this.index = 0;
    if (step === "down") this.changeLane(drawn[at], drawn[Math.min(drawn.length - 1, at + 1)]);
    else if (step === "up") this.changeLane(drawn[at], drawn[Math.max(0, at - 1)]);
    else {
      const last = this.countOf(drawn[at]) - 1;
      const found = { first: 0, last, next: this.index + 1, previous: this.index - 1, here: this.index };
      this.moveTo(drawn[at], found[step]);
    }
    this.focus();
  }

  /**
   * Go to the same place in another lane.
   * @param {Lane} from
   * @param {Lane} to
   */
  changeLane(from, to) {
    const segment = to.segmentOfUnit(this.unitIn(from));
    this.moveTo(to, this.state.isChips ? to.tokenAt[segment] : segment);
  }

  /**
   * @param {Lane} lane
   * @param {number} index
   */
  moveTo(lane, index) {
    this.lane = lane.index;
    this.index = Math.max(0, Math.min(this.countOf(lane) - 1, index));
  }

  /**
   * Go to a box without giving it the focus.
   * @param {Lane} lane
   * @param {Box} box
   */
  standAt(lane, box) {
    this.moveTo(lane, this.state.isChips ? box.token : lane.segmentOfUnit(box.from));
  }

  /**
   * Go to a unit of the text, and give the box there the focus.
   * @param {Lane} lane
   * @param {number} unit
   */
  goToUnit(lane, unit) {
    const { isChips, model } = this.state;
    this.lane = lane.index;
    this.index = isChips ? lane.tokenOfByte(lane.byteOfUnit(unit, model.text)) : lane.segmentOfUnit(unit);
    this.focus();
  }

  /** @param {Lane} lane */
  countOf(lane) {
    return this.state.isChips ? lane.tokens.length : lane.segments;
  }

  /**
   * The unit of the text at which the cursor stands.
   * @param {Lane} lane
   */
  unitIn(lane) {
    const index = Math.min(this.index, this.countOf(lane) - 1);
    return lane.unitAt[this.state.isChips ? lane.segmentOfToken(index) : index];
  }

  /** Give the box of the cursor the focus. */
  focus() {
    const lane = this.state.model.lanes[this.lane];
    const element = lane && this.elementIn(lane);
    if (!element?.lane || !element.box) return;
    this.hasFocus = true;
    element.setAttribute("role", "button");
    element.setAttribute("aria-describedby", "card");
    element.setAttribute("aria-label", new BoxWords(this.state.model, lane, element.box).name());
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
    this.state.scroller.tabIndex = -1;
    this.view.light.turnOn(lane, element.box, element);
  }

  /**
   * The element of the box at the cursor, drawn if it was not.
   * @param {Lane} lane
   */
  elementIn(lane) {
    const { rows } = this.view;
    const row = rows.of(this.unitIn(lane));
    if (!row) return null;
    rows.fill(row);
    const token = this.state.isChips ? this.index : lane.tokenAt[this.index];
    const cell = row.cells?.find((each) => each.lane?.index === lane.index);
    if (!cell?.lane) return null;
    const near = cell.boxes[Math.max(0, cell.boxes.findLastIndex((box) => box.token <= token))];
    if (!near) return null;
    // The clusters of a segment have one token: the first of them has the focus.
    const index = cell.boxes.findIndex((box) => box.token === near.token);
    return /** @type {BoxElement} */ (cell.element.childNodes[index]);
  }

  /** The focus has gone elsewhere. */
  release() {
    this.hasFocus = false;
    this.state.scroller.tabIndex = 0;
    this.view.light.turnOff();
  }

  /** Give the keyboard back to the page: Tab continues from the text as a whole. */
  leave() {
    this.release();
    this.state.scroller.focus({ preventScroll: true });
  }
}
