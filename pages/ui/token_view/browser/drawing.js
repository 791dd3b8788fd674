// Part 3: pieces made into elements. All text goes through textContent: nothing of a text is ever parsed as HTML.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/;
// Characters that nobody sees, and bytes that are no character: shown by name in every view.
const UNSEEN =
  /[\u0000-\u0008\n-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ud800-\udfff]/u;
const WHITE = /[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;
// Unseen parts of a cluster, such as the joiners of emoji: named only where a token starts with one.
const JOINING = /[\u034f\u200c\u200d\ufe00-\ufe0f\u{e0001}-\u{e007f}\u{e0100}-\u{e01ef}]/u;
const MARK = /^[\p{M}\u0e33\u0eb3]/u;
const LONE_MARK = /(?:^|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}])[\p{M}\u0e33\u0eb3]/u;
// The open box for a space: the letters of ␠ are too small to read in any of the fonts.
const GLYPHS = { " ": "␣", "\n": "⏎", "\t": "⇥" };
const OVERLAYS = { " ": "·", "\t": "→", "\u00a0": "⍽" };

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function codeOf(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

function glyphOf(character) {
  const broken = brokenByte(character);
  return GLYPHS[character] ?? (broken === null ? codeOf(character) : hexOf([broken]));
}

// Text with names for what nobody sees. The characters themselves stay, so that a copy is the original.
function addText(element, text, whiteSpace) {
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
function fillReading(element, { text, endless }, model, whiteSpace) {
  const shown = endless ? text.slice(0, MAX_LETTERS) : text;
  element.replaceChildren();
  if (UNSEEN.test(shown) || (whiteSpace && WHITE.test(shown))) addText(element, shown, whiteSpace);
  else element.textContent = shown;
  if (endless) element.dataset.more = model.label("more_characters", { count: text.length - shown.length });
  else delete element.dataset.more;
}

function readingClass(piece, marks) {
  const classes = ["p"];
  if (piece.starts) classes.push("s");
  if (piece.ends) classes.push("e");
  if (piece.count > 1) classes.push("n");
  if (marks && piece.differs) classes.push("d");
  if (piece.outline) classes.push(piece.outline);
  if (RIGHT_TO_LEFT.test(piece.text)) classes.push("rtl");
  if (MARK.test(piece.text)) classes.push("lone");
  const worst = piece.stripes.reduce((level, [tint]) => Math.max(level, tint[0] === "b" ? Number(tint[1]) : 0), 0);
  if (worst) classes.push(`cut${worst}`);
  return classes.join(" ");
}

// One flat tint, or a stripe for each token, as wide as its share of the bytes, with a hairline between.
function tintStyle(piece) {
  const { stripes } = piece;
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
  const side = RIGHT_TO_LEFT.test(piece.text) ? "left" : "right";
  return `background-color: var(--${stripes[0][0]}); background-image: linear-gradient(to ${side}, ${stops.join(", ")})`;
}

function fillChip(element, bytes) {
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

// What a piece is called where it is spoken or headed: names instead of what nobody hears.
function spoken(text) {
  let said = "";
  for (const character of text.slice(0, 80)) said += UNSEEN.test(character) || WHITE.test(character) ? glyphOf(character) : character;
  return MARK.test(said) ? "\u25cc" + said : said;
}

// A token as a chip of its own, outside the text.
function tokenChip(lane, token, most = 48) {
  const chip = make("span", "p");
  chip.style.backgroundColor = `var(--${lane.tintOf(token)})`;
  fillChip(chip, lane.bytesOf(token).subarray(0, most));
  return chip;
}
