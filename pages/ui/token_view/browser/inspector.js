// Part 4: what a box is: the card beside it, and the inspector with its ladder of bytes.

import { JOINING, UNSEEN, WHITE, codeOf, glyphOf, spoken } from "./characters.js";
import { make, tokenChip } from "./drawing.js";
import { brokenByte, bytesOfCharacter, hexOf, partsOf, utf8Length } from "./utf8.js";

const MAX_LISTED = 6; // tokens of one column in the card
const MAX_RUNGS = 48; // bytes in the ladder

// In chips the box's own token alone in its own lane; elsewhere every token of the characters.
function tokensIn(lane, box, own) {
  if (box.chip && lane === own) return [box.token, box.token + 1];
  if (!lane.segments) return [0, 0];
  const first = lane.segmentOfUnit(box.from);
  const final = lane.segmentOfUnit(Math.max(box.from, box.to - 1));
  return [lane.tokenAt[first], lane.tokenAt[final + 1]];
}

export function cardContent(model, lane, box) {
  const what = make("div", "what");
  what.append(make("span", "said", spoken(model.text.slice(box.from, box.to))), make("span", "where", offsets(model, lane, box)));
  const grid = make("div", "grid");
  for (const other of model.lanes) {
    const [first, stop] = tokensIn(other, box, lane);
    grid.append(make("div", "who", `${other.column.name} · ${stop - first}`), tokenList(model, other, first, stop));
  }
  return [what, grid];
}

function tokenList(model, lane, first, stop) {
  const list = make("div", "list");
  for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) {
    const item = make("span", "token");
    const bytes = lane.bytesOf(token);
    item.append(tokenChip(lane, token));
    if (!lane.isPretokens) item.append(make("b", "", model.label("id", { id: String(lane.id(token)) })));
    item.append(make("span", "hex", hexOf(bytes.subarray(0, 12)) + (bytes.length > 12 ? " …" : "")));
    list.append(item);
  }
  if (stop - first > MAX_LISTED) list.append(make("span", "note", model.label("more_tokens", { count: stop - first - MAX_LISTED })));
  return list;
}

export function offsets(model, lane, box) {
  const [first, stop] = tokensIn(lane, box, lane);
  const [start, end] = [model.charAt(box.from) + 1, model.charAt(box.to)]; // people count from one
  return model.label(start === end ? "offsets_one" : "offsets", {
    char_start: start,
    char_end: end,
    byte_start: lane.byteAt[first] + 1,
    byte_end: lane.byteAt[stop],
  });
}

// What a screen reader says of a box.
export function boxName(model, lane, box) {
  const [first, stop] = tokensIn(lane, box, lane);
  const ids = [];
  for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) ids.push(lane.id(token));
  const text = box.chip
    ? partsOf(lane.bytesOf(first)).map((part) => part.hex ?? spoken(part.text)).join(" ")
    : spoken(model.text.slice(box.from, box.to));
  const key = `${lane.isPretokens ? "pretoken" : "piece"}_of_${stop - first > 1 ? "many" : "one"}`;
  return model.label(key, { first: first + 1, last: stop, count: lane.tokens.length, text, ids: ids.join(", ") });
}

// The ladder: a rung for each byte; beside it the character that it is of, and each lane's token that owns it.
export function ladder(model, box) {
  const lane = model.lanes[0];
  const [from, to] = [model.clusterStart(box.from), box.to];
  const start = lane.byteOfUnit(from, model.text);
  const whole = utf8Length(model.text.slice(from, to));
  const stop = start + Math.min(whole, MAX_RUNGS);
  const table = make("table", "ladder");
  const head = table.createTHead().insertRow();
  for (const title of [model.labels.character, model.labels.byte, ...model.lanes.map((each) => each.column.name)]) {
    const cell = make("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  const rungs = Array.from({ length: stop - start }, () => body.insertRow());
  addCharacters(model, rungs, from, to);
  for (const each of model.lanes) addOwners(model, each, rungs, start, stop);
  const note = whole > MAX_RUNGS ? make("p", "note", model.label("more_bytes", { count: whole - MAX_RUNGS })) : "";
  return [table, note];
}

function addCharacters(model, rungs, from, to) {
  let rung = 0;
  for (const character of model.text.slice(from, Math.min(to, from + rungs.length * 2))) {
    if (rung >= rungs.length) break;
    const bytes = bytesOfCharacter(character);
    const cell = make("th", "character");
    cell.scope = "rowgroup";
    cell.rowSpan = Math.min(bytes.length, rungs.length - rung);
    const broken = brokenByte(character) !== null;
    const shown = UNSEEN.test(character) || WHITE.test(character) || JOINING.test(character) ? glyphOf(character) : spoken(character);
    const said = make("span", "called", model.nameOf(character));
    cell.append(make("span", broken ? "letter hex" : "letter", shown), make("span", "code", broken ? "" : codeOf(character)), said);
    rungs[rung].append(cell);
    for (let i = 0; i < cell.rowSpan; i++) rungs[rung + i].append(make("td", "hex", hexOf(bytes.subarray(i, i + 1))));
    rung += bytes.length;
  }
}

function addOwners(model, lane, rungs, start, stop) {
  for (let byte = start; byte < stop; ) {
    const token = lane.tokenOfByte(byte);
    const end = Math.min(lane.byteAt[token + 1], stop);
    const cell = make("td", "owner");
    cell.rowSpan = end - byte;
    cell.style.backgroundColor = `var(--${lane.tintOf(token)})`;
    const chip = tokenChip(lane, token);
    cell.append(chip);
    if (!lane.isPretokens) cell.append(make("b", "", model.label("id", { id: String(lane.id(token)) })));
    const wider = lane.byteAt[token] < start || lane.byteAt[token + 1] > stop;
    if (wider) cell.append(make("span", "made", model.labels.goes_on));
    cell.append(...originOf(model, lane, token));
    rungs[byte - start].append(cell);
    byte = end;
  }
}

// How a token of one's own came about.
function originOf(model, lane, token) {
  const origin = lane.origin(token);
  if (!origin) return [];
  if (!origin.merge) return [make("span", "made", lane.sizeOf(token) === 1 ? model.labels.single_byte : "")];
  const bytes = lane.bytesOf(token);
  const said = (part) => partsOf(part).map((each) => each.hex ?? spoken(each.text)).join(" ");
  const [left, right] = [said(bytes.subarray(0, origin.left)), said(bytes.subarray(origin.left))];
  const lines = [make("span", "made", model.label("made_by", { merge: origin.merge, left, right }))];
  if (origin.count) lines.push(make("span", "made", model.label("seen", { count: origin.count })));
  return lines;
}

// One sentence on what the bytes of these characters mean.
export function whyBytes(model, box) {
  const text = model.text.slice(box.from, Math.min(box.to, box.from + MAX_RUNGS));
  if ([...text].some((character) => brokenByte(character) !== null)) return model.labels.why_broken;
  if (/[\u0e00-\u0e7f]/.test(text)) return model.labels.why_thai;
  return /^[\0-\x7f]*$/.test(text) ? model.labels.why_one : model.labels.why_many;
}
