// The page that a visitor saves: shows the payload that stands in it, without this app.
// @ts-check

import showTokenView from "./view.js";

/** @param {string} id */
function contentOf(id) {
  return document.getElementById(id)?.textContent ?? "";
}

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
  const shadow = document.getElementById("place")?.attachShadow({ mode: "open" });
  if (!shadow) return;
  const style = document.createElement("style");
  style.textContent = JSON.parse(contentOf("style"));
  shadow.append(style);
  showTokenView({ data: withOptions(contentOf("options"), contentOf("payload")), parentElement: shadow });
}

showPage();
