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
