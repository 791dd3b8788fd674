// A token as it stands alone: marks on a dotted circle, white space visible, bytes that are no character as hex.
// @ts-check

import { fillChip } from "../../token_view/browser/boxes/named_text.js";
import { make } from "../../token_view/browser/elements.js";
import { tintOfBytes } from "../../token_view/browser/model/tints.js";

const MOST_BYTES = 72; // a whole number of Thai characters

/**
 * @param {HTMLElement} chip
 * @param {Uint8Array} bytes
 * @param {number} tints
 */
export function fillFace(chip, bytes, tints) {
  let end = Math.min(bytes.length, MOST_BYTES);
  while (end < bytes.length && end > 0 && bytes[end] >> 6 === 2) end--; // not within a character
  fillChip(chip, bytes.subarray(0, end));
  if (end < bytes.length) chip.append(make("span", "w", "…"));
  chip.style.backgroundColor = `var(--t${tintOfBytes(bytes, tints)})`;
}
