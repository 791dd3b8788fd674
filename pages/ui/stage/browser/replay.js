// The page that a visitor saves: plays the training that stands in it, without this app.
// @ts-check

import { Stage } from "./stage.js";

/** @param {string} id */
function contentOf(id) {
  return document.getElementById(id)?.textContent ?? "";
}

function showReplay() {
  const shadow = document.getElementById("place")?.attachShadow({ mode: "open" });
  if (!shadow) return;
  const style = document.createElement("style");
  style.textContent = JSON.parse(contentOf("style"));
  shadow.append(style);
  new Stage(shadow, JSON.parse(contentOf("options"))).dress();
}

showReplay();
