// The great moments of a sentence: when it beats other tokenizers, gets its first whole word, is broken no more.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { shortName } from "../../token_view/browser/words.js";
import { shownText } from "./parts.js";

/** @import { Sentence } from "./sentence.js" */
/** @import { Cut, Label, Level, Milestone } from "./types.d.ts" */

const LATIN = /^\p{Script=Latin}+$/u;
const THAI = /^[\p{Script=Thai}]+$/u;
const SPACED = /^ [\p{L}\p{M}]/u;
const LONG = 3; // characters of a word that people wait for
const WORDS = ["thai", "english", "longer"];
const MOST_SLOW = 4; // moments at which the show slows down
const MOST_BEATEN = 2; // of them: the others are words
const ACROSS = /[\p{L}\p{M}]\P{L}* [\p{L}\p{M}]/u;

export class Milestones {
  /**
   * @param {Sentence} sentence
   * @param {Level[]} levels
   * @param {Label} label
   */
  constructor(sentence, levels, label) {
    this.sentence = sentence;
    this.label = label;
    /** @type {Milestone[]} in the order in which they came */
    this.found = [];
    /** @type {Set<number>} the merges at which the show slows down */
    this.slows = new Set();
    this.waiting = new Set(["thai", "english", "space"]);
    const canBreak = sentence.bytes.some((_, at) => !sentence.startsCluster[at]); // a letter of several bytes
    if (canBreak) this.waiting.add("whole");
    if (sentence.superwordEnds.length) this.waiting.add("superword");
    this.levels = levels.filter(({ count }) => count < sentence.bytes.length);
    this.words = wordsOf(sentence);
    this.passed = 0; // how many of them the sentence has passed
    this.old = 0; // how many were told before the page was drawn anew
  }

  /**
   * The sentence has passed this many of them; return whether the newest one is to be told.
   * @param {number} passed
   */
  pass(passed) {
    const isNew = passed > Math.max(this.passed, this.old);
    if (passed >= this.old) this.old = 0; // whoever goes back from here is told again
    this.passed = passed;
    return isNew;
  }

  /**
   * The last merge so far is this one; tell where tokens begin to cross spaces.
   * @param {number} merge
   */
  reach(merge) {
    const first = this.sentence.superwordsAfter + 1;
    if (merge >= first && !this.found.some(({ kind }) => kind === "cross")) this.add(first, "cross", {});
  }

  /** @param {number} merge */
  look(merge) {
    this.reach(merge);
    const { sentence } = this;
    const tokens = sentence.tokensAt(merge);
    this.levels = this.levels.filter((level) => {
      if (tokens >= level.count) return true;
      this.add(merge, "beat", { name: shortName(level.name), level: level.count });
      return false;
    });
    if (!this.waiting.size) return;
    for (const made of sentence.madeBy(merge)) this.lookAt(merge, made);
    const isBroken = sentence.cutsAt(merge).some(({ from }) => !sentence.startsCluster[from]);
    if (!isBroken && this.waiting.has("whole")) this.add(merge, "whole", {});
  }

  /**
   * @param {number} merge
   * @param {Cut} made
   */
  lookAt(merge, { from, to }) {
    const { sentence, waiting } = this;
    if (!sentence.startsCluster[from] || !sentence.startsCluster[to]) return;
    const text = sentence.textOf(from, to);
    const isAcross = merge > sentence.superwordsAfter && ACROSS.test(text);
    if (waiting.has("superword") && isAcross) this.add(merge, "superword", { token: text.trim() });
    if (waiting.has("space") && SPACED.test(text)) this.add(merge, "space", { token: shownText(text) });
    const start = text.startsWith(" ") ? from + 1 : from;
    const word = sentence.textOf(start, to);
    if (this.words.get(start) !== to) return;
    const isLong = [...word].length >= LONG;
    const script = THAI.test(word) ? "thai" : LATIN.test(word) ? "english" : "";
    if (waiting.has(script)) {
      this.add(merge, script, { token: word });
      if (!isLong) waiting.add("longer");
    } else if (isLong && waiting.has("longer")) this.add(merge, "longer", { token: word });
  }

  /**
   * @param {number} merge
   * @param {string} kind
   * @param {Record<string, unknown>} values
   */
  add(merge, kind, values) {
    this.waiting.delete(kind);
    const name = String(values.name ?? values.token ?? "");
    const beaten = this.found.filter((each) => each.kind === "beat").length;
    const isSlow = WORDS.includes(kind) || (kind === "beat" && beaten < MOST_BEATEN);
    if (isSlow && this.slows.size < MOST_SLOW) this.slows.add(merge);
    this.found.push({ merge, kind, name, says: this.label(`milestone_${kind}`, values) });
  }
}

/**
 * The words of a sentence as the browser's dictionary finds them, from byte to byte; those of one letter are left out.
 * @param {Sentence} sentence
 * @returns {Map<number, number>}
 */
function wordsOf({ text }) {
  /** @type {Map<number, number>} */
  const words = new Map();
  const encoder = new TextEncoder();
  let at = 0;
  for (const { segment, isWordLike } of new Intl.Segmenter("th", { granularity: "word" }).segment(text)) {
    const end = at + encoder.encode(segment).length;
    if (isWordLike && segment.length > 1) words.set(at, end);
    at = end;
  }
  return words;
}

const SHOWN = 2000; // milliseconds in which the show goes on
const LOOK = 200;

/** The banner: it tells of a milestone for a while, in words that stay true as the show goes on. */
export class Banner {
  /** @param {() => boolean} isStill whether the show stands still: then the banner stays, too */
  constructor(isStill) {
    this.element = make("div", "banner");
    this.element.setAttribute("role", "status");
    this.isStill = isStill;
    this.left = 0;
    this.timer = 0;
  }

  /** @param {Milestone} milestone */
  tell({ says, kind }) {
    this.show(says, kind);
    this.left = SHOWN;
    this.timer = setInterval(() => this.look(), LOOK);
  }

  look() {
    if (!this.isStill()) this.left -= LOOK;
    if (this.left <= 0) this.hide();
  }

  /**
   * Say something until there is something else to say.
   * @param {string} words nothing for nothing
   */
  stay(words) {
    if (words) this.show(words, "stays");
    else this.hide();
  }

  /**
   * @param {string} words
   * @param {string} kind
   */
  show(words, kind) {
    this.stop();
    this.element.textContent = words;
    this.element.className = `banner on ${kind}`;
  }

  /** Whether it says how merges come about. */
  get isRule() {
    return this.element.classList.contains("rule");
  }

  hide() {
    this.stop();
    this.element.classList.remove("on", "rule");
  }

  stop() {
    clearInterval(this.timer);
  }
}
