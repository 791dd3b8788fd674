// What happens now, above the sentence: left + right = token, drawn and in words; or how many merges flow by.
// @ts-check

import { addButton, make } from "../../token_view/browser/elements.js";
import { RIGHT_TO_LEFT, hexOf } from "../../token_view/browser/model/characters.js";
import { plainWords, shortName } from "../../token_view/browser/words.js";
import { fractionOf, isText, joinedWords, lettersLater, madeWords, nameLettersHere, partsOfMerge, shownText } from "./parts.js";

const MOST_IN_EQUATION = 16; // characters of a text in an equation
const MOST_HEX = 6; // bytes of a token in the equation: two Thai characters
const LEAST_COUNT = 2; // of a pair that occurs more than once
const LONG_IN_EQUATION = 8; // characters of a text from which on it may not fit

/** @import { Learned, Sentence } from "./sentence.js" */
/** @import { Stage } from "./stage.js" */
/** @import { Answer, Label, Level, Part } from "./types.d.ts" */

export class Headline {
  /** @param {Stage} stage */
  constructor(stage) {
    const { label, options, learned, sentence } = stage;
    this.label = label;
    this.options = options;
    this.learned = learned;
    this.sentence = sentence;
    this.asHex = false;
    this.element = make("div", "headline");
    this.chips = make("button", "equation");
    this.chips.type = "button";
    this.says = make("p", "says");
    this.tokens = make("div", "tokens");
    this.count = make("span", "total");
    this.unit = make("span", "unit");
    this.tokens.append(this.count, this.unit);
    this.ways = make("div", "ways"); // what to do after the end
    this.ways.hidden = true;
    this.hint = make("small", "rule");
    const text = make("div", "what");
    this.chooser = make("p", "chooser"); // its place is kept, so that nothing jumps
    this.chooser.hidden = !options.choosers?.length;
    text.append(this.chooser, this.chips, this.says, this.ways);
    this.element.append(text, this.tokens);
    /** @type {(() => void) | null} */
    this.again = null;
    /** @type {(() => void) | null} leads to the settings of another training */
    this.train = null;
    this.chips.onclick = () => {
      this.asHex = !this.asHex;
      this.again?.();
    };
    this.chips.title = plainWords(label("hex"));
  }

  /**
   * A way to go on after the end; the first one is the one to take.
   * @param {string} name
   * @param {() => void} go
   */
  addWay(name, go) {
    addButton(this.ways, this.label(`end_${name}`), go).className = `way ${name}`;
  }

  /** @param {number} tokens */
  tick(tokens) {
    this.count.textContent = tokens.toLocaleString(this.label("locale"));
    this.unit.textContent = this.label("tokens", { count: tokens });
  }

  /**
   * @param {string} words
   * @param {{ isEnd?: boolean }} [how]
   */
  say(words, { isEnd = false } = {}) {
    this.chips.replaceChildren();
    this.chips.hidden = true;
    this.says.textContent = words;
    this.chooser.replaceChildren();
    this.ways.hidden = !isEnd;
    this.again = null;
  }

  showStart() {
    const count = this.sentence.bytes.length;
    this.say(this.label("start", { bytes: count, count }));
    const size = usualSize(this.sentence.text);
    if (size > 1) this.says.append(" ", make("small", "rule", this.label("start_bytes", { size })));
  }

  /**
   * The training has ended, and its last merge is shown: what has become of the sentence, and whom it beats.
   * @param {number} merges
   * @param {Answer | null} answer
   */
  showEnd(merges, answer) {
    const { sentence, options, label } = this;
    const count = sentence.tokensAt(merges);
    this.say(endWords(sentence.bytes.length, count, options.levels, label), { isEnd: true });
    if (options.presents) return;
    const hasRunOut = Boolean(answer?.ran_out);
    const isBeaten = options.levels.some((each) => each.count < count);
    const values = { merges, goal: answer?.goal ?? merges, count: answer?.least ?? LEAST_COUNT };
    const ranOut = values.count > LEAST_COUNT ? label("end_ran_out_least", values) : label("end_ran_out", values);
    const why = hasRunOut ? ranOut : isBeaten ? label("end_more") : "";
    const learned = options.is_learned ? label("end_learned") : "";
    this.hint.replaceChildren([why, learned].filter(Boolean).join(" "), " ");
    if (why && this.train) addButton(this.hint, label(hasRunOut ? "end_train_text" : "end_train"), this.train).className = "train";
    if (why || learned) this.ways.append(this.hint);
  }

