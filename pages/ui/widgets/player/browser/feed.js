// Asks the app for the merges that are new, and sends it what the bar commands. No page run is needed for either.
// @ts-check

/** @import { Answer, Options } from "./types.d.ts" */

const RUNNING = 300; // milliseconds between two questions
const STARTING = 150;
const IN_LINE = 800; // of a class of fifty, nearly all wait for their turn at once
const RESTING = 1500;
const LOST = 3; // questions without an answer, after which people are told

export const ENDED = ["done", "stopped", "failed"];

export class Feed {
  /**
   * @param {Options} options
   * @param {{ known: () => number, onAnswer: (answer: Answer) => void, onLost: (isLost: boolean) => void }} listener
   */
  constructor(options, listener) {
    this.options = options;
    this.listener = listener;
    this.hasEnded = false;
    this.failures = 0;
    this.timer = 0;
    this.isAsking = false;
  }

  start() {
    if (this.options.saved) this.listener.onAnswer(this.options.saved.answer);
    else this.ask();
  }

  stop() {
    this.hasEnded = true;
    clearTimeout(this.timer);
  }

  async ask() {
    if (this.isAsking || this.hasEnded) return;
    this.isAsking = true;
    clearTimeout(this.timer);
    const from = this.listener.known();
    const answer = await this.fetch(`${this.options.feed}?from=${from}`, {});
    this.isAsking = false;
    if (this.hasEnded) return;
    const isTaken = answer !== null && this.take(answer, from);
    const again = answer ? 0 : Math.min(8000, RESTING * Math.max(1, this.failures));
    const wait = isTaken ? this.waitAfter(answer) : again;
    if (wait !== null) this.timer = setTimeout(() => this.ask(), wait);
  }

  /**
   * Take an answer in, and return whether it was taken; a question and a command may cross, and then the later answer
   * has merges that are known.
   * @param {Answer} answer
   * @param {number} from the merges that were known when it was asked for
   */
  take(answer, from) {
    const isNext = this.listener.known() === from;
    if (isNext) this.listener.onAnswer(answer);
    return isNext;
  }

  /**
   * The milliseconds until the next question; null if nothing more will come.
   * @param {Answer} answer
   */
  waitAfter({ state, says, learned }) {
    if (this.listener.known() < learned) return 0;
    if (ENDED.includes(state)) return null;
    if (state === "running") return RUNNING;
    if (state === "waiting" && says) return IN_LINE;
    return state === "paused" ? RESTING : STARTING;
  }

  /**
   * Let the training do something; only its owner has an address for that.
   * @param {string} command
   */
  async command(command) {
    if (!this.options.steer) return;
    const from = this.listener.known();
    const answer = await this.fetch(`${this.options.steer}/${command}?from=${from}`, {
      method: "POST",
      headers: { "X-Steering-Key": this.options.key },
    });
    if (!answer || this.hasEnded) return;
    this.take(answer, from);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), 50);
  }

  /**
   * @param {string} address
   * @param {RequestInit} how
   * @returns {Promise<Answer | null>}
   */
  async fetch(address, how) {
    try {
      const response = await fetch(address, { ...how, cache: "no-store" });
      if (response.status === 404) this.stop(); // the run was deleted
      if (!response.ok) throw new Error(response.statusText);
      const answer = await response.json();
      if (this.failures >= LOST) this.listener.onLost(false);
      this.failures = 0;
      return answer;
    } catch {
      this.failures += 1;
      if (this.failures === LOST && !this.hasEnded) this.listener.onLost(true);
      return null;
    }
  }
}
