// The scene of a picture: what the browser has laid out, read back as rectangles and texts.
// @ts-check

import { make } from "../elements.js";
import { addTexts, addWords, baseline, fontOf, joinArabic, letterRect, originFor } from "./scene_texts.js";

/** @import { Row } from "../boxes/row.js" */
/** @import { ViewState } from "../state.js" */
/** @import { BoxElement, ReadingBox, ChipBox, Scene, Stripe } from "../types.d.ts" */

const MARGIN = 16; // pixels around all
const GAP = 0.6; // pixels that a rectangle leaves free at a boundary between tokens
const OVERLAP = 0.5; // pixels that rectangles inside a token overlap, or a seam would show

/**
 * Heads and rows from their top left corner.
 * @param {ViewState} state
 * @param {Row[]} rows
 */
export function sceneOf(state, rows) {
  const scene = emptyScene(state, rows);
  addTexts(scene, state.heads);
  for (const row of rows) {
    addRow(scene, row);
    addTexts(scene, row.element);
  }
  scene.texts = joinArabic(scene.texts);
  return scene;
}

/**
 * The boxes and the ruler of a row, without its texts.
 * @param {Scene} scene
 * @param {Row} row
 */
export function addRow(scene, row) {
  for (const node of row.element.querySelectorAll(".p")) addBox(scene, /** @type {BoxElement} */ (node));
  for (const node of row.element.querySelectorAll(".r")) addRuler(scene, /** @type {BoxElement} */ (node));
}

/**
 * A scene of this size without anything in it, from the top left corner of an element.
 * @param {Element} root
 * @param {{ width: number, height: number }} size
 * @returns {Scene}
 */
export function sceneAt(root, { width, height }) {
  const style = getComputedStyle(root);
  const { left, top } = root.getBoundingClientRect();
  return {
    rects: [],
    texts: [],
    width,
    height,
    left,
    top,
    headsTop: top,
    heads: make("div"),
    paper: style.getPropertyValue("--gap"),
    tint: (name) => style.getPropertyValue(`--${name}`).trim(),
    measure: /** @type {CanvasRenderingContext2D} */ (make("canvas").getContext("2d")),
  };
}

/**
 * @param {ViewState} state
 * @param {Row[]} rows
 * @returns {Scene}
 */
function emptyScene({ root, heads }, rows) {
  const first = rows[0].element.getBoundingClientRect();
  const final = rows[rows.length - 1].element.getBoundingClientRect();
  const head = heads.getBoundingClientRect();
  const above = head.height ? head.height + 8 : 0;
  const size = { width: first.width + 2 * MARGIN, height: final.bottom - first.top + above + 2 * MARGIN };
  const [left, top] = [first.left - MARGIN, first.top - above - MARGIN];
  return { ...sceneAt(root, size), left, top, headsTop: head.top - MARGIN, heads };
}

/**
 * @param {Scene} scene
 * @param {BoxElement} element
 */
function addBox(scene, element) {
  const { box } = element;
  if (!box || box.kind === "note") return;
  const [left, top] = originFor(scene, element);
  const places = placesOf(element);
  places.forEach(({ left: x, top: y, width, height }, index) => {
    const [isFirst, isLast] = [index === 0, index === places.length - 1];
    addStripes(scene, box, new DOMRect(x - left, y - top, width, height), isFirst, isLast);
    if (element.classList.contains("special")) {
      const isChip = box.kind === "chip";
      const [starts, ends] = [(isChip || box.starts) && isFirst, (isChip || box.ends) && isLast];
      addFrame(scene, new DOMRect(x - left, y - top, width, height), starts, ends);
    }
    if (!element.classList.contains("d")) return;
    const line = { x: x - left, y: y - top + height - 2, width, height: 2 };
    scene.rects.push({ ...line, fill: scene.tint("differ"), round: 0 });
  });
  if (!places.length) return;
  const [place] = places;
  if (element.dataset.n) {
    const size = parseFloat(getComputedStyle(element, "::after").fontSize);
    const font = { ...fontOf(element), size, weight: "600", fill: scene.tint("quiet") };
    const x = place.left - left + place.width / 2;
    addWords(scene, element.dataset.n, x, place.bottom - top + 0.85 * size, { ...font, anchor: "middle" });
  }
  if (element.classList.contains("lone")) {
    const y = baseline(scene, element, letterRect(element)) - top;
    addWords(scene, "\u25cc", place.left - left, y, { ...fontOf(element), opacity: 0.45 });
  }
}

/**
 * The frame of a special token on one line, on the ground of the page.
 * @param {Scene} scene
 * @param {DOMRect} place
 * @param {boolean} starts whether the token starts here
 * @param {boolean} ends
 */
function addFrame(scene, { x, y, width, height }, starts, ends) {
  const [fill, round] = [scene.tint("ink"), 0];
  scene.rects.push({ x, y, width, height, fill: scene.tint("gap"), round });
  scene.rects.push({ x, y, width, height: 2, fill, round }, { x, y: y + height - 2, width, height: 2, fill, round });
  if (starts) scene.rects.push({ x, y, width: 2, height, fill, round });
  if (ends) scene.rects.push({ x: x + width - 2, y, width: 2, height, fill, round });
}

/**
 * The stripes of a box on one line.
 * @param {Scene} scene
 * @param {ReadingBox | ChipBox} box
 * @param {DOMRect} place
 * @param {boolean} isFirst whether the line is the first one of the box
 * @param {boolean} isLast
 */
function addStripes(scene, box, place, isFirst, isLast) {
  const isChip = box.kind === "chip";
  /** @type {Stripe[]} */
  const stripes = isChip ? [[box.tint, 1]] : box.stripes;
  const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
  const starts = (isChip || box.starts) && isFirst;
  const ends = (isChip || box.ends) && isLast;
  const round = isChip ? 8 : stripes.length === 1 && starts && ends ? 4 : 0;
  let at = place.x;
  stripes.forEach(([tint, size], index) => {
    const width = (place.width * size) / whole;
    const before = index || starts ? GAP : 0;
    const after = index < stripes.length - 1 || ends ? GAP : -OVERLAP;
    const { y, height } = place;
    const inside = Math.max(0.2, width - before - after);
    scene.rects.push({ x: at + before, y, width: inside, height, fill: scene.tint(tint), round });
    at += width;
  });
}

/**
 * @param {Scene} scene
 * @param {BoxElement} element
 */
function addRuler(scene, element) {
  const [left, top] = originFor(scene, element);
  const places = placesOf(element);
  const differs = element.classList.contains("d");
  for (const place of differs ? places : []) {
    const [x, y] = [place.left - left, place.top - top + place.height / 2 + 6];
    scene.rects.push({ x, y, width: place.width, height: 3, fill: scene.tint("differ"), round: 0 });
  }
  if (!element.dataset.n || !places.length) return;
  const [place] = places;
  const font = { ...fontOf(element), size: 10, fill: scene.tint("quiet") };
  const y = place.top - top + place.height / 2 + 3;
  addWords(scene, element.dataset.n, place.left - left + 3, y, font);
}

/**
 * Where an element is, line by line.
 * @param {Element} element
 */
function placesOf(element) {
  return [...element.getClientRects()].filter((rect) => rect.width);
}

/**
 * Say under the picture which part of the text it shows.
 * @param {Scene} scene
 * @param {string} words
 */
export function addPart(scene, words) {
  const { family } = fontOf(scene.heads);
  addWords(scene, words, MARGIN, scene.height, { family, size: 12, weight: "400", fill: scene.tint("quiet") });
  scene.height += MARGIN;
}
