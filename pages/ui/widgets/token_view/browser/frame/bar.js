// The bar above or below the text: what a person can switch, the steps between differences, and the menu to save.
// @ts-check

import { addButton, make } from "../elements.js";
import { VIEWS } from "../state.js";

/** @import { TokenView } from "../view.js" */

export class Bar {
  /** @param {TokenView} view */
  constructor(view) {
    const { state, differences, saving } = view;
    this.view = view;
    this.state = state;
    this.switch = make("div", "switch");
    this.switch.setAttribute("role", "group");
    this.buttons = VIEWS.map((name) => addButton(this.switch, "", () => view.switchTo({ view: name })));
    this.lanes = new Menu((index) => view.switchTo({ chipsOf: index }));
    this.colours = new Menu((index) => view.switchTo({ colour: state.colours[index] }));
    this.white = new Check((isOn) => view.switchTo({ white_space: isOn }));
    this.looped = new Check((looped) => view.switchTo({ looped }));
    this.marks = new Check((marks) => differences.show(marks));
    this.marks.words.setAttribute("aria-live", "polite");
    this.base = new Menu((index) => view.switchTo({ base: state.comparedNames[index] }));
    const parts = [this.lanes, this.colours, this.white, this.looped, this.marks, differences, this.base, saving];
    this.element = make("div", "bar");
    this.switches = addButton(this.element, "", () => this.unfold(this.switches.getAttribute("aria-expanded") === "false"));
    this.switches.className = "switches";
    this.unfold(false);
    this.element.append(this.switch, ...parts.map(({ element }) => element));
  }

  /**
   * Show on a phone all that can be switched, or fold it into one button; elsewhere nothing is folded.
   * @param {boolean} isUnfolded
   */
  unfold(isUnfolded) {
    this.switches.setAttribute("aria-expanded", String(isUnfolded));
  }

  /** Words and choices, and of the controls those that are of use. */
  words() {
    const { model, choice, colour, colours, chipsOf, lostLooped, base, comparedNames } = this.state;
    const { labels, lanes } = model;
    this.switch.setAttribute("aria-label", labels.view);
    this.switches.textContent = labels.more;
    this.buttons.forEach((button, index) => {
      button.textContent = labels[VIEWS[index]];
      button.setAttribute("aria-pressed", String(choice.view === VIEWS[index]));
    });
    this.lanes.fill(labels.chips_of, lanes.map(({ column }) => column.name), chipsOf);
    const meanings = colours.map((each) => labels[`colour_${each}`]);
    this.colours.fill(labels.colour, meanings, colours.indexOf(colour));
    this.white.fill(labels.white_space, choice.white_space);
    this.looped.fill(lostLooped ? labels.looped_failed : labels.looped, choice.looped);
    this.sayPlace();
    this.base.fill(labels.compare_with, comparedNames, model.comparison.lanes.indexOf(base ?? -1));
    this.view.differences.words();
    this.view.saving.words();
    this.hideUseless();
  }

  sayPlace() {
    this.marks.fill(this.view.differences.said(), this.state.choice.marks);
  }

  /** Between two lanes the differences are the same whichever is compared with the other. */
  hideUseless() {
    const { model, choice, isChips, hasLooped } = this.state;
    const isFull = model.options.toolbar === "full";
    const { lanes, hasDifferences } = model.comparison;
    const differ = isFull && hasDifferences;
    this.element.hidden = model.options.toolbar === "none";
    this.switches.hidden = model.options.toolbar === "apart";
    this.lanes.element.hidden = !isChips || model.lanes.length < 2;
    // Chips show one lane, and a bar that stands apart is closed when one looks for the others.
    this.buttons[VIEWS.indexOf("chips")].hidden = model.options.toolbar === "apart" && !isChips && model.lanes.length > 1;
    this.colours.element.hidden = !isFull;
    this.looped.element.hidden = !hasLooped;
    this.marks.element.hidden = !differ;
    this.view.differences.element.hidden = !differ || !choice.marks;
    this.base.element.hidden = !differ || !choice.marks || lanes.length < 3;
  }
}

class Menu {
  /** @param {(index: number) => void} onchange */
  constructor(onchange) {
    this.element = make("label", "menu");
    this.words = make("span");
    this.list = make("select");
    this.list.onchange = () => onchange(this.list.selectedIndex);
    this.element.append(this.words, this.list);
  }

  /**
   * New words, without closing a menu that is open.
   * @param {string} title
   * @param {string[]} options
   * @param {number} chosen
   */
  fill(title, options, chosen) {
    this.words.textContent = title;
    const before = [...this.list.options].map((option) => option.textContent);
    if (options.join("\n") !== before.join("\n")) {
      this.list.replaceChildren(...options.map((option) => make("option", "", option)));
    }
    this.list.selectedIndex = chosen;
  }
}

class Check {
  /** @param {(isChecked: boolean) => void} onchange */
  constructor(onchange) {
    this.element = make("label", "check");
    this.words = make("span");
    this.input = make("input");
    this.input.type = "checkbox";
    this.input.onchange = () => onchange(this.input.checked);
    this.element.append(this.input, this.words);
  }

  /**
   * @param {string} title
   * @param {boolean} isChecked
   */
  fill(title, isChecked) {
    this.words.textContent = title;
    this.input.checked = isChecked;
  }
}
