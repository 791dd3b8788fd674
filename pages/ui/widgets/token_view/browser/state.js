// What all parts of a view share: the model, a person's choices, what follows from both, and the main elements.
// @ts-check

import { isDark, make } from "./elements.js";
import { areLoopedLoaded } from "./model/looped.js";

/** @import { Choice, Colour, Model, Numbers, Options, View } from "./types.d.ts" */

export const NARROW = 640; // pixels of width up to which lanes stand one under another, as in token_view.css
const MOST_ROOMY = 3; // lanes over which letters may be somewhat larger
const LARGE = 160; // UTF-16 units of a text that may stand in larger type
const LARGEST = 96; // and in the largest
const SHORT = 400; // and stands whole: a box that scrolls in a page that scrolls hides its end
const FEW = 24; // and in the largest where that takes more than one line
/** @type {View[]} */
export const VIEWS = ["staff", "columns", "chips"];
/** @type {Colour[]} */
const COLOURS = ["piece", "bytes", "broken", "branch"];

/** @type {Map<string, Choice>} */
const CHOICES = new Map();
const GIVEN = /** @type {const} */ (["view", "colour", "white_space", "marks", "looped"]);

/**
 * The choices for a view. Python gives the first ones; what a person switched stays until Python gives others.
 * @param {Options} options
 * @param {Options | null} before the options that the view had until now
 */
function choiceFor(options, before) {
  const known = CHOICES.get(options.key);
  if (known && GIVEN.every((name) => !before || before[name] === options[name])) return known;
  const { view, colour, white_space, marks, looped, base = null, against = null } = options;
  /** @type {Choice} */
  const choice = { view, colour, white_space, marks, looped, base, against, chipsOf: 0 };
  CHOICES.set(options.key, choice);
  return choice;
}

export class ViewState {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.choice = choiceFor(model.options, null);
    this.root = make("div", "token-view");
    this.scroller = make("div", "scroller");
    this.heads = make("div", "heads");
    /** @type {number | null} the number of the difference that a visitor went to */
    this.place = null;
    this.lostLooped = false; // whether looped letters were asked for and could not be fetched
    this.ended = new AbortController(); // aborts when the view is removed
  }

  /** @param {Model} model */
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

  get comparedNames() {
    const { comparison, lanes } = this.model;
    return comparison.lanes.map((lane) => lanes[lane].column.name);
  }

  /** @param {string | null} name */
  comparedLane(name) {
    return this.model.comparison.lanes[name === null ? -1 : this.comparedNames.indexOf(name)] ?? null;
  }

  /**
   * What these two lanes differ in: the share of the text, and where.
   * @returns {{ share: number | null, starts: Numbers, ends: Numbers }}
   */
  get differences() {
    const { base, against } = this;
    const pair = base === null || against === null ? null : this.model.comparison.between(base, against);
    return pair ? { share: pair.share, ...pair.edges } : { share: null, starts: [], ends: [] };
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

  /** The ruler counts characters, and shows where differences are. */
  get isRuled() {
    return this.isStaff && this.model.options.ruler && this.choice.marks;
  }

  /** Whether each row has its number of tokens at its left. A long text scrolls: its numbers stay in sight above. */
  get isNumbered() {
    const { options, text } = this.model;
    return this.isStaff && this.isSmallText && options.numbers_first && (text !== "" || !options.text_first);
  }

  get maxHeight() {
    const isShort = this.model.text.length <= SHORT;
    return this.isNumbered || isShort ? null : this.model.options.max_height;
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

// Pixels of a letter, and of the names beside the staff, here and on a phone, as in token_view.css.
const TYPES = { huge: { size: 72, beside: [132, 94] }, largest: { size: 48, beside: [132, 94] }, larger: { size: 36, beside: [132, 22] } };
const SPARE = 12; // pixels beside the text, and a little to spare
const COLUMN_GAP = 28; // pixels between two columns

/**
 * Streamlit calls again when the theme changes, so the background is measured anew.
 * @param {ViewState} state
 * @param {Element} probe an element that has the background of the page
 */
export function dress(state, probe) {
  const { options, lanes, fine } = state.model;
  state.root.classList.toggle("looped", state.isLooped); // the type that fits depends on it
  if (!state.isNumbered) state.root.style.removeProperty("--size");
  const type = options.largest && !state.isNumbered && state.model.text.length <= LARGEST ? largestThatFits(state) : "large";
  const classes = {
    dark: isDark(probe),
    fine,
    roomy: fine && lanes.length <= MOST_ROOMY,
    numbered: state.isNumbered,
    large: options.large && state.isSmallText,
    larger: type === "larger",
    largest: type === "largest" || type === "huge",
    huge: type === "huge",
    ruled: state.isRuled,
    single: lanes.length === 1,
  };
  for (const [name, isOn] of Object.entries(classes)) state.root.classList.toggle(name, isOn);
  for (const view of VIEWS) state.root.classList.toggle(view, state.choice.view === view);
  state.root.style.setProperty("--columns", String(lanes.length || 1));
  for (const lane of lanes) {
    lane.colour = state.colour === "branch" ? "branch" : "piece";
    lane.agreed = state.agreedOf(lane.index);
  }
}

/**
 * The largest type in which every line of the text takes one line.
 * @param {ViewState} state
 */
function largestThatFits(state) {
  const { isNarrow, isStaff, isChips, drawn } = state;
  const { clientWidth: width } = state.scroller;
  if (!width || (isNarrow && state.model.text.length <= FEW)) return "largest";
  const found = Object.entries(TYPES).find(([, { size, beside }]) => {
    const whole = width - (isStaff && drawn.length > 1 ? beside[Number(isNarrow)] : 0) - SPARE;
    const room = isStaff || isChips || isNarrow ? whole : whole / drawn.length - COLUMN_GAP;
    return widthOf(state, size) <= room;
  });
  return found?.[0] ?? "large";
}

/**
 * How wide the longest line of the text is.
 * @param {ViewState} state
 * @param {number} size of its letters in pixels
 */
function widthOf({ model, root }, size) {
  const measure = /** @type {CanvasRenderingContext2D} */ (make("canvas").getContext("2d"));
  measure.font = `400 ${size}px ${getComputedStyle(root).fontFamily}`;
  [measure.fontKerning, measure.textRendering] = ["none", "optimizeSpeed"]; // neither kerning nor ligatures
  return Math.max(...model.text.split("\n").map((line) => measure.measureText(line).width));
}
