// Part 9: the branches of a split pattern, each on its line with its colour; one that is pointed at stands alone.

import { addText, make } from "./drawing.js";
import { branchTint } from "./tints.js";

export class BranchLists {
  constructor(view) {
    this.view = view;
    this.element = make("div", "branches");
    this.held = null; // the branch that a click holds, by its place: [lane, branch]
    this.shown = null; // the one that is shown alone
  }

  update(model) {
    this.lanes = model.lanes.filter((lane) => lane.takenBy);
    const key = JSON.stringify([this.lanes.map(({ column }) => [column.name, column.branches]), model.labels.branches]);
    if (key !== this.key) this.held = this.shown = null;
    this.element.hidden = !this.lanes.length;
    if (key !== this.key) this.build(model);
    this.key = key;
    this.count(model);
  }

  build({ labels }) {
    this.items = [];
    const title = make("div", "branches-title", labels.branches);
    const lists = make("div", "branch-lists");
    for (const lane of this.lanes) {
      const list = make("ol");
      list.setAttribute("aria-label", lane.column.name);
      [...lane.column.branches, { words: labels.between, source: "" }].forEach((branch, index, all) => {
        list.append(this.item(lane, branch, index + 1 < all.length ? index + 1 : 0));
      });
      const holder = make("div");
      holder.append(make("div", "name", lane.column.name), list);
      lists.append(holder);
    }
    this.element.replaceChildren(title, lists);
  }

  item(lane, { source, words }, branch) {
    const holder = make("li");
    const button = make("button", "branch");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    const sample = make("span", "sample");
    sample.style.backgroundColor = `var(--${branchTint(lane, branch)})`;
    const took = make("b");
    const said = make("span", "said", source === words ? "" : words);
    button.append(sample, took, said);
    if (source) addText(said.appendChild(make("code")), source, true); // a space must be seen
    const item = { holder, button, took, lane: lane.index, branch };
    button.onpointerenter = (event) => event.pointerType !== "touch" && this.show(item);
    button.onpointerleave = () => this.show(this.held);
    button.onfocus = () => button.matches(":focus-visible") && this.show(item);
    button.onblur = () => this.show(this.held);
    button.onclick = () => this.hold(item);
    holder.append(button);
    this.items.push(item);
    return holder;
  }

  // How many pretokens each branch took; what lies in between is listed where there is some.
  count(model) {
    const counts = new Map(this.lanes.map((lane) => [lane.index, new Uint32Array(lane.column.branches.length + 1)]));
    for (const lane of this.lanes) for (const branch of lane.takenBy) counts.get(lane.index)[branch] += 1;
    for (const item of this.items) {
      const count = counts.get(item.lane)[item.branch];
      item.took.textContent = model.label("took", { count });
      item.button.classList.toggle("none", !count);
      item.holder.hidden = !item.branch && !count;
    }
  }

  hold(item) {
    this.held = this.held === item ? null : item;
    for (const each of this.items) each.button.setAttribute("aria-pressed", String(each === this.held));
    this.show(this.held);
  }

  show(item) {
    this.shown = item;
    for (const row of this.view.rows) if (row.cells) this.mark(row);
  }

  // In the lane of the branch that is shown, only its own boxes keep their colour.
  mark(row) {
    for (const { lane, element, boxes } of row.cells) {
      if (!lane?.takenBy) continue;
      const isShown = this.shown?.lane === lane.index;
      boxes.forEach((box, index) => {
        const taken = isShown && this.takes(lane, box, this.shown.branch);
        element.childNodes[index].classList.toggle("taken", taken);
        element.childNodes[index].classList.toggle("left", isShown && !taken);
      });
    }
  }

  takes(lane, { first, count }, branch) {
    for (let token = first; token < first + count; token++) if (lane.takenBy[token] === branch) return true;
    return false;
  }

  // The branches of a box that is pointed at in the text.
  point(lane, box) {
    for (const item of this.items ?? []) {
      item.button.classList.toggle("hot", Boolean(lane?.takenBy) && item.lane === lane.index && this.takes(lane, box, item.branch));
    }
  }
}
