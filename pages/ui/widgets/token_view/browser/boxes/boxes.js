// What is drawn of a row: boxes for reading, chips, and the ruler.
// @ts-check

import { charUnits, utf8Length, zonesOf } from "../model/characters.js";
import { MAX_LETTERS } from "../model/model.js";
import { lastUpTo } from "../model/sorted.js";

/** @import { Box, Colour, Lane, Model, Numbers, ReadingBox, RulerBox, Stripe } from "../types.d.ts" */

const MAX_STRIPES = 64; // tokens drawn in one cluster; the count below it says how many there are
const MAX_CHIPS = 400; // chips drawn of one segment
const RULER = 10; // characters between two numbers of the ruler

/** The boxes of one lane in a row. */
export class LaneBoxes {
  /**
   * @param {Model} model
   * @param {Lane} lane
   * @param {{ start: number, end: number }} row
   * @param {Colour} colour
   */
  constructor(model, lane, { start, end }, colour) {
    this.model = model;
    this.lane = lane;
    this.start = start;
    this.end = end;
    this.colour = colour;
  }

  /**
   * A box for each segment that lies in the row. Clusters have boxes of their own where several tokens share a
   * segment, and where the text is short.
   */
  reading() {
    const { model, lane, start, end } = this;
    /** @type {ReadingBox[]} */
    const boxes = [];
    for (let s = lane.segmentOfUnit(start); s >= 0 && s < lane.segments && lane.unitAt[s] < end; s++) {
      const [a, b] = [Math.max(lane.unitAt[s], start), Math.min(lane.unitAt[s + 1], end)];
      const isShared = lane.tokenAt[s + 1] - lane.tokenAt[s] > 1;
      if (isShared || model.fine || model.isDelicate(a, b)) this.addClusters(boxes, s);
      else boxes.push(this.segmentBox(s, a, b));
    }
    return boxes;
  }

  /**
   * The box of a segment with one token; the row shows its units from a to b.
   * @param {number} segment
   * @param {number} a
   * @param {number} b
   * @returns {ReadingBox}
   */
  segmentBox(segment, a, b) {
    const { model, lane } = this;
    const [from, to, token] = [lane.unitAt[segment], lane.unitAt[segment + 1], lane.tokenAt[segment]];
    const [text, starts, ends] = [model.text.slice(a, b), a === from, b === to];
    const [count, differs] = [lane.isGap(token) ? 0 : 1, !lane.agrees(token)];
    /** @type {Stripe[]} */
    const stripes = [[lane.tintOf(token, this.colour), 1]];
    return { kind: "reading", from, to, token, first: token, count, text, stripes, starts, ends, differs, isEndless: false };
  }

