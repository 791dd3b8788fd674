// The names of the colours of tokens: --t0 and up by bytes, --h0 and up by length, --b0 and up by cut.
// @ts-check

/** @import { Colour, Lane, Numbers } from "../types.d.ts" */

const BYTES_LEVELS = [1, 3, 6, 12]; // the most bytes of each level but the last

/**
 * The name of a token's tint: by its bytes, by how many they are, by where it is cut, or by its branch.
 * @param {Lane} lane
 * @param {number} token
 * @param {Colour} colour
 * @param {number} cut where the token is cut at worst, as `Lane.breaks` has it
 */
export function tintOf(lane, token, colour, cut) {
  if (lane.isGap(token)) return "gap";
  if (colour === "bytes") return `h${bytesLevel(lane.sizeOf(token))}`;
  if (colour === "broken") return `b${cut}`;
  if (colour === "branch" && lane.takenBy) return branchTint(lane, lane.takenBy[token]);
  return `t${lane.tints[token]}`;
}

/**
 * The tint of a branch of a split pattern; `branch` counts from 1, and 0 is what no branch took.
 * @param {Lane} lane
 * @param {number} branch
 */
export function branchTint(lane, branch) {
  const found = lane.column.branches?.[branch - 1];
  return found ? `t${found.tint % lane.tintCount}` : "b0";
}

/**
 * How badly a tint says that its token is cut: 0 for all tints but those by cut.
 * @param {string} tint
 */
export function cutLevel(tint) {
  return tint[0] === "b" ? Number(tint[1]) : 0;
}

/** @param {number} size */
function bytesLevel(size) {
  const level = BYTES_LEVELS.findIndex((most) => size <= most);
  return level < 0 ? BYTES_LEVELS.length : level;
}

/**
 * The tint of each token by its bytes; of two neighbours with the same tint, the second one gets another.
 * @param {Numbers} tokens
 * @param {Numbers} tints
 * @param {number} tintCount
 */
export function paint(tokens, tints, tintCount) {
  const painted = new Uint8Array(tokens.length);
  for (let i = 0; i < tokens.length; i++) {
    const tint = tints[tokens[i]];
    painted[i] = i && painted[i - 1] === tint ? (tint + 3) % tintCount : tint;
  }
  return painted;
}

/**
 * The tint of a token by its bytes alone: `zlib.crc32`, as in payload.py.
 * @param {Uint8Array} bytes
 * @param {number} tintCount
 */
export function tintOfBytes(bytes, tintCount) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0) % tintCount;
}
