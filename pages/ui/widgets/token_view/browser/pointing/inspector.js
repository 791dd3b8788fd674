// The inspector: the box that a visitor opened, looked at closely under the text.
// @ts-check

import { tokenChip } from "../boxes/box_elements.js";
import { BoxWords, idOf, spokenBytes } from "../boxes/box_words.js";
import { addButton, make, scrollerOf } from "../elements.js";
import {
  JOINING,
  brokenByte,
  bytesOfCharacter,
  codeOf,
  glyphOf,
  hexOf,
  isWhiteOrUnseen,
  spoken,
  utf8Length,
} from "../model/characters.js";

import { NARROW } from "../state.js";

/** @import { Box, BoxElement, Lane, Model } from "../types.d.ts" */
/** @import { TokenView } from "../view.js" */

// Pixels:
const ENOUGH = 300; // below this height it stands where there is more room
const LEAST_HEIGHT = 64; // its title can always be seen
const AROUND = 24; // between the opened box and it, and below it
const FOOT = 10; // of them, what it takes where so little hides the foot of its last row
const HEADER = 64; // at the top of the window the page has its header
const NUMBER = 48; // above the lanes of a phone stand their numbers of tokens
const LOW = 480; // up to this height the window is that of a phone on its side, as in token_view.css
const MAX_RUNGS = 48; // bytes in the ladder

export class Inspector {
  /** @param {TokenView} view */
  constructor(view) {
    this.view = view;
    this.state = view.state;
    this.element = make("section", "inspector");
    this.element.hidden = true;
    /** @type {{ lane: Lane, box: Box, element: BoxElement | null } | null} */
    this.pinned = null;
    this.isAbove = false;
    const { signal } = view.state.ended;
    document.addEventListener("keydown", (event) => this.press(event), { signal });
    const fit = () => this.pinned && requestAnimationFrame(() => this.fit());
    document.addEventListener("scroll", fit, { signal, capture: true, passive: true });
    addEventListener("resize", fit, { signal, passive: true });
  }

  /**
   * Open a box. What a visitor clicked stays where it is, but on a phone and in a short text, whose lanes would be
   * covered: there it goes up to make room.
   * @param {Lane} lane
   * @param {Box} box
   * @param {BoxElement | null} element
   */
  pin(lane, box, element) {
    this.pinned = { lane, box, element };
    this.fill(lane, box);
    this.element.hidden = false;
    this.view.light.hideCard(); // it says less, and hides the text
    this.view.fit();
    if (this.isOnPhone || this.state.isSmallText) this.makeRoom();
    const room = this.room();
    this.isAbove = !this.isOnPhone && room !== null && room.below < ENOUGH && room.above > room.below;
    this.fit();
  }

  get isOnPhone() {
    return innerWidth <= NARROW || innerHeight <= LOW;
  }

  /** Scroll until all of it stands after the text, or until the opened box is at the top; not where it fits. */
  makeRoom() {
    const { element } = this;
    const place = this.place();
    if (!place || !this.pinned) return;
    element.style.maxHeight = "none";
    element.style.position = "static";
    const { bottom, height } = element.getBoundingClientRect();
    element.style.position = element.style.maxHeight = "";
    const { below } = this.roomAround(place, this.view.light.reach(this.pinned.lane));
    if (!this.isOnPhone && below >= Math.min(height, ENOUGH)) return; // above stand the answer and the text
    const shift = Math.min(bottom + AROUND / 2 - innerHeight, place.top - HEADER - (innerWidth <= NARROW ? NUMBER : 0));
    if (shift > 0) scrollerOf(this.state.root).scrollTop += shift;
  }

  /** Where the opened box is; null if it is not drawn any more. */
  place() {
    const { element, box } = this.pinned ?? {};
    return element?.isConnected && element.box?.from === box?.from ? (element.getClientRects()[0] ?? null) : null;
  }

  /**
   * Free pixels of the window above and below the opened box with all its lanes, or with its own alone where all leave
   * too few; null where it is out of sight.
   */
  room() {
    const place = this.place();
    if (!place || !this.pinned || place.bottom < HEADER || place.top > innerHeight) return null;
    const room = this.roomAround(place, this.view.light.reach(this.pinned.lane));
    return Math.max(this.isOnPhone ? 0 : room.above, room.below) < ENOUGH ? this.roomAround(place, [0, 0]) : room;
  }

  /**
   * Free pixels of the window above and below a box with what else reaches out of it.
   * @param {DOMRect} place
   * @param {number[]} reach
   */
  roomAround(place, [above, below]) {
    return { ...this.roomAbove(place.top - above), below: innerHeight - place.bottom - below - AROUND };
  }

  /**
   * The larger one of the gaps between the bar and the opened box and above the bar, which stays free.
   * @param {number} top of the opened box with all its lanes
   */
  roomAbove(top) {
    const { root } = this.state;
    const bar = root.firstElementChild?.getBoundingClientRect();
    const [between, over] = [top - Math.max(HEADER, bar?.bottom ?? 0), root.getBoundingClientRect().top - HEADER];
    return between >= over ? { above: between - AROUND / 2, edge: top } : { above: over - AROUND / 2, edge: over + HEADER };
  }

