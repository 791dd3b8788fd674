// What a person switched, by the key of the view, so that it outlives a change of page.
// @ts-check

/** @import { Choice, Options } from "./types.d.ts" */

/** @type {Map<string, Choice>} */
const CHOICES = new Map();
const GIVEN = /** @type {const} */ (["view", "colour", "white_space", "marks", "looped"]);

/**
 * The choices for a view. Python gives the first ones; what a person switched stays until Python gives others.
 * @param {Options} options
 * @param {Options | null} before the options that the view had until now
 */
export function choiceFor(options, before) {
  const known = CHOICES.get(options.key);
  if (known && GIVEN.every((name) => !before || before[name] === options[name])) return known;
  const { view, colour, white_space: whiteSpace, marks, looped, base = null, against = null } = options;
  /** @type {Choice} */
  const choice = { view, colour, whiteSpace, marks, looped, base, against, chipsOf: 0 };
  CHOICES.set(options.key, choice);
  return choice;
}

/**
 * Choices under the names that Python gives them.
 * @param {Choice} choice
 */
export function asOptions({ view, whiteSpace, colour, marks, looped, base, against }) {
  return { view, white_space: whiteSpace, colour, marks, looped, base, against };
}
