// The vocabulary: all entries of a tokenizer, to be searched, filtered and walked through.
// @ts-check

import { Controls, EVERYTHING } from "./controls.js";
import { Grid } from "./grid.js";
import { RegexSearch } from "./regex_search.js";
import { Vocabulary, search, select } from "./search.js";
import { addButton, isDark, make } from "../../widgets/token_view/browser/elements.js";
import { labelsOf } from "../../widgets/token_view/browser/words.js";

/** @import { Choice, Found, Options } from "./types.d.ts" */

const MOST_KEPT = 4;
const REGEX_PAUSE = 50; // milliseconds without typing, before an expression is tried
const NOWHERE = 2 ** 32 - 1; // -1, of an id that no entry has
const NO_USES = new Uint32Array(0);
const FOLLOW_PAUSE = 400; // milliseconds without a change, before the first entry found is looked at
// The newest vocabularies by address, so that a rerun or a return to the page draws them at once.
/** @type {Map<string, Vocabulary>} */
const KEPT = new Map();
/** What people chose last in whole vocabularies and in each part; until then the script is the one that a list opens on.
 * @type {Map<string, Choice>} */
const CHOSEN = new Map();
/** @type {WeakMap<ShadowRoot | Element, VocabularyView>} */
const INSTANCES = new WeakMap();

/**
 * What Streamlit calls for each run of the page.
 * @param {{ data: Uint8Array<ArrayBuffer>, parentElement: ShadowRoot | Element, setTriggerValue: (name: string, value: unknown) => void }} component
 */
export default function showVocabulary({ data, parentElement, setTriggerValue }) {
  const size = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true);
  /** @type {Options} */
  const options = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + size)));
  const used = new Int32Array(data.slice(4 + size).buffer);
  let view = INSTANCES.get(parentElement);
  if (view?.options.locale !== options.locale || view.options.part !== options.part) {
    view?.remove();
    view = new VocabularyView(parentElement, options, setTriggerValue);
    INSTANCES.set(parentElement, view);
  }
  void view.show(options, used);
  return () => {
    INSTANCES.get(parentElement)?.remove();
    INSTANCES.delete(parentElement);
  };
}

class VocabularyView {
  /**
   * @param {ShadowRoot | Element} parent
   * @param {Options} options
   * @param {(name: "picked" | "found" | "missed", what: number | string) => void} tell which id was clicked, or found
   *   first; or which text no token has
   */
  constructor(parent, options, tell) {
    this.options = options;
    this.tell = tell;
    const label = (this.label = labelsOf(options));
    const order = ["", "no_text"].includes(options.part) ? "best" : "order"; // of those that are not used, the longest are advertisements
    /** @type {Choice} */
    this.choice = CHOSEN.get(options.part) ?? { kind: "text", query: "", matchesCase: false, script: null, use: "all", order, ...EVERYTHING };
    this.root = make("div", "token-view vocabulary");
    this.grid = new Grid(label, (id) => this.pick(id), () => (this.longer.hidden = this.grid.showsAll));
    this.grid.special = options.scripts.indexOf("special");
    this.controls = new Controls(label, this.choice, options.scripts, () => this.chosen());
    this.note = make("p", "note", label("loading"));
    this.root.append(this.controls.element, this.note, this.grid.element);
    this.longer = addButton(this.root, label("longer"), () => this.grid.lengthen());
    this.longer.className = "longer"; // on a phone, where a list that scrolls by itself would hold the page
    parent.append(this.root);
    /** @type {Vocabulary | null} */
    this.vocabulary = null;
    /** @type {RegexSearch | null} */
    this.regex = null;
    /** @type {Found} */
    this.found = null;
    this.fault = "";
    this.uses = new Uint32Array(0);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.follower = undefined;
    this.follows = false;
    this.usedKey = "";
  }

  /**
   * @param {Options} options
   * @param {Int32Array} used ids, then as many counts
   */
  async show(options, used) {
    this.options = options;
    this.root.classList.toggle("dark", isDark(this.controls.query));
    this.grid.element.setAttribute("aria-label", this.label("entries_of", { name: options.name }));
    const vocabulary = KEPT.get(options.address) ?? (await this.fetched(options.address));
    if (!vocabulary || this.options !== options) return;
    const usedKey = used.join();
    const [isFirst, isNew] = [!this.vocabulary, vocabulary !== this.vocabulary];
    if (isNew || usedKey !== this.usedKey) {
      this.uses = new Uint32Array(vocabulary.size);
      const half = used.length / 2;
      for (let i = 0; i < half; i++) {
        const place = vocabulary.placeOf(used[i]);
        if (place >= 0) this.uses[place] = used[half + i];
      }
    }
    this.vocabulary = vocabulary;
    this.grid.mark(options.picked === null ? -1 : vocabulary.placeOf(options.picked));
    if (isNew) {
      this.regex?.stop();
      this.regex = new RegexSearch(vocabulary);
      if (!CHOSEN.has(options.part)) this.choice.script = options.script === null ? null : options.scripts.indexOf(options.script);
      this.follows = CHOSEN.has(options.part) && !isFirst; // what was looked for is looked at in another tokenizer
      this.changed();
    } else if (usedKey !== this.usedKey || this.missed()) this.draw();
    this.usedKey = usedKey;
  }

