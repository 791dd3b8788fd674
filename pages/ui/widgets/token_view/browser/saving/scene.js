// The scene of a picture: what the browser has laid out, read back as rectangles and texts.
// @ts-check

import { make } from "../elements.js";
import { RIGHT_TO_LEFT } from "../model/characters.js";

/** @import { Row } from "../boxes/rows.js" */
/** @import { ViewState } from "../state.js" */
/** @import { BoxElement, Font, SceneRect, SceneText, Stripe } from "../types.d.ts" */

const MARGIN = 16; // pixels around all
export const GAP = 0.6; // pixels that a rectangle leaves free at a boundary between tokens
export const OVERLAP = 0.5; // pixels that rectangles inside a token overlap, or a seam would show
const ROUND_OF_CHIP = 8;
const ROUND_OF_BOX = 4;

/** What a picture shows, in pixels of the page. */
export class Scene {
  /**
   * A scene without anything in it, from the top left corner of an element.
   * @param {Element} root
   * @param {{ width: number, height: number }} size
   */
  constructor(root, { width, height }) {
    const style = getComputedStyle(root);
    const { left, top } = root.getBoundingClientRect();
    /** @type {SceneRect[]} */
    this.rects = [];
    /** @type {SceneText[]} */
    this.texts = [];
    this.width = width;
    this.height = height;
    this.left = left;
    this.top = top;
    // Heads stand above the rows, wherever the text is scrolled to.
    this.heads = make("div");
    this.headsTop = top;
    this.paper = style.getPropertyValue("--gap");
    /** The value of a colour of the page by its name. */
    this.tint = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    this.measure = /** @type {CanvasRenderingContext2D} */ (make("canvas").getContext("2d"));
  }

  /**
   * Where an element's rectangles are measured from.
   * @param {Element} element
   */
  originFor(element) {
    return [this.left, this.heads.contains(element) ? this.headsTop : this.top];
  }

