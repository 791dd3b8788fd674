// The slides of a deck as elements.
// @ts-check

import { Board } from "../../player/browser/board.js";
import { PlacedText } from "../../player/browser/sentence.js";
import { Stage } from "../../player/browser/stage.js";
import { Receipt } from "../../receipt/browser/receipt.js";
import { addButton, make } from "../../token_view/browser/elements.js";
import { tintsAcross } from "../../token_view/browser/model/tints.js";
import { labelsOf, plainWords } from "../../token_view/browser/words.js";
import { Vote, squaresOf } from "./vote.js";

/** @import { Cut } from "../../player/browser/types.d.ts" */
/** @import { DeckLane, DeckOptions, DeckView, Said, Slide } from "./types.d.ts" */

const MOST_OF_TOKENS = 2.2; // times as large as the style sheet says, where there is room
const MOST_OF_WORDS = 1.3;
const LEAST_SCALE = 0.2;
const STEP = 0.04;
const LABEL = 40 / 72; // the size of the labels to that of the tokens: smaller tokens have smaller labels
const COUNTED = 0.86; // share of the type in the style sheet below which counts under letters have less than 40 pixels of 1080
const HEADS = ["", "heads-wide", "heads-above"]; // where the number and the name of a row stand
const ABREAST = "abreast"; // the rows of a word side by side, as large as that allows
const MOST_ABREAST = 5;
const WORTH = 1.1; // so much larger the type must get for another arrangement
const LEAST_OF_WHOLE = 0.75; // so much smaller the type may get for rows that are compared to stay on a line each
const A_WORD = 12; // UTF-16 units of a text that stands alone in larger type, and that no column tears
const FALL = 45; // milliseconds between two pieces that fall into place

/**
 * Words in the language of the page; those in another one only, such as figures of the visitor's texts, as they are.
 * @param {string} className
 * @param {Said} said
 * @param {string} locale
 */
export function wordsIn(className, said, locale) {
  const block = make("div", className);
  const shown = said[locale] ? [locale] : Object.keys(said);
  for (const language of shown) {
    if (!said[language]) continue;
    const line = make("p");
    line.lang = language;
    const whole = said[language].replace(/-(?=\d)/g, "-\u2060"); // no line breaks within GPT-2
    whole.split("**").forEach((part, at) => line.append(at % 2 ? make("b", "", part) : part));
    block.append(line);
  }
  return block;
}

/**
 * Where tokens lie that end at these bytes.
 * @param {DeckLane} lane
 * @returns {Cut[]}
 */
function cutsOf({ ends, plain, special }) {
  return ends.map((to, at) => {
    return { from: at ? ends[at - 1] : 0, to, isPlain: plain.includes(at), isSpecial: special.includes(at) };
  });
}

/**
 * The bytes of the tokens of each row.
 * @param {DeckView} view
 */
function rowsOf({ text, lanes }) {
  const bytes = new TextEncoder().encode(text);
  return lanes.map((lane) => cutsOf(lane).map(({ from, to }) => bytes.subarray(from, to)));
}

/**
 * Whether a row of tokens is on one line.
 * @param {Board} board
 */
function isOnOneLine({ line }) {
  return line.clientHeight < 1.5 * parseFloat(getComputedStyle(line).lineHeight);
}

