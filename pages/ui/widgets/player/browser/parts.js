// What a merge joins, letter by letter: whole text, or a part of a letter, such as the first two thirds of ร.
// @ts-check

import { MARK, glyphOf, hexOf, isWhiteOrUnseen, onCircle } from "../../token_view/browser/model/characters.js";

/** @import { Learned, Sentence } from "./sentence.js" */
/** @import { Cut, Label, Part } from "./types.d.ts" */

/** @typedef {{ letter: Uint8Array, lost: number, isMark: boolean }} Found a letter, and its bytes before those that were looked for */

const STRICT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const UNKNOWN = -1; // the size of a letter of which only bytes from its inside are there
/** @type {Record<number, string[]>} by the size of the letter and the bytes of the part */
const SHARES = { 2: ["1_2"], 3: ["1_3", "2_3"], 4: ["1_4", "1_2", "3_4"] };
/** @type {Record<number, string>} by the size of the letter and the bytes of the part */
const FRACTIONS = { 2: "½", 3: "⅓⅔", 4: "¼½¾" };
const MOST_SHOWN = 24; // characters of a long token that are shown
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const THAI_STARTS = [0xb8, 0xb9].map((second) => Uint8Array.of(0xe0, second));
const TONE = /^[\u0e48-\u0e4b\u0ec8-\u0ecb]/; // of Thai and Lao, as are the vowels
const VOWEL = /^[\u0e31\u0e33-\u0e39\u0eb1\u0eb3-\u0eb9\u0ebb]/;
const SCRIPTS = [
  ...["Thai", "Laoo", "Grek", "Cyrl", "Latn", "Hebr", "Arab", "Deva", "Beng", "Taml", "Mymr", "Khmr", "Sinh"],
  ...["Tibt", "Geor", "Armn", "Ethi", "Hang", "Hira", "Kana", "Hani"],
].map((code) => /** @type {const} */ ([code, new RegExp(`\\p{Script=${code}}`, "u")]));
const MOST_NAMED = 4; // letters
const LOOKED_AHEAD = 20_000; // merges that may complete a letter
const TRIED = 256; // letters that are looked at to learn what a beginning may become

/**
 * How many bytes a letter has that starts with this one; 0 for a byte from inside a letter.
 * @param {number} lead
 */
function sizeOf(lead) {
  return lead < 0x80 ? 1 : lead >> 5 === 6 ? 2 : lead >> 4 === 14 ? 3 : lead >> 3 === 30 ? 4 : 0;
}

/** @param {Iterable<number>} bytes */
export function decoded(bytes) {
  try {
    return STRICT_DECODER.decode(Uint8Array.from(bytes));
  } catch {
    return "";
  }
}

/**
 * Where each letter of some bytes starts and ends, how many bytes it has when it is whole, and which letter it is.
 * @param {Uint8Array} bytes
 */
function lettersOf(bytes) {
  const letters = [];
  for (let start = 0, end; start < bytes.length; start = end) {
    const size = sizeOf(bytes[start]);
    end = start + 1;
    while (end < bytes.length && !sizeOf(bytes[end]) && (!size || end - start < size)) end += 1;
    letters.push({ start, end, size, letter: end - start === size ? decoded(bytes.subarray(start, end)) : "" });
  }
  return letters;
}

/**
 * The parts of the bytes from one place to another: text where letters are whole, else a share of a letter.
 * @param {Uint8Array} bytes
 * @param {number} first
 * @param {number} last
 * @returns {Part[]}
 */
function partsIn(bytes, first, last) {
  /** @type {Part[]} */
  const parts = [];
  for (const { start, end, size, letter } of lettersOf(bytes)) {
    const [from, to] = [Math.max(first, start) - start, Math.min(last, end) - start];
    if (from >= to) continue;
    const before = parts.at(-1);
    const isWhole = Boolean(letter) && to - from === size;
    const kind = letter || !size ? { script: "", isSign: !LETTER.test(letter || "a") } : kindFrom(bytes.subarray(start, end));
    if (isWhole && before && !before.size) before.letter += letter;
    else if (isWhole) parts.push({ letter, ...kind, from: 0, to: 0, size: 0, at: first, here: [] });
    else parts.push({ letter, ...kind, from, to, size: size || UNKNOWN, at: start, here: [] });
  }
  return parts;
}

