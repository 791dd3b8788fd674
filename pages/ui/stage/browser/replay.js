// The page that a visitor saves: plays the training that stands in it, without this app.
// @ts-check

import { contentOf, styledPlace } from "../../token_view/browser/alone.js";
import { Stage } from "./stage.js";

function showReplay() {
  const place = styledPlace();
  if (place) new Stage(place, JSON.parse(contentOf("options"))).dress();
}

showReplay();
