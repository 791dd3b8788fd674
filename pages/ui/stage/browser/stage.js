// The stage: one sentence, recoloured by each merge of a training, with one player for all that moves.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { Bar } from "./bar.js";
import { Board } from "./board.js";
import { Feed } from "./feed.js";
import { Headline } from "./headline.js";
import { Learned } from "./learned.js";
import { Milestones } from "./milestones.js";
import { Newest } from "./newest.js";
import { Player } from "./player.js";
import { Race } from "./race.js";
import { Saves } from "./saves.js";
import { Sentence } from "./sentence.js";
import { slideOf } from "./slide.js";

/** @import { Press } from "./bar.js" */
/** @import { Answer, Milestone, Options, Runner } from "./types.d.ts" */

const FLOW = 15; // merges a second; above that, eyes cannot follow each
const SLOW = 5; // merges a second; up to this, a pair lights up before it is joined
const HOLD = 240; // milliseconds
const BANNER = 5000; // milliseconds
const CHARTS = 250;
const RACE = 1500;
/** @type {Record<string, number | "gathering" | null>} */
const RATES = { gathering: "gathering", slowest: 0.5, slow: 2, steady: 20, fast: 200, full: null };
const ENDED = ["done", "stopped", "failed"];

// One stage for each place where Streamlit mounts the component.
/** @type {WeakMap<ShadowRoot | Element, Stage>} */
const INSTANCES = new WeakMap();

/**
 * What Streamlit calls for each run of the page.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element }} component
 */
export default function showStage({ data, parentElement }) {
  /** @type {Options} */
  const options = JSON.parse(new TextDecoder().decode(data));
  let stage = INSTANCES.get(parentElement);
  if (stage?.options.name !== options.name || stage.options.locale !== options.locale) {
    stage?.remove();
    stage = new Stage(parentElement, options);
    INSTANCES.set(parentElement, stage);
  }
  stage.dress();
  return () => {
    INSTANCES.get(parentElement)?.remove();
    INSTANCES.delete(parentElement);
  };
}

