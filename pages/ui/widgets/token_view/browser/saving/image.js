// Writes a scene as SVG, and paints it as PNG with the fonts of this machine.
// @ts-check

import { make } from "../elements.js";
import { glyphOf } from "../model/characters.js";

/** @import { Scene } from "./scene.js" */
/** @import { SceneRect, SceneText } from "../types.d.ts" */

/**
 * @param {Scene} scene
 * @param {string} title
 * @param {string} [style] rules of CSS that it brings its fonts with
 */
export function svgOf(scene, title, style = "") {
  const [width, height] = [Math.ceil(scene.width), Math.ceil(scene.height)];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
    `<title>${escapeXml(title)}</title>`,
    ...(style ? [`<style>${escapeXml(style)}</style>`] : []),
    `<rect width="100%" height="100%" fill="${escapeXml(scene.paper)}"/>`,
    ...scene.rects.map(rectOf),
    ...scene.texts.map(textOf),
    "</svg>\n",
  ].join("\n");
}

/** @param {SceneRect} rect */
function rectOf({ x, y, width, height, fill, round }) {
  return `<rect ${attributes({ x, y, width, height })} rx="${round}" fill="${escapeXml(fill)}"/>`;
}

/** @param {SceneText} text */
function textOf({ text, x, y, family, size, weight, fill, anchor, opacity, width, rtl }) {
  const place = attributes({ x: rtl ? x + width : x, y });
  const font = `font-family="${escapeXml(family)}" ${attributes({ "font-size": size })} font-weight="${weight}"`;
  const looks = `fill="${escapeXml(fill)}" text-anchor="${anchor}" opacity="${opacity}"`;
  // With other fonts on another machine the letters must still stand on their boxes.
  const fit = width ? ` ${attributes({ textLength: width })} lengthAdjust="spacingAndGlyphs"` : "";
  const direction = rtl ? ' direction="rtl"' : "";
  return `<text ${place} ${font} ${looks}${fit}${direction} xml:space="preserve">${escapeXml(text)}</text>`;
}

/**
 * Numbers as attributes, with two digits after the point.
 * @param {Record<string, number>} values
 */
function attributes(values) {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${Number(value.toFixed(2))}"`)
    .join(" ");
}

/**
 * Text for XML. Characters that XML cannot hold, even escaped, are written by their names.
 * @param {string} text
 */
function escapeXml(text) {
  const safe = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, glyphOf);
  return safe.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const SCALE = 2; // pixels of the picture for each of the page's
const MAX_PIXELS = 12_000; // of a side: above it browsers refuse to paint

/**
 * @param {Scene} scene
 * @returns {Promise<Blob>}
 */
export async function pngOf(scene) {
  // A canvas paints with the fonts that are there, and does not fetch any.
  const samples = new Map(scene.texts.map(({ weight, size, family, text }) => [`${weight} ${size}px ${family}`, text]));
  await Promise.allSettled([...samples].map(([font, text]) => document.fonts.load(font, text)));
  const scale = Math.min(SCALE, MAX_PIXELS / scene.width, MAX_PIXELS / scene.height);
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [Math.ceil(scene.width * scale), Math.ceil(scene.height * scale)];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.scale(scale, scale);
  [pen.fontKerning, pen.textRendering] = ["none", "optimizeSpeed"]; // neither kerning nor ligatures, as on the page
  pen.fillStyle = scene.paper;
  pen.fillRect(0, 0, scene.width, scene.height);
  for (const { x, y, width, height, fill, round } of scene.rects) {
    pen.fillStyle = fill;
    pen.beginPath();
    pen.roundRect(x, y, width, height, round);
    pen.fill();
  }
  for (const text of scene.texts) paintText(pen, text);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("too large"))), "image/png");
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {SceneText} text
 */
function paintText(pen, { text, x, y, family, size, weight, fill, anchor, opacity, width, rtl }) {
  pen.font = `${weight} ${size}px ${family}`;
  pen.fillStyle = fill;
  pen.globalAlpha = opacity;
  pen.direction = rtl ? "rtl" : "ltr";
  pen.textAlign = anchor === "middle" ? "center" : rtl ? "right" : "left";
  pen.fillText(text, rtl ? x + width : x, y);
}
