// Part 10: the view itself: the bar, the rows, light, keyboard. Only rows that are near are drawn.

import { BranchLists } from "./branches.js";
import { MARK, spoken } from "./characters.js";
import { fillChip, fillReading, make, readingClass, tintStyle } from "./drawing.js";
import { cardContent, ladder, offsets, boxName, whyBytes } from "./inspector.js";
import { Model } from "./model.js";
import { chipBoxes, readingBoxes, rulerBoxes } from "./boxes.js";
import { SaveMenu } from "./save_menu.js";
import { below, lastUpTo } from "./sorted.js";
import { TimeMachine } from "./time_machine.js";

const INSTANCES = new WeakMap(); // one view for each place where Streamlit mounts the component
const CHOICES = new Map(); // by the view's key: what a person switched, so that it outlives a change of page
const FETCHED = new Map(); // by address: long payloads, so that a rerun draws them again at once
const MAX_FETCHED = 2;

const NARROW = 640; // pixels of width below which lanes stand one under another, as in token_view.css
const NEAR = 250; // pixels above and below the scroller in which rows are drawn ahead
const WIDEST = 20; // pixels of a wide letter: lines of a row are guessed by it
const VIEWS = ["staff", "columns", "chips"];
const COLOURS = ["piece", "bytes", "broken", "branch"];

export default function showTokenView({ data, parentElement }) {
  const view = INSTANCES.get(parentElement) ?? new TokenView(parentElement);
  INSTANCES.set(parentElement, view);
  view.show(new Model(data));
  return () => {
    view.remove();
    INSTANCES.delete(parentElement);
  };
}

class TokenView {
  constructor(parent) {
    this.root = make("div", "token-view");
    this.bar = make("div", "bar");
    this.legend = make("div", "legend");
    this.frame = make("div", "frame");
    this.scroller = make("div", "scroller");
    this.heads = make("div", "heads");
    this.list = make("div", "rows");
    this.rail = make("canvas", "rail");
    this.card = make("div", "card");
    this.card.id = "card";
    this.card.setAttribute("role", "tooltip");
    this.card.popover = "manual";
    this.panel = make("section", "inspector");
    this.panel.hidden = true;
    this.scroller.tabIndex = 0;
    this.rail.setAttribute("aria-hidden", "true");
    this.scroller.append(this.heads, this.list);
    this.frame.append(this.scroller, this.rail);
    this.time = new TimeMachine(this);
    this.branches = new BranchLists(this);
    this.root.append(this.bar, this.legend, this.time.element, this.frame, this.branches.element, this.panel, this.card);
    parent.append(this.root);
    this.rows = [];
    this.current = { lane: 0, box: 0 };
    this.buildBar();
    this.listen();
  }

  remove() {
    this.gone = true;
    this.near?.disconnect();
    cancelAnimationFrame(this.filling);
    this.resize.disconnect();
    this.outside.abort();
    this.root.remove();
  }

  // ---- new data

  // A long text comes in two steps: its opening at once, the whole when it has been fetched.
  show(model) {
    const { whole } = model.options;
    const known = whole && FETCHED.get(whole);
    if (known) known.options = model.options;
    this.update(known ?? model);
    if (whole && !known) this.fetch(whole, model);
  }

  async fetch(address, opening) {
    let data = null;
    let why = opening.labels.failed; // the server is gone, or has forgotten this text
    try {
      const answer = await fetch(address);
      if (answer.ok) data = new Uint8Array(await answer.arrayBuffer());
      else if (answer.status === 422) why = await answer.text();
    } catch {
      data = null;
    }
    if (this.gone || this.model.options.whole !== address) return;
    if (!data) {
      this.heads.replaceChildren(make("div", "note", why));
      return;
    }
    const model = new Model(data, this.model.options);
    FETCHED.set(address, model);
    if (FETCHED.size > MAX_FETCHED) FETCHED.delete(FETCHED.keys().next().value);
    this.update(model);
  }

  update(model) {
    const before = this.model;
    this.model = model;
    this.choose(before?.options);
    this.time.update(model);
    this.branches.update(model);
    this.dress();
    this.words();
    const same = before && before.text === model.text && before.lanes.length === model.lanes.length;
    if (same && String(this.starts) === String(this.group()) && before.options.max_height === model.options.max_height && !this.chips) this.refill(), this.rename();
    else this.rebuild();
    this.drawHeads();
    this.drawRail();
    if (this.pinned && same) this.pin(this.pinned.lane, this.pinned.box, false);
    else this.unpin();
  }

