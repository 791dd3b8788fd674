// The inspector: the box that a visitor opened, looked at closely under the text.
// @ts-check

import { titleOf } from "../boxes/box_words.js";
import { addButton, make } from "../elements.js";
import { ladder, whyBytes } from "./ladder.js";

/** @import { Card } from "./card.js" */
/** @import { Rows } from "../boxes/rows.js" */
/** @import { ViewState } from "../state.js" */
/** @import { Box, Lane } from "../types.d.ts" */

export class Inspector {
  /**
   * @param {ViewState} state
   * @param {{ rows: Rows, card: Card }} parts
   */
  constructor(state, { rows, card }) {
    this.state = state;
    this.rows = rows;
    this.card = card;
    this.element = make("section", "inspector");
    this.element.hidden = true;
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.leave());
    /** @type {{ lane: Lane, box: Box } | null} */
    this.pinned = null;
    /** Called when it opens or closes, since the text makes room for it. */
    this.onChanged = () => {};
    /** Called when a visitor closes it. */
    this.onLeft = () => {};
  }

  /**
   * Open a box.
   * @param {Lane} lane
   * @param {Box} box
   * @param {boolean} [scrolls] whether the page scrolls to it
   */
  pin(lane, box, scrolls = true) {
    this.pinned = { lane, box };
    this.fill(lane, box);
    this.element.hidden = false;
    this.card.hide(); // it says less, and hides the text
    this.onChanged();
    if (!scrolls) return;
    this.element.scrollIntoView({ block: "nearest" });
    this.rows.of(box.from)?.element.querySelector(".hot")?.scrollIntoView({ block: "nearest" });
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
    if (this.pinned) this.pin(lane, this.pinned.box, false);
  }
}