/**
 * What a merge joins and makes: the left token, the right one, and the new one. A part of a letter knows the letter if
 * the new token has all of it.
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
export function partsOfMerge(left, right) {
  const bytes = Uint8Array.from([...left, ...right]);
  const [middle, end] = [left.length, bytes.length];
  return { left: partsIn(bytes, 0, middle), right: partsIn(bytes, middle, end), token: partsIn(bytes, 0, end) };
}

/** @param {Part} part */
export function isText({ size }) {
  return size === 0;
}

/**
 * Tell the parts of a merge that may belong to many letters which these are: those where the sentence has the token; if
 * it has none, those that later merges make of the token; if there are none yet, those of the sentence that may be meant.
 * @param {ReturnType<typeof partsOfMerge>} merge
 * @param {Uint8Array} token its bytes
 * @param {Sentence} sentence
 * @param {Cut[]} places where the sentence has the token
 * @param {(at: number, size: number) => Found[]} [laterOf] what later merges make of these bytes of the token
 */
export function nameLettersHere({ left, right, token: made }, token, sentence, places, laterOf = () => []) {
  for (const { letter, from, to, size, at } of made) {
    if (letter) continue;
    const bytes = token.subarray(at, at + to - from);
    const isEnd = size === UNKNOWN;
    const later = places.length ? [] : laterOf(at, bytes.length);
    const found = places.length ? places.map((place) => sentence.letterAt(place.from + at)) : later.length ? later : lettersWith(bytes, isEnd, sentence);
    const [first] = found;
    const isAlike = found.every((each) => each.letter.length === first.letter.length && each.lost === first.lost);
    if (!first || !isAlike || first.lost + bytes.length > first.letter.length) continue;
    const [whole, lost] = [first.letter.length, first.lost];
    const bare = found.filter(({ isMark }) => !isMark);
    const here = [...new Set((bare.length ? bare : found).map((each) => decoded(each.letter)))];
    for (const part of [...left, ...right, ...made].filter((part) => part.at === at && !isText(part))) {
      Object.assign(part, { here, size: whole, from: part.from + lost, to: part.to + lost });
    }
  }
}

/**
 * The letters that later merges make of a part of one, the first ones.
 * @param {Learned} learned
 * @param {number} merge that made the token with the part
 * @param {number} at the byte of the token at which the part starts
 * @param {number} size bytes of the part
 */
export function lettersLater(learned, merge, at, size) {
  /** @type {Found[]} */
  const found = [];
  const places = new Map([[learned.idsOf(merge)[2], [at]]]); // of the part in the tokens that have it and not the whole letter
  const end = Math.min(learned.total, merge + LOOKED_AHEAD);
  for (let next = merge + 1; next <= end && found.length < MOST_NAMED; next++) {
    const [left, right, made] = learned.idsOf(next);
    const before = [...(places.get(left) ?? [])];
    for (const place of places.get(right) ?? []) before.push(learned.bytesOf(left).length + place);
    if (!before.length) continue;
    const bytes = learned.bytesOf(made);
    const open = before.filter((place) => {
      const whole = lettersOf(bytes).find(({ start, end }) => start <= place && place + size <= end);
      if (!whole?.letter) return true;
      const letter = bytes.subarray(whole.start, whole.end);
      found.push({ letter, lost: place - whole.start, isMark: MARK.test(whole.letter) });
      return false;
    });
    if (open.length) places.set(made, open);
  }
  return found;
}

/**
 * The letters of a sentence that begin with some bytes; or those that end so and begin as letters of the sentence do.
 * @param {Uint8Array} bytes
 * @param {boolean} isEnd
 * @param {Sentence} sentence
 */
