// The differences between two lanes: steps from one to the next, and the rail that shows where they are.
// @ts-check

import { addButton, make } from "../elements.js";
import { below } from "../model/sorted.js";

/** @import { TokenView } from "../view.js" */

const WIDTH = 8; // pixels of the rail

/** The steps from one difference to the next. */
export class Differences {
  /** @param {TokenView} view */
  constructor(view) {
    this.view = view;
    this.state = view.state;
    /** @type {number | null} the difference that a visitor went to */
    this.current = null;
    this.element = make("div", "steps");
    this.backwards = addButton(this.element, "‹", () => this.go(-1));
    this.place = this.element.appendChild(make("span", "place"));
    this.place.setAttribute("aria-live", "polite");
    this.forwards = addButton(this.element, "›", () => this.go(1));
  }

  words() {
    const { labels } = this.state.model;
    this.backwards.setAttribute("aria-label", labels.before);
    this.forwards.setAttribute("aria-label", labels.after);
    this.sayPlace();
  }

  sayPlace() {
    const { model, differences } = this.state;
    const count = differences.starts.length;
    const place = this.current === null ? 0 : this.current + 1;
    const isPlace = place > 0 && place <= count;
    this.place.textContent = isPlace ? model.label("place", { place, count }) : count.toLocaleString(model.locale);
    this.forwards.disabled = this.backwards.disabled = !count;
  }

  /** A visitor has gone elsewhere: the next step starts from there. */
  forget() {
    this.current = null;
  }

  /** @param {1 | -1} step */
  go(step) {
    const { model, isChips, chipsOf, against, differences } = this.state;
    const { starts } = differences;
    if (!starts.length) return;
    this.current = (this.following(step) + starts.length) % starts.length;
    this.sayPlace();
    this.view.cursor.goToUnit(model.lanes[isChips ? chipsOf : (against ?? 0)], starts[this.current]);
  }

  /**
   * The difference after the current one; without one, after what is lit or pinned, or else the first.
   * @param {1 | -1} step
   */
  following(step) {
    const { starts } = this.state.differences;
    if (this.current !== null) return this.current + step;
    const unit = (this.view.light.hot ?? this.view.inspector.pinned)?.box.from;
    if (unit === undefined) return step > 0 ? 0 : starts.length - 1;
    return step > 0 ? below(starts, unit + 1) : below(starts, unit) - 1;
  }
}

/** The rail beside a text that scrolls: it shows where in the whole text two lanes differ, and a click goes there. */
export class Rail {
  /** @param {TokenView} view */
  constructor({ state, rows }) {
    this.state = state;
    this.element = make("canvas", "rail");
    this.element.setAttribute("aria-hidden", "true");
    this.element.onclick = ({ offsetY }) => {
      rows.scrollTo(Math.floor((offsetY / this.element.height) * state.model.text.length));
    };
  }

  draw() {
    const { model, differences, scroller, root } = this.state;
    const scrolls = scroller.scrollHeight > scroller.clientHeight + 4;
    const isOfUse = scrolls && model.whole && model.options.toolbar === "full" && differences.starts.length > 0;
    this.element.hidden = !isOfUse;
    if (!isOfUse) return;
    const height = scroller.clientHeight;
    [this.element.width, this.element.height] = [WIDTH, height];
    this.element.style.height = `${height}px`;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.element.getContext("2d"));
    pen.fillStyle = getComputedStyle(root).getPropertyValue("--differ");
    this.sharesByPixel(height).forEach((share, y) => {
      if (!share) return;
      pen.globalAlpha = 0.15 + 0.85 * Math.min(1, share);
      pen.fillRect(0, y, WIDTH, 1);
    });
  }

  /**
   * For each pixel of the rail the share of its text that differs.
   * @param {number} height
   */
  sharesByPixel(height) {
    const { starts, ends } = this.state.differences;
    const shares = new Float32Array(height);
    const scale = height / this.state.model.text.length;
    for (let i = 0; i < starts.length; i++) {
      for (let at = starts[i] * scale; at < ends[i] * scale; ) {
        const next = Math.min(Math.floor(at) + 1, ends[i] * scale);
        shares[Math.min(height - 1, Math.floor(at))] += next - at;
        at = next;
      }
    }
    return shares;
  }
}
