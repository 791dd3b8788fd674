// The link that shows this view again. Nothing is sent when it is made; a browser sends it when somebody opens it.
// @ts-check

/** @import { Choice, Link, Model } from "../types.d.ts" */

const MAX_LINK_TEXT = 1500; // characters of a text in a link that every program passes on whole

/**
 * The address, and whether the text is in it.
 * @param {Model} model
 * @param {Choice} choice
 * @param {Link} link
 */
export function linkTo(model, choice, link) {
  const words = new URLSearchParams(link.parameters);
  const withText = [...model.text].length <= MAX_LINK_TEXT && link.text;
  if (withText) words.set("text", model.text);
  words.set("view", choice.view);
  words.set("colour", choice.colour);
  if (choice.whiteSpace) words.set("white_space", "1");
  if (choice.looped && model.hasThai) words.set("looped", "1");
  return { address: `${location.origin}${location.pathname}?${words}`, withText };
}
