// A deck: views that fill the screen, one after another, moved by keyboard, a remote, or a click.
// @ts-check

import { keepInAddress } from "./address.js";
import { shutBehind } from "./behind.js";
import { closeByAnyKey, keyLines, keyList, keysOf } from "./keys.js";
import { SlideView, wordsIn } from "./slides.js";
import { squaresOf } from "./vote.js";
import { addButton, isDark, make, toggleFullScreen } from "../../token_view/browser/elements.js";
import { keyOf } from "../../token_view/browser/pressed.js";
import { labelsOf } from "../../token_view/browser/words.js";

/** @import { KeyPlace } from "./keys.js" */
/** @import { DeckOptions } from "./types.d.ts" */

const CHANNEL = "tokenizer-explorer-talk"; // on which windows of the same browser follow one another
const ALONE = 500; // milliseconds after which a window of notes moves by itself

/** @type {WeakMap<ShadowRoot | Element, Deck>} */
const DECKS = new WeakMap();
let hasGoneOn = false; // whether the next deck is what a key has asked for after the last slide
let hasPlace = false; // whether a deck has been shown since the page was loaded

/**
 * What Streamlit calls for each run of the page.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element,
 *   setTriggerValue: (name: string, value: unknown) => void }} component
 */
export default function showDeck({ data, parentElement, setTriggerValue }) {
  /** @type {DeckOptions} */
  const options = JSON.parse(new TextDecoder().decode(data));
  let deck = DECKS.get(parentElement);
  if (deck && hasMoreThan(deck.options, options)) deck.grow(options);
  if (deck?.options.name !== options.name) {
    const at = deck?.options.talk === options.talk ? deck.at : placeBefore(options);
    deck?.remove();
    const leave = () => {
      keepInAddress("");
      setTriggerValue("left", true);
    };
    const goOn = () => {
      hasGoneOn = true;
      setTriggerValue("further", true);
    };
    deck = new Deck(parentElement, options, at, leave, goOn);
    if (hasGoneOn) deck.view?.stage?.beginItself();
    hasGoneOn = false;
    DECKS.set(parentElement, deck);
    keepInAddress(options.what, options.showsNotes);
  }
  deck.dress();
  return () => {
    DECKS.get(parentElement)?.remove();
    DECKS.delete(parentElement);
  };
}

/**
 * Whether these are the same slides and some more: a training that is shown has ended meanwhile.
 * @param {DeckOptions} before
 * @param {DeckOptions} options
 */
function hasMoreThan(before, options) {
  const { length } = before.slides;
  const shared = (/** @type {DeckOptions} */ each) =>
    JSON.stringify({ ...each, name: "", talk: "", slides: each.slides.slice(0, length) }); // the names tell all slides
  return options.slides.length > length && shared(before) === shared(options);
}

