// The race: how many tokens a text has after each merge, against the other tokenizers; one text at a time.
// @ts-check

import { addButton, make, makeSvg } from "../../token_view/browser/elements.js";
import { countBefore } from "../../token_view/browser/model/sorted.js";
import { plainWords, shortName } from "../../token_view/browser/words.js";

/** @import { Label, Level, Runner } from "./types.d.ts" */

const [LEFT, RIGHT, TOP, BOTTOM] = [60, 140, 32, 30]; // pixels around the curve: ticks, names, words of the axes
const [VALUE, APART, BESIDE] = [140, 19, 10]; // pixels: of the value in its line, between two names, and before them
const [VALUE_HEIGHT, OFF_LINE] = [18, 6]; // pixels of the value, and between its baseline and a line below it
const [USUAL_SCREEN, MOST_SCALE] = [1280, 1.5];
const TICKS = [1, 10, 100, 1000, 10_000, 100_000];
const [TITLE_WIDTH, TITLE_HEIGHT] = [80, 18]; // pixels, of the name of the axis
const MOST_TICKS = 4; // of the tokens
const [DIGIT, BETWEEN_NUMBERS, MOST_ASIDE] = [7.8, 5, 8]; // pixels: of a digit, after a number, of a number beside its line

/**
 * Move places apart that lie too close to each other: a run of them stands around its middle, none below the lowest.
 * @param {number[]} places from the top down
 * @param {number} lowest
 */
export function apart(places, lowest) {
  /** @type {{ middle: number, count: number }[]} */
  const runs = [];
  for (const place of places) {
    let run = { middle: place, count: 1 };
    for (let above = runs.at(-1); above && run.middle - above.middle < (APART * (above.count + run.count)) / 2; above = runs.at(-1)) {
      const count = above.count + run.count;
      run = { middle: (above.middle * above.count + run.middle * run.count) / count, count };
      runs.pop();
    }
    runs.push(run);
  }
  const found = runs.flatMap(({ middle, count }) => Array.from({ length: count }, (_, at) => middle + APART * (at - (count - 1) / 2)));
  return found.map((place, at) => Math.min(place, lowest - APART * (found.length - 1 - at)));
}

/**
 * Round numbers of tokens for the axis, from 0 up.
 * @param {number} most
 */
export function ticksTo(most) {
  const power = 10 ** Math.floor(Math.log10(most / MOST_TICKS));
  const step = Math.max(1, ([1, 2, 5].find((each) => most / (each * power) <= MOST_TICKS) ?? 10) * power);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}

export class Race {
  /** @param {Label} label */
  constructor(label) {
    this.label = label;
    this.element = make("section", "race");
    this.choice = make("div", "switch");
    this.choice.role = "group";
    this.choice.ariaLabel = plainWords(label("race"));
    const head = make("div", "race-head");
    head.append(make("h2", "", label("race")), this.choice);
    this.figure = make("figure", "track");
    this.svg = /** @type {SVGSVGElement} */ (makeSvg("svg", { role: "img" }));
    this.figure.append(this.svg);
    this.note = make("p", "note");
    this.element.append(head, this.figure, this.note);
    /** @type {Runner[]} */
    this.runners = [];
    this.chosen = 0;
    this.about = ""; // the others
    this.goal = this.most = 1; // the ends of the axes
    this.merges = 0;
    this.showsRest = false;
    this.width = this.height = 0; // pixels of the chart
    this.run = makeSvg("path", { class: "run" });
    this.rest = makeSvg("path", { class: "run rest" });
    this.dot = makeSvg("circle", { r: 6, class: "dot" });
    this.value = makeSvg("text", { class: "value" });
    /** @type {{ y: number, text: SVGElement }[]} the names of the other tokenizers, and where their lines are */
    this.names = [];
  }

  get runner() {
    return this.runners[Math.min(this.chosen, this.runners.length - 1)];
  }

  /**
   * @param {Runner[]} runners the sentence of the show, and the others once they are counted
   * @param {number} goal the last merge of the axis
   * @param {string} note about the others
   */
  show(runners, goal, note) {
    const isNew = runners.map(({ name }) => name).join() !== this.runners.map(({ name }) => name).join();
    this.runners = runners;
    this.goal = goal;
    if (isNew) this.offer();
    this.about = note;
    this.draw();
  }

  offer() {
    this.choice.replaceChildren();
    this.choice.hidden = this.runners.length < 2;
    this.runners.forEach(({ name }, at) => {
      addButton(this.choice, name, () => this.choose(at)).ariaPressed = String(at === this.chosen);
    });
  }

  /** @param {number} at */
  choose(at) {
    this.chosen = at;
    [...this.choice.children].forEach((button, place) => (button.ariaPressed = String(place === at)));
    this.draw();
  }

  /** The place or the screen has another size: on a large screen everything is larger. */
  fit() {
    const scale = Math.min(MOST_SCALE, Math.max(1, innerWidth / USUAL_SCREEN));
    [this.width, this.height] = [this.figure.clientWidth / scale, this.figure.clientHeight / scale];
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.draw();
  }

  draw() {
    this.svg.replaceChildren();
    if (!this.width) return;
    this.note.textContent = [this.label("race_axis"), this.chosen ? this.about : ""].filter(Boolean).join(" ");
    this.drawAxes();
    if (!this.runner) return;
    const { steps, levels, name } = this.runner;
    this.drawLevels(levels);
    this.svg.append(this.rest, this.run, this.dot, this.value);
    const values = { name, first: steps[0].tokens, last: steps[steps.length - 1].tokens };
    this.svg.ariaLabel = plainWords(this.label("race_alt", values));
    this.mark(this.merges, !this.showsRest);
  }

