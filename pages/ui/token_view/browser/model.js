// The token view in the browser, part 1: the payload that payload.py packed, opened.

const FINE = 2000; // UTF-16 units of a text that is drawn whole, cluster by cluster
const MAX_LETTERS = 32; // UTF-16 units drawn of one cluster: 100,000 marks on one base would hang the browser

class Model {
  // From a payload with the options before it, or from a payload that was fetched, with the options beside it.
  constructor(data, options) {
    let at = 0;
    const words = () => {
      const size = new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0, true);
      at += 4 + size;
      return JSON.parse(new TextDecoder().decode(data.subarray(at - size, at)));
    };
    this.options = options ?? words();
    this.payload = data.subarray(at); // as it came, to be taken away
    Object.assign(this, words());
    // Arrays are read where they lie; where their numbers may not start there, from a copy.
    const start = data.byteOffset + at;
    const arrays = start % 4 ? { buffer: data.slice(at).buffer, start: 0 } : { buffer: data.buffer, start };
    this.clusters = readArray(arrays, this.clusters);
    this.rows = [...readArray(arrays, this.rows), this.text.length];
    this.lanes = this.columns.map((column, index) => new Lane(column, index, arrays, this.tint_count));
    this.fine = this.text.length <= FINE; // one box for each cluster, which stays while tokens change
    this.astral = astralPlaces(this.text);
    this.endless = longClusters(this.clusters, this.text.length);
    this.outlined = this.outlined.map((place) => readArray(arrays, place));
    const { starts, ends } = this.differences;
    Object.assign(this.differences, { starts: readArray(arrays, starts), ends: readArray(arrays, ends) });
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

  // Whether this stretch must be drawn cluster by cluster: for a mark without a base, or a cluster without end.
  isDelicate(from, to) {
    const next = below(this.endless, from);
    return this.endless[next] < to || LONE_MARK.test(this.text.slice(from, to));
  }

  // How a stretch stands to the outlined ones: whether it lies in one, and starts or ends it.
  outline(from, to) {
    const [starts, ends] = this.outlined;
    if (this.isPast) return "";
    const next = below(ends, from + 1);
    if (!(starts[next] < to)) return "";
    return `next${starts[next] >= from ? " first" : ""}${ends[next] <= to ? " final" : ""}`;
  }

  // JavaScript counts UTF-16 units, people and Python count characters.
  charAt(unit) {
    return unit - below(this.astral, unit);
  }

  nameOf(character) {
    const code = character.codePointAt(0);
    return this.names[code] ?? `CJK unified ideograph ${code.toString(16).toUpperCase()}`;
  }

  label(key, values) {
    return this.labels[key].replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? value.toLocaleString(this.locale) : value;
    });
  }

  percent(share) {
    if (share === null || Number.isNaN(share)) return "–";
    const digits = share > 0 && share < 0.1 ? 1 : 0;
    return new Intl.NumberFormat(this.locale, { style: "percent", maximumFractionDigits: digits }).format(share);
  }
}

