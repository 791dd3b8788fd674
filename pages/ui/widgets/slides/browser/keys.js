// The keys of a presentation: the list of those that do something.
// @ts-check

import { make } from "../../token_view/browser/elements.js";

/** @import { Label } from "../../token_view/browser/types.d.ts" */
/** @import { Slide } from "./types.d.ts" */

/** The keys that lead through a slide that is alone, or one among others. */
const ALONG = {
  stage: { alone: ["key_steps", "key_play", "key_film"], among: ["key_move", "key_enter", "key_play", "key_film"] },
  vote: { alone: ["key_join"], among: ["key_join", "key_back"] },
  other: { alone: [], among: ["key_move", "key_next"] },
};

/**
 * The labels of the keys that do something on a slide, each key once.
 * @param {Pick<Slide, "kind" | "over" | "title" | "says">} slide
 * @param {boolean} isAlone whether there is no other one
 */
export function keysOf({ kind, over, title, says }, isAlone) {
  const isSaidTwice = [over, title, says].some((said) => Object.keys(said).length > 1);
  return [
    ...ALONG[kind === "stage" || kind === "vote" ? kind : "other"][isAlone ? "alone" : "among"],
    ...(isAlone ? [] : ["key_ends"]),
    ...["key_black", "key_timer"],
    ...(isSaidTwice ? ["key_captions"] : []),
    ...["key_full", "key_code"],
    ...(kind === "vote" ? ["key_vote"] : []),
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
  list.append(...keyLines(keys, label));
  list.hidden = true;
  return list;
}

/**
 * @param {string[]} keys
 * @param {Label} label
 */
export function keyLines(keys, label) {
  return keys.map((key) => make("p", "", label(key)));
}
