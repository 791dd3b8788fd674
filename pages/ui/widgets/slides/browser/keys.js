// The keys of a presentation: the list of those that do something.
// @ts-check

import { make } from "../../token_view/browser/elements.js";

/** @import { Label } from "../../token_view/browser/types.d.ts" */
/** @import { Slide } from "./types.d.ts" */

/**
 * What the keys find on a slide at this moment.
 * @typedef {object} KeyPlace
 * @property {boolean} isAlone whether there is no other slide
 * @property {boolean} isShown whether nothing is kept back: an answer, a merge of a vote, the rest of a bill
 * @property {boolean} isFilm whether the keys that lead on are the film's until its end
 * @property {"held" | "plays" | "over" | ""} film what a film does; "" without one
 * @property {boolean} isFirst
 * @property {boolean} isLast
 * @property {boolean} [goesOn] whether the app has something to show after the last one: a training that is started then
 */

/**
 * The labels of the keys that do something on a slide now, each key once.
 * @param {Pick<Slide, "kind">} slide
 * @param {KeyPlace} place
 */
export function keysOf({ kind }, place) {
  return [
    ...keysAlong(kind, place),
    ...(place.isAlone || place.isFilm ? [] : ["key_ends"]),
    ...["key_black", "key_timer", "key_full", "key_code"],
    ...(kind === "vote" && !place.isShown ? ["key_vote"] : []),
    ...["key_leave", "key_list"],
  ];
}

/**
 * The keys that lead on and back.
 * @param {Slide["kind"]} kind
 * @param {KeyPlace} place
 */
function keysAlong(kind, { isShown, isFilm, film, isFirst, isLast, goesOn }) {
  const back = isFirst ? [] : ["key_back"];
  const onward = isLast ? [] : ["key_onward"];
  if (kind === "vote") return [...(isShown ? onward : ["key_join", "key_hands"]), isFirst ? "key_undo" : "key_undo_back"];
  if (film === "held") return ["key_start", ...back, "key_film", "key_film_end"];
  if (film === "plays") return [...(isFilm ? ["key_steps"] : ["key_to_end", ...back]), "key_play", "key_film", "key_film_end"];
  if (film === "over") return [...onward, ...(isFirst ? ["key_step_back"] : back), isLast ? "key_again" : "key_replay"];
  if (!isShown) return [kind === "ask" ? "key_answer" : "key_rest", ...back];
  if (isLast) return goesOn ? ["key_train", ...back] : back;
  return ["key_move", "key_next"];
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
 * While the list covers the screen, a key closes it and does nothing else: nobody sees what moves behind it.
 * @param {HTMLElement} list
 * @param {AbortSignal} signal
 */
export function closeByAnyKey(list, signal) {
  const close = (/** @type {KeyboardEvent} */ event) => {
    if (list.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    list.hidden = true;
    event.stopImmediatePropagation();
    if (!/^F\d/.test(event.key)) event.preventDefault(); // F5 and F11 are the browser's
  };
  document.addEventListener("keydown", close, { signal, capture: true }); // before a film, or a token that has the focus
}

/**
 * @param {string[]} keys
 * @param {Label} label
 */
export function keyLines(keys, label) {
  return keys.map((key) => make("p", "", label(key)));
}
