// Draws rows as they come near, and empties those that leave: a long text has too many boxes to draw them all.
// @ts-check

/** @import { Row } from "./row.js" */
/** @import { ViewState } from "../state.js" */

const NEAR = 250; // pixels above and below the scroller in which rows are drawn ahead

export class NearRows {
  /**
   * @param {ViewState} state
   * @param {Row[]} rows
   * @param {(row: Row) => void} fill
   */
  constructor(state, rows, fill) {
    this.scroller = state.scroller;
    this.fill = fill;
    this.frame = 0;
    /** @type {Set<Row>} */
    this.waiting = new Set();
    const rowOf = new Map(rows.map((row) => [/** @type {Element} */ (row.element), row]));
    const root = state.model.options.max_height ? state.scroller : null;
    this.observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target, boundingClientRect } of entries) {
          const row = rowOf.get(target);
          if (row) this.note(row, isIntersecting, boundingClientRect.height);
        }
        this.fillSome();
      },
      { root, rootMargin: `${NEAR}px 0px` },
    );
    for (const row of rows) this.observer.observe(row.element);
  }

  stop() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }

  /**
   * @param {Row} row
   * @param {boolean} isNear
   * @param {number} height
   */
  note(row, isNear, height) {
    if (isNear) {
      this.waiting.add(row);
      return;
    }
    this.waiting.delete(row);
    row.clear(height);
  }

  /** What is in sight is drawn at once, what is near one row a frame, so that scrolling never waits for it. */
  fillSome() {
    cancelAnimationFrame(this.frame);
    if (!this.waiting.size) return;
    const { top, bottom } = this.scroller.getBoundingClientRect();
    const waiting = [...this.waiting];
    const rects = waiting.map((row) => row.element.getBoundingClientRect());
    const end = Math.min(bottom, innerHeight);
    const inSight = waiting.filter((_, i) => rects[i].bottom > top && rects[i].top < end);
    for (const row of inSight.length ? inSight : waiting.slice(0, 1)) {
      this.waiting.delete(row);
      this.fill(row);
    }
    this.frame = requestAnimationFrame(() => this.fillSome());
  }
}
