// Part 8: the time machine: the same text at any vocabulary size that a tokenizer has passed, without the server.
// One number per byte says which merge joined it to the byte before; the rest follows from that. The corpus that the
// tokenizer learned from has no such numbers here: of it come some points of its curve.

import { addButton, make } from "./elements.js";
import { fillChip } from "./named_text.js";
import { totals } from "./sorted.js";
import { paint, tintOfBytes } from "./tints.js";
import { charUnits, utf8Length } from "./utf8.js";

const PLAY_SECONDS = 10; // from no merge to the last one
const CURVE_POINTS = 400; // of a line; more would lie within one pixel

class History {
  constructor(model, lane) {
    const { joined, left, right, counts } = lane.history;
    Object.assign(this, { model, lane, joined, left, right, counts });
    this.bytes = new TextEncoder().encode(model.text);
    this.places(model);
    this.vocabulary = new Map();
    this.total = left.length;
    this.counted = this.countTokens();
    this.corpus = this.countCorpus(lane.history);
  }

  // Of each byte offset: the UTF-16 unit if a grapheme cluster starts there, else -1; and whether a character does.
  places({ text }) {
    this.clusterAt = new Int32Array(this.bytes.length + 1).fill(-1);
    this.charAt = new Uint8Array(this.bytes.length + 1);
    let byte = 0;
    for (let unit = 0; unit < text.length; ) {
      this.charAt[byte] = 1;
      if (this.model.startsCluster(unit)) this.clusterAt[byte] = unit;
      const size = charUnits(text, unit);
      byte += utf8Length(text.slice(unit, unit + size));
      unit += size;
    }
    this.charAt[byte] = 1;
    this.clusterAt[byte] = text.length;
  }

  // The tokens of the text after each number of merges.
  countTokens() {
    const counts = new Int32Array(this.total + 1);
    for (const merge of this.joined) if (merge) counts[merge] -= 1;
    counts[0] = this.bytes.length;
    for (let n = 1; n <= this.total; n++) counts[n] += counts[n - 1];
    return counts;
  }

  // The tokens of the corpus after each number of merges, and where that is only about right; null without points.
  // Between two points each merge joins its pair as often as it was found: exact, unless both halves are the same
  // token, for then "aaa" holds the pair twice and is joined once. From the next point backwards there is another way.
  countCorpus({ corpus_merges: merges, corpus_tokens: tokens }) {
    if (!merges?.length || merges[0] !== 0 || !tokens[0]) return null;
    const counts = new Float64Array(this.total + 1).fill(-1);
    merges.forEach((merge, place) => (counts[merge] = tokens[place]));
    const known = this.counts.some((count) => count);
    const single = (n) => known && this.left[n - 1] !== this.right[n - 1];
    for (let n = 1; n <= this.total; n++) if (counts[n] < 0 && counts[n - 1] >= 0 && single(n)) counts[n] = counts[n - 1] - this.counts[n - 1];
    for (let n = this.total - 1; n > 0; n--) if (counts[n] < 0 && counts[n + 1] >= 0 && single(n + 1)) counts[n] = counts[n + 1] + this.counts[n];
    const about = Uint8Array.from(counts, (count) => count < 0);
    for (let n = 1, before = 0; n <= this.total; n++) {
      if (about[n]) continue;
      for (let gap = before + 1; gap < n; gap++) counts[gap] = Math.round(counts[before] + ((counts[n] - counts[before]) * (gap - before)) / (n - before));
      before = n;
    }
    // The merges after the last point: as many as are known.
    return { counts, about, bytes: tokens[0], last: counts.findLastIndex((count) => count >= 0) };
  }

  // The bytes of a token of the vocabulary; without recursion, for tokens may be long chains.
  bytesOf(id) {
    if (id < 256) return Uint8Array.of(id);
    if (!this.vocabulary.has(id)) {
      const found = [];
      const waiting = [id];
      while (waiting.length) {
        const next = waiting.pop();
        if (next < 256) found.push(next);
        else waiting.push(this.right[next - 256], this.left[next - 256]);
      }
      this.vocabulary.set(id, Uint8Array.from(found));
    }
    return this.vocabulary.get(id);
  }

  // The lane as it was after so many merges.
  at(merges) {
    const { bytes, joined } = this;
    const places = new Map();
    const [tokens, byteAt, tokenAt, unitAt] = [[], [0], [0], [0]];
    const distinct = { ids: [], sizes: [], bytes: [], tints: [], merges: [], left: [], counts: [] };
    let start = 0;
    let parts = 0;
    for (let end = 1; end <= bytes.length; end++) {
      if (end < bytes.length && joined[end - 1] && joined[end - 1] <= merges) continue;
      const id = this.idOf(start, end);
      if (!places.has(id)) places.set(id, this.add(distinct, id, start, end));
      tokens.push(places.get(id));
      byteAt.push(end);
      if (!this.charAt[start] || !this.charAt[end]) parts += 1;
      if (this.clusterAt[end] >= 0) tokenAt.push(tokens.length), unitAt.push(this.clusterAt[end]);
      start = end;
    }
    return this.laneOf(distinct, { tokens, byteAt, tokenAt, unitAt }, parts);
  }

