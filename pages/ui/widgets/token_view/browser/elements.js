// Makes elements of the page. All text goes through textContent, so that no text is ever parsed as HTML.
// @ts-check

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
export function makeSvg(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * All elements around one, from within to without, also beyond the roots of shadows.
 * @param {Element} element
 */
export function ancestorsOf(element) {
  const found = [];
  /** @type {Element | null} */
  let each = element;
  while ((each = each.parentElement ?? /** @type {ShadowRoot} */ (each.getRootNode()).host ?? null)) found.push(each);
  return found;
}

/**
 * A button at the end of an element.
 * @param {Element} parent
 * @param {string} text
 * @param {() => unknown} onclick
 */
export function addButton(parent, text, onclick) {
  const button = make("button", "", text);
  button.type = "button";
  button.onclick = onclick;
  parent.append(button);
  return button;
}

/**
 * Whether the background of an element is dark, whatever theme made it so.
 * @param {Element} element
 */
export function isDark(element) {
  const colour = getComputedStyle(element).backgroundColor.match(/[\d.]+/g);
  const [red, green, blue] = colour?.map(Number) ?? [255, 255, 255];
  return red * 0.3 + green * 0.59 + blue * 0.11 < 128;
}

/** @param {Element} element */
export function toggleFullScreen(element) {
  if (document.fullscreenElement) document.exitFullscreen();
  else element.requestFullscreen?.();
}

/**
 * What scrolls an element in the page.
 * @param {Element} element
 */
export function scrollerOf(element) {
  for (let at = parentOf(element); at; at = parentOf(at)) {
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** @param {Element} element */
function parentOf(element) {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}
