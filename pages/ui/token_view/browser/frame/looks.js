// The looks of the view as a whole: theme, layout and type, as classes of its element.
// @ts-check

import { make } from "../elements.js";
import { VIEWS } from "../state.js";

/** @import { ViewState } from "../state.js" */

// Pixels of a letter, and of the names beside the staff, here and on a phone, as in token_view.css.
const TYPES = { largest: { size: 48, beside: [132, 94] }, larger: { size: 36, beside: [132, 22] } };
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
  const type = options.largest && state.isTinyText ? largestThatFits(state) : "large";
  const classes = {
    dark: isDark(probe),
    fine,
    large: options.large && state.isSmallText,
    larger: type === "larger",
    largest: type === "largest",
    ruled: state.isRuled,
    single: lanes.length === 1,
  };
  for (const [name, isOn] of Object.entries(classes)) state.root.classList.toggle(name, isOn);
  for (const view of VIEWS) state.root.classList.toggle(view, state.choice.view === view);
  state.root.style.setProperty("--columns", String(lanes.length || 1));
  for (const lane of lanes) {
    lane.byBranch = state.colour === "branch" && lane.takenBy !== null;
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
  if (!width || (isNarrow && state.isFewWords)) return "largest";
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
  measure.fontKerning = "none";
  return Math.max(...model.text.split("\n").map((line) => measure.measureText(line).width));
}

/** @param {Element} probe */
function isDark(probe) {
  const colour = getComputedStyle(probe).backgroundColor.match(/[\d.]+/g);
  const [red, green, blue] = colour?.map(Number) ?? [255, 255, 255];
  return red * 0.3 + green * 0.59 + blue * 0.11 < 128;
}
