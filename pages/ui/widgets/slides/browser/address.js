// The address of what is presented, without another step for the browser's Back button.
// @ts-check

/**
 * Note in the address what is presented, so that a reload shows it again; "" if nothing is any more.
 * @param {string} what
 * @param {boolean} [showsNotes] whether this is the speaker's window
 */
export function keepInAddress(what, showsNotes = false) {
  if (!location.host) return; // a file has no address to share
  const address = new URL(location.href);
  const { searchParams } = address;
  if (what) searchParams.set("present", what);
  else searchParams.delete("present");
  if (what && showsNotes) searchParams.set("notes", "1");
  else searchParams.delete("notes");
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}
