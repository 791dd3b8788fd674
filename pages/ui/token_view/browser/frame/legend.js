// The legend: what the colours mean, and how much of the text each lane cuts in another way.
// @ts-check

import { addButton, make } from "../elements.js";

/** @import { ViewState } from "../state.js" */
/** @import { Choice } from "../types.d.ts" */

const LENGTHS = ["1", "2–3", "4–6", "7–12", "13+"]; // bytes of a token, as in tints.js
const CUTS = ["whole", "in_cluster", "in_character"];

/**
 * @param {ViewState} state
 * @param {(change: Partial<Choice>) => void} switchTo
 */
export function legendOf(state, switchTo) {
  const { model, colour } = state;
  const { labels, options } = model;
  if (options.toolbar !== "full") return [];
  const said = sharesSaid(state, switchTo);
  if (colour === "bytes") {
    said.push(make("span", "", labels.legend_bytes));
    said.push(...LENGTHS.map((words, level) => legendKey(`h${level}`, 0, words)));
  } else if (colour === "broken") {
    said.push(make("span", "", labels.legend_broken));
    said.push(...CUTS.map((name, level) => legendKey(`b${level}`, level, labels[name])));
  }
  return said;
}

/**
 * How much of the text is cut differently: of two lanes one share, of more the share of each beside the one that
 * they are compared with. A click on one counts, shows and walks its differences.
 * @param {ViewState} state
 * @param {(change: Partial<Choice>) => void} switchTo
 */
function sharesSaid({ model, base, against, differences }, switchTo) {
  const { comparison, labels, lanes } = model;
  if (!model.whole || base === null || !model.text) return [];
  if (!comparison.hasDifferences) return [make("span", "differ", labels.agree)];
  const { share, starts } = differences;
  if (comparison.lanes.length === 2) {
    return [make("span", "differ", model.label("differ", { share: model.percent(share), count: starts.length }))];
  }
  const said = make("span", "differ", model.label("differ_from", { name: lanes[base].column.name }));
  for (const lane of comparison.others(base)) {
    const pair = comparison.between(base, lane);
    const { name } = lanes[lane].column;
    const values = { name, share: model.percent(pair?.share ?? null), count: pair?.starts.length ?? 0 };
    const button = addButton(said, model.label("differ_of", values), () => switchTo({ against: name }));
    button.setAttribute("aria-pressed", String(lane === against));
  }
  return [said];
}

/**
 * @param {string} tint
 * @param {number} cut
 * @param {string} words
 */
function legendKey(tint, cut, words) {
  const sample = make("span", `sample cut${cut}`);
  sample.style.backgroundColor = `var(--${tint})`;
  const key = make("span", "key");
  key.append(sample, words);
  return key;
}