// A tokenizer's tokens, gathered to segments: runs that end where a grapheme cluster does.
class Lane {
  constructor(column, index, arrays, tintCount) {
    const array = (name) => readArray(arrays, column[name]);
    this.column = column;
    this.index = index;
    this.isPretokens = column.kind === "pretokens";
    this.tokens = array("tokens"); // the place of each token among the distinct ones
    this.ids = column.ids;
    this.bytes = array("bytes");
    this.sizes = array("sizes");
    this.bytesAt = totals(this.sizes.length, (place) => this.sizes[place]);
    this.byteAt = totals(this.tokens.length, (token) => this.sizes[this.tokens[token]]);
    const counts = array("segment_tokens");
    const units = array("segment_units");
    this.tokenAt = totals(counts.length, (segment) => counts[segment]);
    this.unitAt = totals(units.length, (segment) => units[segment]);
    this.tints = paint(this.tokens, array("tints"), tintCount);
    this.agreed = column.agreed && array("agreed");
    this.takenBy = column.taken_by && array("taken_by"); // of each pretoken the branch that cut it, from 1 up; 0: none
    this.tintCount = tintCount;
    this.history = column.history && Object.fromEntries(Object.entries(column.history).map(([name, place]) => [name, readArray(arrays, place)]));
    this.made = column.made && Object.fromEntries(Object.entries(column.made).map(([name, place]) => [name, place && readArray(arrays, place)]));
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

  tokenOfByte(byte) {
    return Math.min(last(this.byteAt, byte), this.tokens.length - 1);
  }

  byteOfUnit(unit, text) {
    if (!this.segments) return 0;
    const segment = this.segmentOfUnit(unit);
    return this.byteAt[this.tokenAt[segment]] + utf8Length(text.slice(this.unitAt[segment], unit));
  }

  id(token) {
    return this.ids[this.tokens[token]];
  }

  sizeOf(token) {
    return this.sizes[this.tokens[token]];
  }

  bytesOf(token) {
    const place = this.tokens[token];
    return this.bytes.subarray(this.bytesAt[place], this.bytesAt[place + 1]);
  }

  // The tint of a token that stands alone: by its piece, or by its branch while the text is coloured so.
  tintOf(token) {
    return this.byBranch ? branchTint(this, this.takenBy[token]) : `t${this.tints[token]}`;
  }

  // Whether the other tokenizers have a token of the same bytes at the same place.
  agrees(token) {
    return !this.agreed || (this.agreed[token >> 3] >> (token & 7)) & 1;
  }

  // How a token of one's own was made: its merge, its left part in bytes, its pair's count. Null for others.
  origin(token) {
    if (!this.made) return null;
    const place = this.tokens[token];
    return { merge: this.made.merges[place], left: this.made.left[place], count: this.made.counts?.[place] };
  }

  // For each token of a segment, where it is cut at worst: 0 between clusters, 1 inside a cluster, 2 inside a character.
  breaks(segment, model) {
    const [first, stop] = [this.tokenAt[segment], this.tokenAt[segment + 1]];
    const found = new Uint8Array(stop - first);
    let byte = this.byteAt[first];
    let token = first;
    for (let unit = this.unitAt[segment]; unit < this.unitAt[segment + 1]; ) {
      const size = charUnits(model.text, unit);
      byte += utf8Length(model.text.slice(unit, unit + size));
      unit += size;
      for (; token + 1 < stop && this.byteAt[token + 1] <= byte; token++) {
        const level = this.byteAt[token + 1] < byte ? 2 : model.startsCluster(unit) ? 0 : 1;
        found[token - first] = Math.max(found[token - first], level);
        found[token + 1 - first] = level;
      }
    }
    return found;
  }
}

function readArray(arrays, [offset, length, width]) {
  const kind = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width];
  return new kind(arrays.buffer, arrays.start + offset, length);
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

// Where clusters of more units than can be drawn start: a run of zeros in the bits of `clusters`.
function longClusters(clusters, length) {
  const found = [];
  const bit = (unit) => (clusters[unit >> 3] >> (unit & 7)) & 1;
  for (let i = 1; i < clusters.length; i++) {
    if (clusters[i] || clusters[i - 1] === 0) continue; // at the first byte of zeros after another
    let start = i * 8 - 1;
    while (start > 0 && !bit(start)) start -= 1;
    let end = i * 8;
    while (end < length && !bit(end)) end += 1;
    if (end - start > MAX_LETTERS) found.push(start);
  }
  return found;
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

function charUnits(text, unit) {
  return text.codePointAt(unit) > 0xffff ? 2 : 1;
}

// A byte that is no whole character stands in the text as U+DC80 to U+DCFF, alone.
function brokenByte(character) {
  const code = character.length === 1 ? character.charCodeAt(0) : 0;
  return code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : null;
}

function utf8Length(text) {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else if (unit < 0xdc00) (bytes += 4), (i += 1);
    else bytes += 1;
  }
  return bytes;
}

function bytesOfCharacter(character) {
  const broken = brokenByte(character);
  return broken === null ? new TextEncoder().encode(character) : Uint8Array.of(broken);
}

// A payload from Base64, with its options before it, as Streamlit would hand it over.
function opened(options, payload) {
  const words = new TextEncoder().encode(options);
  const body = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
  const data = new Uint8Array(4 + words.length + body.length);
  new DataView(data.buffer).setUint32(0, words.length, true);
  data.set(words, 4);
  data.set(body, 4 + words.length);
  return data;
}
