// One small chart of the race of several ways: a curve for each over vocabulary size, drawn as the race goes on.
// @ts-check

import { makeSvg } from "../../token_view/browser/elements.js";
import { countBefore } from "../../token_view/browser/model/sorted.js";

/** @import { Measure, WayOptions } from "./types.d.ts" */

const [EDGE_LEFT, EDGE_TOP, EDGE_BOTTOM] = [40, 8, 28]; // pixels around the curves
const BESIDE_NAME = 12; // pixels between the ends of curves and their names
const NAME_APART = 19; // pixels between two names
const DASHES = ["", "9 4", "2 4", ""]; // so that colour is not the only sign
const LOG_TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
const TICKS_MOST = 5;
const SIZE_STEPS = [100, 250, 500, 1000];
let clips = 0; // ids of clips must differ on a page

/**
 * Move places apart, downwards and upwards alike, and keep them inside.
 * @param {number[]} places in any order
 * @param {number} least
 * @param {number} most
 */
export function spreadPlaces(places, least, most) {
  const order = places.map((_, at) => at).sort((one, other) => places[one] - places[other]);
  const moved = [...places];
  let below = least - NAME_APART;
  for (const at of order) below = moved[at] = Math.max(moved[at], below + NAME_APART);
  let above = most + NAME_APART;
  for (const at of order.reverse()) above = moved[at] = Math.min(moved[at], above - NAME_APART);
  return moved;
}

/**
 * Round numbers inside a range.
 * @param {number} low
 * @param {number} high
 * @param {boolean} isLog
 */
export function ticksIn(low, high, isLog) {
  if (isLog) return LOG_TICKS.filter((each) => each >= low && each <= high);
  const step = [0.1, 0.2, 0.5, 1, 2, 5].find((each) => (high - low) / each <= TICKS_MOST) ?? 10;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, at) => (first + at) * step);
}

/** @typedef {{ way: WayOptions, line: SVGElement, marks: SVGElement[], name: SVGElement, said: string, values: number[] }} Curve */

