// A page that a visitor saves: what stands in it, and the place where it is shown, without this app.
// @ts-check

/** @param {string} id */
export function contentOf(id) {
  return document.getElementById(id)?.textContent ?? "";
}

/** The place of the view, with its styles; null in a page that has none. */
export function styledPlace() {
  const shadow = document.getElementById("place")?.attachShadow({ mode: "open" });
  if (!shadow) return null;
  const style = document.createElement("style");
  style.textContent = JSON.parse(contentOf("style"));
  shadow.append(style);
  return shadow;
}
