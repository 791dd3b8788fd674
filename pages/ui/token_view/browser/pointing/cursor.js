// The place of the keyboard in the text: a lane, and in it a segment, or a token while chips are drawn.
// @ts-check

import { boxName } from "../boxes/box_words.js";

/** @import { Light } from "./light.js" */
/** @import { Rows } from "../boxes/rows.js" */
/** @import { ViewState } from "../state.js" */
/** @import { Box, BoxElement, Lane } from "../types.d.ts" */

/** @typedef {"next" | "previous" | "down" | "up" | "first" | "last" | "here"} Step */

export class Cursor {
  /**
   * @param {ViewState} state
   * @param {{ rows: Rows, light: Light }} parts
   */
  constructor(state, { rows, light }) {
    this.state = state;
    this.rows = rows;
    this.light = light;
    this.lane = 0;
    this.index = 0;
    this.hasFocus = false;
  }

  /**
   * Go a step and give the box there the focus.
   * @param {Step} step
   */
  go(step) {
    const { drawn, model } = this.state;
    if (!drawn.length || !model.text) return;
    const at = Math.max(0, drawn.findIndex(({ index }) => index === this.lane));
    if (drawn[at].index !== this.lane) this.index = 0;
    if (step === "down") this.changeLane(drawn[at], drawn[Math.min(drawn.length - 1, at + 1)]);
    else if (step === "up") this.changeLane(drawn[at], drawn[Math.max(0, at - 1)]);
    else this.moveTo(drawn[at], this.indexAfter(drawn[at], step));
    this.focus();
  }

  /**
   * @param {Lane} lane
   * @param {Step} step
   */
  indexAfter(lane, step) {
    const last = this.countOf(lane) - 1;
    const found = { first: 0, last, next: this.index + 1, previous: this.index - 1 };
    return step in found ? found[/** @type {keyof typeof found} */ (step)] : this.index;
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
    element.setAttribute("aria-label", boxName(this.state.model, lane, element.box));
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
    this.state.scroller.tabIndex = -1;
    this.light.turnOn(lane, element.box, element);
  }

  /**
   * The element of the box at the cursor, drawn if it was not.
   * @param {Lane} lane
   */
  elementIn(lane) {
    const row = this.rows.of(this.unitIn(lane));
    if (!row) return null;
    this.rows.fill(row);
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
    this.light.turnOff();
  }

  /** Give the keyboard back to the page: Tab goes on from the text as a whole. */
  leave() {
    this.hasFocus = false;
    this.state.scroller.tabIndex = 0;
    this.state.scroller.focus({ preventScroll: true });
    this.light.turnOff();
  }
}
