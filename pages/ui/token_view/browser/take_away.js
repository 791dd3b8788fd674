// Part 5: what a person takes away: tokens as tables, the view as a page, a link.

import { make } from "./elements.js";
import { hexOf, partsOf } from "./utf8.js";

const MAX_LINK_TEXT = 1500; // characters of a text that still make a link that every program passes on whole

// Every token of every lane, in order: what CSV and JSON say of it.
function* tokenRows(model) {
  for (const lane of model.lanes) {
    for (let token = 0, segment = 0; token < lane.tokens.length; token++) {
      if (lane.tokenAt[segment + 1] <= token) segment += 1;
      const bytes = lane.bytesOf(token);
      const text = partsOf(bytes);
      const [byteStart, byteEnd] = [lane.byteAt[token], lane.byteAt[token + 1]];
      yield {
        tokenizer: lane.column.name,
        index: token + 1,
        id: lane.isPretokens ? null : lane.id(token),
        // A token that is no whole characters has no text: its bytes say what it is.
        text: text.every((part) => part.text !== undefined) ? text.map((part) => part.text).join("") : null,
        bytes: hexOf(bytes),
        byte_start: byteStart,
        byte_end: byteEnd,
        segment_char_start: model.charAt(lane.unitAt[segment]),
        segment_char_end: model.charAt(lane.unitAt[segment + 1]),
      };
    }
  }
}

// Spreadsheets run a cell that begins with one of these as a formula: an apostrophe makes it text.
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value) {
  if (value === null) return "";
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvParts(model) {
  const parts = ["\ufeff"]; // by which spreadsheets know UTF-8
  let lines = [];
  for (const row of tokenRows(model)) {
    if (parts.length === 1 && !lines.length) lines.push(Object.keys(row).join(","));
    lines.push(Object.values(row).map(csvCell).join(","));
    if (lines.length > 20_000) parts.push(lines.join("\r\n") + "\r\n"), (lines = []);
  }
  return [...parts, lines.join("\r\n") + "\r\n"];
}

export function jsonParts(model) {
  const tokenizers = model.lanes.map(({ column }) => ({ name: column.name, caption: column.caption, kind: column.kind, tokens: column.count, broken: column.parts }));
  const { share, compared } = model.differences;
  const head = { text: model.text, characters: model.chars, differences: { compared, share }, tokenizers };
  const parts = [JSON.stringify(head).slice(0, -1) + ',\n"tokens": [\n'];
  let lines = [];
  for (const row of tokenRows(model)) {
    lines.push(JSON.stringify(row));
    if (lines.length > 20_000) parts.push(lines.join(",\n") + ",\n"), (lines = []);
  }
  if (!lines.length && parts.length > 1) parts.push(parts.pop().slice(0, -2));
  return [...parts, lines.join(",\n"), "\n]}\n"];
}

function base64(bytes) {
  let words = "";
  for (let i = 0; i < bytes.length; i += 0x6000) words += btoa(String.fromCharCode(...bytes.subarray(i, i + 0x6000)));
  return words; // 0x6000 is a multiple of three, so the parts join without a seam
}

// The view with its payload as one file: it goes on working without this app.
export async function htmlParts(model, choice) {
  const { options, payload } = model;
  const answer = await fetch(options.page);
  if (!answer.ok) throw new Error(String(answer.status));
  const kept = { ...options, key: "page", ...choice, toolbar: "full", link: null, page: null, whole: null };
  const values = {
    PAYLOAD: base64(payload),
    OPTIONS: JSON.stringify(kept).replaceAll("<", "\\u003c"),
    TITLE: model.labels.text_title,
    LANGUAGE: model.locale,
  };
  return [(await answer.text()).replace(/%(PAYLOAD|OPTIONS|TITLE|LANGUAGE)%/g, (_, name) => values[name])];
}

export function download(name, type, parts) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// The address that shows this again. It is made when asked for; a browser sends it only where it is opened.
export function linkTo(model, choice) {
  const { link } = model.options;
  const words = new URLSearchParams(link.parameters);
  const withText = [...model.text].length <= MAX_LINK_TEXT && link.text;
  if (withText) words.set("text", model.text);
  words.set("view", choice.view);
  words.set("colour", choice.colour);
  if (choice.whiteSpace) words.set("white_space", "1");
  return { address: `${location.origin}${location.pathname}?${words}`, withText };
}
