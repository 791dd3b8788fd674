// What the address of a page says of what is open; mostly without another step for the browser's Back button.
// @ts-check

/**
 * Note in the address what is presented, so that a reload shows it again; "" if nothing is any more.
 * @param {string} what
 * @param {boolean} [showsNotes] whether this is the speaker's window
 */
export function keepInAddress(what, showsNotes = false) {
  noteInAddress("present", what);
  noteInAddress("notes", what && showsNotes ? "1" : "");
}

/**
 * Note a parameter in the address; "" takes it away.
 * @param {string} name
 * @param {string} value
 * @param {boolean} [isStep] whether the browser's Back leads to the address before
 */
export function noteInAddress(name, value, isStep = false) {
  if (!location.host) return; // a file has no address to share
  const address = new URL(location.href);
  if (value) address.searchParams.set(name, value);
  else address.searchParams.delete(name);
  if (address.href === location.href) return;
  // `history` itself lets no change of a page's parameters be a step, for Streamlit makes many: see `frame`.
  if (isStep) History.prototype.pushState.call(history, history.state, "", address);
  else history.replaceState(history.state, "", address);
}
