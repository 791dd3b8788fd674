// What goes with the show: the race, and the newest merges. Drawn at most four times a second.
// @ts-check

import { Newest } from "./newest.js";
import { Race } from "./race.js";

/** @import { Stage } from "./stage.js" */
/** @import { Runner } from "./types.d.ts" */

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
  /**
   * @param {Stage} stage
   * @param {(key: string, values?: Record<string, unknown>) => string} label
   */
  constructor(stage, label) {
    const { options } = stage;
    this.stage = stage;
    this.race = new Race(label);
    this.newest = new Newest(label, options.tints);
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
    this.newest.draw(player.position, learned);
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

  /**
   * Other parallel texts were chosen.
   * @param {string | null} address
   */
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
