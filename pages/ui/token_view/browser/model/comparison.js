// Where lanes cut the text differently, two at a time: each lane can be the one that others are compared with.
// @ts-check

import { totals } from "./sorted.js";

/** @import { Numbers, PayloadHeader, ReadArray } from "../types.d.ts" */

/**
 * The differences of two lanes in UTF-16 units, the share of the text in them, and by lane, as bits, which tokens
 * the other lane has too.
 */
export class Pair {
  /**
   * @param {PayloadHeader["differences"]["pairs"][number]} pair
   * @param {ReadArray} read
   */
  constructor({ lanes, share, gaps, lengths, agreed }, read) {
    this.lanes = lanes;
    this.share = share;
    this.agreed = agreed.map(read);
    this.edges = () => edgesOf(read(gaps), read(lengths));
    /** @type {{ starts: Numbers, ends: Numbers } | null} */
    this.found = null;
  }

  get starts() {
    return (this.found ??= this.edges()).starts;
  }

  get ends() {
    return (this.found ??= this.edges()).ends;
  }

  /** @param {number} lane */
  agreedOf(lane) {
    return this.agreed[this.lanes.indexOf(lane)];
  }
}

/** The lanes of one kind, and every two of them. */
export class Comparison {
  /**
   * @param {PayloadHeader["differences"]} differences
   * @param {ReadArray} read
   */
  constructor({ lanes, base, pairs }, read) {
    this.lanes = lanes;
    this.base = base; // the lane that others are compared with until a visitor chooses another
    this.pairs = pairs.map((pair) => new Pair(pair, read));
    this.hasDifferences = pairs.some(({ share }) => Boolean(share));
  }

  /**
   * The lanes beside a lane.
   * @param {number} base
   */
  others(base) {
    return this.lanes.filter((lane) => lane !== base);
  }

  /**
   * What two lanes differ in; undefined where one of them is not compared.
   * @param {number} one
   * @param {number} other
   */
  between(one, other) {
    return this.pairs.find(({ lanes }) => one !== other && lanes.includes(one) && lanes.includes(other));
  }

  /**
   * The lane that is most like another: its differences say most, where others differ nearly everywhere.
   * @param {number} base
   */
  nearest(base) {
    const shareOf = (/** @type {number} */ lane) => this.between(base, lane)?.share ?? 0;
    return this.others(base).reduce((best, lane) => (shareOf(lane) < shareOf(best) ? lane : best));
  }
}

/**
 * Starts and ends from the stretches between differences, and those of the differences.
 * @param {Numbers} gaps
 * @param {Numbers} lengths
 */
function edgesOf(gaps, lengths) {
  const edges = totals(2 * gaps.length, (index) => (index % 2 ? lengths : gaps)[index >> 1]);
  /** @param {number} first */
  const every = (first) => Uint32Array.from(gaps, (_, index) => edges[2 * index + first]);
  return { starts: every(1), ends: every(2) };
}
