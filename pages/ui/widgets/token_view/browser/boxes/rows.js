// The rows of the text: which there are, which are drawn, and what each of them shows.
// @ts-check

import { patchCell } from "./box_elements.js";
import { LaneBoxes, rulerBoxes } from "./boxes.js";
import { fitLetters, staffLines, systemHeight } from "./fit.js";
import { make } from "../elements.js";
import { totalOf } from "../frame/totals.js";
import { lastUpTo } from "../model/sorted.js";

/** @import { ViewState } from "../state.js" */
/** @import { Cell, Lane, Model } from "../types.d.ts" */

const NEAR = 250; // pixels above and below the scroller in which rows are drawn ahead
const WIDEST = 20; // pixels of a wide letter: it says how many lines a row may have

export class Rows {
  /**
   * @param {ViewState} state
   * @param {(row: Row) => void} onDrawn
   */
  constructor(state, onDrawn) {
    this.state = state;
    this.onDrawn = onDrawn;
    this.element = make("div", "rows");
    /** @type {Row[]} */
    this.list = [];
    /** @type {number[]} the unit where each row starts, and where the last one ends */
    this.starts = [];
    /** @type {Map<Element, Row>} the rows that are to be drawn soon, by their elements */
    this.waiting = new Map();
    /** @type {IntersectionObserver | null} */
    this.observer = null;
    this.frame = 0;
    this.fitted = ""; // for which room the letters have their size
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
    this.fitted = "";
    this.starts = rowStarts(this.state);
    const { isNumbered, model } = this.state;
    const { text, labels } = model;
    this.list = text || isNumbered ? this.starts.slice(0, -1).map((start, i) => new Row(this.state, start, this.starts[i + 1])) : [];
    this.element.replaceChildren(...this.list.map((row) => row.element));
    if (!this.list.length) this.element.append(make("div", "note", labels.empty));
    this.guessHeights();
    if (this.list.length === 1) this.fill(this.list[0]);
    else this.watch();
    this.fit();
  }

  // ---- a long text has too many boxes to draw them all

  /** Draw rows as they come near, and empty those that leave. */
  watch() {
    const rowOf = new Map(this.list.map((row) => [/** @type {Element} */ (row.element), row]));
    const root = this.state.maxHeight ? this.state.scroller : null;
    const notice = (/** @type {IntersectionObserverEntry[]} */ entries) => {
      for (const { isIntersecting, target, boundingClientRect } of entries) {
        const row = /** @type {Row} */ (rowOf.get(target));
        this.waiting.delete(target);
        if (isIntersecting) this.waiting.set(target, row);
        else row.clear(boundingClientRect.height);
      }
      this.fillSome();
    };
    this.observer = new IntersectionObserver(notice, { root, rootMargin: `${NEAR}px 0px` });
    for (const row of this.list) this.observer.observe(row.element);
  }

  /** Draw and empty no more rows. */
  stop() {
    this.observer?.disconnect();
    cancelAnimationFrame(this.frame);
    this.waiting.clear();
  }

