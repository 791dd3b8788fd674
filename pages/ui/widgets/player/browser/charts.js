// What goes with the show: the race, and the newest merges. Drawn at most four times a second.
// @ts-check

import { equationOf } from "./headline.js";
import { make, makeSvg } from "../../token_view/browser/elements.js";
import { countBefore } from "../../token_view/browser/model/sorted.js";
import { plainWords } from "../../token_view/browser/words.js";

/** @import { Stage } from "./stage.js" */
/** @import { Label, Level, Runner } from "./types.d.ts" */

const DRAW = 250; // milliseconds
const ASK = 1500;
const ASK_LONGER = 0.1; // milliseconds more for each merge: long answers come less often

/**
 * A runner as Python sends it: merges and counts in turn.
 * @param {Omit<Runner, "steps"> & { steps: number[] }} sent
 * @returns {Runner}
 */
function runnerOf({ steps, ...rest }) {
  const taken = [];
  for (let at = 0; at < steps.length; at += 2) taken.push({ merge: steps[at], tokens: steps[at + 1] });
  return { ...rest, steps: taken };
}

export class Charts {
  /** @param {Stage} stage */
  constructor(stage) {
    const { options } = stage;
    this.stage = stage;
    this.race = new Race(stage.label);
    this.newest = new Newest(stage);
    /** @type {Runner[]} */
    this.others = options.saved?.runners ?? [];
    this.note = options.saved?.note ?? "";
    this.drawn = ""; // what the race shows
    this.asked = 0; // merges at which the parallel texts were counted
    this.address = options.race;
    this.drawTimer = this.askTimer = 0;
    this.hasEnded = false;
  }

  stop() {
    this.hasEnded = true;
    clearTimeout(this.drawTimer);
    clearTimeout(this.askTimer);
  }

  later() {
    this.drawTimer ||= setTimeout(() => this.draw(), DRAW);
  }

  draw() {
    this.drawTimer = 0;
    const { learned, sentence, options, player, bar } = this.stage;
    this.newest.draw(player.position);
    const total = Math.max(1, Number(bar.slider.max));
    const wanted = `${learned.total} ${total} ${this.address} ${this.others.length} ${this.others[0]?.learned}`;
    if (wanted !== this.drawn) {
      this.drawn = wanted;
      const name = this.race.label("race_sentence");
      const own = { name, steps: sentence.steps, levels: options.levels, learned: learned.total };
      this.race.show([own, ...this.others], total, this.note);
    }
    this.race.mark(player.position);
  }

  /** @param {string | null} address */
  askAt(address) {
    if (address === this.address) return;
    this.address = address;
    this.asked = 0;
    this.ask();
  }

