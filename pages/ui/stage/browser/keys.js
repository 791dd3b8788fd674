// The keys of the stage: P plays and pauses, S learns one merge, E runs to the end; a remote has page keys.
// @ts-check

/** @import { Stage } from "./stage.js" */

const TYPING = "input:not([type=range]), textarea, select, [contenteditable]";

/**
 * @param {Stage} stage
 * @param {AbortSignal} signal
 */
export function listenToKeys(stage, signal) {
  document.addEventListener("keydown", (event) => press(stage, event), { signal });
}

/**
 * @param {Stage} stage
 * @param {KeyboardEvent} event
 */
function press(stage, event) {
  const target = event.composedPath()[0];
  if (target instanceof HTMLElement && target.matches(TYPING)) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isRemote = stage.isFull && !stage.options.presents; // a deck has the page keys for itself
  const key = event.key.toLowerCase();
  if (key === "p") stage.toggle();
  else if (key === "s") stage.forward();
  else if (key === "e") stage.toTheEnd();
  else if (key === "pageup" && isRemote) stage.press("back");
  else if (key === "pagedown" && isRemote) stage.forward();
  else return;
  event.preventDefault();
}
