// The merges learned so far, and one sentence through them: which merge joined which of its bytes.
// @ts-check

import { countBefore } from "../../token_view/browser/model/sorted.js";
import { isByteTint, tintOfBytes } from "../../token_view/browser/model/tints.js";

/** @import { Cut, Piece } from "./types.d.ts" */

const BYTES = 256; // the tokens that exist before the first merge
const TRACED = 1000; // merges of which people may follow each one

/** The merges that a training has learned so far, in order; and the bytes of the tokens that they made. */
export class Learned {
  constructor() {
    /** @type {number[]} */
    this.left = [];
    /** @type {number[]} */
    this.right = [];
    /** @type {number[]} how often the pair of each merge stood in the corpus */
    this.counts = [];
    /** @type {(number | null)[]} which chooser chose each merge; none if all texts choose together */
    this.served = [];
    /** @type {number[]} how many merges, up to each one and with it, its chooser chose */
    this.chosen = [];
    /** @type {Map<number | null, number>} */
    this.timesOf = new Map();
    /** @type {Map<number, Uint8Array>} */
    this.known = new Map();
    /** @type {Map<string, number>} the tints of the first tokens made, by their bytes */
    this.tints = new Map();
    this.tinted = 0; // merges
    this.superwordsAfter = Infinity; // merges, after which tokens may cross spaces
  }

  get total() {
    return this.left.length;
  }

  /**
   * Append merges.
   * @param {number[]} flat left, right and count of each merge, one after another
   * @param {(number | null)[]} [served] who chose each of them
   */
  add(flat, served = []) {
    for (let i = 0; i + 2 < flat.length; i += 3) {
      this.left.push(flat[i]);
      this.right.push(flat[i + 1]);
      this.counts.push(flat[i + 2]);
    }
    for (const chooser of served) {
      const chosen = 1 + (this.timesOf.get(chooser) ?? 0);
      this.timesOf.set(chooser, chosen);
      this.served.push(chooser);
      this.chosen.push(chosen);
    }
  }

  /**
   * The ids of a merge, which counts from 1: left, right, and the token that they become.
   * @param {number} merge
   * @returns {[number, number, number]}
   */
  idsOf(merge) {
    return [this.left[merge - 1], this.right[merge - 1], BYTES - 1 + merge];
  }

  /**
   * The tint of a token: by its bytes, as everywhere; but people trace the first merges, and there it is not that of the
   * pair it was made of, nor of anything in the merge before; nor, while it is two bytes, of the bytes beside it.
   * @param {Uint8Array} bytes
   * @param {number} tintCount
   */
  tintOf(bytes, tintCount) {
    for (; this.tinted < Math.min(this.total, TRACED); this.tinted++) {
      const before = this.tinted ? this.idsOf(this.tinted) : [];
      const [left, right, made] = this.idsOf(this.tinted + 1);
      const taken = [left, right, ...before].map((id) => this.tintNow(this.bytesOf(id), tintCount));
      const bytes = this.bytesOf(made);
      const own = tintOfBytes(bytes, tintCount);
      const tints = Array.from({ length: tintCount }, (_, tries) => (own + 3 * tries) % tintCount).filter((tint) => !taken.includes(tint));
      const isPart = bytes.length === 2 && bytes[0] >= 0xc0;
      this.tints.set(bytes.join(), tints.find((tint) => !isPart || !isByteTint(tint)) ?? tints[0]);
    }
    return this.tintNow(bytes, tintCount);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} tintCount
   */
  tintNow(bytes, tintCount) {
    return this.tints.get(bytes.join()) ?? tintOfBytes(bytes, tintCount);
  }

  /**
   * The bytes of a token; without recursion, because tokens may be long chains.
   * @param {number} id
   * @returns {Uint8Array}
   */
  bytesOf(id) {
    const known = this.known.get(id);
    if (known) return known;
    const found = [];
    const waiting = [id];
    while (waiting.length) {
      const part = /** @type {number} */ (waiting.pop());
      const bytes = this.known.get(part);
      if (bytes) found.push(...bytes);
      else if (part < BYTES) found.push(part);
      else waiting.push(this.right[part - BYTES], this.left[part - BYTES]);
    }
    const bytes = Uint8Array.from(found);
    this.known.set(id, bytes);
    return bytes;
  }
}

const PLACED_DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const LONGEST_UNBROKEN = 16; // letters; what is longer may break anywhere

/** Whether a byte of UTF-8 continues a letter. @param {number} byte */
const continues = (byte) => byte >> 6 === 2;

export class PlacedText {
  /**
   * @param {string} text
   * @param {number[]} clusterStarts in bytes; a letter with its marks is drawn as one
   */
  constructor(text, clusterStarts) {
    this.text = text;
    this.bytes = new TextEncoder().encode(text);
    this.startsCluster = new Uint8Array(this.bytes.length + 1);
    for (const start of [...clusterStarts, this.bytes.length]) this.startsCluster[start] = 1;
    this.mayBreak = this.lineBreaks();
  }