  // The lanes have changed, the text has not.
  redraw() {
    this.unlight();
    this.refill();
    this.drawHeads();
    if (this.pinned) this.pin(this.model.lanes[this.pinned.lane.index], this.pinned.box, false);
  }

  // Python gives the view to start with; what a person switched stays, until Python gives another.
  choose(before) {
    const { options } = this.model;
    const given = { view: options.view, whiteSpace: options.white_space, colour: options.colour, marks: options.marks };
    const same = before ? Object.keys(given).every((name) => before[name === "whiteSpace" ? "white_space" : name] === given[name]) : CHOICES.has(options.key);
    if (!same) CHOICES.set(options.key, { ...given, chipsOf: 0 });
    this.choice = CHOICES.get(options.key);
  }

  // Theme and layout. Streamlit calls again when the theme changes, so the background is measured anew.
  dress() {
    const { options, lanes, fine } = this.model;
    const [red, green, blue] = getComputedStyle(this.card).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
    const dark = red * 0.3 + green * 0.59 + blue * 0.11 < 128;
    const classes = { dark, fine, large: options.large && this.model.text.length <= 160, ruled: this.ruled, single: lanes.length === 1 };
    for (const view of VIEWS) classes[view] = this.choice.view === view;
    for (const [name, on] of Object.entries(classes)) this.root.classList.toggle(name, Boolean(on));
    this.root.style.setProperty("--columns", lanes.length || 1);
    for (const lane of lanes) lane.byBranch = this.colour === "branch" && lane.takenBy;
    this.limit();
    this.bar.hidden = options.toolbar === "none";
  }

  // While a box is looked at closely, the text makes room for it.
  limit() {
    const { max_height: height } = this.model.options;
    const most = height && !this.panel.hidden ? Math.max(240, height - 220) : height;
    this.scroller.style.maxHeight = height ? `${most}px` : "";
    this.scroller.style.overflow = height ? "" : "visible";
  }

  get chips() {
    return this.choice.view === "chips";
  }

  // What the colours can mean here: branches only where there are some.
  get colours() {
    return COLOURS.filter((colour) => colour !== "branch" || this.model.lanes.some((lane) => lane.takenBy));
  }

  get colour() {
    return this.colours.includes(this.choice.colour) ? this.choice.colour : "piece";
  }

  get staff() {
    return this.choice.view === "staff";
  }

  get ruled() {
    return this.staff && this.model.options.ruler;
  }

  get narrow() {
    return this.scroller.clientWidth <= NARROW;
  }

  // The lanes that are drawn: in chips one, which a person chooses.
  get drawn() {
    const { lanes } = this.model;
    return this.chips ? lanes.slice(this.chipsOf, this.chipsOf + 1) : lanes;
  }

  get chipsOf() {
    return Math.min(this.choice.chipsOf, this.model.lanes.length - 1);
  }

  // ---- bar and heads

  buildBar() {
    this.switch = make("div", "switch");
    this.switch.setAttribute("role", "group");
    this.buttons = VIEWS.map((view) => this.button(this.switch, "", () => this.switchTo({ view })));
    this.lanesMenu = this.select((index) => this.switchTo({ chipsOf: index }));
    this.colourMenu = this.select((index) => this.switchTo({ colour: this.colours[index] }));
    this.white = this.check((whiteSpace) => this.switchTo({ whiteSpace }));
    this.marks = this.check((marks) => this.switchTo({ marks }));
    this.steps = make("div", "steps");
    this.backwards = this.button(this.steps, "‹", () => this.toDifference(-1));
    this.place = make("span", "place");
    this.place.setAttribute("aria-live", "polite");
    this.forwards = this.button(this.steps, "›", () => this.toDifference(1));
    this.backwards.before(this.place);
    this.steps.insertBefore(this.backwards, this.place);
    this.saving = new SaveMenu(this);
    this.bar.append(this.switch, this.lanesMenu.holder, this.colourMenu.holder, this.white.holder, this.marks.holder, this.steps, this.saving.element);
  }

  button(parent, text, onclick) {
    const button = make("button", "", text);
    button.type = "button";
    button.onclick = onclick;
    parent.append(button);
    return button;
  }

  select(onchange) {
    const holder = make("label", "menu");
    const [words, list] = [make("span"), make("select")];
    list.onchange = () => onchange(list.selectedIndex);
    holder.append(words, list);
    return { holder, words, list };
  }

  check(onchange) {
    const holder = make("label", "check");
    const [input, words] = [make("input"), make("span")];
    input.type = "checkbox";
    input.onchange = () => onchange(input.checked);
    holder.append(input, words);
    return { holder, words, input };
  }

