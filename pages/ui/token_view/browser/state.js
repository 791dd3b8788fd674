// What all parts of a view share: the model, a person's choices, what follows from both, and the main elements.
// @ts-check

import { choiceFor } from "./choices.js";
import { make } from "./elements.js";
import { areLoopedLoaded } from "./model/looped.js";

/** @import { Colour, Model, Numbers, View } from "./types.d.ts" */

export const NARROW = 640; // pixels of width up to which lanes stand one under another, as in token_view.css
const LARGE = 160; // UTF-16 units of a text that may stand in larger type
const LARGEST = 40; // and in the largest
const FEW = 24; // and in the largest where that takes more than one line
/** @type {View[]} */
export const VIEWS = ["staff", "columns", "chips"];
/** @type {Colour[]} */
const COLOURS = ["piece", "bytes", "broken", "branch"];

/** @type {{ share: number | null, starts: Numbers, ends: Numbers }} */
const NO_DIFFERENCES = { share: null, starts: [], ends: [] };

export class ViewState {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.choice = choiceFor(model.options, null);
    this.root = make("div", "token-view");
    this.scroller = make("div", "scroller");
    this.heads = make("div", "heads");
    this.lostLooped = false; // whether looped letters were asked for and could not be fetched
    this.ended = new AbortController(); // aborts when the view is removed
  }

  get hasEnded() {
    return this.ended.signal.aborted;
  }

  /**
   * Show another model from now on.
   * @param {Model} model
   */
  take(model) {
    this.choice = choiceFor(model.options, this.model.options);
    this.model = model;
  }

  /** The lane that others are compared with; null where there are not two lanes of a kind. */
  get base() {
    const { comparison } = this.model;
    if (comparison.lanes.length < 2) return null;
    return this.comparedLane(this.choice.base) ?? comparison.base ?? comparison.lanes[0];
  }

  /** The lane whose differences from that one are counted, shown on the ruler and the rail, and walked. */
  get against() {
    const { base } = this;
    if (base === null) return null;
    const chosen = this.comparedLane(this.choice.against);
    return chosen === null || chosen === base ? this.model.comparison.nearest(base) : chosen;
  }

  /** @param {string | null} name */
  comparedLane(name) {
    const { comparison, lanes } = this.model;
    return comparison.lanes.find((lane) => lanes[lane].column.name === name) ?? null;
  }

  /** What these two lanes differ in. */
  get differences() {
    const { base, against } = this;
    const pair = base !== null && against !== null && this.model.comparison.between(base, against);
    return pair || NO_DIFFERENCES;
  }

  /**
   * Which tokens of a lane the one that it is compared with has too; null where it is not compared.
   * @param {number} lane
   */
  agreedOf(lane) {
    const { base, against } = this;
    if (base === null || against === null) return null;
    const pair = this.model.comparison.between(base, lane === base ? against : lane);
    return pair?.agreedOf(lane) ?? null;
  }

  get isChips() {
    return this.choice.view === "chips";
  }

  get isStaff() {
    return this.choice.view === "staff";
  }

  get isRuled() {
    return this.isStaff && this.model.options.ruler;
  }

  /** Whether looped letters are offered: for Thai only. */
  get hasLooped() {
    return this.model.hasThai && Object.keys(this.model.options.faces).length > 0;
  }

  get wantsLooped() {
    return this.hasLooped && this.choice.looped;
  }

  get isLooped() {
    return this.wantsLooped && areLoopedLoaded();
  }

  get isNarrow() {
    return this.scroller.clientWidth <= NARROW;
  }

  get isTinyText() {
    return this.model.text.length <= LARGEST;
  }

  get isFewWords() {
    return this.model.text.length <= FEW;
  }

  get isSmallText() {
    return this.model.text.length <= LARGE;
  }

  /** What the colours can mean here: branches only where there are some. */
  get colours() {
    return COLOURS.filter((colour) => colour !== "branch" || this.model.lanes.some((lane) => lane.takenBy));
  }

  /** @returns {Colour} */
  get colour() {
    return this.colours.includes(this.choice.colour) ? this.choice.colour : "piece";
  }

  /** The lanes that are drawn: in chips one, which a person chooses. */
  get drawn() {
    const { lanes } = this.model;
    return this.isChips ? lanes.slice(this.chipsOf, this.chipsOf + 1) : lanes;
  }

  get chipsOf() {
    return Math.min(this.choice.chipsOf, this.model.lanes.length - 1);
  }
}