  /**
   * The letter that has this byte, in bytes; how many of them come before it; and whether it is a mark on another one.
   * @param {number} at
   */
  letterAt(at) {
    let [from, to] = [at, at + 1];
    while (continues(this.bytes[from])) from -= 1;
    while (continues(this.bytes[to])) to += 1;
    return { letter: this.bytes.subarray(from, to), lost: at - from, isMark: !this.startsCluster[from] };
  }

  /** All letters of the text, as `letterAt` finds them. */
  get letters() {
    return [...this.bytes.keys()].filter((at) => !continues(this.bytes[at])).map((at) => this.letterAt(at));
  }

  /**
   * Where a line may break, by bytes: before words and spaces, as the browser's dictionary of Thai finds them, so
   * that no word is torn between two lines because a piece ends inside it.
   */
  lineBreaks() {
    const places = new Uint8Array(this.bytes.length + 1);
    const words = this.wordStarts();
    let unbroken = 0;
    for (let at = 0; at < this.bytes.length; at++) {
      if (!this.startsCluster[at]) continue;
      unbroken += 1;
      if (words.has(at) || unbroken > LONGEST_UNBROKEN) [places[at], unbroken] = [1, 0];
    }
    return places;
  }

  /** The bytes at which words and stretches of space start. */
  wordStarts() {
    /** @type {Set<number>} */
    const starts = new Set();
    let [at, before] = [0, ""];
    for (const { segment, isWordLike } of new Intl.Segmenter("th", { granularity: "word" }).segment(this.text)) {
      // Signs stay with the word that they follow; a word stays with the sign that opens it, or with a full stop: "พ.ศ."
      if (/^\s/.test(segment) || (isWordLike && !/[\p{Ps}\p{Pi}.]$/u.test(before))) starts.add(at);
      if (/^[\p{Ps}\p{Pi}]/u.test(segment)) starts.add(at);
      at += new TextEncoder().encode(segment).length;
      before = segment;
    }
    return starts;
  }

  /**
   * The pieces that are drawn: the shortest runs of tokens that tear no letter from its marks.
   * @param {Cut[]} cuts the tokens in their order
   * @returns {Piece[]}
   */
  piecesOf(cuts) {
    /** @type {Piece[]} */
    const pieces = [];
    /** @type {Cut[]} */
    let tokens = [];
    for (const cut of cuts) {
      tokens.push(cut);
      if (!this.startsCluster[cut.to]) continue;
      const from = tokens[0].from;
      pieces.push({ from, to: cut.to, text: this.textOf(from, cut.to), tokens });
      tokens = [];
    }
    return pieces;
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  textOf(from, to) {
    return PLACED_DECODER.decode(this.bytes.subarray(from, to));
  }

  /**
   * The clusters of a piece, as bytes from and to.
   * @param {Cut} piece
   * @returns {Cut[]}
   */
  clustersOf({ from, to }) {
    const clusters = [];
    for (let at = from; at < to; ) {
      let end = at + 1;
      while (!this.startsCluster[end]) end += 1;
      clusters.push({ from: at, to: end });
      at = end;
    }
    return clusters;
  }
}

export class Sentence extends PlacedText {
  /**
   * @param {string} text
   * @param {number[]} pretokenEnds in bytes; no merge crosses them
   * @param {number[]} clusterStarts in bytes
   * @param {number[]} [superwordEnds] in bytes; no merge crosses them once tokens may cross spaces
   */
  constructor(text, pretokenEnds, clusterStarts, superwordEnds = []) {
    super(text, clusterStarts);
    this.superwordEnds = superwordEnds;
    // Only the merges that changed the sentence: after which merge, how many tokens.
    /** @type {{ merge: number, tokens: number }[]} */
    this.steps = [{ merge: 0, tokens: this.bytes.length }];
    this.isFixed = this.borders(pretokenEnds);
    // For each byte the merge that joined it to the byte before; 0 if none has yet.
    this.joined = this.joinedBefore = new Int32Array(this.bytes.length + 1);
    this.superwordsAfter = Infinity; // until there, `joinedBefore` holds
    this.isOtherwiseCut = false; // whether the merges until there now join other bytes
    this.merges = 0;
    /** @type {number[]} */
    this.ids = [];
    /** @type {number[]} */
    this.starts = [];
    /** @type {Map<number, number>} how many tokens have this id now */
    this.present = new Map();
    this.fallApart();
  }

  /**
   * @param {number[]} ends
   */
  borders(ends) {
    const isFixed = new Uint8Array(this.bytes.length + 1);
    for (const end of [0, ...ends, this.bytes.length]) isFixed[end] = 1;
    return isFixed;
  }

