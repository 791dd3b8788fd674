// Part 7: the menu of all that can be taken away.

import { asOptions } from "./choices.js";
import { addButton, make } from "./elements.js";
import { PICTURE_UNITS, addPart, pngOf, sceneOf, svgOf } from "./picture.js";
import { lastUpTo } from "./sorted.js";
import { csvParts, download, htmlParts, jsonParts, linkTo } from "./take_away.js";

export class SaveMenu {
  constructor(state, { rows, light }) {
    this.state = state;
    this.rows = rows;
    this.light = light;
    this.element = make("div", "save");
    this.opener = addButton(this.element, "", () => this.toggle());
    this.opener.setAttribute("aria-expanded", "false");
    this.list = make("div", "choices");
    this.list.hidden = true;
    this.element.append(this.list);
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.toggle(false));
    this.element.addEventListener("focusout", (event) => !this.element.contains(event.relatedTarget) && this.toggle(false, false));
  }

  words() {
    const { labels, options, whole, text } = this.state.model;
    this.element.hidden = !options.toolbar || options.toolbar === "none" || !whole || !text;
    this.opener.textContent = labels.save;
  }

  toggle(open = this.list.hidden, back = true) {
    if (open) this.fill();
    else if (back && !this.list.hidden) this.opener.focus();
    this.list.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (open) this.list.querySelector("button").focus();
  }

  fill() {
    const { options } = this.state.model;
    this.list.replaceChildren();
    if (options.link) this.item("save_link", () => this.copyLink());
    this.item("save_png", () => this.picture("png"));
    this.item("save_svg", () => this.picture("svg"));
    if (options.page) this.item("save_html", async () => download("tokens.html", "text/html", await htmlParts(this.state.model, asOptions(this.state.choice))));
    this.item("save_csv", () => download("tokens.csv", "text/csv", csvParts(this.state.model)));
    this.item("save_json", () => download("tokens.json", "application/json", jsonParts(this.state.model)));
  }

  item(key, act) {
    const { labels } = this.state.model;
    addButton(this.list, labels[key], async () => {
      try {
        await act();
        if (key !== "save_link") this.toggle(false);
      } catch {
        this.say(labels.failed);
      }
    });
  }

  say(...words) {
    this.list.querySelector(".said")?.remove();
    const note = make("div", "said");
    note.setAttribute("role", "status");
    note.append(...words);
    this.list.append(note);
  }

  async copyLink() {
    const { labels, options } = this.state.model;
    const { address, withText } = linkTo(this.state.model, this.state.choice);
    const { holds, mine } = options.link;
    const words = [withText || holds === "story" ? labels[`link_holds_${holds}`] : labels.link_without_text];
    if (mine) words.push(labels.link_without_mine);
    try {
      await navigator.clipboard.writeText(address);
      this.say(make("b", "", labels.copied), " ", words.join(" "));
    } catch {
      // Browsers let a page write to the clipboard on this machine or over HTTPS only.
      const field = make("input");
      field.readOnly = true;
      field.value = address;
      field.setAttribute("aria-label", labels.copy_by_hand);
      this.say(labels.copy_by_hand, field, words.join(" "));
      field.select();
    }
  }

  // The whole text of some pages, or of a longer one what is in sight and after it.
  async picture(kind) {
    const { state, rows } = this;
    const { model } = state;
    const { list, starts } = rows;
    const first = model.text.length <= PICTURE_UNITS ? 0 : lastUpTo(starts, rows.topUnit());
    let stop = first + 1;
    while (stop < list.length && list[stop].end - list[first].start <= PICTURE_UNITS) stop += 1;
    rows.stop();
    this.light.turnOff();
    const chosen = list.slice(first, stop);
    chosen.forEach((row) => rows.fill(row));
    const part = { first: model.charAt(chosen[0].start) + 1, last: model.charAt(chosen.at(-1).end), count: model.chars };
    const title = chosen.length === list.length ? model.labels.text_title : `${model.labels.text_title}: ${model.label("picture_part", part)}`;
    const scene = sceneOf(state, chosen);
    if (chosen.length < list.length) addPart(scene, model.label("picture_part", part));
    if (list.length > 1) rows.watch();
    const parts = kind === "svg" ? [svgOf(scene, title)] : [await pngOf(scene)];
    download(`tokens.${kind}`, kind === "svg" ? "image/svg+xml" : "image/png", parts);
  }
}
