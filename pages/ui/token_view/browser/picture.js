// Part 6: the view as a picture. What the browser has laid out is read back as rectangles and texts, which are written
// as SVG, or painted for PNG with the fonts of this machine.

import { RIGHT_TO_LEFT, glyphOf } from "./characters.js";
import { make } from "./elements.js";

export const PICTURE_UNITS = 4000; // UTF-16 units of a text that a picture shows: some pages
const PICTURE_SCALE = 2; // pixels of a PNG for each of the page's
const MAX_PIXELS = 12_000; // of a side: above it browsers refuse to paint

// Rectangles and texts of these elements, from the top left corner of the first one.
export function sceneOf(view, rows) {
  const scene = { rects: [], texts: [], ...frameOf(view, rows) };
  if (!view.heads.hidden) addTexts(scene, view.heads);
  for (const row of rows) {
    for (const node of row.element.querySelectorAll(".p")) addBox(scene, node);
    for (const node of row.element.querySelectorAll(".r")) addRuler(scene, node);
    addTexts(scene, row.element);
  }
  scene.texts = scene.texts.reduce(joinArabic, []);
  return scene;
}

function frameOf(view, rows) {
  const [first, final] = [rows[0].element.getBoundingClientRect(), rows.at(-1).element.getBoundingClientRect()];
  const heads = view.heads.getBoundingClientRect();
  const style = getComputedStyle(view.root);
  const margin = 16;
  // The heads stand above the rows, wherever the text is scrolled to.
  const top = heads.height ? heads.height + 8 : 0;
  return {
    margin,
    width: first.width + 2 * margin,
    height: final.bottom - first.top + top + 2 * margin,
    left: first.left - margin,
    top: first.top - top - margin,
    headsTop: heads.top - margin,
    heads: view.heads,
    paper: style.getPropertyValue("--gap"),
    accent: style.getPropertyValue("--accent"),
    tint: (name) => style.getPropertyValue(`--${name}`).trim(),
    canvas: make("canvas").getContext("2d"),
  };
}

// Letters of Arabic join over the edges of boxes: what stands side by side on a line is written as one text.
function joinArabic(texts, next) {
  const before = texts.at(-1);
  if (before?.rtl && next.rtl && before.y === next.y && Math.abs(before.x - next.x - next.width) < 1) {
    before.text += next.text;
    before.width += next.width;
    before.x = next.x;
  } else texts.push(next);
  return texts;
}

function originFor(scene, node) {
  return [scene.left, scene.heads.contains(node) ? scene.headsTop : scene.top];
}

function addBox(scene, node) {
  const { box } = node;
  if (!box || box.kind === "note") return;
  const [left, top] = originFor(scene, node);
  const stripes = box.stripes ?? [[box.tint, 1]];
  const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
  const rects = [...node.getClientRects()].filter((rect) => rect.width);
  rects.forEach((rect, index) => {
    const [x, y] = [rect.left - left, rect.top - top];
    const starts = (box.starts ?? true) && index === 0;
    const ends = (box.ends ?? true) && index === rects.length - 1;
    let at = x;
    stripes.forEach(([tint, size], stripe) => {
      const width = (rect.width * size) / whole;
      // A gap at each boundary; none inside a token, where boxes overlap a little, or a seam would show.
      const [before, after] = [stripe || starts ? 0.6 : 0, stripe < stripes.length - 1 || ends ? 0.6 : -0.5];
      const round = box.kind === "chip" ? 8 : stripes.length === 1 && starts && ends ? 4 : 0;
      scene.rects.push({ x: at + before, y, width: Math.max(0.2, width - before - after), height: rect.height, fill: scene.tint(tint), round });
      at += width;
    });
    if (node.classList.contains("d")) scene.rects.push({ x, y: y + rect.height - 2, width: rect.width, height: 2, fill: scene.tint("differ"), round: 0 });
  });
  if (node.dataset.n && rects.length) {
    const rect = rects[0];
    addWords(scene, node.dataset.n, rect.left - left + rect.width / 2, rect.bottom - top + 8, { ...fontOf(node), size: 9, weight: "600", fill: scene.tint("quiet"), anchor: "middle" });
  }
  if (node.classList.contains("lone") && rects.length) addWords(scene, "\u25cc", rects[0].left - left, baseline(scene, node, letterRect(node)) - top, { ...fontOf(node), opacity: 0.45 });
}

function addRuler(scene, node) {
  const [left, top] = originFor(scene, node);
  const rects = [...node.getClientRects()].filter((rect) => rect.width);
  for (const rect of node.classList.contains("d") ? rects : []) {
    scene.rects.push({ x: rect.left - left, y: rect.top - top + rect.height / 2 + 6, width: rect.width, height: 3, fill: scene.tint("differ"), round: 0 });
  }
  if (node.dataset.n && rects.length) addWords(scene, node.dataset.n, rects[0].left - left + 3, rects[0].top - top + rects[0].height / 2 + 3, { ...fontOf(node), size: 10, fill: scene.tint("quiet") });
}

// Every text under an element, by lines, where the browser put it.
function addTexts(scene, root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.ELEMENT_NODE) addName(scene, node);
    else if (!node.parentElement.closest(".r, .g") && node.data.trim()) addLines(scene, node);
  }
}

