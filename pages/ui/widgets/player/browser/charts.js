// What goes with the show: the race, of the sentence first, and the newest merges. Drawn at most ten times a second.
// @ts-check

import { equationOf, withSigns } from "./headline.js";
import { Race } from "./race.js";
import { make } from "../../token_view/browser/elements.js";

/** @import { Stage } from "./stage.js" */
/** @import { Runner } from "./types.d.ts" */

const DRAW = 100; // milliseconds
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
    const { learned, sentence, options, joined, bar, label } = this.stage;
    this.newest.draw(joined);
    const total = Math.max(1, Number(bar.slider.max));
    const wanted = `${learned.total} ${total} ${this.address} ${this.others.length} ${this.others[0]?.learned}`;
    if (wanted !== this.drawn) {
      this.drawn = wanted;
      const own = { name: label("race_sentence"), steps: sentence.steps, levels: options.levels, learned: learned.total };
      this.race.show([own, ...this.others], total, this.note);
    }
    this.mark();
  }

  /** The race says the same as the large number, at each moment. */
  mark() {
    const { player, joined } = this.stage;
    this.race.mark(joined, player.isBusy || player.isHeld);
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

const ROWS = 6;
const IN_A_ROW = 8; // characters of each token

/** The merges up to the moment that is shown, newest first. */
class Newest {
  /** @param {Stage} stage */
  constructor(stage) {
    const { label, learned } = stage;
    this.stage = stage;
    this.label = label;
    this.learned = learned;
    this.element = make("section", "newest");
    this.list = make("ol");
    this.element.append(make("h2", "", label("newest")), this.list);
    this.shown = this.known = -1;
  }

  /** @param {number} merges */
  draw(merges) {
    const { total } = this.learned;
    const isKnown = total === this.known; // later merges tell which letters the parts of letters belong to
    if (merges === this.shown && isKnown) return;
    this.known = total;
    const isNext = isKnown && merges > this.shown && merges - this.shown < ROWS;
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
    const { terms, words, isWhole } = equationOf(this.stage, merge, { most: IN_A_ROW });
    pair.append(...withSigns(terms));
    row.append(make("span", "id", merge.toLocaleString(locale)), pair);
    const count = this.learned.counts[merge - 1];
    if (count) row.append(make("span", "count", `× ${count.toLocaleString(locale)}`));
    if (words.length) row.append(make("small", "", isWhole ? `${words[0]} + ${words[1]}` : words[2]));
    return row;
  }
}
