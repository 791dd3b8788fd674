// Characters that nobody sees, the signs that stand for them, and marks that need a base.
// @ts-check

import { brokenByte, hexOf } from "./utf8.js";

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
