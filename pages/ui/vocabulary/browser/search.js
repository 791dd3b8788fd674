// The entries of a vocabulary: packed, searched, filtered and sorted without a string for each.
// @ts-check

import { countBefore } from "../../widgets/token_view/browser/model/sorted.js";

/** @import { Choice, Found, Selection } from "./types.d.ts" */

const HEADER = 4;

/** All entries of a vocabulary; an entry is known by its place, from 0 up in the order of ids. */
export class Vocabulary {
  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    const [size] = new Uint32Array(buffer, 0, 1);
    const { entries } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, HEADER, size)));
    const at = HEADER + size; // the header is padded, so that numbers start at a multiple of four
    this.size = /** @type {number} */ (entries);
    this.ids = new Int32Array(buffer, at, entries);
    this.ends = new Uint32Array(buffer, at + 4 * entries, entries);
    this.scripts = new Uint8Array(buffer, at + 8 * entries, entries);
    this.bytes = new Uint8Array(buffer, at + 9 * entries);
    /** @type {Uint32Array | null} */
    this.letters = null;
  }

  /** @param {number} place */
  startOf(place) {
    return place ? this.ends[place - 1] : 0;
  }

  /** @param {number} place */
  lengthOf(place) {
    return this.ends[place] - this.startOf(place);
  }

  /** @param {number} place */
  bytesOf(place) {
    return this.bytes.subarray(this.startOf(place), this.ends[place]);
  }

  /**
   * The place of an id, or -1.
   * @param {number} id
   */
  placeOf(id) {
    const place = countBefore(this.size, (index) => this.ids[index] < id);
    return this.ids[place] === id ? place : -1;
  }

  /** All places by the letters of their tokens; sorted once, in about 0.2 s for 200,000 entries. */
  get byLetters() {
    this.letters ??= Uint32Array.from({ length: this.size }, (_, place) => place).sort((a, b) => this.compare(a, b));
    return this.letters;
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  compare(a, b) {
    const { bytes } = this;
    let [i, j] = [this.startOf(a), this.startOf(b)];
    const [endA, endB] = [this.ends[a], this.ends[b]];
    for (; i < endA && j < endB; i++, j++) if (bytes[i] !== bytes[j]) return bytes[i] - bytes[j];
    return endA - i - (endB - j) || a - b;
  }
}

const NUMBER = "(\\d{1,10}|\\d{1,3}(?:,\\d{3})+)";
const RANGE = new RegExp(`^${NUMBER}(?:[-–]${NUMBER})?$`);
const CASED = /\p{Lowercase}|\p{Uppercase}|\p{Lt}/u;
/** The first bytes of characters of scripts with capital letters: Latin, Greek, Cyrillic, Georgian and rarer ones. */
const MAY_BE_CAPITAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte >= 0xc3 && byte <= 0xd6) || [0xe1, 0xe2, 0xea, 0xef, 0xf0].includes(byte)));
/** @type {WeakMap<Vocabulary, Bytes>} */
const lowered = new WeakMap();

/** @typedef {Pick<Vocabulary, "bytes" | "ends" | "size">} Bytes */

/**
 * The entries that a search finds; "bad" if the query is not bytes, or not ids, where these are wanted.
 * @param {Vocabulary} vocabulary
 * @param {Pick<Choice, "kind" | "query" | "matchesCase">} choice
 * @returns {Found | "bad"}
 */
export function search(vocabulary, { kind, query, matchesCase }) {
  if (!query) return null;
  if (kind === "id") return withIds(vocabulary, query);
  if (kind === "text" && !matchesCase && CASED.test(query)) {
    return withBytes(inLowerCase(vocabulary), new TextEncoder().encode([...query].map((each) => each.toLowerCase()).join("")));
  }
  const needle = kind === "bytes" ? parseHex(query) : new TextEncoder().encode(query);
  return needle ? withBytes(vocabulary, needle) : "bad";
}

/**
 * The entries in lower case, made once, letter by letter. Bytes that are no whole character stay as they are.
 * @param {Vocabulary} vocabulary
 */
function inLowerCase(vocabulary) {
  const known = lowered.get(vocabulary);
  if (known) return known;
  const { bytes, ends, size } = vocabulary;
  const [made, madeEnds] = [new Uint8Array(bytes.length * 2), new Uint32Array(size)];
  let [at, to] = [0, 0];
  for (let place = 0; place < size; place++) {
    while (at < ends[place]) {
      const byte = bytes[at];
      const length = MAY_BE_CAPITAL[byte] ? lengthOfCharacter(bytes, at, ends[place]) : 1;
      const small = length > 1 ? smallLetter(bytes, at, length) : null;
      if (small) for (const each of small) made[to++] = each;
      else if (length === 1) made[to++] = byte >= 65 && byte <= 90 ? byte + 32 : byte;
      else for (let i = 0; i < length; i++) made[to++] = bytes[at + i];
      at += length;
    }
    madeEnds[place] = to;
  }
  const found = { bytes: made.subarray(0, to), ends: madeEnds, size };
  lowered.set(vocabulary, found);
  return found;
}

/**
 * The bytes of the character that begins here; 1 if it is not whole.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end
 */
function lengthOfCharacter(bytes, at, end) {
  const length = bytes[at] < 0xe0 ? 2 : bytes[at] < 0xf0 ? 3 : 4;
  for (let i = 1; i < length; i++) if (at + i >= end || bytes[at + i] >> 6 !== 2) return 1;
  return length;
}

/** @type {Map<number, Uint8Array | null>} */
const smallLetters = new Map();

