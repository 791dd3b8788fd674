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
 * Whether a popover is open.
 * @param {Element} element
 */
export function isOpen(element) {
  return element.matches(":popover-open");
}
