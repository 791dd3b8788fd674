// The keys of a presentation: the list of those that do something.
// @ts-check

import { make } from "../../token_view/browser/elements.js";

/** @import { Label } from "../../token_view/browser/types.d.ts" */
/** @import { Slide } from "./types.d.ts" */

/**
 * The labels of the keys that do something while these slides are presented.
 * @param {Pick<Slide, "kind" | "over" | "title" | "says">[]} slides
 */
export function keysOf(slides) {
  const has = (/** @type {Slide["kind"]} */ kind) => slides.some((slide) => slide.kind === kind);
  const isOne = slides.length === 1;
  const saidTwice = slides.some((slide) => [slide.over, slide.title, slide.says].some((said) => Object.keys(said).length > 1));
  return [
    ...(isOne ? [] : ["key_move", "key_next", "key_ends"]),
    ...(isOne && has("stage") ? ["key_steps"] : []),
    ...(isOne && has("vote") ? ["key_join"] : []),
    ...(has("stage") ? ["key_play", "key_film"] : []),
    ...["key_black", "key_timer"],
    ...(saidTwice ? ["key_captions"] : []),
    ...["key_full", "key_code"],
    ...(has("vote") ? ["key_vote"] : []),
    ...["key_leave", "key_list"],
  ];
}

/**
 * A list of keys, a line each; it is hidden until somebody asks for it.
 * @param {string[]} keys
 * @param {Label} label
 */
export function keyList(keys, label) {
  const list = make("div", "deck-keys");
  list.append(...keys.map((key) => make("p", "", label(key))));
  list.hidden = true;
  return list;
}
