// What happens now, above the sentence: left + right = token, drawn and in words; or how many merges flow by.
// @ts-check

import { addButton, make } from "../../token_view/browser/elements.js";
import { RIGHT_TO_LEFT, hexOf, onCircle } from "../../token_view/browser/model/characters.js";
import { tintOfBytes } from "../../token_view/browser/model/tints.js";
import { plainWords } from "../../token_view/browser/words.js";
import { shortName } from "./race.js";
import { isText, joinedWords, lettersFrom, madeWords, partsOfMerge, shownText } from "./parts.js";

/** @import { Learned, Sentence } from "./sentence.js" */
/** @import { Stage } from "./stage.js" */
/** @import { Cut, Label, Level, Part } from "./types.d.ts" */

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
    const text = make("div", "what");
    this.chooser = make("p", "chooser"); // its place is kept, so that nothing jumps
    this.chooser.hidden = !options.choosers?.length;
    text.append(this.chooser, this.chips, this.says, this.ways);
    this.element.append(text, this.tokens);
    /** @type {(() => void) | null} */
    this.again = null;
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
    if (!this.options.presents) this.says.append(" ", make("small", "rule", this.label("start_rule")));
  }

  /**
   * The training has ended, and its last merge is shown: what has become of the sentence, and whom it beats.
   * @param {number} merges
   */
  showEnd(merges) {
    const { sentence, options, label } = this;
    this.say(endWords(sentence.tokensAt(merges), options.levels, label), { isEnd: true });
  }

  /** @param {number} merge */
  show(merge) {
    const { learned, sentence, label } = this;
    const [before, after] = [sentence.tokensAt(merge - 1), sentence.tokensAt(merge)];
    const said = [label("merge", { merge })];
    const count = learned.counts[merge - 1];
    const isMostFrequent = merge > (this.options.free_after ?? Infinity);
    const isIn = this.chooserOf(merge) ? "seen_in_own" : isMostFrequent ? "seen_most" : "seen"; // in one language, or in all
    if (count) said.push(label(isIn, { count }));
    said.push(before === after ? label("not_here") : label("here", { before, after }));
    this.equation(merge, said.join(" · "));
  }

  /**
   * Merges come faster than eyes: how many, and the most telling one of the last moment.
   * @param {number} rate
   * @param {number} merge
   */
  flow(rate, merge) {
    this.equation(merge, this.label("flow", { merge, rate: Math.round(rate) }));
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
   */
  equation(merge, words) {
    this.says.textContent = words;
    this.showChooser(merge);
    this.ways.hidden = true;
    this.again = () => {
      this.chips.hidden = false;
      const { terms, words } = equationOf(this, merge, { asHex: this.asHex });
      terms.forEach((term, at) => {
        if (words[at] && words[at] !== term.textContent) term.append(make("small", "", words[at]));
      });
      this.chips.replaceChildren(...withSigns(terms));
    };
    this.again();
  }
}

/**
 * How many tokens the sentence has in the end, and which tokenizers need more of them.
 * @param {number} count
 * @param {Level[]} levels
 * @param {Label} label
 */
export function endWords(count, levels, label) {
  /** @param {Level[]} some @param {"conjunction" | "disjunction"} type */
  const named = (some, type) =>
    new Intl.ListFormat(label("locale"), { type })
      .formatToParts(some.map((each) => `${shortName(each)} (${each.count.toLocaleString(label("locale"))})`))
      .map(({ value }) => value.replace(/^(?=\p{L}\p{M}*\P{ASCII})|(?<=\P{ASCII})$/gu, " ")) // Thai "and" has no spaces
      .join("");
  const [beaten, rest] = [levels.filter((each) => count < each.count), levels.filter((each) => count >= each.count)];
  const values = { beaten: named(beaten, "conjunction"), rest: named(rest, "disjunction") };
  const kind = beaten.length ? (rest.length ? "some" : "all") : "none";
  return [label("end", { count }), levels.length ? label(`end_beats_${kind}`, values) : ""].filter(Boolean).join(" ");
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
  const { left, right, token } = partsOfMerge(tokens[0], tokens[1]);
  const sides = [left, right, token];
  const hasParts = sides.some((parts) => !parts.every(isText));
  const places = hasParts ? sentence.madeBy(merge) : [];
  const terms = sides.map((parts, at) => {
    const chip = make("span", "chip");
    chip.style.setProperty("--tint", `var(--t${tintOfBytes(tokens[at], options.tints)})`);
    chip.title = hexOf(tokens[at]);
    if (asHex) chip.append(make("span", "hex", hexOf(tokens[at])));
    else for (const part of parts) chip.append(partOf(part, most, () => exampleOf(part, tokens[2], sentence, places)));
    const term = make("span", "term");
    term.append(chip);
    return term;
  });
  const words = [joinedWords(left, label), joinedWords(right, label), madeWords(token, label)];
  return { terms, words: hasParts ? words : [], isWhole: token.every(isText) };
}

/** @param {Element[]} terms */
export function withSigns([left, right, token]) {
  return [left, make("i", "sign", "+"), right, make("i", "sign", "="), token];
}

/**
 * A part as it is drawn: text, or a share of a letter, the rest of which is hatched.
 * @param {Part} part
 * @param {number | undefined} most
 * @param {() => string} example
 */
function partOf(part, most, example) {
  const { letter, from, to, size } = part;
  if (isText(part)) return make("span", "whole", shownText(letter, most));
  const glyph = letter ? shownText(letter) : example();
  const element = make("span", letter ? "part" : "part shared");
  element.append(make("span", "letter", glyph));
  element.ariaHidden = "true"; // the words beside it say it
  const [first, last] = size > 0 ? [from / size, to / size] : [1 / 3, 1];
  const shares = RIGHT_TO_LEFT.test(glyph) ? [1 - last, 1 - first] : [first, last];
  shares.forEach((share, at) => element.style.setProperty(at ? "--to" : "--from", `${(100 * share).toFixed(1)}%`));
  return element;
}

/**
 * A letter that a part may become: one that it is in the sentence, else the first of its kind.
 * @param {Part} part
 * @param {Uint8Array} bytes of the whole token
 * @param {Sentence} sentence
 * @param {Cut[]} places where the token is in the sentence
 */
function exampleOf({ at, size }, bytes, sentence, places) {
  if (size < 0) return "";
  const here = places.map(({ from }) => sentence.textOf(from + at, from + at + size));
  const letters = here.length ? here : lettersFrom(bytes.subarray(at));
  return onCircle(letters.find((letter) => /\p{L}/u.test(letter)) ?? letters[0] ?? "");
}
