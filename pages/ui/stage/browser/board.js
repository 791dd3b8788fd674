// The sentence on the stage: as large as fits, in pieces that slide together when a merge joins them.
// @ts-check

import { MARK, RIGHT_TO_LEFT, glyphOf, isWhiteOrUnseen } from "../../token_view/browser/model/characters.js";
import { make } from "../../token_view/browser/elements.js";
import { tintStyle } from "../../token_view/browser/boxes/box_elements.js";
import { tintOfBytes } from "../../token_view/browser/model/tints.js";

/** @import { PlacedText } from "./placed_text.js" */
/** @import { Cut, Piece } from "./types.d.ts" */

const LEAST = 20; // pixels; below that a sentence scrolls
const SLIDE_MOST = 180; // pixels of type on a slide
const MOST_LINES = 3;
const SMALL = 36; // pixels; a long text takes more lines before its type gets smaller than that
const LINE = 1.9; // the height of a line, as in the style sheet
const SLIDE = 420; // milliseconds
const SCROLLBAR = 20; // pixels that may come and go beside the sentence without changing its lines

/** @typedef {HTMLElement & { piece: Piece, look: string }} PieceElement */

export class Board {
  /** @param {number} tintCount */
  constructor(tintCount) {
    this.tintCount = tintCount;
    this.element = make("div", "board");
    this.line = make("div", "line");
    this.element.append(this.line);
    /** @type {PlacedText | null} */
    this.sentence = null;
    /** @type {Map<number, PieceElement>} */
    this.pieces = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.breaks = new Map(); // where a line may break, by the byte of the piece after it
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** @param {PlacedText} sentence */
  show(sentence) {
    this.sentence = sentence;
    this.pieces.clear();
    this.breaks.clear();
    this.line.replaceChildren();
    this.line.dir = "auto";
  }

  /**
   * Draw the sentence in pieces.
   * @param {Piece[]} wanted
   * @param {number} slide how long pieces slide, as a share of the usual time; 0 for at once
   */
  draw(wanted, slide = 0) {
    const moves = slide > 0 && !this.calm.matches;
    const before = moves ? this.places() : null;
    const tints = this.tintsOf(wanted);
    const fresh = this.patch(wanted, tints);
    if (before) this.slide(before, fresh, slide * SLIDE);
    else if (slide > 0) for (const element of fresh) element.classList.add("new");
  }

  /**
   * Make the elements those of these pieces; a piece that stays keeps its element.
   * @param {Piece[]} wanted
   * @param {Map<number, string>} tints
   * @returns {PieceElement[]} what is new or looks different
   */
  patch(wanted, tints) {
    const fresh = [];
    const known = this.pieces;
    this.pieces = new Map();
    let at = this.line.firstChild;
    /** @param {HTMLElement} element */
    const put = (element) => {
      if (element === at) at = at.nextSibling;
      else this.line.insertBefore(element, at);
    };
    for (const piece of wanted) {
      if (this.sentence?.mayBreak[piece.from]) put(this.breakAt(piece.from));
      const look = this.lookOf(piece, tints);
      const old = known.get(piece.from);
      const isSame = old?.look === look;
      const element = isSame ? old : this.elementOf(piece, look, tints);
      if (!isSame) fresh.push(element);
      element.classList.remove("next"); // what was lit up for a moment that is past
      this.pieces.set(piece.from, element);
      put(element);
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
    return fresh;
  }

  /** @param {number} from */
  breakAt(from) {
    const known = this.breaks.get(from) ?? make("wbr");
    this.breaks.set(from, known);
    return known;
  }

  /**
   * The tint of each token by its bytes; of two neighbours with the same tint, the second gets another.
   * @param {Piece[]} pieces
   */
  tintsOf(pieces) {
    /** @type {Map<number, string>} */
    const tints = new Map();
    let before = -1;
    for (const { tokens } of pieces) {
      for (const { from, to, isPlain } of tokens) {
        if (isPlain) {
          tints.set(from, "gap");
          continue;
        }
        const own = tintOfBytes(/** @type {PlacedText} */ (this.sentence).bytes.subarray(from, to), this.tintCount);
        before = own === before ? (own + 3) % this.tintCount : own;
        tints.set(from, `t${before}`);
      }
    }
    return tints;
  }

  /**
   * @param {Piece} piece
   * @param {Map<number, string>} tints
   */
  lookOf({ to, tokens }, tints) {
    return `${to} ${tokens.map(({ from }) => `${from}${tints.get(from)}`).join(" ")}`;
  }

  /**
   * @param {Piece} piece
   * @param {string} look
   * @param {Map<number, string>} tints
   * @returns {PieceElement}
   */
  elementOf(piece, look, tints) {
    // Letters from right to left keep their order only in one line of text, not in boxes.
    const element = /** @type {PieceElement} */ (make("span", RIGHT_TO_LEFT.test(piece.text) ? "piece flows" : "piece"));
    element.piece = piece;
    element.look = look;
    if (piece.tokens.length === 1) {
      element.style.backgroundColor = `var(--${tints.get(piece.from)})`;
      element.append(this.lettersOf(piece.text));
    } else for (const cluster of this.sentence?.clustersOf(piece) ?? []) element.append(this.clusterOf(piece, cluster, tints));
    return element;
  }

  /**
   * A letter that several tokens share: a stripe for each, and below it how many there are.
   * @param {Piece} piece
   * @param {Cut} cluster
   * @param {Map<number, string>} tints
   */
  clusterOf(piece, cluster, tints) {
    const inside = piece.tokens.filter(({ from, to }) => from < cluster.to && to > cluster.from);
    const text = this.sentence?.textOf(cluster.from, cluster.to) ?? "";
    const letters = this.lettersOf(text);
    /** @type {[string, number][]} */
    const stripes = inside.map(({ from, to }) => [
      tints.get(from) ?? "t0",
      Math.min(to, cluster.to) - Math.max(from, cluster.from),
    ]);
    letters.style.cssText = tintStyle({ stripes, text });
    letters.classList.add("shared");
    letters.dataset.stripes = JSON.stringify(stripes);
    if (inside.length > 1) letters.dataset.n = String(inside.length);
    return letters;
  }

  /** @param {string} text */
  lettersOf(text) {
    const letters = make("span", MARK.test(text) ? "letters lone" : "letters");
    for (const character of text) {
      if (character !== " " && isWhiteOrUnseen(character)) letters.append(make("i", "glyph", glyphOf(character)));
      else letters.append(character);
    }
    letters.normalize();
    return letters;
  }

  // ---- movement

  /** Where all pieces are now, by their elements and by their first bytes. */
  places() {
    const found = [];
    for (const element of this.pieces.values()) {
      found.push({ piece: element.piece, box: element.getBoundingClientRect() });
    }
    return found;
  }

  /**
   * Let everything move from where it was to where it is; what was joined starts as wide as its parts were.
   * @param {{ piece: Piece, box: DOMRect }[]} before
   * @param {PieceElement[]} fresh
   * @param {number} duration
   */
  slide(before, fresh, duration) {
    const isFresh = new Set(fresh);
    const after = [...this.pieces.values()].map((element) => ({ element, box: element.getBoundingClientRect() }));
    let place = 0;
    for (const { element, box } of after) {
      const { from, to } = element.piece;
      while (before[place] && before[place].piece.to <= from) place += 1;
      const parts = [];
      for (let i = place; before[i] && before[i].piece.from < to; i++) parts.push(before[i]);
      const [first, last] = [parts[0]?.box, parts[parts.length - 1]?.box];
      if (!first) continue;
      if (isFresh.has(element)) this.join(element, box, first, last, duration);
      else if (first.left !== box.left || first.top !== box.top) {
        const move = `translate(${first.left - box.left}px, ${first.top - box.top}px)`;
        element.animate([{ transform: move }, { transform: "none" }], { duration, easing: "cubic-bezier(.3,0,.2,1)" });
      }
    }
  }

  /**
   * @param {PieceElement} element
   * @param {DOMRect} box
   * @param {DOMRect} first
   * @param {DOMRect} last
   * @param {number} duration
   */
  join(element, box, first, last, duration) {
    const width = first.top === last.top ? last.right - first.left : box.width;
    const move = `translate(${first.left - box.left}px, ${first.top - box.top}px) scaleX(${width / (box.width || 1)})`;
    element.animate(
      [
        { transform: move, filter: "brightness(1.12)" },
        { transform: "translateY(-.06em) scale(1.05)", filter: "brightness(1.12)", offset: 0.7 },
        { transform: "none", filter: "none" },
      ],
      { duration: duration * 1.4, easing: "cubic-bezier(.3,0,.2,1)" },
    );
    element.classList.add("new");
    setTimeout(() => element.classList.remove("new"), duration * 2);
  }

  /**
   * Light up the tokens that will be joined next.
   * @param {Cut[]} made
   */
  point(made) {
    for (const element of this.pieces.values()) {
      const { from, to } = element.piece;
      element.classList.toggle("next", made.some((cut) => cut.from < to && cut.to > from));
    }
  }

  // ---- size

  /**
   * Set the sentence as large as fits: in at most three lines, and in this height.
   * @param {number} height
   * @param {number} most the largest type, in pixels
   */
  fit(height, most) {
    if (!this.element.clientWidth) return;
    const probe = make("div", "line probe");
    probe.append(...[...this.line.childNodes].map((node) => node.cloneNode(true)));
    this.element.append(probe);
    probe.style.right = `${SCROLLBAR}px`;
    const size = largest(probe, this.element.clientWidth - SCROLLBAR, height, most);
    probe.style.fontSize = this.line.style.fontSize = `${size}px`;
    this.element.style.minHeight = `${probe.offsetHeight}px`; // merged pieces may need a line less: nothing jumps
    probe.remove();
  }

  /**
   * Put a copy of the sentence into another place, as large as fits there.
   * @param {Element} place
   * @param {number} width
   * @param {number} height
   */
  copyTo(place, width, height) {
    const copy = make("div", "line");
    copy.append(...[...this.line.childNodes].map((node) => node.cloneNode(true)));
    for (const element of copy.querySelectorAll(".piece")) element.classList.remove("next", "new");
    place.append(copy);
    copy.style.fontSize = `${largest(copy, width, height, SLIDE_MOST)}px`;
  }
}

/**
 * The largest type with which a sentence fits.
 * @param {HTMLElement} line
 * @param {number} width
 * @param {number} height
 * @param {number} most
 */
function largest(line, width, height, most) {
  const size = largestIn(line, width, height, most, MOST_LINES);
  return size < SMALL ? largestIn(line, width, height, SMALL, Infinity) : size;
}

/**
 * The largest type with which a sentence fits in so many lines.
 * @param {HTMLElement} line
 * @param {number} width
 * @param {number} height
 * @param {number} most
 * @param {number} mostLines
 */
function largestIn(line, width, height, most, mostLines) {
  let [low, high] = [LEAST, most];
  while (low < high) {
    const size = (low + high + 1) >> 1;
    line.style.fontSize = `${size}px`;
    const lines = Math.round(line.offsetHeight / (size * LINE));
    if (lines <= mostLines && line.offsetHeight <= height && line.scrollWidth <= width) low = size;
    else high = size - 1;
  }
  return low;
}