export class Stage {
  /**
   * @param {ShadowRoot | Element} parent
   * @param {Options} options
   */
  constructor(parent, options) {
    this.options = options;
    this.learned = new Learned();
    this.sentence = new Sentence(options.text, options.pretokens, options.clusters);
    const label = (/** @type {string} */ key, values = {}) => this.label(key, values);
    this.milestones = new Milestones(this.sentence, options.levels, label);
    /** @type {Answer | null} */
    this.answer = null;
    /** @type {Runner[]} */
    this.others = options.saved?.runners ?? [];
    this.note = options.saved?.note ?? "";
    this.told = 0; // milestones whose banner has been shown
    this.lastShown = 0; // when the headline changed
    this.played = 0; // merges shown one by one, for whoever counts
    this.fitted = 0; // the width and height that the type was fitted to
    this.telling = 0; // a merge of the sentence, to be named in the flow
    this.held = 0; // a merge whose pair is lit up, and that is drawn in a moment
    this.raceKey = "";
    this.raced = 0; // merges at which the parallel texts were counted
    this.isPaceTouched = false;
    this.heldTimer = this.bannerTimer = this.chartTimer = this.raceTimer = 0;

    this.root = make("div", "token-view stage");
    this.root.tabIndex = -1;
    this.headline = new Headline(label, options.tints);
    this.board = new Board(options.tints);
    this.banner = make("div", "banner");
    this.banner.setAttribute("role", "status");
    this.bar = new Bar(label, {
      onPress: (press) => this.press(press),
      onGo: (merges) => this.go(merges),
      onPace: (name) => this.setPace(name),
    });
    const source = { slide: () => this.slide(), saved: () => this.saved(), options };
    this.bar.element.append(new Saves(label, source).element);
    this.race = new Race(label);
    this.newest = new Newest(label, options.tints);
    const show = make("div", "show");
    show.append(this.headline.element, this.banner, this.board.element, this.bar.element);
    const more = make("div", "below");
    more.append(this.race.element, this.newest.element);
    const heading = make("h1", options.saved ? "replay-title" : "unseen", options.saved ? options.what : options.title);
    this.root.append(heading, show, more);
    parent.append(this.root);

    this.player = new Player({
      total: () => this.learned.total,
      onMerge: (merge, rate) => this.onMerge(merge, rate),
      onMoved: () => this.moved(),
    });
    this.feed = new Feed(options, {
      known: () => this.learned.total,
      onAnswer: (answer) => this.take(answer),
      onLost: (isLost) => this.banner.replaceChildren(isLost ? label("lost") : ""),
    });
    this.board.show(this.sentence);
    this.board.draw(this.sentence.piecesAt(0));
    this.headline.say(label("start", { count: this.sentence.bytes.length }));
    this.headline.tick(this.sentence.bytes.length);
    this.ended = new AbortController();
    document.addEventListener("keydown", (event) => this.onKey(event), { signal: this.ended.signal });
    window.addEventListener("resize", () => this.fit(), { signal: this.ended.signal });
    document.addEventListener("fullscreenchange", () => this.fit(), { signal: this.ended.signal });
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.board.element);
    this.showBar();
    this.feed.start();
    this.askRace();
  }

  remove() {
    this.feed.stop();
    this.player.stop();
    this.watch.disconnect();
    this.ended.abort();
    for (const timer of [this.heldTimer, this.bannerTimer, this.chartTimer, this.raceTimer]) clearTimeout(timer);
    this.root.remove();
  }

  /**
   * @param {string} key
   * @param {Record<string, unknown>} [values]
   */
  label(key, values = {}) {
    if (key === "locale") return this.options.locale;
    return (this.options.labels[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? value.toLocaleString(this.options.locale) : String(value);
    });
  }

  // ---- looks

  dress() {
    const { root } = this;
    const colour = getComputedStyle(this.bar.pace).backgroundColor.match(/[\d.]+/g);
    const [red, green, blue] = colour?.map(Number) ?? [255, 255, 255];
    root.classList.toggle("dark", red * 0.3 + green * 0.59 + blue * 0.11 < 128);
    this.fit();
  }

  get isFull() {
    return document.fullscreenElement !== null;
  }

  fit() {
    const { clientWidth } = this.board.element;
    const key = clientWidth * 1e5 + innerHeight;
    if (!clientWidth || key === this.fitted) return;
    this.fitted = key;
    const isLarge = this.isFull || this.options.presents;
    const share = isLarge ? 0.55 : clientWidth < 600 ? 0.34 : 0.38;
    this.board.fit(innerHeight * share, isLarge ? 160 : 90);
  }

  // ---- what the training says

  /** @param {Answer} answer */
  take(answer) {
    const isFirst = !this.answer;
    this.answer = answer;
    this.learned.add(answer.merges);
    for (const merge of this.sentence.take(this.learned)) this.milestones.look(merge);
    const isOver = ENDED.includes(answer.state);
    if (this.options.saved) this.player.play();
    else if (isFirst && (isOver || answer.learned > 300)) this.jump();
    if (answer.says && !this.learned.total) this.headline.say(answer.says);
    if (isFirst || !this.isPaceTouched) this.bar.showPace(answer.pace);
    this.showBar();
    this.player.wake();
    this.drawCharts();
    this.root.dataset.state = answer.state;
  }

  /** Show what has been learned without playing it. */
  jump() {
    this.player.position = this.learned.total;
    this.told = this.milestones.found.length;
    this.board.draw(this.sentence.piecesAt(this.player.position));
    this.moved();
  }

  get isTraining() {
    return this.answer?.state === "running" || ["waiting", "starting", "counting"].includes(this.answer?.state ?? "");
  }

  get isOver() {
    return ENDED.includes(this.answer?.state ?? "");
  }

  // ---- the show

  /**
   * @param {number} merge
   * @param {number} rate
   */
  onMerge(merge, rate) {
    this.played += 1;
    const { sentence, board, headline } = this;
    const isHere = sentence.isChangedBy(merge);
    if (rate <= FLOW) {
      this.drop();
      if (isHere && rate <= SLOW) this.hold(merge);
      else if (isHere) board.draw(this.sentence.piecesAt(merge), Math.min(1, 4 / rate));
      headline.show(merge, this.learned, sentence);
    } else {
      const now = performance.now();
      if (isHere) this.telling = merge;
      if (now - this.lastShown > 350) {
        headline.flow(rate, this.telling || merge, this.learned);
        this.telling = 0;
        this.lastShown = now;
      }
    }
  }

  /**
   * Light up a pair before it is joined.
   * @param {number} merge
   */
  hold(merge) {
    this.board.draw(this.sentence.piecesAt(merge - 1));
    this.board.point(this.sentence.madeBy(merge));
    this.held = merge;
    this.heldTimer = setTimeout(() => this.drop(), HOLD);
  }

  /** Join the pair that is lit up. */
  drop() {
    if (!this.held) return;
    clearTimeout(this.heldTimer);
    this.board.draw(this.sentence.piecesAt(this.held), 1);
    this.headline.tick(this.sentence.tokensAt(this.held));
    this.held = 0;
  }

  /** The player stands somewhere else: everything moves there. */
  moved() {
    const { position } = this.player;
    const { sentence, headline } = this;
    const isFlow = this.player.rate > FLOW && this.player.isBusy;
    if (!isFlow && position && !this.player.isBusy) headline.show(position, this.learned, sentence);
    if (!position) headline.say(this.label("start", { count: sentence.bytes.length }));
    if (this.held !== position) {
      this.held = 0;
      this.board.draw(this.sentence.piecesAt(position));
      headline.tick(sentence.tokensAt(position));
    }
    this.tellMilestones();
    this.showBar();
    this.drawCharts();
  }

  showBar() {
    const { player, learned, answer } = this;
    const isPlaying = player.isLive ? this.isTraining || player.isBusy : player.isPlaying;
    this.bar.show({
      position: player.position,
      total: learned.total,
      goal: this.isOver ? learned.total : (answer?.goal ?? 0),
      isPlaying,
      isLive: player.isLive && !this.isOver,
      canStep: Boolean(this.options.steer) && !this.isOver,
    });
    this.bar.live.hidden = this.isOver;
    this.root.dataset.position = String(player.position);
    this.root.dataset.played = String(this.played);
    this.root.dataset.tokens = String(this.sentence.tokensAt(player.position));
  }

  tellMilestones() {
    const { found } = this.milestones;
    const most = Number(this.bar.slider.max);
    this.bar.flag(found, most);
    const passed = found.filter(({ merge }) => merge <= this.player.position).length;
    if (passed > this.told) this.tell(found[passed - 1]);
    this.told = passed;
  }

  /** @param {Milestone} milestone */
  tell({ says, kind }) {
    this.banner.textContent = says;
    this.banner.className = `banner on ${kind}`;
    clearTimeout(this.bannerTimer);
    this.bannerTimer = setTimeout(() => this.banner.classList.remove("on"), BANNER);
  }

  // ---- charts: at most four times a second

  drawCharts() {
    if (this.chartTimer) return;
    this.chartTimer = setTimeout(() => {
      this.chartTimer = 0;
      const { learned, sentence, options, player } = this;
      this.newest.draw(player.position, learned);
      const total = Math.max(1, Number(this.bar.slider.max));
      const key = `${learned.total} ${total} ${this.others.length} ${this.others[0]?.learned}`;
      if (key !== this.raceKey) {
        this.raceKey = key;
        const own = { name: this.label("race_sentence"), steps: sentence.steps, levels: options.levels, learned: learned.total };
        this.race.show([own, ...this.others], total, this.note);
      }
      this.race.mark(player.position);
    }, CHARTS);
  }

  async askRace() {
    if (!this.options.race || this.ended.signal.aborted) return;
    const learned = this.learned.total;
    if (learned && learned !== this.raced) {
      const response = await fetch(this.options.race, { cache: "no-store" }).catch(() => null);
      if (response?.ok && !this.ended.signal.aborted) {
        const { runners, note } = await response.json();
        [this.others, this.note, this.raced] = [runners, note, runners[0]?.learned ?? learned];
        this.drawCharts();
      }
    }
    if (this.isOver && this.raced === this.learned.total) return;
    if (!this.ended.signal.aborted) this.raceTimer = setTimeout(() => this.askRace(), RACE);
  }

  // ---- what can be taken away

  /** The training as far as it has come. */
  saved() {
    const { learned, others, note } = this;
    const merges = learned.left.flatMap((left, at) => [left, learned.right[at], learned.counts[at]]);
    const pace = "gathering";
    /** @type {Answer} */
    const answer = { state: "done", says: "", pace, learned: learned.total, goal: learned.total, merges };
    return { answer, runners: others, note };
  }

  slide() {
    const { sentence, player, options } = this;
    const number = (/** @type {number} */ count) => count.toLocaleString(options.locale);
    const own = sentence.tokensAt(player.position);
    /** @type {[string, string][]} */
    const numbers = [[number(own), this.label("slide_own", { merge: player.position })]];
    for (const { name, count } of options.levels.filter((_, at) => at !== 1)) numbers.push([number(count), name]);
    return slideOf(this.root, this.board, { title: this.label("slide_title"), source: options.what, numbers });
  }

  // ---- what people do

  /** @param {Press} press */
  press(press) {
    const { player, feed } = this;
    if (press === "full_screen") this.fullScreen();
    else if (press === "back") this.go(player.position - 1);
    else if (press === "forward") this.forward();
    else if (press === "live") this.go(this.learned.total);
    else if (press === "play") this.play();
    else if (player.isLive && this.options.steer && this.isTraining) feed.command("pause");
    else player.pause();
  }

  toggle() {
    this.press(this.bar.isPlaying ? "pause" : "play");
  }

  play() {
    const { player, feed } = this;
    if (player.isLive && this.options.steer && this.answer?.state === "paused") feed.command("resume");
    else if (player.isLive && !this.isOver) this.go(this.learned.total);
    else player.play();
  }

  forward() {
    const { player } = this;
    if (player.position >= this.learned.total) {
      if (this.options.steer && !this.isOver) this.feed.command("step");
      return;
    }
    const merge = player.position + 1;
    this.drop();
    player.position = merge;
    player.isPlaying = false;
    if (this.sentence.isChangedBy(merge)) this.hold(merge);
    player.isLive = merge >= this.learned.total;
    this.moved();
  }

  /** @param {number} merges */
  go(merges) {
    this.player.go(merges);
  }

  /** @param {string} name */
  setPace(name) {
    this.isPaceTouched = true;
    this.player.pace = RATES[name];
    this.player.seconds = 0;
    if (!this.isOver) this.feed.command(`pace-${name}`);
  }

  fullScreen() {
    if (this.isFull) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const target = event.composedPath()[0];
    const isTyping = target instanceof HTMLElement && target.matches("input:not([type=range]), textarea, select, [contenteditable]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "p") this.toggle();
    else if (key === "s") this.forward();
    else if (key === "e") this.toTheEnd();
    else if (key === "pageup" && this.isFull && !this.options.presents) this.press("back");
    else if (key === "pagedown" && this.isFull && !this.options.presents) this.forward();
    else return;
    event.preventDefault();
  }

  toTheEnd() {
    if (this.isOver) return this.go(this.learned.total);
    this.bar.showPace("full");
    this.go(this.learned.total);
    this.feed.command("end");
  }
}
