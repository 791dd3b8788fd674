// Which entries are shown, and in which order.
// @ts-check

/** @import { Choice, Found, Selection } from "./types.d.ts" */
/** @import { Vocabulary } from "./packed.js" */

/**
 * The entries that pass all filters, sorted; the counts by script leave out the filter by script.
 * @param {Vocabulary} vocabulary
 * @param {Choice} choice
 * @param {Found} found
 * @param {Uint32Array} uses how often the visitor's text uses each entry
 * @param {number} scripts how many scripts there are
 * @returns {Selection}
 */
export function select(vocabulary, choice, found, uses, scripts) {
  const { size, ids, scripts: codes } = vocabulary;
  const counts = new Uint32Array(scripts);
  const passed = new Uint8Array(size);
  let total = 0;
  for (let place = 0; place < size; place++) {
    if (found && !found[place]) continue;
    const length = vocabulary.lengthOf(place);
    if (length < choice.shortest || length > choice.longest) continue;
    if (ids[place] < choice.first || ids[place] > choice.last) continue;
    if (choice.use !== "all" && (choice.use === "used") !== uses[place] > 0) continue;
    counts[codes[place]]++;
    if (choice.script !== null && codes[place] !== choice.script) continue;
    passed[place] = 1;
    total++;
  }
  return { places: sorted(vocabulary, passed, total, choice.order, uses), counts };
}

/**
 * @param {Vocabulary} vocabulary
 * @param {Uint8Array} passed
 * @param {number} total
 * @param {Choice["order"]} order
 * @param {Uint32Array} uses
 */
function sorted(vocabulary, passed, total, order, uses) {
  const places = new Uint32Array(total);
  let at = 0;
  if (order === "letters") {
    for (const place of vocabulary.byLetters) if (passed[place]) places[at++] = place;
    return places;
  }
  for (let place = 0; place < passed.length; place++) if (passed[place]) places[at++] = place;
  if (order === "newest") return places.reverse();
  if (order === "used") return stable(places, (place) => -uses[place]);
  if (order === "longest") return stable(places, (place) => -vocabulary.lengthOf(place));
  return order === "shortest" ? stable(places, (place) => vocabulary.lengthOf(place)) : places;
}

/**
 * Sort places by a number; equal ones stay in the order learned.
 * @param {Uint32Array} places
 * @param {(place: number) => number} key
 */
function stable(places, key) {
  const keys = Float64Array.from(places, (place) => key(place) * 2 ** 31 + place);
  const sortedKeys = keys.sort();
  return Uint32Array.from(sortedKeys, (each) => each - Math.floor(each / 2 ** 31) * 2 ** 31);
}
