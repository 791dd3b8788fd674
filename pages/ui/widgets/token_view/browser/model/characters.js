// Characters: as UTF-16 units, as UTF-8 bytes, and by name where nobody sees them.
// @ts-check

/** @import { Part, Zone } from "../types.d.ts" */

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The UTF-16 units of the character that starts at a unit.
 * @param {string} text
 * @param {number} unit
 */
export function charUnits(text, unit) {
  return (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
}

/**
 * The units at which characters of two units start.
 * @param {string} text
 */
export function astralPlaces(text) {
  const places = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) places.push(i);
  }
  return places;
}

/**
 * The byte that a character stands for, or null. The payload has bytes outside any character as U+DC80 to U+DCFF.
 * @param {string} character
 */
export function brokenByte(character) {
  const code = character.length === 1 ? character.charCodeAt(0) : 0;
  return code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : null;
}

/**
 * The bytes of a text in UTF-8, a broken byte counted as one.
 * @param {string} text
 */
export function utf8Length(text) {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else if (unit < 0xdc00) {
      bytes += 4;
      i += 1;
    } else bytes += 1;
  }
  return bytes;
}

const THAI_LETTER = /^[ก-ฮ](?!$)[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]{0,4}\u0e33?$/u; // a consonant with as many marks as have a place
const SARA_AM = "\u0e33"; // a ring above the consonant, below its other marks, and an aa after it
const THAI_BELOW = /[\u0e38-\u0e3a]/u;
const THAI_BYTES = 3;
const [BELOW_MARKS, ABOVE_MARKS] = [27, 67]; // percent of the height of a box: where a Thai consonant begins and ends

/**
 * Where the consonant and the marks of a Thai letter stand, of which stretches of so many bytes belong to different
 * pieces; null for any other text, and for pieces that end inside a character.
 * @param {string} cluster
 * @param {number[]} sizes
 * @returns {Zone[] | null}
 */
export function zonesOf(cluster, sizes) {
  if (!THAI_LETTER.test(cluster) || sizes.some((size) => size % THAI_BYTES)) return null;
  const stripes = sizes.flatMap((size, stripe) => Array(size / THAI_BYTES).fill(stripe)); // of each character
  const marks = [...cluster].map((mark, at) => ({ mark, stripe: stripes[at] })).slice(1);
  if (marks.at(-1)?.mark === SARA_AM) marks.unshift(...marks.splice(-1));
  const [below, above] = [true, false].map((isBelow) => marks.filter(({ mark }) => THAI_BELOW.test(mark) === isBelow));
  const step = (100 - ABOVE_MARKS) / above.length;
  const middle = /** @type {Zone} */ ([stripes[0], below.length ? BELOW_MARKS : 0, above.length ? ABOVE_MARKS : 100]);
  const under = below.slice(0, 1).map(({ stripe }) => /** @type {Zone} */ ([stripe, 0, BELOW_MARKS]));
  const over = above.map(({ stripe }, at) => /** @type {Zone} */ ([stripe, ABOVE_MARKS + at * step, ABOVE_MARKS + (at + 1) * step]));
  const after = cluster.endsWith(SARA_AM) ? [/** @type {Zone} */ ([stripes[stripes.length - 1], 0, 100, "after"])] : [];
  return [...under, middle, ...over, ...after];
}

/** @param {string} character */
export function bytesOfCharacter(character) {
  const broken = brokenByte(character);
  return broken === null ? new TextEncoder().encode(character) : Uint8Array.of(broken);
}

/** @param {Uint8Array} bytes */
export function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}

/**
 * The parts of a token: whole characters as text, the rest as bytes.
 * @param {Uint8Array} bytes
 * @returns {Part[]}
 */
export function partsOf(bytes) {
  /** @type {{ isText: boolean, start: number, end: number }[]} */
  const runs = [];
  for (let at = 0; at < bytes.length; ) {
    const size = wholeCharacter(bytes, at);
    const isText = size > 0;
    const end = at + (size || 1);
    const before = runs.at(-1);
    if (before?.isText === isText) before.end = end;
    else runs.push({ isText, start: at, end });
    at = end;
  }
  return runs.map(({ isText, start, end }) => {
    const run = bytes.subarray(start, end);
    return isText ? { text: DECODER.decode(run) } : { hex: hexOf(run) };
  });
}

/**
 * The length of the whole UTF-8 character at a place; 0 where there is none.
 * @param {Uint8Array} bytes
 * @param {number} at
 */
function wholeCharacter(bytes, at) {
  const lead = bytes[at];
  const size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (let i = at + 1; i < at + size; i++) if (bytes[i] >> 6 !== 2) return 0;
  const second = bytes[at + 1];
  const isOverlong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90);
  const isBeyond = (lead === 0xed && second > 0x9f) || (lead === 0xf4 && second > 0x8f);
  return at + size <= bytes.length && !isOverlong && !isBeyond ? size : 0;
}

export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/;
// Characters that nobody sees, and bytes outside any character: every view shows them by name.
export const UNSEEN =
  /[\u0000-\u0008\n-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ud800-\udfff]/u;
export const WHITE = /[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;
// Unseen parts of a cluster, such as the joiners of emoji: they are named only where a token starts with one.
export const JOINING = /[\u034f\u200c\u200d\ufe00-\ufe0f\u{e0001}-\u{e007f}\u{e0100}-\u{e01ef}]/u;
export const MARK = /^[\p{M}\u0e33\u0eb3]/u;
export const LONE_MARK = /(?:^|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}])[\p{M}\u0e33\u0eb3]/u;
const CIRCLE = "\u25cc"; // the base of a mark that has none
// The open box for a space: the letters of ␠ are too small to read in any of the fonts.
/** @type {Record<string, string>} */
const GLYPHS = { " ": "␣", "\n": "⏎", "\t": "⇥" };

/** @param {string} character */
export function isWhiteOrUnseen(character) {
  return UNSEEN.test(character) || WHITE.test(character);
}

/** @param {string} character */
export function codeOf(character) {
  return "U+" + (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

/**
 * What stands for a character that nobody sees.
 * @param {string} character
 */
export function glyphOf(character) {
  const broken = brokenByte(character);
  return GLYPHS[character] ?? (broken === null ? codeOf(character) : hexOf(Uint8Array.of(broken)));
}

/**
 * A text that starts with a mark gets a circle for the mark to stand on.
 * @param {string} text
 */
export function onCircle(text) {
  return MARK.test(text) ? CIRCLE + text : text;
}

/**
 * A text as it is read aloud or stands in a heading: names instead of what nobody hears.
 * @param {string} text
 */
export function spoken(text) {
  let said = "";
  for (const character of text.slice(0, 80)) said += isWhiteOrUnseen(character) ? glyphOf(character) : character;
  return onCircle(said);
}
