// Lessons: cards to choose from, and one screen at a time of the lesson that is open.
// @ts-check

import { keepInAddress, noteInAddress } from "../../widgets/slides/browser/address.js";
import { shutBehind } from "../../widgets/slides/browser/behind.js";
import { closeByAnyKey, keyLines, keyList } from "../../widgets/slides/browser/keys.js";
import { addButton, ancestorsOf, isDark, make, toggleFullScreen } from "../../widgets/token_view/browser/elements.js";
import { keyOf } from "../../widgets/token_view/browser/pressed.js";
import { labelsOf } from "../../widgets/token_view/browser/words.js";
import { HAND } from "./by_hand.js";
import { ENCODE } from "./encoding.js";
import { LETTER } from "./letter.js";
import { Ranked, SentencePiece, piecesByGpt2, piecesByGpt4, withSpacesMarked } from "./merges.js";
import { NAIVE } from "./naive.js";
import { Kept, Room } from "./room.js";
import { CUT } from "./rules.js";
import { SAME } from "./same.js";
import { SEE } from "./see.js";
import { SIZE } from "./sizes.js";
import { SPECIAL } from "./special.js";

/** @import { LearnOptions, Tell } from "./types.d.ts" */

/** @type {Record<string, ((room: Room) => void)[]>} */
const SCREENS = { see: SEE, letter: LETTER, naive: NAIVE, hand: HAND, encode: ENCODE, cut: CUT, special: SPECIAL, same: SAME, size: SIZE };

/** Tokenizers that a lesson needs besides GPT-2's. @type {Record<string, string[]>} */
const NEEDED = { special: ["cl100k"], same: ["cl100k", "pieces"], size: ["cl100k"] };

/** @type {Record<string, (packed: Uint8Array) => Ranked>} */
const READERS = {
  gpt2: (packed) => new Ranked(packed, piecesByGpt2),
  cl100k: (packed) => new Ranked(packed, piecesByGpt4),
  pieces: (packed) => new SentencePiece(packed, withSpacesMarked),
};

// Pixels of the type of the cards before a room, where all of them are on the screen; less cannot be read from afar.
const MOST_OF_CARDS = 50;
const LEAST_OF_CARDS = 16;
// How large what is said and asked is before a room; 0.94 is 30 pixels, which are read from the last row.
const TYPE_SHARES = [1.17, 1.08, 1, 0.94, 0.86, 0.8];
const LEAST_SAID = 0.94;
// How large an answer is beside that.
const ANSWER_SHARES = [1, 0.93, 0.87, 0.81, 0.75, 0.7];
const LEAST_ANSWER = 0.69;
// How a screen saves space (see the style sheet): an answer stands below its question, beside it, or beside all that comes before, with what is said or without.
const SAVINGS = ["tight", "beside", "aside", "narrow", "few"];
/** From the largest answer to the smallest; what is said is small only where nothing else fits, fewer pairs neither. @type {[share: number, saves: string[], answer: number][]} */
const FITS = [[TYPE_SHARES[0], [], 1]];
for (const [isLarge, few] of /** @type {[boolean, string[]][]} */ ([[true, []], [true, ["few"]], [false, ["few"]]])) {
  const pairs = TYPE_SHARES.filter((share) => share >= LEAST_SAID === isLarge).flatMap((share) => ANSWER_SHARES.map((answer) => [share, answer]));
  const readable = pairs.filter(([share, answer]) => share * answer >= LEAST_ANSWER).sort((one, other) => other[0] * other[1] - one[0] * one[1]);
  for (const [share, answer] of readable) {
    for (const saves of [["tight"], ["tight", "beside"], ["tight", "aside"], ["tight", "aside", "narrow"]]) FITS.push([share, [...saves, ...few], answer]);
  }
}
const STRIP_SIZES = [6, 5.5, 5, 4.5, 4, 3.5, 3, 2.5, 2.25]; // the most that letters of a strip of tokens measure, in rem
const FIELDS = "input, select, textarea"; // they use keys themselves
const IS_NARROW = "(max-width: 640px)";
const IS_WIDE = "(min-width: 900px) and (min-height: 500px)"; // as in the style sheet
const HAS_NO_KEYS = "(hover: none) and (pointer: coarse)"; // as in the style sheet

