// What people search and filter by: a line for the search, one for scripts, one for the order; the rest is folded away.
// @ts-check

import { addButton, make } from "../../widgets/token_view/browser/elements.js";

/** @import { Choice, Kind, Label, Order, Use } from "./types.d.ts" */

/** @type {Kind[]} */
const SEARCHES = ["text", "bytes", "id", "regex"];
/** @type {Order[]} */
const ORDERS = ["best", "order", "newest", "longest", "shortest", "letters", "used"];
/** @type {Use[]} */
const USES = ["all", "used", "unused"];
const BOUNDS = /** @type {const} */ (["shortest", "longest", "first", "last"]);
const LEAST = { shortest: 1, longest: 1, first: 0, last: 0 };
/** The choices before anybody has chosen. */
export const EVERYTHING = { shortest: 1, longest: 2 ** 31, first: 0, last: 2 ** 31 };

export class Controls {
  /**
   * @param {Label} label
   * @param {Choice} choice
   * @param {string[]} scripts
   * @param {() => void} onchange
   */
  constructor(label, choice, scripts, onchange) {
    this.label = label;
    this.choice = choice;
    this.onchange = onchange;
    this.element = make("div", "controls");
    this.query = make("input");
    this.query.type = "search";
    this.query.spellcheck = false;
    this.query.autocomplete = "off";
    this.query.value = choice.query;
    this.query.oninput = () => this.set({ query: this.query.value });
    this.query.setAttribute("aria-label", label("search"));
    this.said = make("p", "says");
    this.said.setAttribute("role", "status");
    const line = make("div", "search");
    const kind = this.menu("kind", label("kind"), SEARCHES, (value) => label(`kind_${value}`));
    const order = this.menu("order", label("sort"), ORDERS, (value) => label(`order_${value}`));
    this.matches = this.caseBox();
    this.counted = make("p", "says");
    line.append(kind, this.query);
    this.scripts = make("div", "scripts");
    this.scripts.setAttribute("role", "group");
    this.scripts.setAttribute("aria-label", label("script"));
    this.buttons = [null, ...scripts.keys()].map((code) =>
      addButton(this.scripts, "", () => this.set({ script: choice.script === code ? null : code })));
    this.names = [label("all"), ...scripts.map((script) => label(`script_${script}`))];
    const foot = make("div", "foot");
    foot.append(this.said, order, this.more());
    this.element.append(line, this.scripts, foot);
    this.hint();
  }

  /** @param {Partial<Choice>} change */
  set(change) {
    Object.assign(this.choice, change);
    this.hint();
    this.onchange();
  }

  /** Whether capital letters matter; shown where text is looked for. */
  caseBox() {
    const label = make("label", "menu case");
    const box = make("input");
    box.type = "checkbox";
    box.checked = this.choice.matchesCase;
    box.onchange = () => this.set({ matchesCase: box.checked });
    label.append(box, make("span", "", this.label("match_case")));
    return label;
  }

  hint() {
    this.matches.hidden = this.choice.kind !== "text";
    this.query.placeholder = this.label(`hint_${this.choice.kind}`);
  }

  /**
   * A menu of words; `name` is what it sets.
   * @param {"kind" | "order" | "use"} name
   * @param {string} title
   * @param {string[]} values
   * @param {(value: string) => string} called
   */
  menu(name, title, values, called) {
    const menu = make("label", "menu");
    const list = make("select");
    list.append(...values.map((value) => make("option", "", called(value))));
    list.selectedIndex = values.indexOf(this.choice[name]);
    list.onchange = () => this.set({ [name]: values[list.selectedIndex] });
    menu.append(make("span", name === "use" ? "" : "unseen", title), list);
    return menu;
  }

  /** What is needed now and then: capital letters, lengths, ids, and what a text uses. */
  more() {
    const more = make("details", "more");
    const inside = make("div", "inside");
    const use = this.menu("use", this.label("use"), USES, (value) => this.label(`use_${value}`));
    inside.append(this.matches, use, this.range(this.label("length"), 0), this.range(this.label("learned"), 2), this.counted);
    more.append(make("summary", "", this.label("more")), inside);
    return more;
  }

  /**
   * Two numbers that bound a length or an id.
   * @param {string} title
   * @param {number} at where their names are in `BOUNDS`
   */
  range(title, at) {
    const range = make("span", "menu");
    range.append(make("span", "", title));
    for (const bound of BOUNDS.slice(at, at + 2)) {
      const box = make("input");
      box.type = "number";
      box.min = String(LEAST[bound]);
      if (this.choice[bound] !== EVERYTHING[bound]) box.value = String(this.choice[bound]);
      box.placeholder = this.label(at % 2 === 0 && bound === BOUNDS[at] ? "from" : "to");
      box.setAttribute("aria-label", `${title}: ${box.placeholder}`);
      box.oninput = () => this.set({ [bound]: box.value === "" ? EVERYTHING[bound] : Number(box.value) });
      range.append(box);
    }
    return range;
  }

  /**
   * Show how many entries there are of each script, how many are shown, and which text the counts are from.
   * @param {Uint32Array} counts
   * @param {string} says
   * @param {string} counted
   */
  tell(counts, says, counted) {
    const all = counts.reduce((sum, count) => sum + count, 0);
    this.buttons.forEach((button, i) => {
      const count = i ? counts[i - 1] : all;
      const isChosen = this.choice.script === (i ? i - 1 : null);
      button.replaceChildren(this.names[i], make("b", "", count.toLocaleString(this.label("locale"))));
      button.setAttribute("aria-pressed", String(isChosen));
      button.hidden = !count && !isChosen;
    });
    this.said.textContent = says;
    this.counted.textContent = counted;
  }
}