  words() {
    const { labels, lanes, options, differences } = this.model;
    const { choice } = this;
    this.switch.setAttribute("aria-label", labels.view);
    this.buttons.forEach((button, index) => {
      button.textContent = labels[VIEWS[index]];
      button.setAttribute("aria-pressed", String(choice.view === VIEWS[index]));
    });
    fillMenu(this.lanesMenu, labels.chips_of, lanes.map(({ column }) => column.name), this.chipsOf);
    fillMenu(this.colourMenu, labels.colour, this.colours.map((colour) => labels[`colour_${colour}`]), this.colours.indexOf(this.colour));
    this.white.words.textContent = labels.white_space;
    this.white.input.checked = choice.whiteSpace;
    this.marks.words.textContent = labels.mark;
    this.marks.input.checked = choice.marks;
    this.backwards.setAttribute("aria-label", labels.before);
    this.forwards.setAttribute("aria-label", labels.after);
    const full = options.toolbar === "full";
    const differ = full && differences.compared > 1 && differences.starts.length > 0;
    this.lanesMenu.holder.hidden = !this.chips || lanes.length < 2;
    this.colourMenu.holder.hidden = !full;
    this.marks.holder.hidden = this.steps.hidden = !differ;
    this.sayPlace();
    this.saving.words();
    this.scroller.setAttribute("role", "group");
    this.scroller.setAttribute("aria-label", labels.text_view);
    this.panel.setAttribute("aria-label", labels.inspector);
    this.drawLegend();
  }

  // What the colours mean, and how much is cut differently.
  drawLegend() {
    const { labels, model = this.model } = this.model;
    const { colour } = this;
    const { share, starts, compared } = model.differences;
    this.legend.replaceChildren();
    if (model.options.toolbar !== "full") return;
    if (model.whole && compared > 1 && model.text) {
      const words = starts.length ? model.label("differ", { share: model.percent(share), count: starts.length }) : labels.agree;
      this.legend.append(make("span", "differ", words));
    }
    const key = (name, words) => {
      const sample = make("span", `sample cut${name[0] === "b" ? name[1] : 0}`);
      sample.style.backgroundColor = `var(--${name})`;
      const holder = make("span", "key");
      holder.append(sample, words);
      this.legend.append(holder);
    };
    if (colour === "bytes") {
      this.legend.append(make("span", "", labels.legend_bytes));
      ["1", "2–3", "4–6", "7–12", "13+"].forEach((words, level) => key(`h${level}`, words));
    } else if (colour === "broken") {
      this.legend.append(make("span", "", labels.legend_broken));
      ["whole", "in_cluster", "in_character"].forEach((name, level) => key(`b${level}`, labels[name]));
    }
  }

  switchTo(change) {
    const another = ("view" in change && change.view !== this.choice.view) || "chipsOf" in change;
    const unit = another && this.topUnit();
    Object.assign(this.choice, change);
    this.dress();
    this.words();
    this.unlight();
    if (another) {
      this.rebuild();
      if (unit) this.scrollTo(unit);
    } else this.refill();
    this.drawHeads();
    this.drawRail();
  }

  drawHeads() {
    this.root.style.setProperty("--heads", this.drawn.length || 1);
    this.heads.replaceChildren(...this.drawn.map((lane) => this.head(lane)));
  }

