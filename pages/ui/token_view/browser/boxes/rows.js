// The rows of the text: which there are, which are drawn, and where in the text a visitor is.
// @ts-check

import { make } from "../elements.js";
import { NearRows } from "./near_rows.js";
import { Row } from "./row.js";
import { rowStarts } from "./row_groups.js";
import { lastUpTo } from "../model/sorted.js";

/** @import { ViewState } from "../state.js" */

export class Rows {
  /** @param {ViewState} state */
  constructor(state) {
    this.state = state;
    this.element = make("div", "rows");
    /** @type {Row[]} */
    this.list = [];
    /** @type {number[]} the unit where each row starts, and where the last one ends */
    this.starts = [];
    /** @type {NearRows | null} */
    this.near = null;
    /** Called after a row was drawn, to mark what is pointed at. */
    this.onDrawn = (/** @type {Row} */ _row) => {};
  }

  /** The rows that have boxes at present. */
  get drawn() {
    return this.list.filter((row) => row.cells);
  }

  /** Whether the text that is to be drawn would have the same rows. */
  get areCurrent() {
    return String(this.starts) === String(rowStarts(this.state));
  }

  /** Make all rows anew. */
  rebuild() {
    this.stop();
    this.starts = rowStarts(this.state);
    this.list = [];
    this.element.replaceChildren();
    const { text, labels } = this.state.model;
    if (!text) {
      this.element.append(make("div", "note", labels.empty));
      return;
    }
    this.list = this.starts.slice(0, -1).map((start, i) => new Row(this.state, start, this.starts[i + 1]));
    this.element.append(...this.list.map((row) => row.element));
    this.guessHeights();
    if (this.list.length === 1) this.fill(this.list[0]);
    else this.watch();
  }

  /** Draw rows as they come near. */
  watch() {
    this.near = new NearRows(this.state, this.list, (row) => this.fill(row));
  }

  /** Draw and empty no more rows. */
  stop() {
    this.near?.stop();
  }

  /** @param {Row} row */
  fill(row) {
    if (row.cells) return;
    row.build();
    this.draw(row);
  }

  /** @param {Row} row */
  draw(row) {
    row.draw();
    this.onDrawn(row);
  }

  /** Draw again what is drawn: the colours or the lanes have changed, the text has not. */
  refill() {
    for (const row of this.drawn) this.draw(row);
  }

  rename() {
    for (const row of this.drawn) row.rename();
  }

  /** Adapt to another width. */
  resize() {
    this.guessHeights();
    for (const row of this.drawn) row.nameLines();
  }

  /** A row that is not drawn needs about the height that it will have, or the scroll bar would lie. */
  guessHeights() {
    const { isStaff, isChips, isNarrow, scroller, drawn } = this.state;
    const lanes = drawn.length || 1;
    const isStacked = isNarrow || isChips;
    const whole = scroller.clientWidth;
    const width = Math.max(120, isStaff ? whole - 120 : isStacked ? whole : whole / lanes - 28);
    const line = isChips ? 34 : 39;
    const height = isStaff ? this.systemHeight() : line * (isStacked ? lanes : 1);
    for (const row of this.list) {
      if (row.cells) continue;
      const lines = Math.ceil(((row.end - row.start) * (isChips ? 26 : 8)) / width);
      row.element.style.minHeight = `${lines * height}px`;
    }
  }

  /** The height of all lanes of the staff over one line of text, in pixels. */
  systemHeight() {
    const probe = this.element.appendChild(make("div", "system-probe"));
    const { offsetHeight } = probe;
    probe.remove();
    return offsetHeight;
  }

  /**
   * The row in which a unit of the text stands; undefined where there is no text.
   * @param {number} unit
   * @returns {Row | undefined}
   */
  of(unit) {
    return this.list[Math.min(lastUpTo(this.starts, unit), this.list.length - 1)];
  }

  /**
   * The drawn rows between two units of the text.
   * @param {number} from
   * @param {number} to
   */
  between(from, to) {
    const found = [];
    for (let i = lastUpTo(this.starts, from); i < this.list.length && this.list[i].start < to; i++) {
      if (this.list[i].cells) found.push(this.list[i]);
    }
    return found;
  }

  /** The first unit of the row at the top of the scroller. */
  topUnit() {
    const { scroller, heads } = this.state;
    const edge = scroller.getBoundingClientRect().top + heads.offsetHeight;
    return this.list.find((row) => row.element.getBoundingClientRect().bottom > edge)?.start ?? 0;
  }

  /** @param {number} unit */
  scrollTo(unit) {
    const { scroller, heads, model } = this.state;
    const row = this.of(unit);
    if (!row) return;
    this.fill(row);
    if (!model.options.max_height) return;
    const { top } = scroller.getBoundingClientRect();
    scroller.scrollTop += row.element.getBoundingClientRect().top - top - heads.offsetHeight - 8;
  }
}