/**
 * The bytes of the small letter of a character; null if it has no other.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} length
 */
function smallLetter(bytes, at, length) {
  let code = bytes[at] & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) code = (code << 6) | (bytes[at + i] & 0x3f);
  let small = smallLetters.get(code);
  if (small === undefined) {
    const letter = String.fromCodePoint(code);
    small = letter.toLowerCase() === letter ? null : new TextEncoder().encode(letter.toLowerCase());
    smallLetters.set(code, small);
  }
  return small;
}

/**
 * Bytes as people write them: "E0 B8", "e0b8", "0xE0, 0xB8"; null for anything else.
 * @param {string} query
 */
export function parseHex(query) {
  const digits = query.replaceAll(/0x/gi, "").replaceAll(/[\s,]/g, "");
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

/**
 * @param {Bytes} vocabulary
 * @param {Uint8Array} needle
 */
function withBytes({ bytes, ends, size }, needle) {
  const found = new Uint8Array(size);
  let place = 0;
  for (let at = bytes.indexOf(needle[0]); at >= 0; at = bytes.indexOf(needle[0], at + 1)) {
    let same = 1;
    while (same < needle.length && bytes[at + same] === needle[same]) same++;
    if (same < needle.length) continue;
    while (ends[place] <= at) place++;
    if (at + same <= ends[place]) found[place] = 1;
  }
  return found;
}

/**
 * Entries with ids such as "257", "257, 300", "256-300", "300-256", "1,000" or "๑๐๐๐".
 * @param {Vocabulary} vocabulary
 * @param {string} query
 */
function withIds({ ids, size }, query) {
  const ranges = [];
  const plain = inArabicDigits(query).replaceAll(/\s*[-–]\s*/g, "-");
  for (const group of plain.split(/,?\s+|,$/).filter(Boolean)) {
    // A comma before three digits is part of a number; any other stands between two.
    for (const part of RANGE.test(group) ? [group] : group.split(",").filter(Boolean)) {
      const [, first, last = first] = RANGE.exec(part) ?? [];
      if (first === undefined) return "bad";
      ranges.push([first, last].map((number) => Number(number.replaceAll(",", ""))).sort((a, b) => a - b));
    }
  }
  const found = new Uint8Array(size);
  for (let place = 0; place < size; place++) {
    if (ranges.some(([first, last]) => ids[place] >= first && ids[place] <= last)) found[place] = 1;
  }
  return found;
}

/**
 * Digits as Thai and full-width keyboards write them, in ASCII.
 * @param {string} text
 */
function inArabicDigits(text) {
  return text.normalize("NFKC").replaceAll(/[๐-๙]/g, (digit) => String(digit.charCodeAt(0) - 0x0e50));
}

/**
 * The entries that pass all filters, sorted; the counts by script leave out the filter by script.
 * @param {Vocabulary} vocabulary
 * @param {Choice} choice
 * @param {Found} found
 * @param {Uint32Array} uses how often the visitor's text uses each entry
 * @param {number} scripts how many scripts there are
 * @returns {Selection}
 */
export function select(vocabulary, choice, found, uses, scripts) {
  const { size, ids, scripts: codes } = vocabulary;
  const counts = new Uint32Array(scripts);
  const passed = new Uint8Array(size);
  let total = 0;
  for (let place = 0; place < size; place++) {
    if (found && !found[place]) continue;
    const length = vocabulary.lengthOf(place);
    if (length < choice.shortest || length > choice.longest) continue;
    if (ids[place] < choice.first || ids[place] > choice.last) continue;
    if (choice.use !== "all" && (choice.use === "used") !== uses[place] > 0) continue;
    counts[codes[place]]++;
    if (choice.script !== null && codes[place] !== choice.script) continue;
    passed[place] = 1;
    total++;
  }
  return { places: sorted(vocabulary, passed, total, choice.order, uses), counts };
}

/**
 * @param {Vocabulary} vocabulary
 * @param {Uint8Array} passed
 * @param {number} total
 * @param {Choice["order"]} order
 * @param {Uint32Array} uses
 */
function sorted(vocabulary, passed, total, order, uses) {
  const places = new Uint32Array(total);
  let at = 0;
  if (order === "letters") {
    for (const place of vocabulary.byLetters) if (passed[place]) places[at++] = place;
    return places;
  }
  for (let place = 0; place < passed.length; place++) if (passed[place]) places[at++] = place;
  if (order === "newest") return places.reverse();
  if (order === "used") return stable(places, (place) => -uses[place]);
  if (order === "known") return stable(stable(places, (place) => -vocabulary.lengthOf(place)), (place) => Number(!uses[place]));
  if (order === "longest") return stable(places, (place) => -vocabulary.lengthOf(place));
  return order === "shortest" ? stable(places, (place) => vocabulary.lengthOf(place)) : places;
}

/**
 * Sort places by a number, of which there are few different ones; equal ones stay in the order learned.
 * @param {Uint32Array} places
 * @param {(place: number) => number} key
 */
function stable(places, key) {
  const keys = Int32Array.from(places, key);
  const [least, most] = [keys.reduce((one, other) => Math.min(one, other), 0), keys.reduce((one, other) => Math.max(one, other), 0)];
  const next = new Uint32Array(most - least + 2); // for each number how many there are, then where the next of them goes
  for (const each of keys) next[each - least + 1] += 1;
  for (let i = 1; i < next.length; i++) next[i] += next[i - 1];
  const sorted = new Uint32Array(places.length);
  for (let i = 0; i < keys.length; i++) sorted[next[keys[i] - least]++] = places[i];
  return sorted;
}
