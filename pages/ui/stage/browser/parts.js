// Tokens in words that people understand: whole letters as they are, parts of letters as what they can become.
// @ts-check

import { onCircle, isWhiteOrUnseen, glyphOf } from "../../token_view/browser/model/characters.js";
import { hexOf, partsOf } from "../../token_view/browser/model/utf8.js";
import { make } from "../../token_view/browser/elements.js";

const EXAMPLES = 3; // letters that a part can become, shown as examples
const MOST_SHOWN = 24; // characters of a long token that are shown
const LETTER = /[\p{L}\p{M}\p{N}\p{S}]/u;
const STRICT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * How many bytes a character has that starts with this one; 0 for a byte from inside a character.
 * @param {number} lead
 */
function lengthOf(lead) {
  return lead < 0x80 ? 1 : lead >> 5 === 6 ? 2 : lead >> 4 === 14 ? 3 : lead >> 3 === 30 ? 4 : 0;
}

/**
 * Examples of the characters that a part can become: the first ones of their kind.
 * @param {Uint8Array} bytes the start of a character
 * @param {number} size the bytes that the whole has
 */
export function startsOf(bytes, size) {
  if (size - bytes.length !== 1) return [];
  const found = [];
  for (let last = 0x80; last < 0xc0 && found.length < EXAMPLES; last++) {
    const letter = decoded([...bytes, last]);
    if (letter && LETTER.test(letter)) found.push(letter);
  }
  return found;
}

/** @param {number[]} bytes */
function decoded(bytes) {
  try {
    return STRICT_DECODER.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

/**
 * The chip of a token, with words for what it is if it is no whole text.
 * @param {Uint8Array} bytes
 * @param {string} tint
 * @param {boolean} asHex
 */
export function partChip(bytes, tint, asHex) {
  const chip = make("span", "chip");
  chip.style.backgroundColor = `var(--${tint})`;
  chip.title = hexOf(bytes);
  for (const part of partsOf(bytes)) {
    if (part.hex === undefined) chip.append(make("span", "whole", shownText(part.text)));
    else if (asHex) chip.append(make("span", "hex", part.hex));
    else for (const run of runsOf(part.hex)) chip.append(make("span", "ghost", ghostOf(run)));
  }
  return chip;
}

/** @param {string} text */
function shownText(text) {
  const end = text.length > MOST_SHOWN ? `…${text.slice(-MOST_SHOWN)}` : text;
  return onCircle([...end].map((character) => (isWhiteOrUnseen(character) ? glyphOf(character) : character)).join(""));
}

/**
 * Bytes that are no whole character, parted where another character starts.
 * @param {string} hex
 */
function runsOf(hex) {
  /** @type {Uint8Array[]} */
  const runs = [];
  const bytes = Uint8Array.from(hex.split(" "), (byte) => parseInt(byte, 16));
  let from = 0;
  for (let at = 1; at <= bytes.length; at++) {
    if (at < bytes.length && !lengthOf(bytes[at])) continue;
    runs.push(bytes.subarray(from, at));
    from = at;
  }
  return runs;
}

/**
 * What is drawn for a part of a character: the characters that it can become, or which fraction of one it is.
 * @param {Uint8Array} bytes
 */
function ghostOf(bytes) {
  const size = lengthOf(bytes[0]);
  const examples = size > bytes.length ? startsOf(bytes, size) : [];
  if (examples.length) return `${examples.map(onCircle).join(" ")} …`;
  if (size > bytes.length) return `${bytes.length}⁄${size}`;
  return "·".repeat(Math.min(3, bytes.length));
}

/**
 * What a token is, in words: nothing if it is whole text.
 * @param {Uint8Array} bytes
 * @param {(key: string, values?: Record<string, unknown>) => string} label
 */
export function kindOf(bytes, label) {
  const runs = partsOf(bytes).flatMap((part) => (part.hex === undefined ? [null] : runsOf(part.hex)));
  const broken = runs.filter((run) => run !== null);
  if (!broken.length) return "";
  if (broken.length > 1) return label("part_bridge");
  if (runs.length > 1) return label("part_and_text");
  const [part] = broken;
  const size = lengthOf(part[0]);
  if (!size) return label("part_inside");
  const examples = startsOf(part, size);
  const values = { have: part.length, all: size, letters: examples.map(onCircle).join(" ") };
  return label(examples.length ? "part_start_of" : "part_start", values);
}
