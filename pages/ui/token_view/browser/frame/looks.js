// The looks of the view as a whole: theme, layout and type, as classes of its element.
// @ts-check

import { VIEWS } from "../state.js";

/** @import { ViewState } from "../state.js" */

/**
 * Streamlit calls again when the theme changes, so the background is measured anew.
 * @param {ViewState} state
 * @param {Element} probe an element that has the background of the page
 */
export function dress(state, probe) {
  const { options, lanes, fine } = state.model;
  const classes = {
    dark: isDark(probe),
    fine,
    large: options.large && state.isSmallText,
    largest: options.largest && state.isTinyText,
    ruled: state.isRuled,
    single: lanes.length === 1,
    looped: state.isLooped,
  };
  for (const [name, isOn] of Object.entries(classes)) state.root.classList.toggle(name, isOn);
  for (const view of VIEWS) state.root.classList.toggle(view, state.choice.view === view);
  state.root.style.setProperty("--columns", String(lanes.length || 1));
  for (const lane of lanes) {
    lane.byBranch = state.colour === "branch" && lane.takenBy !== null;
    lane.agreed = state.agreedOf(lane.index);
  }
}

/** @param {Element} probe */
function isDark(probe) {
  const colour = getComputedStyle(probe).backgroundColor.match(/[\d.]+/g);
  const [red, green, blue] = colour?.map(Number) ?? [255, 255, 255];
  return red * 0.3 + green * 0.59 + blue * 0.11 < 128;
}
