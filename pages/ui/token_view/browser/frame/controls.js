// Menus and check boxes of the bar, each with its words.
// @ts-check

import { make } from "../elements.js";

export class Menu {
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

export class Check {
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
