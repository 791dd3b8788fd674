// The steps from one difference between tokenizers to the next.
// @ts-check

import { addButton, make } from "../elements.js";
import { below } from "../model/sorted.js";

/** @import { Cursor } from "../pointing/cursor.js" */
/** @import { Inspector } from "../pointing/inspector.js" */
/** @import { Light } from "../pointing/light.js" */
/** @import { ViewState } from "../state.js" */

export class Differences {
  /**
   * @param {ViewState} state
   * @param {{ cursor: Cursor, light: Light, inspector: Inspector }} parts
   */
  constructor(state, { cursor, light, inspector }) {
    this.state = state;
    this.cursor = cursor;
    this.light = light;
    this.inspector = inspector;
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

  /**
   * Go to the next difference, or to the previous one.
   * @param {1 | -1} step
   */
  go(step) {
    const { model, isChips, chipsOf, against, differences } = this.state;
    const { starts } = differences;
    if (!starts.length) return;
    this.current = (this.following(step) + starts.length) % starts.length;
    this.sayPlace();
    this.cursor.goToUnit(model.lanes[isChips ? chipsOf : (against ?? 0)], starts[this.current]);
  }

  /**
   * The difference after the current one; without one, after what is lit or pinned, or else the first.
   * @param {1 | -1} step
   */
  following(step) {
    const { starts } = this.state.differences;
    if (this.current !== null) return this.current + step;
    const unit = this.light.hot?.box.from ?? this.inspector.pinned?.box.from;
    if (unit === undefined) return step > 0 ? 0 : starts.length - 1;
    return step > 0 ? below(starts, unit + 1) : below(starts, unit) - 1;
  }
}
