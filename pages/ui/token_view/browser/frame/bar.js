// The bar above or below the text: what a person can switch, the steps between differences, and the menu to save.
// @ts-check

import { Check, Menu } from "./controls.js";
import { addButton, make } from "../elements.js";
import { VIEWS } from "../state.js";

/** @import { Differences } from "./differences.js" */
/** @import { SaveMenu } from "../saving/save_menu.js" */
/** @import { ViewState } from "../state.js" */
/** @import { Choice } from "../types.d.ts" */

export class Bar {
  /**
   * @param {ViewState} state
   * @param {{ differences: Differences, saving: SaveMenu }} parts
   * @param {(change: Partial<Choice>) => void} switchTo
   */
  constructor(state, { differences, saving }, switchTo) {
    this.state = state;
    this.differences = differences;
    this.saving = saving;
    this.switch = make("div", "switch");
    this.switch.setAttribute("role", "group");
    this.buttons = VIEWS.map((view) => addButton(this.switch, "", () => switchTo({ view })));
    this.lanes = new Menu((index) => switchTo({ chipsOf: index }));
    this.colours = new Menu((index) => switchTo({ colour: state.colours[index] }));
    this.white = new Check((whiteSpace) => switchTo({ whiteSpace }));
    this.looped = new Check((looped) => switchTo({ looped }));
    this.marks = new Check((marks) => switchTo({ marks }));
    this.base = new Menu((index) => switchTo({ base: this.nameOfCompared(index) }));
    const parts = [this.lanes, this.colours, this.white, this.looped, this.marks, this.base, differences, saving];
    this.element = make("div", "bar");
    this.element.append(this.switch, ...parts.map(({ element }) => element));
  }

  /** Words and choices, and of the controls those that are of use. */
  words() {
    const { model, choice, colour, colours, chipsOf, lostLooped, base } = this.state;
    const { labels, lanes } = model;
    this.switch.setAttribute("aria-label", labels.view);
    this.buttons.forEach((button, index) => {
      button.textContent = labels[VIEWS[index]];
      button.setAttribute("aria-pressed", String(choice.view === VIEWS[index]));
    });
    const names = lanes.map(({ column }) => column.name);
    this.lanes.fill(labels.chips_of, names, chipsOf);
    const meanings = colours.map((each) => labels[`colour_${each}`]);
    this.colours.fill(labels.colour, meanings, colours.indexOf(colour));
    this.white.fill(labels.white_space, choice.whiteSpace);
    this.looped.fill(lostLooped ? labels.looped_failed : labels.looped, choice.looped);
    this.marks.fill(labels.mark, choice.marks);
    const { comparison } = model;
    this.base.fill(labels.compare_with, comparison.lanes.map((lane) => names[lane]), comparison.lanes.indexOf(base ?? -1));
    this.differences.words();
    this.saving.words();
    this.hideUseless();
  }

  /** @param {number} index of a lane among those that are compared */
  nameOfCompared(index) {
    const { comparison, lanes } = this.state.model;
    return lanes[comparison.lanes[index]].column.name;
  }

  /** Between two lanes the differences are the same whichever is compared with the other. */
  hideUseless() {
    const { model, isChips, hasLooped } = this.state;
    const isFull = model.options.toolbar === "full";
    const { lanes, hasDifferences } = model.comparison;
    const differ = isFull && hasDifferences;
    this.element.hidden = model.options.toolbar === "none";
    this.lanes.element.hidden = !isChips || model.lanes.length < 2;
    this.colours.element.hidden = !isFull;
    this.looped.element.hidden = !hasLooped;
    this.marks.element.hidden = this.differences.element.hidden = !differ;
    this.base.element.hidden = !differ || lanes.length < 3;
  }
}
