// The names of the colours of tokens: --t0 and up by bytes, --u0 their paler shades, --h0 and up by length, --b0 and up by cut.
// @ts-check

import { RIGHT_TO_LEFT } from "./characters.js";

/** @import { Numbers, Stripe, Zone } from "../types.d.ts" */

const BYTES_LEVELS = [1, 3, 6, 12]; // the most bytes of each level but the last

/**
 * How badly cut a token of this tint is; 0 unless tokens are coloured by cut.
 * @param {string} tint
 */
export function cutLevel(tint) {
  return tint[0] === "b" ? Number(tint[1]) : 0;
}

/**
 * The level of a length in bytes, from 0 up.
 * @param {number} size
 */
export function bytesLevel(size) {
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
 * 1 for every other one of neighbours that are alike, which takes a paler shade of their tint, so that both are seen.
 * @param {Numbers} kinds
 */
export function shadesOf(kinds) {
  const shades = new Uint8Array(kinds.length);
  for (let i = 1; i < kinds.length; i++) shades[i] = kinds[i] === kinds[i - 1] ? 1 - shades[i - 1] : 0;
  return shades;
}

/**
 * What gives each token of rows that are compared its tint: by its bytes, the same in every row; of two that stand side
 * by side with the same tint, the second one gets another.
 * @param {Uint8Array[][]} rows
 * @param {number} tintCount
 * @returns {(bytes: Uint8Array) => number}
 */
export function tintsAcross(rows, tintCount) {
  /** @type {Map<string, Set<string>>} */
  const beside = new Map();
  /** @type {Map<string, number>} */
  const tints = new Map();
  for (const row of rows.map((each) => each.map((bytes) => bytes.join()))) {
    row.forEach((key, at) => {
      const around = beside.get(key) ?? new Set();
      for (const other of [row[at - 1], row[at + 1]]) around.add(other);
      beside.set(key, around);
    });
  }
  for (const bytes of rows.flat()) {
    const key = bytes.join();
    if (tints.has(key)) continue;
    const taken = [...(beside.get(key) ?? [])].map((each) => tints.get(each));
    const own = tintOfBytes(bytes, tintCount);
    const tries = Array.from({ length: tintCount }, (_, step) => (own + 3 * step) % tintCount);
    tints.set(key, tries.find((tint) => !taken.includes(tint)) ?? own);
  }
  return (bytes) => tints.get(bytes.join()) ?? tintOfBytes(bytes, tintCount);
}

const FIRST_TINT = 5;
/** @type {Record<number, number>} */
const SECOND_TINTS = { 0xb8: 3, 0xb9: 7 };
const LAST_TINTS = [1, 2, 4];

/**
 * The tint of a token by its bytes alone: `zlib.crc32`, and for a single byte outside ASCII its place in a letter, as in
 * payload.py.
 * @param {Uint8Array} bytes
 * @param {number} tintCount
 */
export function tintOfBytes(bytes, tintCount) {
  const [first] = bytes;
  if (bytes.length === 1 && first >= 0x80) {
    return first >= 0xc0 ? FIRST_TINT : (SECOND_TINTS[first] ?? LAST_TINTS[first % LAST_TINTS.length]);
  }
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const found = (~crc >>> 0) % tintCount;
  return bytes.length === 1 && found === FIRST_TINT ? found + 1 : found; // a space before a letter
}

/**
 * Whether single bytes outside ASCII have this tint: parts of letters had better have another.
 * @param {number} tint
 */
export function isByteTint(tint) {
  return tint === FIRST_TINT || Object.values(SECOND_TINTS).includes(tint) || LAST_TINTS.includes(tint);
}

/**
 * One flat tint, or a stripe for each token, as wide as its share of the bytes, with a hairline between.
 * @param {{ stripes: Stripe[], text: string, zones?: Zone[] | null, starts?: boolean, ends?: boolean }} box
 */
export function tintStyle(box) {
  const { stripes, text } = box;
  const ground = `background-color: var(--${stripes[0][0]})`;
  if (stripes.length === 1) return ground;
  if (box.zones) return `background: ${besideMarks(box, box.zones)}`;
  const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
  const half = halfHairline(stripes.map(([tint]) => tint));
  const line = `var(--half-slit, ${half}px)`;
  let at = 0;
  const stops = stripes.flatMap(([tint, size], index) => {
    const from = `${((100 * at) / whole).toFixed(2)}%`;
    at += size;
    const to = `${((100 * at) / whole).toFixed(2)}%`;
    const [isFirst, isLast] = [index === 0 || !half, index === stripes.length - 1 || !half];
    const [inner, outer] = [`calc(${from} + ${line})`, `calc(${to} - ${line})`];
    const before = isFirst ? [] : [`var(--slit) ${from} ${inner}`];
    const after = isLast ? [] : [`var(--slit) ${outer} ${to}`];
    return [...before, `var(--${tint}) ${isFirst ? from : inner} ${isLast ? to : outer}`, ...after];
  });
  const side = RIGHT_TO_LEFT.test(text) ? "left" : "right";
  return `${ground}; background-image: linear-gradient(to ${side}, ${stops.join(", ")})`;
}

const SARA_AA = ".42em"; // its width after a consonant

/**
 * The pieces of a Thai letter where its consonant and its marks stand: the borders go between them, as the cuts do, and
 * not through the consonant.
 * @param {{ stripes: Stripe[], starts?: boolean, ends?: boolean }} box
 * @param {Zone[]} zones
 */
function besideMarks({ stripes, starts, ends }, zones) {
  const after = zones.find(([, , , place]) => place);
  const over = zones.filter((zone) => zone !== after);
  const line = "var(--half-slit, .5px)";
  const upwards = (/** @type {string[]} */ stops) => `linear-gradient(to top, ${stops.join(", ")})`;
  const grounds = over.flatMap(([stripe, low, high], at) => [
    ...(at && over[at - 1][0] !== stripe ? [`var(--slit) calc(${low}% - ${line}) calc(${low}% + ${line})`] : []),
    `var(--${stripes[stripe][0]}) ${low}% ${high}%`,
  ]);
  // Every piece but the first begins here, at the left, and every one but the last ends here, at the right.
  const side = (/** @type {(stripe: number) => boolean} */ has) =>
    upwards(over.map(([stripe, low, high]) => `${has(stripe) ? "var(--slit)" : "transparent"} ${low}% ${high}%`));
  const sides = [
    ...(ends || after ? [] : [`${side((stripe) => stripe < stripes.length - 1)} 100% 0`]),
    ...(starts ? [] : [`${side((stripe) => stripe > 0)} 0 0`]),
    ...(after ? [`${side((stripe) => stripe !== after[0])} right calc(${SARA_AA} - ${line}) top 0`] : []),
  ];
  const beside = after ? [`linear-gradient(var(--${stripes[after[0]][0]}) 0 0) right -1px top 0 / calc(${SARA_AA} + 1px) 100% no-repeat`] : [];
  return [...sides.map((each) => `${each} / calc(2 * ${line}) 100% no-repeat`), ...beside, upwards(grounds)].join(", ");
}

/**
 * Half the width of the line between two stripes, in pixels. Many stripes leave no room for lines; the count below
 * the cluster says how many there are.
 * @param {string[]} tints
 */
function halfHairline(tints) {
  if (tints.length > 4) return 0;
  const areAlike = tints.some((tint, index) => index > 0 && tint === tints[index - 1]); // by branch they may be
  return areAlike ? 1.25 : 0.5;
}
