// The heads of the lanes, with their figures, and the legend of the colours.
// @ts-check

import { addButton, make } from "../elements.js";
import { shortName } from "../words.js";
import { totalOf } from "./totals.js";

/** @import { ViewState } from "../state.js" */
/** @import { Column, Lane, Model } from "../types.d.ts" */
/** @import { TokenView } from "../view.js" */

const JOINER = "\u2060"; // no line breaks after the hyphen of a name
/** Heads that stand open side by side; more are a name and a count, and open when they are asked to. */
const MOST_WHOLE = 5;

/** @param {TokenView} view */
export function drawHeads({ state, sizes }) {
  const { root, heads, drawn, model, isNumbered } = state;
  root.style.setProperty("--heads", String(drawn.length || 1));
  root.classList.toggle("many", drawn.length > MOST_WHOLE);
  const { numbers_first: areNumbersFirst, text_first: isTextFirst } = model.options;
  if (areNumbersFirst && !isTextFirst) {
    heads.replaceChildren(...(isNumbered ? [] : drawn.map((lane) => totalOf(model, lane)))); // these stand beside rows
    return;
  }
  const said = isNumbered ? [...sharesOfThai(state), ...drawn.flatMap((lane) => besideRow(lane, model))] : drawn.map((lane) => headOf(state, lane));
  const [before, fresh] = [[...heads.children], [...verdictOf(state), ...said]];
  const kindOf = (/** @type {Element} */ { tagName, className }) => `${tagName} ${className}`;
  if (before.map(kindOf).join() === fresh.map(kindOf).join()) fresh.forEach((head, at) => fillHead(before[at], head));
  else heads.replaceChildren(...fresh);
  sizes.place();
}

/**
 * Who needs the fewest tokens, how much more the others need at most, and how many those of the visitor's own need that
 * lie between; where texts come first. Who loses text needs few tokens for that reason, and is named as such.
 * @param {ViewState} state
 */
function verdictOf({ model }) {
  const all = model.lanes.filter(({ isPretokens }) => !isPretokens);
  if (!model.options.text_first || !model.whole || !model.text || all.length < 2) return [];
  const [lanes, losing] = [all.filter(({ lost }) => !lost.size), all.filter(({ lost }) => lost.size)];
  const lost = model.label("verdict_lost", { names: losing.map(({ column }) => column.name).join(", ") });
  if (lanes.length < 2) return [make("div", "verdict", lost)];
  const counts = lanes.map((lane) => lane.numberOf(lane.tokens.length));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (!least) return []; // it drops the whole text
  const namesAt = (/** @type {number} */ count) =>
    lanes.filter((_, at) => counts[at] === count).map(({ column }) => column.name.replaceAll("-", `-${JOINER}`)).join(", ");
  const ratio = most % least === 0 ? String(most / least) : (most / least).toFixed(2);
  const values = { least: namesAt(least), most: namesAt(most), count: least, ratio };
  const between = lanes.flatMap(({ index, column }, at) => {
    const isOwn = model.options.sizes?.[index] && counts[at] !== least && counts[at] !== most;
    return isOwn ? [model.label("verdict_own", { name: column.name, count: counts[at] })] : [];
  });
  const whole = [model.label(least === most ? "verdict_even" : "verdict", values), ...between].join(" ");
  return [make("div", "verdict", losing.length ? `${whole} ${lost}` : whole)];
}

/**
 * Give a head the words of another one; its slider stays where it is, and a head that is open stays open.
 * @param {Element} head
 * @param {Element} fresh
 */
function fillHead(head, fresh) {
  if (!head.children.length) head.textContent = fresh.textContent; // the verdict
  Object.assign(/** @type {HTMLElement} */ (head).dataset, /** @type {HTMLElement} */ (fresh).dataset);
  for (const part of [...head.children]) if (!part.matches(".size")) part.remove();
  head.prepend(...fresh.children);
}

const THAI = /[\u0e01-\u0e5b]/;
const OTHER_LETTERS = /(?![\u0e01-\u0e5b])\p{L}/u;

/**
 * In a text of Thai and another language: how many tokens each of the two takes, lane by lane.
 * @param {ViewState} state
 */
