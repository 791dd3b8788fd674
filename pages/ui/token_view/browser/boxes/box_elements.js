// Boxes as elements. An element is used again for other boxes, so that nothing moves where only colours change.
// @ts-check

import { MARK, RIGHT_TO_LEFT } from "../model/characters.js";
import { make } from "../elements.js";
import { fillReading, fillToken } from "./named_text.js";
import { cutLevel } from "../model/tints.js";

/** @import { Box, ChipBox, NoteBox, ReadingBox, RulerBox } from "../types.d.ts" */
/** @import { BoxElement, Cell, Choice, Lane, Model, Stripe } from "../types.d.ts" */

/**
 * Give a cell an element for each of its boxes.
 * @param {Cell} cell
 * @param {Model} model
 * @param {Choice} choice
 */
export function patchCell(cell, model, choice) {
  const { element, boxes } = cell;
  const fresh = document.createDocumentFragment();
  for (let i = 0; i < boxes.length; i++) {
    const node = /** @type {BoxElement} */ (element.childNodes[i] ?? fresh.appendChild(make("span")));
    if (cell.lane) patchBox(node, cell.boxes[i], cell.lane, model, choice);
    else patchRuler(node, cell.boxes[i], model, choice.whiteSpace);
  }
  element.append(fresh);
  while (element.childNodes.length > boxes.length) element.lastChild?.remove();
  if (!cell.lane) element.setAttribute("aria-hidden", "true");
}

/**
 * @param {BoxElement} node
 * @param {Box} box
 * @param {Lane} lane
 * @param {Model} model
 * @param {Choice} choice
 */
function patchBox(node, box, lane, model, { whiteSpace, marks }) {
  if (box.kind === "note") patchNote(node, box);
  else if (box.kind === "chip") patchChip(node, box, lane, marks);
  else patchReading(node, box, model, whiteSpace, marks);
  node.classList.toggle("special", box.count === 1 && lane.isSpecial(box.first));
  node.lane = lane;
  node.box = box;
}

/**
 * @param {BoxElement} node
 * @param {RulerBox} box
 * @param {Model} model
 * @param {boolean} whiteSpace
 */
function patchRuler(node, box, model, whiteSpace) {
  patchText(node, box, model, whiteSpace);
  const differs = box.differs && model.options.toolbar === "full";
  node.className = `r${differs ? " d" : ""}${box.isEndless ? " more" : ""}${MARK.test(box.text) ? " lone" : ""}`;
  patchNumber(node, box.number, model);
}

/**
 * @param {BoxElement} node
 * @param {NoteBox} box
 */
function patchNote(node, box) {
  node.className = "note";
  node.style.cssText = "";
  node.textContent = box.note;
  node.shownText = node.shownStyle = null;
}

/**
 * @param {BoxElement} node
 * @param {ChipBox} box
 * @param {Lane} lane
 * @param {boolean} marks
 */
function patchChip(node, box, lane, marks) {
  const cut = cutLevel(box.tint);
  node.className = `p${marks && box.differs ? " d" : ""}${cut ? ` cut${cut}` : ""}${box.tint === "gap" ? " gap" : ""}`;
  delete node.dataset.n;
  node.style.cssText = `background-color: var(--${box.tint})`;
  fillToken(node, lane, box.token);
  node.shownText = node.shownStyle = null;
}

/**
 * @param {BoxElement} node
 * @param {ReadingBox} box
 * @param {Model} model
 * @param {boolean} whiteSpace
 * @param {boolean} marks
 */
function patchReading(node, box, model, whiteSpace, marks) {
  patchText(node, box, model, whiteSpace);
  const name = readingClass(box, marks);
  const style = tintStyle(box);
  if (node.className !== name) node.className = name;
  if (node.shownStyle !== style) node.style.cssText = style;
  node.shownStyle = style;
  patchNumber(node, box.count > 1 ? box.count : null, model);
}

/**
 * @param {BoxElement} node
 * @param {{ text: string, isEndless: boolean }} box
 * @param {Model} model
 * @param {boolean} whiteSpace
 */
function patchText(node, box, model, whiteSpace) {
  const shown = box.text + (whiteSpace ? "\u0001" : "");
  if (node.shownText !== shown) fillReading(node, box, model, whiteSpace);
  node.shownText = shown;
}

/**
 * @param {BoxElement} node
 * @param {number | null} number
 * @param {Model} model
 */
function patchNumber(node, number, model) {
  if (number) node.dataset.n = number.toLocaleString(model.locale);
  else delete node.dataset.n;
}

/**
 * @param {ReadingBox} box
 * @param {boolean} marks
 */
function readingClass(box, marks) {
  const classes = ["p"];
  if (box.starts) classes.push("s");
  if (box.ends) classes.push("e");
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

/**
 * One flat tint, or a stripe for each token, as wide as its share of the bytes, with a hairline between.
 * @param {{ stripes: Stripe[], text: string }} box
 */
export function tintStyle({ stripes, text }) {
  const ground = `background-color: var(--${stripes[0][0]})`;
  if (stripes.length === 1) return ground;
  const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
  const half = halfHairline(stripes.map(([tint]) => tint));
  let at = 0;
  const stops = stripes.flatMap(([tint, size], index) => {
    const from = `${((100 * at) / whole).toFixed(2)}%`;
    at += size;
    const to = `${((100 * at) / whole).toFixed(2)}%`;
    const [isFirst, isLast] = [index === 0 || !half, index === stripes.length - 1 || !half];
    const [inner, outer] = [`calc(${from} + ${half}px)`, `calc(${to} - ${half}px)`];
    const before = isFirst ? [] : [`var(--gap) ${from} ${inner}`];
    const after = isLast ? [] : [`var(--gap) ${outer} ${to}`];
    return [...before, `var(--${tint}) ${isFirst ? from : inner} ${isLast ? to : outer}`, ...after];
  });
  const side = RIGHT_TO_LEFT.test(text) ? "left" : "right";
  return `${ground}; background-image: linear-gradient(to ${side}, ${stops.join(", ")})`;
}

/**
 * Half the width of the line between two stripes, in pixels. Many stripes leave no room for lines; the count below
 * the cluster says how many there are.
 * @param {string[]} tints
 */
function halfHairline(tints) {
  if (tints.length > 8) return 0;
  if (tints.length > 4) return 0.4;
  const areAlike = tints.some((tint, index) => index > 0 && tint === tints[index - 1]); // by branch they may be
  return areAlike ? 1.25 : 0.75;
}
