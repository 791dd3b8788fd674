// A text by its bytes, as tokens see it, and by its letters with their marks, as people do.
// @ts-check

/** @import { Cut, Piece } from "./types.d.ts" */

const PLACED_DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const LONGEST_UNBROKEN = 16; // letters; what is longer may break anywhere

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
      if (words ? words.has(at) || unbroken > LONGEST_UNBROKEN : true) [places[at], unbroken] = [1, 0];
    }
    return places;
  }

  /** The bytes at which words and stretches of space start; null if the browser knows no words. */
  wordStarts() {
    if (!Intl.Segmenter) return null;
    /** @type {Set<number>} */
    const starts = new Set();
    let [at, before] = [0, ""];
    for (const { segment, isWordLike } of new Intl.Segmenter("th", { granularity: "word" }).segment(this.text)) {
      // Signs stay with the word that they follow; a word stays with the sign that opens it.
      if ((isWordLike || /^\s/.test(segment)) && !/[\p{Ps}\p{Pi}]$/u.test(before)) starts.add(at);
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