  head({ column, index }) {
    const { model } = this;
    const head = make("div", "head");
    const name = make("div", "name", column.name);
    if (this.staff && model.lanes.length > 1) name.prepend(make("span", "number", `${index + 1} `));
    head.append(name, make("div", "caption", column.caption));
    if (!model.whole) {
      head.append(make("div", "note", model.labels.loading));
      return head;
    }
    const [[count, unit]] = column.figures;
    const counted = make("div", "count", count + " ");
    counted.append(make("small", "", unit));
    head.append(counted, this.colour === "broken" && column.kind === "tokens" ? this.meter(column) : this.figures(column));
    return head;
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

  // The broken-character meter: where the boundaries between tokens fall.
  meter(column) {
    const { model } = this;
    const [inCharacters, inClusters] = ["inside_characters", "inside_clusters"].map((name) => column[name] / column.boundaries);
    const element = make("div", "meter");
    const bar = make("div", "gauge");
    const part = (level, share) => {
      const stretch = bar.appendChild(make("span", `cut${level}`));
      stretch.style.cssText = `width: ${100 * share}%; background-color: var(--b${level})`;
    };
    if (column.boundaries) {
      part(2, inCharacters);
      part(1, inClusters - inCharacters);
      part(0, 1 - inClusters);
    }
    const words = column.boundaries
      ? model.label("meter", { characters: model.percent(inCharacters), clusters: model.percent(inClusters) })
      : model.labels.meter_none;
    element.append(bar, make("div", "words", words));
    return element;
  }

  // ---- rows

  rebuild() {
    this.near?.disconnect();
    cancelAnimationFrame(this.filling);
    this.unlight();
    this.starts = this.group();
    this.rows = [];
    this.list.replaceChildren();
    if (!this.model.text) {
      this.list.append(make("div", "note", this.model.labels.empty));
      return;
    }
    for (let i = 0; i + 1 < this.starts.length; i++) this.rows.push(this.newRow(this.starts[i], this.starts[i + 1]));
    this.list.append(...this.rows.map((row) => row.element));
    this.guessHeights();
    if (this.rows.length === 1) this.fillRows(this.rows);
    else this.watch();
  }

  // How many of the payload's rows stand together: some lines where the lanes share them, a paragraph side by
  // side, a line or two one under another, so that the same characters are always in sight of each other.
  group() {
    const { rows, text, fine, lanes } = this.model;
    if (fine && (this.staff || lanes.length === 1 || !this.narrow || text.length <= 160)) return [0, text.length];
    const wanted = this.staff ? (this.narrow ? 120 : 200) : this.narrow && !this.chips ? 64 : 160;
    const starts = [0];
    for (const start of rows.slice(1, -1)) {
      const size = start - starts.at(-1);
      if (size >= wanted || (size >= wanted / 2 && text[start - 1] === "\n")) starts.push(start);
    }
    return [...starts, text.length];
  }

  newRow(start, end) {
    const element = make("div", "row");
    const row = { element, start, end, cells: null };
    element.row = row;
    return row;
  }

  watch() {
    const root = this.model.options.max_height ? this.scroller : null;
    this.near = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target, boundingClientRect } of entries) {
          if (isIntersecting) this.waiting.add(target.row);
          else this.waiting.delete(target.row), this.clear(target.row, boundingClientRect.height);
        }
        this.fillSome();
      },
      { root, rootMargin: `${NEAR}px 0px` },
    );
    this.waiting = new Set();
    this.rows.forEach((row) => this.near.observe(row.element));
  }

  // What is in sight is drawn at once, what is near one row a frame, so that scrolling never waits for it.
  fillSome() {
    cancelAnimationFrame(this.filling);
    if (!this.waiting.size) return;
    const { top, bottom } = this.scroller.getBoundingClientRect();
    const places = [...this.waiting].map((row) => [row, row.element.getBoundingClientRect()]);
    const inSight = places.filter(([, rect]) => rect.bottom > top && rect.top < Math.min(bottom, innerHeight));
    for (const [row] of inSight.length ? inSight : places.slice(0, 1)) {
      this.waiting.delete(row);
      this.fill(row);
    }
    this.filling = requestAnimationFrame(() => this.fillSome());
  }

  fillRows(rows) {
    rows.forEach((row) => this.fill(row));
  }

  // A row that is not drawn needs about the height it will have, or the scroll bar would lie.
  guessHeights() {
    const lanes = this.drawn.length || 1;
    const { clientWidth } = this.scroller;
    const stacked = this.narrow || this.chips;
    const width = Math.max(120, this.staff ? clientWidth - 120 : stacked ? clientWidth : clientWidth / lanes - 28);
    const line = this.chips ? 34 : 39;
    const height = this.staff ? this.systemHeight() : line * (stacked ? lanes : 1);
    for (const row of this.rows) {
      if (row.cells) continue;
      const lines = Math.ceil(((row.end - row.start) * (this.chips ? 26 : 8)) / width);
      row.element.style.minHeight = `${lines * height}px`;
    }
  }

  // All lanes of the staff over one line of text, in pixels.
  systemHeight() {
    const probe = this.list.appendChild(make("div", "system-probe"));
    const { offsetHeight } = probe;
    probe.remove();
    return offsetHeight;
  }

  fill(row) {
    if (row.cells) return;
    const cell = (lane, number) => {
      const holder = make("div", lane ? "lane" : "lane ruler");
      const element = make("div", "cell");
      if (lane && !this.staff) holder.append(make("div", "tag", lane.column.name));
      holder.append(element);
      holder.style.setProperty("--number", number);
      return { lane, holder, element, boxes: [] };
    };
    row.cells = this.drawn.map((lane, index) => cell(lane, index));
    if (this.ruled) row.cells.unshift(cell(null, -1));
    row.element.style.minHeight = "";
    if (this.staff) {
      row.gutter = make("div", "gutter");
      const lanes = make("div", "lanes");
      lanes.append(...row.cells.map(({ holder }) => holder));
      row.element.append(row.gutter, lanes);
      this.label(row);
    } else row.element.append(...row.cells.map(({ holder }) => holder));
    this.draw(row);
  }

  // The staff names its lanes on every line: on as many as there could be, cut off under the last one, since to
  // measure each row would cost a layout.
  label(row) {
    if (!this.staff || this.model.lanes.length < 2) return;
    const width = Math.max(120, this.scroller.clientWidth - (this.narrow ? 30 : 150));
    const lines = Math.ceil(((row.end - row.start) * WIDEST) / width) + 1;
    row.gutter.replaceChildren(...Array.from({ length: lines }, () => this.names()));
  }

  // The same text in other lanes: their names beside the lines are new.
  rename() {
    for (const row of this.rows) {
      if (!row.cells) continue;
      this.label(row);
      for (const { lane, holder } of row.cells) {
        const tag = lane && !this.staff && holder.querySelector(".tag");
        if (tag) tag.textContent = lane.column.name;
      }
    }
  }

  names() {
    const system = make("div", "names");
    for (const { column, index } of this.model.lanes) {
      const tag = make("div", "tag", column.name);
      tag.dataset.number = index + 1;
      system.append(tag);
    }
    return system;
  }

  clear(row, height) {
    if (!row.cells || row.element.contains(this.root.getRootNode().activeElement)) return;
    row.element.style.minHeight = `${height}px`;
    row.element.replaceChildren();
    row.cells = null;
  }

  refill() {
    for (const row of this.rows) if (row.cells) this.draw(row);
    const node = this.hot?.node;
    if (node?.isConnected && node.box) this.light(node.lane, node.box, node);
    else this.unlight();
  }

  draw(row) {
    const { model } = this;
    const { colour } = this;
    for (const cell of row.cells) {
      const { lane } = cell;
      if (!lane) cell.boxes = rulerBoxes(model, row.start, row.end);
      else if (lane.index < model.lanes.length) {
        cell.lane = model.lanes[lane.index];
        cell.boxes = (this.chips ? chipBoxes : readingBoxes)(model, cell.lane, row.start, row.end, colour);
      }
      this.patch(cell);
    }
    if (this.hot) this.mark(row, true);
    this.branches.mark(row);
  }

  // Elements are used again: where only colours change, as while a tokenizer learns, nothing flickers or moves.
  patch({ element, boxes, lane }) {
    const { whiteSpace, marks } = this.choice;
    const fresh = document.createDocumentFragment();
    boxes.forEach((box, index) => {
      const node = element.childNodes[index] ?? fresh.appendChild(make("span"));
      if (!lane) this.patchRuler(node, box, whiteSpace);
      else if (box.note) this.patchNote(node, box);
      else if (box.chip) this.patchChip(node, box, lane, marks);
      else this.patchReading(node, box, whiteSpace, marks);
      node.lane = lane;
      node.box = box;
    });
    element.append(fresh);
    while (element.childNodes.length > boxes.length) element.lastChild.remove();
    if (!lane) element.setAttribute("aria-hidden", "true");
  }

  patchRuler(node, box, whiteSpace) {
    const shown = `${box.text}${whiteSpace ? "\u0001" : ""}`;
    if (node.shown !== shown) fillReading(node, box, this.model, whiteSpace);
    node.shown = shown;
    const differs = box.differs && this.model.options.toolbar === "full";
    node.className = `r${differs ? " d" : ""}${box.endless ? " more" : ""}${MARK.test(box.text) ? " lone" : ""}`;
    if (box.number) node.dataset.n = box.number.toLocaleString(this.model.locale);
    else delete node.dataset.n;
  }

  patchNote(node, box) {
    node.className = "note";
    node.style.cssText = "";
    node.textContent = box.note;
    node.shown = node.styled = null;
  }

  patchChip(node, box, lane, marks) {
    const cut = box.tint[0] === "b" && box.tint !== "b0" ? ` cut${box.tint[1]}` : "";
    node.className = `p${marks && box.differs ? " d" : ""}${cut}`;
    delete node.dataset.n;
    node.style.cssText = `background-color: var(--${box.tint})`;
    fillChip(node, lane.bytesOf(box.token));
    node.shown = node.styled = null;
  }

  patchReading(node, box, whiteSpace, marks) {
    const shown = box.text + (whiteSpace ? "\u0001" : "");
    if (node.shown !== shown) fillReading(node, box, this.model, whiteSpace);
    node.shown = shown;
    const name = readingClass(box, marks) + (box.endless ? " more" : "");
    const style = tintStyle(box);
    if (node.className !== name) node.className = name;
    if (node.styled !== style) node.style.cssText = style;
    node.styled = style;
    if (box.count > 1) node.dataset.n = box.count.toLocaleString(this.model.locale);
    else delete node.dataset.n;
  }

  // ---- where in the text

  rowOf(unit) {
    return this.rows[Math.min(lastUpTo(this.starts, unit), this.rows.length - 1)];
  }

  // The first character of the row at the top of the scroller.
  topUnit() {
    const { top } = this.scroller.getBoundingClientRect();
    const edge = top + this.heads.offsetHeight;
    return this.rows.find((row) => row.element.getBoundingClientRect().bottom > edge)?.start ?? 0;
  }

  scrollTo(unit) {
    const row = this.rowOf(unit);
    if (!row) return;
    this.fillRows([row]);
    const { top } = this.scroller.getBoundingClientRect();
    if (this.model.options.max_height) this.scroller.scrollTop += row.element.getBoundingClientRect().top - top - this.heads.offsetHeight - 8;
  }

  // The rail shows where in the whole text tokenizers differ; a click goes there.
  drawRail() {
    const { model } = this;
    const { starts, ends, compared } = model.differences;
    const scrolls = this.scroller.scrollHeight > this.scroller.clientHeight + 4;
    this.rail.hidden = !(scrolls && compared > 1 && model.whole && model.options.toolbar === "full" && starts.length);
    if (this.rail.hidden) return;
    const height = this.scroller.clientHeight;
    const dots = new Float32Array(height);
    const scale = height / model.text.length;
    for (let i = 0; i < starts.length; i++) {
      for (let at = starts[i] * scale; at < ends[i] * scale; ) {
        const next = Math.min(Math.floor(at) + 1, ends[i] * scale);
        dots[Math.min(height - 1, Math.floor(at))] += next - at;
        at = next;
      }
    }
    [this.rail.width, this.rail.height] = [8, height];
    this.rail.style.height = `${height}px`;
    const pen = this.rail.getContext("2d");
    pen.fillStyle = getComputedStyle(this.root).getPropertyValue("--differ");
    dots.forEach((share, y) => {
      if (!share) return;
      pen.globalAlpha = 0.15 + 0.85 * Math.min(1, share);
      pen.fillRect(0, y, 8, 1);
    });
  }

  // ---- from difference to difference

  sayPlace() {
    const { starts } = this.model.differences;
    const count = starts.length;
    const place = this.difference === undefined ? null : this.difference + 1;
    this.place.textContent = place && place <= count ? this.model.label("place", { place, count }) : count.toLocaleString(this.model.locale);
    this.forwards.disabled = this.backwards.disabled = !count;
  }

  toDifference(step) {
    const { starts } = this.model.differences;
    if (!starts.length) return;
    const unit = this.hot?.box.from ?? this.pinned?.box.from;
    let next = this.difference === undefined ? (step > 0 ? 0 : starts.length - 1) : this.difference + step;
    if (this.difference === undefined && unit !== undefined) next = step > 0 ? below(starts, unit + 1) : below(starts, unit) - 1;
    this.difference = (next + starts.length) % starts.length;
    this.sayPlace();
    const start = starts[this.difference];
    const lane = this.model.lanes.find(({ index, isPretokens }) => !isPretokens && (!this.chips || index === this.chipsOf)) ?? this.model.lanes[0];
    const segment = lane.segmentOfUnit(start);
    const box = this.chips ? lane.tokenOfByte(lane.byteOfUnit(start, this.model.text)) : segment;
    this.current = { lane: lane.index, box };
    this.focusBox();
  }

  // ---- light on a box

  listen() {
    this.outside = new AbortController();
    const { signal } = this.outside;
    this.scroller.addEventListener("pointerover", (event) => this.point(event));
    this.scroller.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && !this.focused && this.unlight());
    this.scroller.addEventListener("click", (event) => this.press(event));
    this.scroller.addEventListener("focusin", (event) => this.focusIn(event));
    this.scroller.addEventListener("focusout", (event) => this.focusOut(event));
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.panel.addEventListener("keydown", (event) => event.key === "Escape" && this.unpin(true));
    this.rail.addEventListener("click", (event) => this.scrollTo(Math.floor((event.offsetY / this.rail.height) * this.model.text.length)));
    document.addEventListener("pointerdown", (event) => !event.composedPath().includes(this.scroller) && this.unlight(), { signal });
    const moved = () => this.hot && requestAnimationFrame(() => this.placeCard());
    this.scroller.addEventListener("scroll", moved, { passive: true });
    document.addEventListener("scroll", moved, { signal, capture: true, passive: true });
    this.width = 0;
    this.resize = new ResizeObserver(() => this.resized());
    this.resize.observe(this.scroller);
  }

  resized() {
    const before = this.width;
    this.width = this.scroller.clientWidth;
    if (!before || before === this.width || !this.model) return;
    if (before <= NARROW !== this.narrow) this.rebuild(), this.drawHeads();
    else {
      this.guessHeights();
      this.rows.filter((row) => row.cells).forEach((row) => this.label(row));
    }
    this.drawRail();
  }

  point(event) {
    const node = event.target.closest?.(".p");
    if (node?.box && node !== this.hot?.node) this.light(node.lane, node.box, node);
  }

  press(event) {
    const node = event.target.closest?.(".p");
    if (node?.box && !node.box.note && getSelection()?.isCollapsed !== false) this.pin(node.lane, node.box);
  }

  light(lane, box, node) {
    this.hotRows().forEach((row) => this.mark(row, false));
    this.hot = { lane, box, node };
    this.hotRows().forEach((row) => this.mark(row, true));
    this.root.classList.add("lit");
    this.branches.point(lane, box);
    this.card.replaceChildren(...cardContent(this.model, lane, box));
    this.placeCard();
  }

  unlight() {
    if (!this.hot) return;
    this.hotRows().forEach((row) => this.mark(row, false));
    this.hot = null;
    this.root.classList.remove("lit");
    this.branches.point(null);
    if (this.card.matches(":popover-open")) this.card.hidePopover();
  }

  // The drawn rows that the lit characters stand in.
  hotRows() {
    if (!this.hot) return [];
    const { from, to } = this.hot.box;
    const found = [];
    for (let i = lastUpTo(this.starts, from); i < this.rows.length && this.rows[i].start < to; i++) if (this.rows[i].cells) found.push(this.rows[i]);
    return found;
  }

  mark(row, on) {
    const { from, to } = this.hot.box;
    for (const { lane, element, boxes } of row.cells) {
      if (!lane) continue;
      let i = 0;
      let high = boxes.length;
      while (i < high) {
        const middle = (i + high) >> 1;
        if (boxes[middle].to <= from) i = middle + 1;
        else high = middle;
      }
      for (; i < boxes.length && boxes[i].from < to; i++) element.childNodes[i]?.classList.toggle("hot", on);
    }
  }

  // The card stands under its box, in the staff under all its lanes, above where there is no room, and goes
  // when the box scrolls away.
  placeCard() {
    const rect = this.hot?.node.isConnected && this.hot.node.getClientRects()[0];
    const scroller = this.scroller.getBoundingClientRect();
    const seen = rect && rect.bottom > Math.max(0, scroller.top) && rect.top < Math.min(innerHeight, scroller.bottom);
    const open = this.card.matches(":popover-open");
    if (!seen || this.pinned?.box === this.hot.box) {
      if (open) this.card.hidePopover();
      return;
    }
    if (!open) this.card.showPopover();
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const [above, below] = this.lanesAround();
    const under = rect.bottom + below + 14;
    const top = under + height < innerHeight ? under : rect.top - above - height - 8;
    this.card.style.left = `${Math.max(8, Math.min(rect.left - 12, innerWidth - width - 8))}px`;
    this.card.style.top = `${Math.max(8, top)}px`;
  }

  // How far the lanes of the staff reach above and below the lit one, in pixels.
  lanesAround() {
    const cells = this.staff ? (this.hotRows()[0]?.cells.filter(({ lane }) => lane) ?? []) : [];
    if (cells.length < 2) return [0, 0];
    const tops = cells.map(({ element }) => element.getBoundingClientRect().top);
    const own = tops[this.hot.lane.index];
    return [own - tops[0], tops.at(-1) - own];
  }

  // ---- the inspector

  pin(lane, box, scroll = true) {
    const { model } = this;
    this.pinned = { lane, box };
    const title = make("div", "title");
    const close = this.button(title, "×", () => this.unpin(true));
    close.setAttribute("aria-label", model.labels.close);
    title.prepend(make("span", "said", spoken(model.text.slice(box.from, box.to))), make("span", "where", offsets(model, lane, box)));
    const steps = make("div", "scroll");
    steps.tabIndex = 0; // to be scrolled by keys
    steps.setAttribute("role", "group");
    steps.setAttribute("aria-label", model.labels.inspector);
    steps.append(...ladder(model, box));
    this.panel.replaceChildren(title, make("p", "why", whyBytes(model, box)), steps);
    this.panel.hidden = false;
    if (this.card.matches(":popover-open")) this.card.hidePopover(); // it says less, over what is to be seen
    this.limit();
    this.drawRail();
    if (!scroll) return;
    this.panel.scrollIntoView({ block: "nearest" });
    this.rowOf(box.from)?.element.querySelector(".hot")?.scrollIntoView({ block: "nearest" });
  }

  unpin(back = false) {
    if (!this.pinned) return;
    this.pinned = null;
    this.panel.hidden = true;
    this.panel.replaceChildren();
    this.limit();
    this.drawRail();
    if (back) this.focusBox();
  }

  // ---- keyboard: one Tab stop, arrow keys walk the boxes

  focusIn(event) {
    if (event.target !== this.scroller) return;
    const fromInside = event.relatedTarget && this.scroller.contains(event.relatedTarget);
    if (!fromInside && this.scroller.matches(":focus-visible")) this.step(0);
  }

  focusOut(event) {
    if (event.target !== this.scroller) for (const name of ["role", "aria-label", "aria-describedby"]) event.target.removeAttribute(name);
    if (this.scroller.contains(event.relatedTarget)) return;
    this.focused = false;
    this.scroller.tabIndex = 0;
    this.unlight();
  }

  key(event) {
    if (!this.model.text || event.metaKey || event.ctrlKey || event.altKey) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: "down", ArrowUp: "up", Home: "first", End: "last" };
    const differences = { n: 1, p: -1, N: 1, P: -1 };
    if (event.key === "Escape") {
      if (this.focused) this.leave();
    } else if (event.key === "Enter" && this.hot && this.focused) this.pin(this.hot.lane, this.hot.box);
    else if (event.key in differences && this.model.differences.compared > 1) this.toDifference(differences[event.key]);
    else if (event.key in steps) this.step(steps[event.key]);
    else return;
    event.preventDefault();
  }

  leave() {
    this.focused = false;
    this.scroller.tabIndex = 0;
    this.scroller.focus({ preventScroll: true });
    this.unlight();
  }

  step(how) {
    const { drawn } = this;
    if (!drawn.length || !this.model.text) return;
    this.difference = undefined;
    let { lane, box } = this.current;
    let at = Math.max(0, drawn.findIndex(({ index }) => index === lane));
    if (drawn[at].index !== lane) box = 0;
    if (how === "down" || how === "up") {
      const unit = this.unitOf(drawn[at], box);
      at = Math.max(0, Math.min(drawn.length - 1, at + (how === "down" ? 1 : -1)));
      const segment = drawn[at].segmentOfUnit(unit);
      box = this.chips ? drawn[at].tokenAt[segment] : segment;
    } else if (how === "first") box = 0;
    else if (how === "last") box = Infinity;
    else box += how;
    const count = this.chips ? drawn[at].tokens.length : drawn[at].segments;
    this.current = { lane: drawn[at].index, box: Math.max(0, Math.min(count - 1, box)) };
    this.focusBox();
  }

  unitOf(lane, box) {
    return lane.unitAt[this.chips ? lane.segmentOfToken(Math.min(box, lane.tokens.length - 1)) : Math.min(box, lane.segments - 1)];
  }

  focusBox() {
    const lane = this.model.lanes[this.current.lane];
    const row = lane && this.rowOf(this.unitOf(lane, this.current.box));
    if (!row) return;
    this.fillRows([row]);
    const token = this.chips ? this.current.box : lane.tokenAt[this.current.box];
    const cell = row.cells.find((each) => each.lane?.index === lane.index);
    const index = Math.max(0, cell.boxes.findLastIndex((box) => box.token <= token));
    const node = cell.element.childNodes[cell.boxes.findIndex((box) => box.token === cell.boxes[index].token)];
    this.focused = true;
    node.setAttribute("role", "button");
    node.setAttribute("aria-describedby", "card");
    node.setAttribute("aria-label", boxName(this.model, lane, node.box));
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest" });
    this.scroller.tabIndex = -1;
    this.light(lane, node.box, node);
  }
}

// A menu with its words, without losing what is open.
function fillMenu({ words, list }, title, options, chosen) {
  words.textContent = title;
  if (options.join("\n") !== [...list.options].map((option) => option.textContent).join("\n")) {
    list.replaceChildren(...options.map((option) => make("option", "", option)));
  }
  list.selectedIndex = chosen;
}
