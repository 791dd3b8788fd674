// What a screen of a lesson is made with: words, a question to guess, tokens as chips, and a text of one's own.
// @ts-check

import { PlacedText } from "../../widgets/player/browser/sentence.js";
import { addButton, make } from "../../widgets/token_view/browser/elements.js";
import { UNSEEN, glyphOf, isWhiteOrUnseen, onCircle, partsOf } from "../../widgets/token_view/browser/model/characters.js";
import { tintOfBytes, tintStyle } from "../../widgets/token_view/browser/model/tints.js";
import { plainWords } from "../../widgets/token_view/browser/words.js";
import { lettersOf } from "./code_units.js";

/** @import { Label } from "../../widgets/token_view/browser/types.d.ts" */
/** @import { Ranked } from "./merges.js" */
/** @import { LearnOptions } from "./types.d.ts" */

/** A token of a space and a word; Thai words have no spaces before them, and long ones must be able to break. */
const WORD_AFTER_SPACE = /^ [^\s\u0e00-\u0e7f]{1,16}$/;

/** What lasts from lesson to lesson, kept in this browser. */
export class Kept {
  /** @param {LearnOptions} options */
  constructor(options) {
    /** @type {{ text: string, word: string, done: string[] }} */
    this.values = { text: options.text, word: options.word, done: [] };
    try {
      const kept = JSON.parse(localStorage.getItem("learn") ?? "{}");
      for (const name of /** @type {const} */ (["text", "word"])) {
        if (typeof kept[name] === "string" && kept[name].trim()) this.values[name] = kept[name];
      }
      if (Array.isArray(kept.done)) this.values.done = kept.done.map(String);
    } catch { /* nothing was kept, or this browser keeps nothing */ }
    this.first = { text: options.text, word: options.word };
  }

  keep() {
    const { text, word, done } = this.values;
    const own = { text: text === this.first.text ? "" : text, word: word === this.first.word ? "" : word };
    try {
      localStorage.setItem("learn", JSON.stringify({ ...own, done }));
    } catch { /* this browser keeps nothing */ }
  }

  /** @param {string} lesson */
  finish(lesson) {
    if (!this.values.done.includes(lesson)) this.values.done.push(lesson);
    this.keep();
  }
}

/** One screen of a lesson. */
export class Room {
  /**
   * @param {{ options: LearnOptions, label: Label, kept: Kept, tokenizers: Record<string, Ranked>, guesses: Map<string, string>, showNext: (isShown: boolean, first?: string, reveal?: () => void) => void, fit: () => void, offer: (words?: string, step?: (() => void) | null) => void }} lesson
   * @param {string} name of the screen, such as "letter_1"
   */
  constructor(lesson, name) {
    this.lesson = lesson;
    this.name = name;
    this.label = lesson.label;
    this.element = make("div", "screen");
    /** @type {HTMLElement} where what is added stands */
    this.place = this.element;
  }

  get gpt2() {
    return this.lesson.tokenizers.gpt2;
  }

  get text() {
    return this.lesson.kept.values.text;
  }

  get word() {
    return this.lesson.kept.values.word;
  }

  /** A text of the catalogue that is not read but used. @param {string} key @param {Record<string, unknown>} [values] */
  plain(key, values) {
    return plainWords(this.label(key, values));
  }

  /** @param {number} value */
  number(value) {
    return value.toLocaleString(this.lesson.options.locale);
  }

  /** An element at the end of the place. @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} [className] @param {string} [text] */
  add(tag, className, text) {
    return this.place.appendChild(make(tag, className, text));
  }

