// How the tokens of the text came about: its tokens after any number of merges, without the server.
// One number for each byte says which merge joined it to the byte before; the rest follows from that.
// @ts-check

import { corpusCurve } from "./corpus_curve.js";
import { totals } from "../model/sorted.js";
import { paint, tintOfBytes } from "../model/tints.js";
import { charUnits, utf8Length } from "../model/utf8.js";

/** @import { HistoryName, Lane, Model, Numbers } from "../types.d.ts" */

const BYTES = 256; // ids of single bytes; the first merge makes the next id

export class TokenHistory {
  /**
   * @param {Model} model
   * @param {Lane} lane
   * @param {Record<HistoryName, Numbers>} arrays
   */
  constructor(model, lane, arrays) {
    this.model = model;
    this.lane = lane;
    this.joined = arrays.joined;
    this.left = arrays.left;
    this.right = arrays.right;
    this.counts = arrays.counts;
    this.total = arrays.left.length;
    this.bytes = new TextEncoder().encode(model.text);
    /** Of each byte offset the UTF-16 unit if a grapheme cluster starts there, else -1. */
    this.clusterAt = new Int32Array(this.bytes.length + 1).fill(-1);
    /** Of each byte offset whether a character starts there. */
    this.charAt = new Uint8Array(this.bytes.length + 1);
    this.findCharacters();
    /** @type {Map<number, Uint8Array>} */
    this.vocabulary = new Map();
    this.counted = this.countTokens();
    this.corpus = corpusCurve(arrays);
  }

  findCharacters() {
    const { text } = this.model;
    let byte = 0;
    for (let unit = 0; unit < text.length; ) {
      this.charAt[byte] = 1;
      if (this.model.startsCluster(unit)) this.clusterAt[byte] = unit;
      const size = charUnits(text, unit);
      byte += utf8Length(text.slice(unit, unit + size));
      unit += size;
    }
    this.charAt[byte] = 1;
    this.clusterAt[byte] = text.length;
  }

  /** The tokens of the text after each number of merges. */
  countTokens() {
    const counts = new Int32Array(this.total + 1);
    for (const merge of this.joined) if (merge) counts[merge] -= 1;
    counts[0] = this.bytes.length;
    for (let n = 1; n <= this.total; n++) counts[n] += counts[n - 1];
    return counts;
  }

  /**
   * The bytes of a token of the vocabulary; without recursion, since a token may be a long chain of merges.
   * @param {number} id
   */
  bytesOf(id) {
    const known = this.vocabulary.get(id);
    if (known) return known;
    const found = [];
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next < BYTES) found.push(next);
      else waiting.push(this.right[next - BYTES], this.left[next - BYTES]);
    }
    const bytes = Uint8Array.from(found);
    this.vocabulary.set(id, bytes);
    return bytes;
  }

  /**
   * The lane as it was after this many merges.
   * @param {number} merges
   */
  at(merges) {
    const { bytes, joined } = this;
    const distinct = new DistinctTokens(this);
    /** @type {number[]} */
    const tokens = [];
    const [byteAt, tokenAt, unitAt] = [[0], [0], [0]];
    let start = 0;
    let parts = 0;
    for (let end = 1; end <= bytes.length; end++) {
      if (end < bytes.length && joined[end - 1] && joined[end - 1] <= merges) continue;
      tokens.push(distinct.placeOf(this.idOf(start, end), start, end));
      byteAt.push(end);
      if (!this.charAt[start] || !this.charAt[end]) parts += 1;
      if (this.clusterAt[end] >= 0) {
        tokenAt.push(tokens.length);
        unitAt.push(this.clusterAt[end]);
      }
      start = end;
    }
    const column = this.columnOf(tokens.length, parts);
    return this.lane.with({ tokens, byteAt, tokenAt, unitAt, column, ...distinct.arraysFor(tokens) });
  }

  /**
   * The id of a stretch of bytes that is a token: the last merge inside it made it.
   * @param {number} start
   * @param {number} end
   */
  idOf(start, end) {
    if (end - start === 1) return this.bytes[start];
    let merge = 0;
    for (let place = start; place < end - 1; place++) merge = Math.max(merge, this.joined[place]);
    return BYTES - 1 + merge;
  }

  /**
   * The words and figures of the lane with this many tokens, of which some are parts of a character.
   * @param {number} count
   * @param {number} parts
   */
  columnOf(count, parts) {
    const { model } = this;
    const { column } = this.lane;
    const each = (/** @type {number} */ amount) => (count ? (amount / count).toFixed(2) : "–");
    const values = [count.toLocaleString(model.locale), each(model.chars), each(this.bytes.length)];
    const figures = column.figures.map(([, label], i) => /** @type {[string, string]} */ ([values[i], label]));
    const truth = parts ? model.label("pieces", { pieces: parts }) : model.labels.no_pieces;
    return { ...column, count, parts, figures, truth };
  }
}

/** The distinct tokens of a lane of the past, in the order in which they appear. */
class DistinctTokens {
  /** @param {TokenHistory} history */
  constructor(history) {
    this.history = history;
    /** @type {Map<number, number>} */
    this.places = new Map();
    /** @type {number[]} */
    this.bytes = [];
    /** @type {number[]} */
    this.sizes = [];
    /** @type {number[]} */
    this.tints = [];
    /** @type {{ merges: number[], left: number[], counts: number[] }} */
    this.made = { merges: [], left: [], counts: [] };
  }

  /**
   * The place of a token among the distinct ones.
   * @param {number} id
   * @param {number} start
   * @param {number} end
   */
  placeOf(id, start, end) {
    const known = this.places.get(id);
    if (known !== undefined) return known;
    const { history, places, made } = this;
    const bytes = history.bytes.subarray(start, end);
    const merge = id < BYTES ? 0 : id - BYTES + 1;
    places.set(id, places.size);
    this.bytes.push(...bytes);
    this.sizes.push(bytes.length);
    this.tints.push(tintOfBytes(bytes, history.model.tintCount));
    made.merges.push(merge);
    made.left.push(merge ? history.bytesOf(history.left[merge - 1]).length : 0);
    made.counts.push(merge ? history.counts[merge - 1] : 0);
    return places.size - 1;
  }

  /**
   * The arrays of a lane that has these tokens.
   * @param {number[]} tokens
   */
  arraysFor(tokens) {
    const { sizes, made } = this;
    return {
      ids: [...this.places.keys()],
      sizes,
      made,
      bytes: Uint8Array.from(this.bytes),
      bytesAt: totals(sizes.length, (place) => sizes[place]),
      tints: paint(tokens, this.tints, this.history.model.tintCount),
    };
  }
}
