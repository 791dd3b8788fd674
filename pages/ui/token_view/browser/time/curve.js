// The chart of the time machine: tokens against merges, with a marker, and a line for each other tokenizer.
// @ts-check

import { make } from "../elements.js";

/** @import { TokenHistory } from "./token_history.js" */
/** @import { Level } from "../types.d.ts" */

const CURVE_POINTS = 400; // of a line; more would lie within one pixel
const SVG = "http://www.w3.org/2000/svg";

/** Places are percents of the chart, from its top left corner. */
export class Curve {
  constructor() {
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("class", "curve");
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.marker = document.createElementNS(SVG, "line");
    this.levels = make("div", "lines");
    this.dots = [new Dot("dot"), new Dot("dot corpus")];
    this.element = make("div", "chart");
    this.element.append(this.svg, this.levels, ...this.dots.map((dot) => dot.element));
    this.most = 1; // tokens at the top of the chart
    /** @type {TokenHistory | null} */
    this.history = null;
  }

  /**
   * @param {TokenHistory} history
   * @param {Level[]} levels
   */
  draw(history, levels) {
    const { counted, total, corpus } = history;
    this.history = history;
    this.most = Math.max(1, counted[0], ...levels.map(({ count }) => count));
    this.svg.setAttribute("viewBox", "0 0 100 100");
    this.svg.setAttribute("role", "img");
    const paths = [this.path((n) => this.height(counted[n]), total, "")];
    if (corpus) paths.unshift(this.path((n) => this.corpusHeight(n), corpus.last, "corpus"));
    this.marker.setAttribute("y1", "0");
    this.marker.setAttribute("y2", "100");
    this.svg.replaceChildren(...paths, this.marker);
    this.levels.replaceChildren(...levels.map((level, index) => this.level(level, index)));
  }

  /** @param {number} count */
  height(count) {
    return 100 - (96 * count) / this.most;
  }

  /** @param {number} merges */
  across(merges) {
    const total = this.history?.total;
    return total ? (100 * merges) / total : 0;
  }

  /**
   * Text and corpus share one axis, tokens per byte: all bytes of the text are as high as all bytes of the corpus.
   * @param {number} merges
   */
  corpusHeight(merges) {
    if (!this.history?.corpus) return 0;
    const { corpus, counted } = this.history;
    return this.height((corpus.counts[merges] / corpus.bytes) * counted[0]);
  }

  /**
   * @param {(merges: number) => number} height
   * @param {number} last
   * @param {string} name
   */
  path(height, last, name) {
    const step = Math.max(1, Math.floor(last / CURVE_POINTS));
    const point = (/** @type {number} */ n) => `${this.across(n).toFixed(2)},${height(n).toFixed(2)}`;
    const points = [];
    for (let n = 0; n < last; n += step) points.push(point(n));
    points.push(point(last));
    const path = document.createElementNS(SVG, "polyline");
    path.setAttribute("class", name);
    path.setAttribute("points", points.join(" "));
    return path;
  }

  /**
   * Names stand side by side, so that lines close together do not hide each other's.
   * @param {Level} level
   * @param {number} index
   */
  level({ name, count }, index) {
    const line = make("div", "level");
    line.style.top = `${this.height(count)}%`;
    const words = make("span", "", `${name} · ${count.toLocaleString(this.history?.model.locale)}`);
    words.style.insetInlineEnd = `${index * 33}%`;
    line.append(words);
    return line;
  }

  /**
   * Mark a moment; where the corpus has no count there, the text alone.
   * @param {number} merges
   */
  mark(merges) {
    if (!this.history) return;
    const { counted, corpus } = this.history;
    const x = this.across(merges);
    this.marker.setAttribute("x1", String(x));
    this.marker.setAttribute("x2", String(x));
    const hasCorpus = corpus !== null && merges <= corpus.last;
    const heights = [this.height(counted[merges]), hasCorpus ? this.corpusHeight(merges) : 0];
    const lower = hasCorpus && heights[0] > heights[1] ? 0 : 1; // names keep clear of the other line
    this.dots[1].element.hidden = !hasCorpus;
    this.dots.forEach((dot, index) => dot.put(x, heights[index], index === lower, corpus !== null));
  }
}

/** The marker of one line, with a name and a figure that ride on it. */
class Dot {
  /** @param {string} className */
  constructor(className) {
    this.element = make("div", className);
    this.words = make("span", "riding");
    this.name = this.words.appendChild(make("span"));
    this.figure = this.words.appendChild(make("span", "figure"));
    this.element.append(this.words);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {boolean} isUnder whether the name stands under the line
   * @param {boolean} isNamed
   */
  put(x, y, isUnder, isNamed) {
    this.element.style.left = `${x}%`;
    this.element.style.top = `${y}%`;
    this.words.hidden = !isNamed;
    this.element.classList.toggle("under", isUnder);
    this.element.classList.toggle("leftwards", x > 50);
  }

  /**
   * @param {string} name
   * @param {string} figure
   */
  say(name, figure) {
    this.name.textContent = name;
    this.figure.textContent = figure;
  }
}
