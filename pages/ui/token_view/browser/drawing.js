// Part 3: boxes made into elements. All text goes through textContent: nothing of a text is ever parsed as HTML.

import { JOINING, MARK, RIGHT_TO_LEFT, UNSEEN, WHITE, glyphOf } from "./characters.js";
import { MAX_LETTERS } from "./model.js";
import { partsOf } from "./utf8.js";

const OVERLAYS = { " ": "·", "\t": "→", "\u00a0": "⍽" };

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// Text with names for what nobody sees. The characters themselves stay, so that a copy is the original.
export function addText(element, text, whiteSpace) {
  let plain = "";
  const flush = () => {
    if (plain) element.append(plain);
    plain = "";
  };
  for (const character of text) {
    const white = whiteSpace && WHITE.test(character);
    if (!white && !UNSEEN.test(character)) {
      plain += character;
      continue;
    }
    flush();
    const named = make("i", white ? "g over" : "g", character);
    named.dataset.g = (white && OVERLAYS[character]) || (white ? "·" : glyphOf(character));
    element.append(named);
  }
  flush();
}

// A cluster without end is cut for the eye, and says so: by its text alone, so that all lanes break alike.
export function fillReading(element, { text, endless }, model, whiteSpace) {
  const shown = endless ? text.slice(0, MAX_LETTERS) : text;
  element.replaceChildren();
  if (UNSEEN.test(shown) || (whiteSpace && WHITE.test(shown))) addText(element, shown, whiteSpace);
  else element.textContent = shown;
  if (endless) element.dataset.more = model.label("more_characters", { count: text.length - shown.length });
  else delete element.dataset.more;
}

export function readingClass(box, marks) {
  const classes = ["p"];
  if (box.starts) classes.push("s");
  if (box.ends) classes.push("e");
  if (box.count > 1) classes.push("n");
  if (marks && box.differs) classes.push("d");
  if (box.outline) classes.push(box.outline);
  if (RIGHT_TO_LEFT.test(box.text)) classes.push("rtl");
  if (MARK.test(box.text)) classes.push("lone");
  const worst = box.stripes.reduce((level, [tint]) => Math.max(level, tint[0] === "b" ? Number(tint[1]) : 0), 0);
  if (worst) classes.push(`cut${worst}`);
  return classes.join(" ");
}

// One flat tint, or a stripe for each token, as wide as its share of the bytes, with a hairline between.
export function tintStyle(box) {
  const { stripes } = box;
  if (stripes.length === 1) return `background-color: var(--${stripes[0][0]})`;
  const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
  let at = 0;
  // Many stripes leave no room for lines between them; the count beside the cluster tells them then.
  const alike = stripes.some(([tint], index) => index && tint === stripes[index - 1][0]); // by branch they may be
  const half = stripes.length > 8 ? 0 : stripes.length > 4 ? 0.4 : alike ? 1.25 : 0.75;
  const stops = stripes.flatMap(([tint, size], index) => {
    const from = `${((100 * at) / whole).toFixed(2)}%`;
    at += size;
    const to = `${((100 * at) / whole).toFixed(2)}%`;
    const line = index && half ? [`var(--gap) ${from} calc(${from} + ${half}px)`] : [];
    const end = index < stripes.length - 1 && half ? [`var(--gap) calc(${to} - ${half}px) ${to}`] : [];
    return [...line, `var(--${tint}) ${line.length ? `calc(${from} + ${half}px)` : from} ${end.length ? `calc(${to} - ${half}px)` : to}`, ...end];
  });
  const side = RIGHT_TO_LEFT.test(box.text) ? "left" : "right";
  return `background-color: var(--${stripes[0][0]}); background-image: linear-gradient(to ${side}, ${stops.join(", ")})`;
}

export function fillChip(element, bytes) {
  const parts = partsOf(bytes);
  element.replaceChildren();
  element.classList.toggle("raw", parts.every((part) => part.hex));
  for (const part of parts) {
    if (part.hex) element.append(make("span", "x", part.hex));
    else addNamed(element, part.text);
  }
}

// Text of a token that stands alone: every space has a glyph, and a mark stands on a dotted circle.
function addNamed(element, text) {
  let plain = "";
  let bare = true; // nothing visible before: a joiner here needs its name
  const flush = () => {
    if (plain) element.append(make("span", "w", MARK.test(plain) ? "\u25cc" + plain : plain));
    plain = "";
  };
  for (const character of text) {
    const named = UNSEEN.test(character) || WHITE.test(character) || (bare && JOINING.test(character));
    if (named) {
      flush();
      element.append(make("i", "glyph", glyphOf(character)));
    } else plain += character;
    bare = named;
  }
  flush();
}

// A token as a chip of its own, outside the text.
export function tokenChip(lane, token, most = 48) {
  const chip = make("span", "p");
  chip.style.backgroundColor = `var(--${lane.tintOf(token)})`;
  fillChip(chip, lane.bytesOf(token).subarray(0, most));
  return chip;
}
