// Fetches the payloads of long texts, and keeps the newest ones, so that a rerun draws them again at once.
// @ts-check

import { Model } from "./model.js";

/** @import { Options } from "../types.d.ts" */

const MAX_FETCHED = 2;
/** @type {Map<string, Model>} */
const FETCHED = new Map();

/**
 * The model that was fetched from an address, with the options that it has now.
 * @param {string} address
 * @param {Options} options
 */
export function fetchedModel(address, options) {
  const model = FETCHED.get(address);
  if (model) model.options = options;
  return model;
}

/**
 * A payload, or a sentence that says why the server has none; null where the server is gone or has forgotten the
 * text.
 * @param {string} address
 */
export async function fetchPayload(address) {
  try {
    const answer = await fetch(address);
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    return answer.status === 422 ? await answer.text() : null;
  } catch {
    return null;
  }
}

/**
 * The model of a payload that was fetched.
 * @param {string} address
 * @param {Uint8Array<ArrayBuffer>} payload
 * @param {Options} options
 */
export function keepFetched(address, payload, options) {
  const model = new Model(payload, options);
  FETCHED.set(address, model);
  const [oldest] = FETCHED.keys();
  if (FETCHED.size > MAX_FETCHED) FETCHED.delete(oldest);
  return model;
}