export class SlideView {
  /**
   * @param {Slide} slide
   * @param {DeckOptions} options
   */
  constructor(slide, options) {
    this.slide = slide;
    this.options = options;
    this.label = labelsOf(options);
    this.isOneView = slide.views?.length === 1;
    this.base = 1; // pixels of this screen for one of 1920 × 1080
    this.element = make("section", `deck-slide is-${slide.kind}${slide.isStrong ? " strong" : ""}`);
    this.isTold = !["ask", "receipt"].includes(slide.kind);
    /** @type {Board[]} */
    this.boards = [];
    this.isInColumns = false;
    this.tintOf = tintsAcross(slide.kind === "tokens" ? (slide.views ?? []).flatMap(rowsOf) : [], options.tints);
    /** @type {Stage | null} */
    this.stage = null;
    /** @type {Receipt | null} */
    this.receipt = null;
    /** @type {Vote | null} */
    this.vote = null;
    /** @type {HTMLElement[]} */
    this.choices = [];
    const isAlone = slide.kind === "stage" || slide.kind === "receipt"; // they bring their own words
    if (!isAlone) {
      const [over, title] = [wordsIn("over", slide.over, options.locale), wordsIn("title", slide.title, options.locale)];
      const heading = title.childElementCount ? title : over;
      heading.setAttribute("role", "heading");
      heading.setAttribute("aria-level", "1");
      this.element.append(over, title);
    }
    if (slide.vote && slide.views) {
      this.vote = new Vote(slide.vote, slide.views[0], options);
      this.element.append(this.vote.element);
    }
    this.views = make("div", "views");
    if (!this.vote) for (const view of slide.views ?? []) this.views.append(this.viewOf(view));
    if (slide.views?.length && !this.vote) this.element.append(this.views);
    if (slide.html) this.element.append(document.createRange().createContextualFragment(slide.html));
    if (slide.choices) this.element.append(this.choicesOf(slide.choices));
    if (!isAlone) this.element.append(wordsIn("said", slide.says, options.locale));
    if (slide.showsCode && options.code) this.element.append(squaresOf(options.code, options.address, ""));
  }

  /** @param {DeckView} view */
  viewOf(view) {
    const block = make("div", "view");
    if (view.label) block.append(make("h2", "", view.label));
    if (this.slide.kind !== "tokens") block.append(make("div", view.text.length <= A_WORD ? "plain word" : "plain", view.text));
    else for (const lane of view.lanes) block.append(this.laneOf(view, lane));
    block.style.setProperty("--lanes", String(view.lanes.length));
    return block;
  }

  /**
   * @param {DeckView} view
   * @param {DeckLane} lane
   */
  laneOf(view, lane) {
    const row = make("div", lane.kind === "tokens" ? "lane-row" : "lane-row cuts");
    const head = make("div", "lane-head");
    const name = lane.name.replace(": ", ":\n"); // the words about a tokenizer have a line to themselves
    const counts = [lane.before ?? [], lane.count].flat().map((count) => count.toLocaleString(this.options.locale));
    if (counts.length > 1) row.classList.add("compared");
    head.append(make("b", "", counts.join(" : ")));
    if (this.isOneView) {
      const count = { count: lane.count };
      const unit = lane.kind === "tokens" ? this.label("tokens", count) : this.label("pieces", count);
      head.append(" ", make("i", "unit", plainWords(unit)));
    }
    head.append(make("span", "", name));
    const text = new PlacedText(view.text, view.clusters);
    const board = new Board(text, this.options.tints, { tintOf: this.tintOf, showsSpaces: true, arePretokens: lane.kind !== "tokens" });
    board.draw(text.piecesOf(cutsOf(lane)));
    [...board.pieces.values()].forEach((piece, at) => {
      piece.style.animationDelay = `${at * FALL}ms`;
    });
    this.boards.push(board);
    row.append(head, board.element);
    return row;
  }

  /** @param {string[]} choices */
  choicesOf(choices) {
    const row = make("div", "choices-row");
    const letters = this.options.labels.letters.split(" ");
    this.choices = choices.map((choice, at) => {
      const box = addButton(row, "", () => this.reveal());
      box.className = "choice";
      box.append(make("span", "letter", letters[at]), make("b", "", choice));
      return box;
    });
    return row;
  }

  /** Whether nothing is kept back: the answer is shown, the show of a training has begun, no round of a vote is open. */
  get isRevealed() {
    if (this.vote) return this.vote.isOver;
    return this.stage ? !this.stage.player.isHeld : this.isTold;
  }

  /** Show which choice is true, or a whole receipt, play a round of the vote, or let the show begin. */
  reveal() {
    if (this.vote) return this.vote.join();
    this.isTold = true;
    this.stage?.begin();
    this.receipt?.showAll();
    this.choices.forEach((box, at) => {
      const isRight = at === this.slide.right;
      box.classList.add(isRight ? "right" : "wrong");
      if (isRight) box.prepend(make("span", "tick", "✓"));
    });
  }

