// A text and its lanes as the view draws them, and the words that it draws them with.
// @ts-check

import { LONE_MARK } from "./characters.js";
import { Comparison } from "./comparison.js";
import { Lane } from "./lane.js";
import { openPayload } from "./payload.js";
import { below } from "./sorted.js";
import { astralPlaces } from "./utf8.js";

/** @import { Numbers, Options } from "../types.d.ts" */

const FINE = 2000; // UTF-16 units of a text that is drawn whole, cluster by cluster
// UTF-16 units drawn of one cluster: 100,000 marks on one base would hang the browser.
export const MAX_LETTERS = 32;

/** Places in the text are UTF-16 units. */
export class Model {
  /**
   * From a payload with the options before it, or from a payload that was fetched, with the options beside it.
   * @param {Uint8Array<ArrayBuffer>} data
   * @param {Options} [given]
   */
  constructor(data, given) {
    const { options, payload, header, read } = openPayload(data, given);
    this.options = options;
    this.payload = payload; // as it came, for the page that a visitor saves
    this.text = header.text;
    this.chars = header.chars;
    this.hasThai = /[\u0e01-\u0e5b]/.test(header.text);
    this.whole = header.whole;
    this.locale = header.locale;
    this.labels = header.labels;
    this.names = header.names;
    this.tintCount = header.tint_count;
    this.clusters = read(header.clusters);
    this.rows = [...read(header.rows), this.text.length];
    this.lanes = header.columns.map((column, index) => new Lane(column, index, read, this.tintCount));
    this.fine = this.text.length <= FINE; // one box for each cluster, which stays while tokens change
    this.astral = astralPlaces(this.text);
    this.endless = longClusters(this.clusters, this.text.length);
    this.comparison = new Comparison(header.differences, read);
  }

  /**
   * Whether a grapheme cluster starts here.
   * @param {number} unit
   */
  startsCluster(unit) {
    return Boolean((this.clusters[unit >> 3] >> (unit & 7)) & 1);
  }

  /** @param {number} unit */
  clusterStart(unit) {
    while (unit > 0 && !this.startsCluster(unit)) unit -= 1;
    return unit;
  }

  /** @param {number} unit */
  clusterEnd(unit) {
    do unit += 1;
    while (unit < this.text.length && !this.startsCluster(unit));
    return unit;
  }

  /**
   * Whether this stretch must be drawn cluster by cluster: for a mark without a base, or for an endless cluster.
   * @param {number} from
   * @param {number} to
   */
  isDelicate(from, to) {
    const next = below(this.endless, from);
    return this.endless[next] < to || LONE_MARK.test(this.text.slice(from, to));
  }

  /**
   * How many characters stand before a unit: JavaScript counts units, people and Python count characters.
   * @param {number} unit
   */
  charAt(unit) {
    return unit - below(this.astral, unit);
  }

  /** @param {string} character */
  nameOf(character) {
    const code = character.codePointAt(0) ?? 0;
    return this.names[code] ?? `CJK unified ideograph ${code.toString(16).toUpperCase()}`;
  }

  /**
   * A label with its placeholders filled in.
   * @param {string} key
   * @param {Record<string, string | number>} values
   */
  label(key, values) {
    return this.labels[key].replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? value.toLocaleString(this.locale) : value;
    });
  }

  /** @param {number | null} share */
  percent(share) {
    if (share === null || Number.isNaN(share)) return "–";
    const digits = share > 0 && share < 0.1 ? 1 : 0;
    return new Intl.NumberFormat(this.locale, { style: "percent", maximumFractionDigits: digits }).format(share);
  }
}

/**
 * Where clusters with more units than can be drawn start: a run of zeros in the bits of `clusters`.
 * @param {Numbers} clusters
 * @param {number} length
 */
function longClusters(clusters, length) {
  const found = [];
  const bit = (/** @type {number} */ unit) => (clusters[unit >> 3] >> (unit & 7)) & 1;
  for (let i = 1; i < clusters.length; i++) {
    if (clusters[i] || clusters[i - 1] === 0) continue; // at the first byte of zeros after another
    let start = i * 8 - 1;
    while (start > 0 && !bit(start)) start -= 1;
    let end = i * 8;
    while (end < length && !bit(end)) end += 1;
    if (end - start > MAX_LETTERS) found.push(start);
  }
  return found;
}
