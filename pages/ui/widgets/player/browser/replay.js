// The page that a visitor saves: plays the training that stands in it, without this app.
// @ts-check

import { contentOf, styledPlace } from "../../token_view/browser/saving/saved_page.js";
import { Stage } from "./stage.js";

new Stage(styledPlace(), JSON.parse(contentOf("options"))).dress();
