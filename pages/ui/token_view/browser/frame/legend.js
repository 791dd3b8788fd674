// The legend: what the colours mean, and how much of the text is cut differently.
// @ts-check

import { make } from "../elements.js";

/** @import { ViewState } from "../state.js" */
/** @import { Model } from "../types.d.ts" */

const LENGTHS = ["1", "2–3", "4–6", "7–12", "13+"]; // bytes of a token, as in tints.js
const CUTS = ["whole", "in_cluster", "in_character"];

/** @param {ViewState} state */
export function legendOf({ model, colour }) {
  const { labels, options } = model;
  if (options.toolbar !== "full") return [];
  const said = shareSaid(model);
  if (colour === "bytes") {
    said.push(make("span", "", labels.legend_bytes));
    said.push(...LENGTHS.map((words, level) => legendKey(`h${level}`, 0, words)));
  } else if (colour === "broken") {
    said.push(make("span", "", labels.legend_broken));
    said.push(...CUTS.map((name, level) => legendKey(`b${level}`, level, labels[name])));
  }
  return said;
}

/** @param {Model} model */
function shareSaid(model) {
  const { share, starts, compared } = model.differences;
  if (!model.whole || compared < 2 || !model.text) return [];
  const words = starts.length
    ? model.label("differ", { share: model.percent(share), count: starts.length })
    : model.labels.agree;
  return [make("span", "differ", words)];
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
