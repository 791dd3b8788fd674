// The great moments of a sentence: when it beats other tokenizers, gets its first whole word, is broken no more.
// @ts-check

/** @import { Sentence } from "./sentence.js" */
/** @import { Cut, Level, Milestone } from "./types.d.ts" */

/** @typedef {(key: string, values?: Record<string, unknown>) => string} Label */

const LATIN = /^\p{Script=Latin}+$/u;
const THAI = /^[\p{Script=Thai}]+$/u;
const SPACED = /^ [\p{L}\p{M}]/u;

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
    this.waiting = new Set(["thai", "english", "space"]);
    if (canBreak(sentence)) this.waiting.add("whole");
    this.levels = levels.filter(({ count }) => count < sentence.bytes.length);
    this.words = wordsOf(sentence);
  }

  /**
   * Look at a merge that changed the sentence.
   * @param {number} merge
   */
  look(merge) {
    const { sentence } = this;
    const tokens = sentence.tokensAt(merge);
    this.levels = this.levels.filter((level) => {
      if (tokens >= level.count) return true;
      this.add(merge, "beat", { name: level.name, tokens, level: level.count });
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
    if (waiting.has("space") && SPACED.test(text)) this.add(merge, "space", { token: text.trim() });
    const start = text.startsWith(" ") ? from + 1 : from;
    const word = sentence.textOf(start, to);
    if (this.words.get(start) !== to) return;
    if (waiting.has("thai") && THAI.test(word)) this.add(merge, "thai", { token: word });
    if (waiting.has("english") && LATIN.test(word)) this.add(merge, "english", { token: word });
  }

  /**
   * @param {number} merge
   * @param {string} kind
   * @param {Record<string, unknown>} values
   */
  add(merge, kind, values) {
    this.waiting.delete(kind);
    this.found.push({ merge, kind, says: this.label(`milestone_${kind}`, values) });
  }
}

/**
 * Whether a letter of the sentence starts in several bytes: no token can cut any other.
 * @param {Sentence} sentence
 */
function canBreak({ bytes, startsCluster }) {
  return bytes.some((_, at) => !startsCluster[at]);
}

/**
 * The words of a sentence as the browser's dictionary finds them, from byte to byte; those of one letter are left out.
 * @param {Sentence} sentence
 * @returns {Map<number, number>}
 */
function wordsOf({ text }) {
  /** @type {Map<number, number>} */
  const words = new Map();
  if (!Intl.Segmenter) return words;
  const encoder = new TextEncoder();
  let at = 0;
  for (const { segment, isWordLike } of new Intl.Segmenter("th", { granularity: "word" }).segment(text)) {
    const end = at + encoder.encode(segment).length;
    if (isWordLike && segment.length > 1) words.set(at, end);
    at = end;
  }
  return words;
}
