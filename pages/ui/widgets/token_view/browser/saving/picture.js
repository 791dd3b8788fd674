// The view as a picture: a text of some pages as a whole, a longer one from what is in sight.
// @ts-check

import { systemHeight } from "../boxes/fit.js";
import { Row } from "../boxes/rows.js";
import { make } from "../elements.js";
import { pngOf, svgOf } from "./image.js";
import { loopedRules } from "../model/looped.js";
import { lastUpTo } from "../model/sorted.js";
import { Scene, sceneOf } from "./scene.js";
import { ViewState, dress } from "../state.js";

/** @import { Rows } from "../boxes/rows.js" */
/** @import { Model } from "../types.d.ts" */

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
  const part = partOf(model, chosen[0].start, chosen[chosen.length - 1].end);
  const title = isWhole ? model.labels.text_title : `${model.labels.text_title}: ${part}`;
  rows.stop(); // rows out of sight keep their boxes until the picture is taken
  for (const row of chosen) rows.fill(row);
  const scene = sceneOf(state, chosen);
  if (!isWhole) scene.addPart(part);
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
  const style = async () => (isLooped ? loopedRules(model.options.faces) : "");
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

const SHEET = { width: 1920, height: 1080 }; // as the style sheet has it
const SIZES = [160, 136, 112, 96, 80, 68, 58, 50, 44, 38, 34, 30]; // pixels of a letter; the last one is readable in a room
const LARGE_FIGURES = 4; // more of them are smaller
const MOST_FIGURES = 6;
const MOST_UNITS = 1500; // UTF-16 units that are tried: no slide has room for more
const HEADLINE = 56; // grapheme clusters of a line

/** A view of the same model that draws the staff on a sheet. */
class SheetState extends ViewState {
  /** @param {ViewState} state */
  constructor(state) {
    super(state.model);
    this.choice = { ...state.choice, view: /** @type {const} */ ("staff") };
    this.root.classList.add("sheet");
  }

  /** A slide has no ruler: its numbers would be too small. */
  get isRuled() {
    return false;
  }

  /** A slide has its own numbers, above the text. */
  get isNumbered() {
    return false;
  }
}

/**
 * The slide, measured out of sight.
 * @param {ViewState} state
 * @param {Element} probe an element that has the background of the page
 */
function sheetOf(state, probe) {
  const sheet = new SheetState(state);
  const { model, root, scroller } = sheet;
  state.root.append(root);
  try {
    dress(sheet, probe);
    const part = make("div", "sheet-part");
    const source = make("div", "sheet-source", sourceOf(model));
    root.append(make("div", "sheet-title", headlineOf(model)), numbersOf(model), scroller, part, source);
    const row = largestRow(sheet);
    if (row.end < model.text.length) part.textContent = partOf(model, 0, row.end);
    const scene = new Scene(root, SHEET);
    scene.addRow(row);
    scene.addTexts(root);
    scene.joinArabic();
    return scene;
  } finally {
    root.remove();
  }
}

/**
 * What a picture of a part says of it.
 * @param {Model} model
 * @param {number} start
 * @param {number} end
 */
function partOf(model, start, end) {
  const [first, last] = [model.charAt(start) + 1, model.charAt(end)]; // people count from one
  return model.label("picture_part", { first, last, count: model.chars });
}

/**
 * The first line of the text, or its beginning up to a word.
 * @param {Model} model
 */
function headlineOf({ text, locale }) {
  const [line] = text.trim().split("\n", 1);
  const clusters = [...new Intl.Segmenter(locale, { granularity: "grapheme" }).segment(line.slice(0, 8 * HEADLINE))];
  if (clusters.length <= HEADLINE) return line;
  const most = clusters[HEADLINE].index;
  const words = new Intl.Segmenter(locale, { granularity: "word" }).segment(line.slice(0, most + HEADLINE));
  const ends = [...words].map(({ index, segment }) => index + segment.length);
  const end = ends.findLast((place) => place <= most) || most;
  return `${line.slice(0, end).trimEnd()} …`;
}

/**
 * The counts of the lanes, as many as there is room for; the visitor's own tokenizer is among them.
 * @param {Model} model
 */
function numbersOf({ lanes, comparison }) {
  const element = make("div", "sheet-figures");
  const shown = lanes.slice(0, MOST_FIGURES);
  element.classList.toggle("many", shown.length > LARGE_FIGURES);
  if (comparison.base !== null && comparison.base >= MOST_FIGURES) shown[MOST_FIGURES - 1] = lanes[comparison.base];
  for (const { column } of shown) {
    const [[count, unit]] = column.figures;
    const figure = make("div");
    figure.append(make("b", "", count), make("span", "", `${column.name} · ${unit}`));
    element.append(figure);
  }
  return element;
}

/** @param {Model} model */
function sourceOf({ lanes }) {
  const names = lanes.map(({ column: { name, caption } }) => (caption ? `${name} (${caption})` : name));
  return ["Tokenizer Explorer", ...names].join(" · ");
}

/**
 * The text in the largest letters that leave room for it all; in the smallest only the lines that fit.
 * @param {SheetState} sheet
 */
function largestRow(sheet) {
  const { model, root, scroller } = sheet;
  const most = clusterAt(model, Math.min(model.text.length, MOST_UNITS));
  const whole = rowOf(sheet, most);
  const isFitting = SIZES.some((size) => {
    root.style.setProperty("--size", `${size}px`);
    root.style.setProperty("--badge", `${Math.max(12, size * 0.3)}px`);
    return whole.element.offsetHeight <= scroller.clientHeight;
  });
  return isFitting ? whole : rowOf(sheet, linesThatFit(sheet, whole));
}

/**
 * @param {SheetState} sheet
 * @param {number} end
 */
function rowOf(sheet, end) {
  const row = new Row(sheet, 0, end);
  row.build();
  row.draw();
  sheet.scroller.replaceChildren(row.element);
  return row;
}

/**
 * Where the first line starts that does not fit: the lanes of a line lie close together, so its first lane says it.
 * @param {SheetState} sheet
 * @param {Row} row
 */
function linesThatFit({ model, scroller }, row) {
  const [cell] = row.cells ?? [];
  const tops = [...cell.element.children].map((box) => box.getClientRects()[0]?.top ?? 0);
  const line = systemHeight(scroller);
  const lines = Math.max(1, Math.floor(scroller.clientHeight / line));
  const beyond = tops.findIndex((top) => top >= tops[0] + (lines - 0.5) * line);
  const fitting = cell.boxes.slice(0, beyond < 0 ? tops.length : beyond);
  const unit = fitting.reduce((sum, box) => sum + ("text" in box ? box.text.length : 0), 0);
  return clusterAt(model, Math.min(unit, row.end));
}

/**
 * @param {Model} model
 * @param {number} unit
 */
function clusterAt(model, unit) {
  return unit >= model.text.length ? model.text.length : model.clusterStart(unit);
}