  /** Ask for the counts of the parallel texts, until the training has ended and all is counted. */
  async ask() {
    const { learned } = this.stage;
    const { address } = this;
    clearTimeout(this.askTimer);
    if (!address || this.hasEnded) return;
    const merges = learned.total;
    if (merges && merges !== this.asked) {
      const response = await fetch(address, { cache: "no-store" }).catch(() => null);
      if (this.hasEnded || address !== this.address) return;
      if (response?.ok) {
        const { runners, note } = await response.json();
        [this.others, this.note, this.asked] = [runners.map(runnerOf), note, runners[0]?.learned ?? merges];
        this.later();
      }
    }
    if (this.stage.isOver && this.asked === learned.total) return;
    this.askTimer = setTimeout(() => this.ask(), ASK + learned.total * ASK_LONGER);
  }
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [320, 200, 4, 8, 16, 24];
const [VALUE, NAME] = [64, 120]; // pixels that a value and a name take
const APART = 15; // pixels between two names
const TICKS = [1, 10, 100, 1000, 10_000, 100_000];

/**
 * Move places apart that lie too close to each other.
 * @param {number[]} places in the order in which they are taken
 * @param {1 | -1} direction where they move
 */
function spread(places, direction) {
  let before = -Infinity * direction;
  return places.map((place) => {
    const free = before + APART * direction;
    before = direction > 0 ? Math.max(place, free) : Math.min(place, free);
    return before;
  });
}

class Track {
  /** @param {Label} label */
  constructor(label) {
    this.label = label;
    this.element = make("figure", "track");
    this.title = make("figcaption");
    this.svg = /** @type {SVGSVGElement} */ (makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }));
    this.element.append(this.title, this.svg);
    /** @type {Runner | null} */
    this.runner = null;
    this.dot = makeSvg("circle", { r: 6, class: "dot" });
    this.value = makeSvg("text", { class: "value" });
    this.goal = 1;
  }

  /**
   * @param {Runner} runner
   * @param {number} goal
   */
  show(runner, goal) {
    const { steps, levels, name } = runner;
    this.runner = runner;
    this.goal = goal;
    this.most = Math.max(1, steps[0].tokens, ...levels.map(({ count }) => count));
    this.title.textContent = name;
    this.svg.replaceChildren();
    const floor = HEIGHT - BOTTOM;
    this.svg.append(makeSvg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: floor, y2: floor, class: "axis" }));
    for (const tick of TICKS.filter((each) => each <= goal)) {
      const x = this.x(tick);
      this.svg.append(makeSvg("line", { x1: x, x2: x, y1: TOP, y2: floor, class: "grid" }));
      this.svg.append(makeSvg("text", { x, y: HEIGHT - 8, class: "tick" }, tick.toLocaleString(this.label("locale"))));
    }
    this.drawLevels(levels);
    this.svg.append(makeSvg("path", { d: this.path(steps), class: "run" }), this.dot, this.value);
    const values = { name, first: steps[0].tokens, last: steps[steps.length - 1].tokens };
    this.svg.setAttribute("aria-label", plainWords(this.label("race_alt", values)));
  }

  /**
   * The other tokenizers as lines. The curve falls: right of where it has crossed a line, all above the line is
   * free for its name; left of where it will cross one, all below.
   * @param {Level[]} levels
   */
  drawLevels(levels) {
    const { steps } = /** @type {Runner} */ (this.runner);
    const sorted = [...levels].sort((one, other) => other.count - one.count);
    for (const { count } of sorted) {
      const y = this.y(count);
      this.svg.append(makeSvg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "level" }));
    }
    const beatenBy = WIDTH - RIGHT - NAME; // a line crossed later has no room for its name at the right
    const beaten = sorted.filter(({ count }) => {
      const crossing = steps.find(({ tokens }) => tokens < count);
      return crossing && this.x(crossing.merge) < beatenBy;
    });
    const ahead = sorted.slice(beaten.length);
    const beatenAt = spread(beaten.reverse().map(({ count }) => this.y(count) - 4), -1);
    let aheadAt = spread(ahead.map(({ count }) => this.y(count) + 12), 1);
    if (Math.max(...aheadAt) > HEIGHT - BOTTOM) {
      aheadAt = spread(ahead.map(({ count }) => this.y(count) - 4).reverse(), -1).reverse();
    }
    beaten.forEach((level, at) => this.name(level, WIDTH - RIGHT, beatenAt[at], "name end"));
    ahead.forEach((level, at) => this.name(level, LEFT, aheadAt[at], "name"));
  }

  /**
   * @param {Level} level
   * @param {number} x
   * @param {number} y
   * @param {string} kind
   */
  name({ name, count }, x, y, kind) {
    this.svg.append(makeSvg("text", { x, y, class: kind }, `${name} · ${count.toLocaleString(this.label("locale"))}`));
  }

  /** @param {{ merge: number, tokens: number }[]} steps */
  path(steps) {
    let d = `M${this.x(0).toFixed(1)} ${this.y(steps[0].tokens).toFixed(1)}`;
    let before = -1;
    for (const { merge, tokens } of steps.slice(1)) {
      const x = this.x(merge);
      if (x - before < 0.2 && merge < this.goal) continue; // nobody sees it
      d += `H${x.toFixed(1)}V${this.y(tokens).toFixed(1)}`;
      before = x;
    }
    const { learned } = /** @type {Runner} */ (this.runner);
    return `${d}H${this.x(learned).toFixed(1)}`;
  }

  /** @param {number} merge */
  x(merge) {
    const share = Math.log10(1 + merge) / Math.log10(1 + this.goal);
    return LEFT + (WIDTH - LEFT - RIGHT) * share;
  }

  /** @param {number} tokens */
  y(tokens) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - tokens / (this.most ?? 1));
  }

  /** @param {number} merges */
  mark(merges) {
    if (!this.runner) return;
    const { steps } = this.runner;
    const { tokens } = steps[countBefore(steps.length, (index) => steps[index].merge <= merges) - 1];
    const [x, y] = [this.x(Math.min(merges, this.runner.learned)), this.y(tokens)];
    this.dot.setAttribute("cx", String(x));
    this.dot.setAttribute("cy", String(y));
    this.value.textContent = tokens.toLocaleString(this.label("locale"));
    this.placeValue(x, y);
  }

  /**
   * Write the value beside the dot. The curve falls: right of the dot, all above it is free; left of it, all below.
   * @param {number} x
   * @param {number} y
   */
  placeValue(x, y) {
    const isLow = y + 24 >= HEIGHT - BOTTOM;
    const isRight = x <= WIDTH / 2 || (isLow && x < WIDTH - RIGHT - VALUE); // else away from the names
    this.value.classList.toggle("right", isRight);
    this.value.setAttribute("x", String(isRight ? x + 9 : Math.min(x + 4, WIDTH - RIGHT)));
    this.value.setAttribute("y", String(isRight || isLow ? Math.max(13, y - 9) : y + 22));
  }
}

