// What a box stands for, in words: its tokens, where they lie, and what a screen reader says of them.
// @ts-check

import { tokenChip } from "./box_elements.js";
import { make } from "../elements.js";
import { hexOf, partsOf, spoken, utf8Length } from "../model/characters.js";

/** @import { Box, Lane, Model } from "../types.d.ts" */

const MAX_LISTED = 6; // tokens listed of one lane
const MAX_HEX = 12; // bytes listed of one token

export class BoxWords {
  /**
   * @param {Model} model
   * @param {Lane} lane
   * @param {Box} box
   */
  constructor(model, lane, box) {
    this.model = model;
    this.lane = lane;
    this.box = box;
    this.text = spoken(model.text.slice(box.from, box.to));
    const [first, stop] = this.tokensIn(lane);
    this.first = first;
    this.stop = stop;
    this.isSpecial = stop - first === 1 && lane.isSpecial(first);
  }

  /**
   * The first token of the box in a lane, and the one after its last: in its own lane the token of a chip or all that
   * are drawn in the box, in others those that have bytes of its text.
   * @param {Lane} lane
   */
  tokensIn(lane) {
    const { kind, token, from, to } = this.box;
    if (kind === "chip" && lane === this.lane) return [token, token + 1];
    if (!lane.segments) return [0, 0];
    if (lane !== this.lane && from < to) return this.tokensOfText(lane);
    return [lane.tokenAt[lane.segmentOfUnit(from)], lane.tokenAt[lane.segmentOfUnit(Math.max(from, to - 1)) + 1]];
  }

  /** @param {Lane} lane */
  tokensOfText(lane) {
    const { text } = this.model;
    const { from, to } = this.box;
    const start = lane.byteOfUnit(from, text);
    return [lane.tokenOfByte(start), lane.tokenOfByte(start + utf8Length(text.slice(from, to)) - 1) + 1];
  }

  /** The text, whether it is a special token, and where it lies. */
  title() {
    const special = this.isSpecial ? [make("span", "control", this.model.labels.special)] : [];
    return [make("span", "said", this.text), ...special, make("span", "where", this.offsets())];
  }

  /** The text, and how many tokens each lane cuts it into, its own lane first. */
  summary() {
    const { model, lane, box } = this;
    if (box.from === box.to) return this.title();
    const [said, ...special] = this.title().slice(0, -1);
    const lanes = [lane, ...model.lanes.filter((each) => each !== lane)];
    const counts = lanes.flatMap((each, at) => {
      const count = this.countIn(each);
      const unit = model.label(each.isPretokens ? "pretokens" : "tokens", { count });
      const dot = at < lanes.length - 1 ? " ·" : "";
      return [" ", make(each === lane ? "b" : "span", "lane-count", `${each.column.name} ${count} ${unit}${dot}`)];
    });
    return [said, ...special, ":", ...counts];
  }

  /**
   * How many tokens of a lane have bytes of the text.
   * @param {Lane} lane
   */
  countIn(lane) {
    if (!lane.segments) return 0;
    const [first, stop] = this.tokensOfText(lane);
    return lane.numberOf(stop) - lane.numberOf(first);
  }

  /** What the card says: of each lane the tokens. */
  card() {
    const what = make("div", "what");
    what.append(...this.title());
    const grid = make("div", "grid");
    for (const lane of this.model.lanes) {
      const [first, stop] = this.tokensIn(lane);
      const count = lane.numberOf(stop) - lane.numberOf(first);
      grid.append(make("div", "who", `${lane.column.name} · ${count}`), this.tokenList(lane, first, stop));
    }
    return [what, grid];
  }

  /**
   * The tokens of a lane; of several in its own, those that are pointed at have a frame.
   * @param {Lane} lane
   * @param {number} first
   * @param {number} stop
   */
  tokenList(lane, first, stop) {
    const { first: here, count } = this.box;
    const isPart = lane === this.lane && count < stop - first;
    const list = make("div", "list");
    for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) {
      const item = list.appendChild(make("span", isPart && token >= here && token < here + count ? "token here" : "token"));
      const bytes = lane.bytesOf(token);
      const hex = hexOf(bytes.subarray(0, MAX_HEX)) + (bytes.length > MAX_HEX ? " …" : "");
      item.append(tokenChip(lane, token), ...idOf(this.model, lane, token));
      item.append(make("span", "hex", bytes.length ? hex : this.model.labels.no_text));
    }
    const hidden = stop - first - MAX_LISTED;
    const more = lane.isPretokens ? "more_pretokens" : "more_tokens";
    if (hidden > 0) list.append(make("span", "note", this.model.label(more, { count: hidden })));
    return list;
  }

  offsets() {
    const { model, lane, box } = this;
    if (box.from === box.to) return model.labels.no_text;
    const [start, end] = [model.charAt(box.from) + 1, model.charAt(box.to)]; // people count from one
    return model.label(start === end ? "offsets_one" : "offsets", {
      char_start: start,
      char_end: end,
      byte_start: lane.byteAt[this.first] + 1,
      byte_end: lane.byteAt[this.stop],
    });
  }

  /** What a screen reader says. */
  name() {
    const { model, lane, box, first, stop } = this;
    const isChip = box.kind === "chip";
    const writing = isChip ? lane.writingOf(first) : null;
    const bytes = isChip ? spokenBytes(lane.bytesOf(first)) : this.text;
    const text = writing === null ? bytes : spoken(writing);
    const [before, last] = [lane.numberOf(first), lane.numberOf(stop)];
    if (last === before) return `${text}, ${model.labels.no_token}`;
    const key = `${lane.isPretokens ? "pretoken" : "piece"}_of_${last - before > 1 ? "many" : "one"}`;
    const ids = [];
    for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) ids.push(lane.id(token));
    const known = ids.filter((id) => id !== null).join(", ");
    const name = model.label(key, { first: before + 1, last, count: lane.column.count, text, ids: known });
    if (last - before === 1 && lane.isLost(first)) return `${name}, ${model.labels.lost}`;
    return this.isSpecial ? `${name}, ${model.labels.special}` : name;
  }
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
  const said = lane.isLost(token) ? model.labels.lost : lane.isSpecial(token) ? model.labels.special : "";
  return said ? [id, make("span", "control", said)] : [id];
}

/** @param {Uint8Array} bytes */
export function spokenBytes(bytes) {
  return partsOf(bytes)
    .map((part) => part.hex ?? spoken(part.text))
    .join(" ");
}