class Deck {
  /**
   * @param {ShadowRoot | Element} parent
   * @param {DeckOptions} options
   * @param {number} at the slide to begin with
   * @param {() => void} leave
   * @param {() => void} goOn to what the app has to show after the last slide
   */
  constructor(parent, options, at, leave, goOn) {
    this.options = options;
    this.label = labelsOf(options);
    this.leave = leave;
    this.goOn = goOn;
    this.at = 0;
    this.started = Date.now();
    /** @type {Set<number>} */
    this.watched = new Set(); // films among other slides that have been left
    /** @type {SlideView | null} */
    this.view = null;
    this.root = make("div", "token-view deck");
    this.root.tabIndex = -1;
    this.place = make("div", "deck-place");
    this.where = make("span", "deck-where");
    this.clock = make("span", "deck-clock");
    this.code = squaresOf(options.code, options.address, this.label("only_here"));
    this.code.classList.add("deck-code");
    this.list = keyList([], this.label);
    this.black = make("div", "deck-black");
    this.black.onclick = () => (this.black.hidden = true);
    this.clock.hidden = this.code.hidden = this.black.hidden = true;
    this.help = make("div", "deck-help", this.label("help"));
    // A phone and a board that is touched have no keys.
    const foot = make("div", "deck-foot");
    this.backward = this.addButton(foot, "‹", "back", () => this.back());
    foot.append(this.where);
    this.forward = this.addButton(foot, "›", "next", () => this.next());
    foot.append(make("div", "deck-space", this.label("space")), this.help, this.clock);
    this.addButton(foot, "✕", "leave", () => this.leave());
    this.root.append(this.place, foot, this.code, this.list, this.black);
    parent.append(this.root);
    this.openBehind = shutBehind(this.root);
    this.ended = new AbortController();
    const { signal } = this.ended;
    closeByAnyKey(this.list, signal);
    document.addEventListener("keydown", (event) => this.onKey(event), { signal });
    window.addEventListener("resize", () => this.view?.fit(), { signal });
    this.place.addEventListener("click", (event) => this.onClick(event));
    this.ticking = setInterval(() => this.tick(), 1000);
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data }) => this.follow(data);
    this.show(at);
    this.root.focus();
    setTimeout(() => this.help.classList.add("faded"), 8000);
  }

  /** Streamlit calls again when the theme changes. */
  dress() {
    this.root.classList.toggle("dark", isDark(this.root));
    this.view?.stage?.dress();
    this.view?.receipt?.dress();
  }

  remove() {
    this.openBehind();
    this.ended.abort();
    clearInterval(this.ticking);
    this.channel.close();
    this.view?.remove();
    this.root.remove();
  }

  /**
   * @param {HTMLElement} foot
   * @param {string} sign
   * @param {string} key of what it does
   * @param {() => void} act
   */
  addButton(foot, sign, key, act) {
    const button = addButton(foot, sign, () => {
      this.root.focus(); // so that Space does not press it once more
      act();
    });
    button.className = "deck-button";
    button.title = button.ariaLabel = this.label(key);
    return button;
  }

  // ---- movement

  /** More slides follow; the one that is shown goes on. @param {DeckOptions} options */
  grow(options) {
    this.options = options;
    this.showPlace();
  }

  /** Whether this is a film with what has become of it: the keys are for the film until its end. */
  get isFilm() {
    const { slides } = this.options;
    return slides[this.at].kind === "stage" && (slides.length === 1 || Boolean(slides[this.at + 1]?.isOutcome));
  }

  /** @param {number} at */
  show(at) {
    const { slides } = this.options;
    if (this.view?.stage?.isAtEnd) this.watched.add(this.at);
    this.at = Math.max(0, Math.min(at, slides.length - 1));
    this.view?.remove();
    const slide = slides[this.at];
    if (this.options.showsNotes) this.showNotes();
    else {
      this.view = new SlideView(slide, this.options);
      this.place.replaceChildren(this.view.element);
      this.view.placed();
    }
    this.showPlace();
  }

  showPlace() {
    const { slides, talk } = this.options;
    const { kind } = slides[this.at];
    this.where.textContent = slides.length > 1 ? `${this.at + 1} / ${slides.length}` : "";
    this.backward.hidden = this.forward.hidden = slides.length < 2;
    this.backward.disabled = !this.at;
    this.dim();
    this.root.dataset.at = String(this.at);
    this.root.dataset.kind = kind;
    keepPlace(talk, this.at);
  }

  /** What the keys do now: a film that is over leads on to the next slide. */
  showKeys() {
    if (this.list.hidden) return;
    const { at, view, isFilm, options: { slides, goesOn } } = this;
    const [isFirst, isLast] = [!at, at === slides.length - 1];
    const { stage } = view ?? {};
    const film = !stage ? "" : stage.player.isHeld ? "held" : stage.isAtEnd ? "over" : "plays";
    const place = { isAlone: slides.length === 1, isShown: view?.isRevealed ?? true, isFilm, film, isFirst, isLast, goesOn };
    this.list.replaceChildren(...keyLines(keysOf(slides[at], /** @type {KeyPlace} */ (place)), this.label));
  }

  next() {
    if (this.options.showsNotes && ["ask", "vote"].includes(this.root.dataset.kind ?? "")) return this.askToMove("next");
    const film = this.isFilm ? this.view?.stage : null;
    const isOver = !this.view?.stage || this.view.stage.isAtEnd;
    if (this.view && !this.view.isRevealed) this.view.reveal();
    else if (film && !film.isAtEnd) return film.forward();
    else if (!isOver) this.view?.stage?.toTheEnd(); // before it is left, the room sees what came of it
    else if (this.at < this.options.slides.length - 1) this.show(this.at + 1);
    else if (this.options.goesOn) return this.goOn();
    else return this.view?.stage?.forward();
    this.dim();
    this.tell();
  }

  /** At the end there is nothing to go on to, unless an answer is still to come or a show has merges. */
  dim() {
    const { at, view, options } = this;
    this.forward.disabled = at === options.slides.length - 1 && Boolean(view?.isRevealed) && !view?.stage && !view?.vote;
  }

  /** Back to the slide before; in a vote, first round by round. */
  back() {
    if (this.options.showsNotes && this.root.dataset.kind === "vote") return this.askToMove("back");
    if (this.view?.vote?.canTakeBack) {
      this.view.vote.takeBack();
      return this.tell();
    }
    if (!this.at) return this.view?.stage?.back();
    this.show(this.at - 1);
    if (this.watched.has(this.at)) this.view?.stage?.showOutcome();
    this.tell();
  }

  tell() {
    const { talk, what } = this.options;
    this.channel.postMessage({ talk, what, at: this.at, isRevealed: Boolean(this.view?.isRevealed) });
  }

  /**
   * The speaker's window does not know what such a slide has before it is left: the large screen decides.
   * @param {"next" | "back"} moves
   */
  askToMove(moves) {
    this.channel.postMessage({ talk: this.options.talk, at: this.at, moves });
    this.alone = setTimeout(() => this.show(this.at + (moves === "next" ? 1 : -1)), ALONE);
  }

  /** @param {{ talk: string, what?: string, at: number, isRevealed?: boolean, moves?: "next" | "back" }} data */
  follow({ talk, what, at, isRevealed, moves }) {
    clearTimeout(this.alone);
    if (talk !== this.options.talk) return this.change(what);
    if (moves) {
      if (this.view && at === this.at) this[moves]();
      return;
    }
    if (at !== this.at) {
      this.black.hidden = this.list.hidden = true; // as any key does here
      this.show(at);
    }
    if (isRevealed && this.view && !this.view.isRevealed && !this.view.vote) this.view.reveal();
  }

  /**
   * Another talk is on the large screen: the speaker's window shows the notes of that one.
   * @param {string} [what]
   */
  change(what) {
    if (!this.options.showsNotes || !what || what === this.options.what) return;
    const query = new URLSearchParams(location.search);
    query.set("present", what);
    location.search = query.toString();
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    if (this.view?.stage || this.view?.vote) return;
    const isControl = event.composedPath().some((node) => node instanceof HTMLElement && node.matches("button, input, select"));
    if (!isControl) this.next();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLElement && target.matches("input:not([type=range]), select, textarea")) return;
    const isOnButton = target instanceof HTMLElement && target.matches("button");
    if (isOnButton && (event.key === "Enter" || event.key === " ")) return;
    const stage = this.view?.stage;
    const isOver = stage?.isAtEnd && this.at < this.options.slides.length - 1; // a film that leads on
    const acts = {
      ArrowRight: () => this.next(),
      PageDown: () => this.next(),
      " ": () => (stage && !isOver ? stage.toggle() : this.next()),
      Enter: () => this.next(),
      ArrowLeft: () => this.back(),
      PageUp: () => this.back(),
      Home: () => this.show(0),
      End: () => (this.isFilm && this.view?.stage ? this.view.stage.toTheEnd() : this.show(this.options.slides.length - 1)),
      Escape: () => this.uncover() || this.leave(),
      b: () => (this.black.hidden = !this.black.hidden),
      ".": () => (this.black.hidden = !this.black.hidden),
      t: () => (this.clock.hidden = !this.clock.hidden),
      f: () => toggleFullScreen(this.root),
      e: () => this.view?.vote?.end(),
      Backspace: () => this.view?.vote && this.back(),
      ...Object.fromEntries([..."1234"].map((digit, at) => [digit, () => this.view?.vote?.join(at)])),
      q: () => (this.code.hidden = !this.code.hidden),
      h: () => {
        this.list.hidden = false;
        this.showKeys();
      },
    };
    const key = keyOf(event);
    const act = acts[/** @type {keyof typeof acts} */ (key)];
    if (!act) return;
    if (!this.black.hidden && !["b", ".", "Escape"].includes(key)) this.black.hidden = true;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Close what lies over the slide; false if nothing does. */
  uncover() {
    const over = [this.code, this.black].filter(({ hidden }) => !hidden);
    for (const each of over) each.hidden = true;
    return over.length > 0;
  }

  // ---- what stands beside the slides

  tick() {
    const seconds = Math.floor((Date.now() - this.started) / 1000);
    const parts = [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, "0"));
    this.showKeys();
    this.clock.textContent = parts.join(":");
  }

  /** The speaker's window: what to say now, and what comes next. */
  showNotes() {
    const { slides, locale } = this.options;
    const [now, next] = [slides[this.at], slides[this.at + 1]];
    const page = make("section", "deck-notes");
    page.append(wordsIn("over", now.over, locale), wordsIn("title", now.title, locale));
    page.append(wordsIn("notes", now.notes, locale));
    if (now.choices) page.append(make("p", "answer", `✓ ${now.choices[now.right ?? 0]}`));
    if (next) {
      const soon = make("div", "soon");
      const title = Object.keys(next.title).length ? next.title : next.over;
      soon.append(make("span", "", this.label("next")), wordsIn("", title, locale));
      page.append(soon);
    }
    this.clock.hidden = false;
    this.place.replaceChildren(page);
  }
}

/**
 * The slide of this talk on which a page stood that has been reloaded; else the one to begin with.
 * @param {DeckOptions} options
 */
function placeBefore({ talk }) {
  const [entry] = performance.getEntriesByType("navigation");
  const isReloaded = /** @type {PerformanceNavigationTiming | undefined} */ (entry)?.type === "reload";
  const isFirst = !hasPlace;
  hasPlace = true;
  try {
    return isReloaded && isFirst ? Number(sessionStorage.getItem(`talk ${talk}`)) : 0;
  } catch {
    return 0; // a browser may keep no notes
  }
}

/**
 * @param {string} talk
 * @param {number} at
 */
function keepPlace(talk, at) {
  try {
    sessionStorage.setItem(`talk ${talk}`, String(at));
  } catch {
    // as above
  }
}