/** The race: how many tokens a text has after each merge, against the other tokenizers; a chart for each text. */
export class Race {
  /** @param {Label} label */
  constructor(label) {
    this.label = label;
    this.element = make("section", "race");
    this.tracks = make("div", "tracks");
    this.note = make("p", "note");
    this.element.append(make("h2", "", label("race")), this.tracks, this.note);
    /** @type {Track[]} */
    this.drawn = [];
  }

  /**
   * @param {Runner[]} runners
   * @param {number} goal the last merge of the axis
   * @param {string} note
   */
  show(runners, goal, note) {
    while (this.drawn.length < runners.length) {
      const track = new Track(this.label);
      this.drawn.push(track);
      this.tracks.append(track.element);
    }
    while (this.drawn.length > runners.length) this.drawn.pop()?.element.remove();
    runners.forEach((runner, at) => this.drawn[at].show(runner, goal));
    this.note.textContent = [this.label("race_axis"), note].filter(Boolean).join(" ");
  }

  /** @param {number} merges */
  mark(merges) {
    for (const track of this.drawn) track.mark(merges);
  }
}

const ROWS = 8;

/** The merges up to the moment that is shown, newest first. */
class Newest {
  /** @param {Stage} stage */
  constructor({ label, options, learned }) {
    this.label = label;
    this.tintCount = options.tints;
    this.learned = learned;
    this.element = make("section", "newest");
    this.list = make("ol");
    this.element.append(make("h2", "", label("newest")), this.list);
    this.shown = -1;
  }

  /** @param {number} merges */
  draw(merges) {
    if (merges === this.shown) return;
    const isNext = merges > this.shown && merges - this.shown < ROWS;
    const from = isNext ? this.shown + 1 : merges - ROWS + 1;
    if (!isNext) this.list.replaceChildren();
    for (let merge = Math.max(1, from); merge <= merges; merge++) this.list.prepend(this.row(merge));
    while (this.list.childElementCount > ROWS) this.list.lastElementChild?.remove();
    this.shown = merges;
  }

  /** @param {number} merge */
  row(merge) {
    const locale = this.label("locale");
    const row = make("li");
    const pair = make("span", "pair");
    pair.append(...equationOf(this.learned, merge, this.tintCount));
    row.append(make("span", "id", merge.toLocaleString(locale)), pair);
    const count = this.learned.counts[merge - 1];
    if (count) row.append(make("span", "count", `× ${count.toLocaleString(locale)}`));
    return row;
  }
}
