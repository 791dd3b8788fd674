// A menu of files that can be saved.
// @ts-check

import { addButton, make } from "../elements.js";

/** @import { Labels } from "../types.d.ts" */

export class FileMenu {
  /** @param {() => void} fill adds the lines, each time that the menu opens */
  constructor(fill) {
    this.fill = fill;
    this.element = make("div", "save");
    this.opener = addButton(this.element, "", () => (this.list.hidden ? this.open() : this.close()));
    this.list = this.element.appendChild(make("div", "choices"));
    this.hide();
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.list.hidden) return;
      event.preventDefault(); // the inspector stays open
      this.close();
    });
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.element.contains(relatedTarget))) this.hide();
    });
  }

  open() {
    this.list.replaceChildren();
    this.fill();
    this.list.hidden = false;
    this.opener.setAttribute("aria-expanded", "true");
    this.list.querySelector("button")?.focus();
    this.list.scrollIntoView({ block: "nearest" }); // below the window nobody would know of it
  }

  /** Close the menu; the focus goes back to what opened it. */
  close() {
    if (!this.list.hidden) this.opener.focus();
    this.hide();
  }

  hide() {
    this.list.hidden = true;
    this.opener.setAttribute("aria-expanded", "false");
  }

  /**
   * A line of the menu, which closes the menu unless there is something to say.
   * @param {string} words
   * @param {() => Promise<void> | void} act
   * @param {string} failed what is said if that fails
   */
  item(words, act, failed) {
    addButton(this.list, words, async () => {
      this.list.querySelector(".said")?.remove();
      try {
        await act();
      } catch {
        this.say(failed);
      }
      if (!this.list.querySelector(".said")) this.close();
    });
  }

  /**
   * Copy an address, and say what it holds.
   * @param {string} address
   * @param {Labels} labels
   * @param {string} words
   */
  async copy(address, labels, words) {
    try {
      await navigator.clipboard.writeText(address);
      this.say(make("b", "", labels.copied), " ", words);
    } catch {
      // Browsers let a page write to the clipboard on this machine or over HTTPS only: elsewhere the link is shown.
      const field = make("input");
      field.readOnly = true;
      field.value = address;
      field.setAttribute("aria-label", labels.copy_by_hand);
      this.say(labels.copy_by_hand, field, words);
      field.select();
    }
  }

  /** @param {(Node | string)[]} words */
  say(...words) {
    this.list.querySelector(".said")?.remove();
    const note = make("div", "said");
    note.setAttribute("role", "status");
    note.append(...words);
    this.list.append(note);
  }
}

/**
 * Save a file.
 * @param {string} name
 * @param {string} type
 * @param {BlobPart[]} parts
 */
export function download(name, type, parts) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
