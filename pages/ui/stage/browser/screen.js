// What the stage and the deck ask of the screen.
// @ts-check

/**
 * Whether the background of an element is dark, whatever theme made it so.
 * @param {Element} element
 */
export function isDark(element) {
  const colour = getComputedStyle(element).backgroundColor.match(/[\d.]+/g);
  const [red, green, blue] = colour?.map(Number) ?? [255, 255, 255];
  return red * 0.3 + green * 0.59 + blue * 0.11 < 128;
}

/**
 * Whether this tab has shown a stage of this name before; notes that it does now. A browser may keep no notes.
 * @param {string} name
 */
export function isShownAgain(name) {
  try {
    const isKnown = sessionStorage.getItem(`stage ${name}`) !== null;
    sessionStorage.setItem(`stage ${name}`, "shown");
    return isKnown;
  } catch {
    return false;
  }
}

/**
 * Fill the screen with an element, or leave the full screen.
 * @param {Element} element
 */
export function toggleFullScreen(element) {
  if (document.fullscreenElement) document.exitFullscreen();
  else element.requestFullscreen?.();
}

/**
 * Words without the marks that say where Thai lines may break, for names that are read aloud or saved.
 * @param {string} words
 */
export function plainWords(words) {
  return words.replace(/[\u200b\u2060]/g, "");
}