  /**
   * @param {{ x: number, y: number, width: number, height: number }} place
   * @param {string} fill
   * @param {number} [round]
   */
  addRect({ x, y, width, height }, fill, round = 0) {
    this.rects.push({ x, y, width, height, fill, round });
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {Font & Partial<SceneText>} font
   */
  addWords(text, x, y, font) {
    this.texts.push({ text, x, y, anchor: "start", opacity: 1, width: 0, rtl: false, ...font });
  }

  // ---- boxes

  /**
   * The boxes and the ruler of a row, without its texts.
   * @param {Row} row
   */
  addRow(row) {
    for (const node of row.element.querySelectorAll(".p")) this.addBox(/** @type {BoxElement} */ (node));
    for (const node of row.element.querySelectorAll(".r")) this.addRuler(/** @type {BoxElement} */ (node));
  }

  /** @param {BoxElement} element */
  addBox(element) {
    const { box, classList } = element;
    if (!box || box.kind === "note") return;
    const [left, top] = this.originFor(element);
    const places = placesOf(element);
    const isChip = box.kind === "chip";
    /** @type {Stripe[]} */
    const stripes = isChip ? [[box.tint, 1]] : box.stripes;
    places.forEach((each, index) => {
      const place = new DOMRect(each.left - left, each.top - top, each.width, each.height);
      const starts = (isChip || box.starts) && index === 0;
      const ends = (isChip || box.ends) && index === places.length - 1;
      const round = isChip ? ROUND_OF_CHIP : stripes.length === 1 && starts && ends ? ROUND_OF_BOX : 0;
      this.addStripes(place, stripes, [starts ? GAP : 0, ends ? GAP : -OVERLAP], round);
      const ink = this.tint(classList.contains("lost") ? "cut2" : "text");
      if (classList.contains("special")) this.addFrame(place, ink, starts, ends);
      if (classList.contains("d")) this.addRect(new DOMRect(place.x, place.bottom - 2, place.width, 2), this.tint("differ-under"));
    });
    if (!places.length) return;
    const [place] = places;
    if (element.dataset.n) {
      const size = parseFloat(getComputedStyle(element, "::after").fontSize);
      const font = { ...fontOf(element), size, weight: "600", fill: this.tint("quiet") };
      const x = place.left - left + place.width / 2;
      this.addWords(element.dataset.n, x, place.bottom - top + 0.85 * size, { ...font, anchor: "middle" });
    }
    if (classList.contains("lone")) {
      const y = this.baseline(element, letterRect(element)) - top;
      this.addWords("\u25cc", place.left - left, y, { ...fontOf(element), opacity: 0.45 });
    }
  }

  /**
   * A stripe for each token, as wide as its share of the bytes.
   * @param {DOMRect} place
   * @param {Stripe[]} stripes
   * @param {[before: number, after: number]} free pixels that they leave free at the ends
   * @param {number} [round]
   */
  addStripes({ x, y, width, height }, stripes, [before, after], round = 0) {
    const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
    const ground = { x: x + before, y, width: Math.max(0.2, width - before - after), height };
    if (stripes.length > 1) this.addRect(ground, this.tint("slit"));
    stripes.forEach(([tint, size], index) => {
      const share = (width * size) / whole;
      const left = index ? GAP : before;
      const right = index < stripes.length - 1 ? GAP : after;
      const inside = Math.max(0.2, share - left - right);
      this.addRect({ x: x + left, y, width: inside, height }, this.tint(tint), round);
      x += share;
    });
  }

  /**
   * The frame of a special or lost token on one line, on the ground of the page.
   * @param {DOMRect} place
   * @param {string} ink
   * @param {boolean} starts whether the token starts here
   * @param {boolean} ends
   */
  addFrame(place, ink, starts, ends) {
    const { x, y, width, height } = place;
    this.addRect(place, this.tint("gap"));
    this.addRect({ x, y, width, height: 2 }, ink);
    this.addRect({ x, y: y + height - 2, width, height: 2 }, ink);
    if (starts) this.addRect({ x, y, width: 2, height }, ink);
    if (ends) this.addRect({ x: x + width - 2, y, width: 2, height }, ink);
  }

  /** @param {BoxElement} element */
  addRuler(element) {
    const [left, top] = this.originFor(element);
    const places = placesOf(element);
    if (element.classList.contains("d")) {
      for (const { left: x, top: y, width, height } of places) {
        this.addRect({ x: x - left, y: y - top + height / 2 + 6, width, height: 3 }, this.tint("differ"));
      }
    }
    if (!element.dataset.n || !places.length) return;
    const [place] = places;
    const font = { ...fontOf(element), size: 10, fill: this.tint("quiet") };
    this.addWords(element.dataset.n, place.left - left + 3, place.top - top + place.height / 2 + 3, font);
  }

  // ---- texts

  /**
   * Every text under an element, by lines, and unseen characters by their names.
   * @param {Element} root
   */
  addTexts(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof HTMLElement) this.addName(node);
      else if (node instanceof Text && node.data.trim()) this.addLines(node);
    }
  }

  /** @param {HTMLElement} element */
  addName(element) {
    const place = element.matches(".g") && !element.closest(".r") && element.getClientRects()[0];
    const parent = element.parentElement;
    if (!place || !parent) return;
    const [left, top] = this.originFor(element);
    const font = fontOf(parent);
    const isOver = element.matches(".over");
    const x = place.left - left + (isOver ? place.width / 2 : 0);
    const y = this.baseline(parent, letterRect(parent) ?? place) - top;
    const size = isOver ? font.size : font.size * 0.75;
    const anchor = isOver ? "middle" : "start";
    this.addWords(element.dataset.g ?? "", x, y, { ...font, size, opacity: 0.6, anchor });
  }

  /** @param {Text} node */
  addLines(node) {
    const parent = node.parentElement;
    if (!parent || parent.closest(".r, .g")) return;
    const font = fontOf(parent);
    if (!font.size || getComputedStyle(parent).visibility === "hidden") return;
    const [left, top] = this.originFor(parent);
    const bottom = parent.closest(".gutter")?.getBoundingClientRect().bottom ?? Infinity;
    for (const { text, place } of linesOf(node)) {
      if (place.top >= bottom) continue; // the gutter cuts off names beside lines that are not there
      const y = this.baseline(parent, place) - top;
      this.addWords(text, place.left - left, y, { ...font, width: place.width, rtl: RIGHT_TO_LEFT.test(text) });
    }
  }

  /**
   * Where letters stand. A rectangle of letters is as high as its first font, and they stand at the font's ascent.
   * @param {Element} element
   * @param {{ top: number, height: number }} place
   */
  baseline(element, place) {
    const { family, size, weight } = fontOf(element);
    this.measure.font = `${weight} ${size}px ${family}`;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.measure.measureText("x");
    return place.top + (place.height * up) / (up + down);
  }

  /** Letters of Arabic join over the edges of boxes: what stands side by side on a line is written as one text. */
  joinArabic() {
    /** @type {SceneText[]} */
    const joined = [];
    for (const next of this.texts) {
      const before = joined.at(-1);
      const isNeighbour = before?.rtl && next.rtl && before.y === next.y;
      if (isNeighbour && Math.abs(before.x - next.x - next.width) < 1) {
        before.text += next.text;
        before.width += next.width;
        before.x = next.x;
      } else joined.push(next);
    }
    this.texts = joined;
  }

  /** @param {string} words */
  addPart(words) {
    const { family } = fontOf(this.heads);
    this.addWords(words, MARGIN, this.height, { family, size: 12, weight: "400", fill: this.tint("quiet") });
    this.height += MARGIN;
  }
}

/**
 * Heads and rows from their top left corner.
 * @param {ViewState} state
 * @param {Row[]} rows
 */
export function sceneOf({ root, heads }, rows) {
  const first = rows[0].element.getBoundingClientRect();
  const final = rows[rows.length - 1].element.getBoundingClientRect();
  const head = heads.getBoundingClientRect();
  const above = head.height ? head.height + 8 : 0;
  const height = final.bottom - first.top + above + 2 * MARGIN;
  const scene = new Scene(root, { width: first.width + 2 * MARGIN, height });
  [scene.left, scene.top] = [first.left - MARGIN, first.top - above - MARGIN];
  [scene.heads, scene.headsTop] = [heads, head.top - MARGIN];
  scene.addTexts(heads);
  for (const row of rows) {
    scene.addRow(row);
    scene.addTexts(row.element);
  }
  scene.joinArabic();
  return scene;
}

/** @param {Element} element */
function placesOf(element) {
  return [...element.getClientRects()].filter((rect) => rect.width);
}

/** @param {Text} node */
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
function letterRect(element) {
  const rect = element.getClientRects()[0];
  const room = parseFloat(getComputedStyle(element).paddingTop) || 0;
  return rect && { top: rect.top + room, height: rect.height - 2 * room };
}
