// The size of letters with which all lanes of a short text fill the screen.
// @ts-check

import { make } from "../elements.js";

/** @import { Row } from "./rows.js" */
/** @import { ViewState } from "../state.js" */

const LETTERS = [132, 124, 116, 108, 100, 92, 84, 78, 72, 66, 60, 56, 52, 49, 46, 43, 40, 38, 36, 33, 30, 27, 24]; // pixels; the last one fits every short text
// Of the window's height: the navigation, the title and the text box have the rest, and where a sentence says who needs
// the fewest tokens, that and the bar.
const OF_SCREEN = 0.72;
const BELOW_VERDICT = 0.46;
const ABOVE_AND_BELOW = 520; // pixels that they take: on a high screen the rest is more than that share
const USUAL_LANES = 3;
const MORE = 0.08; // of the height, where there are more lanes: they push down what can wait
// So much smaller letters may be for the whole text to stand on one line, where it has several lanes or one.
const LEAST_OF_WHOLE = [0.7, 0.4];

/**
 * Take the largest letters with which the row fits the screen, or somewhat smaller ones if it is on one line then.
 * Each size that is tried makes the browser lay everything out, so the next to try follows from the last.
 * @param {ViewState} state
 * @param {Row} row
 */
export function fitLetters({ root, model }, { element }) {
  const isMany = model.lanes.length > USUAL_LANES;
  const below = Math.max(BELOW_VERDICT * innerHeight, innerHeight - ABOVE_AND_BELOW) + (isMany ? MORE * innerHeight : 0);
  const room = model.options.text_first ? below : OF_SCREEN * innerHeight;
  const take = (/** @type {number} */ size) => root.style.setProperty("--size", `${size}px`);
  const probe = element.parentElement?.appendChild(make("div", "system-probe"));
  /** @type {Map<number, { height: number, lines: number }>} */
  const tried = new Map();
  const withSize = (/** @type {number} */ size) => {
    let found = tried.get(size);
    if (!found) {
      take(size);
      const height = element.offsetHeight;
      found = { height, lines: Math.round(height / (probe?.offsetHeight || height)) };
      tried.set(size, found);
    }
    return found;
  };
  let [low, high] = [0, LETTERS.length - 1]; // the last one is taken, whether it fits or not
  for (let at = high >> 1; low < high; ) {
    const size = LETTERS[at];
    const { height } = withSize(size);
    if (height <= room) high = at;
    else low = at + 1;
    const guess = size * Math.sqrt(room / height); // both the lines and their height grow with the letters
    const next = LETTERS.findIndex((each) => each <= guess);
    at = Math.min(high - 1, Math.max(low, next < 0 ? high : next));
  }
  const largest = LETTERS[high];
  const smaller = LETTERS.filter((size) => size <= largest && size >= largest * LEAST_OF_WHOLE[Number(model.lanes.length === 1)]);
  let taken = largest;
  if (withSize(smaller[smaller.length - 1]).lines <= 1) {
    let [first, last] = [0, smaller.length - 1];
    while (first < last) {
      const middle = (first + last) >> 1;
      if (withSize(smaller[middle]).lines <= 1) last = middle;
      else first = middle + 1;
    }
    taken = smaller[last];
  }
  take(taken);
  probe?.remove();
}

/**
 * How many lines of the staff a row has.
 * @param {HTMLElement} row
 */
export function staffLines(row) {
  return Math.max(1, Math.round(row.offsetHeight / systemHeight(row)));
}

/**
 * The height of all lanes of the staff over one line of text, in pixels.
 * @param {Element} parent
 */
export function systemHeight(parent) {
  const probe = parent.appendChild(make("div", "system-probe"));
  const { offsetHeight } = probe;
  probe.remove();
  return offsetHeight;
}
