// Paints a scene as PNG, with the fonts of this machine.
// @ts-check

import { make } from "../elements.js";

/** @import { Scene, SceneRect, SceneText } from "../types.d.ts" */

const SCALE = 2; // pixels of the picture for each of the page's
const MAX_PIXELS = 12_000; // of a side: above it browsers refuse to paint

/**
 * @param {Scene} scene
 * @returns {Promise<Blob>}
 */
export async function pngOf(scene) {
  await fontsOf(scene);
  const scale = Math.min(SCALE, MAX_PIXELS / scene.width, MAX_PIXELS / scene.height);
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [Math.ceil(scene.width * scale), Math.ceil(scene.height * scale)];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.scale(scale, scale);
  pen.fillStyle = scene.paper;
  pen.fillRect(0, 0, scene.width, scene.height);
  for (const rect of scene.rects) paintRect(pen, rect);
  for (const text of scene.texts) paintText(pen, text);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("too large"))), "image/png");
  });
}

/**
 * Wait for the fonts of a scene: a canvas paints with those that are there, and does not fetch any.
 * @param {Scene} scene
 */
async function fontsOf({ texts }) {
  const samples = new Map(texts.map(({ weight, size, family, text }) => [`${weight} ${size}px ${family}`, text]));
  await Promise.allSettled([...samples].map(([font, text]) => document.fonts.load(font, text)));
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {SceneRect} rect
 */
function paintRect(pen, { x, y, width, height, fill, round }) {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.roundRect(x, y, width, height, round);
  pen.fill();
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
