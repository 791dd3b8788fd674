// One sentence through a training: which merge joined which of its bytes, and how many tokens were left.
// @ts-check

import { PlacedText } from "./placed_text.js";

/** @import { Learned } from "./learned.js" */
/** @import { Cut } from "./types.d.ts" */

export class Sentence extends PlacedText {
  /**
   * @param {string} text
   * @param {number[]} pretokenEnds in bytes; no merge crosses them
   * @param {number[]} clusterStarts in bytes
   */
  constructor(text, pretokenEnds, clusterStarts) {
    super(text, clusterStarts);
    const size = this.bytes.length;
    this.isFixed = new Uint8Array(size + 1);
    for (const end of [0, ...pretokenEnds, size]) this.isFixed[end] = 1;
    // For each byte the merge that joined it to the byte before; 0 if none has yet.
    this.joined = new Int32Array(size + 1);
    this.ids = Array.from(this.bytes);
    this.starts = Array.from(this.bytes, (_, at) => at);
    /** @type {Map<number, number>} how many tokens have this id now */
    this.present = new Map();
    for (const id of this.ids) this.count(id, 1);
    this.merges = 0;
    // Only the merges that changed the sentence: after which merge, how many tokens.
    /** @type {{ merge: number, tokens: number }[]} */
    this.steps = [{ merge: 0, tokens: size }];
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
      this.merges += 1;
      const [left, right, token] = learned.idsOf(this.merges);
      if (!this.present.has(left) || !this.present.has(right)) continue;
      if (this.join(left, right, token)) changed.push(this.merges);
    }
    return changed;
  }

  /**
   * @param {number} left
   * @param {number} right
   * @param {number} token
   */
  join(left, right, token) {
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
   * The step that was the last one after so many merges.
   * @param {number} merges
   */
  stepAt(merges) {
    let [low, high] = [0, this.steps.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.steps[middle].merge <= merges) low = middle;
      else high = middle - 1;
    }
    return this.steps[low];
  }

  /**
   * How many tokens the sentence has after so many merges.
   * @param {number} merges
   */
  tokensAt(merges) {
    return this.stepAt(merges).tokens;
  }

  /**
   * Whether a merge changed the sentence.
   * @param {number} merge
   */
  isChangedBy(merge) {
    return merge > 0 && this.stepAt(merge).merge === merge;
  }

  /**
   * The tokens after so many merges, as bytes from and to.
   * @param {number} merges
   * @returns {Cut[]}
   */
  cutsAt(merges) {
    /** @type {Cut[]} */
    const cuts = [];
    let from = 0;
    for (let at = 1; at <= this.bytes.length; at++) {
      const isJoined = at < this.bytes.length && this.joined[at] > 0 && this.joined[at] <= merges;
      if (isJoined) continue;
      cuts.push({ from, to: at });
      from = at;
    }
    return cuts;
  }

  /**
   * The pieces that are drawn after so many merges.
   * @param {number} merges
   */
  piecesAt(merges) {
    return this.piecesOf(this.cutsAt(merges));
  }

  /**
   * Where a merge joined two tokens of the sentence: the joined tokens, as bytes from and to.
   * @param {number} merge
   * @returns {Cut[]}
   */
  madeBy(merge) {
    const { joined, bytes } = this;
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