  drawAxes() {
    const { width, height, svg, runner, label } = this;
    const [floor, right] = [height - BOTTOM, width - RIGHT];
    this.most = Math.max(1, runner?.steps[0].tokens ?? 1, ...(runner?.levels ?? []).map(({ count }) => count));
    svg.append(makeSvg("line", { x1: LEFT, x2: right, y1: floor, y2: floor, class: "axis" }));
    let taken = 0; // pixels, by the numbers before
    for (const tick of TICKS.filter((each) => each <= this.goal)) {
      const x = this.x(tick);
      const words = tick.toLocaleString(label("locale"));
      const half = (DIGIT * words.length) / 2;
      const at = Math.min(x, right + BESIDE - BETWEEN_NUMBERS - half);
      if (x - at > MOST_ASIDE || at - half < taken) continue; // it would meet the name of the axis, or the number before
      taken = at + half + BETWEEN_NUMBERS;
      svg.append(makeSvg("line", { x1: x, x2: x, y1: TOP, y2: floor, class: "grid" }));
      svg.append(makeSvg("text", { x: at, y: floor + 20, class: "tick" }, words));
    }
    svg.append(makeSvg("text", { x: right + BESIDE, y: floor + 20, class: "axis-name" }, label("race_merges")));
    svg.append(makeSvg("text", { x: LEFT, y: 18, class: "axis-name" }, label("race_tokens")));
    for (const tick of runner ? ticksTo(this.most) : [0]) {
      const text = tick.toLocaleString(label("locale"));
      svg.append(makeSvg("text", { x: LEFT - 8, y: this.y(tick) + 5, class: "tick end" }, text));
    }
  }

  /**
   * The other tokenizers as lines, each with its name at its right end.
   * @param {Level[]} levels
   */
  drawLevels(levels) {
    const right = this.width - RIGHT;
    this.names = levels.map((level) => {
      const y = this.y(level.count);
      this.svg.append(makeSvg("line", { x1: LEFT, x2: right, y1: y, y2: y, class: "level" }));
      const words = `${shortName(level.name)} ${level.count.toLocaleString(this.label("locale"))}`;
      return { y, text: makeSvg("text", { x: right + BESIDE, class: "name" }, words) };
    });
    this.svg.append(...this.names.map(({ text }) => text));
  }

  /**
   * The curve from one merge to another.
   * @param {number} first
   * @param {number} last
   */
  path(first, last) {
    const { steps } = this.runner;
    const start = countBefore(steps.length, (index) => steps[index].merge <= first);
    let d = `M${this.x(first).toFixed(1)} ${this.y(steps[start - 1].tokens).toFixed(1)}`;
    let before = -1;
    for (let at = start; at < steps.length && steps[at].merge <= last; at++) {
      const { merge, tokens } = steps[at];
      const x = this.x(merge);
      if (x - before < 0.2 && merge < last) continue; // nobody sees it
      d += `H${x.toFixed(1)}V${this.y(tokens).toFixed(1)}`;
      before = x;
    }
    return `${d}H${this.x(last).toFixed(1)}`;
  }

  /** @param {number} merge */
  x(merge) {
    const share = Math.log10(1 + merge) / Math.log10(1 + this.goal);
    return LEFT + (this.width - LEFT - RIGHT) * share;
  }

  /** @param {number} tokens */
  y(tokens) {
    return TOP + (this.height - TOP - BOTTOM) * (1 - tokens / this.most);
  }

  /**
   * Show where the stage is; while it moves, nothing is shown of what is still to come.
   * @param {number} merges
   * @param {boolean} isMoving
   */
  mark(merges, isMoving) {
    [this.merges, this.showsRest] = [merges, !isMoving];
    if (!this.runner || !this.width) return;
    const { steps, learned } = this.runner;
    const last = Math.min(merges, learned);
    const { tokens } = steps[countBefore(steps.length, (index) => steps[index].merge <= last) - 1];
    const [x, y] = [this.x(last), this.y(tokens)];
    this.run.setAttribute("d", this.path(0, last));
    this.rest.setAttribute("d", isMoving ? "" : this.path(last, learned));
    this.dot.setAttribute("cx", String(x));
    this.dot.setAttribute("cy", String(y));
    this.value.textContent = `${this.label("race_own")} ${tokens.toLocaleString(this.label("locale"))}`;
    this.placeNames(x, y);
  }

  /**
   * The baseline of words above a dot; where these would lie on a line of another tokenizer, on the dot's side of it.
   * @param {number} dot
   */
  besideLevels(dot) {
    const lines = this.names.map((name) => name.y).sort((one, other) => one - other);
    return lines.reduce((at, line) => {
      if (line < dot) return Math.max(at, line + VALUE_HEIGHT);
      return Math.min(at, line - OFF_LINE);
    }, dot - 9);
  }

  /**
   * Write the value beside the dot, above the curve, which falls; or among the names if there is no room.
   * @param {number} x
   * @param {number} y
   */
  placeNames(x, y) {
    const right = this.width - RIGHT;
    const isFree = x + VALUE < right;
    const isBesideTitle = y < TOP + TITLE_HEIGHT;
    this.value.setAttribute("x", String(isFree ? Math.max(x + 11, isBesideTitle ? LEFT + TITLE_WIDTH : 0) : right + BESIDE));
    this.value.setAttribute("y", String(Math.max(TOP - 4, this.besideLevels(y))));
    const named = isFree ? this.names : [...this.names, { y, text: this.value }];
    const sorted = [...named].sort((one, other) => one.y - other.y);
    const places = apart(sorted.map((name) => name.y + 5), this.height - BOTTOM);
    sorted.forEach(({ text }, at) => text.setAttribute("y", String(places[at])));
  }
}