  /** @param {number} merge */
  show(merge) {
    const { learned, sentence, label } = this;
    const [before, after] = [sentence.tokensAt(merge - 1), sentence.tokensAt(merge)];
    const count = learned.counts[merge - 1];
    const isMostFrequent = merge > (this.options.free_after ?? Infinity);
    const isIn = this.chooserOf(merge) ? "seen_in_own" : isMostFrequent ? "seen_most" : "seen"; // in one language, or in all
    const found = [label("merge", { merge }), count ? label(isIn, { count }) : ""].filter(Boolean).join(" · ");
    const here = before === after ? label("not_here") : label("here", { places: before - after, before, after });
    this.equation(merge, found, here);
  }

  /**
   * Merges come faster than eyes: how many, and the most telling one of the last moment.
   * @param {number} rate
   * @param {number} merge
   */
  flow(rate, merge) {
    this.equation(merge, this.label("flow", { rate: Math.round(rate) }));
  }

  /**
   * Long texts take smaller type, so that the equation stays beside the count.
   * @param {boolean} isLong only then it is measured, which takes time while merges come fast
   */
  shrink(isLong) {
    const { chips } = this;
    chips.style.removeProperty("--shrunk");
    if (!isLong) return;
    const room = /** @type {HTMLElement} */ (chips.parentElement).clientWidth;
    let share = 1;
    for (let tries = 0; tries < 4 && room && chips.scrollWidth > room; tries++) { // frames and gaps do not shrink
      share *= room / chips.scrollWidth;
      chips.style.setProperty("--shrunk", String(share));
    }
  }

  /** @param {number} merge */
  chooserOf(merge) {
    return this.options.choosers?.[this.learned.served[merge - 1] ?? -1];
  }

  /**
   * Which language chose a merge, in a word and its colour, and how many it has chosen until then.
   * @param {number} merge
   */
  showChooser(merge) {
    const { learned, label } = this;
    const chooser = this.chooserOf(merge);
    this.chooser.replaceChildren();
    if (!chooser) return;
    const name = make("b", "", chooser.name);
    name.style.setProperty("--light", chooser.light);
    name.style.setProperty("--dark", chooser.dark);
    this.chooser.append(name, label("chose", { count: learned.chosen[merge - 1], merge }));
  }

  /**
   * @param {number} merge
   * @param {string} words
   * @param {string} [here] about this sentence, in a line of its own on a phone
   */
  equation(merge, words, here = "") {
    this.says.replaceChildren(words);
    if (here) {
      const about = make("span", "here");
      about.append(make("span", "between", "· "), here); // a line breaks before the dot
      this.says.append(" ", about);
    }
    this.showChooser(merge);
    this.ways.hidden = true;
    this.again = () => {
      this.chips.hidden = false;
      const { terms, words } = equationOf(this, merge, { asHex: this.asHex, most: MOST_IN_EQUATION });
      terms.forEach((term, at) => {
        if (words[at] && words[at] !== term.textContent) term.append(make("small", "", words[at]));
      });
      this.chips.replaceChildren(...withSigns(terms));
      this.shrink(this.asHex || terms.some((term) => (term.querySelector(".whole")?.textContent ?? "").length >= LONG_IN_EQUATION));
    };
    this.again();
  }
}

/**
 * How many bytes most characters of a text have.
 * @param {string} text
 */
function usualSize(text) {
  const sizes = [...text].map((character) => new TextEncoder().encode(character).length);
  const timesOf = (/** @type {number} */ size) => sizes.filter((each) => each === size).length;
  return [1, 2, 3, 4].reduce((most, size) => (timesOf(size) > timesOf(most) ? size : most));
}

/**
 * How many tokens the sentence had before the first merge and has in the end, and which tokenizers need more of them.
 * @param {number} before
 * @param {number} count
 * @param {Level[]} levels
 * @param {Label} label
 */
