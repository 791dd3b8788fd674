// The words of the catalogue, with values filled in.
// @ts-check

/** @import { Label, Labels } from "./types.d.ts" */

const THAI_SIGN = /[\u0e00-\u0e7f]/;
const FOREIGN_FIRST = /[\p{L}\p{N}_`(]/u;
const FOREIGN_LAST = /[\p{L}\p{N}_`)]/u;

/**
 * `{count}` becomes the number, and `{count:token|tokens}` the first word if it is 1, else the second. A name in other
 * letters has a space where it would touch Thai, as in pages/ui/i18n.
 * @param {string} words
 * @param {Record<string, unknown>} values
 * @param {string} locale
 */
export function filled(words, values, locale) {
  return words.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (place, name, one, many, /** @type {number} */ at) => {
    const value = values[name];
    if (many !== undefined) return String(value) === "1" ? one : many;
    if (typeof value === "number") return value.toLocaleString(locale);
    const text = String(value);
    const [before, after] = [plainWords(words.slice(0, at)).at(-1), plainWords(words.slice(at + place.length))[0]];
    return `${touches(before, text[0]) ? " " : ""}${text}${touches(after, text.at(-1), FOREIGN_LAST) ? " " : ""}`;
  });
}

/**
 * A tokenizer's name without the one of its vocabulary, "GPT-4"; the number that tells two of one name apart stays.
 * @param {string} name
 */
export function shortName(name) {
  return name.replace(/ \((?!\d+\)$)[^()]+\)(?= \(\d+\)$|$)/, "");
}

/**
 * @param {string} [thai]
 * @param {string} [other]
 * @param {RegExp} [foreign]
 */
function touches(thai = "", other = "", foreign = FOREIGN_FIRST) {
  return THAI_SIGN.test(thai) && foreign.test(other) && !THAI_SIGN.test(other);
}

/**
 * @param {{ labels: Labels, locale: string }} options
 * @returns {Label}
 */
export function labelsOf({ labels, locale }) {
  return (key, values = {}) => {
    if (key === "locale") return locale;
    return filled(labels[key] ?? key, values, locale);
  };
}

/**
 * Words without the marks that say where Thai lines may break, for names that are read aloud or saved.
 * @param {string} words
 */
export function plainWords(words) {
  return words.replace(/[\u200b\u2060]/g, "");
}
