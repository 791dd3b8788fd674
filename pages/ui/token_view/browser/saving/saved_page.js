// The view with its payload as one HTML file, which works without this app.
// @ts-check

import { asOptions } from "../choices.js";
import { embeddedLooped } from "../model/looped.js";

/** @import { Choice, Model } from "../types.d.ts" */

const CHUNK = 0x6000; // a multiple of three, so that parts in Base64 join without a seam

/**
 * The page that page.html outlines, with payload and choices in it.
 * @param {Model} model
 * @param {Choice} choice
 * @param {string} address
 */
export async function savedPage({ options, payload, labels, locale, hasThai }, choice, address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(String(answer.status));
  const given = asOptions(choice);
  const faces = choice.looped && hasThai ? await embeddedLooped(options.faces) : {};
  const kept = { ...options, key: "page", ...given, toolbar: "full", link: null, page: null, whole: null, faces };
  /** @type {Record<string, string>} */
  const values = {
    PAYLOAD: base64(payload),
    OPTIONS: JSON.stringify(kept).replaceAll("<", "\\u003c"),
    TITLE: labels.text_title,
    LANGUAGE: locale,
  };
  return (await answer.text()).replace(/%(PAYLOAD|OPTIONS|TITLE|LANGUAGE)%/g, (_, name) => values[name]);
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let words = "";
  for (let i = 0; i < bytes.length; i += CHUNK) {
    words += btoa(String.fromCharCode(...bytes.subarray(i, i + CHUNK)));
  }
  return words;
}
