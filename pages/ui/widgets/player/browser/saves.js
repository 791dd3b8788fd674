// What can be taken away from the stage: a replay that works by itself, and a slide.
// @ts-check

import { make } from "../../token_view/browser/elements.js";
import { FileMenu, download } from "../../token_view/browser/saving/file_menu.js";
import { pngOf, svgOf } from "../../token_view/browser/saving/image.js";
import { filledPage, scriptJson } from "../../token_view/browser/saving/saved_page.js";
import { GAP, OVERLAP, Scene, fontOf } from "../../token_view/browser/saving/scene.js";
import { plainWords } from "../../token_view/browser/words.js";

/** @import { Stage } from "./stage.js" */
/** @import { Answer, Saved } from "./types.d.ts" */

const PAGE = { width: 1920, height: 1080 };

/**
 * @param {Stage} stage
 * @returns {FileMenu}
 */
export function saveMenu(stage) {
  const { label, options } = stage;
  const failed = label("failed");
  const menu = new FileMenu(() => {
    menu.item(label("save_replay"), () => saveReplay(stage), failed);
    const savePng = async () => download("stage.png", "image/png", [await pngOf(slideOf(stage))]);
    menu.item(label("save_slide_png"), savePng, failed);
    const saveSvg = () => download("stage.svg", "image/svg+xml", [svgOf(slideOf(stage), options.title)]);
    menu.item(label("save_slide_svg"), saveSvg, failed);
  });
  menu.opener.textContent = label("save");
  menu.element.hidden = !options.page;
  return menu;
}

/** @param {Stage} stage */
async function saveReplay(stage) {
  const { options } = stage;
  const silent = { name: "replay", feed: "", steer: null, key: "", race: null, page: null };
  const page = await filledPage(/** @type {string} */ (options.page), {
    OPTIONS: scriptJson({ ...options, ...silent, saved: savedNow(stage) }),
    TITLE: options.title,
    LANGUAGE: options.locale,
  });
  download("replay.html", "text/html", [page]);
}

/**
 * The training as far as it has come.
 * @param {Stage} stage
 * @returns {Saved}
 */
function savedNow({ learned, charts }) {
  const merges = learned.left.flatMap((left, at) => [left, learned.right[at], learned.counts[at]]);
  /** @type {Answer} */
  const answer = {
    ...{ state: "done", says: "", pace: "gathering" },
    ...{ learned: learned.total, goal: learned.total, merges, served: learned.served },
    superwords_after: Number.isFinite(learned.superwordsAfter) ? learned.superwordsAfter : null,
  };
  return { answer, runners: charts.others, note: charts.note };
}

/**
 * The sentence as it stands now as a slide, 16 to 9, measured on a page of its size that nobody sees: a headline, the
 * pieces as large as fit, a large number for each tokenizer, the source.
 * @param {Stage} stage
 */
function slideOf(stage) {
  const { sentence, player, options, root, label } = stage;
  const own = { name: plainWords(label("slide_own", { merge: player.position })), count: sentence.tokensAt(player.position) };
  const figures = make("div", "slide-numbers");
  for (const { name, count } of [own, ...options.levels]) {
    const figure = figures.appendChild(make("div"));
    figure.append(make("b", "", count.toLocaleString(options.locale)), make("span", "", name));
  }
  const page = make("div", "slide");
  const board = make("div", "slide-board");
  const title = make("div", "slide-title", plainWords(label("slide_title")));
  page.append(title, board, figures, make("div", "slide-source", options.what));
  root.append(page);
  stage.board.copyTo(board, PAGE.width - 160, 520);
  const scene = new Scene(root, PAGE); // colours are those of the root, places are counted from the page
  const { left, top } = page.getBoundingClientRect();
  [scene.left, scene.top] = [left, top];
  for (const piece of page.querySelectorAll(".piece")) {
    const shared = piece.querySelectorAll(".shared");
    for (const letters of shared) addSharedLetter(scene, /** @type {HTMLElement} */ (letters));
    if (!shared.length) scene.addRect(placeIn(scene, piece), getComputedStyle(piece).backgroundColor, 12);
  }
  scene.addTexts(page);
  page.remove();
  return scene;
}

/**
 * @param {Scene} scene
 * @param {Element} element
 */
function placeIn(scene, element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return new DOMRect(left - scene.left, top - scene.top, width, height);
}

/**
 * A letter that several tokens share, and the number below it.
 * @param {Scene} scene
 * @param {HTMLElement} letters
 */
function addSharedLetter(scene, letters) {
  const place = placeIn(scene, letters);
  const [starts, ends] = JSON.parse(letters.dataset.edges ?? "[]"); // whether a token starts and ends with the letter
  scene.addStripes(place, JSON.parse(letters.dataset.stripes ?? "[]"), [starts ? GAP : 0, ends ? GAP : -OVERLAP]);
  if (!letters.dataset.n) return;
  const font = { ...fontOf(letters), size: 20, weight: "600", fill: scene.tint("text") };
  scene.addWords(letters.dataset.n, place.x + place.width / 2, place.bottom + 18, { ...font, anchor: "middle" });
}
