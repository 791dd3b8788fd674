// What stands behind something that fills the screen: no key and no finger reaches it.
// @ts-check

const UNSEEN_TAGS = "style, script, link, template";

/**
 * Make all of the page inert but this element, and what comes to it later too, until the function returned is called.
 * @param {Element} element
 */
export function shutBehind(element) {
  /** @type {Set<HTMLElement>} */
  const shut = new Set();
  const look = () => {
    const behind = standingBehind(element);
    for (const each of [...shut].filter((each) => !behind.has(each))) {
      shut.delete(each);
      each.inert = false;
    }
    for (const each of behind) {
      if (each.inert) continue;
      each.inert = true;
      shut.add(each);
    }
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true });
  look();
  return () => {
    watch.disconnect();
    for (const each of shut) each.inert = false;
  };
}

/**
 * The neighbours of an element, and of all that it stands in.
 * @param {Element} element
 */
function standingBehind(element) {
  /** @type {Set<HTMLElement>} */
  const behind = new Set();
  /** @type {Element | null} */
  let node = element;
  while (node && node !== document.body) {
    /** @type {ParentNode | null} */
    const parentNode = node.parentNode;
    for (const each of parentNode?.children ?? []) {
      if (each !== node && each instanceof HTMLElement && !each.matches(UNSEEN_TAGS)) behind.add(each);
    }
    node = parentNode instanceof ShadowRoot ? parentNode.host : node.parentElement;
  }
  return behind;
}
