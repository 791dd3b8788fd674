// The sentence as a slide, 16 to 9: a headline, up to three large numbers, the pieces as large as fit, the source.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { sceneAt } from "../../token_view/browser/saving/scene.js";
import { addTexts, addWords, fontOf } from "../../token_view/browser/saving/scene_texts.js";

/** @import { Scene } from "../../token_view/browser/types.d.ts" */
/** @import { Board } from "./board.js" */

const [SLIDE_WIDTH, SLIDE_HEIGHT] = [1920, 1080];
const FREE = 0.6; // pixels between two stripes
const NUMBERS = 3;

/** @typedef {{ title: string, source: string, numbers: [value: string, name: string][] }} SlideWords */

/**
 * What is on the slide, measured on a page of its size that nobody sees.
 * @param {Element} root
 * @param {Board} board
 * @param {SlideWords} words
 * @returns {Scene}
 */
export function slideOf(root, board, { title, source, numbers }) {
  const page = make("div", "slide");
  const figures = make("div", "slide-numbers");
  for (const [value, name] of numbers.slice(0, NUMBERS)) {
    const figure = make("div");
    figure.append(make("b", "", value), make("span", "", name));
    figures.append(figure);
  }
  const sentence = make("div", "slide-board");
  page.append(make("div", "slide-title", title), sentence, figures, make("div", "slide-source", source));
  root.append(page);
  board.copyTo(sentence, SLIDE_WIDTH - 160, 520);
  const scene = sceneOfPage(root, page);
  page.remove();
  return scene;
}

/**
 * @param {Element} root
 * @param {Element} page
 * @returns {Scene}
 */
function sceneOfPage(root, page) {
  // Colours are those of the root; places are counted from the page.
  const scene = { ...sceneAt(root, { width: SLIDE_WIDTH, height: SLIDE_HEIGHT }), ...cornerOf(page) };
  for (const piece of page.querySelectorAll(".piece")) {
    const shared = piece.querySelectorAll(".shared");
    if (shared.length) for (const letters of shared) addSharedLetter(scene, /** @type {HTMLElement} */ (letters));
    else addRect(scene, piece, getComputedStyle(piece).backgroundColor);
  }
  addTexts(scene, page);
  return scene;
}

/** @param {Element} page */
function cornerOf(page) {
  const { left, top } = page.getBoundingClientRect();
  return { left, top, headsTop: top };
}

/**
 * @param {Scene} scene
 * @param {Element} element
 * @param {string} fill
 */
function addRect(scene, element, fill) {
  const { left, top, width, height } = element.getBoundingClientRect();
  scene.rects.push({ x: left - scene.left, y: top - scene.top, width, height, fill, round: 12 });
}

/**
 * A letter that several tokens share, and the number below it.
 * @param {Scene} scene
 * @param {HTMLElement} letters
 */
function addSharedLetter(scene, letters) {
  const { left, top, width, height, bottom } = letters.getBoundingClientRect();
  /** @type {[string, number][]} */
  const stripes = JSON.parse(letters.dataset.stripes ?? "[]");
  const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
  let x = left - scene.left;
  for (const [tint, size] of stripes) {
    const share = (width * size) / whole;
    const place = { x: x + FREE, y: top - scene.top, width: Math.max(0.2, share - 2 * FREE), height };
    scene.rects.push({ ...place, fill: scene.tint(tint), round: 0 });
    x += share;
  }
  if (!letters.dataset.n) return;
  const font = { ...fontOf(letters), size: 20, weight: "600", fill: scene.tint("text") };
  const middle = left - scene.left + width / 2;
  addWords(scene, letters.dataset.n, middle, bottom - scene.top + 18, { ...font, anchor: "middle" });
}
