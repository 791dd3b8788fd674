// The page that a visitor saves: shows the payload that stands in it, without this app.
// @ts-check

import { contentOf, styledPlace } from "./saving/saved_page.js";
import showTokenView from "./view.js";

/** The payload with its options before it, as Streamlit gives it. */
function pageData() {
  const options = new TextEncoder().encode(contentOf("options"));
  const payload = Uint8Array.from(atob(contentOf("payload")), (letter) => letter.charCodeAt(0));
  const data = new Uint8Array(4 + options.length + payload.length);
  new DataView(data.buffer).setUint32(0, options.length, true);
  data.set(options, 4);
  data.set(payload, 4 + options.length);
  return data;
}

showTokenView({ data: pageData(), parentElement: styledPlace() });
