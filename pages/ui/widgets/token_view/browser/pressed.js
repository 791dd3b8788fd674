// The key that was pressed, for shortcuts that are letters.
// @ts-check

/**
 * The key of an event, a letter as a small one. Where a layout writes no Latin letters, such as "็" in Thai, the place
 * of the key says which letter is meant, or that it is the full stop.
 * @param {Pick<KeyboardEvent, "key" | "code">} event
 */
export function keyOf({ key, code }) {
  if (/^[ -~]$/.test(key)) return key.toLowerCase();
  if (key.length > 1) return key; // a name, such as "Escape"
  if (code === "Period") return ".";
  return /^Key([A-Z])$/.exec(code)?.[1].toLowerCase() ?? key;
}
