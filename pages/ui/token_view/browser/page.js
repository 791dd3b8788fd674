// The page that a visitor saves: shows the payload that stands in it, without this app.
// @ts-check

import { contentOf, styledPlace } from "./alone.js";
import showTokenView from "./view.js";

/**
 * A payload with its options before it, as Streamlit hands it over.
 * @param {string} options as JSON
 * @param {string} payload in Base64
 */
function withOptions(options, payload) {
  const words = new TextEncoder().encode(options);
  const body = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
  const data = new Uint8Array(4 + words.length + body.length);
  new DataView(data.buffer).setUint32(0, words.length, true);
  data.set(words, 4);
  data.set(body, 4 + words.length);
  return data;
}

function showPage() {
  const place = styledPlace();
  if (place) showTokenView({ data: withOptions(contentOf("options"), contentOf("payload")), parentElement: place });
}

showPage();
