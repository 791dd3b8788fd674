// The size of letters with which all lanes of a short text fill the screen.
// @ts-check

import { make } from "../elements.js";

/** @import { Row } from "./rows.js" */
/** @import { ViewState } from "../state.js" */

const LETTERS = [132, 112, 96, 84, 72, 60, 52, 46, 40, 36, 33, 30]; // pixels; the last one fits every short text
const OF_SCREEN = 0.7; // of the window's height: the navigation, the title and the text box have the rest
const LEAST_OF_WHOLE = 0.75; // so much smaller letters may be for the whole text to stand on one line

/**
 * The first of some sizes, from large to small, that fits: each try makes the browser lay everything out.
 * @param {number[]} sizes
 * @param {(size: number) => boolean} fits
 */
function firstThatFits(sizes, fits) {
  let [low, high] = [0, sizes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(sizes[middle])) high = middle;
    else low = middle + 1;
  }
  return sizes[low];
}

/**
 * Take the largest letters with which the row fits the screen, or somewhat smaller ones if it is on one line then.
 * @param {ViewState} state
 * @param {Row} row
 */
export function fitLetters({ root }, { element }) {
  const take = (/** @type {number} */ size) => root.style.setProperty("--size", `${size}px`);
  const least = LETTERS[LETTERS.length - 1];
  const isOnScreen = (/** @type {number} */ size) => {
    take(size);
    return element.offsetHeight <= OF_SCREEN * innerHeight;
  };
  const isOnOneLine = (/** @type {number} */ size) => {
    take(size);
    return staffLines(element) === 1;
  };
  const largest = firstThatFits(LETTERS, isOnScreen) ?? least;
  const smaller = LETTERS.filter((size) => size <= largest && size >= largest * LEAST_OF_WHOLE);
  take(firstThatFits(smaller, isOnOneLine) ?? largest);
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
