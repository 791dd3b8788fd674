// What can be taken away from the stage: a replay that works by itself, and a slide.
// @ts-check

import { addButton, make } from "../../token_view/browser/elements.js";
import { pngOf } from "../../token_view/browser/saving/png.js";
import { svgOf } from "../../token_view/browser/saving/svg.js";

import { plainWords } from "./screen.js";
import { slideOf } from "./slide.js";

/** @import { Stage } from "./stage.js" */
/** @import { Answer, Saved } from "./types.d.ts" */

/** @typedef {(key: string, values?: Record<string, unknown>) => string} Label */

export class Saves {
  /**
   * @param {Label} label
   * @param {Stage} stage
   */
  constructor(label, stage) {
    this.label = label;
    this.stage = stage;
    this.element = make("div", "save");
    this.element.hidden = !stage.options.page;
    this.opener = addButton(this.element, label("save"), () => this.toggle(Boolean(this.list.hidden)));
    this.opener.setAttribute("aria-expanded", "false");
    this.list = make("div", "choices");
    this.list.hidden = true;
    this.item("save_replay", () => this.saveReplay());
    this.item("save_slide_png", async () => download("stage.png", "image/png", await pngOf(slideNow(stage))));
    this.item("save_slide_svg", () => download("stage.svg", "image/svg+xml", svgOf(slideNow(stage), stage.options.title)));
    this.element.append(this.list);
    this.element.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || this.list.hidden) return;
      this.toggle(false);
      this.opener.focus();
    });
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.element.contains(relatedTarget))) this.toggle(false);
    });
  }

  /** @param {boolean} isOpen */
  toggle(isOpen) {
    this.list.hidden = !isOpen;
    this.opener.setAttribute("aria-expanded", String(isOpen));
  }

  /**
   * @param {string} key
   * @param {() => Promise<void> | void} act
   */
  item(key, act) {
    addButton(this.list, this.label(key), async () => {
      this.list.querySelector(".said")?.remove();
      try {
        await act();
        this.toggle(false);
      } catch {
        this.list.append(make("div", "said", this.label("failed")));
      }
    });
  }

  async saveReplay() {
    const { options } = this.stage;
    const response = await fetch(/** @type {string} */ (options.page));
    if (!response.ok) throw new Error(response.statusText);
    const silent = { name: "replay", feed: "", steer: null, key: "", race: null, page: null };
    const kept = { ...options, ...silent, saved: savedNow(this.stage) };
    /** @type {Record<string, string>} */
    const values = {
      OPTIONS: JSON.stringify(kept).replaceAll("<", "\\u003c"),
      TITLE: options.title,
      LANGUAGE: options.locale,
    };
    const page = (await response.text()).replace(/%(OPTIONS|TITLE|LANGUAGE)%/g, (_, name) => values[name]);
    download("replay.html", "text/html", page);
  }
}

/**
 * @param {string} name
 * @param {string} type
 * @param {BlobPart} content
 */
function download(name, type, content) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * The training as far as it has come.
 * @param {Stage} stage
 * @returns {Saved}
 */
export function savedNow({ learned, charts }) {
  const merges = learned.left.flatMap((left, at) => [left, learned.right[at], learned.counts[at]]);
  /** @type {Answer} */
  const answer = { state: "done", says: "", pace: "gathering", learned: learned.total, goal: learned.total, merges };
  return { answer, runners: charts.others, note: charts.note };
}

/**
 * The sentence as it stands now.
 * @param {Stage} stage
 */
export function slideNow(stage) {
  const { sentence, player, options } = stage;
  const number = (/** @type {number} */ count) => count.toLocaleString(options.locale);
  /** @type {[string, string][]} */
  const numbers = [[number(sentence.tokensAt(player.position)), plainWords(stage.label("slide_own", { merge: player.position }))]];
  const others = options.levels.length > 2 ? options.levels.filter((_, at) => at !== 1) : options.levels;
  for (const { name, count } of others) numbers.push([number(count), name]);
  const title = plainWords(stage.label("slide_title"));
  return slideOf(stage.root, stage.board, { title, source: options.what, numbers });
}
