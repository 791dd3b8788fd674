// Another sentence for the stage: a button of the bar, and below the bar a box to type in.
// @ts-check

import { addButton, make } from "../../token_view/browser/elements.js";
import { plainWords } from "./screen.js";

/** @typedef {(key: string, values?: Record<string, unknown>) => string} Label */

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
    this.opener.title = plainWords(label("change"));
    this.opener.setAttribute("aria-label", this.opener.title);
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
