// The words of the catalogue, with values filled in.
// @ts-check

/** @import { Label, Labels } from "./types.d.ts" */

/**
 * `{count}` becomes the number, and `{count:token|tokens}` the first word if it is 1, else the second.
 * @param {string} words
 * @param {Record<string, unknown>} values
 * @param {string} locale
 */
export function filled(words, values, locale) {
  return words.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => {
    const value = values[name];
    if (many !== undefined) return String(value) === "1" ? one : many;
    return typeof value === "number" ? value.toLocaleString(locale) : String(value);
  });
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
