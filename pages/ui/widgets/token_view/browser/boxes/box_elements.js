// Boxes as elements. An element is used again for other boxes, so that nothing moves where only colours change.
// @ts-check

import { make } from "../elements.js";
import { JOINING, MARK, RIGHT_TO_LEFT, UNSEEN, WHITE, glyphOf, isWhiteOrUnseen, onCircle, partsOf } from "../model/characters.js";
import { MAX_LETTERS } from "../model/model.js";
import { cutLevel, tintStyle } from "../model/tints.js";

/** @import { Box, BoxElement, Cell, ChipBox, Choice, Lane, Model, ReadingBox, RulerBox } from "../types.d.ts" */

/**
 * Give a cell an element for each of its boxes.
 * @param {Cell} cell
 * @param {Model} model
 * @param {Choice} choice
 */
export function patchCell(cell, model, choice) {
  const { element, boxes } = cell;
  const patch = new Patch(model, choice);
  const fresh = document.createDocumentFragment();
  for (let i = 0; i < boxes.length; i++) {
    const node = /** @type {BoxElement} */ (element.childNodes[i] ?? fresh.appendChild(make("span")));
    if (cell.lane) patch.box(node, cell.boxes[i], cell.lane, cell.boxes[i + 1]);
    else patch.ruler(node, cell.boxes[i], cell.boxes[i + 1]);
  }
  element.append(fresh);
  while (element.childNodes.length > boxes.length) element.lastChild?.remove();
  if (!cell.lane) element.setAttribute("aria-hidden", "true");
}

/** Makes elements show other boxes. */
class Patch {
  /**
   * @param {Model} model
   * @param {Choice} choice
   */
  constructor(model, { white_space: whiteSpace, marks }) {
    this.model = model;
    this.whiteSpace = whiteSpace;
    this.marks = marks;
  }

  /**
   * @param {BoxElement} node
   * @param {Box} box
   * @param {Lane} lane
   * @param {Box} [next]
   */
  box(node, box, lane, next) {
    if (box.kind === "reading") this.reading(node, box, next?.kind === "reading" ? next : undefined);
    else {
      node.className = box.kind === "note" ? "note" : this.chipClass(box);
      node.style.cssText = box.kind === "note" ? "" : `background-color: var(--${box.tint})`;
      if (box.kind === "note") node.textContent = box.note;
      else fillToken(node, lane, box.token);
      delete node.dataset.n;
      node.shownText = node.shownStyle = null;
    }
    const isLost = box.count === 1 && lane.isLost(box.first);
    node.classList.toggle("special", isLost || (box.count === 1 && lane.isSpecial(box.first)));
    node.classList.toggle("lost", isLost);
    node.lane = lane;
    node.box = box;
  }

  /**
   * @param {BoxElement} node
   * @param {RulerBox} box
   * @param {RulerBox} [next]
   */
  ruler(node, box, next) {
    this.text(node, box, next);
    const marked = this.marks && box.differs ? (box.isCurrent ? " d now" : " d") : "";
    node.className = `r${marked}${box.isEndless ? " more" : ""}${MARK.test(box.text) ? " lone" : ""}`;
    this.number(node, box.number);
  }

  /**
   * @param {BoxElement} node
   * @param {ReadingBox} box
   * @param {ReadingBox} [next]
   */
  reading(node, box, next) {
    this.text(node, box, next);
    const name = readingClass(box, this.marks);
    const style = tintStyle(box);
    if (node.className !== name) node.className = name;
    if (node.shownStyle !== style) node.style.cssText = style;
    node.shownStyle = style;
    this.number(node, box.count > 1 ? box.count : null);
  }

  /** @param {ChipBox} box */
  chipClass({ tint, differs }) {
    const cut = cutLevel(tint);
    return `p${this.marks && differs ? " d" : ""}${cut ? ` cut${cut}` : ""}${tint === "gap" ? " gap" : ""}`;
  }

  /**
   * Show the text of a box. An endless cluster is cut for the eye, and says so. The cut depends on the text alone,
   * so that all lanes break their lines alike: before a space, which most often belongs to the token after it.
   * @param {BoxElement} node
   * @param {{ text: string, isEndless: boolean }} box
   * @param {{ text: string }} [next]
   */
  text(node, { text, isEndless }, next) {
    const mayEnd = SPACE.test(next?.text ?? "");
    const key = text + (this.whiteSpace ? "\u0001" : "") + (mayEnd ? "\u0002" : "");
    if (node.shownText === key) return;
    node.shownText = key;
    const shown = isEndless ? text.slice(0, MAX_LETTERS) : text;
    node.replaceChildren();
    if (UNSEEN.test(shown) || shown.includes(" ") || (this.whiteSpace && WHITE.test(shown))) addText(node, shown, this.whiteSpace);
    else node.textContent = shown;
    if (mayEnd) node.append(make("wbr"));
    const count = text.length - shown.length;
    if (isEndless) node.dataset.more = this.model.label("more_characters", { count });
    else delete node.dataset.more;
  }

