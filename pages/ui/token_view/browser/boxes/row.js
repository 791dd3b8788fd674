// One row of the text: its cells, one for each lane, and beside the staff the names of the lanes.
// @ts-check

import { patchCell } from "./box_elements.js";
import { chipBoxes } from "./chip_boxes.js";
import { make } from "../elements.js";
import { readingBoxes } from "./reading_boxes.js";
import { rulerBoxes } from "./ruler_boxes.js";

/** @import { Cell, Lane } from "../types.d.ts" */
/** @import { ViewState } from "../state.js" */

const WIDEST = 20; // pixels of a wide letter: it says how many lines a row may have

export class Row {
  /**
   * @param {ViewState} state
   * @param {number} start
   * @param {number} end
   */
  constructor(state, start, end) {
    this.state = state;
    this.start = start;
    this.end = end;
    this.element = make("div", "row");
    this.gutter = make("div", "gutter");
    /** @type {Cell[] | null} null until the row comes near */
    this.cells = null;
  }

  /** Make the cells, without boxes. */
  build() {
    const { state, element, gutter } = this;
    const cells = state.drawn.map((lane, index) => newCell(lane, index, !state.isStaff));
    if (state.isRuled) cells.unshift(newCell(null, -1, false));
    this.cells = cells;
    element.style.minHeight = "";
    const holders = cells.map(({ holder }) => holder);
    if (!state.isStaff) {
      element.append(...holders);
      return;
    }
    const lanes = make("div", "lanes");
    lanes.append(...holders);
    element.append(gutter, lanes);
    this.nameLines();
  }

  /** Fill the cells with the boxes of their lanes. */
  draw() {
    const { model, choice, colour, isChips } = this.state;
    for (const cell of this.cells ?? []) {
      if (!cell.lane) cell.boxes = rulerBoxes(model, this.state.differences, this);
      else if (cell.lane.index < model.lanes.length) {
        cell.lane = model.lanes[cell.lane.index];
        cell.boxes = (isChips ? chipBoxes : readingBoxes)(model, cell.lane, this, colour);
      }
      patchCell(cell, model, choice);
    }
  }

  /**
   * Take the cells away, but for a row with the focus.
   * @param {number} height
   */
  clear(height) {
    const within = /** @type {ShadowRoot} */ (this.state.root.getRootNode());
    if (!this.cells || this.element.contains(within.activeElement)) return;
    this.element.style.minHeight = `${height}px`;
    this.element.replaceChildren();
    this.cells = null;
  }

  /**
   * The staff names its lanes beside every line: beside as many lines as there could be, cut off under the last
   * one, since measuring each row would cost a layout.
   */
  nameLines() {
    const { state, start, end } = this;
    const { lanes } = state.model;
    if (!state.isStaff || lanes.length < 2) return;
    const width = Math.max(120, state.scroller.clientWidth - (state.isNarrow ? 30 : 150));
    const lines = Math.ceil(((end - start) * WIDEST) / width) + 1;
    this.gutter.replaceChildren(...Array.from({ length: lines }, () => namesOf(lanes)));
  }

  /** The same text in other lanes: their names are new. */
  rename() {
    this.nameLines();
    if (this.state.isStaff) return;
    for (const { lane, holder } of this.cells ?? []) {
      const tag = lane && holder.querySelector(".tag");
      if (tag) tag.textContent = lane.column.name;
    }
  }
}

/**
 * @param {Lane | null} lane null for the ruler
 * @param {number} number
 * @param {boolean} isNamed
 */
function newCell(lane, number, isNamed) {
  const holder = make("div", lane ? "lane" : "lane ruler");
  const element = make("div", "cell");
  if (lane && isNamed) holder.append(make("div", "tag", lane.column.name));
  holder.append(element);
  holder.style.setProperty("--number", String(number));
  return /** @type {Cell} */ ({ lane, holder, element, boxes: [] });
}

/** @param {Lane[]} lanes */
function namesOf(lanes) {
  const names = make("div", "names");
  for (const { column, index } of lanes) {
    const tag = make("div", "tag", column.name);
    tag.dataset.number = String(index + 1);
    names.append(tag);
  }
  return names;
}
