// The branches of a split pattern under the text, each with its colour; one that is pointed at stands alone.
// @ts-check

import { addText } from "../boxes/box_elements.js";
import { addButton, make } from "../elements.js";

/** @import { Row } from "../boxes/rows.js" */
/** @import { Box, BranchWords, Lane, Model } from "../types.d.ts" */
/** @import { TokenView } from "../view.js" */

/** @typedef {{ lane: number, branch: number, holder: HTMLElement, button: HTMLButtonElement, took: HTMLElement }} Item */

/** Branches count from 1; 0 is what lies in between, which no branch took. */
export class BranchLists {
  /** @param {TokenView} view */
  constructor(view) {
    this.view = view;
    this.element = /** @type {HTMLDetailsElement} */ (make("details", "branches"));
    this.element.ontoggle = () => this.colour();
    /** @type {Lane[]} */
    this.lanes = [];
    /** @type {Item[]} */
    this.items = [];
    /** @type {Item | null} the branch that a click holds */
    this.held = null;
    /** @type {Item | null} the branch that is shown alone */
    this.shown = null;
    this.key = "";
  }

  /** @param {Model} model */
  update(model) {
    this.lanes = model.lanes.filter((lane) => lane.takenBy);
    const branches = this.lanes.map(({ column }) => [column.name, column.branches]);
    const key = JSON.stringify([branches, model.labels.branches]);
    this.element.hidden = !this.lanes.length;
    if (key !== this.key) this.build(model);
    this.key = key;
    this.count(model);
  }

  /** Be open while pieces have the colours of branches. */
  open() {
    this.element.open = this.view.state.colour === "branch";
  }

  /** Pieces have the colours of the branches while these are open. */
  colour() {
    const isColoured = this.view.state.colour === "branch";
    if (this.element.open !== isColoured) this.view.switchTo({ colour: isColoured ? "piece" : "branch" });
  }

  /** @param {Model} model */
  build({ labels }) {
    this.held = this.shown = null;
    this.items = [];
    const lists = make("div", "branch-lists");
    for (const lane of this.lanes) {
      const list = make("ol");
      list.setAttribute("aria-label", lane.column.name);
      lane.column.branches?.forEach((branch, index) => list.append(this.item(lane, branch, index + 1)));
      list.append(this.item(lane, { words: labels.between, source: "" }, 0));
      const holder = make("div");
      holder.append(make("div", "name", lane.column.name), list);
      lists.append(holder);
    }
    this.element.replaceChildren(make("summary", "branches-title", labels.branches), lists);
  }

  /**
   * @param {Lane} lane
   * @param {BranchWords} words
   * @param {number} branch
   */
  item(lane, words, branch) {
    const holder = make("li");
    const button = addButton(holder, "", () => this.hold(item));
    button.className = "branch";
    button.setAttribute("aria-pressed", "false");
    const sample = make("span", "sample");
    sample.style.backgroundColor = `var(--${lane.branchTint(branch)})`;
    const took = make("b");
    button.append(sample, took, saidOf(words));
    const item = { lane: lane.index, branch, holder, button, took };
    this.items.push(item);
    button.onpointerenter = ({ pointerType }) => pointerType !== "touch" && this.show(item);
    button.onpointerleave = () => this.show(this.held);
    button.onfocus = () => button.matches(":focus-visible") && this.show(item);
    button.onblur = () => this.show(this.held);
    return holder;
  }

  /**
   * How many pretokens each branch took; what lies in between is listed where there is some.
   * @param {Model} model
   */
  count(model) {
    const counts = new Map(this.lanes.map((lane) => [lane.index, countsOf(lane)]));
    for (const item of this.items) {
      const count = counts.get(item.lane)?.[item.branch] ?? 0;
      item.took.textContent = model.label("took", { count });
      item.button.classList.toggle("none", !count);
      item.holder.hidden = !item.branch && !count;
    }
  }

  /** @param {Item} item */
  hold(item) {
    this.held = this.held === item ? null : item;
    for (const each of this.items) each.button.setAttribute("aria-pressed", String(each === this.held));
    this.show(this.held);
  }

  /**
   * Show a branch alone; null shows all.
   * @param {Item | null} item
   */
  show(item) {
    this.shown = item;
    for (const row of this.view.rows.drawn) this.mark(row);
  }

  /**
   * In the lane of the branch that is shown, only its own boxes keep their colour.
   * @param {Row} row
   */
  mark(row) {
    for (const { lane, element, boxes } of row.cells ?? []) {
      if (!lane?.takenBy) continue;
      const shown = this.shown?.lane === lane.index ? this.shown : null;
      boxes.forEach((box, index) => {
        const isTaken = shown !== null && takes(lane, box, shown.branch);
        const { classList } = /** @type {Element} */ (element.childNodes[index]);
        classList.toggle("taken", isTaken);
        classList.toggle("left", shown !== null && !isTaken);
      });
    }
  }

  /**
   * Mark the branches of a box that is pointed at in the text; null marks none.
   * @param {Lane | null} lane
   * @param {Box} [box]
   */
  point(lane, box) {
    for (const item of this.items) {
      const isTaken = lane?.index === item.lane && box !== undefined && takes(lane, box, item.branch);
      item.button.classList.toggle("hot", isTaken);
    }
  }
}

/** @param {BranchWords} branch */
function saidOf({ source, words }) {
  const said = make("span", "said", source === words ? "" : words);
  if (source) addText(said.appendChild(make("code")), source, true); // a space must be seen
  return said;
}

/** @param {Lane} lane */
function countsOf(lane) {
  const counts = new Uint32Array((lane.column.branches?.length ?? 0) + 1);
  for (const branch of lane.takenBy ?? []) counts[branch] += 1;
  return counts;
}

/**
 * Whether a branch took one of the tokens of a box.
 * @param {Lane} lane
 * @param {Box} box
 * @param {number} branch
 */
function takes({ takenBy }, { first, count }, branch) {
  for (let token = first; token < first + count; token++) if (takenBy?.[token] === branch) return true;
  return false;
}
