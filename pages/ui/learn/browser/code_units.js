// A character as numbers: its bits in UTF-8, and its units in UTF-16 and UTF-32.
// @ts-check

/**
 * The bytes of a character in UTF-8, each as the bits that every such byte has, and the bits of the character.
 * @param {string} character
 */
export function layoutOf(character) {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte, at) => {
    const bits = byte.toString(2).padStart(8, "0");
    const fixed = at ? 2 : bytes.length === 1 ? 1 : bytes.length + 1;
    return { fixed: bits.slice(0, fixed), own: bits.slice(fixed), byte };
  });
}

/**
 * The same character in three encodings, in hex.
 * @param {string} character
 */
export function encodings(character) {
  const units = character.split("").map((unit) => hex(unit.charCodeAt(0), 4));
  const utf8 = Array.from(new TextEncoder().encode(character), (byte) => hex(byte, 2));
  return [
    { name: "UTF-8", bytes: utf8.length, hex: utf8.join(" ") },
    { name: "UTF-16", bytes: 2 * units.length, hex: units.join(" ") },
    { name: "UTF-32", bytes: 4, hex: hex(character.codePointAt(0) ?? 0, 8) },
  ];
}

/** @param {number} value @param {number} digits */
export function hex(value, digits) {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}

/**
 * The bytes that somebody typed in hex; null if it is no list of bytes.
 * @param {string} typed
 */
export function bytesTyped(typed) {
  const digits = typed.replace(/0x|[\s,]/gi, "");
  if (digits.length % 2 || /[^0-9a-f]/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Bytes as the files of GPT-2 write them: a visible one as its letter, any other as the next letter from U+0100 up. @param {Uint8Array} bytes */
export function gpt2LettersOf(bytes) {
  const isVisible = (/** @type {number} */ byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  const hidden = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !isVisible(byte));
  return String.fromCharCode(...Array.from(bytes, (byte) => (isVisible(byte) ? byte : 0x100 + hidden.indexOf(byte))));
}

/** The first character of a text that needs several bytes. @param {string} text */
export function longOne(text) {
  return [...text].find((each) => new TextEncoder().encode(each).length > 1);
}

/** The letters of a text, each with its marks. @param {string} text */
export function lettersOf(text) {
  return Array.from(new Intl.Segmenter("th", { granularity: "grapheme" }).segment(text), ({ segment }) => segment);
}

/**
 * The tokens that each letter is a part of, from left to right, each with how many bytes of the letter it has.
 * @param {string[]} letters
 * @param {Uint8Array[]} tokens of the same text
 * @returns {[token: number, size: number][][]}
 */
export function tokensUnder(letters, tokens) {
  let [token, left] = [0, tokens[0]?.length ?? 0];
  return letters.map((letter) => {
    /** @type {[token: number, size: number][]} */
    const found = [];
    for (let size = new TextEncoder().encode(letter).length; size > 0 && token < tokens.length; ) {
      const part = Math.min(size, left);
      found.push([token, part]);
      [size, left] = [size - part, left - part];
      if (!left) left = tokens[++token]?.length ?? 0;
    }
    return found;
  });
}

/** Numbers to guess from: the right one and others, each once, in order. @param {number} right @param {number[]} others */
export function choicesFor(right, ...others) {
  const found = new Set([right, ...others.filter((other) => other > 0)].slice(0, 4));
  for (let step = 1; found.size < 3; step++) found.add(right + step);
  return [...found].sort((one, other) => one - other);
}