/** @type {WeakMap<ShadowRoot | Element, Learn>} */
const PLACES = new WeakMap();

/**
 * What Streamlit calls for each run of the page; the lesson that is open stays open, in another language too.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element, setTriggerValue: Tell }} component
 */
export default function showLearn({ data, parentElement, setTriggerValue }) {
  /** @type {LearnOptions} */
  const options = JSON.parse(new TextDecoder().decode(data));
  const before = PLACES.get(parentElement);
  const key = JSON.stringify([options.locale, options.presents]);
  // The answer to the browser's Back may come after Forward: what the address no longer says is not asked any more.
  const isAsked = !before || (options.open === lessonIn(location.href) && options.open !== before.address);
  if (before?.key === key && !isAsked) before.dress();
  else {
    const learn = new Learn(options, setTriggerValue, key);
    before?.remove();
    parentElement.append(learn.element);
    if (options.presents) learn.openBehind = shutBehind(learn.element);
    PLACES.set(parentElement, learn);
    if (before?.lesson && !isAsked) learn.open(before.lesson, before.at);
    else learn.show(isAsked ? options.open : "");
    learn.dress();
  }
  return () => {
    PLACES.get(parentElement)?.remove();
    PLACES.delete(parentElement);
  };
}

/** The lesson that an address names. @param {string} address */
function lessonIn(address) {
  return new URL(address).searchParams.get("lesson") ?? "";
}

export class Learn {
  /**
   * @param {LearnOptions} options
   * @param {Tell} tell
   * @param {string} key
   */
  constructor(options, tell, key) {
    this.options = options;
    this.tell = tell;
    this.key = key;
    this.label = labelsOf(options);
    this.kept = new Kept(options);
    /** @type {Map<string, string>} the guess of each question */
    this.guesses = new Map();
    this.lesson = "";
    this.at = 0;
    this.fitted = 0; // the place in FITS
    this.strip = 0; // the place in STRIP_SIZES
    this.upNext = ""; // the first lesson that is not done
    /** @type {(() => void) | null} what shows the answer of a screen that has a way on only after it */
    this.reveal = null;
    /** @type {(() => void) | null} what the keys do on a screen that can be left, as long as there is something to do */
    this.step = null;
    this.stepWords = "";
    this.openBehind = () => {};
    /** @type {Record<string, Ranked>} those that are here */
    this.tokenizers = {};
    this.element = make("section", `token-view learn${options.presents ? " presents" : ""}`);
    this.element.setAttribute("aria-label", this.label("name"));
    this.ended = new AbortController();
    if (options.presents) {
      const { signal } = this.ended;
      this.keys = keyList([], this.sayKeys); // one for all screens, so that it can be opened while a lesson is loading
      closeByAnyKey(this.keys, signal);
      document.addEventListener("keydown", (event) => this.onKey(event), { signal });
      window.addEventListener("resize", () => this.fit(true), { signal });
      keepInAddress(options.what);
      for (const changed of ["click", "input"]) this.element.addEventListener(changed, () => this.fit());
      this.element.tabIndex = -1;
      this.element.addEventListener("click", ({ detail }) => detail && this.leaveFocused("button")); // a mouse leaves Space and Enter to the way on
    }
    const goBack = () => lessonIn(location.href) !== this.address && this.show(lessonIn(location.href));
    if (!options.isAlone) window.addEventListener("popstate", goBack, { signal: this.ended.signal });
    this.loading = this.load("gpt2");
    this.loading.catch(() => {}); // `open` says so
  }

  get names() {
    return Object.keys(this.options.lessons).filter((name) => name in SCREENS);
  }

