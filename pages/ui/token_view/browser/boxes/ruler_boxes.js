// What is drawn of a row as the ruler of the staff: the same text, unseen, with numbers and marks of differences.
// @ts-check

import { MAX_LETTERS } from "../model/model.js";
import { lastUpTo } from "../model/sorted.js";

/** @import { Model, Numbers, RulerBox } from "../types.d.ts" */

/** @typedef {{ starts: Numbers, ends: Numbers }} Edges */

const RULER = 10; // characters between two numbers of the ruler

/** The boxes of a row by the unit where each starts; their texts follow when all are known. */
class RulerCuts {
  /**
   * @param {number} start
   * @param {number} end
   */
  constructor(start, end) {
    /** @type {Map<number, RulerBox>} */
    this.boxes = new Map();
    this.end = end;
    this.at(start);
  }

  /**
   * The box that starts at a unit; a new one if there was none.
   * @param {number} unit
   */
  at(unit) {
    const box = this.boxes.get(unit) ?? { text: "", number: null, differs: false, isEndless: false };
    this.boxes.set(unit, box);
    return box;
  }

  /**
   * Mark the stretch between two units.
   * @param {number} from
   * @param {number} to
   */
  markDifference(from, to) {
    for (const unit of [from, to]) if (unit < this.end) this.at(unit);
    for (const [unit, box] of this.boxes) if (unit >= from && unit < to) box.differs = true;
  }
}

/**
 * The boxes of the ruler over a row: they start where a number stands, and where tokenizers begin to differ.
 * @param {Model} model
 * @param {Edges} differences
 * @param {{ start: number, end: number }} row
 * @returns {RulerBox[]}
 */
export function rulerBoxes(model, differences, { start, end }) {
  const cuts = new RulerCuts(start, end);
  addNumbers(cuts, model, start, end);
  addDifferences(cuts, model, differences, start, end);
  const units = [...cuts.boxes.keys()].filter((unit) => unit < end).sort((one, other) => one - other);
  return units.map((unit, index) => ({ ...cuts.at(unit), text: model.text.slice(unit, units[index + 1] ?? end) }));
}

/**
 * @param {RulerCuts} cuts
 * @param {Model} model
 * @param {number} start
 * @param {number} end
 */
function addNumbers(cuts, model, start, end) {
  let character = model.charAt(start);
  for (let unit = start, stop; unit < end; unit = stop) {
    stop = model.clusterEnd(unit);
    const next = character + model.charAt(stop) - model.charAt(unit);
    // A cluster with a tenth character in it gets the number of that character.
    const tenth = Math.ceil((character + 1) / RULER) * RULER;
    if (tenth <= next) cuts.at(unit).number = tenth;
    if (stop - unit > MAX_LETTERS) {
      cuts.at(unit).isEndless = true;
      cuts.at(stop);
    }
    character = next;
  }
}

/**
 * Differences in one cluster are drawn once: a letter with 100,000 marks has as many.
 * @param {RulerCuts} cuts
 * @param {Model} model
 * @param {Edges} differences
 * @param {number} start
 * @param {number} end
 */
function addDifferences(cuts, model, { starts, ends }, start, end) {
  let covered = start;
  for (let i = lastUpTo(ends, start); i < starts.length && starts[i] < end; i++) {
    if (ends[i] <= covered) continue;
    const from = model.clusterStart(Math.max(starts[i], covered));
    const isWhole = model.startsCluster(ends[i]) || ends[i] >= end;
    covered = isWhole ? Math.min(ends[i], end) : model.clusterEnd(ends[i]);
    cuts.markDifference(from, covered);
  }
}
