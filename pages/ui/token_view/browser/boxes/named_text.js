// Texts and tokens as elements, with names for characters that nobody sees and bytes for what is no character.
// @ts-check

import { JOINING, UNSEEN, WHITE, glyphOf, isWhiteOrUnseen, onCircle } from "../model/characters.js";
import { make } from "../elements.js";
import { MAX_LETTERS } from "../model/model.js";
import { partsOf } from "../model/utf8.js";

/** @import { Lane, Model } from "../types.d.ts" */

const MAX_CHIP_BYTES = 48; // of a token that is shown outside the text
/** @type {Record<string, string>} */
const OVERLAYS = { " ": "·", "\t": "→", "\u00a0": "⍽" };

/**
 * Text with names for what nobody sees. The characters themselves stay, so that a copy is the original.
 * @param {Element} element
 * @param {string} text
 * @param {boolean} whiteSpace
 */
export function addText(element, text, whiteSpace) {
  let plain = "";
  const flush = () => {
    if (plain) element.append(plain);
    plain = "";
  };
  for (const character of text) {
    const isWhite = whiteSpace && WHITE.test(character);
    if (!isWhite && !UNSEEN.test(character)) {
      plain += character;
      continue;
    }
    flush();
    const named = make("i", isWhite ? "g over" : "g", character);
    named.dataset.g = isWhite ? (OVERLAYS[character] ?? "·") : glyphOf(character);
    element.append(named);
  }
  flush();
}

/**
 * Fill in the text of a box. An endless cluster is cut for the eye, and says so. The cut depends on the text alone,
 * so that all lanes break their lines alike.
 * @param {HTMLElement} element
 * @param {{ text: string, isEndless: boolean }} box
 * @param {Model} model
 * @param {boolean} whiteSpace
 */
export function fillReading(element, { text, isEndless }, model, whiteSpace) {
  const shown = isEndless ? text.slice(0, MAX_LETTERS) : text;
  element.replaceChildren();
  if (UNSEEN.test(shown) || (whiteSpace && WHITE.test(shown))) addText(element, shown, whiteSpace);
  else element.textContent = shown;
  if (isEndless) element.dataset.more = model.label("more_characters", { count: text.length - shown.length });
  else delete element.dataset.more;
}

/**
 * The bytes of a token, as text where they are whole characters.
 * @param {Element} element
 * @param {Uint8Array} bytes
 */
export function fillChip(element, bytes) {
  const parts = partsOf(bytes);
  element.replaceChildren();
  element.classList.toggle("raw", parts.every((part) => part.hex !== undefined));
  for (const part of parts) {
    if (part.hex !== undefined) element.append(make("span", "x", part.hex));
    else addNamed(element, part.text);
  }
}

/**
 * Text of a token that stands alone: every space has a glyph, and a mark stands on a dotted circle.
 * @param {Element} element
 * @param {string} text
 */
function addNamed(element, text) {
  let plain = "";
  let isBare = true; // nothing visible before: a joiner here needs its name
  const flush = () => {
    if (plain) element.append(make("span", "w", onCircle(plain)));
    plain = "";
  };
  for (const character of text) {
    /** @type {boolean} */
    const isNamed = isWhiteOrUnseen(character) || (isBare && JOINING.test(character));
    if (isNamed) {
      flush();
      element.append(make("i", "glyph", glyphOf(character)));
    } else plain += character;
    isBare = isNamed;
  }
  flush();
}

/**
 * A token as its tokenizer writes it, such as ▁the, ##ing or [UNK]; otherwise its bytes.
 * @param {Element} element
 * @param {Lane} lane
 * @param {number} token
 */
export function fillToken(element, lane, token) {
  const writing = lane.writingOf(token);
  if (writing === null) return fillChip(element, lane.bytesOf(token));
  element.replaceChildren();
  element.classList.remove("raw");
  addNamed(element, writing.slice(0, MAX_CHIP_BYTES));
}

/**
 * A chip outside the text.
 * @param {Uint8Array} bytes
 * @param {string} tint
 */
export function chipOf(bytes, tint) {
  const chip = make("span", "p");
  chip.style.backgroundColor = `var(--${tint})`;
  fillChip(chip, bytes.subarray(0, MAX_CHIP_BYTES));
  return chip;
}

/**
 * A token of a lane as a chip outside the text.
 * @param {Lane} lane
 * @param {number} token
 */
export function tokenChip(lane, token) {
  const chip = chipOf(lane.bytesOf(token), lane.tintOf(token));
  if (lane.writingOf(token) !== null) fillToken(chip, lane, token);
  return chip;
}
