// The lines of a bill: one for each token, with the letters that the token is a part of.
// @ts-check

import { PlacedText } from "../../player/browser/sentence.js";
import { tintOfBytes } from "../../token_view/browser/model/tints.js";

/** @import { Cut } from "../../player/browser/types.d.ts" */
/** @import { Stripe } from "../../token_view/browser/types.d.ts" */
/** @import { Bill, Line } from "./types.d.ts" */

/**
 * @param {Bill} bill
 * @param {number} tints how many there are
 * @returns {Line[]}
 */
export function billLines({ text, clusters, ends, plain }, tints) {
  const placed = new PlacedText(text, clusters);
  /** @type {Cut[]} */
  const cuts = ends.map((to, at) => ({ from: at ? ends[at - 1] : 0, to, isPlain: plain.includes(at) }));
  let before = -1;
  return placed.piecesOf(cuts).flatMap((piece) =>
    piece.tokens.flatMap(({ from, to, isPlain }, at) => {
      if (isPlain) return []; // what belongs to no token costs nothing
      const own = tintOfBytes(placed.bytes.subarray(from, to), tints);
      before = own === before ? (own + 3) % tints : own; // neighbours differ, as in the token view
      /** @type {Stripe[]} */
      const stripes = [["gap", from - piece.from], [`t${before}`, to - from], ["gap", piece.to - to]];
      const isWhole = piece.tokens.length === 1;
      return [{ text: piece.text, stripes: stripes.filter(([, size]) => size), part: at + 1, parts: isWhole ? 1 : piece.tokens.length }];
    }),
  );
}
