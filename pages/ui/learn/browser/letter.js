// The lesson of letters: a letter is a number, a number is bytes, and half a letter is nothing that can be read.
// @ts-check

import { addButton, make } from "../../widgets/token_view/browser/elements.js";
import { codeOf, hexOf, onCircle, partsOf } from "../../widgets/token_view/browser/model/characters.js";
import { bytesTyped, choicesFor, encodings, layoutOf, lettersOf, longOne } from "./code_units.js";
import { seen } from "./room.js";

/** @import { Room } from "./room.js" */

const WORDS = ["น้ำ", "café", "👍🏽"];
const OTHERS = ["ก", "a", "é", "😀"];
const HALVES = ["80", "E0 B8", "E0 B8 81"];
/** A byte that no character has in UTF-8. */
const UNUSED = /\b(C[01]|F[5-9A-F])\b/;

export const LETTER = [numbers, bits, alone, halves];

/** @param {Room} room */
function numbers(room) {
  room.write("word", (word) => {
    const characters = [...word];
    const bytes = new TextEncoder().encode(word).length;
    room.say(word, "large");
    const choices = choicesFor(characters.length, lettersOf(word).length, bytes);
    room.ask(room.label("letter_1_ask", { word }), choices, characters.length, () => {
      const cards = room.add("ul", "cards");
      for (const character of characters) {
        const card = cards.appendChild(make("li"));
        const code = /** @type {number} */ (character.codePointAt(0));
        const name = room.lesson.options.names[code] ?? "";
        card.append(make("b", "", seen(character)), make("strong", "", room.number(code)), make("span", "", codeOf(character)));
        if (name) card.append(make("span", "name", name));
      }
      room.say(room.label("letter_1_hex", { code: codeOf(characters[0]) }), "quiet-words");
    });
  }, WORDS);
}

/** @param {Room} room */
function bits(room) {
  const letters = [...new Set([...room.word, ...OTHERS])];
  const first = longOne(room.word) ?? letters[0];
  const size = new TextEncoder().encode(first).length;
  room.ask(room.label("letter_2_ask", { letter: onCircle(first) }), [1, 2, 3, 4], size, () => {
    room.choose(room.label("letter_2_choose"), letters.map((letter) => [letter, seen(letter)]), (letter) => drawBits(room, letter), letters.indexOf(first));
    const { word } = room;
    const characters = [...word].length;
    const bytes = new TextEncoder().encode(word).length;
    room.say(room.label("letter_2_total", { word, characters, bytes }));
  });
}

/** The bits of the number fall into the places that the bytes keep for them. @param {Room} room @param {string} letter */
function drawBits(room, letter) {
  const layout = layoutOf(letter);
  const code = /** @type {number} */ (letter.codePointAt(0));
  const box = room.add("div", "bits");
  box.setAttribute("role", "img");
  const written = layout.map(({ fixed, own }) => `${fixed} ${own}`).join(", ");
  box.setAttribute("aria-label", `${room.number(code)}: ${written}`);
  const number = box.appendChild(make("div", "bit-row"));
  number.append(make("span", "bit-name", room.number(code)));
  const bytes = box.appendChild(make("div", "bit-row"));
  bytes.append(make("span", "bit-name", "UTF-8"));
  let delay = 0;
  layout.forEach(({ fixed, own, byte }, at) => {
    const group = number.appendChild(make("span", "bit-group"));
    const slots = bytes.appendChild(make("span", "bit-group"));
    group.append(...[...own].map((bit) => tinted(bit, at)));
    slots.append(...[...fixed].map((bit) => make("i", "fixed", bit)));
    for (const bit of own) {
      const slot = slots.appendChild(tinted(bit, at));
      slot.classList.add("falls");
      slot.style.animationDelay = `${(delay += 60)}ms`;
    }
    slots.append(make("span", "bit-hex", byte.toString(16).toUpperCase().padStart(2, "0")));
  });
  const heads = [room.label("letter_2_encoding"), room.label("letter_2_bytes"), room.label("letter_2_hex")];
  room.table(heads, encodings(letter).map(({ name, bytes: count, hex }) => [name, count, make("code", "", hex)]));
}

/** @param {string} bit @param {number} at */
function tinted(bit, at) {
  const element = make("i", "", bit);
  element.style.backgroundColor = `var(--t${2 * at})`;
  return element;
}

