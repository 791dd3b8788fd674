// The card: what a box is in each lane, beside the box that is pointed at.
// @ts-check

import { isOpen, make } from "../elements.js";

export class Card {
  constructor() {
    this.element = make("div", "card");
    this.element.id = "card";
    this.element.setAttribute("role", "tooltip");
    this.element.popover = "manual";
  }

  /** @param {Node[]} content */
  fill(content) {
    this.element.replaceChildren(...content);
  }

  hide() {
    if (isOpen(this.element)) this.element.hidePopover();
  }

  /**
   * Stand under a place, or above it where there is no room.
   * @param {DOMRect} place
   * @param {number} above how far what belongs to the place reaches above it, in pixels
   * @param {number} below
   * @param {{ top: number, bottom: number, isWhole: boolean }} free what it may take of the window
   */
  show(place, above, below, free) {
    const { element } = this;
    if (!isOpen(element)) element.showPopover();
    const { offsetWidth: width, offsetHeight: height } = element;
    const under = place.bottom + below + 14;
    const over = place.top - above - height - 8;
    const fitsUnder = under + height < free.bottom;
    if (!fitsUnder && over < free.top + 8 && !free.isWhole) return this.hide(); // the inspector is read there
    const top = fitsUnder ? under : over;
    element.style.left = `${Math.max(8, Math.min(place.left - 12, innerWidth - width - 8))}px`;
    element.style.top = `${Math.max(8, top)}px`;
  }
}
