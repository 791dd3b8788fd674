// The rail beside the text: it shows where in the whole text two lanes differ, and a click goes there.
// @ts-check

import { make } from "../elements.js";

/** @import { ViewState } from "../state.js" */
/** @import { Model, Numbers } from "../types.d.ts" */

const WIDTH = 8; // pixels

export class Rail {
  /**
   * @param {ViewState} state
   * @param {(unit: number) => void} goTo
   */
  constructor(state, goTo) {
    this.state = state;
    this.element = make("canvas", "rail");
    this.element.setAttribute("aria-hidden", "true");
    this.element.addEventListener("click", ({ offsetY }) => {
      goTo(Math.floor((offsetY / this.element.height) * state.model.text.length));
    });
  }

  /** A rail is of use for a text that scrolls. */
  draw() {
    const { model, differences, scroller, root } = this.state;
    this.element.hidden = !this.isOfUse();
    if (this.element.hidden) return;
    const height = scroller.clientHeight;
    const shares = sharesByPixel(model, differences, height);
    [this.element.width, this.element.height] = [WIDTH, height];
    this.element.style.height = `${height}px`;
    const pen = this.element.getContext("2d");
    if (!pen) return;
    pen.fillStyle = getComputedStyle(root).getPropertyValue("--differ");
    shares.forEach((share, y) => {
      if (!share) return;
      pen.globalAlpha = 0.15 + 0.85 * Math.min(1, share);
      pen.fillRect(0, y, WIDTH, 1);
    });
  }

  isOfUse() {
    const { model, differences, scroller } = this.state;
    const scrolls = scroller.scrollHeight > scroller.clientHeight + 4;
    return scrolls && model.whole && model.options.toolbar === "full" && differences.starts.length > 0;
  }
}

/**
 * For each pixel of the rail the share of its text that differs.
 * @param {Model} model
 * @param {{ starts: Numbers, ends: Numbers }} differences
 * @param {number} height
 */
function sharesByPixel({ text }, { starts, ends }, height) {
  const shares = new Float32Array(height);
  const scale = height / text.length;
  for (let i = 0; i < starts.length; i++) {
    for (let at = starts[i] * scale; at < ends[i] * scale; ) {
      const next = Math.min(Math.floor(at) + 1, ends[i] * scale);
      shares[Math.min(height - 1, Math.floor(at))] += next - at;
      at = next;
    }
  }
  return shares;
}
