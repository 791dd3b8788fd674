// Part 2: what to draw of a row, as plain data.

import { MAX_LETTERS } from "./model.js";
import { lastUpTo } from "./sorted.js";
import { tintOf } from "./tints.js";
import { charUnits, utf8Length } from "./utf8.js";

const MAX_STRIPES = 64; // tokens drawn in one cluster; the count beside it says how many there are
const MAX_CHIPS = 400; // chips drawn of one segment
const RULER = 10; // characters between two numbers of the ruler

// Reading: a box for each segment; for each cluster where several tokens share a segment, or the text is short.
// from, to: the box in UTF-16 units, whole even where the row shows a part of it.
export function readingBoxes(model, lane, start, end, colour) {
  const boxes = [];
  if (!lane.segments) return boxes;
  for (let s = lane.segmentOfUnit(start); s < lane.segments && lane.unitAt[s] < end; s++) {
    const [from, to, token] = [lane.unitAt[s], lane.unitAt[s + 1], lane.tokenAt[s]];
    const [a, b] = [Math.max(from, start), Math.min(to, end)];
    if (lane.tokenAt[s + 1] - token > 1 || model.fine || model.isDelicate(a, b)) clusterBoxes(model, lane, s, start, end, colour, boxes);
    else {
      const tint = tintOf(lane, token, colour, 0);
      boxes.push({ from, to, token, first: token, text: model.text.slice(a, b), stripes: [[tint, 1]], starts: a === from, ends: b === to, count: 1, differs: !lane.agrees(token), outline: model.outline(a, b) });
    }
  }
  return boxes;
}

// The clusters of one segment, each with a stripe for every token that has bytes in it.
function clusterBoxes(model, lane, segment, start, end, colour, boxes) {
  const [from, to] = [lane.unitAt[segment], lane.unitAt[segment + 1]];
  const own = lane.tokenAt[segment];
  const breaks = colour === "broken" ? lane.breaks(segment, model) : null;
  let token = own;
  let byte = lane.byteAt[token];
  for (let a = from; a < Math.min(to, end); ) {
    const b = model.clusterEnd(a);
    const byteEnd = byte + utf8Length(model.text.slice(a, b));
    const first = token;
    const starts = lane.byteAt[first] === byte;
    while (lane.byteAt[token + 1] < byteEnd) token += 1;
    const ends = lane.byteAt[token + 1] === byteEnd;
    if (a >= start) {
      const stripes = [];
      let differs = false;
      for (let t = first; t <= token && stripes.length < MAX_STRIPES; t++) {
        stripes.push([tintOf(lane, t, colour, breaks?.[t - own]), Math.min(lane.byteAt[t + 1], byteEnd) - Math.max(lane.byteAt[t], byte)]);
        differs ||= !lane.agrees(t);
      }
      boxes.push({ from, to, token: own, first, text: model.text.slice(a, b), stripes, starts, ends, count: token - first + 1, differs, endless: b - a > MAX_LETTERS, outline: model.outline(a, b) });
    }
    if (ends) token += 1;
    [a, byte] = [b, byteEnd];
  }
}

// Chips: one for each token of the segments that start in the row. from, to: the characters it has bytes of.
export function chipBoxes(model, lane, start, end, colour) {
  const boxes = [];
  if (!lane.segments) return boxes;
  let s = lane.segmentOfUnit(start);
  if (lane.unitAt[s] < start) s += 1;
  for (; s < lane.segments && lane.unitAt[s] < end; s++) {
    const own = lane.tokenAt[s];
    const stop = Math.min(lane.tokenAt[s + 1], own + MAX_CHIPS);
    const breaks = colour === "broken" ? lane.breaks(s, model) : null;
    let [unit, byte] = [lane.unitAt[s], lane.byteAt[own]];
    for (let token = own; token < stop; token++) {
      let to = unit;
      let size = 0;
      while (byte < lane.byteAt[token + 1] && to < lane.unitAt[s + 1]) {
        [unit, size] = [byte <= lane.byteAt[token] ? to : unit, charUnits(model.text, to)];
        byte += utf8Length(model.text.slice(to, to + size));
        to += size;
      }
      boxes.push({ from: unit, to, token, first: token, chip: true, count: 1, tint: tintOf(lane, token, colour, breaks?.[token - own]), differs: !lane.agrees(token) });
      if (byte > lane.byteAt[token + 1]) {
        // The last character goes on in the next token, which therefore starts with it.
        byte -= utf8Length(model.text.slice(to - size, to));
        unit = to - size;
      } else unit = to;
    }
    const hidden = lane.tokenAt[s + 1] - stop;
    if (hidden) boxes.push({ from: lane.unitAt[s], to: lane.unitAt[s + 1], token: stop, note: model.label("more_tokens", { count: hidden }) });
  }
  return boxes;
}

// The ruler of the staff: the same text, unseen, cut where a number stands or where tokenizers begin to differ.
export function rulerBoxes(model, start, end) {
  const cuts = new Map([[start, {}]]);
  const at = (unit) => cuts.get(unit) ?? cuts.set(unit, {}).get(unit);
  let character = model.charAt(start);
  for (let unit = start, stop; unit < end; unit = stop) {
    stop = model.clusterEnd(unit);
    const next = character + model.charAt(stop) - model.charAt(unit);
    // The number of the cluster's first character, if it is a tenth one; else of the one inside that is.
    const tenth = Math.ceil((character + 1) / RULER) * RULER;
    if (tenth <= next) at(unit).number = tenth;
    if (stop - unit > MAX_LETTERS) (at(unit).endless = true), at(stop);
    character = next;
  }
  const { starts, ends } = model.differences;
  // Differences in one cluster are drawn once: a letter with 100,000 marks has as many.
  let covered = start;
  for (let i = lastUpTo(ends, start); i < starts.length && starts[i] < end; i++) {
    if (ends[i] <= covered) continue;
    const a = model.clusterStart(Math.max(starts[i], covered));
    const b = model.startsCluster(ends[i]) || ends[i] >= end ? Math.min(ends[i], end) : model.clusterEnd(ends[i]);
    for (const unit of [a, b]) if (unit < end) at(unit);
    for (const [unit, cut] of cuts) if (unit >= a && unit < b) cut.differs = true;
    covered = b;
  }
  const units = [...cuts.keys()].filter((unit) => unit < end).sort((one, other) => one - other);
  return units.map((unit, index) => ({ ...cuts.get(unit), text: model.text.slice(unit, units[index + 1] ?? end) }));
}
