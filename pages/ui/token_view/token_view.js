// The token view in the browser. It opens what payload.py packed and draws only the rows that are near.
// All text goes through textContent: nothing of a text is ever parsed as HTML.

const INSTANCES = new WeakMap(); // one view for each place where Streamlit mounts the component
const CHOICES = new Map(); // by the view's key: what a person switched, so that it outlives a change of page

const MAX_STRIPES = 24; // tokens drawn in one cluster; the count beside it says how many there are
const MAX_LETTERS = 12; // UTF-16 units drawn of one cluster: 100,000 marks on one base would hang the browser
const MAX_CHIPS = 400; // chips drawn of one segment
const MAX_LISTED = 6; // tokens of one column in the card
const FINE = 2000; // UTF-16 units of a text that is drawn whole, cluster by cluster
const NARROW = 640; // pixels of width below which columns stand one under another, as in token_view.css
const NEAR = 500; // pixels above and below the box in which rows are drawn ahead

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/;
// Characters that nobody sees: shown by name in every view, since each may be a token.
const UNSEEN =
  /[\u0000-\u0008\n-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]/u;
const WHITE = /[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;
// Unseen parts of a cluster, such as the joiners of emoji: named only where a token starts with one.
const JOINING = /[\u034f\u200c\u200d\ufe00-\ufe0f\u{e0001}-\u{e007f}\u{e0100}-\u{e01ef}]/u;
const MARK = /^[\p{M}\u0e33\u0eb3]/u;
// The open box for a space: the letters of ␠ are too small to read in any of the fonts.
const GLYPHS = { " ": "␣", "\n": "⏎", "\t": "⇥" };
const OVERLAYS = { " ": "·", "\t": "→", "\u00a0": "⍽" };

export default function ({ data, parentElement }) {
  const view = INSTANCES.get(parentElement) ?? new TokenView(parentElement);
  INSTANCES.set(parentElement, view);
  view.update(new Model(data));
  return () => {
    view.remove();
    INSTANCES.delete(parentElement);
  };
}

// ---------------------------------------------------------------------------------------------- the payload, opened

class Model {
  constructor(data) {
    let at = 0;
    const words = () => {
      const size = new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0, true);
      at += 4 + size;
      return JSON.parse(new TextDecoder().decode(data.subarray(at - size, at)));
    };
    this.options = words();
    Object.assign(this, words());
    const arrays = data.slice(at).buffer; // a copy, so that every array may be aligned
    this.clusters = readArray(arrays, this.clusters);
    this.rows = [...readArray(arrays, this.rows), this.text.length];
    this.lanes = this.columns.map((column) => new Lane(column, arrays, this.tint_count));
    this.fine = this.text.length <= FINE; // one box for each cluster, which stays while tokens change
    this.astral = astralPlaces(this.text);
  }

  // Whether a grapheme cluster starts at this UTF-16 unit.
  startsCluster(unit) {
    return (this.clusters[unit >> 3] >> (unit & 7)) & 1;
  }

  clusterEnd(unit) {
    do unit += 1;
    while (unit < this.text.length && !this.startsCluster(unit));
    return unit;
  }

  // JavaScript counts UTF-16 units, people and Python count characters.
  charAt(unit) {
    return unit - below(this.astral, unit);
  }

  label(key, values) {
    return this.labels[key].replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? value.toLocaleString(this.locale) : value;
    });
  }
}

class Lane {
  constructor(column, arrays, tintCount) {
    const array = (name) => readArray(arrays, column[name]);
    this.column = column;
    this.tokens = array("tokens"); // the place of each token among the distinct ones
    this.ids = column.ids;
    this.bytes = array("bytes");
    const sizes = array("sizes");
    this.bytesAt = totals(sizes.length, (place) => sizes[place]);
    this.byteAt = totals(this.tokens.length, (token) => sizes[this.tokens[token]]);
    const counts = array("segment_tokens");
    const units = array("segment_units");
    this.tokenAt = totals(counts.length, (segment) => counts[segment]);
    this.unitAt = totals(units.length, (segment) => units[segment]);
    this.tints = paint(this.tokens, array("tints"), tintCount);
  }

  get segments() {
    return this.unitAt.length - 1;
  }

