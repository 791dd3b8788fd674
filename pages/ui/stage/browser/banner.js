// The banner: it tells of a milestone for a while, once each.
// @ts-check

import { make } from "../../token_view/browser/elements.js";

/** @import { Milestone } from "./types.d.ts" */

const SHOWN = 5000; // milliseconds

export class Banner {
  constructor() {
    this.element = make("div", "banner");
    this.element.setAttribute("role", "status");
    this.timer = 0;
    this.told = 0; // milestones that the sentence has passed
    this.old = 0; // milestones that were told before the page was drawn anew
  }

  /**
   * Tell of the newest milestone if the sentence has passed more of them than before.
   * @param {Milestone[]} found
   * @param {number} passed how many of them
   */
  pass(found, passed) {
    if (passed > Math.max(this.told, this.old)) this.tell(found[passed - 1]);
    else if (passed < this.told) this.hide();
    if (passed >= this.old) this.old = 0; // whoever goes back from here is told again
    this.told = passed;
  }

  /** @param {Milestone} milestone */
  tell({ says, kind }) {
    this.show(says, kind);
    this.timer = setTimeout(() => this.hide(), SHOWN);
  }

  /**
   * Say something until there is something else to say.
   * @param {string} words nothing for nothing
   */
  stay(words) {
    if (words) this.show(words, "stays");
    else this.hide();
  }

  /**
   * @param {string} words
   * @param {string} kind
   */
  show(words, kind) {
    clearTimeout(this.timer);
    this.element.textContent = words;
    this.element.className = `banner on ${kind}`;
  }

  hide() {
    this.element.classList.remove("on");
  }

  stop() {
    clearTimeout(this.timer);
  }
}