function lettersWith(bytes, isEnd, { letters }) {
  const known = letters.map((each) => ({ ...each, lost: isEnd ? each.letter.length - bytes.length : 0 }));
  const found = known.filter(({ letter, lost }) => lost >= 0 && bytes.every((byte, at) => letter[lost + at] === byte));
  if (!isEnd) return found;
  const starts = (found.length ? found : known.filter(({ lost }) => lost > 0)).flatMap(({ letter, lost }) => startsLike(letter.slice(0, lost)));
  const akin = starts.map((start) => Uint8Array.from([...start, ...bytes]));
  return akin.filter((each) => LETTER.test(decoded(each))).map((letter) => ({ letter, isMark: MARK.test(decoded(letter)), lost: letter.length - bytes.length }));
}

/**
 * The beginnings of letters that may be meant as well as this one: Thai letters have two, and ends of either look alike.
 * @param {Uint8Array} start
 */
function startsLike(start) {
  return THAI_STARTS.some((each) => each.join() === start.join()) ? THAI_STARTS : [start];
}

/**
 * What the left or the right token of a merge is, in words: "two thirds of a letter".
 * @param {Part[]} parts
 * @param {Label} label
 */
export function joinedWords(parts, label) {
  return inARow(parts.map((part, at) => {
    if (isText(part)) return namedText(part, label);
    if (parts.length > 1 && part.letter && part.from) return label("part_ends", { letter: shownText(part.letter), fraction: fractionOf(part) });
    return at && !part.letter && !part.here.length ? label("part_next") : shareOf(part, label, parts.length > 1);
  }), label);
}

/**
 * What a merge makes, in words: "the beginning of many Thai letters", or of those that a sentence has.
 * @param {Part[]} parts
 * @param {Label} label
 */
export function madeWords(parts, label) {
  const [{ letter }] = parts;
  const noun = nounOf(parts[0], label);
  if (parts.every(isText) && [...letter].length === 1) {
    const script = foreignScript(letter, label);
    return script ? label("part_whole_of", { script, noun }) : label("part_whole", { noun });
  }
  return inARow(parts.map((part, at) => {
    if (isText(part)) return namedText(part, label);
    if (part.here.length) return shareHere(part, label, { most: MOST_NAMED, isOneOfMany: parts.length > 1 });
    if (part.size === UNKNOWN) return at < parts.length - 1 ? label("part_end") : shareOf(part, label);
    if (at) return label("part_next");
    if (!part.script) return label("part_many_signs");
    const script = named(part.script, label);
    return label("part_many", { script });
  }), label);
}

/**
 * How much a part is of letters that the sentence has, and of others.
 * @param {Part} part
 * @param {Label} label
 * @param {{ most?: number, isOneOfMany?: boolean }} [how] at most so many letters are named; whether other parts are
 */
function shareHere(part, label, { most = 1, isOneOfMany = false } = {}) {
  const { here, from, to, size } = part;
  const letters = here.slice(0, isOneOfMany ? 1 : most).map((letter) => shownText(letter)).join(" ");
  const inside = size === 3 ? "middle_here" : "some_here";
  const said = label(`part_${!from ? "start_here" : to === size ? "end_here" : inside}`, { letters, fraction: fractionOf(part) });
  return said.replace(` ${letters}`, `\u00a0${letters}`).replace(/ …/, "\u00a0…"); // no letter alone on a line
}

/** What a character is called: a mark is no letter, which is what the eye sees with its marks. @param {Part} part @param {Label} label */
function nounOf({ letter, isSign }, label) {
  if (TONE.test(letter)) return label("part_tone");
  if (VOWEL.test(letter)) return label("part_vowel");
  return isSign || MARK.test(letter) ? label("part_sign") : label("part_letter");
}

/** The name of a script. @param {string} script @param {Label} label */
function named(script, label) {
  return new Intl.DisplayNames([label("locale")], { type: "script" }).of(script);
}

/**
 * The script of a letter that readers of Latin letters may take for one of these, as น for u; "" if it has none.
 * @param {string} letter
 * @param {Label} label
 */
function foreignScript(letter, label) {
  const script = SCRIPTS.find(([, isIn]) => isIn.test(letter))?.[0] ?? "Latn";
  return script === "Latn" ? "" : named(script, label);
}

/** The share of a letter that a part is, as a sign; "" where nobody knows. @param {Part} part */
export function fractionOf({ from, to, size }) {
  return FRACTIONS[size]?.[to - from - 1] ?? "";
}

