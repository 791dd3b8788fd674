// The curve of the corpus: how many tokens it had after each number of merges, as far as some points tell.
// @ts-check

/** @import { HistoryName, Numbers } from "../types.d.ts" */

/**
 * The tokens of a corpus after each number of merges.
 * @typedef {object} CorpusCurve
 * @property {Float64Array} counts -1 after the last number of merges that is known
 * @property {Uint8Array} about where a count is only about right
 * @property {number} bytes
 * @property {number} last the last number of merges with a count
 */

/**
 * The curve between the points of a corpus, and as far after them as it is known; null where it has no beginning.
 * @param {Record<HistoryName, Numbers>} arrays
 * @returns {CorpusCurve | null}
 */
export function corpusCurve(arrays) {
  const { corpus_merges: merges, corpus_tokens: tokens } = arrays;
  if (!merges.length || merges[0] !== 0 || !tokens[0]) return null;
  const counts = new Float64Array(arrays.left.length + 1).fill(-1);
  for (let place = 0; place < merges.length; place++) counts[merges[place]] = tokens[place];
  countExactly(counts, arrays);
  const about = Uint8Array.from(counts, (count) => Number(count < 0));
  guessBetween(counts, about);
  return { counts, about, bytes: tokens[0], last: counts.findLastIndex((count) => count >= 0) };
}

/**
 * Count onwards from each point, and back from it. A merge joins its pair as often as the pair was found, unless
 * both halves are the same token: "aaa" holds the pair twice and is joined once.
 * @param {Float64Array} counts
 * @param {Record<HistoryName, Numbers>} arrays
 */
function countExactly(counts, { left, right, counts: found }) {
  if (!found.some((count) => count)) return;
  const total = left.length;
  const isExact = (/** @type {number} */ n) => left[n - 1] !== right[n - 1];
  for (let n = 1; n <= total; n++) {
    if (counts[n] < 0 && counts[n - 1] >= 0 && isExact(n)) counts[n] = counts[n - 1] - found[n - 1];
  }
  for (let n = total - 1; n > 0; n--) {
    if (counts[n] < 0 && counts[n + 1] >= 0 && isExact(n + 1)) counts[n] = counts[n + 1] + found[n];
  }
}

/**
 * Between two counts that are known, a straight line.
 * @param {Float64Array} counts
 * @param {Uint8Array} about
 */
function guessBetween(counts, about) {
  let before = 0;
  for (let n = 1; n < counts.length; n++) {
    if (about[n]) continue;
    const rise = counts[n] - counts[before];
    for (let gap = before + 1; gap < n; gap++) {
      counts[gap] = Math.round(counts[before] + (rise * (gap - before)) / (n - before));
    }
    before = n;
  }
}