  segmentOfUnit(unit) {
    return Math.min(last(this.unitAt, unit), this.segments - 1);
  }

  segmentOfToken(token) {
    return Math.min(last(this.tokenAt, token), this.segments - 1);
  }

  id(token) {
    return this.ids[this.tokens[token]];
  }

  bytesOf(token) {
    const place = this.tokens[token];
    return this.bytes.subarray(this.bytesAt[place], this.bytesAt[place + 1]);
  }
}

function readArray(arrays, [offset, length, width]) {
  const part = arrays.slice(offset, offset + length * width);
  return width === 1 ? new Uint8Array(part) : width === 2 ? new Uint16Array(part) : new Uint32Array(part);
}

// Running totals, one more than there are items: where each starts, and where the last one ends.
function totals(length, size) {
  const starts = new Uint32Array(length + 1);
  for (let i = 0; i < length; i++) starts[i + 1] = starts[i] + size(i);
  return starts;
}

// The colour of each token is that of its bytes; where two neighbours would be alike, the second one steps aside.
function paint(tokens, tints, tintCount) {
  const painted = new Uint8Array(tokens.length);
  for (let i = 0; i < tokens.length; i++) {
    const tint = tints[tokens[i]];
    painted[i] = i && painted[i - 1] === tint ? (tint + 3) % tintCount : tint;
  }
  return painted;
}

function astralPlaces(text) {
  const places = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) places.push(i);
  }
  return places;
}

// How many of the ascending numbers are below a limit.
function below(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The last of the ascending numbers that is not above a limit.
function last(numbers, limit) {
  return Math.max(0, below(numbers, limit + 1) - 1);
}

function utf8Length(text) {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
  }
  return bytes;
}

// -------------------------------------------------------------------------------- what to draw of a row, as plain data

// Reading: a box for each segment; for each cluster where several tokens share a segment, or the text is short.
// from, to: the piece in UTF-16 units, whole even where the row shows a part of it.
function readingPieces(model, lane, start, end) {
  const pieces = [];
  if (!lane.segments) return pieces;
  for (let s = lane.segmentOfUnit(start); s < lane.segments && lane.unitAt[s] < end; s++) {
    const [from, to, token] = [lane.unitAt[s], lane.unitAt[s + 1], lane.tokenAt[s]];
    if (lane.tokenAt[s + 1] - token > 1 || model.fine) clusterPieces(model, lane, s, start, end, pieces);
    else {
      const [a, b] = [Math.max(from, start), Math.min(to, end)];
      pieces.push({ from, to, token, text: model.text.slice(a, b), stripes: [[lane.tints[token], 1]], starts: a === from, ends: b === to, count: 1 });
    }
  }
  return pieces;
}

// The clusters of one segment, each with a stripe for every token that has bytes in it.
function clusterPieces(model, lane, segment, start, end, pieces) {
  const [from, to] = [lane.unitAt[segment], lane.unitAt[segment + 1]];
  let token = lane.tokenAt[segment];
  let byte = lane.byteAt[token];
  for (let a = from; a < to; ) {
    const b = model.clusterEnd(a);
    const byteEnd = byte + utf8Length(model.text.slice(a, b));
    const first = token;
    const starts = lane.byteAt[first] === byte;
    const stripes = [];
    while (lane.byteAt[token + 1] < byteEnd) token += 1;
    for (let t = first; t <= token && stripes.length < MAX_STRIPES; t++)
      stripes.push([lane.tints[t], Math.min(lane.byteAt[t + 1], byteEnd) - Math.max(lane.byteAt[t], byte)]);
    const ends = lane.byteAt[token + 1] === byteEnd;
    if (a >= start && a < end)
      pieces.push({ from, to, token: lane.tokenAt[segment], text: model.text.slice(a, b), stripes, starts, ends, count: token - first + 1 });
    if (ends) token += 1;
    [a, byte] = [b, byteEnd];
  }
}