// An unseen character by its name.
function addName(scene, node) {
  const rect = node.matches(".g") && !node.closest(".r") && node.getClientRects()[0];
  if (!rect) return;
  const [left, top] = originFor(scene, node);
  const font = fontOf(node.parentElement);
  const over = node.matches(".over");
  const y = baseline(scene, node.parentElement, letterRect(node.parentElement) ?? rect) - top;
  addWords(scene, node.dataset.g, rect.left - left + (over ? rect.width / 2 : 0), y, { ...font, size: over ? font.size : font.size * 0.75, opacity: 0.6, anchor: over ? "middle" : "start" });
}

function addLines(scene, node) {
  const parent = node.parentElement;
  const font = fontOf(parent);
  if (!font.size || font.hidden) return;
  const [left, top] = originFor(scene, parent);
  for (const { text, rect } of linesOf(node)) {
    addWords(scene, text, rect.left - left, baseline(scene, parent, rect) - top, { ...font, width: rect.width, rtl: RIGHT_TO_LEFT.test(text) });
  }
}

// The lines of a text node with the rectangle of each.
function linesOf(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rects = [...range.getClientRects()].filter((rect) => rect.width);
  if (!rects.length) return [];
  if (rects.every((rect) => Math.abs(rect.top - rects[0].top) < 2)) return [{ text: node.data, rect: range.getBoundingClientRect() }];
  const lines = [];
  for (const { index, segment } of new Intl.Segmenter("th", { granularity: "grapheme" }).segment(node.data)) {
    range.setStart(node, index);
    range.setEnd(node, index + segment.length);
    const { top } = range.getBoundingClientRect();
    if (lines.length && Math.abs(lines.at(-1).top - top) < 2) lines.at(-1).to = index + segment.length;
    else lines.push({ from: index, to: index + segment.length, top });
  }
  return lines.map(({ from, to }) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return { text: node.data.slice(from, to), rect: range.getBoundingClientRect() };
  });
}

function fontOf(element) {
  const style = getComputedStyle(element);
  return { family: style.fontFamily, size: parseFloat(style.fontSize), weight: style.fontWeight, fill: style.color, hidden: style.visibility === "hidden" };
}

// The rectangle of an element's letters, without the room above and below that its colour takes.
function letterRect(element) {
  const rect = element.getClientRects()[0];
  const room = parseFloat(getComputedStyle(element).paddingTop) || 0;
  return rect && { top: rect.top + room, height: rect.height - 2 * room };
}

// An inline box is as high as its first font: the letters stand at its ascent.
function baseline(scene, element, rect) {
  const { family, size, weight } = fontOf(element);
  scene.canvas.font = `${weight} ${size}px ${family}`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = scene.canvas.measureText("x");
  return rect.top + (rect.height * up) / (up + down);
}

function addWords(scene, text, x, y, font) {
  scene.texts.push({ text, x, y, anchor: "start", opacity: 1, ...font });
}

// Which part of the text the picture shows, under it.
export function addPart(scene, words) {
  const { family } = fontOf(scene.heads);
  addWords(scene, words, scene.margin, scene.height, { family, size: 12, weight: "400", fill: scene.tint("quiet") });
  scene.height += scene.margin;
}

// ---- as SVG

function escapeXml(text) {
  // Characters that XML cannot hold, in no way at all, are written by their name.
  const safe = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, glyphOf);
  return safe.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export function svgOf(scene, title) {
  const number = (value) => Number(value.toFixed(2));
  const rects = scene.rects.map(({ x, y, width, height, fill, round }) =>
    `<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" rx="${round}" fill="${escapeXml(fill)}"/>`);
  const texts = scene.texts.map(({ text, x, y, family, size, weight, fill, anchor, opacity, width, rtl }) => {
    // Another font elsewhere must not move the letters off their boxes.
    const fit = width ? ` textLength="${number(width)}" lengthAdjust="spacingAndGlyphs"` : "";
    const direction = rtl ? ' direction="rtl"' : "";
    const start = rtl ? x + width : x;
    return `<text x="${number(start)}" y="${number(y)}" font-family="${escapeXml(family)}" font-size="${number(size)}" font-weight="${weight}" fill="${escapeXml(fill)}" text-anchor="${anchor}" opacity="${opacity}"${fit}${direction} xml:space="preserve">${escapeXml(text)}</text>`;
  });
  const [width, height] = [Math.ceil(scene.width), Math.ceil(scene.height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" fill="${escapeXml(scene.paper)}"/>`,
    ...rects,
    ...texts,
    "</svg>\n",
  ].join("\n");
}

// ---- as PNG

export async function pngOf(scene) {
  const scale = Math.min(PICTURE_SCALE, MAX_PIXELS / scene.width, MAX_PIXELS / scene.height);
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [Math.ceil(scene.width * scale), Math.ceil(scene.height * scale)];
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = scene.paper;
  pen.fillRect(0, 0, scene.width, scene.height);
  for (const { x, y, width, height, fill, round } of scene.rects) {
    pen.fillStyle = fill;
    pen.beginPath();
    pen.roundRect(x, y, width, height, round);
    pen.fill();
  }
  for (const { text, x, y, family, size, weight, fill, anchor, opacity, width, rtl } of scene.texts) {
    pen.font = `${weight} ${size}px ${family}`;
    pen.fillStyle = fill;
    pen.globalAlpha = opacity;
    pen.direction = rtl ? "rtl" : "ltr";
    pen.textAlign = anchor === "middle" ? "center" : rtl ? "right" : "left";
    pen.fillText(text, rtl ? x + width : x, y);
  }
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("too large"))), "image/png"));
}
