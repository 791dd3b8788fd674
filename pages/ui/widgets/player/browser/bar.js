// The slim bar below the sentence: play and pause, steps, speed, the timeline with its flags; and another sentence.
// @ts-check

import { addButton, make, toggleFullScreen } from "../../token_view/browser/elements.js";
import { plainWords } from "../../token_view/browser/words.js";

/** @import { Stage } from "./stage.js" */
/** @import { Label, Milestone } from "./types.d.ts" */

// Pixels: what the sign of a flag takes, a letter of its name, and at most its name.
const FLAG = 20;
const FLAG_LETTER = 8.5;
const FLAG_NAME = 80;
const PACES = ["gathering", "slowest", "slow", "steady", "fast", "full"];

export class Bar {
  /** @param {Stage} stage */
  constructor(stage) {
    const { label } = stage;
    this.stage = stage;
    this.label = label;
    this.element = make("div", "drive");
    this.toggle = addButton(this.element, "", () => stage.toggle());
    this.toggle.className = "toggle";
    this.back = addButton(this.element, "⏮", () => stage.back());
    this.forward = addButton(this.element, "⏭", () => stage.forward());
    this.line = make("div", "timeline");
    this.flags = make("div", "flags");
    this.slider = make("input");
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.oninput = () => stage.go(this.slider.valueAsNumber);
    this.line.append(this.flags, this.slider);
    this.where = make("span", "where");
    this.live = addButton(this.element, label("live"), () => stage.go(stage.learned.total));
    this.live.className = "live";
    this.pace = make("select", "pace");
    this.pace.onchange = () => stage.setPace(this.pace.value);
    for (const name of PACES) this.pace.append(new Option(plainWords(label(`pace_${name}`)), name));
    this.waits = make("label", "waits");
    this.waiting = make("input");
    this.waiting.type = "checkbox";
    this.waits.append(this.waiting, label("waits"));
    this.watching = make("p", "watching", label("watching"));
    this.full = addButton(this.element, "⛶", () => {
      toggleFullScreen(stage.root);
      stage.root.focus(); // so that Space does not press it once more
    });
    this.element.append(this.line, this.where, this.live, this.pace, this.waits, this.full, this.watching);
    this.isPlaying = false;
    this.flagged = ""; // for which flags and which room
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
    element.title = element.ariaLabel = plainWords(this.label(key));
  }

  /** Show where the stage is. */
  show() {
    const { player, learned, joined, answer, options, isOver, isTraining } = this.stage;
    const { position } = player;
    const { total } = learned;
    const isLive = player.isLive && !isOver;
    const canSteer = Boolean(options.steer) && !isOver;
    this.isPlaying = !player.isHeld && (player.isLive ? isTraining || player.isBusy : player.isPlaying);
    this.toggle.textContent = this.isPlaying ? "❚❚" : "▶";
    this.name(this.toggle, this.isPlaying ? "pause" : "play");
    const most = Math.max(isOver ? 0 : (answer?.goal ?? 0), total, 1);
    this.slider.max = String(most);
    this.slider.value = String(position);
    this.line.style.setProperty("--learned", `${(100 * total) / most}%`);
    const words = this.label("place", { merge: joined, total: most });
    this.where.textContent = words;
    this.slider.setAttribute("aria-valuetext", plainWords(words));
    this.back.disabled = position === 0;
    this.forward.disabled = isLive && !canSteer;
    this.live.classList.toggle("on", isLive);
    this.live.disabled = isLive;
    this.live.hidden = isOver;
    this.waits.hidden = !canSteer;
    this.watching.hidden = !options.feed || canSteer || isOver; // then the bar acts on this view only
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
    const width = this.line.clientWidth || 1;
    const key = [found.length, most, width].join();
    if (key === this.flagged) return;
    this.flagged = key;
    let taken = 0; // pixels up to which there are signs and names
    this.flags.replaceChildren(
      ...found.map(({ merge, kind, name, says }, index) => {
        const flag = make("button", `flag ${kind}`, kind === "beat" ? "⚑" : "★");
        flag.type = "button";
        flag.title = flag.ariaLabel = plainWords(says);
        flag.style.insetInlineStart = `${(100 * merge) / most}%`;
        flag.onclick = () => this.stage.go(merge);
        const place = (width * merge) / most;
        const [before, behind] = [place - taken, (width * (found[index + 1]?.merge ?? most)) / most - place];
        const room = FLAG + Math.min(FLAG_NAME, FLAG_LETTER * name.length);
        const isBehind = behind > room;
        if (name && (isBehind || before > room)) flag.append(make("span", isBehind ? "name" : "name before", name));
        taken = place + (isBehind ? room : FLAG);
        return flag;
      }),
    );
  }
}

export class Editor {
  /**
   * @param {Label} label
   * @param {string} text the sentence now
   * @param {number} most characters of a sentence
   * @param {(text: string) => void} onSentence
   */
  constructor(label, text, most, onSentence) {
    this.text = text;
    this.onSentence = onSentence;
    this.opener = make("button", "change", "✎");
    this.opener.append(make("span", "words", ` ${label("change")}`));
    this.opener.type = "button";
    this.opener.title = this.opener.ariaLabel = plainWords(label("change"));
    this.opener.onclick = () => this.open(Boolean(this.form.hidden));
    this.opener.setAttribute("aria-expanded", "false");
    this.form = make("form", "editor");
    this.form.hidden = true;
    this.box = make("textarea");
    this.box.rows = 2;
    this.box.maxLength = most;
    const name = make("label", "", label("change_label", { most }));
    name.append(this.box);
    this.form.append(name);
    addButton(this.form, label("change_show"), () => this.submit()).classList.add("apply");
    addButton(this.form, label("change_cancel"), () => this.open(false));
    this.form.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {boolean} isOpen */
  open(isOpen) {
    this.form.hidden = !isOpen;
    this.opener.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return this.opener.focus();
    this.box.value = this.text;
    this.box.focus();
    this.box.select();
    this.form.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === "Escape") this.open(false);
    else if (event.key === "Enter" && event.target === this.box && !event.shiftKey && !event.isComposing) this.submit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  submit() {
    const text = this.box.value.trim();
    this.open(false);
    if (text && text !== this.text) this.onSentence(text);
  }
}
