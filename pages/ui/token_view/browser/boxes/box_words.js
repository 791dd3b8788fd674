// What a box stands for, in words: its tokens, where they lie, and what a screen reader says of them.
// @ts-check

import { spoken } from "../model/characters.js";
import { make } from "../elements.js";
import { tokenChip } from "./named_text.js";
import { hexOf, partsOf } from "../model/utf8.js";

/** @import { Box, Lane, Model } from "../types.d.ts" */

const MAX_LISTED = 6; // tokens listed of one lane
const MAX_HEX = 12; // bytes listed of one token

/**
 * The first token of a box in a lane, and the one after its last: in its own lane the token of a chip, otherwise
 * all tokens of the characters.
 * @param {Lane} lane
 * @param {Box} box
 * @param {Lane} own the lane of the box
 */
function tokensIn(lane, box, own) {
  if (box.kind === "chip" && lane === own) return [box.token, box.token + 1];
  if (!lane.segments) return [0, 0];
  const first = lane.segmentOfUnit(box.from);
  const final = lane.segmentOfUnit(Math.max(box.from, box.to - 1));
  return [lane.tokenAt[first], lane.tokenAt[final + 1]];
}

/**
 * The text of a box, whether it is a special token, and where it lies.
 * @param {Model} model
 * @param {Lane} lane
 * @param {Box} box
 */
export function titleOf(model, lane, box) {
  const said = make("span", "said", spoken(model.text.slice(box.from, box.to)));
  const [first, stop] = tokensIn(lane, box, lane);
  const control = stop - first === 1 && lane.isSpecial(first) ? [make("span", "control", model.labels.special)] : [];
  return [said, ...control, make("span", "where", offsets(model, lane, box))];
}

/**
 * What the card says: of each lane the tokens of a box.
 * @param {Model} model
 * @param {Lane} lane
 * @param {Box} box
 */
export function cardContent(model, lane, box) {
  const what = make("div", "what");
  what.append(...titleOf(model, lane, box));
  const grid = make("div", "grid");
  for (const other of model.lanes) {
    const [first, stop] = tokensIn(other, box, lane);
    const count = other.numberOf(stop) - other.numberOf(first);
    const who = make("div", "who", `${other.column.name} · ${count}`);
    grid.append(who, tokenList(model, other, first, stop));
  }
  return [what, grid];
}

/**
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} first
 * @param {number} stop
 */
function tokenList(model, lane, first, stop) {
  const list = make("div", "list");
  for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) {
    const item = make("span", "token");
    const bytes = lane.bytesOf(token);
    item.append(tokenChip(lane, token), ...idOf(model, lane, token));
    const hex = hexOf(bytes.subarray(0, MAX_HEX)) + (bytes.length > MAX_HEX ? " …" : "");
    item.append(make("span", "hex", bytes.length ? hex : model.labels.no_text));
    list.append(item);
  }
  const hidden = stop - first - MAX_LISTED;
  if (hidden > 0) list.append(make("span", "note", model.label("more_tokens", { count: hidden })));
  return list;
}

/**
 * The id of a token; pretokens have none.
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} token
 */
export function idOf(model, lane, token) {
  if (lane.isGap(token)) return [make("b", "", model.labels.no_token)];
  if (lane.isPretokens) return [];
  const id = make("b", "", model.label("id", { id: String(lane.id(token)) }));
  return lane.isSpecial(token) ? [id, make("span", "control", model.labels.special)] : [id];
}

/**
 * @param {Model} model
 * @param {Lane} lane
 * @param {Box} box
 */
function offsets(model, lane, box) {
  if (box.from === box.to) return model.labels.no_text;
  const [first, stop] = tokensIn(lane, box, lane);
  const [start, end] = [model.charAt(box.from) + 1, model.charAt(box.to)]; // people count from one
  return model.label(start === end ? "offsets_one" : "offsets", {
    char_start: start,
    char_end: end,
    byte_start: lane.byteAt[first] + 1,
    byte_end: lane.byteAt[stop],
  });
}

/**
 * What a screen reader says of a box.
 * @param {Model} model
 * @param {Lane} lane
 * @param {Box} box
 */
export function boxName(model, lane, box) {
  const [first, stop] = tokensIn(lane, box, lane);
  const ids = [];
  for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) ids.push(lane.id(token));
  const writing = box.kind === "chip" ? lane.writingOf(first) : null;
  const bytes = box.kind === "chip" ? spokenBytes(lane.bytesOf(first)) : spoken(model.text.slice(box.from, box.to));
  const text = writing === null ? bytes : spoken(writing);
  const [before, last] = [lane.numberOf(first), lane.numberOf(stop)];
  if (last === before) return `${text}, ${model.labels.no_token}`;
  const key = `${lane.isPretokens ? "pretoken" : "piece"}_of_${last - before > 1 ? "many" : "one"}`;
  const known = ids.filter((id) => id !== null).join(", ");
  const name = model.label(key, { first: before + 1, last, count: lane.column.count, text, ids: known });
  return stop - first === 1 && lane.isSpecial(first) ? `${name}, ${model.labels.special}` : name;
}

/**
 * Bytes as they are read aloud.
 * @param {Uint8Array} bytes
 */
export function spokenBytes(bytes) {
  return partsOf(bytes)
    .map((part) => part.hex ?? spoken(part.text))
    .join(" ");
}
