// The only clock of the stage: which merge is shown now, and which comes next. It skips none and turns none around.
// @ts-check

const CATCH_UP = 0.4; // seconds in which the player works off what is too much while it plays live
const LATE = 3; // seconds that it may stay behind: the show begins later than the training
const CLOSER = 1.25; // times as fast as the training until it has caught up
// A pace that gathers speed, as the training does: three merges are read, some more can be, then it gains speed.
const READ_SECONDS = [4.5, 3.5, 3];
export const READ_MERGES = READ_SECONDS.length;
const SLOW_MERGES = 11;
const SLOW_RATE = 0.8; // merges a second
const UNSEEN_SECONDS = 0.7; // for one of these that changes nothing in the sentence
const FIRST_RATE = 1; // merge a second after these
const GAIN = 200; // times as fast after
const GAIN_SECONDS = 10;
const GAIN_SPAN = GAIN_SECONDS / Math.log(GAIN); // seconds in which it becomes e times as fast
const STAY_SECONDS = 2; // for a merge at which the gathering show slows down
const LONGEST_FRAME = 0.25; // a tab that was hidden must not leap

/** @type {Record<string, number | "gathering" | null>} */
const RATES = { gathering: "gathering", slowest: 0.5, slow: 2, steady: 20, fast: 200, full: null };

export class Player {
  /**
   * @param {{ total: () => number, staysAt: (merge: number) => boolean, isSeen: (merge: number) => boolean,
   *   onMerge: (merge: number, rate: number) => void, onMoved: () => void }} listener
   */
  constructor(listener) {
    this.listener = listener;
    this.position = 0;
    this.isLive = true;
    this.isPlaying = false; // in the past
    this.isHeld = false; // nothing moves until the show begins
    this.hurries = false; // to the newest merge, at any pace
    /** @type {number | "gathering" | null} merges a second; null is as fast as possible */
    this.pace = "gathering";
    this.seconds = 0; // since it began to gather speed
    this.due = 0; // merges that are due, with fractions
    this.rest = 0; // seconds for which the merge that is shown still stays
    this.stayed = 0; // seconds in all for which merges stayed, by which a live show is later
    this.before = 0;
    this.frame = 0;
    this.hasEnded = false;
    this.rate = 0;
  }

  /** There may be something to play. */
  wake() {
    if (this.frame || this.hasEnded || !this.isBusy) return;
    const now = performance.now();
    // Who has waited for a merge long enough sees it at once.
    const waited = this.afterRest(Math.max(0, (now - this.before) / 1000));
    if (this.isLive) this.due = Math.min(0.99, this.due + this.rateNow() * waited);
    this.before = now;
    this.frame = requestAnimationFrame((now) => this.turn(now));
  }

  get isBusy() {
    return !this.isHeld && (this.isLive || this.isPlaying) && this.position < this.listener.total();
  }

  stop() {
    this.hasEnded = true;
    cancelAnimationFrame(this.frame);
  }

  /** @param {number} now */
  turn(now) {
    this.frame = 0;
    if (this.hasEnded || !this.isBusy) return; // a look at a moment, or a pause, came before this frame
    // A frame's time may lie before the moment at which playing began.
    const seconds = this.afterRest(Math.min(LONGEST_FRAME, Math.max(0, (now - this.before) / 1000)));
    this.before = Math.max(now, this.before);
    this.seconds = this.position > SLOW_MERGES ? this.seconds + seconds : 0;
    this.rate = this.rateNow();
    this.due += this.rate * seconds;
    const total = this.listener.total();
    let moved = false;
    while (!this.rest && this.due >= 1 && this.position < total) {
      this.due -= 1;
      this.position += 1;
      moved = true;
      this.stay();
      this.listener.onMerge(this.position, this.rest ? 1 / STAY_SECONDS : this.rate);
    }
    if (this.position >= total) {
      this.due = 0;
      this.hurries = false;
      if (!this.isLive) [this.isLive, this.isPlaying, moved] = [true, false, true]; // the past has caught up
    }
    if (moved) this.listener.onMoved();
    if (this.isBusy) this.frame = requestAnimationFrame((later) => this.turn(later));
  }

  /** Let a merge stay for a while if the show slows down at it; or pass sooner if nothing is seen of it in the past. */
  stay() {
    const isSlow = this.pace === "gathering" && this.position > READ_MERGES && this.position <= SLOW_MERGES;
    if (isSlow && !this.isLive && !this.listener.isSeen(this.position)) this.due += 1 - UNSEEN_SECONDS * SLOW_RATE;
    if (this.pace !== "gathering" || (this.isLive && this.hurries) || !this.listener.staysAt(this.position)) return;
    this.rest = Math.max(0, STAY_SECONDS - 1 / this.rate);
    this.stayed += this.rest;
  }

  /**
   * How many of these seconds are left once the merge that is shown has stayed.
   * @param {number} seconds
   */
  afterRest(seconds) {
    const spent = Math.min(this.rest, seconds);
    this.rest -= spent;
    return seconds - spent;
  }

  /** Merges a second now: as fast as the pace says, or live a little faster, so that it does not stay behind. */
  rateNow() {
    const left = this.listener.total() - this.position;
    if (this.isLive && (this.hurries || this.pace === null)) return Math.max(FIRST_RATE, left / CATCH_UP);
    if (this.pace === null) return Math.max(200, this.listener.total() / 2);
    const isGathering = this.pace === "gathering";
    if (isGathering && this.position <= READ_MERGES) return 1 / READ_SECONDS[Math.max(this.position, 1) - 1];
    if (isGathering && this.position <= SLOW_MERGES) return SLOW_RATE;
    const gained = FIRST_RATE * GAIN ** (this.seconds / GAIN_SECONDS);
    const rate = isGathering ? gained : Number(this.pace);
    const late = LATE + this.stayed; // meanwhile the training may have gained speed
    const ahead = rate * (isGathering ? GAIN_SPAN * (GAIN ** (late / GAIN_SECONDS) - 1) : LATE);
    return this.isLive ? Math.max(CLOSER * rate, (left - ahead) / CATCH_UP) : rate;
  }

  /** Let a live show begin. */
  begin() {
    [this.isHeld, this.due] = [false, 0.99]; // merge 0 has stood for long enough
    this.wake();
  }

  /**
   * Look at a moment; the right end is live.
   * @param {number} merges
   */
  go(merges) {
    const total = this.listener.total();
    this.position = Math.max(0, Math.min(merges, total));
    this.due = this.rest = this.stayed = 0;
    this.isPlaying = this.isHeld = false;
    this.isLive = this.position >= total;
    this.listener.onMoved();
  }

  /** @param {string} name */
  setPace(name) {
    this.pace = RATES[name] === undefined ? "gathering" : RATES[name];
    this.seconds = this.rest = this.stayed = 0;
  }

  /** Play what has been learned, from here or, at the end, from the beginning. */
  play() {
    if (!this.listener.total()) return;
    if (this.position >= this.listener.total()) this.position = 0;
    [this.isLive, this.isPlaying, this.isHeld, this.seconds, this.due] = [false, true, false, 0, 0.99];
    this.rest = this.stayed = 0;
    this.listener.onMoved();
    this.wake();
  }

  pause() {
    this.isPlaying = this.isLive = this.isHeld = false;
    this.listener.onMoved();
  }
}