  /** Fetch the tokens of a tokenizer, once. @param {string} name */
  async load(name) {
    const { tokens, isAlone } = this.options;
    if (this.tokenizers[name]) return;
    if (isAlone) this.tokenizers[name] = READERS[name](Uint8Array.from(atob(tokens[name]), (letter) => letter.charCodeAt(0)));
    else {
      const answer = await fetch(tokens[name]);
      if (!answer.ok) throw new Error(String(answer.status));
      this.tokenizers[name] = READERS[name](new Uint8Array(await answer.arrayBuffer()));
    }
  }

  remove() {
    this.openBehind();
    this.ended.abort();
    this.element.remove();
  }

  dress() {
    this.element.classList.toggle("dark", isDark(this.element));
  }

  // ---- all lessons

  showCards() {
    this.lesson = "";
    this.step = null;
    this.note();
    const { done } = this.kept.values;
    const list = make("ol", "lessons");
    const next = Math.max(0, this.names.findIndex((name) => !done.includes(name)));
    this.upNext = this.names[next];
    this.names.forEach((name, at) => {
      const item = list.appendChild(make("li"));
      const button = addButton(item, "", () => this.open(name, 0));
      const { minutes, number } = this.options.lessons[name];
      const head = button.appendChild(make("span", "card-head"));
      head.append(make("b", "", `${number}`), make("span", "", this.label("minutes", { count: minutes })));
      if (done.includes(name)) head.append(make("span", "done", `✓ ${this.label("done")}`));
      if (at === next && !done.includes(name)) head.append(make("span", "here", this.label(done.length ? "go_on" : "start_here")));
      button.append(make("strong", "", this.label(`${name}_name`)), make("span", "", this.label(`${name}_can`)));
    });
    list.children[next]?.classList.add("next");
    this.element.replaceChildren(list);
    if (!this.options.presents) return;
    this.element.append(this.withKeys(make("footer", "foot")));
    this.fit(true);
    this.element.focus({ preventScroll: true });
  }

  /** What the address says of what is open: a lesson, and its screen from the second one on. */
  get address() {
    return this.at && this.lesson ? `${this.lesson}.${this.at + 1}` : this.lesson;
  }

  /** Note in the address what is open; the browser's Back leads from a lesson to all of them, and to no screen. */
  note() {
    const isStep = !this.options.presents && lessonIn(location.href).split(".")[0] !== this.lesson;
    noteInAddress("lesson", this.address, isStep);
  }

  /** Show what an address says; all lessons, if it says nothing that is here. @param {string} address */
  show(address) {
    const [name, screen] = address.split(".");
    if (!Object.hasOwn(this.options.lessons, name)) return this.showCards();
    this.open(name, Math.max(0, Math.min((Number(screen) || 1) - 1, SCREENS[name].length)));
  }

  /** From a lesson to all of them, where the next one can be opened at once. */
  comeBack() {
    this.showCards();
    /** @type {HTMLElement | null} */ (this.element.querySelector(".next button"))?.focus();
  }

  // ---- before a room

  /** Add the hint at the list of keys, that list, and the way out. @param {HTMLElement} foot */
  withKeys(foot) {
    const say = this.sayKeys;
    this.black = make("div", "deck-black");
    this.black.hidden = true;
    this.black.onclick = () => this.uncover();
    this.help = make("span", "deck-help", say("help"));
    foot.insertBefore(this.help, foot.children[1] ?? null);
    const leave = addButton(foot, "✕", () => this.leave());
    leave.className = "leave";
    leave.title = leave.ariaLabel = say("leave");
    foot.append(this.keys ?? "", this.black);
    return foot;
  }

  get sayKeys() {
    return labelsOf({ labels: this.options.deck, locale: this.options.locale });
  }