  /** Leave the opened box in sight: stand below it, over the rest of the text, or above it. */
  fit() {
    const { style, classList } = this.element;
    const room = this.room();
    this.isAbove &&= room !== null;
    classList.toggle("above", this.isAbove);
    style.bottom = style.maxHeight = "";
    const height = room && Math.max(LEAST_HEIGHT, this.isAbove ? room.above : room.below);
    if (height) style.maxHeight = `${height}px`;
    const spare = this.hidden <= FOOT ? this.hidden : 0;
    if (height) style.maxHeight = `${height + spare}px`;
    this.showCut();
    if (!room || !this.isAbove) return;
    style.bottom = `${this.state.root.getBoundingClientRect().bottom - room.edge + AROUND / 2 - spare}px`;
  }

  /** Pixels of the ladder that do not fit into its place. */
  get hidden() {
    const rungs = this.element.querySelector(".scroll");
    return rungs ? rungs.scrollHeight - rungs.clientHeight : 0;
  }

  /** Fade the foot of the ladder while more of it is below. */
  showCut() {
    const rungs = this.element.querySelector(".scroll");
    rungs?.classList.toggle("cut", rungs.scrollTop + rungs.clientHeight < rungs.scrollHeight - 1);
  }

  /** The part of the window that it leaves free. */
  free() {
    const { top, bottom } = this.element.getBoundingClientRect();
    const isWhole = !this.pinned || top >= innerHeight;
    if (isWhole) return { top: 0, bottom: innerHeight, isWhole };
    return this.isAbove ? { top: bottom, bottom: innerHeight, isWhole } : { top: 0, bottom: top, isWhole };
  }

  /**
   * Escape closes it from wherever no other control has the keyboard: the text, the page, or itself.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const [target] = event.composedPath();
    if (event.key !== "Escape" || event.defaultPrevented || !this.pinned || !(target instanceof Element)) return;
    const root = this.state.root.getRootNode();
    const host = root instanceof ShadowRoot ? root.host : this.state.root;
    if (this.state.root.contains(target) || target.contains(host)) this.leave();
  }

  /**
   * @param {Lane} lane
   * @param {Box} box
   */
  fill(lane, box) {
    const { model } = this.state;
    const title = make("div", "title");
    const close = addButton(title, "×", () => this.leave());
    close.setAttribute("aria-label", model.labels.close);
    const words = new BoxWords(model, lane, box);
    const summary = make("div", "summary");
    summary.append(...words.summary());
    title.prepend(summary);
    const cut = lane.takenBy ? whyCut(model, lane, box) : "";
    const why = make("p", "why", `${cut || whyBytes(model, box)} `);
    if (box.from !== box.to) why.append(make("span", "where", words.offsets()));
    if (cut) return this.element.replaceChildren(title, piecesOf(model, box), why);
    const rungs = make("div", "scroll");
    rungs.tabIndex = 0; // so that keys can scroll it
    rungs.setAttribute("role", "group");
    rungs.setAttribute("aria-label", model.labels.inspector);
    rungs.append(...new Ladder(model, box, lane).elements());
    rungs.addEventListener("scroll", () => this.showCut(), { passive: true });
    this.element.replaceChildren(title, why, rungs);
  }

  close() {
    if (!this.pinned) return;
    this.pinned = null;
    this.element.hidden = true;
    this.element.replaceChildren();
    this.view.fit();
  }

  /** A visitor closes it, and goes back to the text. */
  leave() {
    if (!this.pinned) return;
    this.close();
    this.view.cursor.focus();
    this.view.light.turnOff(); // nothing opens or stays lit where something was closed
  }

  /** @param {Lane} lane */
  repin(lane) {
    if (this.pinned) this.pin(lane, this.pinned.box, this.pinned.element);
  }
}

const FIT = 3; // lanes of which a phone shows all

/** The ladder of bytes: a rung for each byte of a box, with its character, and with its token in each lane. */
class Ladder {
  /**
   * @param {Model} model
   * @param {Box} box
   * @param {Lane} own
   */
  constructor(model, box, own) {
    this.model = model;
    // Many lanes do not fit a phone: the one that was pressed comes first.
    this.lanes = model.lanes.length > FIT ? [own, ...model.lanes.filter((lane) => lane !== own)] : model.lanes;
    this.from = model.clusterStart(Math.min(box.from, model.text.length - 1));
    this.to = box.to > box.from ? box.to : model.clusterEnd(this.from); // a token without text: what is beside it
    this.bytes = utf8Length(model.text.slice(this.from, this.to));
    this.start = model.lanes[0].byteOfUnit(this.from, model.text);
    this.stop = this.start + Math.min(this.bytes, MAX_RUNGS);
    this.table = make("table", "ladder");
    const body = this.table.createTBody();
    this.rungs = Array.from({ length: this.stop - this.start }, () => body.insertRow());
  }