/** @param {Room} room */
function alone(room) {
  const [character, nothing, sign] = ["letter_3_character", "letter_3_nothing", "letter_3_sign"].map((key) => room.label(key));
  room.ask(room.label("letter_3_ask"), [character, nothing, sign], sign, () => {
    const row = room.add("div", "write");
    const field = room.field(row, room.label("letter_3_field"), HALVES[0], 40);
    const out = room.add("div", "decoded");
    out.setAttribute("role", "status");
    const draw = () => {
      const bytes = bytesTyped(field.value);
      const parts = bytes ? partsOf(bytes) : [];
      out.replaceChildren(...parts.flatMap(runsOf).map(({ text, hex }) => decoded(room, text, hex)));
      if (!bytes) out.append(make("span", "", room.label("letter_3_no_bytes")));
    };
    field.oninput = draw;
    for (const half of HALVES) {
      addButton(row, half, () => {
        field.value = half;
        draw();
      }).className = "quiet";
    }
    draw();
  });
}

/** Each byte that UTF-8 never uses apart from what can be a part of a character. @param {{ text?: string, hex?: string }} part */
function runsOf(part) {
  const runs = part.hex?.split(UNUSED).map((hex) => ({ text: undefined, hex: hex.trim() }));
  return runs?.filter(({ hex }) => hex) ?? [part];
}

/** @param {Room} room @param {string | undefined} text @param {string | undefined} hex */
function decoded(room, text, hex) {
  const card = make("span", "result");
  card.append(make("b", "", text === undefined ? "�" : seen(text)), make("small", "", hex ?? hexOf(new TextEncoder().encode(text))));
  if (hex) card.append(make("small", "", UNUSED.test(hex) ? room.label("letter_3_unused") : room.label("letter_3_half")));
  return card;
}

/** Two halves of a letter, to be joined by dragging, or by pressing one and then the other. @param {Room} room */
function halves(room) {
  room.lesson.showNext(false, room.label("wait_parts"), () => join(0, 1));
  const letter = longOne(room.word) ?? "ก";
  const bytes = new TextEncoder().encode(letter);
  const parts = [bytes.subarray(0, bytes.length - 1), bytes.subarray(bytes.length - 1)];
  const row = room.add("div", "halves");
  const said = room.add("p", "verdict");
  said.setAttribute("role", "status");
  /** @type {number | null} */
  let taken = null;
  const join = (/** @type {number} */ first, /** @type {number} */ second) => {
    taken = null;
    const isWhole = first === 0 && second === 1;
    if (isWhole) {
      row.replaceChildren(make("b", "whole", seen(letter)));
      room.lesson.showNext(true);
      addButton(row, room.label("again"), draw).className = "quiet";
    } else draw();
    said.textContent = wordsOf(hexOf(parts[first]), hexOf(parts[second]), isWhole);
  };
  const wordsOf = (/** @type {string} */ first, /** @type {string} */ second, /** @type {boolean} */ isWhole) => {
    return isWhole ? room.label("letter_4_whole", { first, second, letter }) : room.label("letter_4_turned", { first, second });
  };
  const draw = () => {
    row.replaceChildren();
    for (const at of [1, 0]) {
      const button = addButton(row, "", () => (taken === null || taken === at ? take(at) : join(taken, at)));
      button.className = "half";
      button.draggable = true;
      button.append(make("b", "", "�"), make("small", "", hexOf(parts[at])));
      button.setAttribute("aria-pressed", "false");
      dragBetween(button, () => take(at), () => taken !== null && taken !== at && join(taken, at));
    }
    const take = (/** @type {number} */ at) => {
      taken = taken === at ? null : at;
      [...row.children].forEach((each, place) => each.setAttribute("aria-pressed", String(taken === 1 - place)));
    };
  };
  draw();
}

/** @param {HTMLElement} element @param {() => void} start @param {() => void} drop */
function dragBetween(element, start, drop) {
  element.ondragstart = (event) => {
    event.dataTransfer?.setData("text/plain", element.textContent ?? "");
    if (element.getAttribute("aria-pressed") !== "true") start();
  };
  element.ondragover = (event) => event.preventDefault();
  element.ondrop = (event) => {
    event.preventDefault();
    drop();
  };
}
