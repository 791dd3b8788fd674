// Several ways to make tokens abreast: one sentence by each, recoloured as its vocabulary grows, and their curves.
// @ts-check

import { Board } from "../../player/browser/board.js";
import { Curves } from "./curves.js";
import { PlacedText } from "../../player/browser/sentence.js";
import { addButton, isDark, make } from "../../token_view/browser/elements.js";
import { countBefore } from "../../token_view/browser/model/sorted.js";
import { labelsOf, plainWords } from "../../token_view/browser/words.js";

/** @import { AbreastOptions, Measure, WayFrame, WayOptions } from "./types.d.ts" */
/** @import { Cut, Label } from "../../player/browser/types.d.ts" */

const STEP = 220; // milliseconds from one vocabulary size to the next
const LEAP_MOST = 250; // milliseconds; a tab that was hidden must not leap
const APART_ROWS = 0.12; // of a step: no two rows are drawn in the same frame
const STILL_FIRST = 900; // milliseconds in which single bytes stand still before the race

/** @type {WeakMap<ShadowRoot | Element, Abreast>} */
const RACES = new WeakMap();

/**
 * What Streamlit calls for each run of the page.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element }} component
 */
export default function showAbreast({ data, parentElement }) {
  /** @type {AbreastOptions} */
  const options = JSON.parse(new TextDecoder().decode(data));
  let race = RACES.get(parentElement);
  if (race?.options.name !== options.name) {
    const hasPlayed = race !== undefined;
    race?.remove();
    race = new Abreast(parentElement, options);
    RACES.set(parentElement, race);
    if (hasPlayed) race.again();
    else race.playWhenSeen();
  }
  race.dress();
  return () => {
    RACES.get(parentElement)?.remove();
    RACES.delete(parentElement);
  };
}

export class Abreast {
  /**
   * @param {ShadowRoot | Element} parent
   * @param {AbreastOptions} options
   */
  constructor(parent, options) {
    const { ways, sizes, locale } = options;
    const label = (this.label = labelsOf(options));
    this.options = options;
    this.last = sizes.length - 1;
    this.position = 0; // places among the sizes, with fractions
    this.step = -1; // the last size that is drawn
    this.isPlaying = false;
    this.before = this.frame = this.timer = 0;
    this.frames = 0; // drawn while it played, for whoever counts
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.root = make("section", "token-view stage abreast");
    this.root.tabIndex = -1;
    this.root.ariaLabel = plainWords(label("name"));
    this.rows = ways.map((way) => new SentenceRow(way, options, label));
    const rows = make("div", "abreast-rows");
    rows.append(...this.rows.map(({ element }) => element));
    this.charts = measures(label, locale).map((measure) => new Curves(ways, measure, sizes, locale));
    const charts = make("div", "abreast-charts");
    charts.append(...this.charts.map(({ element }) => element));
    this.root.append(make("p", "unseen", options.says), rows, this.bar(), charts);
    parent.append(this.root);
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(charts);
    this.go(0);
  }

  bar() {
    const bar = make("div", "drive");
    this.toggle = addButton(bar, "", () => (this.isPlaying ? this.pause() : this.play()));
    this.toggle.className = "toggle";
    const again = addButton(bar, `↻ ${this.label("again")}`, () => this.again());
    again.className = "again";
    const line = make("div", "timeline");
    this.slider = make("input");
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.max = String(this.last);
    this.slider.ariaLabel = plainWords(this.label("timeline"));
    this.slider.oninput = () => {
      this.pause();
      this.go(this.slider?.valueAsNumber ?? 0);
    };
    line.append(this.slider);
    this.where = make("span", "where");
    bar.append(line, this.where);
    return bar;
  }

  /** Streamlit calls again when the theme changes. */
  dress() {
    this.root.classList.remove("dark");
    const ground = make("span");
    ground.style.background = "var(--gap)";
    this.root.append(ground);
    this.root.classList.toggle("dark", isDark(ground));
    ground.remove();
  }

  remove() {
    this.pause();
    this.seen?.disconnect();
    this.watch.disconnect();
    this.root.remove();
  }

  fit() {
    for (const chart of this.charts) chart.fit();
    for (const row of this.rows) row.keepHeight();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const isControl = event.composedPath()[0] instanceof HTMLButtonElement || event.composedPath()[0] === this.slider;
    if (event.ctrlKey || event.metaKey || event.altKey || (isControl && event.key !== "Escape")) return;
    if (event.key === " ") this.isPlaying ? this.pause() : this.play();
    else if (event.key === "Home") this.again();
    else if (event.key === "End") this.end();
    else return;
    event.preventDefault();
  }

  // ---- time

