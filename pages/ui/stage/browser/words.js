// The words of a stage, with values filled in.
// @ts-check

/** @import { Options } from "./types.d.ts" */

/**
 * @param {Options} options
 * @returns {(key: string, values?: Record<string, unknown>) => string}
 */
export function labelsOf({ labels, locale }) {
  return (key, values = {}) => {
    if (key === "locale") return locale;
    return (labels[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? value.toLocaleString(locale) : String(value);
    });
  };
}