/**
 * @param {string[]} names
 * @param {Label} label
 */
function inARow(names, label) {
  return names.reduce((first, second) => label("part_and", { first, second }));
}

/**
 * How much of a letter a part is.
 * @param {Part} part
 * @param {Label} label
 * @param {boolean} [isOneOfMany]
 */
function shareOf(part, label, isOneOfMany = false) {
  const { letter, script, isSign, from, to, size, here } = part;
  const noun = nounOf(part, label);
  if (letter && !from && to > 1) { // as when it was made
    const script = foreignScript(letter, label);
    const values = { letter: shownText(letter), script, noun, fraction: fractionOf(part) };
    return script ? label("part_begins_of", values) : label("part_begins", values);
  }
  if (here.length) return shareHere(part, label, { isOneOfMany });
  if (size === UNKNOWN) return label("part_of_many");
  if (!letter && !isSign && script && size === 3 && !from) {
    const name = named(script, label);
    return to === 1 ? label("part_1_3_of_many", { script: name }) : label("part_2_3_of_many", { script: name });
  }
  if (size === 3 && to - from === 1 && from) return label(from === 1 ? "part_middle_third" : "part_last_third", { noun });
  const share = SHARES[size]?.[to - from - 1];
  return share ? label(`part_${share}`, { noun }) : label("part_some", { noun });
}

/**
 * @param {Part} part
 * @param {Label} label
 */
function namedText({ letter }, label) {
  return letter === " " ? label("part_space") : shownText(letter);
}

/**
 * A text as it is drawn: of a long one its beginning and its end, no letter without its marks.
 * @param {string} text
 * @param {number} [most] characters
 */
export function shownText(text, most = MOST_SHOWN) {
  return onCircle([...(text.length > most ? withoutMiddle(text, most) : text)].map((character) => (isWhiteOrUnseen(character) ? glyphOf(character) : character)).join(""));
}

/**
 * @param {string} text
 * @param {number} most
 */
function withoutMiddle(text, most) {
  const beginning = text.slice(0, Math.ceil(most / 2)).replace(/[\ud800-\udbff]$/, "");
  const [marks] = text.slice(beginning.length).match(/^[\p{M}\u0e33\u0eb3]*/u) ?? [""]; // ำ is no mark, but stands on a letter
  const end = text.slice(-Math.floor(most / 2)).replace(/^[\p{M}\u0e33\u0eb3\udc00-\udfff]+/u, "");
  return `${beginning}${marks}…${end}`;
}

/** @typedef {{ script: string, isSign: boolean }} Kind */
/** @type {Map<string, Kind>} */
const KIND_OF = new Map();

/**
 * The kind of the letters that can begin with these bytes.
 * @param {Uint8Array} bytes
 */
function kindFrom(bytes) {
  const key = hexOf(bytes);
  const kind = KIND_OF.get(key) ?? kindOf(lettersFrom(bytes));
  KIND_OF.set(key, kind);
  return kind;
}

/**
 * The script of most of these letters, "" if no script has most of them; and whether most are signs, such as emoji,
 * that nobody calls letters.
 * @param {string[]} letters
 * @returns {Kind}
 */
function kindOf(letters) {
  const known = letters.filter((letter) => /\P{Cn}/u.test(letter));
  const areMost = (/** @type {RegExp} */ kind) => known.filter((letter) => kind.test(letter)).length > known.length / 2;
  return { script: SCRIPTS.find(([, script]) => areMost(script))?.[0] ?? "", isSign: !areMost(LETTER) };
}

/**
 * Letters that begin with these bytes, at most so many as are tried.
 * @param {Uint8Array} bytes
 */
function lettersFrom(bytes) {
  const missing = sizeOf(bytes[0]) - bytes.length;
  const count = 64 ** Math.max(0, missing);
  const step = Math.max(1, count / TRIED);
  const letters = [];
  for (let number = 0; number < count; number += step) {
    const tail = Array.from({ length: missing }, (_, at) => 0x80 + (Math.floor(number / 64 ** (missing - 1 - at)) % 64));
    const letter = decoded([...bytes, ...tail]);
    if (letter) letters.push(letter);
  }
  return letters;
}