  /** Show the list of what the keys do now; any key hides it. */
  showKeys() {
    if (!this.keys) return;
    const back = this.back?.disabled ? [] : ["key_back"];
    const along = !this.lesson ? ["key_lesson"] : this.reveal ? ["key_answer", ...back] : this.step ? back : ["key_move", "key_next"];
    const reach = this.lesson ? ["key_reach"] : [];
    const lines = keyLines([...along, ...reach, "key_black", "key_full", "key_leave", "key_list"], this.sayKeys);
    this.keys.replaceChildren(...(this.step ? [make("p", "", this.stepWords)] : []), ...lines);
    this.keys.hidden = false;
  }

  /**
   * Before a room, let the keys do something on a screen before they move on; nothing, if there is nothing left to do.
   * @param {string} [words] which keys, and what they do
   * @param {(() => void) | null} [step]
   */
  offer(words = "", step = null) {
    if (!this.options.presents) return;
    [this.stepWords, this.step] = [words, step];
    if (this.help) this.help.textContent = [this.sayKeys("help"), words].filter(Boolean).join(" · ");
  }

  leave() {
    keepInAddress("");
    this.tell("left", true);
  }

  /** Take the black screen away. @returns whether there was one */
  uncover() {
    const wasBlack = this.black?.hidden === false;
    if (this.black) this.black.hidden = true;
    return wasBlack;
  }

  /** As a story does: show the answer, or do what the screen is about, and only then go on; from the cards, to the first lesson that is not done. */
  advance() {
    if (!this.lesson) this.open(this.upNext, 0);
    else if (this.reveal) {
      this.reveal();
      this.fit();
    } else if (this.step) {
      this.step();
      this.fit();
    } else if (this.element.querySelector(".screen")) this.next?.click();
  }

  /** Give the keys back to the screen, if what has them is such an element. @param {string} kind @returns whether it was */
  leaveFocused(kind) {
    const { activeElement } = /** @type {ShadowRoot | Document} */ (this.element.getRootNode());
    const isThere = Boolean(activeElement?.matches(kind));
    if (isThere) this.element.focus({ preventScroll: true });
    return isThere;
  }

  /** @param {KeyboardEvent} event that nothing on a screen has used */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
    const [target] = event.composedPath();
    const isInField = target instanceof HTMLElement && target.matches(FIELDS);
    if (isInField && event.key !== "Enter" && event.key !== "Escape") return;
    const isOnButton = target instanceof HTMLElement && target.matches("button");
    if (isOnButton && (event.key === "Enter" || event.key === " ")) return;
    const isOnScreen = Boolean(this.element.querySelector(".screen"));
    const blacken = () => this.black && (this.black.hidden = this.uncover());
    const act = {
      ArrowRight: () => this.advance(),
      PageDown: () => this.advance(),
      Enter: () => this.leaveFocused(FIELDS) || this.advance(),
      " ": () => this.advance(),
      ArrowLeft: () => isOnScreen && this.back?.click(),
      PageUp: () => isOnScreen && this.back?.click(),
      Escape: () => this.uncover() || this.leaveFocused(FIELDS) || this.leave(),
      b: blacken,
      ".": blacken,
      f: () => toggleFullScreen(this.element),
      h: () => this.showKeys(),
    }[keyOf(event)];
    if (!act) return;
    if (!["b", ".", "Escape"].includes(keyOf(event))) this.uncover();
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Before a room, what is shown in type as large as fits; while somebody is at work, it never grows.
   * @param {boolean} [isNew] whether nothing has been fitted yet
   */
  fit(isNew = false) {
    if (!this.options.presents) return;
    const list = /** @type {HTMLElement | null} */ (this.element.querySelector(".lessons"));
    if (list) this.fitCards(list);
    else this.fitScreen(isNew);
  }

  /** @param {boolean} isNew */
  fitScreen(isNew) {
    if (isNew && this.reveal) this.fitAnswers();
    else if (isNew) this.fitAnew();
    this.shrink();
  }