  /** The table, and how many bytes it leaves out. */
  elements() {
    const { model, lanes, table, bytes } = this;
    const { labels } = model;
    const head = table.createTHead().insertRow();
    for (const title of [labels.character, labels.byte, ...lanes.map(({ column }) => column.name)]) {
      head.appendChild(make("th", "", title)).scope = "col";
    }
    this.addCharacters();
    for (const lane of lanes) this.addOwners(lane);
    const count = bytes - MAX_RUNGS;
    return [table, count > 0 ? make("p", "note", model.label("more_bytes", { count })) : ""];
  }

  addCharacters() {
    const { model, rungs, from, to } = this;
    let rung = 0;
    for (const character of model.text.slice(from, Math.min(to, from + rungs.length * 2))) {
      if (rung >= rungs.length) break;
      const bytes = bytesOfCharacter(character);
      const cell = rungs[rung].appendChild(this.characterCell(character));
      cell.rowSpan = Math.min(bytes.length, rungs.length - rung);
      for (let i = 0; i < cell.rowSpan; i++) {
        rungs[rung + i].append(make("td", "hex", hexOf(bytes.subarray(i, i + 1))));
      }
      rung += bytes.length;
    }
  }

  /** @param {string} character */
  characterCell(character) {
    const cell = make("th", "character");
    cell.scope = "rowgroup";
    const isBroken = brokenByte(character) !== null;
    const isNamed = isWhiteOrUnseen(character) || JOINING.test(character);
    cell.append(
      make("span", isBroken ? "letter hex" : "letter", isNamed ? glyphOf(character) : spoken(character)),
      make("span", "code", isBroken ? "" : codeOf(character)),
      make("span", "called", this.model.nameOf(character)),
    );
    return cell;
  }

  /** @param {Lane} lane */
  addOwners(lane) {
    const { model, rungs, start, stop } = this;
    for (let byte = start; byte < stop; ) {
      const token = lane.tokenOfByte(byte);
      const end = Math.min(lane.byteAt[token + 1], stop);
      const cell = rungs[byte - start].appendChild(make("td", lane.isGap(token) ? "owner gap" : "owner"));
      cell.rowSpan = end - byte;
      cell.style.backgroundColor = `var(--${lane.tintOf(token)})`;
      if (!lane.isGap(token)) cell.append(tokenChip(lane, token));
      cell.append(...idOf(model, lane, token));
      for (const empty of lane.emptyBeside(token)) {
        cell.append(tokenChip(lane, empty), ...idOf(model, lane, empty), make("span", "made", model.labels.no_text));
      }
      const isWider = lane.byteAt[token] < start || lane.byteAt[token + 1] > stop;
      if (isWider) cell.append(make("span", "made", model.labels.goes_on));
      for (const words of originOf(model, lane, token)) cell.append(make("span", "made", words));
      byte = end;
    }
  }
}

/**
 * How a token of the visitor's own tokenizer was made.
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} token
 */
function originOf(model, lane, token) {
  const origin = lane.origin(token);
  if (!origin) return [];
  const { merge, count } = origin;
  if (!merge) return [lane.sizeOf(token) === 1 ? model.labels.single_byte : ""];
  const bytes = lane.bytesOf(token);
  const [left, right] = [bytes.subarray(0, origin.left), bytes.subarray(origin.left)].map(spokenBytes);
  const made = model.label("made_by", { merge, left, right });
  return count ? [made, model.label("seen", { count })] : [made];
}

/**
 * The pieces of each pattern that have characters of a box.
 * @param {Model} model
 * @param {Box} box
 */
function piecesOf(model, box) {
  const list = make("div", "scroll pieces");
  list.tabIndex = 0;
  for (const lane of model.lanes) {
    const row = list.appendChild(make("p"));
    row.append(make("span", "name", lane.column.name));
    const [first, last] = [box.from, box.to].map((unit) => lane.byteOfUnit(unit, model.text));
    for (let token = lane.tokenOfByte(first); token <= lane.tokenOfByte(last - 1); token++) row.append(tokenChip(lane, token));
  }
  return list;
}

/**
 * The words of each part of the pattern that took a piece of a box; "" where they are its source alone.
 * @param {Model} model
 * @param {Lane} lane
 * @param {Box} box
 */
function whyCut({ labels }, { takenBy, column }, { first, count }) {
  const taken = new Set(takenBy?.subarray(first, first + count));
  const said = [...taken].map((branch) => (branch ? column.branches?.[branch - 1] : { words: labels.between, source: "" }));
  return said.some((each) => each?.words === each?.source) ? "" : said.map((each) => each?.words).join(" · ");
}

/**
 * One sentence on what the bytes of these characters mean.
 * @param {Model} model
 * @param {Box} box
 */
function whyBytes({ text, labels }, box) {
  const seen = text.slice(box.from, Math.min(box.to, box.from + MAX_RUNGS));
  if ([...seen].some((character) => brokenByte(character) !== null)) return labels.why_broken;
  if (/[\u0e00-\u0e7f]/.test(seen)) return labels.why_thai;
  return /^[\0-\x7f]*$/.test(seen) ? labels.why_one : labels.why_many;
}
