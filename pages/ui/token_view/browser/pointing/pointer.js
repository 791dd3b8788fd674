// The pointer in the text: the box under it is lit, and a click opens the box in the inspector.
// @ts-check

/** @import { Cursor } from "./cursor.js" */
/** @import { Inspector } from "./inspector.js" */
/** @import { Light } from "./light.js" */
/** @import { ViewState } from "../state.js" */
/** @import { BoxElement } from "../types.d.ts" */

/**
 * @param {ViewState} state
 * @param {{ cursor: Cursor, light: Light, inspector: Inspector }} parts
 */
export function listenToPointer({ scroller, ended }, { cursor, light, inspector }) {
  const { signal } = ended;
  scroller.addEventListener("pointerover", (event) => {
    const { element, lane, box } = boxAt(event);
    if (element && lane && box && element !== light.hot?.element) light.turnOn(lane, box, element);
  });
  scroller.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch" && !cursor.hasFocus) light.turnOff();
  });
  scroller.addEventListener("click", (event) => {
    const { element, lane, box } = boxAt(event);
    const isSelecting = getSelection()?.isCollapsed === false;
    if (!lane || !box || box.kind === "note" || isSelecting) return;
    cursor.standAt(lane, box); // where the keyboard goes when the inspector is closed
    inspector.pin(lane, box, element);
  });
  const turnOffOutside = (/** @type {PointerEvent} */ event) => {
    if (!event.composedPath().includes(scroller)) light.turnOff();
  };
  document.addEventListener("pointerdown", turnOffOutside, { signal });
  const moveCard = () => light.hot && requestAnimationFrame(() => light.place());
  scroller.addEventListener("scroll", moveCard, { passive: true });
  document.addEventListener("scroll", moveCard, { signal, capture: true, passive: true });
}

/**
 * The box under a pointer.
 * @param {Event} event
 */
function boxAt({ target }) {
  const element = target instanceof Element ? /** @type {BoxElement | null} */ (target.closest(".p")) : null;
  return { element, lane: element?.lane, box: element?.box };
}