  /** Find the type in which each answer fits, on a screen that nobody sees, so that it stays as large after the answer. */
  fitAnswers() {
    const { guesses, reveal, wait, step, stepWords } = this;
    const screen = this.element.querySelector(".screen");
    const first = wait?.textContent ?? "";
    this.guesses = new Map();
    const trial = this.newRoom();
    screen?.replaceWith(trial.element);
    this.fillRoom(trial);
    const choices = /** @type {NodeListOf<HTMLElement>} */ (trial.element.querySelectorAll(".ask [data-choice]"));
    for (const choice of choices) choice.click();
    /** @type {HTMLElement | null} */ (trial.element.querySelector(".gap-cut"))?.click();
    if (!choices.length) this.reveal?.();
    this.fitAnew();
    trial.element.replaceWith(screen ?? "");
    this.guesses = guesses;
    this.showNext(false, first, reveal ?? undefined);
    this.offer(stepWords, step);
  }

  /** The largest type, and then the largest strip of tokens that the space left allows. */
  fitAnew() {
    this.fitted = 0;
    this.strip = STRIP_SIZES.length - 1;
    this.shrink();
    this.strip = 0;
    this.shrink();
  }

  /** Smaller and smaller, the strip of tokens first, until what is shown fits. */
  shrink() {
    const { element } = this;
    for (;;) {
      const [share, saves, answer] = FITS[this.fitted];
      element.style.setProperty("--share", String(share));
      element.style.setProperty("--answer", String(answer));
      element.style.setProperty("--strip", `${STRIP_SIZES[this.strip]}rem`);
      for (const each of SAVINGS) element.classList.toggle(each, saves.includes(each));
      if (this.isWhole()) return;
      if (this.strip < STRIP_SIZES.length - 1) this.strip++;
      else if (this.fitted < FITS.length - 1) this.fitted++;
      else return;
    }
  }

  /** Whether nothing must be scrolled; in the narrow column beside a question, no table and no row of bits either. */
  isWhole() {
    const { element } = this;
    const wide = [...element.querySelectorAll(".asked :is(.scroll, .bits)")].filter(() => element.matches(".beside, .aside"));
    return element.scrollHeight <= element.clientHeight && wide.every((each) => each.scrollWidth <= each.clientWidth);
  }

  /** All cards in type as large as fits on the screen. @param {HTMLElement} list */
  fitCards(list) {
    this.element.classList.remove(...SAVINGS);
    list.style.fontSize = "";
    if (!matchMedia(IS_WIDE).matches) return;
    const cards = [...list.querySelectorAll("button")];
    for (let size = MOST_OF_CARDS; size >= LEAST_OF_CARDS; size--) {
      list.style.fontSize = `${size}px`;
      if (cards.every((card) => card.scrollHeight <= card.clientHeight && card.scrollWidth <= card.clientWidth)) return;
    }
  }

  // ---- one lesson

  /**
   * @param {string} name
   * @param {number} at
   */
  async open(name, at) {
    this.lesson = name;
    this.at = at;
    this.note();
    const needed = NEEDED[name] ?? [];
    if (["gpt2", ...needed].some((each) => !this.tokenizers[each])) {
      this.element.replaceChildren(make("p", "", this.label("loading")), this.keys ?? "");
      try {
        await Promise.all([this.loading, ...needed.map((each) => this.load(each))]);
      } catch {
        this.element.replaceChildren(make("p", "", this.label("failed")));
        return;
      }
    }
    if (this.lesson === name) this.draw();
  }

  get screens() {
    return SCREENS[this.lesson];
  }

  /** The lesson after this one; empty after the last. */
  get nextLesson() {
    return this.names[this.names.indexOf(this.lesson) + 1] ?? "";
  }

  /** The lesson before this one; empty before the first. */
  get lessonBefore() {
    return this.names[this.names.indexOf(this.lesson) - 1] ?? "";
  }

  /** What the way on is called at the end of a lesson; the name of the next one stays on one line, if it can. */
  get following() {
    if (!this.nextLesson) return [this.label("all")];
    return [`${this.label("next_lesson")} `, make("span", "whole-name", this.label(`${this.nextLesson}_name`))];
  }

