// Opens the payload that payload.py packed: a header, and the arrays that it points to.
// @ts-check

/** @import { Options, PayloadHeader, ReadArray } from "../types.d.ts" */

/**
 * The options, the payload as bytes, its header, and how to read its arrays.
 * @param {Uint8Array<ArrayBuffer>} data a payload with the options before it, or without where they are given
 * @param {Options} [given]
 */
export function openPayload(data, given) {
  let at = 0;
  const json = () => {
    const size = new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0, true);
    at += 4 + size;
    return JSON.parse(new TextDecoder().decode(data.subarray(at - size, at)));
  };
  /** @type {Options} */
  const options = given ?? json();
  const payload = data.subarray(at);
  /** @type {PayloadHeader} */
  const header = json();
  return { options, payload, header, read: arrayReader(data, at) };
}

/**
 * Reads arrays where they lie; where numbers must not start there, from a copy.
 * @param {Uint8Array<ArrayBuffer>} data
 * @param {number} at
 * @returns {ReadArray}
 */
function arrayReader(data, at) {
  const place = data.byteOffset + at;
  const [buffer, start] = place % 4 ? [data.slice(at).buffer, 0] : [data.buffer, place];
  return ([offset, length, width]) => new KINDS[width](buffer, start + offset, length);
}

const KINDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };
