// The slim bar below the sentence: play and pause, steps, speed, the timeline with its flags; and another sentence.
// @ts-check

import { addButton, make, toggleFullScreen } from "../../token_view/browser/elements.js";
import { plainWords } from "../../token_view/browser/words.js";

/** @import { Stage } from "./stage.js" */
/** @import { Label, Milestone } from "./types.d.ts" */

const TOKENS = ["space", "superword"]; // milestones of a token that is no word
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
    this.slider.oninput = () => stage.seek(this.slider.valueAsNumber);
    this.line.append(this.flags, this.slider);
    this.where = make("span", "where");
    this.live = addButton(this.element, label("live"), () => stage.go(stage.learned.total));
    this.live.className = "live";
    this.live.title = plainWords(label("live_says"));
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
    this.full.className = "full";
    this.full.append(make("span", "words", ` ${label("full_screen")}`));
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
    const { player, learned, answer, options, isOver, isTraining } = this.stage;
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
    const mayEndBefore = options.is_learned && !isOver; // a text that somebody has typed or pasted is often short
    const words = this.label(mayEndBefore ? "place_most" : "place", { merge: position, total: most });
    this.where.textContent = total || answer ? words : "";
    this.slider.setAttribute("aria-valuetext", plainWords(words));
    this.back.disabled = position === 0;
    this.forward.disabled = isLive && !canSteer;
    this.live.classList.toggle("on", isLive && this.isPlaying);
    this.live.disabled = isLive;
    this.live.hidden = isOver;
    this.waits.hidden = !canSteer || (answer?.state === "paused" && !this.waiting.checked);
    this.watching.hidden = !options.feed || canSteer || isOver; // then the bar acts on this view only
  }

  /** @param {string} name */
  showPace(name) {
    this.pace.value = PACES.includes(name) ? name : "gathering";
  }

  /**
   * What a sign on the timeline stands for, in two or three words.
   * @param {Milestone} milestone
   */
  saidBy(milestone) {
    const { kind, name } = milestone;
    if (kind === "beat") return this.label("flag_beat", { name });
    return TOKENS.includes(kind) ? this.label("flag_token", { name }) : this.label("flag_word", { name });
  }

  /**
   * Milestones stay on the timeline; a click leads to one. No sign or name covers another.
   * @param {Milestone[]} found
   * @param {number} most
   */
  flag(found, most) {
    const width = this.flags.clientWidth;
    const key = [found.length, most, width].join();
    if (!width || key === this.flagged) return;
    this.flagged = key;
    const flags = found.map((milestone) => {
      const { merge, kind, name, says } = milestone;
      const flag = make("button", `flag ${kind}`, kind === "beat" ? "⚑" : "★");
      flag.type = "button";
      flag.title = flag.ariaLabel = plainWords(says);
      flag.onclick = () => this.stage.jump(milestone);
      const label = name ? flag.appendChild(make("span", "name", this.saidBy(milestone))) : null;
      return { flag, label, want: (width * merge) / most, isBeat: kind === "beat", name };
    });
    this.flags.replaceChildren(...flags.map(({ flag }) => flag));
    const measured = () => flags.map(({ flag, label, want, isBeat }) => {
      const [half, name] = [flag.offsetWidth / 2, Math.ceil(label?.getBoundingClientRect().width ?? 0)];
      const isBehind = want + half + name <= width;
      // A tokenizer that is beaten has its name in any case; a word only where there is room.
      return { want, at: want, half, name, isBeat, before: isBeat && !isBehind ? name : 0, behind: isBeat && isBehind ? name : 0 };
    });
    const beatsOf = (/** @type {FlagBox[]} */ some) => some.filter(({ isBeat }) => isBeat);
    let boxes = measured();
    let placed = beatsOf(boxes);
    if (!spread(placed, width)) {
      for (const { label, name, isBeat } of flags) if (label && isBeat) label.textContent = name;
      boxes = measured();
      placed = beatsOf(boxes);
    }
    while (!spread(placed, width)) {
      const longest = placed.reduce((one, other) => (other.before + other.behind > one.before + one.behind ? other : one));
      if (!longest.before && !longest.behind) break;
      longest.before = longest.behind = 0;
    }
    // A word stands at its very merge, or not at all.
    for (const box of boxes.filter(({ isBeat, name }) => !isBeat && name)) {
      const after = placed.findIndex(({ at }) => at > box.at);
      const place = after < 0 ? placed.length : after;
      nameInRoom(box, placed[place - 1], placed[place], width);
      if (box.before || box.behind) placed.splice(place, 0, box);
    }
    boxes.forEach((box, at) => {
      const nth = placed.indexOf(box);
      if (box.isBeat && !box.before && !box.behind) nameInRoom(box, placed[nth - 1], placed[nth + 1], width);
      const { flag, label } = flags[at];
      flag.style.insetInlineStart = `${(100 * box.at) / width}%`;
      const off = box.want - box.at; // a sign that gave way to another is tied to its place
      if (Math.abs(off) > 3) flag.classList.add("away", off < 0 ? "late" : "early");
      flag.style.setProperty("--off", `${Math.abs(off)}px`);
      label?.classList.toggle("before", box.before > 0);
      if (box.before || box.behind) {
        flag.ariaLabel = plainWords(`${label?.textContent}: ${flag.title}`); // who speaks to the browser says what is seen
        return;
      }
      label?.remove();
      if (!box.isBeat) flag.hidden = true; // a star without its word says nothing
    });
  }
}

