// All that a visitor can save or share of the view.
// @ts-check

import { FileMenu, download } from "./file_menu.js";
import { embeddedLooped } from "../model/looped.js";
import { takePicture, takeSlide } from "./picture.js";
import { dataAddress, filledPage, scriptJson } from "./saved_page.js";
import { csvParts, jsonParts } from "./tables.js";

/** @import { Link } from "../types.d.ts" */
/** @import { TokenView } from "../view.js" */

const MAX_LINK_TEXT = 1500; // characters of a text in a link that every program passes on whole

export class SaveMenu extends FileMenu {
  /** @param {TokenView} view */
  constructor(view) {
    super(() => this.addLines());
    this.view = view;
    this.state = view.state;
  }

  words() {
    const { labels, options, whole, text } = this.state.model;
    this.element.hidden = options.toolbar === "none" || !whole || !text;
    this.opener.textContent = labels.save;
  }

  addLines() {
    const { view, state } = this;
    const { model } = state;
    const { link, page } = model.options;
    const picture = () => {
      view.light.turnOff();
      return takePicture(state, view.rows);
    };
    const slide = () => takeSlide(state, this.list);
    /** @type {[key: string, act: () => Promise<void> | void, isOffered: boolean][]} */
    const lines = [
      ["save_link", () => this.copyLink(/** @type {Link} */ (link)), link !== null],
      ["save_png", () => savePng(picture()), true],
      ["save_svg", () => saveSvg(picture()), true],
      ["save_slide_png", () => savePng(slide()), true],
      ["save_slide_svg", () => saveSvg(slide()), true],
      ["save_html", () => this.savePage(/** @type {string} */ (page)), page !== null],
      ["save_csv", () => download("tokens.csv", "text/csv", csvParts(model)), true],
      ["save_json", () => download("tokens.json", "application/json", jsonParts(model)), true],
    ];
    for (const [key, act, isOffered] of lines) if (isOffered) this.item(model.labels[key], act, model.labels.failed);
  }

  /**
   * The link that shows this view again. Nothing is sent when it is made; a browser sends it when it is opened.
   * @param {Link} link
   */
  copyLink(link) {
    const { model, choice } = this.state;
    const { labels, text, hasThai } = model;
    const parameters = new URLSearchParams(link.parameters);
    const isWithText = [...text].length <= MAX_LINK_TEXT && link.has_text;
    if (isWithText) parameters.set("text", text);
    parameters.set("view", choice.view);
    parameters.set("colour", choice.colour);
    if (choice.white_space) parameters.set("white_space", "1");
    if (choice.looped && hasThai) parameters.set("looped", "1");
    const address = `${location.origin}${location.pathname}?${parameters}`;
    const isWhole = isWithText || link.holds === "story";
    const held = isWhole ? labels[`link_holds_${link.holds}`] : labels.link_without_text;
    const words = link.leaves_out_mine ? `${held} ${labels.link_without_mine}` : held;
    return this.copy(address, labels, words);
  }

  /**
   * The view with its payload as one HTML file, which works without this app.
   * @param {string} address
   */
  async savePage(address) {
    const { model, choice } = this.state;
    const { options, payload, labels, locale, hasThai } = model;
    const faces = choice.looped && hasThai ? await embeddedLooped(options.faces) : {};
    const alone = { key: "page", toolbar: "full", link: null, page: null, whole: null, sizes: null, faces };
    const [, encoded] = (await dataAddress(new Blob([payload]))).split(",");
    const page = await filledPage(address, {
      PAYLOAD: encoded,
      OPTIONS: scriptJson({ ...options, ...choice, ...alone }),
      TITLE: labels.text_title,
      LANGUAGE: locale,
    });
    download("tokens.html", "text/html", [page]);
  }
}

/** @param {ReturnType<typeof takePicture>} picture */
async function savePng(picture) {
  download("tokens.png", "image/png", [await picture.asPng()]);
}

/** @param {ReturnType<typeof takePicture>} picture */
async function saveSvg(picture) {
  download("tokens.svg", "image/svg+xml", [await picture.asSvg()]);
}
