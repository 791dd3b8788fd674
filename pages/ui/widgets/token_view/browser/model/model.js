// A text and its lanes as the view draws them, and the words that it draws them with.
// @ts-check

import { LONE_MARK, astralPlaces } from "./characters.js";
import { Lane } from "./lane.js";
import { below, totals } from "./sorted.js";
import { filled } from "../words.js";

/** @import { Numbers, Options, PayloadHeader, ReadArray } from "../types.d.ts" */

const FINE = 2000; // UTF-16 units of a text that is drawn whole, cluster by cluster
// UTF-16 units drawn of one cluster: 100,000 marks on one base would hang the browser.
export const MAX_LETTERS = 32;
const KINDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

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

  /** @param {number} unit */
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
    return filled(this.labels[key], values, this.locale);
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

/** What two lanes differ in: the share of the text, where it is, and by lane which tokens the other has too. */
class Pair {
  /**
   * @param {PayloadHeader["differences"]["pairs"][number]} pair
   * @param {ReadArray} read
   */
  constructor({ lanes, share, gaps, lengths, agreed }, read) {
    this.lanes = lanes;
    this.share = share;
    this.agreed = agreed.map(read); // as bits
    this.stretches = () => [read(gaps), read(lengths)];
    /** @type {{ starts: Numbers, ends: Numbers } | null} */
    this.found = null;
  }

  /** Where differences start and end, in UTF-16 units; computed when first asked for. */
  get edges() {
    if (!this.found) {
      const [gaps, lengths] = this.stretches();
      const edges = totals(2 * gaps.length, (index) => (index % 2 ? lengths : gaps)[index >> 1]);
      const every = (/** @type {number} */ first) => Uint32Array.from(gaps, (_, index) => edges[2 * index + first]);
      this.found = { starts: every(1), ends: every(2) };
    }
    return this.found;
  }

  /** @param {number} lane */
  agreedOf(lane) {
    return this.agreed[this.lanes.indexOf(lane)];
  }
}

/** The lanes of one kind, and every two of them. */
class Comparison {
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

  /** @param {number} base */
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
   * The lane that differs least from another, but differs: its differences say most, where others differ everywhere.
   * @param {number} base
   */
  nearest(base) {
    const shareOf = (/** @type {number} */ lane) => this.between(base, lane)?.share || Infinity;
    return this.others(base).reduce((best, lane) => (shareOf(lane) < shareOf(best) ? lane : best));
  }
}

/**
 * The options that stand before a payload.
 * @param {Uint8Array<ArrayBuffer>} data
 * @returns {Options}
 */
export function optionsOf(data) {
  const size = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + size)));
}

/**
 * Read a payload: a header, and the arrays that it points to.
 * @param {Uint8Array<ArrayBuffer>} data a payload with the options before it, or without where they are given
 * @param {Options} [given]
 */
function openPayload(data, given) {
  let at = 0;
  const json = () => {
    const size = new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0, true);
    at += 4 + size;
    return JSON.parse(new TextDecoder().decode(data.subarray(at - size, at)));
  };
  /** @type {Options} */
  const options = given ?? json();
  const payload = data.subarray(at);
  /** @type {PayloadHeader} */
  const header = json();
  const place = data.byteOffset + at;
  // Numbers must start at a multiple of their width: elsewhere they are read from a copy.
  const [buffer, start] = place % 4 ? [data.slice(at).buffer, 0] : [data.buffer, place];
  /** @type {ReadArray} */
  const read = ([offset, length, width]) => new KINDS[width](buffer, start + offset, length);
  return { options, payload, header, read };
}

// ---- payloads of long texts, which are fetched

const MAX_FETCHED = 2; // models kept, so that a rerun draws them at once
/** @type {Map<string, Model>} */
const FETCHED = new Map();

/**
 * The model that was fetched from an address, with the options that it has now.
 * @param {string} address
 * @param {Options} options
 */
export function fetchedModel(address, options) {
  const model = FETCHED.get(address);
  if (model) model.options = options;
  return model;
}

/**
 * A payload, or a sentence that says why the server has none; null where the server is gone or forgot the text.
 * @param {string} address
 */
export async function fetchPayload(address) {
  const answer = await fetch(address).catch(() => null);
  if (answer?.ok) return new Uint8Array(await answer.arrayBuffer());
  return answer?.status === 422 ? answer.text() : null;
}

/**
 * The model of a payload that was fetched.
 * @param {string} address
 * @param {Uint8Array<ArrayBuffer>} payload
 * @param {Options} options
 */
export function keepFetched(address, payload, options) {
  const model = new Model(payload, options);
  FETCHED.set(address, model);
  const [oldest] = FETCHED.keys();
  if (FETCHED.size > MAX_FETCHED) FETCHED.delete(oldest);
  return model;
}
