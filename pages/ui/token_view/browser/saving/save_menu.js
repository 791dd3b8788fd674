// The menu of all that a visitor can save or share.
// @ts-check

import { addButton, make } from "../elements.js";
import { linkTo } from "./link.js";
import { takePicture, takeSlide } from "./picture.js";
import { savedPage } from "./saved_page.js";
import { csvParts, jsonParts } from "./tables.js";

/** @import { Light } from "../pointing/light.js" */
/** @import { Rows } from "../boxes/rows.js" */
/** @import { ViewState } from "../state.js" */
/** @import { Link } from "../types.d.ts" */

export class SaveMenu {
  /**
   * @param {ViewState} state
   * @param {{ rows: Rows, light: Light }} parts
   */
  constructor(state, { rows, light }) {
    this.state = state;
    this.rows = rows;
    this.light = light;
    this.element = make("div", "save");
    this.opener = addButton(this.element, "", () => (this.list.hidden ? this.open() : this.close()));
    this.opener.setAttribute("aria-expanded", "false");
    this.list = make("div", "choices");
    this.list.hidden = true;
    this.element.append(this.list);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.list.hidden) return;
      event.preventDefault(); // the inspector stays open
      this.close();
    });
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.element.contains(relatedTarget))) this.hide();
    });
  }

  words() {
    const { labels, options, whole, text } = this.state.model;
    this.element.hidden = !options.toolbar || options.toolbar === "none" || !whole || !text;
    this.opener.textContent = labels.save;
  }

  open() {
    this.fill();
    this.list.hidden = false;
    this.opener.setAttribute("aria-expanded", "true");
    this.list.querySelector("button")?.focus();
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

  fill() {
    const { link, page } = this.state.model.options;
    this.list.replaceChildren();
    if (link) this.item("save_link", () => this.copyLink(link));
    this.item("save_png", () => this.savePicture("png"));
    this.item("save_svg", () => this.savePicture("svg"));
    this.item("save_slide_png", () => this.saveSlide("png"));
    this.item("save_slide_svg", () => this.saveSlide("svg"));
    if (page) this.item("save_html", () => this.savePage(page));
    this.item("save_csv", () => download("csv", "text/csv", csvParts(this.state.model)));
    this.item("save_json", () => download("json", "application/json", jsonParts(this.state.model)));
  }

  /**
   * A line of the menu. Copying says what was copied; the rest closes the menu.
   * @param {string} key
   * @param {() => Promise<void> | void} act
   */
  item(key, act) {
    const { labels } = this.state.model;
    addButton(this.list, labels[key], async () => {
      try {
        await act();
        if (key !== "save_link") this.close();
      } catch {
        this.say(labels.failed);
      }
    });
  }

  /** @param {(Node | string)[]} words */
  say(...words) {
    this.list.querySelector(".said")?.remove();
    const note = make("div", "said");
    note.setAttribute("role", "status");
    note.append(...words);
    this.list.append(note);
  }

  /** @param {Link} link */
  async copyLink(link) {
    const { model, choice } = this.state;
    const { labels } = model;
    const { address, withText } = linkTo(model, choice, link);
    const isWhole = withText || link.holds === "story";
    const words = [isWhole ? labels[`link_holds_${link.holds}`] : labels.link_without_text];
    if (link.mine) words.push(labels.link_without_mine);
    try {
      await navigator.clipboard.writeText(address);
      this.say(make("b", "", labels.copied), " ", words.join(" "));
    } catch {
      this.offerToCopy(address, words.join(" "));
    }
  }

  /**
   * Show the link: browsers let a page write to the clipboard on this machine or over HTTPS only.
   * @param {string} address
   * @param {string} words
   */
  offerToCopy(address, words) {
    const { labels } = this.state.model;
    const field = make("input");
    field.readOnly = true;
    field.value = address;
    field.setAttribute("aria-label", labels.copy_by_hand);
    this.say(labels.copy_by_hand, field, words);
    field.select();
  }

  /** @param {string} address */
  async savePage(address) {
    download("html", "text/html", [await savedPage(this.state.model, this.state.choice, address)]);
  }

  /** @param {"png" | "svg"} kind */
  async savePicture(kind) {
    this.light.turnOff();
    await save(kind, takePicture(this.state, this.rows));
  }

  /** @param {"png" | "svg"} kind */
  async saveSlide(kind) {
    await save(kind, takeSlide(this.state, this.list));
  }
}

/**
 * Save a picture.
 * @param {"png" | "svg"} kind
 * @param {ReturnType<typeof takePicture>} picture
 */
async function save(kind, picture) {
  if (kind === "svg") download("svg", "image/svg+xml", [await picture.asSvg()]);
  else download("png", "image/png", [await picture.asPng()]);
}

/**
 * Save a file.
 * @param {string} suffix
 * @param {string} type
 * @param {BlobPart[]} parts
 */
function download(suffix, type, parts) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = `tokens.${suffix}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
