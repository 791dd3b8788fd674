// Pages that visitors save: they work without this app.
// @ts-check

/**
 * The page that an outline makes with these values for its marks.
 * @param {string} address of the outline
 * @param {Record<string, string>} values
 */
export async function filledPage(address, values) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.text()).replace(/%([A-Z]+)%/g, (mark, name) => values[name] ?? mark);
}

/**
 * JSON that can stand in a script of a page.
 * @param {unknown} value
 */
export function scriptJson(value) {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
export function dataAddress(blob) {
  const reader = new FileReader();
  reader.readAsDataURL(blob);
  return new Promise((done, fail) => {
    reader.onload = () => done(String(reader.result));
    reader.onerror = fail;
  });
}

// ---- in the page

/** @param {string} id */
export function contentOf(id) {
  return document.getElementById(id)?.textContent ?? "";
}

/** The place of the view, with its styles. */
export function styledPlace() {
  const shadow = /** @type {HTMLElement} */ (document.getElementById("place")).attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = JSON.parse(contentOf("style"));
  shadow.append(style);
  return shadow;
}