// Chips: one for each token of the segments that start in the row. from, to: the characters it has bytes of.
function chipPieces(model, lane, start, end) {
  const pieces = [];
  if (!lane.segments) return pieces;
  let s = lane.segmentOfUnit(start);
  if (lane.unitAt[s] < start) s += 1;
  for (; s < lane.segments && lane.unitAt[s] < end; s++) {
    const stop = Math.min(lane.tokenAt[s + 1], lane.tokenAt[s] + MAX_CHIPS);
    let [unit, byte] = [lane.unitAt[s], lane.byteAt[lane.tokenAt[s]]];
    for (let token = lane.tokenAt[s]; token < stop; token++) {
      let to = unit;
      let size = 0;
      while (byte < lane.byteAt[token + 1] && to < lane.unitAt[s + 1]) {
        [unit, size] = [byte <= lane.byteAt[token] ? to : unit, charUnits(model.text, to)];
        byte += utf8Length(model.text.slice(to, to + size));
        to += size;
      }
      pieces.push({ from: unit, to, token, chip: true, count: 1 });
      if (byte > lane.byteAt[token + 1]) {
        // The last character goes on in the next token, which therefore starts with it.
        byte -= utf8Length(model.text.slice(to - size, to));
        unit = to - size;
      } else unit = to;
    }
    const hidden = lane.tokenAt[s + 1] - stop;
    if (hidden) pieces.push({ from: lane.unitAt[s], to: lane.unitAt[s + 1], token: stop, note: model.label("more_tokens", { count: hidden }) });
  }
  return pieces;
}

function charUnits(text, unit) {
  return text.codePointAt(unit) > 0xffff ? 2 : 1;
}

// A token's bytes as parts: whole characters as text, what is left of torn ones as bytes.
function partsOf(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; ) {
    const size = wholeCharacter(bytes, i);
    const kind = size ? "text" : "bytes";
    if (parts.at(-1)?.kind !== kind) parts.push({ kind, start: i, end: i });
    i += size || 1;
    parts.at(-1).end = i;
  }
  return parts.map(({ kind, start, end }) => {
    const slice = bytes.subarray(start, end);
    return kind === "text" ? { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(slice) } : { hex: hexOf(slice) };
  });
}

// The length of the whole UTF-8 character at a place, or 0.
function wholeCharacter(bytes, at) {
  const lead = bytes[at];
  const size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (let i = at + 1; i < at + size; i++) if (bytes[i] >> 6 !== 2) return 0;
  return at + size <= bytes.length ? size : 0;
}

function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}

