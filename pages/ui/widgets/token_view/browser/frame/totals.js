// The number of tokens of a lane, large, and its name; all else that is known of the lane is shown on pointing at it.
// @ts-check

import { make } from "../elements.js";

/** @import { Lane, Model, TotalElement } from "../types.d.ts" */

/**
 * @param {Model} model
 * @param {Lane} lane
 */
export function totalOf({ whole, labels }, lane) {
  const total = /** @type {TotalElement} */ (make("button", "total"));
  const [[count, unit]] = lane.column.figures;
  const number = make("span", "count", whole ? count : "");
  number.append(make("small", "", whole ? ` ${unit}` : labels.loading));
  total.type = "button";
  total.lane = lane;
  total.append(number, make("span", "name", lane.column.name));
  return total;
}
