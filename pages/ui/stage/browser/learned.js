// The merges that a training has learned so far, in order; and the bytes of the tokens that they made.
// @ts-check

const BYTES = 256; // the tokens that exist before the first merge

export class Learned {
  constructor() {
    /** @type {number[]} */
    this.left = [];
    /** @type {number[]} */
    this.right = [];
    /** @type {number[]} how often the pair of each merge stood in the corpus */
    this.counts = [];
    /** @type {Map<number, Uint8Array>} */
    this.known = new Map();
  }

  get total() {
    return this.left.length;
  }

  /**
   * Append merges.
   * @param {number[]} flat left, right and count of each merge, one after another
   */
  add(flat) {
    for (let i = 0; i + 2 < flat.length; i += 3) {
      this.left.push(flat[i]);
      this.right.push(flat[i + 1]);
      this.counts.push(flat[i + 2]);
    }
  }

  /**
   * The ids of a merge, which counts from 1: left, right, and the token that they become.
   * @param {number} merge
   */
  idsOf(merge) {
    return [this.left[merge - 1], this.right[merge - 1], BYTES - 1 + merge];
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
