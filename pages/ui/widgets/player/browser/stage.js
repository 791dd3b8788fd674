// The stage: one sentence, recoloured by each merge of a training, with one player for all that moves.
// @ts-check

import { Bar, Editor } from "./bar.js";
import { Board } from "./board.js";
import { Charts } from "./charts.js";
import { ENDED, Feed } from "./feed.js";
import { Headline } from "./headline.js";
import { Banner, Milestones } from "./milestones.js";
import { answerWhere, notePlace, takePlace } from "./place.js";
import { Player, READ_MERGES } from "./player.js";
import { saveMenu } from "./saves.js";
import { Learned, Sentence } from "./sentence.js";
import { ancestorsOf, isDark, make } from "../../token_view/browser/elements.js";
import { keyOf } from "../../token_view/browser/pressed.js";
import { labelsOf } from "../../token_view/browser/words.js";

/** @import { Answer, FilmPlace, Milestone, Options } from "./types.d.ts" */

const FLOW = 15; // merges a second; above that, eyes cannot follow each
const SLOW = 5; // merges a second; up to this, a pair lights up before it is joined
const FOLLOWED = 40; // merges that are shown each, of the usual show
const HOLD = 240; // milliseconds; longer where a merge stays long enough
const MOST_HOLD = 1400;
const STILL = 2500; // milliseconds in which merge 0 stands still before the show
const PHONE = 600; // pixels, as in the style sheet
const NARROW = 820; // pixels; below that everything stands one under another
const LOWER = 0.31; // of the screen, for the race below the sentence
const LEAST_LOWER = 250; // pixels
const LEAST_BOARD = 150;
const MOST_TYPE = 130; // pixels
const BETWEEN = 28; // pixels between the show and what is below it, and below that
const TYPING = "input:not([type=range]), textarea, select, [contenteditable]";

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
    stage = new Stage(parentElement, options, {
      cut: (text) => setTriggerValue("sentence", text),
      compare: () => setTriggerValue("compare", true),
      exports: () => setTriggerValue("exports", true),
      train: () => setTriggerValue("train", true),
    });
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
   * @param {{ cut: (text: string) => void, compare: () => void, exports: () => void, train: () => void } | null} app
   *   what only the app can do
   */
  constructor(parent, options, app = null) {
    this.options = options;
    this.learned = new Learned();
    this.sentence = new Sentence(options.text, options.pretokens, options.clusters, options.superwords);
    const label = (this.label = labelsOf(options));
    this.milestones = new Milestones(this.sentence, options.levels, label);
    /** @type {Answer | null} */
    this.answer = null;
    this.showsOutcome = false;
    this.isSaying = false; // what the training does while no merges come
    this.lastShown = 0; // when the headline changed
    this.played = 0; // merges shown one by one, for whoever counts
    this.fitted = [0, 0]; // the width and height that the type was fitted to
    this.room = Infinity; // pixels that are kept for the headline before a room
    this.jumpedTo = -1; // a milestone whose words stay as long as somebody stays there
    this.furthest = 0; // the last merge that was shown so far
    this.telling = 0; // a merge of the sentence, to be named in the flow
    this.held = this.heldTimer = 0; // a merge whose pair is lit up, and that is drawn in a moment
    this.stillTimer = 0; // until the show begins by itself
    this.isPaceTouched = false;
    this.pace = ""; // that of the training
    // In place of full speed, once it is over: whoever ran to the end has seen nothing, but not who chose that speed.
    this.paceAgain = options.is_at_once ? "full" : "gathering";
    /** @type {FilmPlace | null} */
    this.place = null; // from where to go on, once so many merges are here
    this.isFollowed = false; // whether the film goes on in another stage
    this.beginsItself = !options.presents; // after a moment
    this.isAwaited = false; // whether somebody has started the show before there was anything to show
    this.goesOn = false; // whether a paused training goes on once the film has caught up

    this.root = make("div", "token-view stage");
    this.root.tabIndex = -1;
    this.headline = new Headline(this);
    this.board = new Board(this.sentence, options.tints, { tintOf: (bytes) => this.learned.tintOf(bytes, options.tints) });
    this.banner = new Banner(() => !this.bar.isPlaying && !this.isAtEnd);
    this.starter = this.makeStarter();
    this.bar = new Bar(this);
    this.charts = new Charts(this);
    const show = (this.show = make("div", "show"));
    show.append(this.headline.element, this.banner.element, this.starter, this.board.element, this.bar.element);
    if (app) {
      const editor = new Editor(label, options.text, options.most ?? 0, app.cut);
      this.bar.element.append(editor.opener);
      show.append(editor.form);
      this.headline.addWay("compare", app.compare);
      this.headline.addWay("sentence", () => editor.open(true));
    }
    this.headline.addWay("again", () => this.replay());
    if (app) this.headline.addWay("exports", app.exports);
    this.headline.train = app?.train ?? null;
    this.bar.element.append(saveMenu(this).element);
    const below = make("div", "below");
    below.append(this.charts.race.element, this.charts.newest.element);
    const more = (this.more = make("details", "more")); // closed at the end on a phone
    more.open = true;
    more.append(make("summary", "", label("end_figures")), below);
    more.ontoggle = () => more.open && this.charts.race.fit();
    const heading = make("h1", options.saved ? "replay-title" : "unseen", options.saved ? options.what : options.title);
    this.root.append(heading, show, more);
    parent.append(this.root);

    this.player = new Player({
      total: () => this.learned.total,
      staysAt: (merge) => this.milestones.slows.has(merge),
      isSeen: (merge) => this.sentence.isChangedBy(merge),
      onMerge: (merge, rate) => this.onMerge(merge, rate),
      onMoved: () => this.moved(),
    });
    this.feed = new Feed(options, {
      known: () => this.learned.total,
      onAnswer: (answer) => this.take(answer),
      onLost: (isLost) => this.banner.stay(isLost ? label("lost") : ""),
    });
    this.board.draw(this.sentence.piecesAt(0));
    this.showStart();
    this.headline.tick(this.sentence.bytes.length);
    this.ended = new AbortController();
    answerWhere(this, this.ended.signal);
    document.addEventListener("keydown", (event) => this.onKey(event), { signal: this.ended.signal });
    window.addEventListener("resize", () => this.fit(), { signal: this.ended.signal });
    document.addEventListener("fullscreenchange", () => this.fit(), { signal: this.ended.signal });
    this.watch = new ResizeObserver(() => {
      this.fit();
      this.showFlags();
      if (!options.presents) for (const each of this.above) keepHeight(each);
    });
    this.watch.observe(this.board.element);
    this.watch.observe(this.bar.flags);
    for (const each of this.above) this.watch.observe(each);
    this.showBar();
    this.feed.start();
    this.charts.ask();
  }

  remove() {
    notePlace(this);
    this.feed.stop();
    this.player.stop();
    this.watch.disconnect();
    this.ended.abort();
    clearTimeout(this.heldTimer);
    clearTimeout(this.stillTimer);
    this.banner.stop();
    this.charts.stop();
    this.root.remove();
  }

  /** What begins the show before a room, and says which key does; a finger has no keys. */
  makeStarter() {
    const hasKeys = !matchMedia("(hover: none) and (pointer: coarse)").matches;
    const starter = make("button", "starter", `▶ ${this.label(hasKeys ? "start_key" : "play")}`);
    starter.type = "button";
    starter.hidden = true;
    starter.onclick = () => this.begin();
    return starter;
  }

  // ---- looks

  dress() {
    this.root.classList.toggle("dark", isDark(this.bar.pace));
    this.fit();
  }

  get isFull() {
    return document.fullscreenElement !== null;
  }

  /** What stands above the sentence, and moves neither it nor the bar below it. */
  get above() {
    return [this.headline.element, this.banner.element];
  }

  /** The sentence as large as the screen allows, and below it, on the same screen, the race. */
  fit() {
    const { clientWidth } = this.board.element;
    const [width, height] = this.fitted;
    const { presents } = this.options;
    const isFitted = Math.abs(clientWidth - width) < 20 && innerHeight === height;
    const isCut = presents && this.headline.element.offsetHeight > this.room; // words that were not known before
    if (!clientWidth || (isFitted && !isCut)) return;
    this.fitted = [clientWidth, innerHeight];
    if (presents) this.keepRoom(isFitted ? this.headline.element.offsetHeight : 0);
    else if (Math.abs(clientWidth - width) >= 20) for (const each of this.above) each.style.minHeight = "";
    const isNarrow = clientWidth < NARROW && !presents;
    const screen = presents ? this.root.clientHeight : innerHeight - topOf(this.root) - BETWEEN;
    const controls = this.show.offsetHeight - this.board.element.offsetHeight;
    const lower = presents ? 0 : Math.max(LEAST_LOWER, innerHeight * LOWER);
    const free = isNarrow ? innerHeight * LOWER : Math.max(LEAST_BOARD, screen - controls - lower);
    this.board.fit(free, this.isFull || presents ? 160 : MOST_TYPE, this.sentence.piecesAt(0));
    const left = isNarrow ? LEAST_LOWER : Math.max(LEAST_LOWER, screen - this.show.offsetHeight);
    this.root.style.setProperty("--lower", `${left}px`);
    this.charts.race.fit();
    this.showFlags();
  }

  /**
   * Before a room: keep the height that the headline needs at any merge of the sentence, and at any of the first ones, so
   * that nothing below it moves.
   * @param {number} least
   */
  keepRoom(least) {
    const { headline, sentence, learned, show } = this;
    const probe = new Headline(this);
    probe.addWay("again", () => {});
    probe.tick(sentence.bytes.length);
    probe.element.style.cssText = `position: absolute; visibility: hidden; width: ${headline.element.clientWidth}px`;
    show.append(probe.element);
    const followed = [...Array(Math.min(FOLLOWED, learned.total)).keys()].map((at) => at + 1);
    const heights = [...sentence.steps.map(({ merge }) => merge), ...followed].map((merge) => {
      if (merge) probe.show(merge);
      else probe.showStart();
      return probe.element.offsetHeight;
    });
    probe.showEnd(learned.total, this.answer);
    this.room = Math.max(least, probe.element.offsetHeight, ...heights);
    probe.element.remove();
    headline.element.style.minHeight = `${this.room}px`;
  }

  // ---- what the training says

  /** @param {Answer} answer */
  take(answer) {
    const hadNone = !this.learned.total;
    const wasOver = this.isOver;
    this.answer = answer;
    this.learned.superwordsAfter = answer.superwords_after ?? Infinity;
    this.learned.add(answer.merges, answer.served);
    for (const merge of this.sentence.take(this.learned)) this.milestones.look(merge);
    this.milestones.reach(this.learned.total);
    this.sayWhatHappens(answer.says);
    if (!this.isPaceTouched) {
      const hasRun = this.isOver && answer.pace === "full";
      const pace = hasRun ? this.paceAgain : answer.pace;
      this.bar.showPace(pace);
      if (pace !== this.pace) this.player.setPace(pace);
      if (hasRun) this.player.hurries = true; // to what is still to be shown live
      this.pace = pace;
    }
    if (hadNone && this.learned.total) {
      if (this.options.presents) {
        this.fitted = [0, 0]; // now it is known what the headline will say
        this.fit();
      }
      this.open();
    } else if (this.place) this.goOn(this.place);
    if (this.showsOutcome) this.showOutcome();
    if (answer.state === "paused") this.player.hurries = true;
    if (!wasOver && this.isAtEnd) this.moved(); // it was stopped when all had been shown
    this.showBar();
    this.player.wake();
    this.charts.later();
    this.root.dataset.state = answer.state;
  }

  /**
   * Say what the training does while no merges come, unless merges are still to be shown or the past is.
   * @param {string} says
   */
  sayWhatHappens(says) {
    const { player, learned } = this;
    const isAtNewest = player.isLive && !player.isHeld && player.position === learned.total;
    const isSaid = Boolean(says) && (isAtNewest || !learned.total);
    if (isSaid) this.headline.say(says);
    else if (this.isSaying && isAtNewest && learned.total) this.moved();
    this.isSaying = isSaid;
  }

  /**
   * There are merges to show: from where they were shown last, or from the first one, unless this tab has shown them or
   * the visitor wants full speed.
   */
  open() {
    const { player, milestones, options } = this;
    this.place = options.saved ? null : takePlace(this);
    if (this.place) return this.goOn(this.place);
    const isAtOnce = options.is_at_once && !options.presents;
    if (!isAtOnce && (options.saved || options.presents || !isShownAgain(options.name))) return this.stand();
    milestones.old = milestones.found.length;
    player.hurries = true;
    if (this.isOver) player.go(this.learned.total);
    else player.begin();
  }

  /**
   * Go on where the film was shown last, playing if it was playing, once so many merges are here.
   * @param {FilmPlace} place
   */
  goOn(place) {
    const { player, milestones, learned, bar } = this;
    const isHere = learned.total >= place.position;
    if (isHere) this.place = null;
    if (place.isHeld) return this.stand();
    milestones.old = milestones.found.filter(({ merge }) => merge <= place.position).length;
    player.go(place.position);
    player.isLive = isHere && place.isLive;
    if (!isHere) return;
    if (place.pace) {
      this.isPaceTouched = true;
      bar.showPace(place.pace);
      player.setPace(place.pace);
    }
    const { isPlaying, hurries, seconds, stayed } = place;
    Object.assign(player, { isPlaying, hurries, seconds, stayed });
    this.showBar();
    player.wake();
  }

  /** Before a room: show the end again, once it is here. */
  showOutcome() {
    this.showsOutcome = !this.isOver;
    if (!this.isOver) return;
    this.milestones.old = this.milestones.found.length; // the room has been told of them
    this.go(this.learned.total);
  }

  /** Let merge 0 stand still: before a room until somebody starts the show, unless the room has started the training. */
  stand() {
    this.player.isHeld = true;
    this.showStart();
    if (this.isAwaited && this.options.presents) this.begin();
    else if (this.beginsItself) this.stillTimer = setTimeout(() => this.begin(), STILL);
  }

  /** Say what the stripes are, and how a merge comes about, which stays to be read over the first merges. */
  showStart() {
    this.headline.showStart();
    this.banner.show(this.label(this.options.presents ? "start_rule_room" : "start_rule"), "rule");
  }

  /** Let the show begin. Live, it ends when the training does; before a room it waits for nobody. */
  begin() {
    clearTimeout(this.stillTimer);
    const { player, options } = this;
    this.isAwaited = !this.learned.total; // whoever is too early need not press again
    if (!player.isHeld) return;
    if (this.isOver || options.presents) player.play();
    else player.begin();
    this.showBar();
  }

  /** A room that has started the training need not start its show. */
  beginItself() {
    this.beginsItself = true;
    if (this.player.isHeld) this.stand();
    this.showBar();
  }

  /** Show it all once more. */
  replay() {
    this.milestones.old = 0;
    if (this.player.pace === null) {
      this.setPace("gathering");
      this.bar.showPace("gathering");
    }
    this.player.go(0);
    this.stand();
    this.showBar();
  }

  get isTraining() {
    return ["waiting", "starting", "counting", "running"].includes(this.answer?.state ?? "");
  }

  get isAtEnd() {
    return this.isOver && this.player.position > 0 && this.player.position === this.learned.total;
  }

  /** The merges up to the moment that is shown; a pair that is only lit up is still to be joined. */
  get joined() {
    return this.player.position - (this.held ? 1 : 0);
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
      if (isHere && rate <= SLOW) this.hold(merge, Math.max(HOLD, Math.min(MOST_HOLD, 300 / rate)));
      else if (isHere) board.draw(this.sentence.piecesAt(merge), Math.min(1, 4 / rate));
      else board.settle();
      headline.show(merge);
    } else {
      const now = performance.now();
      if (isHere) this.telling = merge;
      if (now - this.lastShown > 350) {
        headline.flow(rate, this.telling || merge);
        this.telling = 0;
        this.lastShown = now;
      }
    }
  }

  /**
   * Light up a pair before it is joined.
   * @param {number} merge
   * @param {number} milliseconds
   */
  hold(merge, milliseconds = HOLD) {
    this.board.draw(this.sentence.piecesAt(merge - 1));
    this.board.point(this.sentence.madeBy(merge));
    this.held = merge;
    this.heldTimer = setTimeout(() => this.drop(), milliseconds);
  }

  /** Join the pair that is lit up. */
  drop() {
    if (!this.held) return;
    clearTimeout(this.heldTimer);
    this.board.draw(this.sentence.piecesAt(this.held), 1);
    this.board.shine(this.sentence.madeBy(this.held));
    this.headline.tick(this.sentence.tokensAt(this.held));
    this.held = 0;
    this.showBar();
    this.tellMilestones();
    this.charts.later();
  }

  /** The player stands somewhere else: everything moves there. */
  moved() {
    const { sentence, headline, player } = this;
    const { position, isBusy } = player;
    if (this.goesOn && player.isLive) {
      this.goesOn = false;
      this.feed.command("resume");
    }
    if (!position) this.showStart();
    else if (this.isAtEnd) this.showEnd();
    else if (!isBusy) headline.show(position);
    if (!this.held || this.held !== position) {
      this.held = 0;
      this.board.draw(this.sentence.piecesAt(position));
      headline.tick(sentence.tokensAt(position));
    }
    this.showBar();
    this.tellMilestones();
    this.charts.later();
  }

  showEnd() {
    if (!this.options.saved) isShownAgain(this.options.name); // seen before a room, it is not new on the page
    this.headline.showEnd(this.player.position, this.answer);
    const isPhone = this.board.element.clientWidth < PHONE && !this.options.presents;
    if (isPhone && this.headline.hint.isConnected) this.bar.element.after(this.headline.hint); // above the sentence it would push the bar away
    if (isPhone && !this.root.classList.contains("over")) this.more.open = false;
    this.root.classList.add("over");
  }

  showBar() {
    this.bar.show();
    this.charts.mark();
    const { position, isHeld } = this.player;
    this.starter.hidden = !isHeld || this.beginsItself;
    const said = { position, played: this.played, tokens: this.sentence.tokensAt(position) };
    for (const [name, value] of Object.entries(said)) this.root.dataset[name] = String(value);
  }

  /** The milestones that have been seen, on the timeline: none gives away what is still to come. */
  showFlags() {
    this.furthest = Math.max(this.furthest, this.joined);
    const shown = this.milestones.found.filter(({ merge }) => merge <= this.furthest);
    this.bar.flag(shown, Number(this.bar.slider.max));
  }

  tellMilestones() {
    const { found, passed } = this.milestones;
    const now = found.filter(({ merge }) => merge <= this.joined).length;
    this.showFlags();
    const hasLeft = this.jumpedTo >= 0 && this.jumpedTo !== this.player.position;
    if (hasLeft) this.jumpedTo = -1;
    if (this.milestones.pass(now)) this.banner.tell(found[now - 1]);
    else if (now < passed || hasLeft || (this.banner.isRule && this.joined > READ_MERGES)) this.banner.hide();
  }

  // ---- what people do

  toggle() {
    const { player, feed } = this;
    if (player.isHeld || (this.options.presents && !this.learned.total)) this.begin();
    else if (!this.bar.isPlaying) this.play();
    else if (player.isLive && this.options.steer && this.isTraining) feed.command("pause");
    else {
      this.goesOn = false;
      player.pause();
    }
  }

  back() {
    this.go(this.player.position - 1);
  }

  play() {
    const { player, feed } = this;
    const isPaused = Boolean(this.options.steer) && this.answer?.state === "paused";
    if (player.isLive && isPaused) feed.command("resume");
    else if (player.isLive && !this.isOver) this.go(this.learned.total);
    else {
      this.goesOn = isPaused;
      player.play();
    }
  }

  forward() {
    const { player } = this;
    if (!this.banner.isRule) this.banner.hide(); // its merge is over
    if (player.position >= this.learned.total) {
      if (this.options.steer && !this.isOver) this.feed.command("step");
      return;
    }
    const merge = player.position + 1;
    this.drop();
    player.position = merge;
    player.isPlaying = player.isHeld = false;
    if (this.sentence.isChangedBy(merge)) this.hold(merge);
    player.isLive = merge >= this.learned.total;
    this.moved();
  }

  /** @param {number} merges */
  go(merges) {
    const { player, feed, bar } = this;
    const wasLive = player.isLive;
    this.goesOn = false;
    player.go(merges);
    if (!this.options.steer || !bar.waiting.checked || wasLive === player.isLive) return;
    if (wasLive && this.isTraining) feed.command("pause");
    else if (!wasLive && this.answer?.state === "paused") feed.command("resume");
  }

  /**
   * Look at a place on the timeline; say so if the training has not come as far.
   * @param {number} merges
   */
  seek(merges) {
    const { total } = this.learned;
    this.go(merges);
    if (merges > total && !this.isOver) this.banner.tell({ merge: total, kind: "rule", says: this.label("not_yet", { count: total }), name: "" });
  }

  /**
   * Look at a milestone, with its words.
   * @param {Milestone} milestone
   */
  jump(milestone) {
    this.go(milestone.merge);
    this.banner.tell(milestone);
    this.jumpedTo = milestone.merge;
  }

  /** @param {string} name */
  setPace(name) {
    this.isPaceTouched = true;
    this.player.setPace(name);
    if (!this.isOver) this.feed.command(`pace-${name}`);
  }

  /**
   * P plays and pauses, S learns one merge, E runs to the end; on a full screen also Space, arrows, and a remote's keys.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    const [target] = event.composedPath();
    if (target instanceof HTMLElement && target.matches(TYPING)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isControl = target instanceof HTMLElement && target.matches("button, input");
    const isFree = !this.options.presents && !isControl; // a deck has these keys for itself
    const isRemote = this.isFull && isFree;
    const key = keyOf(event);
    if (key === "p") this.toggle();
    else if (key === "s") this.forward();
    else if (key === "e") this.toTheEnd();
    else if (isFree && key === "ArrowLeft") this.back();
    else if (isFree && key === "ArrowRight") this.forward();
    else if (isRemote && key === "PageUp") this.back();
    else if (isRemote && key === "PageDown") this.forward();
    else if (isRemote && key === " ") this.toggle();
    else return;
    event.preventDefault();
  }

  toTheEnd() {
    if (this.isOver) return this.go(this.learned.total);
    const { bar } = this;
    if (bar.pace.value !== "full") this.paceAgain = bar.pace.value;
    [this.isPaceTouched, this.pace] = [false, ""]; // the training has full speed now
    bar.showPace("full");
    this.go(this.learned.total);
    this.feed.command("end");
  }
}

/**
 * Keep the greatest height that an element had, so that nothing below it comes back up when it says less.
 * @param {HTMLElement} element
 */
function keepHeight(element) {
  const { minHeight } = element.style;
  if (element.offsetHeight > Number.parseFloat(minHeight || "0")) element.style.minHeight = `${element.offsetHeight}px`;
}

/**
 * How far down the page an element starts, however far it is scrolled.
 * @param {Element} element
 */
function topOf(element) {
  return ancestorsOf(element).reduce((top, each) => top + each.scrollTop, element.getBoundingClientRect().top);
}

/**
 * Whether this tab has shown a stage of this name before; notes that it does now. A browser may keep no notes.
 * @param {string} name
 */
export function isShownAgain(name) {
  try {
    const isKnown = sessionStorage.getItem(`stage ${name}`) !== null;
    sessionStorage.setItem(`stage ${name}`, "shown");
    return isKnown;
  } catch {
    return false;
  }
}