  /** What is in sight is drawn at once, what is near one row a frame, so that scrolling never waits for it. */
  fillSome() {
    cancelAnimationFrame(this.frame);
    if (!this.waiting.size) return;
    const { top, bottom } = this.state.scroller.getBoundingClientRect();
    const end = Math.min(bottom, innerHeight);
    const waiting = [...this.waiting.keys()];
    const rects = waiting.map((element) => element.getBoundingClientRect());
    const inSight = waiting.filter((_, i) => rects[i].bottom > top && rects[i].top < end);
    for (const element of inSight.length ? inSight : waiting.slice(0, 1)) {
      this.fill(/** @type {Row} */ (this.waiting.get(element)));
      this.waiting.delete(element);
    }
    this.frame = requestAnimationFrame(() => this.fillSome());
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

  /** Adapt to another width. */
  resize() {
    this.guessHeights();
    for (const row of this.drawn) row.nameLines();
    this.fit();
  }

  /** Where numbers stand first, a short text fills the screen. */
  fit() {
    const [row] = this.list;
    const { isNumbered, isLooped, scroller } = this.state;
    const fitted = [scroller.clientWidth, innerHeight, isLooped, document.fonts.status].join();
    if (!isNumbered || !row || !scroller.clientWidth || this.fitted === fitted) return;
    this.fitted = fitted;
    fitLetters(this.state, row);
    row.nameLines();
  }

  /** A row that is not drawn needs about the height that it will have, or the scroll bar would lie. */
  guessHeights() {
    const { isStaff, isChips, isNarrow, scroller, drawn } = this.state;
    const lanes = drawn.length || 1;
    const isStacked = isNarrow || isChips;
    const whole = scroller.clientWidth;
    const width = Math.max(120, isStaff ? whole - 120 : isStacked ? whole : whole / lanes - 28);
    const line = isChips ? 34 : 39;
    const height = isStaff ? systemHeight(this.element) : line * (isStacked ? lanes : 1);
    for (const row of this.list) {
      if (row.cells) continue;
      const lines = Math.ceil(((row.end - row.start) * (isChips ? 26 : 8)) / width);
      row.element.style.minHeight = `${lines * height}px`;
    }
  }

  // ---- places

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

/**
 * Where rows start, and where the last one ends: the rows of a payload, each about a line of text, put together. The
 * lanes of a row must be in sight together: a row is some lines of the staff, a paragraph in columns, and a line or
 * two where lanes stand one under another.
 * @param {ViewState} state
 */
function rowStarts(state) {
  const { rows, text, fine, lanes } = state.model;
  // To ask whether it is narrow costs a layout: the rest comes first.
  if (fine && (state.isStaff || lanes.length === 1 || state.isSmallText || !state.isNarrow)) return [0, text.length];
  const { isStaff, isChips, isNarrow } = state;
  const wanted = isStaff ? (isNarrow ? 120 : 200) : isNarrow && !isChips ? 64 : 160;
  const starts = [0];
  let start = 0;
  for (const next of rows.slice(1, -1)) {
    const size = next - start;
    const isLine = text[next - 1] === "\n";
    if (size < wanted && !(isLine && size >= wanted / 2)) continue;
    starts.push(next);
    start = next;
  }
  return [...starts, text.length];
}

/** One row: its cells, one for each lane, and beside the staff the names of the lanes. */
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
    if (!state.isStaff) return element.append(...holders);
    const lanes = make("div", "lanes");
    lanes.append(...holders);
    element.append(gutter, lanes);
    this.nameLines();
  }

  /** Fill the cells with the boxes of their lanes. */
  draw() {
    const { model, choice, colour, isChips } = this.state;
    for (const cell of this.cells ?? []) {
      if (!cell.lane) cell.boxes = rulerBoxes(model, this.state.differences, this.state.place, this);
      else if (cell.lane.index < model.lanes.length) {
        cell.lane = model.lanes[cell.lane.index];
        const boxes = new LaneBoxes(model, cell.lane, this, colour);
        cell.boxes = isChips ? boxes.chips() : boxes.reading();
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
    const { model, isNumbered } = state;
    if (isNumbered) {
      const lines = Array.from({ length: staffLines(this.element) }, (_, line) => namesOf(model, line === 0));
      return this.gutter.replaceChildren(...lines);
    }
    if (!state.isStaff || model.lanes.length < 2) return;
    const width = Math.max(120, state.scroller.clientWidth - (state.isNarrow ? 30 : 150));
    const lines = Math.ceil(((end - start) * WIDEST) / width) + 1;
    this.gutter.replaceChildren(...Array.from({ length: lines }, () => namesOf(model, false)));
  }

  /** The same text in other lanes: their names are new. */
  rename() {
    this.nameLines();
    for (const { lane, holder } of this.state.isStaff ? [] : (this.cells ?? [])) {
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
  if (lane && isNamed) holder.append(make("div", "tag", lane.column.name));
  const element = holder.appendChild(make("div", lane?.isPretokens ? "cell pieces" : "cell"));
  holder.style.setProperty("--number", String(number));
  return /** @type {Cell} */ ({ lane, holder, element, boxes: [] });
}

/**
 * The lanes beside a line, by their names or by their numbers of tokens. A lane alone needs its name only once.
 * @param {Model} model
 * @param {boolean} isNumbered
 */
function namesOf(model, isNumbered) {
  const names = make("div", "names");
  for (const lane of model.lanes) {
    const isNamed = !isNumbered && model.lanes.length > 1;
    const tag = names.appendChild(make("div", "tag", isNamed ? lane.column.name : ""));
    tag.dataset.number = String(lane.index + 1);
    if (isNumbered) tag.append(totalOf(model, lane));
  }
  return names;
}
