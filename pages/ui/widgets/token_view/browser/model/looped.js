// The Thai face with looped letters, as schools teach them: fetched when somebody chooses it.
// @ts-check

import { dataAddress } from "../saving/saved_page.js";

const LOOPED_FAMILY = "Noto Sans Thai Looped";
const LOOPED_RANGE = "U+0E01-0E5B, U+25CC"; // what the files have, without Latin letters and joiners

/** @type {Promise<unknown> | null} */
let fetching = null;
let isLoaded = false;

/** Whether the letters can be drawn at once. */
export function areLoopedLoaded() {
  return isLoaded;
}

/**
 * Load the weights of the face; a second call waits for the first one.
 * @param {Record<string, string>} faces the address of each weight
 */
export async function loadLooped(faces) {
  fetching ??= Promise.all(
    Object.entries(faces).map(async ([weight, address]) => {
      const face = new FontFace(LOOPED_FAMILY, `url("${address}")`, { weight, unicodeRange: LOOPED_RANGE });
      document.fonts.add(await face.load());
    }),
  );
  try {
    await fetching;
    isLoaded = true;
  } catch (error) {
    fetching = null;
    throw error;
  }
}

/**
 * The weights as data addresses, for files that must work by themselves.
 * @param {Record<string, string>} faces
 */
export async function embeddedLooped(faces) {
  const embedded = Object.entries(faces).map(async ([weight, address]) => {
    if (address.startsWith("data:")) return [weight, address]; // a saved page may fetch nothing
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(String(answer.status));
    return [weight, await dataAddress(await answer.blob())];
  });
  return Object.fromEntries(await Promise.all(embedded));
}

/**
 * The CSS that brings the face into a picture.
 * @param {Record<string, string>} faces
 */
export async function loopedRules(faces) {
  const rules = Object.entries(await embeddedLooped(faces)).map(([weight, address]) => {
    const looks = `font-family:"${LOOPED_FAMILY}";font-weight:${weight};unicode-range:${LOOPED_RANGE}`;
    return `@font-face{${looks};src:url("${address}") format("woff2")}`;
  });
  return rules.join("");
}