  /** Called when the slide stands on the screen: only then can it be measured. */
  placed() {
    const { slide, element } = this;
    if (slide.kind === "stage" && slide.stage && !this.stage) {
      this.stage = new Stage(element, slide.stage);
      this.stage.dress();
    }
    if (slide.receipt && !this.receipt) {
      this.receipt = new Receipt(slide.receipt, 1);
      this.receipt.onDone = () => (this.isTold = true);
      element.append(this.receipt.element);
      this.receipt.dress();
      this.receipt.print();
    }
    this.fit();
  }

  /** Type as large as fits: the words are given in shares of it. What lies in another way is taken if that is larger. */
  fit() {
    const { element, slide } = this;
    if (slide.kind === "stage") this.stage?.fit();
    if (slide.kind === "stage" || !element.clientHeight) return;
    const isTokens = slide.kind === "tokens";
    const [wide, high] = innerWidth > innerHeight ? [1920, 1080] : this.vote ? [1300, 2000] : isTokens ? [1000, 2000] : [1920, 1080];
    this.base = Math.min(innerWidth / wide, innerHeight / high);
    this.scaleTo(1);
    if (this.vote || slide.kind === "receipt") return; // their lines scroll
    const sides = isTokens ? Math.max(1, slide.views?.length ?? 1) : 1;
    const isWord = this.isOneView && (slide.views?.[0].text.length ?? 0) <= A_WORD;
    let best = { columns: 1, heads: "", scale: 0, worth: 0 };
    for (let columns = 1; columns <= sides; columns++) {
      for (const heads of isTokens && columns === 1 ? (isWord ? [...HEADS, ABREAST] : HEADS) : [""]) {
        this.arrange(columns, heads);
        const most = heads === ABREAST ? MOST_ABREAST : isTokens ? MOST_OF_TOKENS : MOST_OF_WORDS;
        const [scale, isOnOne] = this.onLines(this.largest(most));
        const worth = isOnOne && this.isOneView ? scale / LEAST_OF_WHOLE : scale;
        if (worth > best.worth * (heads ? WORTH : 1)) best = { columns, heads, scale, worth };
      }
    }
    this.arrange(best.columns, best.heads);
    this.scaleTo(best.scale);
  }

  /** @param {number} scale share of the type in the style sheet */
  scaleTo(scale) {
    const labels = ["tokens", "tree"].includes(this.slide.kind) ? Math.min(1, scale / LABEL) : 1;
    this.element.style.setProperty("--unit", `${this.base * scale}px`);
    this.element.style.setProperty("--base", `${this.base * labels}px`);
    const isBare = this.slide.views?.some(({ countsLetters }) => countsLetters === false);
    this.views.classList.toggle("uncounted", isBare || scale < COUNTED);
  }

  /**
   * This scale, or a little less if each row of tokens is on one line then; and whether it is.
   * @param {number} most
   * @returns {[number, boolean]}
   */
  onLines(most) {
    for (let scale = most; scale > most * LEAST_OF_WHOLE; scale -= STEP / 2) {
      this.scaleTo(scale);
      if (this.boards.every(isOnOneLine)) return [scale, true];
    }
    return [most, false];
  }

  /**
   * @param {number} columns
   * @param {string} heads
   */
  arrange(columns, heads) {
    this.isInColumns = columns > 1 || heads === ABREAST;
    this.views.classList.toggle("side", columns > 1);
    for (const each of [...HEADS, ABREAST].filter(Boolean)) this.views.classList.toggle(each, each === heads);
    this.views.style.setProperty("--columns", String(columns));
  }

  /**
   * The largest share of the screen's own type with which everything fits, or the least one that is tried.
   * @param {number} most
   */
  largest(most) {
    const { element, boards } = this;
    const words = this.isInColumns ? boards.filter(({ sentence }) => sentence.text.length <= A_WORD) : [];
    let [low, high] = [0, Math.round((most - LEAST_SCALE) / STEP)]; // steps above the least
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      this.scaleTo(LEAST_SCALE + middle * STEP);
      const isInside = element.scrollHeight <= element.clientHeight && element.scrollWidth <= element.clientWidth;
      const isBeside = boards.every(({ line }) => line.scrollWidth <= line.clientWidth + 1);
      if (isInside && isBeside && words.every(isOnOneLine)) low = middle;
      else high = middle - 1;
    }
    return LEAST_SCALE + low * STEP;
  }

  remove() {
    this.stage?.remove();
    this.receipt?.remove();
    this.vote?.remove();
    this.element.remove();
  }
}
