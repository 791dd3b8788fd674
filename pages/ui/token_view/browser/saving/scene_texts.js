// The texts of a picture: each line of text where the browser has put it, and unseen characters by their names.
// @ts-check

import { RIGHT_TO_LEFT } from "../model/characters.js";

/** @import { Font, Scene, SceneText } from "../types.d.ts" */

/**
 * Where an element's rectangles are measured from: heads stand above the rows, wherever the text is scrolled to.
 * @param {Scene} scene
 * @param {Element} element
 * @returns {[left: number, top: number]}
 */
export function originFor(scene, element) {
  return [scene.left, scene.heads.contains(element) ? scene.headsTop : scene.top];
}

/**
 * Add every text under an element, by lines.
 * @param {Scene} scene
 * @param {Element} root
 */
export function addTexts(scene, root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof HTMLElement) addName(scene, node);
    else if (node instanceof Text && node.data.trim()) addLines(scene, node);
  }
}

/**
 * Add an unseen character by its name.
 * @param {Scene} scene
 * @param {HTMLElement} element
 */
function addName(scene, element) {
  const place = element.matches(".g") && !element.closest(".r") && element.getClientRects()[0];
  const parent = element.parentElement;
  if (!place || !parent) return;
  const [left, top] = originFor(scene, element);
  const font = fontOf(parent);
  const isOver = element.matches(".over");
  const x = place.left - left + (isOver ? place.width / 2 : 0);
  const y = baseline(scene, parent, letterRect(parent) ?? place) - top;
  const size = isOver ? font.size : font.size * 0.75;
  const anchor = isOver ? "middle" : "start";
  addWords(scene, element.dataset.g ?? "", x, y, { ...font, size, opacity: 0.6, anchor });
}

/**
 * @param {Scene} scene
 * @param {Text} node
 */
function addLines(scene, node) {
  const parent = node.parentElement;
  if (!parent || parent.closest(".r, .g")) return;
  const font = fontOf(parent);
  if (!font.size || getComputedStyle(parent).visibility === "hidden") return;
  const [left, top] = originFor(scene, parent);
  const bottom = parent.closest(".gutter")?.getBoundingClientRect().bottom ?? Infinity;
  for (const { text, place } of linesOf(node)) {
    if (place.top >= bottom) continue; // the gutter cuts off names beside lines that are not there
    const y = baseline(scene, parent, place) - top;
    const rtl = RIGHT_TO_LEFT.test(text);
    addWords(scene, text, place.left - left, y, { ...font, width: place.width, rtl });
  }
}

/**
 * The lines of a text node and where they are.
 * @param {Text} node
 */
function linesOf(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rects = [...range.getClientRects()].filter((rect) => rect.width);
  if (!rects.length) return [];
  const isOneLine = rects.every((rect) => Math.abs(rect.top - rects[0].top) < 2);
  if (isOneLine) return [{ text: node.data, place: range.getBoundingClientRect() }];
  return lineBounds(node, range).map(({ from, to }) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return { text: node.data.slice(from, to), place: range.getBoundingClientRect() };
  });
}

/**
 * Where the lines of a text node start and end, found cluster by cluster.
 * @param {Text} node
 * @param {Range} range
 */
function lineBounds(node, range) {
  /** @type {{ from: number, to: number, top: number }[]} */
  const lines = [];
  for (const { index, segment } of new Intl.Segmenter("th", { granularity: "grapheme" }).segment(node.data)) {
    const to = index + segment.length;
    range.setStart(node, index);
    range.setEnd(node, to);
    const { top } = range.getBoundingClientRect();
    const line = lines.at(-1);
    if (line && Math.abs(line.top - top) < 2) line.to = to;
    else lines.push({ from: index, to, top });
  }
  return lines;
}

/**
 * @param {Element} element
 * @returns {Font}
 */
export function fontOf(element) {
  const { fontFamily, fontSize, fontWeight, color } = getComputedStyle(element);
  return { family: fontFamily, size: parseFloat(fontSize), weight: fontWeight, fill: color };
}

/**
 * The rectangle of an element's letters, without the room above and below that its colour takes.
 * @param {Element} element
 */
export function letterRect(element) {
  const rect = element.getClientRects()[0];
  const room = parseFloat(getComputedStyle(element).paddingTop) || 0;
  return rect && { top: rect.top + room, height: rect.height - 2 * room };
}

/**
 * Where letters stand. A rectangle of letters is as high as its first font, and they stand at the font's ascent.
 * @param {Scene} scene
 * @param {Element} element
 * @param {{ top: number, height: number }} place
 */
export function baseline(scene, element, place) {
  const { family, size, weight } = fontOf(element);
  scene.measure.font = `${weight} ${size}px ${family}`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = scene.measure.measureText("x");
  return place.top + (place.height * up) / (up + down);
}

/**
 * @param {Scene} scene
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {Font & Partial<SceneText>} font
 */
export function addWords(scene, text, x, y, font) {
  scene.texts.push({ text, x, y, anchor: "start", opacity: 1, width: 0, rtl: false, ...font });
}

/**
 * Letters of Arabic join over the edges of boxes: what stands side by side on a line is written as one text.
 * @param {SceneText[]} texts
 */
export function joinArabic(texts) {
  /** @type {SceneText[]} */
  const joined = [];
  for (const next of texts) {
    const before = joined.at(-1);
    const isNeighbour = before?.rtl && next.rtl && before.y === next.y;
    if (isNeighbour && Math.abs(before.x - next.x - next.width) < 1) {
      before.text += next.text;
      before.width += next.width;
      before.x = next.x;
    } else joined.push(next);
  }
  return joined;
}