  /**
   * @param {BoxElement} node
   * @param {number | null} number
   */
  number(node, number) {
    if (number) node.dataset.n = number.toLocaleString(this.model.locale);
    else delete node.dataset.n;
  }
}

/**
 * @param {ReadingBox} box
 * @param {boolean} marks
 */
function readingClass(box, marks) {
  const classes = ["p"];
  if (box.starts) classes.push("s");
  if (box.ends) classes.push("e");
  if (LAST_OF_LINE.test(box.text)) classes.push("last");
  if (box.count > 1) classes.push("n");
  if (marks && box.differs) classes.push("d");
  if (RIGHT_TO_LEFT.test(box.text)) classes.push("rtl");
  if (MARK.test(box.text)) classes.push("lone");
  const worst = box.stripes.reduce((level, [tint]) => Math.max(level, cutLevel(tint)), 0);
  if (worst) classes.push(`cut${worst}`);
  if (box.isEndless) classes.push("more");
  if (box.stripes.every(([tint]) => tint === "gap")) classes.push("gap");
  return classes.join(" ");
}

const LAST_OF_LINE = /^[^\n]*\n$/;
const SPACE = /^ (?!\p{M})/u; // a space with a mark is drawn as one letter
const MAX_CHIP_BYTES = 48; // of a token that is shown outside the text
/** @type {Record<string, string>} */
const OVERLAYS = { " ": "·", "\t": "→", "\u00a0": "⍽" };

/**
 * Text with names for what nobody sees. The characters themselves stay, so that a copy is the original.
 * @param {Element} element
 * @param {string} text
 * @param {boolean} whiteSpace
 */
export function addText(element, text, whiteSpace) {
  let at = 0;
  for (const character of text) {
    const isWhite = whiteSpace && WHITE.test(character);
    const isSpace = SPACE.test(text.slice(at, at + 3));
    if (isSpace && at) element.append(make("wbr"));
    if (isWhite || UNSEEN.test(character)) {
      const named = element.appendChild(make("i", isWhite ? "g over" : "g", character));
      named.dataset.g = isWhite ? (OVERLAYS[character] ?? "·") : glyphOf(character);
      named.classList.toggle("space", isSpace);
    } else if (isSpace) element.append(make("i", "space", character));
    else element.append(character);
    at += character.length;
  }
  element.normalize();
}

/**
 * The bytes of a token, as text where they are whole characters.
 * @param {Element} element
 * @param {Uint8Array} bytes
 */
export function fillChip(element, bytes) {
  const parts = partsOf(bytes);
  element.replaceChildren();
  element.classList.toggle("raw", parts.every((part) => part.hex !== undefined));
  for (const part of parts) {
    if (part.hex !== undefined) element.append(make("span", "x", part.hex));
    else addNamed(element, part.text);
  }
}

/**
 * Text of a token that stands alone: every space has a glyph, and a mark stands on a dotted circle.
 * @param {Element} element
 * @param {string} text
 */
export function addNamed(element, text) {
  let plain = "";
  let isBare = true; // nothing visible before: a joiner here needs its name
  const flush = () => {
    if (plain) element.append(make("span", "w", onCircle(plain)));
    plain = "";
  };
  for (const character of text) {
    /** @type {boolean} */
    const isNamed = isWhiteOrUnseen(character) || (isBare && JOINING.test(character));
    if (isNamed) {
      flush();
      element.append(make("i", "glyph", glyphOf(character)));
    } else plain += character;
    isBare = isNamed;
  }
  flush();
}

/**
 * A token as its tokenizer writes it, such as ▁the, ##ing or [UNK]; otherwise its bytes.
 * @param {Element} element
 * @param {Lane} lane
 * @param {number} token
 * @param {number} [most] bytes that are shown
 */
function fillToken(element, lane, token, most) {
  const writing = lane.writingOf(token);
  if (writing === null) return fillChip(element, lane.bytesOf(token).subarray(0, most));
  element.replaceChildren();
  element.classList.remove("raw");
  addNamed(element, writing.slice(0, MAX_CHIP_BYTES));
}

/**
 * A token of a lane as a chip outside the text.
 * @param {Lane} lane
 * @param {number} token
 */
export function tokenChip(lane, token) {
  const chip = make("span", lane.isGap(token) ? "p gap" : "p");
  chip.style.backgroundColor = `var(--${lane.tintOf(token)})`;
  fillToken(chip, lane, token, MAX_CHIP_BYTES);
  if (lane.sizeOf(token) > MAX_CHIP_BYTES) chip.append("…");
  return chip;
}
