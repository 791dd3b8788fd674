// Light on the box that is pointed at, in every lane, and the card that says what it is.
// @ts-check

import { BoxWords } from "../boxes/box_words.js";
import { make } from "../elements.js";
import { factsOf } from "../frame/heads.js";
import { countBefore } from "../model/sorted.js";

/** @import { Row } from "../boxes/rows.js" */
/** @import { Box, BoxElement, Lane, TotalElement } from "../types.d.ts" */
/** @import { TokenView } from "../view.js" */

export class Light {
  /** @param {TokenView} view */
  constructor(view) {
    this.view = view;
    this.state = view.state;
    this.card = make("div", "card");
    this.card.id = "card";
    this.card.setAttribute("role", "tooltip");
    this.card.popover = "manual";
    /** @type {{ lane: Lane, box: Box, element: BoxElement } | null} */
    this.hot = null;
    this.listen();
    this.listenToTotals();
  }

  /** The box under the pointer is lit, and a click opens it in the inspector. A finger that scrolls points at nothing. */
  listen() {
    const { scroller, ended } = this.state;
    const { signal } = ended;
    let clicked = ""; // where: what scrolls below a pointer at rest is not pointed at
    const whereOf = (/** @type {MouseEvent} */ { clientX, clientY }) => `${Math.floor(clientX)},${Math.floor(clientY)}`;
    scroller.addEventListener("pointerover", (event) => {
      const { element, lane, box } = boxAt(event);
      if (event.pointerType === "touch" || whereOf(event) === clicked) return;
      if (element && lane && box && element !== this.hot?.element) this.turnOn(lane, box, element);
    });
    scroller.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType !== "touch" && !this.view.cursor.hasFocus) this.turnOff();
    });
    scroller.addEventListener("click", (event) => {
      const { element, lane, box } = boxAt(event);
      const isSelecting = getSelection()?.isCollapsed === false;
      clicked = whereOf(event);
      if (!lane || !box || box.kind === "note" || isSelecting) return;
      this.view.cursor.standAt(lane, box); // where the keyboard goes when the inspector is closed
      this.view.inspector.pin(lane, box, element);
      if (element) this.turnOn(lane, box, element);
    });
    const turnOffOutside = (/** @type {PointerEvent} */ event) => {
      const path = event.composedPath();
      if (!path.includes(scroller) && !path.includes(this.view.inspector.element)) this.turnOff();
    };
    document.addEventListener("pointerdown", turnOffOutside, { signal });
    const moveCard = () => (this.hot ? requestAnimationFrame(() => this.placeCard()) : this.hideCard());
    scroller.addEventListener("scroll", moveCard, { passive: true });
    document.addEventListener("scroll", moveCard, { signal, capture: true, passive: true });
  }

  /** What is known of a lane is shown while its number is pointed at, or has the focus, or after a tap on it. */
  listenToTotals() {
    const { scroller, ended } = this.state;
    for (const opens of /** @type {const} */ (["pointerover", "focusin", "click"])) {
      scroller.addEventListener(opens, (event) => {
        const total = totalAt(event);
        const isFinger = "pointerType" in event && event.type === "pointerover" && event.pointerType === "touch";
        if (total && !isFinger) this.explain(total);
      });
    }
    for (const closes of ["pointerout", "focusout"]) {
      scroller.addEventListener(closes, (event) => totalAt(event) && this.hideCard());
    }
    const close = (/** @type {Event} */ event) => !this.hot && !totalAt(event) && this.hideCard();
    document.addEventListener("pointerdown", close, { signal: ended.signal });
    scroller.addEventListener("keydown", (event) => event.key === "Escape" && !this.hot && this.hideCard());
  }

  /** @param {TotalElement} total */
  explain(total) {
    this.turnOff();
    this.card.replaceChildren(...factsOf(total.lane.column));
    total.setAttribute("aria-describedby", "card");
    const { left, bottom, top } = total.getBoundingClientRect();
    this.openCard([left, bottom + 4, top - 4], this.view.inspector.free());
  }

  /**
   * Put a box in the light, and nothing else.
   * @param {Lane} lane
   * @param {Box} box
   * @param {BoxElement} element
   */
  turnOn(lane, box, element) {
    for (const row of this.litRows()) this.mark(row, false);
    this.hot = { lane, box, element };
    for (const row of this.litRows()) this.mark(row);
    this.state.root.classList.add("lit");
    this.view.branches.point(lane, box);
    this.card.replaceChildren(...new BoxWords(this.state.model, lane, box).card());
    this.placeCard();
  }

  turnOff() {
    if (!this.hot) return;
    for (const row of this.litRows()) this.mark(row, false);
    this.hot = null;
    this.state.root.classList.remove("lit");
    this.view.branches.point(null);
    this.hideCard();
  }

  hideCard() {
    if (this.card.matches(":popover-open")) this.card.hidePopover();
  }

  /** After rows were drawn again: light what the element shows now. */
  refresh() {
    const element = this.hot?.element;
    if (element?.isConnected && element.lane && element.box) this.turnOn(element.lane, element.box, element);
    else this.turnOff();
  }

  /** The drawn rows in which the lit characters stand. */
  litRows() {
    return this.hot ? this.view.rows.between(this.hot.box.from, this.hot.box.to) : [];
  }

  /**
   * Light the characters in all lanes of a row, or darken them.
   * @param {Row} row
   * @param {boolean} [isLit]
   */
  mark(row, isLit = true) {
    if (!this.hot) return;
    const { from, to } = this.hot.box;
    for (const { lane, element, boxes } of row.cells ?? []) {
      if (!lane) continue;
      const first = countBefore(boxes.length, (index) => boxes[index].to <= from);
      for (let i = first; i < boxes.length && boxes[i].from < to; i++) {
        /** @type {BoxElement | undefined} */ (element.childNodes[i])?.classList.toggle("hot", isLit);
      }
    }
  }

  /**
   * Put the card under the box, or above it where there is no room. It goes when the box scrolls away, or when the
   * inspector says more.
   */
  placeCard() {
    if (!this.hot) return;
    const { inspector } = this.view;
    const place = this.seenPlace(this.hot.element);
    if (!place || inspector.pinned?.box === this.hot.box) return this.hideCard();
    const [above, below] = this.reach(this.hot.lane);
    const free = inspector.free();
    this.openCard([place.left - 12, place.bottom + below + 14, place.top - above - 8], free);
  }

  /**
   * Put the card below, or above where there is no room or the steps to the next difference stand; nowhere, if the
   * inspector is read there, or there is no room above either.
   * @param {[left: number, below: number, above: number]} place
   * @param {{ top: number, bottom: number, isWhole: boolean }} free
   */
  openCard([left, below, above], free) {
    const { card } = this;
    if (!card.matches(":popover-open")) card.showPopover();
    const { offsetWidth: width, offsetHeight: height } = card;
    const steps = this.view.differences.element.getBoundingClientRect();
    const covers = steps.height > 0 && below < steps.bottom && below + height > steps.top;
    const fitsBelow = below + height < free.bottom && !covers;
    if (!fitsBelow && above - height < free.top + 8 && (covers || !free.isWhole)) return this.hideCard();
    card.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    card.style.top = `${Math.max(8, fitsBelow ? below : above - height)}px`;
  }

  /**
   * Where an element is, or null where it is out of sight.
   * @param {Element} element
   */
  seenPlace(element) {
    const place = element.isConnected ? element.getClientRects()[0] : undefined;
    if (!place) return null;
    const { top, bottom } = this.state.scroller.getBoundingClientRect();
    return place.bottom > Math.max(0, top) && place.top < Math.min(innerHeight, bottom) ? place : null;
  }

  /**
   * How far the lanes of the staff reach above and below a lane, in pixels.
   * @param {Lane} lane
   * @returns {[above: number, below: number]}
   */
  reach(lane) {
    const cells = this.state.isStaff ? (this.litRows()[0]?.cells ?? []).filter((cell) => cell.lane) : [];
    if (cells.length < 2) return [0, 0];
    const tops = cells.map(({ element }) => element.getBoundingClientRect().top);
    const own = tops[lane.index];
    return [own - tops[0], tops[tops.length - 1] - own];
  }
}

/**
 * @param {Event} event
 * @returns {TotalElement | null}
 */
function totalAt(event) {
  const [target] = event.composedPath();
  return target instanceof Element ? target.closest(".total") : null;
}

/** @param {Event} event */
function boxAt({ target }) {
  const element = target instanceof Element ? /** @type {BoxElement | null} */ (target.closest(".p")) : null;
  return { element, lane: element?.lane, box: element?.box };
}
