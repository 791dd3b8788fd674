// The tokens as tables: CSV for spreadsheets, JSON for programs.
// @ts-check

import { hexOf, partsOf } from "../model/characters.js";

/** @import { Lane, Model } from "../types.d.ts" */

// Spreadsheets run a cell that begins with one of these as a formula: an apostrophe makes it text.
const FORMULA = /^[=+\-@\t\r]/;
const LINES = 20_000; // of one part of a file

/** @param {Model} model */
function* tokenRows(model) {
  const isWritten = model.lanes.some((lane) => lane.writings);
  for (const lane of model.lanes) {
    for (let token = 0, segment = 0; token < lane.tokens.length; token++) {
      if (lane.tokenAt[segment + 1] <= token) segment += 1;
      if (lane.isGap(token)) continue;
      if (isWritten) yield { ...tokenRow(model, lane, token, segment), written: lane.writingOf(token) };
      else yield tokenRow(model, lane, token, segment);
    }
  }
}

/**
 * A token by the names of its columns.
 * @param {Model} model
 * @param {Lane} lane
 * @param {number} token
 * @param {number} segment
 */
function tokenRow(model, lane, token, segment) {
  const bytes = lane.bytesOf(token);
  const texts = partsOf(bytes).map((part) => part.text);
  return {
    tokenizer: lane.column.name,
    index: lane.numberOf(token) + 1,
    id: lane.isPretokens ? null : lane.id(token),
    // A token with parts of characters has no text: its bytes say what it is.
    text: texts.includes(undefined) ? null : texts.join(""),
    bytes: hexOf(bytes),
    byte_start: lane.byteAt[token],
    byte_end: lane.byteAt[token + 1],
    segment_char_start: model.charAt(lane.unitAt[segment]),
    segment_char_end: model.charAt(lane.unitAt[segment + 1]),
  };
}

/** @param {string | number | null} value */
function csvCell(value) {
  if (value === null) return "";
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Lines as parts of a file: a string of all of them may be too long.
 * @param {Iterable<string>} lines
 * @param {string} end of each line
 */
function* inParts(lines, end) {
  let part = [];
  for (const line of lines) {
    part.push(line + end);
    if (part.length < LINES) continue;
    yield part.join("");
    part = [];
  }
  yield part.join("");
}

/** @param {Model} model */
export function csvParts(model) {
  function* lines() {
    let isFirst = true;
    for (const row of tokenRows(model)) {
      if (isFirst) yield Object.keys(row).join(",");
      isFirst = false;
      yield Object.values(row).map(csvCell).join(",");
    }
  }
  return ["\ufeff", ...inParts(lines(), "\r\n")]; // by its first character spreadsheets know UTF-8
}

/** @param {Model} model */
export function jsonParts(model) {
  function* lines() {
    let before = "";
    for (const row of tokenRows(model)) {
      yield before + JSON.stringify(row);
      before = ",\n";
    }
  }
  return [JSON.stringify(jsonHead(model)).slice(0, -1) + ',\n"tokens": [\n', ...inParts(lines(), ""), "\n]}\n"];
}

/** @param {Model} model */
function jsonHead(model) {
  const { lanes, pairs } = model.comparison;
  const nameOf = (/** @type {number} */ lane) => model.lanes[lane].column.name;
  const differences = pairs.map((pair) => ({ between: pair.lanes.map(nameOf), share: pair.share }));
  const tokenizers = model.lanes.map(({ column: { name, caption, kind, count, parts } }) => {
    return { name, caption, kind, tokens: count, broken: parts };
  });
  return { text: model.text, characters: model.chars, compared: lanes.map(nameOf), differences, tokenizers };
}