  playWhenSeen() {
    this.seen = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      this.seen?.disconnect();
      this.again();
    });
    this.seen.observe(this.rows[this.rows.length - 1].element);
  }

  /** Play from the start; who wants no motion sees the end at once. */
  again() {
    this.pause();
    if (this.calm.matches) return this.end();
    this.go(0);
    this.isPlaying = true;
    this.showBar();
    this.timer = setTimeout(() => this.run(), STILL_FIRST);
  }

  play() {
    if (this.position >= this.last) return this.again();
    this.isPlaying = true;
    this.showBar();
    this.run();
  }

  run() {
    this.before = performance.now();
    this.frame = requestAnimationFrame((now) => this.turn(now));
  }

  pause() {
    this.isPlaying = false;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.go(this.position); // rows that were late
    this.showBar();
  }

  end() {
    this.pause();
    this.go(this.last);
  }

  /** @param {number} now */
  turn(now) {
    const passed = Math.min(LEAP_MOST, Math.max(0, now - this.before));
    this.before = Math.max(now, this.before);
    this.frames += 1;
    this.go(Math.min(this.last, this.position + passed / STEP));
    if (this.position >= this.last) this.pause();
    else this.frame = requestAnimationFrame((later) => this.turn(later));
  }

  /**
   * Show a place among the sizes. Pieces do not slide: some hundred that move take 9.6 ms of
   * the main thread for each frame, instead of 4.9.
   * @param {number} position
   */
  go(position) {
    const { sizes } = this.options;
    this.position = position;
    const step = Math.floor(position);
    const next = Math.min(this.last, step + 1);
    for (const chart of this.charts) chart.show(sizes[step] + (sizes[next] - sizes[step]) * (position - step));
    this.rows.forEach((row, at) => {
      const late = this.isPlaying && position < this.last ? at * APART_ROWS : 0;
      row.show(sizes[Math.max(0, Math.floor(position - late))]);
    });
    if (step === this.step) return;
    this.step = step;
    this.root.dataset.size = String(sizes[step]);
    this.showBar();
  }

  showBar() {
    if (!this.toggle || !this.slider || !this.where) return;
    this.toggle.textContent = this.isPlaying ? "❚❚" : "▶";
    this.toggle.title = this.toggle.ariaLabel = plainWords(this.isPlaying ? this.label("pause") : this.label("play"));
    const place = Math.max(0, this.step);
    const words = this.label("size", { size: this.options.sizes[place] });
    this.slider.value = String(place);
    this.slider.setAttribute("aria-valuetext", plainWords(words));
    this.where.textContent = words;
    this.root.dataset.playing = String(this.isPlaying);
  }
}

/** The sentence by one way. */
class SentenceRow {
  /**
   * @param {WayOptions} way
   * @param {AbreastOptions} options
   * @param {Label} label
   */
  constructor(way, options, label) {
    this.way = way;
    this.label = label;
    this.sentence = new PlacedText(options.text, options.clusters);
    this.board = new Board(this.sentence, options.tints);
    this.board.element.ariaHidden = "true";
    this.element = make("div", "abreast-row");
    const name = make("div", "abreast-name");
    name.style.setProperty("--light", way.light);
    name.style.setProperty("--dark", way.dark);
    this.of = make("small", "");
    name.append(make("b", "", way.name), this.of);
    this.count = make("div", "abreast-count");
    this.count.ariaHidden = "true";
    this.number = make("b");
    this.unit = make("small");
    this.count.append(this.number, this.unit);
    this.element.append(name, this.board.element, this.count);
    this.shown = -2; // the frame that is drawn
    this.width = this.height = 0; // pixels of the board
  }

  /** @param {number} size of the vocabulary */
  show(size) {
    const { frames, grows } = this.way;
    const at = countBefore(frames.length, (index) => frames[index].size <= size) - 1;
    if (at === this.shown) return;
    this.shown = at;
    const frame = frames[at];
    this.board.draw(this.sentence.piecesOf(frame ? cutsOf(frame) : this.whole()));
    this.number.textContent = frame ? frame.tokens.toLocaleString(this.label("locale")) : "–";
    this.unit.textContent = this.label("tokens", { count: frame?.tokens ?? 0 });
    if (grows) return;
    this.of.textContent = frame ? this.label("model", { size: frame.size }) : this.label("first_model", { size: frames[0].size });
  }

  /** @returns {Cut[]} the text before the first model: in no tokens */
  whole() {
    return [{ from: 0, to: this.sentence.bytes.length, isPlain: true }];
  }

  /** Merged pieces may need a line less: nothing below jumps. */
  keepHeight() {
    const { element, line } = this.board;
    element.style.minHeight = `${Math.max(line.offsetHeight, this.width === element.clientWidth ? this.height : 0)}px`;
    [this.width, this.height] = [element.clientWidth, parseFloat(element.style.minHeight)];
  }
}

/**
 * @param {WayFrame} frame
 * @returns {Cut[]}
 */
function cutsOf({ ends, plain }) {
  const areNone = new Set(plain);
  return ends.map((to, at) => ({ from: at ? ends[at - 1] : 0, to, isPlain: areNone.has(at) }));
}

/**
 * What the three charts show.
 * @param {Label} label
 * @param {string} locale
 * @returns {Measure[]}
 */
function measures(label, locale) {
  const written = (/** @type {number} */ digits) => (/** @type {number} */ value) =>
    value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const whole = (/** @type {number} */ value) => written(value < 100 && value % 1 ? 1 : 0)(value);
  return [
    {
      title: label("premium"),
      value: ({ thai, english }, at) => thai[at] / english[at],
      written: written(2),
      isLog: false,
      level: { value: 1, name: label("same_price") },
    },
    { title: label("thai"), value: ({ thai }, at) => thai[at], written: whole, isLog: true },
    { title: label("english"), value: ({ english }, at) => english[at], written: whole, isLog: true },
  ];
}
