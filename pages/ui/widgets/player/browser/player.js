// The only clock of the stage: which merge is shown now, and which comes next. It skips none and turns none around.
// @ts-check

const CATCH_UP = 0.4; // seconds in which the player works off what has come while it plays live
const FIRST_RATE = 2; // merges a second at the start of a pace that gathers speed
const GAIN = 100; // times as fast after
const GAIN_SECONDS = 20;
const LONGEST_FRAME = 0.25; // a tab that was hidden must not leap

/** @type {Record<string, number | "gathering" | null>} */
const RATES = { gathering: "gathering", slowest: 0.5, slow: 2, steady: 20, fast: 200, full: null };

export class Player {
  /** @param {{ total: () => number, onMerge: (merge: number, rate: number) => void, onMoved: () => void }} listener */
  constructor(listener) {
    this.listener = listener;
    this.position = 0;
    this.isLive = true;
    this.isPlaying = false; // in the past
    /** @type {number | "gathering" | null} merges a second in the past; null is as fast as possible */
    this.pace = "gathering";
    this.seconds = 0; // since playing began
    this.due = 0; // merges that are due, with fractions
    this.before = 0;
    this.frame = 0;
    this.hasEnded = false;
    this.rate = 0;
  }

  /** There may be something to play. */
  wake() {
    if (this.frame || this.hasEnded || !this.isBusy) return;
    this.before = performance.now();
    this.frame = requestAnimationFrame((now) => this.turn(now));
  }

  get isBusy() {
    return (this.isLive || this.isPlaying) && this.position < this.listener.total();
  }

  stop() {
    this.hasEnded = true;
    cancelAnimationFrame(this.frame);
  }

  /** @param {number} now */
  turn(now) {
    this.frame = 0;
    if (this.hasEnded) return;
    // A frame's time may lie before the moment at which playing began.
    const seconds = Math.min(LONGEST_FRAME, Math.max(0, (now - this.before) / 1000));
    this.before = Math.max(now, this.before);
    this.seconds += seconds;
    this.rate = this.rateNow();
    this.due += this.rate * seconds;
    const total = this.listener.total();
    let moved = false;
    while (this.due >= 1 && this.position < total) {
      this.due -= 1;
      this.position += 1;
      moved = true;
      this.listener.onMerge(this.position, this.rate);
    }
    if (this.position >= total) {
      this.due = 0;
      if (!this.isLive) [this.isLive, this.isPlaying, moved] = [true, false, true]; // the past has caught up
    }
    if (moved) this.listener.onMoved();
    if (this.isBusy) this.frame = requestAnimationFrame((later) => this.turn(later));
  }

  rateNow() {
    const left = this.listener.total() - this.position;
    if (this.isLive) return Math.max(FIRST_RATE, left / CATCH_UP);
    if (this.pace === "gathering") return FIRST_RATE * GAIN ** (this.seconds / GAIN_SECONDS);
    return this.pace ?? Math.max(200, this.listener.total() / 2);
  }

  /**
   * Look at a moment; the right end is live.
   * @param {number} merges
   */
  go(merges) {
    const total = this.listener.total();
    this.position = Math.max(0, Math.min(merges, total));
    this.due = 0;
    this.isPlaying = false;
    this.isLive = this.position >= total;
    this.listener.onMoved();
  }

  /** @param {string} name */
  setPace(name) {
    this.pace = RATES[name];
    this.seconds = 0;
  }

  /** Play what has been learned, from here or, at the end, from the beginning. */
  play() {
    if (!this.listener.total()) return;
    if (this.position >= this.listener.total()) this.position = 0;
    [this.isLive, this.isPlaying, this.seconds, this.due] = [false, true, 0, 0.99];
    this.listener.onMoved();
    this.wake();
  }

  pause() {
    this.isPlaying = false;
    this.isLive = false;
    this.listener.onMoved();
  }
}
