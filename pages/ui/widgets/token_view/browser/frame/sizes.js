// The sliders in the heads: each takes a lane back to when its tokenizer knew fewer tokens.
// @ts-check

import { make } from "../elements.js";
import { plainWords } from "../words.js";

/** @import { Model, Stages } from "../types.d.ts" */
/** @import { TokenView } from "../view.js" */

const PATIENCE = 1000; // milliseconds after which an answer is waited for no longer

export class Sizes {
  /** @param {TokenView} view */
  constructor(view) {
    this.view = view;
    this.waits = 0;
    /** @type {{ of: string, size: number } | null} what was moved while an answer was waited for */
    this.next = null;
  }

  /** A slider for each head that has stages; one that is there stays, so that a hand can go on moving it. */
  place() {
    const { heads, drawn, model } = this.view.state;
    for (const lane of drawn) {
      const stages = model.whole ? model.options.sizes?.[lane.index] : undefined;
      const head = heads.querySelector(`[data-lane="${lane.index}"]`);
      const old = head?.querySelector(".size");
      if (!stages) old?.remove();
      else if (head) this.fill(old ?? head.appendChild(this.slider()), stages, model, lane.column.name);
    }
    this.answered();
  }

  slider() {
    const element = make("label", "size");
    const input = make("input");
    input.type = "range";
    input.oninput = () => {
      this.say(element);
      this.move({ of: input.dataset.of ?? "", size: input.valueAsNumber });
    };
    element.append(input, make("output"));
    return element;
  }

  /**
   * @param {Element} element
   * @param {Stages} stages
   * @param {Model} model
   * @param {string} name
   */
  fill(element, { of, least, most, at, special }, model, name) {
    const input = /** @type {HTMLInputElement} */ (element.querySelector("input"));
    const isHeld = input.dataset.of === of && input.matches(":focus");
    [input.min, input.max, input.dataset.of, input.dataset.special] = [least, most, of, special].map(String);
    input.setAttribute("aria-label", model.label("size_of", { name }));
    input.title = model.labels.size_help;
    if (!isHeld) input.value = String(at);
    const output = this.say(element);
    // As wide as for the largest size, so that a shorter number does not change the slider under a hand.
    output.style.minWidth = `min(100%, ${plainWords(model.label("size", { size: most + special, most: most + special })).length}ch)`;
  }

  /** @param {Element} element */
  say(element) {
    const { model } = this.view.state;
    const input = /** @type {HTMLInputElement} */ (element.querySelector("input"));
    const [size, most] = [input.valueAsNumber, Number(input.max)].map((learned) => learned + Number(input.dataset.special));
    const output = /** @type {HTMLElement} */ (element.querySelector("output"));
    output.textContent = model.label("size", { size, most });
    return output;
  }

  /**
   * Tell the page, which draws the lane anew: one size at a time, because a run that is interrupted shows nothing.
   * @param {{ of: string, size: number }} moved
   */
  move(moved) {
    if (this.waits) this.next = moved;
    else {
      this.waits = setTimeout(() => this.answered(), PATIENCE);
      this.view.tell("size", moved);
    }
  }

  answered() {
    clearTimeout(this.waits);
    const { next } = this;
    [this.waits, this.next] = [0, null];
    if (next) this.move(next);
  }
}
