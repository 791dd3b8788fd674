// A grid of entries as long as any vocabulary: only the rows in sight are drawn, and their cells are used again.
// @ts-check

import { fillChip } from "../../widgets/token_view/browser/boxes/box_elements.js";
import { make } from "../../widgets/token_view/browser/elements.js";
import { tintOfBytes } from "../../widgets/token_view/browser/model/tints.js";

/** @import { Vocabulary } from "./search.js" */
/** @import { Label } from "./types.d.ts" */

const NARROW = 560;
/** The least room of a cell, for short tokens and for long ones. */
const WIDE_CELLS = [{ width: 140, height: 96 }, { width: 260, height: 96 }];
const NARROW_CELLS = [{ width: 108, height: 76 }, { width: 168, height: 76 }];
const LONG = 12; // bytes: four letters of Thai
const LOOKED_AT = 24; // entries at the beginning, which decide whether the tokens are long
const SPARE_ROWS = 2; // drawn above and below what is in sight

export class Grid {
  /**
   * @param {Label} label
   * @param {(id: number) => void} onPick
   * @param {() => void} onSize what to do when more or fewer rows are in sight
   */
  constructor(label, onPick, onSize) {
    this.label = label;
    this.onPick = onPick;
    this.onSize = onSize;
    this.element = make("div", "entries");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "listbox");
    this.spacer = make("div", "spacer");
    this.spacer.setAttribute("role", "none");
    this.element.append(this.spacer);
    /** @type {Vocabulary | null} */
    this.vocabulary = null;
    this.places = new Uint32Array(0);
    this.uses = new Uint32Array(0);
    this.tints = 1;
    this.active = 0;
    this.picked = -1;
    this.columns = 1;
    /** The code of special tokens among the scripts: their long names are written small, in two lines. */
    this.special = -1;
    this.cell = WIDE_CELLS[0];
    /** @type {Map<number, HTMLElement>} the drawn cells by index */
    this.cells = new Map();
    this.frame = 0;
    this.element.onscroll = () => this.later();
    this.element.onkeydown = (event) => this.press(event);
    this.spacer.onclick = (event) => this.click(event);
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.element);
  }

  /**
   * @param {Vocabulary} vocabulary
   * @param {Uint32Array} places
   * @param {Uint32Array} uses
   * @param {number} tints
   */
  show(vocabulary, places, uses, tints) {
    Object.assign(this, { vocabulary, places, uses, tints, active: 0 });
    this.clear();
    this.element.hidden = !places.length;
    this.element.scrollTop = 0;
    this.resize();
  }

  /** @param {number} place */
  mark(place) {
    this.picked = place;
    for (const [index, cell] of this.cells) this.dress(cell, index);
  }

  remove() {
    this.watcher.disconnect();
    cancelAnimationFrame(this.frame);
  }

  clear() {
    this.cells.clear();
    this.spacer.replaceChildren();
  }

  resize() {
    this.layOut();
    this.onSize();
  }

  layOut() {
    const width = this.element.clientWidth;
    if (!width) return;
    this.cell = (width < NARROW ? NARROW_CELLS : WIDE_CELLS)[Number(this.areLong())];
    this.columns = Math.max(1, Math.floor(width / this.cell.width));
    const rows = Math.ceil(this.places.length / this.columns);
    this.spacer.style.height = `${rows * this.cell.height}px`;
    for (const [index, cell] of this.cells) this.place(cell, index);
    this.draw();
  }

  /** Whether no entry is out of sight. */
  get showsAll() {
    return !this.places.length || this.spacer.clientHeight <= this.element.clientHeight;
  }

  /** Show as many rows more as are in sight now. */
  lengthen() {
    this.element.style.height = `${Math.min(2 * this.element.clientHeight, this.spacer.clientHeight)}px`;
  }

  areLong() {
    return [...this.places.subarray(0, LOOKED_AT)].some((place) => Number(this.vocabulary?.lengthOf(place)) > LONG);
  }

  /** Draw once in the next frame, however often the list has moved. */
  later() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    const { scrollTop, clientHeight } = this.element;
    const from = Math.max(0, Math.floor(scrollTop / this.cell.height) - SPARE_ROWS) * this.columns;
    const rows = Math.ceil((scrollTop + clientHeight) / this.cell.height) + SPARE_ROWS;
    const to = Math.min(this.places.length, rows * this.columns);
    const free = [];
    for (const [index, cell] of this.cells) {
      if (index >= from && index < to) continue;
      this.cells.delete(index);
      free.push(cell);
    }
    for (let index = from; index < to; index++) {
      if (!this.cells.has(index)) this.fill(free.pop() ?? this.make(), index);
    }
    for (const cell of free) cell.remove();
    this.point();
  }

  make() {
    const cell = make("div", "entry");
    cell.setAttribute("role", "option");
    cell.append(make("span", "p"), make("span", "facts"));
    this.spacer.append(cell);
    return cell;
  }

  /**
   * @param {HTMLElement} cell
   * @param {number} index
   */
  fill(cell, index) {
    const { vocabulary } = this;
    if (!vocabulary) return;
    const place = this.places[index];
    const [face, facts] = /** @type {HTMLElement[]} */ ([...cell.children]);
    const bytes = vocabulary.bytesOf(place);
    const [id, uses] = [vocabulary.ids[place], this.uses[place]];
    fillFace(face, bytes, this.tints);
    face.style.setProperty("--letters", String(Math.max(1, face.textContent.replace(/\p{M}/gu, "").length)));
    face.classList.toggle("special", vocabulary.scripts[place] === this.special);
    facts.textContent = this.label("id", { id: String(id) }) + (uses ? ` · ${this.label("times", { count: uses })}` : "");
    cell.id = `entry-${index}`;
    cell.setAttribute("aria-setsize", String(this.places.length));
    cell.setAttribute("aria-posinset", String(index + 1));
    cell.dataset.index = String(index);
    this.cells.set(index, cell);
    this.place(cell, index);
    this.dress(cell, index);
  }

  /**
   * @param {HTMLElement} cell
   * @param {number} index
   */
  place(cell, index) {
    const width = this.element.clientWidth / this.columns;
    const [row, column] = [Math.floor(index / this.columns), index % this.columns];
    cell.style.cssText = `--cell:${width}px;width:${width}px;height:${this.cell.height}px;transform:translate(${column * width}px,${row * this.cell.height}px)`;
  }

  /**
   * @param {HTMLElement} cell
   * @param {number} index
   */
  dress(cell, index) {
    cell.setAttribute("aria-selected", String(this.places[index] === this.picked));
    cell.classList.toggle("active", index === this.active);
  }

  /** Tell screen readers at which entry the keyboard is. */
  point() {
    if (this.cells.has(this.active)) this.element.setAttribute("aria-activedescendant", `entry-${this.active}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const page = this.columns * Math.max(1, Math.floor(this.element.clientHeight / this.cell.height) - 1);
    /** @type {Record<string, number>} */
    const steps = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: this.columns,
      ArrowUp: -this.columns,
      PageDown: page,
      PageUp: -page,
      Home: -this.places.length,
      End: this.places.length,
    };
    if (event.key === "Enter" || event.key === " ") this.pick(this.active);
    else if (event.key in steps) this.go(this.active + steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} index */
  go(index) {
    this.active = Math.max(0, Math.min(this.places.length - 1, index));
    const top = Math.floor(this.active / this.columns) * this.cell.height;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.cell.height > scrollTop + clientHeight) {
      this.element.scrollTop = top + this.cell.height - clientHeight;
    }
    this.draw();
    for (const [each, cell] of this.cells) this.dress(cell, each);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const cell = event.target instanceof Element ? event.target.closest(".entry") : null;
    if (!(cell instanceof HTMLElement)) return;
    this.go(Number(cell.dataset.index));
    this.pick(this.active);
  }

  /** @param {number} index */
  pick(index) {
    if (!this.vocabulary || index >= this.places.length) return;
    this.mark(this.places[index]);
    this.onPick(this.vocabulary.ids[this.places[index]]);
  }
}

const MOST_BYTES = 72; // a whole number of Thai characters

/**
 * @param {HTMLElement} chip
 * @param {Uint8Array} bytes
 * @param {number} tints
 */
export function fillFace(chip, bytes, tints) {
  let end = Math.min(bytes.length, MOST_BYTES);
  while (end < bytes.length && end > 0 && bytes[end] >> 6 === 2) end--; // not within a character
  fillChip(chip, bytes.subarray(0, end));
  if (end < bytes.length) chip.append(make("span", "w", "…"));
  chip.style.backgroundColor = `var(--t${tintOfBytes(bytes, tints)})`;
}