function sharesOfThai({ drawn: all, model }) {
  const drawn = all.filter(({ lost }) => !lost.size);
  const { text, locale, options } = model;
  if (!options.text_first || drawn.length < 2 || drawn.some((lane) => lane.isPretokens)) return [];
  if (!THAI.test(text) || !OTHER_LETTERS.test(text)) return [];
  const thai = drawn.map((lane) => {
    const counts = Array.from({ length: lane.segments }, (_, at) => {
      const isThai = THAI.test(text.slice(lane.unitAt[at], lane.unitAt[at + 1]));
      return isThai ? lane.numberOf(lane.tokenAt[at + 1]) - lane.numberOf(lane.tokenAt[at]) : 0;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  });
  const rest = drawn.map((lane, at) => lane.numberOf(lane.tokens.length) - thai[at]);
  const listed = (/** @type {number[]} */ each) => {
    if (each.every((count) => count === each[0])) return model.label("each", { count: each[0] });
    const counts = each.map((count, at) => `${count.toLocaleString(locale)} (${shortName(drawn[at].column.name)})`).join(", ");
    return model.label("unequal", { counts });
  };
  return [make("div", "what", model.label("verdict_thai", { thai: listed(thai), rest: listed(rest) }))];
}

/**
 * What is said above the rows of a lane whose number stands beside its row: what a split pattern does, and a name for
 * a slider.
 * @param {Lane} lane
 * @param {Model} model
 */
function besideRow({ column, index, isPretokens }, { lanes, options }) {
  if (isPretokens && column.caption && lanes.every((lane) => lane.isPretokens)) {
    return [make("div", "what", `${column.name}: ${column.caption}`)];
  }
  if (!options.sizes?.[index]) return [];
  const head = make("div", "head");
  head.dataset.lane = String(index);
  head.append(make("div", "name", column.name));
  return [head];
}

/**
 * @param {ViewState} state
 * @param {Lane} lane
 */
function headOf({ model, isStaff, colour, drawn }, { column, index, tokens }) {
  const isFolded = drawn.length > MOST_WHOLE && model.whole;
  const head = make(isFolded ? "details" : "div", "head");
  head.dataset.lane = String(index);
  const name = make("div", "name", column.name);
  if (isStaff && model.lanes.length > 1) name.prepend(make("span", "number", `${index + 1} `));
  head.append(name, captionOf(column, model.options.text_first && column.kind === "tokens"));
  if (!model.whole) {
    head.append(make("div", "note", model.labels.loading));
    return head;
  }
  if (!model.text && !tokens.length) return head; // where ids are wrong, 0 would be an answer
  const [[count, unit]] = column.figures;
  const counted = make("div", "count", count + " ");
  counted.append(make("small", "", unit));
  const isMetered = colour === "broken" && column.kind === "tokens";
  head.append(counted, isMetered ? meterOf(model, column) : figuresOf(column));
  if (isFolded) {
    const summary = make("summary");
    summary.append(name, counted);
    head.prepend(summary);
  }
  return head;
}

/**
 * The caption; what its number is made of is shown under the mouse, and opens with a click, a tap or a key.
 * @param {Column} column
 * @param {boolean} hasFigures whether the figures that the head leaves out are shown there, too
 */
function captionOf({ caption, details, figures }, hasFigures) {
  const said = [...(details ? [details] : []), ...(hasFigures ? figures.slice(1).map((figure) => figure.join(" ")) : [])];
  if (!said.length) return make("div", "caption", caption);
  const element = make("details", "caption");
  const summary = make("summary", "", caption);
  summary.title = said.join("\n");
  element.append(summary, ...said.map((each) => make("div", "", each)));
  return element;
}

/**
 * All that is known of a lane.
 * @param {Column} column
 */
export function factsOf(column) {
  const details = column.details ? [make("div", "caption", column.details)] : [];
  return [make("div", "name", column.name), make("div", "caption", column.caption), ...details, figuresOf(column)];
}

/** @param {Column} column */
function figuresOf(column) {
  const element = make("div", "figures");
  for (const [value, label] of column.figures.slice(1)) {
    const figure = make("span");
    figure.append(make("b", "", value), " " + label);
    element.append(figure);
  }
  element.append(make("span", "truth", column.truth));
  return element;
}

/**
 * The meter of broken characters: where the boundaries between tokens fall.
 * @param {Model} model
 * @param {Column} column
 */
function meterOf(model, column) {
  const element = make("div", "meter");
  const gauge = make("div", "gauge");
  const { boundaries } = column;
  const inCharacters = column.inside_characters / boundaries;
  const inClusters = column.inside_clusters / boundaries;
  const shares = [inCharacters, inClusters - inCharacters, 1 - inClusters];
  if (boundaries) gauge.append(...shares.map((share, index) => stretchOf(2 - index, share)));
  const words = boundaries
    ? model.label("meter", { characters: model.percent(inCharacters), clusters: model.percent(inClusters) })
    : model.labels.meter_none;
  element.append(gauge, make("div", "words", words));
  return element;
}

/**
 * A stretch of the gauge, as wide as its share.
 * @param {number} level how badly boundaries cut, as `Lane.breaks` has it
 * @param {number} share
 */
function stretchOf(level, share) {
  const stretch = make("span", `cut${level}`);
  stretch.style.cssText = `width: ${100 * share}%; background-color: var(--b${level})`;
  return stretch;
}

const LENGTHS = ["1", "2–3", "4–6", "7–12", "13+"]; // bytes of a token, as in tints.js
const CUTS = ["whole", "in_cluster", "in_character"];

/** @param {TokenView} view */
export function legendOf(view) {
  const { model, colour } = view.state;
  const { labels, options } = model;
  if (options.toolbar !== "full") return [];
  const said = sharesSaid(view);
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
 * While differences are marked, how much of the text is cut differently: of two lanes one share, of more the share
 * of each beside the one that they are compared with. A click on one counts, shows and walks its differences.
 * @param {TokenView} view
 */
function sharesSaid(view) {
  const { model, choice, base, against, differences } = view.state;
  const { comparison, labels, lanes } = model;
  if (!model.whole || base === null || !model.text) return [];
  if (!comparison.hasDifferences) return [make("span", "differ", labels.agree)];
  if (!choice.marks) return [];
  const { share, starts } = differences;
  if (comparison.lanes.length === 2) {
    return [make("span", "differ", model.label("differ", { share: model.percent(share), count: starts.length }))];
  }
  const said = make("span", "differ", model.label("differ_from", { name: lanes[base].column.name }));
  for (const lane of comparison.others(base)) {
    const pair = comparison.between(base, lane);
    const { name } = lanes[lane].column;
    const values = { name, share: model.percent(pair?.share ?? null), count: pair?.edges.starts.length ?? 0 };
    const button = addButton(said, model.label("differ_of", values), () => view.switchTo({ against: name }));
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
