// What happens now, above the sentence: left + right → token, and in words; or how many merges flow by.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { glyphOf, hexOf, isWhiteOrUnseen, onCircle, partsOf } from "../../token_view/browser/model/characters.js";
import { tintOfBytes } from "../../token_view/browser/model/tints.js";
import { plainWords } from "../../token_view/browser/words.js";

/** @import { Learned } from "./sentence.js" */
/** @import { Stage } from "./stage.js" */
/** @import { Label } from "./types.d.ts" */

export class Headline {
  /** @param {Stage} stage */
  constructor({ label, options, learned, sentence }) {
    this.label = label;
    this.tintCount = options.tints;
    this.learned = learned;
    this.sentence = sentence;
    this.asHex = false;
    this.merge = 0;
    this.element = make("div", "headline");
    this.chips = make("button", "equation");
    this.chips.type = "button";
    this.says = make("p", "says");
    this.tokens = make("div", "tokens");
    this.count = make("span", "total");
    this.unit = make("span", "unit");
    this.tokens.append(this.count, this.unit);
    const text = make("div", "what");
    text.append(this.chips, this.says);
    this.element.append(text, this.tokens);
    /** @type {(() => void) | null} */
    this.again = null;
    this.chips.onclick = () => {
      this.asHex = !this.asHex;
      this.again?.();
    };
    this.chips.title = plainWords(label("hex"));
  }

  /** @param {number} tokens */
  tick(tokens) {
    this.count.textContent = tokens.toLocaleString(this.label("locale"));
    this.unit.textContent = this.label("tokens", { count: tokens });
  }

  /** @param {string} words */
  say(words) {
    this.chips.replaceChildren();
    this.chips.hidden = true;
    this.says.textContent = words;
    this.again = null;
  }

  showStart() {
    this.say(this.label("start", { count: this.sentence.bytes.length }));
  }

  /**
   * The training has ended, and its last merge is shown: what has become of the sentence.
   * @param {number} merges
   */
  showEnd(merges) {
    const { sentence } = this;
    this.say(this.label("end", { merges, before: sentence.bytes.length, after: sentence.tokensAt(merges) }));
  }

  /** @param {number} merge */
  show(merge) {
    const { learned, sentence, label } = this;
    const [before, after] = [sentence.tokensAt(merge - 1), sentence.tokensAt(merge)];
    const said = [label("merge", { merge }), kindOf(learned.bytesOf(learned.idsOf(merge)[2]), label)];
    const count = learned.counts[merge - 1];
    if (count) said.push(label("seen", { count }));
    said.push(before === after ? label("not_here") : label("here", { before, after }));
    this.equation(merge, said.filter(Boolean).join(" · "));
  }

  /**
   * Merges come faster than eyes: how many, and the most telling one of the last moment.
   * @param {number} rate
   * @param {number} merge
   */
  flow(rate, merge) {
    this.equation(merge, this.label("flow", { merge, rate: Math.round(rate) }));
  }

  /**
   * @param {number} merge
   * @param {string} words
   */
  equation(merge, words) {
    this.says.textContent = words;
    this.again = () => {
      this.chips.hidden = false;
      this.chips.replaceChildren(...equationOf(this.learned, merge, this.tintCount, this.asHex));
      this.chips.lastElementChild?.classList.add("made");
    };
    this.again();
  }
}

/**
 * A merge as chips: left + right → token.
 * @param {Learned} learned
 * @param {number} merge
 * @param {number} tintCount
 * @param {boolean} [asHex]
 */
export function equationOf(learned, merge, tintCount, asHex = false) {
  const chips = learned.idsOf(merge).map((id) => partChip(learned.bytesOf(id), tintCount, asHex));
  return [chips[0], make("i", "sign", "+"), chips[1], make("i", "sign", "→"), chips[2]];
}

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
function startsOf(bytes, size) {
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
 * The chip of a token, with words for what it is where it is not whole text.
 * @param {Uint8Array} bytes
 * @param {number} tintCount
 * @param {boolean} asHex
 */
function partChip(bytes, tintCount, asHex) {
  const chip = make("span", "chip");
  chip.style.backgroundColor = `var(--t${tintOfBytes(bytes, tintCount)})`;
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
 * @param {Label} label
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