// -------------------------------------------------------------------------------------------------- making elements

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function glyphOf(character) {
  return GLYPHS[character] ?? "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
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

function fillReading(element, piece, model, whiteSpace) {
  const shown = piece.text.length > MAX_LETTERS && piece.count > 1 ? piece.text.slice(0, MAX_LETTERS) : piece.text;
  element.replaceChildren();
  if (UNSEEN.test(shown) || (whiteSpace && WHITE.test(shown))) addText(element, shown, whiteSpace);
  else element.textContent = shown;
  const hidden = piece.text.length - shown.length;
  if (hidden) element.dataset.more = "· " + model.label("more_characters", { count: hidden });
}

function readingClass(piece) {
  const classes = ["p"];
  if (piece.starts) classes.push("s");
  if (piece.ends) classes.push("e");
  if (piece.count > 1) classes.push("n");
  if (BIDI.test(piece.text)) classes.push("iso");
  if (RIGHT_TO_LEFT.test(piece.text)) classes.push("rtl");
  if (MARK.test(piece.text)) classes.push("lone");
  if (piece.count > 1 && piece.text.length > MAX_LETTERS) classes.push("more");
  return classes.join(" ");
}

// One flat tint, or a stripe for each token, as wide as its share of the bytes, with a hairline between.
function tintStyle(piece) {
  const { stripes } = piece;
  if (stripes.length === 1) return `background-color: var(--t${stripes[0][0]})`;
  const whole = stripes.reduce((sum, [, size]) => sum + size, 0);
  let at = 0;
  // Many stripes leave no room for lines between them; the count beside the cluster tells them then.
  const half = stripes.length > 8 ? 0 : stripes.length > 4 ? 0.4 : 0.75;
  const stops = stripes.flatMap(([tint, size], index) => {
    const from = `${((100 * at) / whole).toFixed(2)}%`;
    at += size;
    const to = `${((100 * at) / whole).toFixed(2)}%`;
    const line = index && half ? [`var(--gap) ${from} calc(${from} + ${half}px)`] : [];
    const end = index < stripes.length - 1 && half ? [`var(--gap) calc(${to} - ${half}px) ${to}`] : [];
    return [...line, `var(--t${tint}) ${line.length ? `calc(${from} + ${half}px)` : from} ${end.length ? `calc(${to} - ${half}px)` : to}`, ...end];
  });
  const side = RIGHT_TO_LEFT.test(piece.text) ? "left" : "right";
  return `background-color: var(--t${stripes[0][0]}); background-image: linear-gradient(to ${side}, ${stops.join(", ")})`;
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

// ------------------------------------------------------------------------------------------------------- the view

class TokenView {
  constructor(parent) {
    this.root = make("div", "token-view");
    this.bar = make("div", "bar");
    this.box = make("div", "box");
    this.heads = make("div", "heads");
    this.list = make("div", "rows");
    this.card = make("div", "card");
    this.card.id = "card";
    this.card.setAttribute("role", "tooltip");
    this.card.popover = "manual";
    this.box.tabIndex = 0;
    this.box.append(this.heads, this.list);
    this.root.append(this.bar, this.box, this.card);
    parent.append(this.root);
    this.buildBar();
    this.listen();
    this.rows = [];
    this.current = { lane: 0, piece: 0 };
  }

  remove() {
    this.near?.disconnect();
    cancelAnimationFrame(this.frame);
    this.resize.disconnect();
    this.outside.abort();
    this.root.remove();
  }

  // ---- new data

  update(model) {
    const before = this.model;
    this.model = model;
    this.choose(before?.options);
    this.dress();
    this.words();
    const kept =
      before && before.text === model.text && before.lanes.length === model.lanes.length && String(this.starts) === String(this.group()) &&
      before.options.layout === model.options.layout && before.options.max_height === model.options.max_height;
    if (kept) this.refill();
    else this.rebuild();
    this.drawHeads();
  }

  // Python gives the view to start with; what a person switched stays, until Python gives another.
  choose(before) {
    const { key, view, white_space: whiteSpace } = this.model.options;
    const same = before ? before.view === view && before.white_space === whiteSpace : CHOICES.has(key);
    if (!same) CHOICES.set(key, { view, whiteSpace });
    this.choice = CHOICES.get(key);
  }

  // Theme and layout. Streamlit calls again when the theme changes, so the background is measured anew.
  dress() {
    const { options, lanes, fine } = this.model;
    const { stack } = this;
    const [red, green, blue] = getComputedStyle(this.card).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
    const classes = { dark: red * 0.3 + green * 0.59 + blue * 0.11 < 128, stack, fine, solo: stack && fine, chips: this.chips };
    for (const [name, on] of Object.entries(classes)) this.root.classList.toggle(name, on);
    this.root.style.setProperty("--columns", lanes.length || 1);
    this.box.style.maxHeight = options.max_height ? `${options.max_height}px` : "";
    this.box.style.overflow = options.max_height ? "" : "visible";
    this.bar.hidden = !options.toolbar;
    this.bar.style.display = options.toolbar ? "" : "none";
  }

  words() {
    const { labels } = this.model;
    this.switch.setAttribute("aria-label", labels.view);
    this.readingButton.textContent = labels.reading;
    this.chipsButton.textContent = labels.chips;
    this.whiteLabel.textContent = labels.white_space;
    this.box.setAttribute("role", "group");
    this.box.setAttribute("aria-label", labels.text_view);
    this.readingButton.setAttribute("aria-pressed", String(!this.chips));
    this.chipsButton.setAttribute("aria-pressed", String(this.chips));
    this.whiteBox.checked = this.choice.whiteSpace;
  }

  get chips() {
    return this.choice.view === "chips";
  }

  // ---- bar and heads

  buildBar() {
    this.switch = make("div", "switch");
    this.switch.setAttribute("role", "group");
    this.readingButton = this.addButton("reading");
    this.chipsButton = this.addButton("chips");
    const check = make("label", "check");
    this.whiteBox = make("input");
    this.whiteBox.type = "checkbox";
    this.whiteLabel = make("span");
    check.append(this.whiteBox, this.whiteLabel);
    this.whiteBox.onchange = () => this.switchTo({ whiteSpace: this.whiteBox.checked });
    this.bar.append(this.switch, check);
  }

  addButton(view) {
    const button = make("button");
    button.type = "button";
    button.onclick = () => this.switchTo({ view });
    this.switch.append(button);
    return button;
  }

  switchTo(change) {
    const another = "view" in change && change.view !== this.choice.view;
    Object.assign(this.choice, change);
    this.dress();
    this.words();
    this.unlight();
    if (another) this.rebuild(), this.drawHeads();
    else this.refill();
  }

  // Above the columns; where each tokenizer has one lane only, around its text.
  drawHeads() {
    const { lanes } = this.model;
    const solo = this.root.classList.contains("solo") && this.rows.length;
    this.heads.replaceChildren(...(solo ? [] : lanes.map(({ column }) => this.head(column))));
    if (!solo) return;
    this.rows[0].lanes.forEach((holder, index) => {
      const { column } = lanes[index];
      const [title, , ...rest] = holder.children;
      rest.forEach((part) => part.remove());
      title.replaceChildren(...this.titles(column));
      holder.append(this.count(column), this.figures(column));
    });
  }

  head(column) {
    const head = make("div", "head");
    head.append(...this.titles(column), this.count(column), this.figures(column));
    return head;
  }

  titles(column) {
    return [make("div", "name", column.name), make("div", "caption", column.caption)];
  }

  count(column) {
    const [[count, unit]] = column.figures;
    const element = make("div", "count", count + " ");
    element.append(make("small", "", unit));
    return element;
  }

  figures(column) {
    const element = make("div", "figures");
    for (const [value, label] of column.figures.slice(1)) {
      const figure = make("span");
      figure.append(make("b", "", value), " " + label);
      element.append(figure);
    }
    element.append(make("span", "truth", column.truth));
    return element;
  }

  // ---- rows

  rebuild() {
    this.near?.disconnect();
    cancelAnimationFrame(this.frame);
    this.unlight();
    this.starts = this.group();
    this.rows = [];
    this.list.replaceChildren();
    if (!this.model.text) {
      this.list.append(make("div", "note", this.model.labels.empty));
      return;
    }
    for (let i = 0; i + 1 < this.starts.length; i++) this.rows.push(this.addRow(this.starts[i], this.starts[i + 1]));
    this.guessHeights();
    if (this.rows.length === 1) this.fill(this.rows[0]);
    else this.watch();
  }

  // How many of the payload's rows stand together: a paragraph side by side, a line or two one under another,
  // so that the same characters are always in sight of each other.
  group() {
    const { rows, text, fine, lanes } = this.model;
    const { stack } = this;
    if (fine && (lanes.length === 1 || !this.narrow || stack || text.length <= 160)) return [0, text.length];
    const wanted = stack || this.narrow ? 64 : 160;
    const starts = [0];
    for (const start of rows.slice(1, -1)) {
      const size = start - starts.at(-1);
      if (size >= wanted || (size >= wanted / 2 && text[start - 1] === "\n")) starts.push(start);
    }
    return [...starts, text.length];
  }

  get stack() {
    return this.model.options.layout === "stack";
  }

  get narrow() {
    return this.box.clientWidth <= NARROW;
  }

  addRow(start, end) {
    const element = make("div", "row");
    const row = { element, start, end, lanes: [], cells: null };
    element.row = row;
    this.list.append(element);
    return row;
  }

  watch() {
    const root = this.model.options.max_height ? this.box : null;
    this.near = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (isIntersecting) this.waiting.add(target.row);
          else this.waiting.delete(target.row), this.clear(target.row);
        }
        this.fillSome();
      },
      { root, rootMargin: `${NEAR}px 0px` },
    );
    this.waiting = new Set();
    this.rows.forEach((row) => this.near.observe(row.element));
  }

  // Draw what waits, for half a frame at a time, so that even a dragged scroll bar is followed at once.
  fillSome() {
    cancelAnimationFrame(this.frame);
    const until = performance.now() + 4;
    for (const row of this.waiting) {
      if (performance.now() > until) {
        this.frame = requestAnimationFrame(() => this.fillSome());
        return;
      }
      this.waiting.delete(row);
      this.fill(row);
    }
  }

  // A row that is not drawn needs about the height it will have, or the scroll bar would lie.
  guessHeights() {
    const stacked = this.stack || this.narrow;
    const lanes = this.model.lanes.length || 1;
    const width = Math.max(120, stacked ? this.box.clientWidth : this.box.clientWidth / lanes - 28);
    for (const row of this.rows) {
      if (row.cells) continue;
      const lines = Math.ceil(((row.end - row.start) * (this.chips ? 26 : 8)) / width);
      row.element.style.minHeight = `${lines * (this.chips ? 34 : 39) * (stacked ? lanes : 1)}px`;
    }
  }

  fill(row) {
    if (row.cells) return;
    row.cells = this.model.lanes.map((lane) => {
      const holder = make("div", "lane");
      const cell = make("div", "cell");
      holder.append(make("div", "tag", lane.column.name), cell);
      row.element.append(holder);
      row.lanes.push(holder);
      return { element: cell, pieces: [] };
    });
    row.element.style.minHeight = "";
    this.draw(row);
  }

  clear(row) {
    if (!row.cells || row.element.contains(this.root.getRootNode().activeElement)) return;
    row.element.style.minHeight = `${row.element.offsetHeight}px`;
    row.element.replaceChildren();
    row.lanes = [];
    row.cells = null;
  }

  refill() {
    for (const row of this.rows) if (row.cells) this.draw(row);
    const node = this.hot?.node;
    if (node?.isConnected && node.piece) this.light(node.lane, node.piece, node);
    else this.unlight();
  }

  draw(row) {
    const { model } = this;
    row.cells.forEach((cell, index) => {
      const lane = model.lanes[index];
      cell.pieces = (this.chips ? chipPieces : readingPieces)(model, lane, row.start, row.end);
      this.patch(cell, lane);
    });
    if (this.hot) this.mark(row, true);
  }

  // Elements are used again: where only colours change, as while a tokenizer learns, nothing flickers or moves.
  patch(cell, lane) {
    const { element, pieces } = cell;
    const { whiteSpace } = this.choice;
    const fresh = document.createDocumentFragment();
    pieces.forEach((piece, index) => {
      const node = element.childNodes[index] ?? fresh.appendChild(make("span"));
      if (piece.note) this.patchNote(node, piece);
      else if (piece.chip) this.patchChip(node, piece, lane);
      else this.patchReading(node, piece, whiteSpace);
      node.lane = lane;
      node.piece = piece;
    });
    element.append(fresh);
    while (element.childNodes.length > pieces.length) element.lastChild.remove();
  }

  patchNote(node, piece) {
    node.className = "note";
    node.style.cssText = "";
    node.textContent = piece.note;
    node.shown = null;
  }

  patchChip(node, piece, lane) {
    node.className = "p";
    delete node.dataset.n;
    node.style.cssText = `background-color: var(--t${lane.tints[piece.token]})`;
    fillChip(node, lane.bytesOf(piece.token));
    node.shown = null;
  }

  patchReading(node, piece, whiteSpace) {
    const shown = piece.text + (whiteSpace ? "\u0001" : "");
    if (node.shown !== shown) fillReading(node, piece, this.model, whiteSpace);
    node.shown = shown;
    const name = readingClass(piece);
    const style = tintStyle(piece);
    if (node.className !== name) node.className = name;
    if (node.styled !== style) node.style.cssText = style;
    node.styled = style;
    if (piece.count > 1) node.dataset.n = piece.count.toLocaleString(this.model.locale);
    else delete node.dataset.n;
  }

  // ---- light on a piece

  listen() {
    this.outside = new AbortController();
    this.box.addEventListener("pointerover", (event) => this.point(event));
    this.box.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && !this.focused && this.unlight());
    this.box.addEventListener("focusin", (event) => this.focusIn(event));
    this.box.addEventListener("focusout", (event) => this.focusOut(event));
    this.box.addEventListener("keydown", (event) => this.press(event));
    const { signal } = this.outside;
    document.addEventListener("pointerdown", (event) => !event.composedPath().includes(this.box) && this.unlight(), { signal });
    const moved = () => this.hot && requestAnimationFrame(() => this.place());
    this.box.addEventListener("scroll", moved, { passive: true });
    document.addEventListener("scroll", moved, { signal, capture: true, passive: true });
    this.width = 0;
    this.resize = new ResizeObserver(() => {
      const before = this.width;
      this.width = this.box.clientWidth;
      if (!before || before === this.width) return;
      if (before <= NARROW !== this.narrow) this.rebuild(), this.drawHeads();
      else this.guessHeights();
    });
    this.resize.observe(this.box);
  }

  point(event) {
    const node = event.target.closest?.(".p");
    if (node?.piece && node !== this.hot?.node) this.light(node.lane, node.piece, node);
  }

  light(lane, piece, node) {
    this.hotRows().forEach((row) => this.mark(row, false));
    this.hot = { lane, piece, node };
    this.hotRows().forEach((row) => this.mark(row, true));
    this.root.classList.add("lit");
    this.fillCard();
    this.place();
  }

  unlight() {
    if (!this.hot) return;
    this.hotRows().forEach((row) => this.mark(row, false));
    this.hot = null;
    this.root.classList.remove("lit");
    if (this.card.matches(":popover-open")) this.card.hidePopover();
  }

  // The drawn rows that the lit characters stand in.
  hotRows() {
    if (!this.hot) return [];
    const { from, to } = this.hot.piece;
    const found = [];
    for (let i = last(this.starts, from); i < this.rows.length && this.rows[i].start < to; i++) if (this.rows[i].cells) found.push(this.rows[i]);
    return found;
  }

  mark(row, on) {
    const { from, to } = this.hot.piece;
    for (const { element, pieces } of row.cells) {
      let i = 0;
      let high = pieces.length;
      while (i < high) {
        const middle = (i + high) >> 1;
        if (pieces[middle].to <= from) i = middle + 1;
        else high = middle;
      }
      for (; i < pieces.length && pieces[i].from < to; i++) element.childNodes[i]?.classList.toggle("hot", on);
    }
  }

  // ---- the card

  fillCard() {
    const { model } = this;
    const { lane, piece } = this.hot;
    const text = model.text.slice(piece.from, piece.to);
    const what = make("div", "what");
    what.append(make("span", "said", spoken(text)), make("span", "where", this.offsets(lane, piece)));
    const grid = make("div", "grid");
    for (const other of model.lanes) {
      const [first, stop] = this.tokensIn(other, piece, lane);
      grid.append(make("div", "who", `${other.column.name} · ${stop - first}`), this.tokenList(other, first, stop));
    }
    this.card.replaceChildren(what, grid);
  }

  // In chips the hovered token alone in its own column; elsewhere every token of the characters.
  tokensIn(lane, piece, own) {
    if (piece.chip && lane === own) return [piece.token, piece.token + 1];
    const first = lane.segmentOfUnit(piece.from);
    const final = lane.segmentOfUnit(Math.max(piece.from, piece.to - 1));
    return [lane.tokenAt[first], lane.tokenAt[final + 1]];
  }

  tokenList(lane, first, stop) {
    const list = make("div", "list");
    for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) {
      const item = make("span", "token");
      const chip = make("span", "p");
      const bytes = lane.bytesOf(token);
      chip.style.backgroundColor = `var(--t${lane.tints[token]})`;
      fillChip(chip, bytes.subarray(0, 48));
      item.append(chip, make("b", "", String(lane.id(token))), make("span", "hex", hexOf(bytes.subarray(0, 12)) + (bytes.length > 12 ? " …" : "")));
      list.append(item);
    }
    if (stop - first > MAX_LISTED) list.append(make("span", "note", this.model.label("more_tokens", { count: stop - first - MAX_LISTED })));
    return list;
  }

  offsets(lane, piece) {
    const [first, stop] = this.tokensIn(lane, piece, lane);
    return this.model.label("offsets", {
      char_start: this.model.charAt(piece.from) + 1, // people count from one
      char_end: this.model.charAt(piece.to),
      byte_start: lane.byteAt[first] + 1,
      byte_end: lane.byteAt[stop],
    });
  }

  // The card stands under its piece, above it where there is no room, and goes when the piece scrolls away.
  place() {
    const rect = this.hot?.node.isConnected && this.hot.node.getClientRects()[0];
    const box = this.box.getBoundingClientRect();
    const seen = rect && rect.bottom > Math.max(0, box.top) && rect.top < Math.min(innerHeight, box.bottom);
    const open = this.card.matches(":popover-open");
    if (!seen) {
      if (open) this.card.hidePopover();
      return;
    }
    if (!open) this.card.showPopover();
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const under = rect.bottom + 14;
    const top = under + height < innerHeight ? under : rect.top - height - 8;
    this.card.style.left = `${Math.max(8, Math.min(rect.left - 12, innerWidth - width - 8))}px`;
    this.card.style.top = `${Math.max(8, top)}px`;
  }

  // ---- keyboard: one Tab stop, arrow keys walk the pieces

  focusIn(event) {
    if (event.target !== this.box) return;
    const fromInside = event.relatedTarget && this.box.contains(event.relatedTarget);
    if (!fromInside && this.box.matches(":focus-visible")) this.step(0);
  }

  focusOut(event) {
    if (event.target !== this.box) for (const name of ["role", "aria-label", "aria-describedby"]) event.target.removeAttribute(name);
    if (this.box.contains(event.relatedTarget)) return;
    this.focused = false;
    this.box.tabIndex = 0;
    this.unlight();
  }

  press(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: "down", ArrowUp: "up", Home: "first", End: "last" };
    if (event.key === "Escape" && this.focused) return this.leave();
    if (!(event.key in steps) || !this.model.text || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    this.step(steps[event.key]);
  }

  leave() {
    this.focused = false;
    this.box.tabIndex = 0;
    this.box.focus({ preventScroll: true });
    this.unlight();
  }

  step(how) {
    const { lanes } = this.model;
    let { lane, piece } = this.current;
    lane = Math.min(lane, lanes.length - 1);
    if (how === "down" || how === "up") {
      const unit = this.unitOf(lanes[lane], piece);
      lane = Math.max(0, Math.min(lanes.length - 1, lane + (how === "down" ? 1 : -1)));
      const segment = lanes[lane].segmentOfUnit(unit);
      piece = this.chips ? lanes[lane].tokenAt[segment] : segment;
    } else if (how === "first") piece = 0;
    else if (how === "last") piece = Infinity;
    else piece += how;
    const count = this.chips ? lanes[lane].tokens.length : lanes[lane].segments;
    this.current = { lane, piece: Math.max(0, Math.min(count - 1, piece)) };
    this.focusPiece();
  }

  unitOf(lane, piece) {
    return lane.unitAt[this.chips ? lane.segmentOfToken(piece) : piece];
  }

  focusPiece() {
    const lane = this.model.lanes[this.current.lane];
    const row = this.rows[Math.min(last(this.starts, this.unitOf(lane, this.current.piece)), this.rows.length - 1)];
    this.fill(row);
    const token = this.chips ? this.current.piece : lane.tokenAt[this.current.piece];
    const cell = row.cells[this.current.lane];
    const index = Math.max(0, cell.pieces.findLastIndex((piece) => piece.token <= token));
    const node = cell.element.childNodes[cell.pieces.findIndex((piece) => piece.token === cell.pieces[index].token)];
    this.focused = true;
    this.name(node, lane);
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest" });
    this.box.tabIndex = -1;
    this.light(lane, node.piece, node);
  }

  name(node, lane) {
    const [first, stop] = this.tokensIn(lane, node.piece, lane);
    const ids = [];
    for (let token = first; token < Math.min(stop, first + MAX_LISTED); token++) ids.push(lane.id(token));
    const text = node.piece.chip ? partsOf(lane.bytesOf(first)).map((part) => part.hex ?? spoken(part.text)).join(" ") : spoken(this.model.text.slice(node.piece.from, node.piece.to));
    const values = { first: first + 1, last: stop, count: lane.tokens.length, text, ids: ids.join(", ") };
    node.setAttribute("role", "img");
    node.setAttribute("aria-describedby", "card");
    node.setAttribute("aria-label", this.model.label(stop - first > 1 ? "piece_of_many" : "piece_of_one", values));
  }
}
