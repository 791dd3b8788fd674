// The lessons as a file of their own, which runs without the app.
// @ts-check

import { contentOf, styledPlace } from "../../widgets/token_view/browser/saving/saved_page.js";
import showLearn from "./learn.js";

showLearn({ data: new TextEncoder().encode(contentOf("options")), parentElement: styledPlace(), setTriggerValue: () => {} });