  /** @param {string} address */
  async fetched(address) {
    this.say(this.label("loading"));
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok) {
      this.say(answer?.status === 422 ? await answer.text() : this.label("failed"));
      return null;
    }
    const vocabulary = new Vocabulary(await answer.arrayBuffer());
    KEPT.set(address, vocabulary);
    const [oldest] = KEPT.keys();
    if (KEPT.size > MOST_KEPT) KEPT.delete(oldest);
    return vocabulary;
  }

  /** @param {string} words */
  say(words) {
    this.note.textContent = words;
    this.note.hidden = !words;
  }

  /** People have chosen: search anew, then look at the first entry. */
  chosen() {
    CHOSEN.set(this.options.part, this.choice); // kept for another tab, page or language
    this.follows = true;
    this.changed();
  }

  /** Search and filter anew. */
  changed() {
    clearTimeout(this.timer);
    if (!this.vocabulary) return;
    const { kind, query, matchesCase } = this.choice;
    if (kind !== "regex" || !query) {
      const found = search(this.vocabulary, { kind: kind === "regex" ? "text" : kind, query, matchesCase });
      this.fault = found === "bad" ? this.label(kind === "bytes" ? "bad_bytes" : "bad_ids") : "";
      this.found = found === "bad" ? new Uint8Array(this.vocabulary.size) : found;
      if (kind === "regex") this.regex?.warm();
      this.draw();
      return;
    }
    this.timer = setTimeout(() => this.regex?.run(query, (answer) => this.take(answer)), REGEX_PAUSE);
  }

  /** @param {import("./regex_search.js").Answer} answer */
  take(answer) {
    if ("found" in answer) [this.found, this.fault] = [answer.found, ""];
    else {
      this.found = new Uint8Array(this.vocabulary?.size ?? 0);
      this.fault = "isSlow" in answer ? this.label("too_slow") : this.label("bad_regex", { why: answer.fault });
    }
    this.draw();
  }

  draw() {
    const { vocabulary, options } = this;
    if (!vocabulary) return;
    let { places, counts } = this.selection(vocabulary);
    if (!places.length && this.choice.script !== null && counts.some(Boolean)) {
      this.choice.script = null; // what is looked for stands in other scripts only
      ({ places, counts } = this.selection(vocabulary));
    }
    const missed = this.missed();
    if (missed && missed === options.missed?.query) {
      places = Uint32Array.from(options.missed.ids, (id) => vocabulary.placeOf(id)).filter((place) => place !== NOWHERE);
      this.choice.script = null;
      for (const place of new Set(places)) counts[vocabulary.scripts[place]] += 1;
    }
    const asksForUses = this.choice.use !== "all" || this.choice.order === "used";
    this.grid.show(vocabulary, places, asksForUses ? this.uses : NO_USES, options.tints);
    const shown = this.label("shown", { shown: new Set(places).size, all: vocabulary.size });
    this.controls.tell(counts, shown, options.counted);
    const isCut = missed && places.length;
    this.say(this.fault || (isCut ? this.label("in_parts", { query: missed, count: places.length }) : places.length ? "" : this.label("nothing")));
    if (missed && !places.length) this.follow("missed", missed);
    this.root.dataset.shown = String(places.length);
    if (this.follows && places.length) this.follow("found", vocabulary.ids[places[0]]);
  }

  /** The text that is looked for, if no token has it; "" otherwise. */
  missed() {
    const { kind, query } = this.choice;
    return kind === "text" && query.trim() && this.found && !this.found.includes(1) ? query : "";
  }

  /**
   * The best come first: of what is looked for the shortest, which are closest to it; else what is worth seeing.
   * @param {Vocabulary} vocabulary
   */
  selection(vocabulary) {
    const { choice, options } = this;
    const best = choice.kind === "id" ? "order" : choice.query ? "shortest" : "known";
    const order = choice.order === "best" ? best : choice.order;
    const found = select(vocabulary, { ...choice, order }, this.found, this.uses, options.scripts.length);
    if (order === "known") toFront(found.places, vocabulary.placeOf(options.opens));
    return found;
  }

  /**
   * Look at an entry that was found, or ask how a text is cut that no token has, once nothing changes any more; the
   * search does not wait for it.
   * @param {"found" | "missed"} name
   * @param {number | string} what
   */
  follow(name, what) {
    this.follows = name === "missed"; // then look at the first part
    clearTimeout(this.follower);
    this.follower = setTimeout(() => {
      if (what !== this.options.picked) this.tell(name, what);
    }, FOLLOW_PAUSE);
  }

  /** @param {number} id */
  pick(id) {
    clearTimeout(this.follower);
    this.tell("picked", id);
  }

  remove() {
    clearTimeout(this.timer);
    clearTimeout(this.follower);
    this.regex?.stop();
    this.grid.remove();
    this.root.remove();
  }
}

/**
 * Move a place to the front, if it is among them.
 * @param {Uint32Array} places
 * @param {number} place
 */
function toFront(places, place) {
  const at = places.indexOf(place);
  if (at <= 0) return;
  places.copyWithin(1, 0, at);
  places[0] = place;
}
