// What is drawn of a row as chips: a box for each token.
// @ts-check

import { tintOf } from "../model/tints.js";
import { charUnits, utf8Length } from "../model/utf8.js";

/** @import { Box, Colour, Lane, Model } from "../types.d.ts" */

const MAX_CHIPS = 400; // chips drawn of one segment

/**
 * A chip for each token of the segments that start in a row.
 * @param {Model} model
 * @param {Lane} lane
 * @param {{ start: number, end: number }} row
 * @param {Colour} colour
 */
export function chipBoxes(model, lane, { start, end }, colour) {
  /** @type {Box[]} */
  const boxes = [];
  if (!lane.segments) return boxes;
  let segment = lane.segmentOfUnit(start);
  if (lane.unitAt[segment] < start) segment += 1;
  for (; segment < lane.segments && lane.unitAt[segment] < end; segment++) {
    addChips(boxes, model, lane, segment, colour);
    const hidden = lane.tokenAt[segment + 1] - lane.tokenAt[segment] - MAX_CHIPS;
    if (hidden > 0) boxes.push(hiddenBox(model, lane, segment, hidden));
  }
  return boxes;
}

/**
 * The chips of one segment.
 * @param {Box[]} boxes
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} segment
 * @param {Colour} colour
 */
function addChips(boxes, model, lane, segment, colour) {
  const own = lane.tokenAt[segment];
  const stop = Math.min(lane.tokenAt[segment + 1], own + MAX_CHIPS);
  const breaks = colour === "broken" ? lane.breaks(segment, model) : null;
  let [from, byte] = [lane.unitAt[segment], lane.byteAt[own]];
  for (let token = own; token < stop; token++) {
    let to = from;
    let size = 0;
    while (byte < lane.byteAt[token + 1] && to < lane.unitAt[segment + 1]) {
      if (byte <= lane.byteAt[token]) from = to;
      size = charUnits(model.text, to);
      byte += utf8Length(model.text.slice(to, to + size));
      to += size;
    }
    const tint = tintOf(lane, token, colour, breaks?.[token - own] ?? 0);
    boxes.push({ kind: "chip", from, to, token, first: token, count: 1, tint, differs: !lane.agrees(token) });
    if (byte > lane.byteAt[token + 1]) {
      // The next token has the rest of the last character, and therefore starts with it.
      byte -= utf8Length(model.text.slice(to - size, to));
      from = to - size;
    } else from = to;
  }
}

/**
 * A note of how many tokens of a segment are hidden.
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} segment
 * @param {number} hidden
 * @returns {Box}
 */
function hiddenBox(model, lane, segment, hidden) {
  const [from, to, token] = [lane.unitAt[segment], lane.unitAt[segment + 1], lane.tokenAt[segment] + MAX_CHIPS];
  const note = model.label("more_tokens", { count: hidden });
  return { kind: "note", from, to, token, first: token, count: 0, note };
}