/**
 * A flag: where it should be and is, half the width of its sign, the width of its name, and what that takes on a side.
 * @typedef {{ want: number, at: number, half: number, name: number, isBeat: boolean, before: number, behind: number }} FlagBox
 */

/**
 * Push flags apart, first to the right, then back from the end; return whether all have room.
 * @param {FlagBox[]} boxes in order
 * @param {number} width
 */
function spread(boxes, width) {
  const apart = (/** @type {number} */ at) => boxes[at].half + boxes[at].behind + boxes[at + 1].before + boxes[at + 1].half;
  boxes.forEach((box, at) => {
    box.at = Math.max(box.want, at ? boxes[at - 1].at + apart(at - 1) : box.before);
  });
  for (let at = boxes.length - 1; at >= 0; at--) {
    const most = at < boxes.length - 1 ? boxes[at + 1].at - apart(at) : width - boxes[at].behind;
    boxes[at].at = Math.min(boxes[at].at, most);
  }
  return !boxes.length || boxes[0].at >= boxes[0].before;
}

/**
 * Give a flag its name if there is room beside it.
 * @param {FlagBox} box
 * @param {FlagBox | undefined} last
 * @param {FlagBox | undefined} next
 * @param {number} width
 */
function nameInRoom(box, last, next, width) {
  const { at, half, name } = box;
  const end = next ? next.at - next.half - next.before : width + half;
  const start = last ? last.at + last.half + last.behind : -half;
  if (at - half < start || at + half > end) return;
  if (end - at - half >= name) box.behind = name;
  else if (at - half - start >= name) box.before = name;
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
    this.opener.append(make("span", "words", ` ${label("change")}`), make("span", "short", ` ${label("change_short")}`));
    this.opener.type = "button";
    this.opener.title = this.opener.ariaLabel = plainWords(label("change"));
    this.opener.onclick = () => this.open(Boolean(this.form.hidden));
    this.opener.setAttribute("aria-expanded", "false");
    /** @type {HTMLElement} */
    this.from = this.opener; // where it was opened from
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
    const { activeElement } = /** @type {Document | ShadowRoot} */ (this.form.getRootNode());
    if (isOpen && this.form.hidden && activeElement instanceof HTMLElement) this.from = activeElement;
    this.form.hidden = !isOpen;
    this.opener.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return this.from.focus();
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
