// The ladder of bytes: a rung for each byte, with its character, and with its token in each lane.
// @ts-check

import { idOf, spokenBytes } from "../boxes/box_words.js";
import { JOINING, codeOf, glyphOf, isWhiteOrUnseen, spoken } from "../model/characters.js";
import { make } from "../elements.js";
import { tokenChip } from "../boxes/named_text.js";
import { brokenByte, bytesOfCharacter, hexOf, utf8Length } from "../model/utf8.js";

/** @import { Box, Lane, Model } from "../types.d.ts" */

const MAX_RUNGS = 48; // bytes in the ladder

/**
 * The table for the characters of a box, and how many bytes it leaves out.
 * @param {Model} model
 * @param {Box} box
 */
export function ladder(model, box) {
  const from = model.clusterStart(Math.min(box.from, model.text.length - 1));
  const to = box.to > box.from ? box.to : model.clusterEnd(from); // a token without text: what stands beside it
  const start = model.lanes[0].byteOfUnit(from, model.text);
  const whole = utf8Length(model.text.slice(from, to));
  const stop = start + Math.min(whole, MAX_RUNGS);
  const table = make("table", "ladder");
  addTitles(table, [model.labels.character, model.labels.byte, ...model.lanes.map(({ column }) => column.name)]);
  const body = table.createTBody();
  const rungs = Array.from({ length: stop - start }, () => body.insertRow());
  addCharacters(model, rungs, from, to);
  for (const lane of model.lanes) addOwners(model, lane, rungs, start, stop);
  const note = whole > MAX_RUNGS ? make("p", "note", model.label("more_bytes", { count: whole - MAX_RUNGS })) : "";
  return [table, note];
}

/**
 * @param {HTMLTableElement} table
 * @param {string[]} titles
 */
function addTitles(table, titles) {
  const head = table.createTHead().insertRow();
  for (const title of titles) {
    const cell = make("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
}

/**
 * @param {Model} model
 * @param {HTMLTableRowElement[]} rungs
 * @param {number} from
 * @param {number} to
 */
function addCharacters(model, rungs, from, to) {
  let rung = 0;
  for (const character of model.text.slice(from, Math.min(to, from + rungs.length * 2))) {
    if (rung >= rungs.length) break;
    const bytes = bytesOfCharacter(character);
    const cell = characterCell(model, character);
    cell.rowSpan = Math.min(bytes.length, rungs.length - rung);
    rungs[rung].append(cell);
    for (let i = 0; i < cell.rowSpan; i++) {
      rungs[rung + i].append(make("td", "hex", hexOf(bytes.subarray(i, i + 1))));
    }
    rung += bytes.length;
  }
}

/**
 * @param {Model} model
 * @param {string} character
 */
function characterCell(model, character) {
  const cell = make("th", "character");
  cell.scope = "rowgroup";
  const isBroken = brokenByte(character) !== null;
  const isNamed = isWhiteOrUnseen(character) || JOINING.test(character);
  cell.append(
    make("span", isBroken ? "letter hex" : "letter", isNamed ? glyphOf(character) : spoken(character)),
    make("span", "code", isBroken ? "" : codeOf(character)),
    make("span", "called", model.nameOf(character)),
  );
  return cell;
}

/**
 * @param {Model} model
 * @param {Lane} lane
 * @param {HTMLTableRowElement[]} rungs
 * @param {number} start
 * @param {number} stop
 */
function addOwners(model, lane, rungs, start, stop) {
  for (let byte = start; byte < stop; ) {
    const token = lane.tokenOfByte(byte);
    const end = Math.min(lane.byteAt[token + 1], stop);
    const cell = make("td", "owner");
    cell.rowSpan = end - byte;
    cell.style.backgroundColor = `var(--${lane.tintOf(token)})`;
    if (!lane.isGap(token)) cell.append(tokenChip(lane, token));
    cell.append(...idOf(model, lane, token));
    for (const empty of lane.emptyBeside(token)) {
      cell.append(tokenChip(lane, empty), ...idOf(model, lane, empty), make("span", "made", model.labels.no_text));
    }
    const isWider = lane.byteAt[token] < start || lane.byteAt[token + 1] > stop;
    if (isWider) cell.append(make("span", "made", model.labels.goes_on));
    cell.append(...originOf(model, lane, token));
    rungs[byte - start].append(cell);
    byte = end;
  }
}

/**
 * How a token of the visitor's own tokenizer was made.
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} token
 */
function originOf(model, lane, token) {
  const origin = lane.origin(token);
  if (!origin) return [];
  const { merge, count } = origin;
  if (!merge) return [make("span", "made", lane.sizeOf(token) === 1 ? model.labels.single_byte : "")];
  const bytes = lane.bytesOf(token);
  const [left, right] = [bytes.subarray(0, origin.left), bytes.subarray(origin.left)].map(spokenBytes);
  const lines = [make("span", "made", model.label("made_by", { merge, left, right }))];
  if (count) lines.push(make("span", "made", model.label("seen", { count })));
  return lines;
}

/**
 * One sentence on what the bytes of these characters mean.
 * @param {Model} model
 * @param {Box} box
 */
export function whyBytes({ text, labels }, box) {
  const seen = text.slice(box.from, Math.min(box.to, box.from + MAX_RUNGS));
  if ([...seen].some((character) => brokenByte(character) !== null)) return labels.why_broken;
  if (/[\u0e00-\u0e7f]/.test(seen)) return labels.why_thai;
  return /^[\0-\x7f]*$/.test(seen) ? labels.why_one : labels.why_many;
}
