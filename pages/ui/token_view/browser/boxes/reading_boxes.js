// What is drawn of a row for reading: a box for each segment, or for each of its clusters.
// @ts-check

import { MAX_LETTERS } from "../model/model.js";
import { tintOf } from "../model/tints.js";
import { utf8Length } from "../model/utf8.js";

/** @import { Colour, Lane, Model, ReadingBox, Stripe } from "../types.d.ts" */

const MAX_STRIPES = 64; // tokens drawn in one cluster; the count below it says how many there are

/**
 * A box for each segment that lies in a row. Clusters have boxes of their own where several tokens share a
 * segment, and where the text is short.
 * @param {Model} model
 * @param {Lane} lane
 * @param {{ start: number, end: number }} row
 * @param {Colour} colour
 */
export function readingBoxes(model, lane, row, colour) {
  const { start, end } = row;
  /** @type {ReadingBox[]} */
  const boxes = [];
  if (!lane.segments) return boxes;
  for (let s = lane.segmentOfUnit(start); s < lane.segments && lane.unitAt[s] < end; s++) {
    const [a, b] = [Math.max(lane.unitAt[s], start), Math.min(lane.unitAt[s + 1], end)];
    const isShared = lane.tokenAt[s + 1] - lane.tokenAt[s] > 1;
    if (isShared || model.fine || model.isDelicate(a, b)) addClusters(boxes, model, lane, s, row, colour);
    else boxes.push(segmentBox(model, lane, s, a, b, colour));
  }
  return boxes;
}

/**
 * The box of a segment with one token, of which the row shows the units from a to b.
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} segment
 * @param {number} a
 * @param {number} b
 * @param {Colour} colour
 * @returns {ReadingBox}
 */
function segmentBox(model, lane, segment, a, b, colour) {
  const [from, to, token] = [lane.unitAt[segment], lane.unitAt[segment + 1], lane.tokenAt[segment]];
  return {
    kind: "reading",
    from,
    to,
    token,
    first: token,
    count: lane.isGap(token) ? 0 : 1,
    text: model.text.slice(a, b),
    stripes: [[tintOf(lane, token, colour, 0), 1]],
    starts: a === from,
    ends: b === to,
    differs: !lane.agrees(token),
    isEndless: false,
  };
}

/**
 * The clusters of one segment, each with a stripe for every token that has bytes in it.
 * @param {ReadingBox[]} boxes
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} segment
 * @param {{ start: number, end: number }} row
 * @param {Colour} colour
 */
function addClusters(boxes, model, lane, segment, { start, end }, colour) {
  const [from, to, token] = [lane.unitAt[segment], lane.unitAt[segment + 1], lane.tokenAt[segment]];
  const breaks = colour === "broken" ? lane.breaks(segment, model) : null;
  const tint = (/** @type {number} */ each) => tintOf(lane, each, colour, breaks?.[each - token] ?? 0);
  const stop = lane.tokenAt[segment + 1];
  let first = token;
  let byte = lane.byteAt[token];
  for (let a = from; a < Math.min(to, end); ) {
    const b = model.clusterEnd(a);
    const text = model.text.slice(a, b);
    const byteEnd = byte + utf8Length(text);
    let last = first;
    while (lane.byteAt[last + 1] < byteEnd) last += 1;
    const ends = lane.byteAt[last + 1] === byteEnd;
    while (ends && last + 1 < stop && lane.byteAt[last + 2] === byteEnd) last += 1; // tokens without text
    if (a >= start) {
      const { stripes, differs } = stripesOf(lane, first, last, byte, byteEnd, tint);
      boxes.push({
        kind: "reading",
        from,
        to,
        token,
        first,
        count: lane.numberOf(last + 1) - lane.numberOf(first),
        text,
        stripes,
        starts: lane.byteAt[first] === byte,
        ends,
        differs,
        isEndless: b - a > MAX_LETTERS,
      });
    }
    first = ends ? last + 1 : last;
    [a, byte] = [b, byteEnd];
  }
}

/**
 * A stripe for each token with bytes between two offsets, and whether one of them differs from other tokenizers.
 * @param {Lane} lane
 * @param {number} first
 * @param {number} last
 * @param {number} byte
 * @param {number} byteEnd
 * @param {(token: number) => string} tint
 */
function stripesOf(lane, first, last, byte, byteEnd, tint) {
  /** @type {Stripe[]} */
  const stripes = [];
  let differs = false;
  for (let token = first; token <= last && stripes.length < MAX_STRIPES; token++) {
    const bytes = Math.min(lane.byteAt[token + 1], byteEnd) - Math.max(lane.byteAt[token], byte);
    if (!bytes) continue; // a token without text has no place in it
    stripes.push([tint(token), bytes]);
    differs ||= !lane.agrees(token);
  }
  return { stripes, differs };
}
