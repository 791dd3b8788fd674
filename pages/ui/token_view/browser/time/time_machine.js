// The time machine: the same text at any vocabulary size that a tokenizer has passed.
// @ts-check

import { Curve } from "./curve.js";
import { addButton, make } from "../elements.js";
import { chipOf } from "../boxes/named_text.js";
import { tintOfBytes } from "../model/tints.js";
import { TokenHistory } from "./token_history.js";

/** @import { ViewState } from "../state.js" */
/** @import { Level, Model } from "../types.d.ts" */

const PLAY_SECONDS = 10; // from no merge to the last one

export class TimeMachine {
  /**
   * @param {ViewState} state
   * @param {() => void} onMoved called after the lane of another moment was put into the model
   */
  constructor(state, onMoved) {
    this.state = state;
    this.onMoved = onMoved;
    /** @type {TokenHistory | null} */
    this.history = null;
    this.merges = 0;
    this.isPlaying = false;
    this.calm = 0; // the timer after which colours fade again
    this.element = make("div", "time");
    const drive = make("div", "drive");
    this.button = addButton(drive, "▶", () => this.toggle());
    this.slider = make("input");
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.oninput = () => this.go(this.slider.valueAsNumber);
    this.place = make("span", "where");
    drive.append(this.slider, this.place);
    this.merge = make("div", "merge");
    this.curve = new Curve();
    this.corpusSays = make("p", "corpus-says");
    this.says = make("p", "note");
    this.element.append(drive, this.merge, this.curve.element, this.corpusSays, this.says);
  }

  /** A new payload: the newest merge is shown until somebody takes the slider. */
  update() {
    const { model, choice } = this.state;
    const lane = model.lanes[0];
    this.element.hidden = !lane?.history;
    if (!lane?.history) {
      this.history = null;
      this.isPlaying = false;
      return;
    }
    const { total } = (this.history = new TokenHistory(model, lane, lane.history));
    this.slider.max = String(total);
    this.words(model);
    this.curve.draw(this.history, lane.column.levels);
    this.sayParity(model, this.history, lane.column.levels);
    this.apply(this.history, Math.min(choice.merges ?? total, total));
  }

  /** @param {Model} model */
  words({ labels }) {
    this.button.setAttribute("aria-label", this.isPlaying ? labels.pause : labels.play);
    this.button.textContent = this.isPlaying ? "❚❚" : "▶";
    this.slider.setAttribute("aria-label", labels.time);
  }

  /**
   * Go to a moment. Colours change at once while the slider moves: a thousand of them fading would hold it up.
   * @param {number} merges
   */
  go(merges) {
    const { history } = this;
    if (!history) return;
    const { root, choice } = this.state;
    root.classList.add("moving");
    clearTimeout(this.calm);
    this.calm = setTimeout(() => root.classList.remove("moving"), 300);
    choice.merges = merges === history.total ? null : merges;
    this.apply(history, merges);
    this.onMoved();
  }

  /**
   * Put the lane of a moment into the model.
   * @param {TokenHistory} history
   * @param {number} merges
   */
  apply(history, merges) {
    const { model } = this.state;
    const { total } = history;
    this.merges = merges;
    model.lanes[0] = merges === total ? history.lane : history.at(merges);
    model.isPast = merges < total;
    this.slider.value = String(merges);
    const words = model.label("time_place", { merge: merges, count: total, size: 256 + merges });
    this.place.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
    this.drawMerge(history, merges);
    this.curve.mark(merges);
    this.sayCorpus(history, merges);
  }

  /**
   * The merge of the moment: two tokens, and the one that they became.
   * @param {TokenHistory} history
   * @param {number} merges
   */
  drawMerge(history, merges) {
    const { model } = this.state;
    this.merge.replaceChildren();
    if (!merges) return;
    const ids = [history.left[merges - 1], history.right[merges - 1], 255 + merges];
    const [left, right, token] = ids.map((id) => {
      const bytes = history.bytesOf(id);
      return chipOf(bytes, `t${tintOfBytes(bytes, model.tintCount)}`);
    });
    this.merge.append(left, "+", right, "→", token);
    const count = history.counts[merges - 1];
    if (count) this.merge.append(make("span", "where", model.label("seen", { count })));
  }

  /**
   * From which merge on this text needs fewer tokens than other tokenizers do.
   * @param {Model} model
   * @param {TokenHistory} history
   * @param {Level[]} levels
   */
  sayParity(model, { counted, total }, levels) {
    const said = levels.map(({ name, count }) => {
      const merge = counted.findIndex((tokens) => tokens < count);
      return merge < 0 ? model.label("parity_not_yet", { name }) : model.label("parity", { name, merge });
    });
    const first = model.label("time_says", { first: counted[0], last: counted[total] });
    this.says.textContent = [first, ...said].join(" ");
    this.curve.svg.setAttribute("aria-label", this.says.textContent);
  }

  /**
   * How many tokens the corpus has at a moment, in a sentence and on its marker.
   * @param {TokenHistory} history
   * @param {number} merges
   */
  sayCorpus({ counted, corpus }, merges) {
    const { model } = this.state;
    const { labels, locale } = model;
    this.corpusSays.hidden = !corpus;
    if (!corpus) return;
    const [text, whole] = this.curve.dots;
    text.say(labels.time_text, ` · ${counted[merges].toLocaleString(locale)}`);
    const count = corpus.counts[merges];
    const isKnown = merges <= corpus.last;
    const isAbout = Boolean(corpus.about[merges]);
    whole.say(labels.time_corpus, isKnown ? ` · ${isAbout ? "≈ " : ""}${count.toLocaleString(locale)}` : "");
    const sentence = isKnown ? model.label(isAbout ? "corpus_about" : "corpus_says", { count }) : "";
    this.corpusSays.textContent = [sentence, labels.time_axis].join(" ").trim();
  }

  toggle() {
    this.isPlaying = !this.isPlaying;
    this.words(this.state.model);
    if (this.isPlaying) this.play();
  }

  /** Go on to the newest merge, from the beginning if it is already shown. */
  play() {
    if (this.merges >= (this.history?.total ?? 0)) this.go(0);
    let at = this.merges;
    let before = performance.now();
    const turn = (/** @type {number} */ now) => {
      if (!this.isPlaying || !this.history || this.state.hasEnded) return;
      const { total } = this.history;
      at = Math.min(total, at + (total * (now - before)) / 1000 / PLAY_SECONDS);
      before = now;
      if (Math.floor(at) !== this.merges) this.go(Math.floor(at));
      if (at >= total) this.toggle();
      else requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }
}