  draw() {
    const { at, lesson, screens } = this;
    const top = make("header", "top");
    addButton(top, `‹ ${this.label("all")}`, () => {
      this.comeBack();
    }).className = "quiet";
    const steps = screens.length + 1;
    const { number } = this.options.lessons[lesson];
    const name = this.label(`${lesson}_name`);
    top.append(make("span", "where", this.label("where", { number, lesson: name, screen: at + 1, screens: steps })));
    const bar = make("progress");
    [bar.max, bar.value] = [steps, at + 1];
    bar.setAttribute("aria-label", this.label("progress"));
    const foot = make("footer", "foot");
    this.back = addButton(foot, this.label("back"), () => this.go(at - 1));
    this.back.disabled = this.back.hidden = at === 0 && !this.lessonBefore;
    this.wait = foot.appendChild(make("span", "wait"));
    this.next = addButton(foot, "", () => this.go(at + 1));
    this.next.append(...(at < screens.length ? [this.label("next")] : this.following));
    this.next.className = "strong";
    if (this.options.presents) this.withKeys(foot);
    const room = this.newRoom();
    this.element.replaceChildren(top, bar, room.element, foot);
    const heading = this.fillRoom(room);
    this.element.scrollTop = 0;
    this.fit(true);
    if (document.fonts.status === "loading") document.fonts.ready.then(() => room.element.isConnected && this.reveal && this.fit(true));
    if (matchMedia(IS_NARROW).matches && !this.options.presents) this.element.scrollIntoView(); // a step fills the screen
    heading.focus({ preventScroll: true });
  }

  newRoom() {
    return new Room(this, `${this.lesson}_${this.at + 1}`);
  }

  /** Draw what stands on the screen where the lesson is; return its heading. @param {Room} room */
  fillRoom(room) {
    const { at, screens } = this;
    this.showNext(true);
    this.offer();
    const title = at < screens.length ? this.label(`${room.name}_title`) : this.label("remember");
    const heading = room.add("h2", "", title);
    heading.tabIndex = -1;
    if (at < screens.length) {
      room.say(this.label(`${room.name}_says`), "says");
      screens[at](room);
    } else this.drawEnd(room);
    return heading;
  }

  /** What stands in place of the way on; where there are keys, or a clicker, what they do. @param {string} first */
  waits(first) {
    return this.options.presents && !matchMedia(HAS_NO_KEYS).matches ? this.label("wait_keys") : first;
  }

  /**
   * Show the way on, or in its place what comes first.
   * @param {boolean} isShown
   * @param {string} [first] what to do first
   * @param {() => void} [reveal] what does it
   */
  showNext(isShown, first = this.label("wait"), reveal = () => {}) {
    this.reveal = isShown ? null : reveal;
    this.element.classList.toggle("asks", !isShown);
    if (!this.next || !this.wait) return;
    this.next.disabled = this.next.hidden = !isShown; // keys press only what is enabled
    this.wait.textContent = isShown ? "" : this.waits(first);
  }

  /** @param {number} at */
  go(at) {
    if (at > this.screens.length && !this.nextLesson) {
      this.comeBack();
      return;
    }
    if (at > this.screens.length) this.open(this.nextLesson, 0);
    else if (at < 0) this.open(this.lessonBefore, SCREENS[this.lessonBefore].length);
    else {
      this.at = at;
      this.note();
      if (at === this.screens.length) this.kept.finish(this.lesson);
      this.draw();
    }
    if (!matchMedia(IS_NARROW).matches) for (const each of ancestorsOf(this.element)) each.scrollTop = 0; // an answer may have moved it
    else if (this.element.getBoundingClientRect().top < 0) this.element.scrollIntoView();
  }

  /** What to keep, and where it goes on. @param {Room} room */
  drawEnd(room) {
    room.say(this.label(`${this.lesson}_keep`), "keep");
    if (this.options.isAlone) return;
    const list = room.add("div", "further");
    for (const { page, query, words } of this.options.lessons[this.lesson].further) {
      addButton(list, words, () => this.tell("go", { page, query })).className = "quiet";
    }
  }
}