export function endWords(before, count, levels, label) {
  /** @param {Level[]} some @param {"conjunction" | "disjunction"} type */
  const named = (some, type) =>
    new Intl.ListFormat(label("locale"), { type })
      .formatToParts(some.map((each) => `${shortName(each.name)}\u00a0(${each.count.toLocaleString(label("locale"))})`))
      .map(({ value }) => value.replace(/^(?=\p{L}\p{M}*\P{ASCII})|(?<=\P{ASCII})$/gu, " ")) // Thai "and" has no spaces
      .join("")
      .replace(/-(?=\w)/g, "-\u2060"); // no line breaks within GPT-2
  const beaten = levels.filter((each) => count < each.count);
  const even = levels.filter((each) => count === each.count);
  const rest = levels.filter((each) => count > each.count);
  const values = { beaten: named(beaten, "conjunction"), rest: named(rest, "disjunction"), even: named(even, "conjunction") };
  const kind = beaten.length ? (rest.length ? "some" : "all") : "none";
  const said = beaten.length || rest.length ? label(`end_beats_${kind}`, values) : "";
  return [label("end", { before, count }), said, even.length ? label("end_even", values) : ""].filter(Boolean).join(" ");
}

// ---- equations

/**
 * A merge as three terms, each a chip, and the words for them if it joins parts of letters.
 * @param {{ learned: Learned, sentence: Sentence, label: Label, options: { tints: number } }} stage
 * @param {number} merge
 * @param {{ asHex?: boolean, most?: number }} [how] with most so many characters of a text
 */
export function equationOf({ learned, sentence, label, options }, merge, { asHex = false, most } = {}) {
  const tokens = learned.idsOf(merge).map((id) => learned.bytesOf(id));
  const parts = partsOfMerge(tokens[0], tokens[1]);
  const { left, right, token } = parts;
  const sides = [left, right, token];
  const hasParts = sides.some((parts) => !parts.every(isText));
  if (hasParts) nameLettersHere(parts, tokens[2], sentence, sentence.madeBy(merge), (at, size) => lettersLater(learned, merge, at, size));
  const terms = sides.map((parts, at) => {
    const chip = make("span", "chip");
    chip.style.setProperty("--tint", `var(--t${learned.tintOf(tokens[at], options.tints)})`);
    chip.title = hexOf(tokens[at]);
    if (asHex) chip.append(make("span", "hex", shortHexOf(tokens[at])));
    else for (const part of parts) chip.append(partOf(part, most));
    const term = make("span", "term");
    term.append(chip);
    return term;
  });
  const words = [joinedWords(left, label), joinedWords(right, label), madeWords(token, label)];
  return { terms, words: hasParts ? words : [], isWhole: token.every(isText) };
}

/** @param {Uint8Array} bytes as many as a phone has room for; the tip of the chip has all */
function shortHexOf(bytes) {
  return bytes.length > MOST_HEX ? `${hexOf(bytes.subarray(0, MOST_HEX))} …` : hexOf(bytes);
}

/** @param {Element[]} terms */
export function withSigns([left, right, token]) {
  return [left, make("i", "sign", "+"), right, make("i", "sign", "="), token];
}

/**
 * A part as it is drawn: text, a share of a letter, the rest of which is hatched, or a box for each byte of a letter that
 * nobody knows yet, under a letter of the sentence that has it, or under the share as a fraction.
 * @param {Part} part
 * @param {number | undefined} most
 */
function partOf(part, most) {
  const { letter, from, to, size } = part;
  const [example] = part.here;
  if (isText(part)) return make("span", "whole", shownText(letter, most));
  const element = make("span", letter ? "part" : "part shared");
  element.ariaHidden = "true"; // the words beside it say it
  if (!letter) {
    const lost = size > 0 ? 0 : 1; // how much of a letter comes before its end, nobody knows
    for (let at = -lost; at < Math.max(size, to); at++) element.append(make("i", at >= from && at < to ? "own" : ""));
    if (example && size > 0) {
      element.append(make("span", "example", shownText(example)));
      takeShare(element, example, part);
    } else if (size > 0) {
      element.append(make("span", "fraction", fractionOf(part)));
      takeShare(element, "", part);
    }
    return element;
  }
  const glyph = shownText(letter);
  element.append(make("span", "letter", glyph));
  takeShare(element, glyph, part);
  return element;
}

/**
 * Tell the style which share of a letter a part is.
 * @param {HTMLElement} element
 * @param {string} glyph
 * @param {Part} part
 */
function takeShare(element, glyph, { from, to, size }) {
  const [first, last] = size > 0 ? [from / size, to / size] : [1 / 3, 1];
  const shares = RIGHT_TO_LEFT.test(glyph) ? [1 - last, 1 - first] : [first, last];
  shares.forEach((share, at) => element.style.setProperty(at ? "--to" : "--from", `${(100 * share).toFixed(1)}%`));
}