  /**
   * The clusters of one segment, each with a stripe for every token that has bytes in it.
   * @param {ReadingBox[]} boxes
   * @param {number} segment
   */
  addClusters(boxes, segment) {
    const { model, lane, start, end } = this;
    const [from, to, token] = [lane.unitAt[segment], lane.unitAt[segment + 1], lane.tokenAt[segment]];
    const tint = this.tints(segment);
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
        /** @type {Stripe[]} */
        const stripes = [];
        let differs = false;
        for (let each = first; each <= last && stripes.length < MAX_STRIPES; each++) {
          const bytes = Math.min(lane.byteAt[each + 1], byteEnd) - Math.max(lane.byteAt[each], byte);
          if (!bytes) continue; // a token without text has no place in it
          stripes.push([tint(each), bytes]);
          differs ||= !lane.agrees(each);
        }
        const count = lane.numberOf(last + 1) - lane.numberOf(first);
        const starts = lane.byteAt[first] === byte;
        const isEndless = b - a > MAX_LETTERS;
        const zones = lane.isPretokens && stripes.length > 1 ? zonesOf(text, stripes.map(([, size]) => size)) : null;
        boxes.push({ kind: "reading", from, to, token, first, count, text, stripes, zones, starts, ends, differs, isEndless });
      }
      first = ends ? last + 1 : last;
      [a, byte] = [b, byteEnd];
    }
  }

  /** @param {number} segment */
  tints(segment) {
    const { model, lane, colour } = this;
    const breaks = colour === "broken" ? lane.breaks(segment, model) : null;
    const first = lane.tokenAt[segment];
    return (/** @type {number} */ token) => lane.tintOf(token, colour, breaks?.[token - first]);
  }

  /** A chip for each token of the segments that start in the row, and a note of those that are not drawn. */
  chips() {
    const { model, lane, start, end } = this;
    /** @type {Box[]} */
    const boxes = [];
    let segment = lane.segmentOfUnit(start);
    if (lane.unitAt[segment] < start) segment += 1;
    for (; segment >= 0 && segment < lane.segments && lane.unitAt[segment] < end; segment++) {
      const [own, stop] = [lane.tokenAt[segment], lane.tokenAt[segment + 1]];
      const shown = Math.min(stop, own + MAX_CHIPS);
      this.addChips(boxes, segment, shown);
      if (shown === stop) continue;
      const [from, to] = [lane.unitAt[segment], lane.unitAt[segment + 1]];
      const note = model.label("more_tokens", { count: stop - shown });
      boxes.push({ kind: "note", from, to, token: shown, first: shown, count: 0, note });
    }
    return boxes;
  }

  /**
   * The chips of a segment up to a token.
   * @param {Box[]} boxes
   * @param {number} segment
   * @param {number} stop
   */
  addChips(boxes, segment, stop) {
    const { model, lane } = this;
    const tint = this.tints(segment);
    const own = lane.tokenAt[segment];
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
      const differs = !lane.agrees(token);
      boxes.push({ kind: "chip", from, to, token, first: token, count: 1, tint: tint(token), differs });
      if (byte > lane.byteAt[token + 1]) {
        // The next token has the rest of the last character, and therefore starts with it.
        byte -= utf8Length(model.text.slice(to - size, to));
        from = to - size;
      } else from = to;
    }
  }
}

/**
 * The boxes of the ruler over a row: they start where a number stands, and where tokenizers begin to differ.
 * @param {Model} model
 * @param {{ starts: Numbers, ends: Numbers }} differences
 * @param {number | null} current the number of the difference that a visitor went to
 * @param {{ start: number, end: number }} row
 * @returns {RulerBox[]}
 */
export function rulerBoxes(model, { starts, ends }, current, { start, end }) {
  /** @type {Map<number, RulerBox>} the boxes by the unit where each starts */
  const boxes = new Map();
  const at = (/** @type {number} */ unit) => {
    const box = boxes.get(unit) ?? { text: "", number: null, differs: false, isCurrent: false, isEndless: false };
    boxes.set(unit, box);
    return box;
  };
  at(start);
  for (let unit = start, stop; unit < end; unit = stop) {
    stop = model.clusterEnd(unit);
    // A cluster with a tenth character in it gets the number of that character.
    const tenth = Math.ceil((model.charAt(unit) + 1) / RULER) * RULER;
    if (tenth <= model.charAt(stop)) at(unit).number = tenth;
    if (stop - unit <= MAX_LETTERS) continue;
    at(unit).isEndless = true;
    at(stop);
  }
  let covered = start;
  for (let i = lastUpTo(ends, start); i < starts.length && starts[i] < end; i++) {
    if (ends[i] <= covered) continue; // in one cluster they are drawn once: a letter may have 100,000 marks
    const from = model.clusterStart(Math.max(starts[i], covered));
    const isWhole = model.startsCluster(ends[i]) || ends[i] >= end;
    covered = isWhole ? Math.min(ends[i], end) : model.clusterEnd(ends[i]);
    for (const unit of [from, covered]) if (unit < end) at(unit);
    for (const [unit, box] of boxes) {
      if (unit < from || unit >= covered) continue;
      box.differs = true;
      box.isCurrent = i === current;
    }
  }
  const units = [...boxes.keys()].filter((unit) => unit < end).sort((one, other) => one - other);
  return units.map((unit, index) => ({ ...at(unit), text: model.text.slice(unit, units[index + 1] ?? end) }));
}
