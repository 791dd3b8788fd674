// Finds places among ascending numbers, and makes running totals.
// @ts-check

/**
 * How many of the ascending numbers are below a limit.
 * @param {ArrayLike<number>} numbers
 * @param {number} limit
 */
export function below(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
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
