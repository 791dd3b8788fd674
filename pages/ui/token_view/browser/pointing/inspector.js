// The inspector: the box that a visitor opened, looked at closely under the text.
// @ts-check

import { titleOf } from "../boxes/box_words.js";
import { addButton, make } from "../elements.js";
import { ladder, whyBytes } from "./ladder.js";

/** @import { Card } from "./card.js" */
/** @import { ViewState } from "../state.js" */
/** @import { Box, BoxElement, Lane } from "../types.d.ts" */

// Pixels:
const ENOUGH = 300; // below this height it stands where there is more room
const LEAST_HEIGHT = 64; // its title can always be seen
const AROUND = 24; // between the opened box and it, and below it
const HEADER = 64; // at the top of the window the page has its header

export class Inspector {
  /**
   * @param {ViewState} state
   * @param {Card} card
   */
  constructor(state, card) {
    this.state = state;
    this.card = card;
    this.element = make("section", "inspector");
    this.element.hidden = true;
    /** @type {{ lane: Lane, box: Box, element: BoxElement | null } | null} */
    this.pinned = null;
    this.isAbove = false;
    const { signal } = state.ended;
    document.addEventListener("keydown", (event) => this.press(event), { signal });
    const fit = () => this.pinned && requestAnimationFrame(() => this.fit());
    document.addEventListener("scroll", fit, { signal, capture: true, passive: true });
    addEventListener("resize", fit, { signal, passive: true });
    /** How far the lanes around a lane reach above and below it. @type {(lane: Lane) => [number, number]} */
    this.reach = () => [0, 0];
    /** Called when it opens or closes, since the text makes room for it. */
    this.onChanged = () => {};
    /** Called when a visitor closes it. */
    this.onLeft = () => {};
  }

  /**
   * Open a box. Nothing scrolls: what a visitor clicked stays where it is.
   * @param {Lane} lane
   * @param {Box} box
   * @param {BoxElement | null} element
   */
  pin(lane, box, element) {
    this.pinned = { lane, box, element };
    this.fill(lane, box);
    this.element.hidden = false;
    this.card.hide(); // it says less, and hides the text
    this.onChanged();
    this.isAbove = this.hasMoreRoomAbove();
    this.fit();
  }

  /** Where the opened box is; null where it is drawn no more. */
  place() {
    const { element, box } = this.pinned ?? {};
    return element?.isConnected && element.box?.from === box?.from ? (element.getClientRects()[0] ?? null) : null;
  }

  /** Free pixels of the window above and below the opened box with all its lanes; null where it is out of sight. */
  room() {
    const place = this.place();
    if (!place || !this.pinned || place.bottom < HEADER || place.top > innerHeight) return null;
    const [above, below] = this.reach(this.pinned.lane);
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

  hasMoreRoomAbove() {
    const room = this.room();
    return room !== null && room.below < ENOUGH && room.above > room.below;
  }

  /** Leave the opened box in sight: stand below it, over the text that goes on there, or above it. */
  fit() {
    const { style, classList } = this.element;
    const room = this.room();
    this.isAbove &&= room !== null;
    classList.toggle("above", this.isAbove);
    style.bottom = style.maxHeight = "";
    if (!room) return;
    const most = this.isAbove ? room.above : room.below;
    style.maxHeight = `${Math.max(LEAST_HEIGHT, most)}px`;
    if (!this.isAbove) return;
    style.bottom = `${this.state.root.getBoundingClientRect().bottom - room.edge + AROUND / 2}px`;
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
    title.prepend(...titleOf(model, lane, box));
    const rungs = make("div", "scroll");
    rungs.tabIndex = 0; // so that keys can scroll it
    rungs.setAttribute("role", "group");
    rungs.setAttribute("aria-label", model.labels.inspector);
    rungs.append(...ladder(model, box));
    this.element.replaceChildren(title, make("p", "why", whyBytes(model, box)), rungs);
  }

  close() {
    if (!this.pinned) return;
    this.pinned = null;
    this.element.hidden = true;
    this.element.replaceChildren();
    this.onChanged();
  }

  /** A visitor closes it, and goes back to the text. */
  leave() {
    if (!this.pinned) return;
    this.close();
    this.onLeft();
  }

  /**
   * Open the same box in lanes that have changed.
   * @param {Lane} lane
   */
  repin(lane) {
    if (this.pinned) this.pin(lane, this.pinned.box, this.pinned.element);
  }
}
