// The merges up to the moment that is shown, newest first.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { tintOfBytes } from "../../token_view/browser/model/tints.js";
import { partChip } from "./parts.js";

/** @import { Learned } from "./learned.js" */

const ROWS = 8;

export class Newest {
  /**
   * @param {(key: string, values?: Record<string, unknown>) => string} label
   * @param {number} tintCount
   */
  constructor(label, tintCount) {
    this.label = label;
    this.tintCount = tintCount;
    this.element = make("section", "newest");
    this.list = make("ol");
    this.element.append(make("h2", "", label("newest")), this.list);
    this.shown = -1;
  }

  /**
   * @param {number} merges
   * @param {Learned} learned
   */
  draw(merges, learned) {
    if (merges === this.shown) return;
    const first = Math.max(1, merges - ROWS + 1);
    const isNext = merges > this.shown && merges - this.shown < ROWS;
    const from = isNext ? this.shown + 1 : first;
    if (!isNext) this.list.replaceChildren();
    for (let merge = Math.max(1, from); merge <= merges; merge++) this.list.prepend(this.row(merge, learned));
    while (this.list.childElementCount > ROWS) this.list.lastElementChild?.remove();
    this.shown = merges;
  }

  /**
   * @param {number} merge
   * @param {Learned} learned
   */
  row(merge, learned) {
    const row = make("li");
    const [left, right, token] = learned.idsOf(merge).map((id) => {
      const bytes = learned.bytesOf(id);
      return partChip(bytes, `t${tintOfBytes(bytes, this.tintCount)}`, false);
    });
    const pair = make("span", "pair");
    pair.append(left, make("i", "sign", "+"), right, make("i", "sign", "→"), token);
    row.append(make("span", "id", merge.toLocaleString(this.label("locale"))), pair);
    const count = learned.counts[merge - 1];
    if (count) row.append(make("span", "count", `× ${count.toLocaleString(this.label("locale"))}`));
    return row;
  }
}
