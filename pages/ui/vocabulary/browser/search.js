// Finds entries by text, by bytes and by ids: one walk over the packed bytes, no string is made.
// @ts-check

/** @import { Choice, Found } from "./types.d.ts" */
/** @import { Vocabulary } from "./packed.js" */

const RANGE = /^(\d{1,10})(?:[-–](\d{1,10}))?$/;

/**
 * The entries that a search finds; "bad" if the query is not bytes, or not ids, where these are wanted.
 * @param {Vocabulary} vocabulary
 * @param {Pick<Choice, "kind" | "query">} choice
 * @returns {Found | "bad"}
 */
export function search(vocabulary, { kind, query }) {
  if (!query) return null;
  if (kind === "id") return withIds(vocabulary, query);
  const needle = kind === "bytes" ? parseHex(query) : new TextEncoder().encode(query);
  return needle ? withBytes(vocabulary, needle) : "bad";
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
 * @param {Vocabulary} vocabulary
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
 * Entries with ids such as "257", "257 300" or "256-300".
 * @param {Vocabulary} vocabulary
 * @param {string} query
 */
function withIds({ ids, size }, query) {
  const ranges = [];
  for (const part of query.replaceAll(/\s*[-–]\s*/g, "-").split(/[\s,]+/).filter(Boolean)) {
    const [, first, last = first] = RANGE.exec(part) ?? [];
    if (first === undefined) return "bad";
    ranges.push([Number(first), Number(last)]);
  }
  const found = new Uint8Array(size);
  for (let place = 0; place < size; place++) {
    if (ranges.some(([first, last]) => ids[place] >= first && ids[place] <= last)) found[place] = 1;
  }
  return found;
}
