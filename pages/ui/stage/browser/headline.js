// What happens now, above the sentence: left + right → token, and in words; or how many merges flow by.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { tintOfBytes } from "../../token_view/browser/model/tints.js";
import { kindOf, partChip } from "./parts.js";
import { plainWords } from "./screen.js";

/** @import { Learned } from "./learned.js" */
/** @import { Sentence } from "./sentence.js" */

/** @typedef {(key: string, values?: Record<string, unknown>) => string} Label */

export class Headline {
  /**
   * @param {Label} label
   * @param {number} tintCount
   */
  constructor(label, tintCount) {
    this.label = label;
    this.tintCount = tintCount;
    this.asHex = false;
    this.merge = 0;
    this.element = make("div", "headline");
    this.chips = make("button", "equation");
    this.chips.type = "button";
    this.says = make("p", "says");
    this.tokens = make("div", "tokens");
    this.count = make("span", "total");
    this.tokens.append(this.count, make("span", "unit", label("tokens")));
    const text = make("div", "what");
    text.append(this.chips, this.says);
    this.element.append(text, this.tokens);
    /** @type {(() => void) | null} */
    this.again = null;
    this.chips.onclick = () => {
      this.asHex = !this.asHex;
      this.again?.();
    };
    this.chips.title = plainWords(label("hex"));
  }

  /** @param {number} tokens */
  tick(tokens) {
    this.count.textContent = tokens.toLocaleString(this.label("locale"));
  }

  /** @param {string} words */
  say(words) {
    this.chips.replaceChildren();
    this.chips.hidden = true;
    this.says.textContent = words;
    this.again = null;
  }

  /** @param {Sentence} sentence */
  showStart(sentence) {
    this.say(this.label("start", { count: sentence.bytes.length }));
  }

  /**
   * The training has ended, and its last merge is shown: what has become of the sentence.
   * @param {number} merges
   * @param {Sentence} sentence
   */
  showEnd(merges, sentence) {
    this.say(this.label("end", { merges, before: sentence.bytes.length, after: sentence.tokensAt(merges) }));
  }

  /**
   * @param {number} merge
   * @param {Learned} learned
   * @param {Sentence} sentence
   */
  show(merge, learned, sentence) {
    const [left, right, token] = learned.idsOf(merge).map((id) => learned.bytesOf(id));
    this.equation([left, right, token]);
    const [before, after] = [sentence.tokensAt(merge - 1), sentence.tokensAt(merge)];
    const said = [this.label("merge", { merge }), kindOf(token, this.label)];
    const count = learned.counts[merge - 1];
    if (count) said.push(this.label("seen", { count }));
    said.push(before === after ? this.label("not_here") : this.label("here", { before, after }));
    this.says.textContent = said.filter(Boolean).join(" · ");
    this.again = () => this.show(merge, learned, sentence);
  }

  /**
   * Merges come faster than eyes: how many, and the most telling one of the last moment.
   * @param {number} rate
   * @param {number} merge
   * @param {Learned} learned
   */
  flow(rate, merge, learned) {
    this.equation(learned.idsOf(merge).map((id) => learned.bytesOf(id)));
    this.says.textContent = this.label("flow", { merge, rate: Math.round(rate) });
    this.again = () => this.flow(rate, merge, learned);
  }

  /** @param {Uint8Array[]} tokens left, right, and what they become */
  equation([left, right, token]) {
    this.chips.hidden = false;
    const [first, second, made] = [left, right, token].map((bytes) =>
      partChip(bytes, `t${tintOfBytes(bytes, this.tintCount)}`, this.asHex),
    );
    made.classList.add("made");
    this.chips.replaceChildren(first, make("i", "sign", "+"), second, make("i", "sign", "→"), made);
  }
}