export class Curves {
  /**
   * @param {WayOptions[]} ways
   * @param {Measure} measure
   * @param {number[]} sizes
   * @param {string} locale
   */
  constructor(ways, measure, sizes, locale) {
    this.measure = measure;
    this.sizes = sizes;
    this.locale = locale;
    this.element = document.createElement("figure");
    this.element.className = "abreast-chart";
    const title = document.createElement("figcaption");
    title.textContent = measure.title;
    this.svg = /** @type {SVGSVGElement} */ (makeSvg("svg", { "aria-hidden": "true" }));
    this.element.append(title, this.svg);
    this.width = this.height = 0;
    this.edge = 0; // pixels at the right, for the names
    this.size = sizes[0];
    /** @type {Curve[]} */
    this.curves = ways.map((way, at) => {
      const values = way.sizes.map((_, place) => measure.value(way, place));
      const line = makeSvg("path", { class: "curve", "stroke-dasharray": DASHES[at % DASHES.length] });
      const marks = way.grows ? [makeSvg("circle", { r: 5, class: "dot-end" })] : values.map(() => squareMark());
      const curve = { way, line, marks, name: makeSvg("text", { class: "curve-name" }), said: "", values };
      for (const element of [line, ...marks, curve.name]) {
        element.style.setProperty("--light", way.light);
        element.style.setProperty("--dark", way.dark);
      }
      return curve;
    });
    const values = this.curves.flatMap((curve) => curve.values);
    if (measure.level) values.push(measure.level.value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = measure.isLog ? 0 : (high - low) * 0.06;
    this.low = measure.isLog ? low * 0.94 : low - (measure.level ? 2.5 : 1) * room; // the level has its name below it
    this.high = high + room;
    this.clip = makeSvg("clipPath", { id: `abreast-${++clips}` });
    this.window = makeSvg("rect", { x: 0, y: 0, width: 0, height: 4000 });
    this.clip.append(this.window);
  }

  /** The place has another size. */
  fit() {
    [this.width, this.height] = [this.svg.clientWidth, this.svg.clientHeight];
    if (!this.width) return;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.edge = this.widestName() + BESIDE_NAME + 4;
    this.svg.replaceChildren(this.clip);
    this.drawScales();
    for (const curve of this.curves) this.svg.append(curve.line, ...curve.marks);
    this.svg.append(...this.curves.map(({ name }) => name));
    for (const { way, line, values, marks } of this.curves) {
      line.setAttribute("clip-path", `url(#${this.clip.id})`);
      const places = way.sizes.map((size, at) => `${this.x(size).toFixed(1)} ${this.y(values[at]).toFixed(1)}`);
      line.setAttribute("d", way.grows ? `M${places.join("L")}` : "");
      if (!way.grows) marks.forEach((mark, at) => place(mark, this.x(way.sizes[at]), this.y(values[at])));
    }
    this.show(this.size);
  }

  /** Pixels of the widest name with its value. */
  widestName() {
    const probe = /** @type {SVGTextElement} */ (makeSvg("text", { class: "curve-name" }));
    this.svg.append(probe);
    const widths = this.curves.map(({ way, values }) => {
      probe.textContent = `${way.name} ${this.measure.written(values[values.length - 1])}`;
      return probe.getComputedTextLength();
    });
    return Math.max(...widths);
  }

  drawScales() {
    const { svg, width, height, low, high, sizes, locale, measure } = this;
    const [floor, right] = [height - EDGE_BOTTOM, width - this.edge];
    for (const tick of ticksIn(low, high, measure.isLog)) {
      const y = this.y(tick);
      svg.append(makeSvg("line", { x1: EDGE_LEFT, x2: right, y1: y, y2: y, class: "grid" }));
      svg.append(makeSvg("text", { x: EDGE_LEFT - 8, y: y + 5, class: "tick end" }, measure.written(tick)));
    }
    if (measure.level) {
      const y = this.y(measure.level.value);
      svg.append(makeSvg("line", { x1: EDGE_LEFT, x2: right, y1: y, y2: y, class: "level" }));
      svg.append(makeSvg("text", { x: right - 4, y: y + 17, class: "tick end" }, measure.level.name));
    }
    const last = sizes[sizes.length - 1];
    const step = SIZE_STEPS.find((each) => last / each <= 5) ?? last;
    for (let size = step; size <= last; size += step) {
      if (size < sizes[0]) continue;
      svg.append(makeSvg("text", { x: this.x(size), y: floor + 20, class: "tick" }, size.toLocaleString(locale)));
    }
    svg.append(makeSvg("line", { x1: EDGE_LEFT, x2: right, y1: floor, y2: floor, class: "axis" }));
  }

  /** @param {number} size */
  x(size) {
    const [first, last] = [this.sizes[0], this.sizes[this.sizes.length - 1]];
    return EDGE_LEFT + ((this.width - EDGE_LEFT - this.edge) * (size - first)) / Math.max(1, last - first);
  }

  /** @param {number} value */
  y(value) {
    const scaled = (/** @type {number} */ each) => (this.measure.isLog ? Math.log(each) : each);
    const share = (scaled(value) - scaled(this.low)) / (scaled(this.high) - scaled(this.low));
    return EDGE_TOP + (this.height - EDGE_TOP - EDGE_BOTTOM) * (1 - share);
  }

  /**
   * Show the curves up to this vocabulary size.
   * @param {number} size
   */
  show(size) {
    this.size = size;
    if (!this.width) return;
    this.window.setAttribute("width", String(this.x(size)));
    const shown = this.curves.filter((curve) => {
      const isThere = curve.way.sizes[0] <= size;
      curve.name.style.display = isThere ? "" : "none";
      return isThere;
    });
    const ends = shown.map((curve) => this.endOf(curve, size));
    const places = spreadPlaces(ends.map(({ y }) => y + 5), EDGE_TOP + 12, this.height - EDGE_BOTTOM);
    shown.forEach((curve, at) => place(curve.name, Math.max(...ends.map(({ x }) => x)) + BESIDE_NAME, places[at]));
    for (const { way, marks } of this.curves) {
      if (!way.grows) marks.forEach((mark, at) => (mark.style.display = way.sizes[at] <= size ? "" : "none"));
    }
  }

  /**
   * Where a curve ends at this size; its name says its value at the last size that was measured.
   * @param {Curve} curve
   * @param {number} size
   */
  endOf(curve, size) {
    const { way, values, marks, name } = curve;
    const at = countBefore(way.sizes.length, (index) => way.sizes[index] <= size) - 1;
    const next = Math.min(at + 1, values.length - 1);
    const share = way.grows && next > at ? (size - way.sizes[at]) / (way.sizes[next] - way.sizes[at]) : 0;
    const [x, y] = [
      this.x(way.grows ? Math.min(size, way.sizes[values.length - 1]) : way.sizes[at]),
      this.y(values[at] + (values[next] - values[at]) * share),
    ];
    if (way.grows) place(marks[0], x, y);
    const said = `${way.name} ${this.measure.written(values[at])}`;
    if (said !== curve.said) name.textContent = curve.said = said;
    return { x, y };
  }
}

function squareMark() {
  return makeSvg("rect", { x: -5, y: -5, width: 10, height: 10, class: "dot-end" });
}

/**
 * @param {SVGElement} element
 * @param {number} x
 * @param {number} y
 */
function place(element, x, y) {
  element.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
}
