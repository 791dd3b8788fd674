// Finds places in what is sorted, and makes running totals.
// @ts-check

/**
 * How many items at the start of a sorted list are still before the place that is looked for.
 * @param {number} length
 * @param {(index: number) => boolean} isBefore
 */
export function countBefore(length, isBefore) {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How many of the ascending numbers are below a limit.
 * @param {ArrayLike<number>} numbers
 * @param {number} limit
 */
export function below(numbers, limit) {
  return countBefore(numbers.length, (index) => numbers[index] < limit);
}

/**
 * The index of the last of the ascending numbers up to a limit; 0 where there is none.
 * @param {ArrayLike<number>} numbers
 * @param {number} limit
 */
export function lastUpTo(numbers, limit) {
  return Math.max(0, below(numbers, limit + 1) - 1);
}

/**
 * Running totals, one more than there are items: where each item starts, and where the last one ends.
 * @param {number} length
 * @param {(index: number) => number} size
 */
export function totals(length, size) {
  const starts = new Uint32Array(length + 1);
  for (let i = 0; i < length; i++) starts[i + 1] = starts[i] + size(i);
  return starts;
}
