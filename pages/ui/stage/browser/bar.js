// The slim bar below the sentence: play and pause, one step back or forward, speed, and the timeline with its flags.
// @ts-check

import { plainWords } from "./screen.js";
import { addButton, make } from "../../token_view/browser/elements.js";

/** @import { Milestone } from "./types.d.ts" */

/** @typedef {(key: string, values?: Record<string, unknown>) => string} Label */
/** @typedef {"play" | "pause" | "back" | "forward" | "live" | "full_screen"} Press */

export const PACES = ["gathering", "slowest", "slow", "steady", "fast", "full"];

export class Bar {
  /**
   * @param {Label} label
   * @param {{ onPress: (press: Press) => void, onGo: (merges: number) => void, onPace: (pace: string) => void }} listener
   */
  constructor(label, listener) {
    this.label = label;
    this.listener = listener;
    this.element = make("div", "drive");
    this.toggle = addButton(this.element, "", () => listener.onPress(this.isPlaying ? "pause" : "play"));
    this.toggle.className = "toggle";
    this.back = addButton(this.element, "⏮", () => listener.onPress("back"));
    this.forward = addButton(this.element, "⏭", () => listener.onPress("forward"));
    this.line = make("div", "timeline");
    this.flags = make("div", "flags");
    this.slider = make("input");
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.oninput = () => listener.onGo(this.slider.valueAsNumber);
    this.line.append(this.flags, this.slider);
    this.where = make("span", "where");
    this.live = addButton(this.element, label("live"), () => listener.onPress("live"));
    this.live.className = "live";
    this.pace = make("select");
    this.pace.onchange = () => listener.onPace(this.pace.value);
    for (const name of PACES) this.pace.append(new Option(plainWords(label(`pace_${name}`)), name));
    this.waits = make("label", "waits");
    this.waiting = make("input");
    this.waiting.type = "checkbox";
    this.waits.append(this.waiting, label("waits"));
    this.watching = make("p", "watching", label("watching"));
    this.full = addButton(this.element, "⛶", () => listener.onPress("full_screen"));
    this.element.append(this.line, this.where, this.live, this.pace, this.waits, this.full, this.watching);
    this.isPlaying = false;
    this.flagged = 0;
    this.name(this.back, "back");
    this.name(this.forward, "forward");
    this.name(this.full, "full_screen");
    this.pace.setAttribute("aria-label", plainWords(label("pace")));
    this.slider.setAttribute("aria-label", plainWords(label("timeline")));
  }

  /**
   * @param {HTMLElement} element
   * @param {string} key
   */
  name(element, key) {
    const words = plainWords(this.label(key));
    element.setAttribute("aria-label", words);
    element.title = words;
  }

  /**
   * @param {{ position: number, total: number, goal: number, isPlaying: boolean, isLive: boolean, canStep: boolean, isWatching: boolean }} now
   */
  show({ position, total, goal, isPlaying, isLive, canStep, isWatching }) {
    this.isPlaying = isPlaying;
    this.toggle.textContent = isPlaying ? "❚❚" : "▶";
    this.name(this.toggle, isPlaying ? "pause" : "play");
    const most = Math.max(goal, total, 1);
    this.slider.max = String(most);
    this.slider.value = String(position);
    this.line.style.setProperty("--learned", `${(100 * total) / most}%`);
    const words = this.label("place", { merge: position, total: most });
    this.where.textContent = words;
    this.slider.setAttribute("aria-valuetext", plainWords(words));
    this.back.disabled = position === 0;
    this.forward.disabled = isLive && !canStep;
    this.live.classList.toggle("on", isLive);
    this.live.disabled = isLive;
    this.watching.hidden = !isWatching; // then the bar acts on this view only
  }

  /** @param {string} name */
  showPace(name) {
    this.pace.value = PACES.includes(name) ? name : "gathering";
  }

  /**
   * Milestones stay on the timeline; a click leads to one.
   * @param {Milestone[]} found
   * @param {number} most
   */
  flag(found, most) {
    const key = found.length * 1e7 + most;
    if (key === this.flagged) return;
    this.flagged = key;
    this.flags.replaceChildren(
      ...found.map(({ merge, kind, says }) => {
        const flag = make("button", `flag ${kind}`, kind === "beat" ? "⚑" : "★");
        flag.type = "button";
        flag.title = plainWords(says);
        flag.setAttribute("aria-label", flag.title);
        flag.style.insetInlineStart = `${(100 * merge) / most}%`;
        flag.onclick = () => this.listener.onGo(merge);
        return flag;
      }),
    );
  }
}
