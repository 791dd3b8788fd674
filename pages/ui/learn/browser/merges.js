// Byte-pair encoding in the browser: merges learned by hand, and three ways to encode with merges that are there.
// @ts-check

/** @import { Pair, Picture } from "./types.d.ts" */

const FIRST_MERGE = 256;
const FIRST_BY_HAND = 0x110000; // after all characters
const PAIR = 0x10000; // more than any id
const GPT2_PIECES = splitPattern(/'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s/u);
const GPT4_PIECES = splitPattern(
  /'(?:[sdmtSDMTſ]|[lL]{2}|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s/u,
);

/** A split pattern whose white space is that of Unicode, as in Python; JavaScript's own differs. @param {RegExp} pattern */
function splitPattern({ source }) {
  return new RegExp(source.replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}"), "gu");
}

/**
 * Replace each pair of neighbours, left to right.
 * @param {number[]} ids
 * @param {number} left
 * @param {number} right
 * @param {number} id
 */
export function replaced(ids, left, right, id) {
  const found = [];
  for (let at = 0; at < ids.length; at++) {
    if (ids[at] === left && ids[at + 1] === right) {
      found.push(id);
      at += 1;
    } else found.push(ids[at]);
  }
  return found;
}

/**
 * The pairs of neighbours, the most frequent first; equal ones in the order in which they occur.
 * @param {number[][]} pieces no pair crosses from one to the next
 * @returns {Pair[]}
 */
export function pairsOf(...pieces) {
  /** @type {Map<string, Pair>} */
  const found = new Map();
  for (const ids of pieces) {
    for (let at = 0; at + 1 < ids.length; at++) {
      const [left, right] = [ids[at], ids[at + 1]];
      const pair = found.get(`${left} ${right}`) ?? { left, right, count: 0 };
      pair.count += 1;
      found.set(`${left} ${right}`, pair);
    }
  }
  return [...found.values()].sort((one, other) => other.count - one.count);
}

/** A text in characters, and merges chosen one by one. */
export class Workbench {
  /** @param {string} text */
  constructor(text) {
    this.ids = Array.from(wellFormed(text), (character) => /** @type {number} */ (character.codePointAt(0)));
    this.isAscii = this.ids.every((id) => id < 128);
    /** @type {(Pair & { best: Pair, before: number[] })[]} */
    this.merges = [];
  }

  /** @param {number} id @returns {string} */
  textOf(id) {
    if (id < FIRST_BY_HAND) return String.fromCodePoint(id);
    const { left, right } = this.merges[id - FIRST_BY_HAND];
    return this.textOf(left) + this.textOf(right);
  }

  /** The number of a token; without Latin letters there is none, as ids of characters are only known to us. @param {number} id */
  shownId(id) {
    return this.isAscii ? (id < FIRST_BY_HAND ? id : id - FIRST_BY_HAND + FIRST_MERGE) : null;
  }

  get pairs() {
    return pairsOf(this.ids);
  }

  /** The tokens that have been there, in the order of their first appearance. */
  get known() {
    return [...new Set(this.merges[0]?.before ?? this.ids), ...this.merges.map((_, at) => FIRST_BY_HAND + at)];
  }

  /** How many tokens a pair saves where it is merged; places that overlap are merged once. @param {Pair} pair */
  savingOf({ left, right }) {
    return this.ids.length - replaced(this.ids, left, right, FIRST_BY_HAND).length;
  }

  /**
   * Merge a pair everywhere.
   * @param {number} left
   * @param {number} right
   */
  merge(left, right) {
    const { pairs, ids } = this;
    const pair = pairs.find((each) => each.left === left && each.right === right);
    if (!pair) return;
    this.ids = replaced(ids, left, right, FIRST_BY_HAND + this.merges.length);
    this.merges.push({ ...pair, best: pairs[0], before: ids });
  }

  undo() {
    this.ids = this.merges.pop()?.before ?? this.ids;
  }

  /** Merge as BPE does: the most frequent pair. @param {number} times */
  mergeBest(times) {
    for (let time = 0; time < times; time++) {
      const [best] = this.pairs;
      if (best) this.merge(best.left, best.right);
    }
    return this;
  }
}

/** Merges that are there, each with the id of what it makes: the lower, the earlier it was learned. */
export class Merges {
  /**
   * @param {string[]} texts the bytes of each token as Latin letters, by id
   * @param {[number, number][]} pairs the parts of each token after the 256 bytes, where they are known
   */
  constructor(texts, pairs) {
    this.texts = texts;
    this.pairs = pairs;
    /** @type {Map<string, number>} */
    this.idOf = new Map(texts.map((text, id) => [text, id]));
    this.longest = texts.reduce((most, { length }) => Math.max(most, length), 1);
    this.made = new Map(pairs.map(([left, right], at) => [left * PAIR + right, FIRST_MERGE + at]));
  }

  /** Learn from a text, or from the pieces of one; in the round `swap`, a tie goes to its second pair. @param {string | string[]} text @param {number} count @param {number} [swap] */
  static learned(text, count, swap = -1) {
    let pieces = [text].flat().map((piece) => Array.from(new TextEncoder().encode(piece)));
    const texts = Array.from({ length: FIRST_MERGE }, (_, byte) => String.fromCharCode(byte));
    /** @type {[number, number][]} */
    const chosen = [];
    for (let round = 0; round < count; round++) {
      const pairs = pairsOf(...pieces);
      if (!pairs.length) break;
      const { left, right } = round === swap && pairs[1]?.count === pairs[0].count ? pairs[1] : pairs[0];
      chosen.push([left, right]);
      texts.push(texts[left] + texts[right]);
      pieces = pieces.map((ids) => replaced(ids, left, right, FIRST_MERGE + round));
    }
    return new Merges(texts, chosen);
  }

  get total() {
    return this.texts.length;
  }

  /** The token that two become, if there is one. @param {number} left @param {number} right */
  madeOf(left, right) {
    return this.made.get(left * PAIR + right);
  }

  /** @param {number} id */
  bytesOf(id) {
    return Uint8Array.from(this.texts[id], (letter) => letter.charCodeAt(0));
  }

  /** @param {number[]} ids */
  bytesOfAll(ids) {
    return Uint8Array.from(ids.flatMap((id) => [...this.bytesOf(id)]));
  }

  /** @param {Uint8Array} bytes */
  start(bytes) {
    return Array.from(bytes, (byte) => /** @type {number} */ (this.idOf.get(String.fromCharCode(byte))));
  }

  /** The merge of lowest rank first, until none below `end` is left: what encoding is. Each picture is the tokens after a step. @param {Uint8Array} bytes @param {number} [end] @returns {Picture[]} */
  lowestFirst(bytes, end = Infinity) {
    let ids = this.start(bytes);
    const pictures = [{ ids, made: -1 }];
    for (;;) {
      /** @type {number} */
      let lowest = end;
      let from = 0;
      for (let at = 0; at + 1 < ids.length; at++) {
        const made = this.madeOf(ids[at], ids[at + 1]) ?? Infinity;
        if (made < lowest) [lowest, from] = [made, at];
      }
      if (lowest === end) return pictures;
      ids = replaced(ids, ids[from], ids[from + 1], lowest);
      pictures.push({ ids, made: lowest });
    }
  }

  /** The two tokens of which a token was made: what is there before the merge that makes it. @param {number} id */
  partsOf(id) {
    return /** @type {Picture} */ (this.lowestFirst(this.bytesOf(id), id).at(-1)).ids;
  }

  /** Once from left to right, each byte merged with what is before it wherever that is possible. @param {Uint8Array} bytes @returns {Picture[]} */
  oneWalk(bytes) {
    const rest = this.start(bytes);
    /** @type {number[]} */
    const done = [];
    const pictures = [{ ids: rest.slice(), made: -1 }];
    for (const id of rest.slice()) {
      done.push(id);
      rest.shift();
      while (done.length > 1) {
        const made = this.madeOf(done[done.length - 2], done[done.length - 1]);
        if (made === undefined) break;
        done.splice(-2, 2, made);
        pictures.push({ ids: [...done, ...rest], made });
      }
    }
    return pictures;
  }

  /** The longest token that fits, from left to right. @param {Uint8Array} bytes @returns {Picture[]} */
  longestFirst(bytes) {
    const all = String.fromCharCode(...bytes);
    /** @type {number[]} */
    const done = [];
    const pictures = [{ ids: this.start(bytes), made: -1 }];
    for (let at = 0; at < all.length; ) {
      let size = Math.min(this.longest, all.length - at);
      while (!this.idOf.has(all.slice(at, at + size))) size -= 1;
      const id = /** @type {number} */ (this.idOf.get(all.slice(at, at + size)));
      done.push(id);
      at += size;
      if (size > 1) pictures.push({ ids: [...done, ...this.start(bytes.subarray(at))], made: id });
    }
    return pictures;
  }

  /** Once through all merges in their order. @param {Uint8Array} bytes */
  throughAll(bytes) {
    return this.pairs.reduce((ids, [left, right], at) => replaced(ids, left, right, FIRST_MERGE + at), this.start(bytes));
  }

  /** The tokenizer of the first merges alone. @param {number} count */
  first(count) {
    return new Merges(this.texts.slice(0, FIRST_MERGE + count), this.pairs.slice(0, count));
  }

  /** @param {string} text whole, without a split pattern @param {number} [end] of the ids that may be made */
  encode(text, end) {
    return /** @type {Picture} */ (this.lowestFirst(new TextEncoder().encode(text), end).at(-1)).ids;
  }
}

/** Tokens by rank: two become one if their bytes together are a token; and a pattern cuts before. */
export class Ranked extends Merges {
  /**
   * @param {Uint8Array} packed how many tokens, in four bytes; the length of each; their bytes, end to end
   * @param {(text: string) => string[]} piecesOf
   */
  constructor(packed, piecesOf) {
    const count = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
    let at = 4 + count;
    const texts = Array.from(packed.subarray(4, at), (size) => String.fromCharCode(...packed.subarray(at, (at += size))));
    super(texts, []);
    this.piecesOf = piecesOf;
  }

  /** @param {number} left @param {number} right @override */
  madeOf(left, right) {
    return this.idOf.get(this.texts[left] + this.texts[right]);
  }

  /** @param {string} text @param {number} [end] @override */
  encode(text, end) {
    return this.piecesOf(text).flatMap((piece) => super.encode(piece, end));
  }
}

/** SentencePiece: merges begin with characters; one that is no piece becomes its bytes. */
export class SentencePiece extends Ranked {
  /** @param {Uint8Array} bytes @override */
  start(bytes) {
    return Array.from(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).flatMap((character) => {
      const own = new TextEncoder().encode(character);
      return this.idOf.get(String.fromCharCode(...own)) ?? super.start(own);
    });
  }
}

/** The pieces that GPT-2's split pattern cuts. @param {string} text @returns {string[]} */
export function piecesByGpt2(text) {
  return wellFormed(text).match(GPT2_PIECES) ?? [];
}

/** The pieces that GPT-4's split pattern cuts. @param {string} text @returns {string[]} */
export function piecesByGpt4(text) {
  return wellFormed(text).match(GPT4_PIECES) ?? [];
}

/** The text as SentencePiece takes it, whole: a space is written ▁, and one is put in front. @param {string} text */
export function withSpacesMarked(text) {
  return text ? [`▁${wellFormed(text).replaceAll(" ", "▁")}`] : [];
}

/** A text without halves of surrogate pairs, which no byte stands for. @param {string} text */
function wellFormed(text) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}
