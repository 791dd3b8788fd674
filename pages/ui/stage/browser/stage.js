// The stage: one sentence, recoloured by each merge of a training, with one player for all that moves.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { Banner } from "./banner.js";
import { Bar } from "./bar.js";
import { Board } from "./board.js";
import { Charts } from "./charts.js";
import { Editor } from "./editor.js";
import { ENDED, Feed } from "./feed.js";
import { Headline } from "./headline.js";
import { listenToKeys } from "./keys.js";
import { Learned } from "./learned.js";
import { Milestones } from "./milestones.js";
import { Player } from "./player.js";
import { Saves } from "./saves.js";
import { isDark, isShownAgain, toggleFullScreen } from "./screen.js";
import { Sentence } from "./sentence.js";
import { labelsOf } from "./words.js";

/** @import { Press } from "./bar.js" */
/** @import { Answer, Options } from "./types.d.ts" */

const FLOW = 15; // merges a second; above that, eyes cannot follow each
const SLOW = 5; // merges a second; up to this, a pair lights up before it is joined
const HOLD = 240; // milliseconds

// One stage for each place where Streamlit mounts the component.
/** @type {WeakMap<ShadowRoot | Element, Stage>} */
const INSTANCES = new WeakMap();

/**
 * What Streamlit calls for each run of the page.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element,
 *   setTriggerValue: (name: string, value: unknown) => void }} component
 */
export default function showStage({ data, parentElement, setTriggerValue }) {
  /** @type {Options} */
  const options = JSON.parse(new TextDecoder().decode(data));
  let stage = INSTANCES.get(parentElement);
  if (stage?.options.name !== options.name || stage.options.locale !== options.locale) {
    stage?.remove();
    stage = new Stage(parentElement, options, (text) => setTriggerValue("sentence", text));
    INSTANCES.set(parentElement, stage);
  }
  stage.charts.askAt(options.race);
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
   * @param {((text: string) => void) | null} onSentence
   */
  constructor(parent, options, onSentence = null) {
    this.options = options;
    this.learned = new Learned();
    this.sentence = new Sentence(options.text, options.pretokens, options.clusters);
    const label = (this.label = labelsOf(options));
    this.milestones = new Milestones(this.sentence, options.levels, label);
    /** @type {Answer | null} */
    this.answer = null;
    this.lastShown = 0; // when the headline changed
    this.played = 0; // merges shown one by one, for whoever counts
    this.fitted = [0, 0]; // the width and height that the type was fitted to
    this.telling = 0; // a merge of the sentence, to be named in the flow
    this.held = this.heldTimer = 0; // a merge whose pair is lit up, and that is drawn in a moment
    this.isPaceTouched = false;

    this.root = make("div", "token-view stage");
    this.root.tabIndex = -1;
    this.headline = new Headline(label, options.tints);
    this.board = new Board(options.tints);
    this.banner = new Banner();
    this.bar = new Bar(label, {
      onPress: (press) => this.press(press),
      onGo: (merges) => this.go(merges),
      onPace: (name) => this.setPace(name),
    });
    this.charts = new Charts(this, label);
    const show = make("div", "show");
    show.append(this.headline.element, this.banner.element, this.board.element, this.bar.element);
    if (onSentence) {
      const editor = new Editor(label, options.text, options.most ?? 0, onSentence);
      this.bar.element.append(editor.opener);
      show.append(editor.form);
    }
    this.bar.element.append(new Saves(label, this).element);
    const more = make("div", "below");
    more.append(this.charts.race.element, this.charts.newest.element);
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
      onLost: (isLost) => this.banner.stay(isLost ? label("lost") : ""),
    });
    this.board.show(this.sentence);
    this.board.draw(this.sentence.piecesAt(0));
    this.headline.showStart(this.sentence);
    this.headline.tick(this.sentence.bytes.length);
    this.ended = new AbortController();
    listenToKeys(this, this.ended.signal);
    window.addEventListener("resize", () => this.fit(), { signal: this.ended.signal });
    document.addEventListener("fullscreenchange", () => this.fit(), { signal: this.ended.signal });
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.board.element);
    this.showBar();
    this.feed.start();
    this.charts.ask();
  }

  remove() {
    this.feed.stop();
    this.player.stop();
    this.watch.disconnect();
    this.ended.abort();
    clearTimeout(this.heldTimer);
    this.banner.stop();
    this.charts.stop();
    this.root.remove();
  }

  // ---- looks

  dress() {
    this.root.classList.toggle("dark", isDark(this.bar.pace));
    this.fit();
  }

  get isFull() {
    return document.fullscreenElement !== null;
  }

  fit() {
    const { clientWidth } = this.board.element;
    const [width, height] = this.fitted;
    if (!clientWidth || (Math.abs(clientWidth - width) < 20 && innerHeight === height)) return;
    this.fitted = [clientWidth, innerHeight];
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
    else if (isFirst && isShownAgain(this.options.name)) this.banner.old = this.milestones.found.length;
    if (answer.says && !this.learned.total) this.headline.say(answer.says);
    if (isFirst || !this.isPaceTouched) this.bar.showPace(answer.pace);
    this.showBar();
    this.player.wake();
    this.charts.later();
    this.root.dataset.state = answer.state;
  }

  /** Show what has been learned without playing it. */
  jump() {
    this.player.position = this.learned.total;
    this.banner.told = this.milestones.found.length;
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
    const { sentence, headline, player } = this;
    const { position, isBusy } = player;
    if (!position) headline.showStart(sentence);
    else if (this.isOver && position === this.learned.total) headline.showEnd(position, sentence);
    else if (!isBusy) headline.show(position, this.learned, sentence);
    if (!this.held || this.held !== position) {
      this.held = 0;
      this.board.draw(this.sentence.piecesAt(position));
      headline.tick(sentence.tokensAt(position));
    }
    this.tellMilestones();
    this.showBar();
    this.charts.later();
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
      isWatching: Boolean(this.options.feed) && !this.options.steer && !this.isOver,
    });
    this.bar.live.hidden = this.isOver;
    this.bar.waits.hidden = this.isOver || !this.options.steer;
    const { position } = player;
    const said = { position, played: this.played, tokens: this.sentence.tokensAt(position) };
    for (const [name, value] of Object.entries(said)) this.root.dataset[name] = String(value);
  }

  tellMilestones() {
    const { found } = this.milestones;
    this.bar.flag(found, Number(this.bar.slider.max));
    const passed = found.filter(({ merge }) => merge <= this.player.position).length;
    this.banner.pass(found, passed);
  }

  // ---- what people do

  /** @param {Press} press */
  press(press) {
    const { player, feed } = this;
    if (press === "full_screen") toggleFullScreen(this.root);
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
    const { player, feed, bar } = this;
    const wasLive = player.isLive;
    player.go(merges);
    if (!this.options.steer || !bar.waiting.checked || wasLive === player.isLive) return;
    if (wasLive && this.isTraining) feed.command("pause");
    else if (!wasLive && this.answer?.state === "paused") feed.command("resume");
  }

  /** @param {string} name */
  setPace(name) {
    this.isPaceTouched = true;
    this.player.setPace(name);
    if (!this.isOver) this.feed.command(`pace-${name}`);
  }

  toTheEnd() {
    if (this.isOver) return this.go(this.learned.total);
    this.bar.showPace("full");
    this.go(this.learned.total);
    this.feed.command("end");
  }
}