  /** Take the sentence as its bytes, which no merge has joined yet. */
  fallApart() {
    this.ids = Array.from(this.bytes);
    this.starts = Array.from(this.bytes, (_, at) => at);
    this.present.clear();
    for (const id of this.ids) this.count(id, 1);
  }

  /**
   * Tokens may cross spaces from here on: make all merges until now anew, in the sentence as it is cut from now on.
   * @param {Learned} learned
   */
  cross(learned) {
    const [until, steps] = [this.merges, this.steps];
    this.superwordsAfter = until;
    this.joinedBefore = this.joined;
    this.isFixed = this.borders(this.superwordEnds);
    this.joined = new Int32Array(this.bytes.length + 1);
    this.steps = [];
    this.fallApart();
    for (this.merges = 1; this.merges <= until; this.merges++) this.join(...learned.idsOf(this.merges));
    [this.merges, this.steps] = [until, steps];
    this.isOtherwiseCut = this.joined.some((merge, at) => !merge !== !this.joinedBefore[at]);
  }

  /**
   * The merge that joined each byte to the one before, for the sentence after this many merges.
   * @param {number} merges
   */
  joinedAt(merges) {
    return merges > this.superwordsAfter ? this.joined : this.joinedBefore;
  }

  /**
   * @param {number} id
   * @param {number} change
   */
  count(id, change) {
    const now = (this.present.get(id) ?? 0) + change;
    if (now) this.present.set(id, now);
    else this.present.delete(id);
  }

  /**
   * Apply all merges that are new, in their order, as encoding does.
   * @param {Learned} learned
   * @returns {number[]} the merges that changed the sentence
   */
  take(learned) {
    const changed = [];
    while (this.merges < learned.total) {
      if (this.merges === learned.superwordsAfter && this.superwordsAfter === Infinity) this.cross(learned);
      this.merges += 1;
      const isJoined = this.join(...learned.idsOf(this.merges)) > 0;
      const isCutAnew = this.merges === this.superwordsAfter + 1 && this.isOtherwiseCut;
      if (isCutAnew && !isJoined) this.steps.push({ merge: this.merges, tokens: this.ids.length });
      if (isJoined || isCutAnew) changed.push(this.merges);
    }
    return changed;
  }

  /**
   * @param {number} left
   * @param {number} right
   * @param {number} token
   */
  join(left, right, token) {
    if (!this.present.has(left) || !this.present.has(right)) return 0;
    const ids = [];
    const starts = [];
    for (let i = 0; i < this.ids.length; i++) {
      ids.push(this.ids[i]);
      starts.push(this.starts[i]);
      const next = this.starts[i + 1];
      const meets = this.ids[i] === left && this.ids[i + 1] === right && !this.isFixed[next];
      if (!meets) continue;
      ids[ids.length - 1] = token;
      this.joined[next] = this.merges;
      i += 1;
    }
    const joins = this.ids.length - ids.length;
    if (!joins) return 0;
    this.count(left, -joins);
    this.count(right, -joins);
    this.count(token, joins);
    [this.ids, this.starts] = [ids, starts];
    this.steps.push({ merge: this.merges, tokens: ids.length });
    return joins;
  }

  /**
   * The last step after this many merges.
   * @param {number} merges
   */
  stepAt(merges) {
    return this.steps[countBefore(this.steps.length, (index) => this.steps[index].merge <= merges) - 1];
  }

  /** @param {number} merges */
  tokensAt(merges) {
    return this.stepAt(merges).tokens;
  }

  /** @param {number} merge */
  isChangedBy(merge) {
    return merge > 0 && this.stepAt(merge).merge === merge;
  }

  /**
   * The tokens after this many merges, as bytes from and to.
   * @param {number} merges
   * @returns {Cut[]}
   */
  cutsAt(merges) {
    const joined = this.joinedAt(merges);
    /** @type {Cut[]} */
    const cuts = [];
    let from = 0;
    for (let at = 1; at <= this.bytes.length; at++) {
      const isJoined = at < this.bytes.length && joined[at] > 0 && joined[at] <= merges;
      if (isJoined) continue;
      cuts.push({ from, to: at });
      from = at;
    }
    return cuts;
  }

  /** @param {number} merges */
  piecesAt(merges) {
    return this.piecesOf(this.cutsAt(merges));
  }

  /**
   * Where a merge joined two tokens of the sentence: the joined tokens, as bytes from and to.
   * @param {number} merge
   * @returns {Cut[]}
   */
  madeBy(merge) {
    const { bytes } = this;
    const joined = this.joinedAt(merge);
    const isInside = (/** @type {number} */ at) => at < bytes.length && joined[at] > 0 && joined[at] <= merge;
    /** @type {Cut[]} */
    const made = [];
    for (let at = 1; at < bytes.length; at++) {
      if (joined[at] !== merge) continue;
      let [from, to] = [at - 1, at + 1];
      while (isInside(from)) from -= 1;
      while (isInside(to)) to += 1;
      made.push({ from, to });
    }
    return made;
  }
}