  /**
   * A text that visitors write; what depends on it is drawn again with each letter. An example takes its place only on
   * this screen, and on all of them as long as nothing of one's own is there; pressed again, it gives that back.
   * @param {"text" | "word"} which
   * @param {(text: string) => void} draw
   * @param {string[]} [examples]
   */
  write(which, draw, examples = []) {
    const { kept } = this.lesson;
    const row = this.add("div", "write");
    const field = this.field(row, this.label(`own_${which}`), kept.values[which], which === "word" ? 12 : 80);
    const outer = this.place;
    const below = this.add("div", "below");
    const drawAgain = (/** @type {string} */ text) => {
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === text));
      below.replaceChildren();
      this.place = below;
      draw(text);
      this.place = outer;
    };
    field.oninput = () => {
      kept.values[which] = field.value.trim() ? field.value : kept.first[which];
      kept.keep();
      drawAgain(kept.values[which]);
    };
    const buttons = examples.map(plainWords).map((example) => {
      const button = addButton(row, example, () => {
        if (kept.values[which] === kept.first[which]) kept.values[which] = kept.first[which] = example;
        field.value = field.value === example ? kept.values[which] : example;
        drawAgain(field.value);
      });
      button.className = "quiet";
      return button;
    });
    drawAgain(kept.values[which]);
  }

  /** @param {HTMLElement} row @param {string} name @param {string} value @param {number} most characters */
  field(row, name, value, most) {
    const holder = row.appendChild(make("label", "field"));
    holder.append(make("span", "", name));
    const field = holder.appendChild(make("input"));
    field.value = plainWords(value);
    field.maxLength = most;
    field.autocomplete = "off";
    field.spellcheck = false;
    return field;
  }

  /**
   * Ask, and show what follows once somebody has guessed. The way on opens with the answer.
   * @param {string} question
   * @param {(string | number)[]} choices
   * @param {string | number} right
   * @param {() => void} reveal
   */
  ask(question, choices, right, reveal) {
    const { guesses } = this.lesson;
    const key = `${this.name} ${question}`;
    const said = (/** @type {string | number} */ choice) => (typeof choice === "number" ? this.number(choice) : choice);
    const pair = this.add("div", "asked");
    const box = pair.appendChild(make("div", "ask"));
    box.setAttribute("role", "group");
    box.append(make("p", "question", question));
    box.setAttribute("aria-label", plainWords(question));
    const row = box.appendChild(make("div", "choices"));
    const verdict = box.appendChild(make("p", "verdict"));
    verdict.setAttribute("role", "status");
    const below = pair.appendChild(make("div", "below"));
    const outer = this.place;
    const show = (/** @type {string} */ guess, isPressed = true) => {
      guesses.set(key, guess);
      for (const [at, button] of buttons.entries()) {
        const isRight = choices[at] === right;
        button.setAttribute("aria-pressed", String(button.dataset.choice === guess));
        button.textContent = `${isRight ? "✓ " : button.dataset.choice === guess ? "✗ " : ""}${said(choices[at])}`;
        button.classList.toggle("right", isRight);
        button.classList.toggle("wrong", !isRight);
      }
      skip.hidden = true;
      const truth = said(right);
      verdict.textContent = guess === truth ? this.label("right", { truth }) : guess ? this.label("wrong", { guess, truth }) : this.label("truth", { truth });
      below.replaceChildren();
      this.place = below;
      reveal();
      this.place = outer;
      this.lesson.showNext(true);
      if (!isPressed) return;
      this.lesson.fit();
      below.scrollIntoView({ block: "nearest" });
      box.scrollIntoView({ block: "nearest" }); // the question stays in sight
      this.hideCutHeading(parseFloat(getComputedStyle(box).scrollMarginTop));
    };
    const buttons = choices.map((choice) => {
      const button = addButton(row, said(choice), () => show(said(choice)));
      button.dataset.choice = said(choice);
      button.setAttribute("aria-pressed", "false");
      return button;
    });
    const skip = addButton(row, this.label("show"), () => show(""));
    skip.className = "quiet";
    if (guesses.has(key)) show(/** @type {string} */ (guesses.get(key)), false);
    else this.lesson.showNext(this.isOpen, undefined, () => show(""));
  }

  /** Whether the way on stays open: for a reader who has answered here, and asks of another word. A room sees the answer first. */
  get isOpen() {
    const { guesses, options } = this.lesson;
    return !options.presents && [...guesses.keys()].some((key) => key.startsWith(`${this.name} `));
  }

  /** Scroll a heading away that the header of the page covers in part. @param {number} edge the lower end of that header */
  hideCutHeading(edge) {
    const heading = /** @type {HTMLElement} */ (this.element.querySelector("h2"));
    const { top, bottom } = heading.getBoundingClientRect();
    if (top < edge && bottom > 0.7 * edge) heading.nextElementSibling?.scrollIntoView({ block: "start" });
  }

  /** @param {string} words @param {string} [className] */
  say(words, className = "") {
    const line = this.add("p", className);
    words.split("**").forEach((part, at) => line.append(at % 2 ? make("b", "", part) : part));
    return line;
  }

  /**
   * Tokens as chips, one for each, with space between: a token has one tint in all rows.
   * @param {Uint8Array[]} tokens
   * @param {{ name?: string, under?: (string | number)[], parent?: Element, tag?: "span" | "button", tints?: (number | undefined)[] }} [more]
   */
  chips(tokens, { name = "", under, parent = this.place, tag = "span", tints } = {}) {
    const box = parent.appendChild(make("div", "chips"));
    const cell = box.appendChild(make("div", "cell"));
    if (name) {
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", plainWords(name));
    }
    return tokens.map((bytes, at) => {
      const holder = cell.appendChild(make("span", "token"));
      const chip = holder.appendChild(this.chip(tag, bytes, tints?.[at] ?? this.tint(bytes)));
      if (under) holder.append(make("small", "", String(under[at])));
      return chip;
    });
  }

  /** A tint for each id, the same wherever it stands, in the order in which they are known; none where no tint is left. @param {number[]} known @param {number[]} ids */
  tintsInOrder(known, ids) {
    const { tints } = this.lesson.options;
    return ids.map((id) => {
      const at = known.indexOf(id);
      return at >= 0 && at < tints ? at : undefined;
    });
  }

  /** What the digits of a byte are, where one stands alone in a tile: they look like the id below it. @param {Uint8Array[]} tokens */
  sayBytes(tokens) {
    if (tokens.some((bytes) => partsOf(bytes).some(({ hex }) => hex))) this.say(this.label("hex_tiles"), "quiet-words");
  }

  /** The tint of a token; neighbours that touch differ. @param {Uint8Array} bytes @param {number} [before] */
  tint(bytes, before = -1) {
    const { tints } = this.lesson.options;
    const own = tintOfBytes(bytes, tints);
    return own === before ? (own + 3) % tints : own;
  }

  /** @param {"span" | "button"} tag @param {Uint8Array} bytes @param {number} tint */
  chip(tag, bytes, tint) {
    const chip = make(tag, "p");
    if (chip instanceof HTMLButtonElement) chip.type = "button";
    chip.style.backgroundColor = `var(--t${tint})`;
    for (const { text, hex } of partsOf(bytes)) {
      if (hex) chip.append(make("span", "x", hex));
      else chip.append(make("span", "w", seen(text ?? "")));
    }
    return chip;
  }

  /**
   * A text as it reads, coloured by its tokens: a letter that several tokens share has a stripe for each.
   * @param {string} text
   * @param {Uint8Array[]} tokens
   */
  reading(text, tokens) {
    const clusters = [];
    let [at, before] = [0, -1];
    for (const letter of lettersOf(text)) {
      clusters.push(at);
      at += new TextEncoder().encode(letter).length;
    }
    const placed = new PlacedText(text, clusters);
    at = 0;
    const cuts = tokens.map((bytes) => ({ from: at, to: (at += bytes.length) }));
    const cell = this.add("div", "cell reading");
    cell.style.setProperty("--letters", String(clusters.length));
    for (const piece of placed.piecesOf(cuts)) {
      const stripes = piece.tokens.map(({ from, to }) => {
        before = this.tint(placed.bytes.subarray(from, to), before);
        return /** @type {[string, number]} */ ([`t${before}`, to - from]);
      });
      const hasSpaceFirst = WORD_AFTER_SPACE.test(piece.text);
      if (hasSpaceFirst) cell.append(make("wbr")); // the line breaks before the space, which would look like a token
      const box = cell.appendChild(make("span", piece.tokens.length > 1 ? "p s e n" : "p s e", UNSEEN.test(piece.text) ? seen(piece.text) : piece.text));
      box.style.cssText = tintStyle({ stripes, text: piece.text });
      box.classList.toggle("word", hasSpaceFirst);
      if (piece.tokens.length > 1) box.dataset.n = String(piece.tokens.length);
    }
    return cell;
  }

  /**
   * A table; the first cell of a row is its head.
   * @param {string[]} heads
   * @param {(string | number | Node)[][]} rows
   */
  table(heads, rows) {
    const scroll = this.add("div", "scroll");
    const table = scroll.appendChild(make("table"));
    const head = table.createTHead().insertRow();
    for (const name of heads) head.appendChild(make("th", "", name)).scope = "col";
    const body = table.createTBody();
    for (const cells of rows) {
      const row = body.insertRow();
      cells.forEach((cell, at) => {
        const holder = row.appendChild(make(at ? "td" : "th"));
        if (holder instanceof HTMLTableCellElement && !at) holder.scope = "row";
        holder.append(typeof cell === "number" ? this.number(cell) : cell);
      });
    }
    return table;
  }

  /** Bars that compare counts. @param {[string, number][]} rows @param {number} [marked] the place of the one that is meant */
  bars(rows, marked = 0) {
    const most = Math.max(1, ...rows.map(([, count]) => count));
    const list = this.add("ul", "bars");
    for (const [at, [name, count]] of rows.entries()) {
      const line = list.appendChild(make("li", at === marked ? "marked" : ""));
      line.append(make("span", "", name), make("b", "", this.number(count)));
      const bar = line.appendChild(make("i"));
      bar.style.width = `${(100 * count) / most}%`;
    }
  }

  /**
   * Choices of which one holds. Returns what takes one of them.
   * @template {string} Choice
   * @param {string} name
   * @param {[Choice, string][]} choices
   * @param {(choice: Choice) => void} draw
   * @returns {(chosen: number) => void}
   */
  choose(name, choices, draw, at = 0) {
    const row = this.add("div", "switch");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", plainWords(name));
    const below = this.add("div", "below");
    const outer = this.place;
    const take = (/** @type {number} */ chosen) => {
      buttons.forEach((button, number) => button.setAttribute("aria-pressed", String(number === chosen)));
      below.replaceChildren();
      this.place = below;
      draw(choices[chosen][0]);
      this.place = outer;
    };
    const buttons = choices.map(([, words], number) => addButton(row, words, () => take(number)));
    take(at);
    return take;
  }
}

/** A text as it is drawn: what nobody sees has a sign, and a mark without a letter stands on a circle. @param {string} text */
export function seen(text) {
  return onCircle(Array.from(text, (character) => (isWhiteOrUnseen(character) ? glyphOf(character) : character)).join(""));
}
