// Light on the box that is pointed at: its characters stand out in every lane, and the card says what they are.
// @ts-check

import { cardContent } from "../boxes/box_words.js";

/** @import { BranchLists } from "../frame/branches.js" */
/** @import { Card } from "./card.js" */
/** @import { Inspector } from "./inspector.js" */
/** @import { Row } from "../boxes/row.js" */
/** @import { Rows } from "../boxes/rows.js" */
/** @import { ViewState } from "../state.js" */
/** @import { Box, BoxElement, Lane } from "../types.d.ts" */

export class Light {
  /**
   * @param {ViewState} state
   * @param {{ rows: Rows, card: Card, inspector: Inspector, branches: BranchLists }} parts
   */
  constructor(state, { rows, card, inspector, branches }) {
    this.state = state;
    this.rows = rows;
    this.card = card;
    this.inspector = inspector;
    this.branches = branches;
    /** @type {{ lane: Lane, box: Box, element: BoxElement } | null} */
    this.hot = null;
  }

  /**
   * Put a box in the light, and nothing else.
   * @param {Lane} lane
   * @param {Box} box
   * @param {BoxElement} element
   */
  turnOn(lane, box, element) {
    for (const row of this.litRows()) this.mark(row, false);
    this.hot = { lane, box, element };
    for (const row of this.litRows()) this.mark(row);
    this.state.root.classList.add("lit");
    this.branches.point(lane, box);
    this.card.fill(cardContent(this.state.model, lane, box));
    this.place();
  }

  turnOff() {
    if (!this.hot) return;
    for (const row of this.litRows()) this.mark(row, false);
    this.hot = null;
    this.state.root.classList.remove("lit");
    this.branches.point(null);
    this.card.hide();
  }

  /** After rows were drawn again: light what the element shows now. */
  refresh() {
    const element = this.hot?.element;
    if (element?.isConnected && element.lane && element.box) this.turnOn(element.lane, element.box, element);
    else this.turnOff();
  }

  /** The drawn rows in which the lit characters stand. */
  litRows() {
    return this.hot ? this.rows.between(this.hot.box.from, this.hot.box.to) : [];
  }

  /**
   * Light the characters in all lanes of a row, or darken them.
   * @param {Row} row
   * @param {boolean} [isLit]
   */
  mark(row, isLit = true) {
    if (!this.hot) return;
    const { from, to } = this.hot.box;
    for (const { lane, element, boxes } of row.cells ?? []) {
      if (!lane) continue;
      for (let i = firstAfter(boxes, from); i < boxes.length && boxes[i].from < to; i++) {
        /** @type {BoxElement | undefined} */ (element.childNodes[i])?.classList.toggle("hot", isLit);
      }
    }
  }

  /** Put the card beside the box; it goes when the box scrolls away, or when the inspector says more. */
  place() {
    if (!this.hot) return;
    const place = this.seenPlace(this.hot.element);
    if (place && this.inspector.pinned?.box !== this.hot.box) this.card.show(place, ...this.reach(this.hot.lane), this.inspector.free());
    else this.card.hide();
  }

  /**
   * Where an element is, or null where it is out of sight.
   * @param {Element} element
   */
  seenPlace(element) {
    const place = element.isConnected ? element.getClientRects()[0] : undefined;
    if (!place) return null;
    const { top, bottom } = this.state.scroller.getBoundingClientRect();
    return place.bottom > Math.max(0, top) && place.top < Math.min(innerHeight, bottom) ? place : null;
  }

  /**
   * How far the lanes of the staff reach above and below a lane, in pixels.
   * @param {Lane} lane
   * @returns {[above: number, below: number]}
   */
  reach(lane) {
    const cells = this.state.isStaff ? (this.litRows()[0]?.cells ?? []).filter((cell) => cell.lane) : [];
    if (cells.length < 2) return [0, 0];
    const tops = cells.map(({ element }) => element.getBoundingClientRect().top);
    const own = tops[lane.index];
    return [own - tops[0], tops[tops.length - 1] - own];
  }
}

/**
 * The first box that ends after a unit; boxes are in order.
 * @param {Box[]} boxes
 * @param {number} unit
 */
function firstAfter(boxes, unit) {
  let low = 0;
  let high = boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes[middle].to <= unit) low = middle + 1;
    else high = middle;
  }
  return low;
}
