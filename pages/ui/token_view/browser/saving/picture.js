// The view as a picture: a text of some pages as a whole, a longer one from what is in sight.
// @ts-check

import { pngOf } from "./png.js";
import { addPart, sceneOf } from "./scene.js";
import { embeddedLooped, loopedRules } from "../model/looped.js";
import { lastUpTo } from "../model/sorted.js";
import { headlineOf, sheetOf } from "./sheet.js";
import { svgOf } from "./svg.js";

/** @import { Rows } from "../boxes/rows.js" */
/** @import { ViewState } from "../state.js" */
/** @import { Scene } from "../types.d.ts" */

const PICTURE_UNITS = 4000; // UTF-16 units of a text that a picture shows: some pages

/**
 * The picture, to be written in one format or the other.
 * @param {ViewState} state
 * @param {Rows} rows
 */
export function takePicture(state, rows) {
  const { model } = state;
  const chosen = rowsInPicture(state, rows);
  const isWhole = chosen.length === rows.list.length;
  const first = model.charAt(chosen[0].start) + 1; // people count from one
  const last = model.charAt(chosen[chosen.length - 1].end);
  const part = model.label("picture_part", { first, last, count: model.chars });
  const title = isWhole ? model.labels.text_title : `${model.labels.text_title}: ${part}`;
  rows.stop(); // rows out of sight keep their boxes until the picture is taken
  for (const row of chosen) rows.fill(row);
  const scene = sceneOf(state, chosen);
  if (!isWhole) addPart(scene, part);
  if (rows.list.length > 1) rows.watch();
  return pictureOf(state, scene, title);
}

/**
 * The lanes as a slide.
 * @param {ViewState} state
 * @param {Element} probe an element that has the background of the page
 */
export function takeSlide(state, probe) {
  return pictureOf(state, sheetOf(state, probe), headlineOf(state.model));
}

/**
 * @param {ViewState} state
 * @param {Scene} scene
 * @param {string} title
 */
function pictureOf({ isLooped, model }, scene, title) {
  const style = async () => (isLooped ? loopedRules(await embeddedLooped(model.options.faces)) : "");
  return { asSvg: async () => svgOf(scene, title, await style()), asPng: () => pngOf(scene) };
}

/**
 * @param {ViewState} state
 * @param {Rows} rows
 */
function rowsInPicture({ model }, rows) {
  const { list, starts } = rows;
  const first = model.text.length <= PICTURE_UNITS ? 0 : lastUpTo(starts, rows.topUnit());
  let stop = first + 1;
  while (stop < list.length && list[stop].end - list[first].start <= PICTURE_UNITS) stop += 1;
  return list.slice(first, stop);
}
