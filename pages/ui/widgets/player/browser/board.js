// The sentence on the stage: as large as fits, in pieces that slide together when a merge joins them.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { MARK, RIGHT_TO_LEFT, glyphOf, isWhiteOrUnseen, zonesOf } from "../../token_view/browser/model/characters.js";
import { tintOfBytes, tintStyle } from "../../token_view/browser/model/tints.js";

/** @import { PlacedText } from "./sentence.js" */
/** @import { Cut, Piece } from "./types.d.ts" */

const LEAST = 20; // pixels; below that a sentence scrolls
const SLIDE_MOST = 180; // pixels of type on a slide
const MOST_LINES = 3;
const FEWER = 0.9; // so much smaller the type may get for a line less
const SMALL = 36; // pixels; a long text takes more lines before its type gets smaller than that
/** The height of a line, as in the style sheet: below small letters the counts need room, too. @param {number} size */
const pitchOf = (size) => Math.max(1.9 * size, 1.5 * size + 15);
const SLIDE = 500; // milliseconds
const SCROLLBAR = 20; // pixels that may come and go beside the sentence without changing its lines

/** @typedef {HTMLElement & { piece: Piece, tinted: string }} PieceElement */
/** @typedef {{ element: PieceElement, box: DOMRect }} Place */

export class Board {
  /**
   * @param {PlacedText} sentence
   * @param {number} tintCount
   * @param {{ tintOf?: (bytes: Uint8Array) => number, showsSpaces?: boolean, arePretokens?: boolean }} [how] the tint of
   *   each token, where tokens are traced from merge to merge, or from row to row; whether spaces have a dot; whether pieces are no tokens
   */
  constructor(sentence, tintCount, { tintOf, showsSpaces = false, arePretokens = false } = {}) {
    this.sentence = sentence;
    this.tintCount = tintCount;
    this.tintOf = tintOf;
    this.showsSpaces = showsSpaces;
    this.arePretokens = arePretokens;
    this.element = make("div", "board");
    this.line = this.element.appendChild(make("div", "line"));
    this.line.dir = "auto";
    /** @type {Map<number, PieceElement>} */
    this.pieces = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.breaks = new Map(); // where a line may break, by the byte of the piece after it
    /** @type {Piece[]} */
    this.drawn = []; // as they were asked for
    /** @type {number[]} */
    this.lineStarts = []; // in bytes, but for the first line: the lines of a fitted sentence stay, whatever is merged
    /** @type {Animation[]} */
    this.moves = [];
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /**
   * Draw the sentence in pieces.
   * @param {Piece[]} wanted
   * @param {number} slide how long pieces slide, as a share of the usual time; 0 for at once
   */
  draw(wanted, slide = 0) {
    const moves = slide > 0 && !this.calm.matches && !RIGHT_TO_LEFT.test(this.sentence.text);
    const before = moves ? this.places() : [];
    const fresh = this.patch(wanted);
    if (!fresh.size) return;
    for (const move of this.moves.splice(0)) move.cancel();
    if (moves) this.slide(before, fresh, slide * SLIDE);
    for (const element of this.pieces.values()) element.classList.toggle("new", slide > 0 && fresh.has(element));
  }

  /**
   * Make the elements those of these pieces. A piece that stays keeps its element, which stays where it is in the
   * document: an element that is put in again starts its animations anew.
   * @param {Piece[]} wanted
   * @returns {Set<PieceElement>} what is new
   */
  patch(wanted) {
    this.drawn = wanted;
    /** @type {Set<PieceElement>} */
    const fresh = new Set();
    /** @type {Set<ChildNode>} */
    const nodes = new Set();
    const known = this.pieces;
    const tints = this.tintsOf(wanted);
    this.pieces = new Map();
    for (const piece of this.inLines(wanted)) {
      const isStart = this.lineStarts.includes(piece.from);
      if (isStart || this.sentence.mayBreak[piece.from]) {
        const there = this.breaks.get(piece.from);
        const place = there && (there.tagName === "BR") === isStart ? there : make(isStart ? "br" : "wbr");
        this.breaks.set(piece.from, place);
        nodes.add(place);
      }
      const old = known.get(piece.from);
      const isSame = old?.piece.to === piece.to && endsOf(old.piece) === endsOf(piece);
      const element = old && isSame ? old : this.elementOf(piece);
      if (element !== old) fresh.add(element);
      unlight(element); // what was lit up for a moment that is past
      this.paint(element, tints);
      this.pieces.set(piece.from, element);
      nodes.add(element);
    }
    for (const node of [...this.line.childNodes]) if (!nodes.has(node)) node.remove();
    let at = this.line.firstChild;
    for (const node of nodes) {
      if (node === at) at = at.nextSibling;
      else this.line.insertBefore(node, at);
    }
    return fresh;
  }

  /**
   * The pieces, those that reach over the end of a line in two: a token that spans two words may stand on two lines.
   * @param {Piece[]} pieces
   * @returns {Piece[]}
   */
  inLines(pieces) {
    if (!this.lineStarts.length) return pieces;
    return pieces.flatMap((piece) => {
      const ends = [...this.lineStarts.filter((start) => start > piece.from && start < piece.to), piece.to];
      if (ends.length === 1) return [piece];
      return ends.map((to, at) => {
        const from = at ? ends[at - 1] : piece.from;
        return { from, to, text: this.sentence.textOf(from, to), tokens: piece.tokens.filter((token) => token.from < to && token.to > from) };
      });
    });
  }

  /**
   * The tint of each token by its bytes; of two neighbours with the same tint, the second may get another.
   * @param {Piece[]} pieces
   */
  tintsOf(pieces) {
    /** @type {Map<number, string>} */
    const tints = new Map();
    let before = -1;
    for (const { tokens } of pieces) {
      for (const { from, to, isPlain, isSpecial } of tokens) {
        if (isPlain || isSpecial) {
          tints.set(from, "gap");
          continue;
        }
        const bytes = this.sentence.bytes.subarray(from, to);
        if (this.tintOf) before = this.tintOf(bytes);
        else {
          const own = tintOfBytes(bytes, this.tintCount);
          before = own === before ? (own + 3) % this.tintCount : own;
        }
        tints.set(from, `t${before}`);
      }
    }
    return tints;
  }

  /**
   * @param {Piece} piece
   * @returns {PieceElement}
   */
  elementOf(piece) {
    // Letters from right to left keep their order only in one line of text, not in boxes.
    const element = /** @type {PieceElement} */ (make("span", RIGHT_TO_LEFT.test(piece.text) ? "piece flows" : "piece"));
    element.piece = piece;
    element.classList.toggle("special", piece.tokens.length === 1 && Boolean(piece.tokens[0].isSpecial));
    element.classList.toggle("comes", piece.tokens[0].from < piece.from);
    element.classList.toggle("goes", piece.tokens[piece.tokens.length - 1].to > piece.to);
    if (piece.tokens.length === 1) element.append(this.lettersOf(piece.text));
    else for (const { from, to } of this.sentence.clustersOf(piece)) {
      const letters = this.lettersOf(this.sentence.textOf(from, to));
      letters.classList.add("shared");
      element.append(letters);
    }
    return element;
  }

  /**
   * Tint a piece. The tint of a piece that stays may change with that of the piece before it.
   * @param {PieceElement} element
   * @param {Map<number, string>} tints
   */
  paint(element, tints) {
    const { piece } = element;
    const tinted = piece.tokens.map(({ from }) => tints.get(from)).join(" ");
    if (element.tinted === tinted) return;
    element.tinted = tinted;
    element.classList.toggle("gap", tinted === "gap");
    if (piece.tokens.length === 1) element.style.backgroundColor = `var(--${tinted})`;
    else this.sentence.clustersOf(piece).forEach((cluster, at) => {
      this.paintShared(/** @type {HTMLElement} */ (element.children[at]), piece, cluster, tints);
    });
  }

  /**
   * A letter that several tokens share: a stripe for each, none like the one before, and below it how many there are.
   * @param {HTMLElement} letters
   * @param {Piece} piece
   * @param {Cut} cluster
   * @param {Map<number, string>} tints
   */
  paintShared(letters, piece, cluster, tints) {
    const inside = piece.tokens.filter(({ from, to }) => from < cluster.to && to > cluster.from);
    let before = "";
    /** @type {[string, number][]} */
    const stripes = inside.map(({ from, to }) => {
      const own = tints.get(from) ?? "t0";
      before = own === before && own !== "gap" ? `t${(Number(own.slice(1)) + 3) % this.tintCount}` : own;
      return [before, Math.min(to, cluster.to) - Math.max(from, cluster.from)];
    });
    const text = this.sentence.textOf(cluster.from, cluster.to);
    const zones = this.arePretokens && inside.length > 1 ? zonesOf(text, stripes.map(([, size]) => size)) : null;
    const [starts, ends] = [inside[0].from === cluster.from, inside[inside.length - 1].to === cluster.to];
    letters.style.cssText = tintStyle({ stripes, text, zones, starts, ends });
    letters.dataset.stripes = JSON.stringify(stripes);
    letters.dataset.edges = JSON.stringify([starts, ends]);
    if (inside.length > 1 && !zones) letters.dataset.n = String(inside.length);
  }

  /** @param {string} text */
  lettersOf(text) {
    const letters = make("span", MARK.test(text) ? "letters lone" : "letters");
    for (const character of text) {
      if (character === " " && this.showsSpaces) letters.append(make("i", "space", " "));
      else if (character !== " " && isWhiteOrUnseen(character)) letters.append(make("i", "glyph", glyphOf(character)));
      else letters.append(character);
    }
    letters.normalize();
    return letters;
  }

  // ---- movement

  /** Where all pieces are now, as they are seen: they may be on their way. */
  places() {
    return [...this.pieces.values()].map((element) => ({ element, box: element.getBoundingClientRect() }));
  }

  /**
   * Let everything move from where it was to where it is, all at the same speed, so that no piece covers another. If a
   * piece changes its line, nothing moves: it would cover others on its way.
   * @param {Place[]} before
   * @param {Set<PieceElement>} fresh
   * @param {number} duration
   */
  slide(before, fresh, duration) {
    let place = 0;
    const moves = this.places().map(({ element, box }) => {
      const { from, to } = element.piece;
      while (before[place] && before[place].element.piece.to <= from) place += 1;
      const parts = [];
      for (let i = place; before[i] && before[i].element.piece.from < to; i++) parts.push(before[i].box);
      return { element, box, parts };
    });
    const isOnLine = moves.every(({ box, parts }) => parts.every(({ top }) => Math.abs(top - box.top) < box.height / 2));
    if (!isOnLine) return;
    for (const { element, box, parts } of moves) {
      const isJoined = fresh.has(element);
      if (!isJoined && parts[0].left === box.left && parts[0].top === box.top) continue;
      const frames = movement(parts, box, isJoined);
      this.moves.push(element.animate(frames, { duration, easing: "cubic-bezier(.3,0,.2,1)" }));
    }
  }

  /**
   * Light up what is joined next: whole pieces, or stripes of the letters that they are parts of.
   * @param {Cut[]} made
   */
  point(made) {
    for (const element of this.pieces.values()) {
      unlight(element);
      const { piece } = element;
      const inside = made.filter((cut) => cut.from < piece.to && cut.to > piece.from);
      const isWhole = inside.some((cut) => cut.from <= piece.from && cut.to >= piece.to);
      if (isWhole || (inside.length && RIGHT_TO_LEFT.test(piece.text))) element.classList.add("next");
      else if (inside.length) this.frameStripes(element, inside);
    }
  }

  /**
   * Show for a moment what was joined inside letters; a whole piece shines by itself.
   * @param {Cut[]} made
   */
  shine(made) {
    for (const element of this.pieces.values()) {
      const { from, to, text, tokens } = element.piece;
      const inside = made.filter((cut) => cut.from < to && cut.to > from);
      if (tokens.length > 1 && inside.length && !RIGHT_TO_LEFT.test(text)) this.frameStripes(element, inside, "joins past");
    }
  }

  /** Nothing is lit up any more. */
  settle() {
    for (const element of this.pieces.values()) {
      unlight(element);
      element.classList.remove("new");
    }
  }

  /**
   * Frame what is joined inside the letters of a piece.
   * @param {PieceElement} element
   * @param {Cut[]} made
   * @param {string} [kind] of frame
   */
  frameStripes(element, made, kind = "joins") {
    this.sentence.clustersOf(element.piece).forEach((cluster, place) => {
      const percent = (/** @type {number} */ bytes) => `${(100 * bytes) / (cluster.to - cluster.from)}%`;
      for (const cut of made) {
        const [from, to] = [Math.max(cut.from, cluster.from), Math.min(cut.to, cluster.to)];
        if (from >= to) continue;
        const frame = make("i", kind);
        frame.style.left = percent(from - cluster.from);
        frame.style.width = percent(to - from);
        element.children[place].append(frame);
      }
    });
  }

  // ---- size

  /**
   * Set the sentence as large as fits: in at most three lines, and in this height.
   * @param {number} height
   * @param {number} most the largest type, in pixels
   * @param {Piece[]} widest the pieces that take most room, whichever are drawn now
   */
  fit(height, most, widest) {
    if (!this.element.clientWidth) return;
    const probe = this.lineOf(widest);
    probe.classList.add("probe");
    this.element.append(probe);
    probe.style.right = `${SCROLLBAR}px`;
    const size = largest(probe, this.element.clientWidth - SCROLLBAR, height, most);
    probe.style.fontSize = this.line.style.fontSize = `${size}px`;
    this.element.style.minHeight = `${probe.offsetHeight}px`; // merged pieces may need a line less: nothing jumps
    const before = this.lineStarts.join();
    this.lineStarts = lineStartsOf(probe, pitchOf(size));
    probe.remove();
    if (this.lineStarts.join() !== before) this.draw(this.drawn);
  }

  /**
   * A line of these pieces, which breaks where there is no room.
   * @param {Piece[]} pieces
   */
  lineOf(pieces) {
    const line = make("div", "line");
    const tints = this.tintsOf(pieces);
    for (const piece of pieces) {
      if (this.sentence.mayBreak[piece.from]) line.append(make("wbr"));
      const element = this.elementOf(piece);
      this.paint(element, tints);
      line.append(element);
    }
    return line;
  }

  /**
   * Put a copy of the sentence into another place, as large as fits there.
   * @param {Element} place
   * @param {number} width
   * @param {number} height
   */
  copyTo(place, width, height) {
    const copy = this.lineOf(this.drawn);
    place.append(copy);
    copy.style.fontSize = `${largest(copy, width, height, SLIDE_MOST)}px`;
  }
}

/**
 * The bytes at which the lines after the first one start.
 * @param {HTMLElement} line
 * @param {number} height of a line
 */
function lineStartsOf(line, height) {
  const pieces = /** @type {PieceElement[]} */ ([...line.querySelectorAll(".piece")]);
  let top = pieces[0]?.offsetTop ?? 0;
  return pieces.filter((piece) => {
    const isNext = piece.offsetTop - top > height / 2;
    if (isNext) top = piece.offsetTop;
    return isNext;
  }).map(({ piece }) => piece.from);
}

/** @param {Element} element a piece */
function unlight(element) {
  element.classList.remove("next");
  for (const frame of element.querySelectorAll(".joins")) frame.remove();
}

/**
 * How a piece comes from its parts; what was joined is as wide as they were, shines, and hops.
 * @param {DOMRect[]} parts
 * @param {DOMRect} to
 * @param {boolean} isJoined
 * @returns {Keyframe[]}
 */
function movement(parts, to, isJoined) {
  const { left, top } = parts[0];
  const move = `translate(${left - to.left}px, ${top - to.top}px)`;
  if (!isJoined) return [{ transform: move }, { transform: "none" }];
  const scale = (parts[parts.length - 1].right - left) / (to.width || 1);
  return [
    { transform: `${move} scaleX(${scale})`, filter: "brightness(1.12)", translate: "0 0" },
    { filter: "brightness(1.12)", translate: "0 -.06em", offset: 0.7 },
    { transform: "none", filter: "none", translate: "0 0" },
  ];
}

/**
 * The largest type with which a sentence fits.
 * @param {HTMLElement} line
 * @param {number} width
 * @param {number} height
 * @param {number} most
 */
function largest(line, width, height, most) {
  const widest = largestIn(line, width, height, most, MOST_LINES);
  if (widest < SMALL) return largestIn(line, width, height, SMALL, Infinity);
  for (let lines = 1; lines < MOST_LINES; lines++) {
    const size = largestIn(line, width, height, most, lines);
    if (size >= widest * FEWER) return size;
  }
  return widest;
}

/**
 * The largest type with which a sentence fits in this many lines.
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
    const lines = Math.round(line.offsetHeight / pitchOf(size));
    if (lines <= mostLines && line.offsetHeight <= height && line.scrollWidth <= width) low = size;
    else high = size - 1;
  }
  return low;
}

/**
 * Where the tokens of a piece begin and end: the first may begin on the line before.
 * @param {Piece} piece
 */
function endsOf({ tokens }) {
  return tokens.map(({ from, to }) => `${from}-${to}`).join();
}