  // A token is named by the last merge inside it.
  idOf(start, end) {
    if (end - start === 1) return this.bytes[start];
    let merge = 0;
    for (let place = start; place < end - 1; place++) merge = Math.max(merge, this.joined[place]);
    return 255 + merge;
  }

  add(distinct, id, start, end) {
    const bytes = this.bytes.subarray(start, end);
    const merge = id < 256 ? 0 : id - 255;
    distinct.ids.push(id);
    distinct.sizes.push(bytes.length);
    distinct.bytes.push(...bytes);
    distinct.tints.push(tintOfBytes(bytes, this.model.tintCount));
    distinct.merges.push(merge);
    distinct.left.push(merge ? this.bytesOf(this.left[merge - 1]).length : 0);
    distinct.counts.push(merge ? this.counts[merge - 1] : 0);
    return distinct.ids.length - 1;
  }

  laneOf(distinct, arrays, parts) {
    const { model } = this;
    const lane = this.lane.with({ ...arrays, ids: distinct.ids, sizes: distinct.sizes, bytes: Uint8Array.from(distinct.bytes) });
    lane.bytesAt = totals(distinct.sizes.length, (place) => distinct.sizes[place]);
    lane.tints = paint(arrays.tokens, distinct.tints, model.tintCount);
    lane.made = { merges: distinct.merges, left: distinct.left, counts: distinct.counts };
    const count = arrays.tokens.length;
    const each = (amount) => (count ? (amount / count).toFixed(2) : "–");
    const values = [count.toLocaleString(model.locale), each(model.chars), each(this.bytes.length)];
    const { labels } = model;
    lane.column = {
      ...this.lane.column,
      count,
      parts,
      figures: this.lane.column.figures.map(([, label], index) => [values[index], label]),
      truth: parts ? model.label("pieces", { pieces: parts }) : labels.no_pieces,
    };
    return lane;
  }
}

export class TimeMachine {
  constructor(state, onMove) {
    this.state = state;
    this.onMove = onMove;
    this.element = make("div", "time");
    const row = make("div", "drive");
    this.button = addButton(row, "▶", () => this.toggle());
    this.slider = make("input");
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.oninput = () => this.go(this.slider.valueAsNumber);
    this.place = make("span", "where");
    row.append(this.slider, this.place);
    this.merge = make("div", "merge");
    this.curve = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.curve.setAttribute("class", "curve");
    this.curve.setAttribute("preserveAspectRatio", "none");
    this.lines = make("div", "lines");
    this.dots = ["", " corpus"].map((name) => make("div", `dot${name}`));
    for (const dot of this.dots) {
      const words = make("span", "riding");
      words.append(make("span"), make("span", "figure"));
      dot.append(words);
    }
    const chart = make("div", "chart");
    chart.append(this.curve, this.lines, ...this.dots);
    this.corpusSays = make("p", "corpus-says");
    this.says = make("p", "note");
    this.element.append(row, this.merge, chart, this.corpusSays, this.says);
  }

  // A new payload: the newest merge is followed until somebody takes the slider.
  update() {
    const { model } = this.state;
    this.playing = this.playing && Boolean(model.lanes[0]?.history);
    this.element.hidden = !model.lanes[0]?.history;
    if (this.element.hidden) return;
    this.history = new History(model, model.lanes[0]);
    const { total } = this.history;
    this.slider.max = total;
    const chosen = this.state.choice.merges ?? total;
    this.words(model);
    this.drawCurve();
    this.apply(Math.min(chosen, total));
  }

  words({ labels }) {
    this.button.setAttribute("aria-label", this.playing ? labels.pause : labels.play);
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.slider.setAttribute("aria-label", labels.time);
  }

