// The lanes as a slide, 16 to 9: a headline, up to three large numbers, the lanes as large as fit, the source.
// @ts-check

import { Row } from "../boxes/row.js";
import { make } from "../elements.js";
import { dress } from "../frame/looks.js";
import { addRow, sceneAt } from "./scene.js";
import { addTexts, joinArabic } from "./scene_texts.js";
import { ViewState } from "../state.js";

/** @import { BoxElement, Model, Scene } from "../types.d.ts" */

const SHEET = { width: 1920, height: 1080 }; // as the style sheet has it
const SIZES = [160, 136, 112, 96, 80, 68, 58, 50, 44, 38, 34, 30]; // pixels of a letter; the last one is readable in a room
const MOST_FIGURES = 3;
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
}

/**
 * The slide, measured out of sight.
 * @param {ViewState} state
 * @param {Element} probe an element that has the background of the page
 * @returns {Scene}
 */
export function sheetOf(state, probe) {
  const sheet = new SheetState(state);
  const { model, root, scroller } = sheet;
  state.root.append(root);
  try {
    dress(sheet, probe);
    const part = make("div", "sheet-part");
    const source = make("div", "sheet-source", sourceOf(model));
    root.append(make("div", "sheet-title", headlineOf(model)), numbersOf(model), scroller, part, source);
    const row = largestRow(sheet);
    if (row.end < model.text.length) part.textContent = partOf(model, row.end);
    const scene = sceneAt(root, SHEET);
    addRow(scene, row);
    addTexts(scene, root);
    scene.texts = joinArabic(scene.texts);
    return scene;
  } finally {
    root.remove();
  }
}

/**
 * What a slide of a part says of it.
 * @param {Model} model
 * @param {number} end
 */
function partOf(model, end) {
  return model.label("picture_part", { first: 1, last: model.charAt(end), count: model.chars });
}

/**
 * The first line of the text, or its beginning up to a word.
 * @param {Model} model
 */
export function headlineOf({ text, locale }) {
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
 * The counts of three lanes: one's own is among them.
 * @param {Model} model
 */
function numbersOf({ lanes, comparison }) {
  const element = make("div", "sheet-figures");
  const shown = lanes.slice(0, MOST_FIGURES);
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
  const fits = () => whole.element.offsetHeight <= scroller.clientHeight;
  const isFitting = SIZES.some((size) => {
    root.style.setProperty("--size", `${size}px`);
    root.style.setProperty("--badge", `${Math.max(12, size * 0.3)}px`);
    return fits();
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
  const boxes = /** @type {BoxElement[]} */ ([...cell.element.children]);
  const tops = boxes.map((box) => box.getClientRects()[0]?.top ?? 0);
  const probe = scroller.appendChild(make("div", "system-probe"));
  const line = probe.offsetHeight;
  probe.remove();
  const lines = Math.max(1, Math.floor(scroller.clientHeight / line));
  const beyond = tops.findIndex((top) => top >= tops[0] + (lines - 0.5) * line);
  let unit = 0;
  for (const box of boxes.slice(0, beyond < 0 ? boxes.length : beyond)) unit += box.box?.kind === "reading" ? box.box.text.length : 0;
  return clusterAt(model, Math.min(unit, row.end));
}

/**
 * @param {Model} model
 * @param {number} unit
 */
function clusterAt(model, unit) {
  return unit >= model.text.length ? model.text.length : model.clusterStart(unit);
}
