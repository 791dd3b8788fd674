// The differences between two lanes: steps from one to the next, and the rail that shows where they are.
// @ts-check

import { addButton, make } from "../elements.js";
import { below } from "../model/sorted.js";
import { shortName } from "../words.js";

/** @import { TokenView } from "../view.js" */

const WIDTH = 8; // pixels of the rail

/** The steps from one difference to the next. */
const MOST_OF_PAIR = 16; // characters of a name

export class Differences {
  /** @param {TokenView} view */
  constructor(view) {
    this.view = view;
    this.state = view.state;
    this.element = make("div", "steps");
    this.backwards = addButton(this.element, "‹", () => this.go(-1));
    this.forwards = addButton(this.element, "›", () => this.go(1));
  }

  words() {
    const { labels } = this.state.model;
    this.backwards.setAttribute("aria-label", labels.before);
    this.forwards.setAttribute("aria-label", labels.after);
    this.forwards.disabled = this.backwards.disabled = !this.state.differences.starts.length;
  }

  /** How many there are, and while they are marked, which of them a visitor went to. */
  said() {
    const { model, differences, place, choice } = this.state;
    const count = differences.starts.length;
    const isPlace = choice.marks && place !== null && place < count;
    return (isPlace ? model.label("mark_place", { place: place + 1, count }) : model.label("mark", { count })) + this.pair();
  }

  /** Of several lanes, the two that are meant. */
  pair() {
    const { model, base, against } = this.state;
    if (base === null || against === null || model.comparison.lanes.length < 3) return "";
    const [first, second] = [base, against].map((lane) => shortName(model.lanes[lane].column.name).slice(0, MOST_OF_PAIR));
    return ` (${first} · ${second})`;
  }

  /**
   * Mark them, beginning with the first one, or mark none.
   * @param {boolean} marks
   */
  show(marks) {
    this.state.place = marks && this.state.differences.starts.length ? 0 : null;
    this.view.switchTo({ marks });
  }

  /** A visitor has gone elsewhere: the next step starts from there. */
  forget() {
    if (this.state.place !== null) this.moveTo(null);
  }

  /** @param {number | null} place */
  moveTo(place) {
    this.state.place = place;
    this.view.bar.sayPlace();
    if (this.state.isRuled) this.view.rows.refill();
  }

  /** @param {1 | -1} step */
  go(step) {
    const { model, isChips, chipsOf, against, differences, choice } = this.state;
    const { starts } = differences;
    if (!starts.length) return;
    const place = (this.following(step) + starts.length) % starts.length;
    if (!choice.marks) this.show(true);
    this.moveTo(place);
    this.view.cursor.goToUnit(model.lanes[isChips ? chipsOf : (against ?? 0)], starts[place]);
  }

  /**
   * The difference after the current one; without one, after what is lit or pinned, or else the first.
   * @param {1 | -1} step
   */
  following(step) {
    const { differences, place } = this.state;
    const { starts } = differences;
    if (place !== null) return place + step;
    const unit = (this.view.light.hot ?? this.view.inspector.pinned)?.box.from;
    if (unit === undefined) return step > 0 ? 0 : starts.length - 1;
    return step > 0 ? below(starts, unit + 1) : below(starts, unit) - 1;
  }
}

/** The rail beside a text that scrolls: it marks where in the whole text two lanes differ, and a click goes there. */
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
    const { model, choice, differences, scroller, root } = this.state;
    const scrolls = scroller.scrollHeight > scroller.clientHeight + 4;
    const isOfUse = choice.marks && scrolls && model.whole && differences.starts.length > 0;
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