  // Colours change at once while the slider moves: a thousand of them fading at a time would hold it up.
  go(merges) {
    this.state.root.classList.add("moving");
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.state.root.classList.remove("moving"), 300);
    this.state.choice.merges = merges === this.history.total ? null : merges;
    this.apply(merges);
    this.onMove();
  }

  // Put the lane of that moment into the model.
  apply(merges) {
    const { history } = this;
    const { model } = this.state;
    this.merges = merges;
    model.lanes[0] = merges === history.total ? history.lane : history.at(merges);
    model.isPast = merges < history.total;
    this.slider.value = merges;
    const words = model.label("time_place", { merge: merges, count: history.total, size: 256 + merges });
    this.place.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
    this.drawMerge();
    this.mark();
  }

  drawMerge() {
    const { history, merges } = this;
    this.merge.replaceChildren();
    if (!merges) return;
    const [left, right, token] = [history.left[merges - 1], history.right[merges - 1], 255 + merges].map((id) => this.chip(id));
    this.merge.append(left, "+", right, "→", token);
    const count = history.counts[merges - 1];
    if (count) this.merge.append(make("span", "where", this.state.model.label("seen", { count })));
  }

  chip(id) {
    const bytes = this.history.bytesOf(id);
    const chip = make("span", "p");
    chip.style.backgroundColor = `var(--t${tintOfBytes(bytes, this.state.model.tintCount)})`;
    fillChip(chip, bytes.subarray(0, 48));
    return chip;
  }

  // Tokens of this text against merges, and how many other tokenizers need, as level lines.
  drawCurve() {
    const { counted, total, corpus } = this.history;
    const { model } = this.state;
    const levels = model.lanes[0].column.levels;
    const most = Math.max(1, counted[0], ...levels.map(({ count }) => count));
    this.height = (count) => 100 - (96 * count) / most;
    this.across = (merges) => (total ? (100 * merges) / total : 0);
    this.curve.setAttribute("viewBox", "0 0 100 100");
    this.curve.setAttribute("role", "img");
    const paths = [this.path((n) => this.height(counted[n]), total, "")];
    if (corpus) paths.unshift(this.path((n) => this.corpusHeight(n), corpus.last, "corpus"));
    this.marker = document.createElementNS("http://www.w3.org/2000/svg", "line");
    this.marker.setAttribute("y1", 0);
    this.marker.setAttribute("y2", 100);
    this.curve.replaceChildren(...paths, this.marker);
    this.lines.replaceChildren(...levels.map((level, index) => this.level(level, index)));
    this.sayParity(levels);
  }

  // Shares of the bytes of each have one axis: the whole of this text's bytes is as high as the whole of the corpus's.
  corpusHeight(merges) {
    const { corpus, counted } = this.history;
    return this.height((corpus.counts[merges] / corpus.bytes) * counted[0]);
  }

  path(height, last, name) {
    const step = Math.max(1, Math.floor(last / CURVE_POINTS));
    const points = [];
    for (let n = 0; n < last; n += step) points.push(`${this.across(n).toFixed(2)},${height(n).toFixed(2)}`);
    points.push(`${this.across(last).toFixed(2)},${height(last).toFixed(2)}`);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    path.setAttribute("class", name);
    path.setAttribute("points", points.join(" "));
    return path;
  }

  // Names stand side by side, so that lines close together do not hide each other's.
  level({ name, count }, index) {
    const line = make("div", "level");
    line.style.top = `${this.height(count)}%`;
    const words = make("span", "", `${name} · ${count.toLocaleString(this.state.model.locale)}`);
    words.style.insetInlineEnd = `${index * 33}%`;
    line.append(words);
    return line;
  }

  // From which merge on this text needs fewer tokens than elsewhere.
  sayParity(levels) {
    const { counted, total } = this.history;
    const { model } = this.state;
    const said = levels.map(({ name, count }) => {
      const merge = counted.findIndex((tokens) => tokens < count);
      return merge < 0 ? model.label("parity_not_yet", { name }) : model.label("parity", { name, merge });
    });
    const first = model.label("time_says", { first: counted[0], last: counted[total] });
    this.says.textContent = [first, ...said].join(" ");
    this.curve.setAttribute("aria-label", this.says.textContent);
  }

  mark() {
    const x = this.across(this.merges);
    this.marker.setAttribute("x1", x);
    this.marker.setAttribute("x2", x);
    const { counted, corpus } = this.history;
    const { labels, locale } = this.state.model;
    const here = corpus && this.merges <= corpus.last;
    const heights = [this.height(counted[this.merges]), here ? this.corpusHeight(this.merges) : 0];
    const lower = here && heights[0] > heights[1] ? 0 : 1; // its name stands below its line, the other's above
    this.dots.forEach((dot, index) => {
      dot.hidden = index === 1 && !here;
      dot.style.left = `${x}%`;
      dot.style.top = `${heights[index]}%`;
      dot.firstChild.hidden = !corpus;
      dot.classList.toggle("under", index === lower);
      dot.classList.toggle("leftwards", x > 50);
    });
    this.corpusSays.hidden = !corpus;
    if (!corpus) return;
    const about = here && corpus.about[this.merges];
    const said = [
      [labels.time_text, ` · ${counted[this.merges].toLocaleString(locale)}`],
      [labels.time_corpus, here ? ` · ${about ? "≈ " : ""}${corpus.counts[this.merges].toLocaleString(locale)}` : ""],
    ];
    this.dots.forEach((dot, index) => said[index].forEach((words, part) => (dot.firstChild.children[part].textContent = words)));
    const sentence = here ? this.state.model.label(about ? "corpus_about" : "corpus_says", { count: corpus.counts[this.merges] }) : "";
    this.corpusSays.textContent = [sentence, labels.time_axis].join(" ").trim();
  }

  toggle() {
    this.playing = !this.playing;
    this.words(this.state.model);
    if (!this.playing) return;
    if (this.merges >= this.history.total) this.go(0);
    let at = this.merges;
    let before = performance.now();
    const turn = (now) => {
      if (!this.playing || this.state.hasEnded) return;
      at = Math.min(this.history.total, at + (this.history.total * (now - before)) / 1000 / PLAY_SECONDS);
      before = now;
      if (Math.floor(at) !== this.merges) this.go(Math.floor(at));
      if (at >= this.history.total) this.toggle();
      else requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }
}
