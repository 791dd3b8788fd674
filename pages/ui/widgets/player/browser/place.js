// Where a film is, from the page to the room and back: whoever shows it next goes on from there.
// @ts-check

/** @import { Stage } from "./stage.js" */
/** @import { FilmPlace } from "./types.d.ts" */

const ASKS = "film-place"; // the event with which a stage asks another one that shows the same film

/**
 * Tell the next stage of the same film where it is; after that, this one has nothing more to say.
 * @param {Stage} stage
 * @param {AbortSignal} signal
 */
export function answerWhere(stage, signal) {
  document.addEventListener(ASKS, (event) => {
    const { detail } = /** @type {CustomEvent<{ name: string, by: Stage, place: FilmPlace | null }>} */ (event);
    if (detail.by === stage || detail.name !== stage.options.name) return;
    detail.place = placeOf(stage);
    stage.isFollowed = true;
  }, { signal });
}

/**
 * Where the film is in the room, for the page, or on the page, for the room; null where it has not begun, or has ended.
 * @param {Stage} stage
 * @returns {FilmPlace | null}
 */
export function takePlace(stage) {
  const { name, presents } = stage.options;
  const detail = { name, by: stage, place: null };
  document.dispatchEvent(new CustomEvent(ASKS, { detail }));
  const noted = takeNote(name, !presents);
  return detail.place ?? noted;
}

/**
 * Note where a film is that is no longer shown here. A browser may keep no notes.
 * @param {Stage} stage
 */
export function notePlace(stage) {
  const place = stage.isFollowed ? null : placeOf(stage);
  if (!place) return;
  try {
    sessionStorage.setItem(noteOf(stage.options.name, Boolean(stage.options.presents)), JSON.stringify(place));
  } catch { /* nothing is noted */ }
}

/**
 * @param {string} name
 * @param {boolean} presents
 * @returns {FilmPlace | null}
 */
function takeNote(name, presents) {
  const note = noteOf(name, presents);
  try {
    const noted = JSON.parse(sessionStorage.getItem(note) ?? "null");
    sessionStorage.removeItem(note);
    return noted;
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {boolean} presents
 */
function noteOf(name, presents) {
  return `film ${presents ? "room" : "page"} ${name}`;
}

/**
 * @param {Stage} stage
 * @returns {FilmPlace | null}
 */
function placeOf({ player, learned, bar, options, isAtEnd, isPaceTouched }) {
  if (!learned.total || options.saved || isAtEnd) return null;
  const { position, isLive, isPlaying, isHeld, hurries, seconds, stayed } = player;
  return { position, isLive, isPlaying, isHeld, hurries, seconds, stayed, pace: isPaceTouched ? bar.pace.value : "" };
}
