// A tokenizer's tokens over the text, gathered to segments: runs of tokens that end where a grapheme cluster does.
// @ts-check

import { charUnits, utf8Length } from "./characters.js";
import { lastUpTo, totals } from "./sorted.js";
import { bytesLevel, paint, shadesOf } from "./tints.js";

/** @import { Colour, Column, Model, Numbers, ReadArray } from "../types.d.ts" */

/** Tokens by their order in the text; `…At` arrays say where each token, segment or distinct token starts. */
export class Lane {
  /**
   * @param {Column} column
   * @param {number} index
   * @param {ReadArray} read
   * @param {number} tintCount
   */
  constructor(column, index, read, tintCount) {
    this.column = column;
    this.index = index;
    this.tintCount = tintCount;
    this.isPretokens = column.kind === "pretokens";
    /** @type {Colour} what colours mean where tokens stand alone */
    this.colour = "piece";
    /** @type {Numbers} of each token, which of the distinct ones it is */
    this.tokens = read(column.tokens);
    this.ids = column.ids;
    this.writings = column.writings;
    /** @type {Numbers | null} how many tokens stand before each piece, where some pieces belong to no token */
    this.countAt = column.ids.includes(null)
      ? totals(this.tokens.length, (piece) => (this.ids[this.tokens[piece]] === null ? 0 : 1))
      : null;
    this.bytes = /** @type {Uint8Array} */ (read(column.bytes));
    /** @type {Numbers} */
    this.sizes = read(column.sizes);
    this.bytesAt = totals(this.sizes.length, (place) => this.sizes[place]);
    this.byteAt = totals(this.tokens.length, (token) => this.sizes[this.tokens[token]]);
    const [counts, units] = [read(column.segment_tokens), read(column.segment_units)];
    this.tokenAt = totals(counts.length, (segment) => counts[segment]);
    this.unitAt = totals(units.length, (segment) => units[segment]);
    this.tints = paint(this.tokens, read(column.tints), tintCount);
    /** @type {Numbers | null} as bits, which tokens the lane that this one is compared with has too */
    this.agreed = null;
    this.takenBy = column.taken_by && read(column.taken_by); // of each pretoken its branch, from 1 up; 0: none
    this.shades = this.takenBy && shadesOf(this.takenBy);
    const { made } = column;
    this.made = made && { merges: read(made.merges), left: read(made.left), counts: made.counts && read(made.counts) };
    this.specials = new Set(column.specials);
    this.lost = new Set(column.lost);
  }

  /** @param {number} token */
  isSpecial(token) {
    return this.specials.has(this.tokens[token]);
  }

  /** @param {number} token */
  isLost(token) {
    return this.lost.has(this.tokens[token]);
  }

  get segments() {
    return this.unitAt.length - 1;
  }

  /** @param {number} unit */
  segmentOfUnit(unit) {
    return Math.min(lastUpTo(this.unitAt, unit), this.segments - 1);
  }

  /** @param {number} token */
  segmentOfToken(token) {
    return Math.min(lastUpTo(this.tokenAt, token), this.segments - 1);
  }

  /** @param {number} byte */
  tokenOfByte(byte) {
    return Math.min(lastUpTo(this.byteAt, byte), this.tokens.length - 1);
  }

  /**
   * @param {number} unit
   * @param {string} text
   */
  byteOfUnit(unit, text) {
    if (!this.segments) return 0;
    const segment = this.segmentOfUnit(unit);
    return this.byteAt[this.tokenAt[segment]] + utf8Length(text.slice(this.unitAt[segment], unit));
  }

  /** @param {number} token */
  id(token) {
    return this.ids[this.tokens[token]];
  }

  /**
   * Whether a piece of the text belongs to no token: the tokenizer has dropped it.
   * @param {number} token
   */
  isGap(token) {
    return this.countAt !== null && this.id(token) === null;
  }

  /**
   * How many tokens stand before a piece.
   * @param {number} token
   */
  numberOf(token) {
    return this.countAt ? this.countAt[token] : token;
  }

  /**
   * How the tokenizer writes a token; null where that is the text of the token.
   * @param {number} token
   */
  writingOf(token) {
    return this.writings?.[this.tokens[token]] ?? null;
  }

  /**
   * The tokens without any text that stand beside a token: at the start of the text before it, otherwise after it.
   * @param {number} token
   */
  emptyBeside(token) {
    const found = [];
    if (this.byteAt[token] === 0) for (let before = 0; before < token; before++) found.push(before);
    for (let next = token + 1; next < this.tokens.length && !this.sizeOf(next); next++) found.push(next);
    return found;
  }

  /** @param {number} token */
  sizeOf(token) {
    return this.sizes[this.tokens[token]];
  }

  /** @param {number} token */
  bytesOf(token) {
    const place = this.tokens[token];
    return this.bytes.subarray(this.bytesAt[place], this.bytesAt[place + 1]);
  }

  /**
   * The name of a token's tint: by its bytes, by how many they are, by where it is cut, or by its branch.
   * @param {number} token
   * @param {Colour} colour
   * @param {number} cut where the token is cut at worst, as `breaks` has it
   */
  tintOf(token, colour = this.colour, cut = 0) {
    if (this.isGap(token)) return "gap";
    if (colour === "bytes") return `h${bytesLevel(this.sizeOf(token))}`;
    if (colour === "broken") return `b${cut}`;
    if (colour === "branch" && this.takenBy) {
      const tint = this.branchTint(this.takenBy[token]);
      return this.shades?.[token] ? tint.replace("t", "u") : tint;
    }
    return `${this.isPretokens ? "u" : "t"}${this.tints[token]}`;
  }

  /** @param {number} branch counted from 1; 0 is what no branch took */
  branchTint(branch) {
    const found = this.column.branches?.[branch - 1];
    return found ? `t${found.tint % this.tintCount}` : "b0";
  }

  /**
   * Whether the lane that this one is compared with has a token of the same bytes at the same place.
   * @param {number} token
   */
  agrees(token) {
    return !this.agreed || Boolean((this.agreed[token >> 3] >> (token & 7)) & 1);
  }

  /**
   * How a token of the visitor's own tokenizer was made: its merge, its left part in bytes, its pair's count.
   * Null for other tokenizers.
   * @param {number} token
   */
  origin(token) {
    const { made, tokens } = this;
    const place = tokens[token];
    return made && { merge: made.merges[place], left: made.left[place], count: made.counts?.[place] };
  }

  /**
   * Where each token of a segment is cut at worst: 0 between clusters, 1 inside a cluster, 2 inside a character.
   * @param {number} segment
   * @param {Model} model
   */
  breaks(segment, model) {
    const [first, stop] = [this.tokenAt[segment], this.tokenAt[segment + 1]];
    const found = new Uint8Array(stop - first);
    let byte = this.byteAt[first];
    let token = first;
    for (let unit = this.unitAt[segment]; unit < this.unitAt[segment + 1]; ) {
      const size = charUnits(model.text, unit);
      const start = byte;
      byte += utf8Length(model.text.slice(unit, unit + size));
      unit += size;
      for (; token + 1 < stop && this.byteAt[token + 1] <= byte; token++) {
        if (this.byteAt[token + 1] <= start) continue; // after a token without text
        const level = this.byteAt[token + 1] < byte ? 2 : model.startsCluster(unit) ? 0 : 1;
        found[token - first] = Math.max(found[token - first], level);
        found[token + 1 - first] = level;
      }
    }
    return found;
  }
}
