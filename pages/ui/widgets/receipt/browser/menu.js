// What can be taken of a receipt: a link, and pictures of both bills: their ends, for a page, or their full length.
// @ts-check

import { FileMenu, download } from "../../token_view/browser/saving/file_menu.js";
import { pngOf, svgOf } from "../../token_view/browser/saving/image.js";
import { Scene } from "../../token_view/browser/saving/scene.js";
import { plainWords } from "../../token_view/browser/words.js";

/** @import { BoxElement } from "../../token_view/browser/types.d.ts" */
/** @import { Receipt } from "./receipt.js" */

const LAST_LINES = 24; // of a picture that fits a page
const AROUND = 32; // pixels around the picture

export class ReceiptMenu extends FileMenu {
  /** @param {Receipt} receipt */
  constructor(receipt) {
    super(() => this.addLines());
    this.receipt = receipt;
    this.opener.textContent = receipt.label("save");
  }

  addLines() {
    const { label, options } = this.receipt;
    const failed = label("failed");
    const { link, title } = options;
    if (link) this.item(label("save_link"), () => this.copyLink(link), failed);
    const said = plainWords(title.replaceAll("**", ""));
    this.item(label("save_png"), async () => download("receipt.png", "image/png", [await pngOf(this.scene(LAST_LINES))]), failed);
    this.item(label("save_whole"), () => download("receipt.svg", "image/svg+xml", [svgOf(this.scene(), said)]), failed);
  }

  /** @param {Record<string, string>} link */
  copyLink(link) {
    const address = `${location.origin}${location.pathname}?${new URLSearchParams(link)}`;
    return this.copy(address, this.receipt.options.labels, this.receipt.label("link_holds"));
  }

  /** Both bills, measured out of sight. @param {number} [most] the lines of each; by default its full length */
  scene(most = Infinity) {
    const { receipt } = this;
    receipt.showAll();
    const { element, papers } = receipt;
    element.classList.add("whole");
    for (const paper of papers) paper.keepLast(most);
    try {
      const { width, height } = element.getBoundingClientRect();
      const scene = new Scene(element, { width: width + 2 * AROUND, height: height + 2 * AROUND });
      [scene.left, scene.top] = [scene.left - AROUND, scene.top - AROUND];
      for (const paper of papers) addPaper(scene, paper.element);
      for (const box of element.querySelectorAll(".p")) scene.addBox(/** @type {BoxElement} */ (box));
      for (const part of element.querySelectorAll(".receipt-title, .receipt-says")) scene.addTexts(part);
      for (const each of scene.texts) each.text = plainWords(each.text);
      for (const paper of papers) scene.addTexts(paper.element);
      return scene;
    } finally {
      element.classList.remove("whole");
      for (const paper of papers) paper.keepLast(Infinity);
      for (const paper of papers) paper.toEnd();
    }
  }
}

/**
 * The edge of a paper, and the lines above and below what is printed on it.
 * @param {Scene} scene
 * @param {Element} paper
 */
function addPaper(scene, paper) {
  const place = (/** @type {Element} */ element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x - scene.left, y: y - scene.top, width, height };
  };
  const { x, y, width, height } = place(paper);
  scene.addRect({ x: x - 1, y: y - 1, width: width + 2, height: height + 2 }, scene.tint("edge-of-controls"), 5);
  scene.addRect({ x, y, width, height }, scene.paper, 4);
  for (const part of paper.querySelectorAll(".roll, .total")) {
    const { x, y, width } = place(part);
    scene.addRect({ x, y, width, height: 1 }, scene.tint("edge-of-controls"));
  }
}
