// How the rows of a payload, each about a line of text, are put together for the width and the view.
// @ts-check

/** @import { ViewState } from "../state.js" */

/**
 * Where rows start, and where the last one ends. The lanes of a row must be in sight together: a row is some lines
 * of the staff, a paragraph in columns, and a line or two where lanes stand one under another.
 * @param {ViewState} state
 */
export function rowStarts(state) {
  const { rows, text } = state.model;
  if (isOneRow(state)) return [0, text.length];
  const wanted = unitsWanted(state);
  const starts = [0];
  let start = 0;
  for (const next of rows.slice(1, -1)) {
    const size = next - start;
    const isLine = text[next - 1] === "\n";
    if (size < wanted && !(isLine && size >= wanted / 2)) continue;
    starts.push(next);
    start = next;
  }
  return [...starts, text.length];
}

/** @param {ViewState} state */
function isOneRow(state) {
  const { fine, lanes } = state.model;
  // To ask whether it is narrow costs a layout: the rest comes first.
  return fine && (state.isStaff || lanes.length === 1 || state.isSmallText || !state.isNarrow);
}

/** @param {ViewState} state */
function unitsWanted({ isStaff, isNarrow, isChips }) {
  if (isStaff) return isNarrow ? 120 : 200;
  return isNarrow && !isChips ? 64 : 160;
}
