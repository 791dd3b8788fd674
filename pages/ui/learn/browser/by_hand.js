// The lesson of byte-pair encoding by hand: count, choose, replace; then as a game, and as it is programmed.
// @ts-check

import { addButton, make } from "../../widgets/token_view/browser/elements.js";
import { Workbench } from "./merges.js";
import { seen } from "./room.js";

/** @import { Room } from "./room.js" */
/** @import { Pair, TraceStep } from "./types.d.ts" */

const CLASSIC = "aaabdaaabac";
const STRIPS = "กาตากามาตากา";
const GAME = 20; // merges
const MOST_PAIRS = 6; // in the list
const PACE = 500; // milliseconds of a line

export const HAND = [count, byHand, game, programmed];

/** @param {Room} room */
function count(room) {
  const bench = new Workbench(CLASSIC);
  drawBoard(room, bench);
  const [best, ...others] = bench.pairs;
  const name = (/** @type {Pair} */ { left, right }) => `${bench.textOf(left)} + ${bench.textOf(right)}`;
  const choices = [others[1], best, others[0]].map(name);
  room.ask(room.label("hand_1_ask"), choices, name(best), () => {
    room.bars(bench.pairs.map((pair) => [name(pair), pair.count]));
  });
}

/** @param {Room} room */
function byHand(room) {
  room.choose(room.label("hand_2_choose"), [[CLASSIC, CLASSIC], [STRIPS, STRIPS], ["", room.label("own")]], (text) => {
    const work = (/** @type {string} */ chosen) => workOn(room, new Workbench(chosen));
    if (text) work(text);
    else {
      room.write("text", work);
      // The pairs to press are in sight below a text of several lines.
      const [pairs, foot] = [".columns", ".foot"].map((name) => room.element.parentElement?.querySelector(name)?.getBoundingClientRect());
      if (pairs && foot && pairs.bottom > foot.top) room.element.querySelector(".switch")?.scrollIntoView();
    }
  });
}

/** The board, the pairs to choose from, and the vocabulary; drawn again after each merge. @param {Room} room @param {Workbench} bench */
function workOn(room, bench) {
  const outer = room.place;
  const holder = room.add("div", "work");
  const draw = (/** @type {string} */ said) => {
    holder.replaceChildren();
    room.place = holder;
    const merge = (/** @type {Pair} */ pair, isByKey = false) => {
      const most = bench.pairs[0];
      const overlap = overlapOf(room, bench, pair, "hand_2_overlap");
      const cost = pair.count < most.count ? costOf(room, bench, pair, most) : "";
      bench.merge(pair.left, pair.right);
      draw([overlap, cost].filter(Boolean).join(" "));
      if (!isByKey) holder.querySelector("button")?.focus();
    };
    const board = drawBoard(room, bench, merge);
    const [count, first] = [bench.ids.length, bench.merges[0]?.before.length];
    const total = first ? room.label("hand_2_saved", { count, saved: first - count }) : room.label("hand_2_tokens", { count });
    board?.sayIn(room.say(`${total} ${said || beginning(room, bench)}`.trim(), "verdict"), room.label("hand_2_apart"));
    const columns = room.add("div", "columns");
    drawPairs(room, bench, columns, merge);
    drawVocabulary(room, bench, columns);
    const undo = addButton(holder, room.label("undo"), () => {
      bench.undo();
      draw("");
    });
    undo.className = "quiet";
    undo.disabled = !bench.merges.length;
    room.place = outer;
    const [best] = bench.pairs;
    if (best?.count > 1) room.lesson.offer(room.label("hand_2_key"), () => merge(best, true));
    else room.lesson.offer();
  };
  draw("");
}

/** With what a text beyond ASCII begins, as it is not bytes; empty after the first merge. @param {Room} room @param {Workbench} bench */
function beginning(room, bench) {
  return bench.isAscii || bench.merges.length ? "" : room.label("hand_2_characters");
}

/** That a pair is merged in fewer places than it was counted; empty where it is merged in all. @param {Room} room @param {Workbench} bench @param {Pair} pair @param {"hand_2_overlap" | "hand_2_instead"} words */
function overlapOf(room, bench, pair, words) {
  const [saved, name] = [bench.savingOf(pair), named(bench, pair)];
  return saved < pair.count ? room.label(words, { pair: name, count: pair.count, saved }) : "";
}

/** What the most frequent pair would have given in place of another. @param {Room} room @param {Workbench} bench @param {Pair} pair @param {Pair} most */
function costOf(room, bench, pair, most) {
  const [name, best] = [named(bench, pair), named(bench, most)];
  return overlapOf(room, bench, most, "hand_2_instead") || room.label("hand_2_cost", { pair: name, found: pair.count, best, count: most.count });
}

/** @param {Workbench} bench @param {Pair} pair */
function named(bench, { left, right }) {
  return `${seen(bench.textOf(left))} + ${seen(bench.textOf(right))}`;
}

/** @param {Room} room @param {Workbench} bench @param {Element} columns @param {(pair: Pair) => void} merge */
function drawPairs(room, bench, columns, merge) {
  const box = columns.appendChild(make("section"));
  box.append(make("h3", "", room.label("pairs")));
  const pairs = bench.pairs.filter(({ count: times }) => times > 1).slice(0, MOST_PAIRS);
  if (!pairs.length) box.append(make("p", "", room.label(bench.merges.length ? "hand_2_done" : "hand_2_none")));
  const most = pairs[0]?.count ?? 1;
  for (const pair of pairs) {
    const button = addButton(box, "", () => merge(pair));
    button.className = "pair";
    const bar = make("i");
    bar.style.width = `${(100 * pair.count) / most}%`;
    button.append(make("span", "", named(bench, pair)), make("b", "", room.label("times", { count: pair.count })), bar);
  }
}

/** @param {Room} room @param {Workbench} bench @param {Element} columns */
function drawVocabulary(room, bench, columns) {
  const box = columns.appendChild(make("section"));
  box.append(make("h3", "", room.label("hand_2_vocabulary")));
  if (!bench.merges.length) box.append(make("p", "", room.label("hand_2_empty")));
  const list = box.appendChild(make("ol", "learned"));
  bench.merges.forEach((pair, at) => {
    const id = bench.isAscii ? `${256 + at} = ` : "";
    list.append(make("li", "", `${id}${named(bench, pair)}`));
  });
}

/**
 * The tokens; with `merge`, a token can be dragged onto its neighbour, or one pressed after the other. All places
 * where the pair stands light up. A token has the same colour wherever it stands, as long as there are colours.
 * @param {Room} room
 * @param {Workbench} bench
 * @param {(pair: Pair) => void} [merge]
 */
function drawBoard(room, bench, merge) {
  const tokens = bench.ids.map((id) => new TextEncoder().encode(bench.textOf(id)));
  const under = bench.isAscii ? bench.ids.map((id) => String(bench.shownId(id))) : undefined;
  const tints = room.tintsInOrder(bench.known, bench.ids);
  const chips = room.chips(tokens, { name: room.label("board"), under, tag: merge ? "button" : "span", tints });
  chips[0]?.closest(".chips")?.classList.add("board");
  return merge && new Board(bench, /** @type {HTMLButtonElement[]} */ (chips), merge);
}

class Board {
  /** @param {Workbench} bench @param {HTMLButtonElement[]} chips @param {(pair: Pair) => void} merge */
  constructor(bench, chips, merge) {
    this.bench = bench;
    this.chips = chips;
    this.merge = merge;
    /** @type {number | null} */
    this.taken = null;
    this.wasDragged = false;
    /** @type {(isApart: boolean) => void} */
    this.tell = () => {};
    chips.forEach((chip, at) => {
      chip.tabIndex = at ? -1 : 0;
      chip.onclick = () => this.press(at);
      chip.onkeydown = (event) => this.move(event, at);
      chip.onfocus = () => this.light(at);
      chip.onpointerdown = () => this.begin(at);
      chip.onpointerenter = () => this.light(at);
    });
    const board = /** @type {HTMLElement | undefined} */ (chips[0]?.closest(".chips"));
    if (!board) return;
    board.onpointermove = (event) => this.light(this.placeOf(event));
    board.onpointerup = (event) => this.drop(this.placeOf(event));
    board.onpointercancel = () => this.take(null);
  }

  /** Say in a line that two tokens are no neighbours, until the next one is pressed. @param {HTMLElement} line @param {string} words */
  sayIn(line, words) {
    line.setAttribute("role", "status");
    const usual = line.textContent;
    this.tell = (isApart) => {
      line.textContent = isApart ? words : usual;
    };
  }

  /** The place under the pointer; a finger that drags keeps its events at the chip where it began. @param {PointerEvent} event */
  placeOf({ clientX, clientY, target }) {
    const root = /** @type {Document | ShadowRoot} */ (/** @type {Element} */ (target).getRootNode());
    const chip = root.elementFromPoint(clientX, clientY)?.closest("button");
    return this.chips.indexOf(/** @type {HTMLButtonElement} */ (chip));
  }

  /** @param {number} at */
  begin(at) {
    this.wasDragged = false;
    if (this.taken === null || Math.abs(this.taken - at) !== 1) {
      this.take(at);
      this.began = at;
    } else this.began = null;
  }

  /** @param {number} at */
  drop(at) {
    const from = this.began;
    if (from === null || from === undefined || at < 0 || at === from) return;
    this.wasDragged = true;
    if (Math.abs(at - from) === 1) this.join(from, at);
    else {
      this.take(null);
      this.tell(true);
    }
  }

  /** @param {number} at */
  press(at) {
    if (this.wasDragged) this.wasDragged = false;
    else if (this.taken !== null && Math.abs(this.taken - at) === 1) this.join(this.taken, at);
    else if (this.began === at) this.began = null; // the pointer has taken it already
    else this.take(this.taken === at ? null : at);
  }

  /** @param {number | null} at */
  take(at) {
    this.tell(this.taken !== null && at !== null && Math.abs(this.taken - at) > 1);
    this.taken = at;
    this.chips.forEach((chip, place) => {
      chip.setAttribute("aria-pressed", String(place === at));
      chip.classList.remove("lit");
    });
  }

  /** Light every place of the pair that would be joined. @param {number} at */
  light(at) {
    for (const chip of this.chips) chip.classList.remove("lit");
    if (this.taken === null || Math.abs(this.taken - at) !== 1) return;
    const [left, right] = this.pairAt(Math.min(this.taken, at));
    const { ids } = this.bench;
    for (let place = 0; place + 1 < ids.length; place++) {
      if (ids[place] !== left || ids[place + 1] !== right) continue;
      this.chips[place].classList.add("lit");
      this.chips[++place].classList.add("lit");
    }
  }

  /** @param {number} at */
  pairAt(at) {
    return [this.bench.ids[at], this.bench.ids[at + 1]];
  }

  /** @param {number} from @param {number} to */
  join(from, to) {
    const [left, right] = this.pairAt(Math.min(from, to));
    const pair = this.bench.pairs.find((each) => each.left === left && each.right === right);
    if (pair) this.merge(pair);
  }

  /** @param {KeyboardEvent} event @param {number} at */
  move(event, at) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step && this.chips[at + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    this.chips[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

// ---- the game

/** Twenty merges on one's own sentence, without the counts. @param {Room} room */
function game(room) {
  room.write("text", (text) => {
    room.lesson.showNext(false, room.label("wait_game"), () => end());
    const bench = new Workbench(text);
    const holder = room.add("div", "work game");
    const outer = room.place;
    const inside = (/** @type {() => void} */ draw) => {
      const before = room.place;
      holder.replaceChildren();
      room.place = holder;
      draw();
      room.place = before;
    };
    const play = () => inside(() => {
      holder.classList.remove("scored");
      const left = room.label("hand_3_score", { count: bench.ids.length, left: GAME - bench.merges.length });
      const said = room.say([left, beginning(room, bench)].filter(Boolean).join(" · "), "score");
      const board = drawBoard(room, bench, (pair) => {
        bench.merge(pair.left, pair.right);
        if (bench.merges.length === GAME || !bench.pairs.length) return finish();
        play();
        holder.querySelector("button")?.focus();
      });
      board?.sayIn(said, room.label("hand_2_apart"));
      const row = room.add("div", "choices");
      addButton(row, room.label("hand_3_finish"), finish);
      const undo = addButton(row, room.label("undo"), () => {
        bench.undo();
        play();
      });
      undo.className = "quiet";
      undo.disabled = !bench.merges.length;
    });
    const end = () => inside(() => {
      holder.classList.add("scored");
      score(room, bench, text);
      addButton(holder, room.label("again"), () => {
        while (bench.merges.length) bench.undo();
        play();
      }).className = "quiet";
      room.lesson.showNext(true);
    });
    const finish = () => {
      end();
      holder.querySelector("button")?.focus({ preventScroll: true }); // it stands below what is read first
      holder.querySelector(".verdict")?.scrollIntoView({ block: "nearest" });
    };
    play();
    room.place = outer;
  });
}

/** @param {Room} room @param {Workbench} bench @param {string} text */
function score(room, bench, text) {
  const merges = bench.merges.length;
  if (!merges) return void scoreOfBpe(room, bench, text);
  const own = bench.ids.length;
  const rival = new Workbench(text).mergeBest(merges);
  const best = rival.ids.length;
  const verdict = own < best ? "hand_3_won" : own === best ? "hand_3_even" : "hand_3_lost";
  room.say(room.label(verdict, { own, best }), "verdict").setAttribute("role", "status");
  if (own === best && rival.merges.at(-1)?.count === 1) room.say(room.label("hand_3_tie"));
  room.bars([
    [room.label("hand_3_you", { merges }), own],
    [room.label("hand_3_bpe", { merges }), best],
    [room.label("hand_3_gpt2"), room.gpt2.encode(text).length],
  ]);
  room.add("h3", "", room.label("hand_3_you", { merges }));
  drawBoard(room, bench);
  room.add("h3", "", room.label("hand_3_bpe", { merges }));
  drawBoard(room, rival);
  const missed = bench.merges.filter((each) => each.count < each.best.count);
  if (!missed.length) return;
  const rows = missed.map((each) => [
    String(1 + bench.merges.indexOf(each)),
    `${named(bench, each)} · ${room.label("times", { count: each.count })}`,
    `${named(bench, each.best)} · ${room.label("times", { count: each.best.count })}`,
  ]);
  room.table([room.label("merge"), room.label("hand_3_yours"), room.label("hand_3_most")], rows);
}

/** What BPE makes of a text in which nobody has merged. @param {Room} room @param {Workbench} bench @param {string} text */
function scoreOfBpe(room, bench, text) {
  const rival = new Workbench(text).mergeBest(GAME);
  const merges = rival.merges.length;
  const [first, count] = [bench.ids.length, rival.ids.length];
  room.say(room.label("hand_3_alone", { first, count }), "verdict").setAttribute("role", "status");
  room.bars([
    [room.label("hand_3_before"), first],
    [room.label("hand_3_bpe", { merges }), count],
    [room.label("hand_3_gpt2"), room.gpt2.encode(text).length],
  ], 1);
  drawBoard(room, rival);
}

// ---- the program

/** The steps at which one more merge is there; in place of the last of them, the end. @param {TraceStep[]} trace */
function stepsWithMerge(trace) {
  let before = "[]";
  const found = trace.flatMap(({ values }, at) => {
    const now = values.find(([name]) => name === "merges")?.[1] ?? before;
    const isNew = now !== before;
    before = now;
    return isNew ? [at] : [];
  });
  return [...found.slice(0, -1), trace.length - 1];
}

/** reference.py at work on the classic: the line that runs next is lit, its variables stand beside it. @param {Room} room */
function programmed(room) {
  const { code, trace } = room.lesson.options;
  const bar = room.add("div", "choices"); // above what grows
  const columns = room.add("div", "columns program");
  const listing = columns.appendChild(make("ol", "listing"));
  listing.tabIndex = 0;
  listing.setAttribute("aria-label", "reference.py");
  const lines = code.map((line) => listing.appendChild(make("li", "", line || " ")));
  for (const line of lines) line.style.setProperty("--indent", String(line.textContent?.search(/\S|$/)));
  const values = columns.appendChild(make("dl", "values"));
  const stops = stepsWithMerge(trace);
  let at = 0;
  let timer = 0;
  const show = (/** @type {number} */ step) => {
    at = Math.max(0, Math.min(trace.length - 1, step));
    const { line, values: found } = trace[at];
    lines.forEach((each, number) => each.classList.toggle("lit", number === line));
    listing.scrollTop = lines[line].offsetTop - listing.offsetTop - listing.clientHeight / 2;
    values.replaceChildren(...found.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", value)]));
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", room.label("hand_4_step", { step: at + 1, steps: trace.length }));
    if (at === trace.length - 1) stop();
    if (listing.isConnected) offerNext();
  };
  const offerNext = () => {
    const next = stops.find((each) => each > at);
    if (next) room.lesson.offer(room.label("hand_4_key"), () => (stop(), show(next)));
    else room.lesson.offer();
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    toggle.textContent = room.label("play");
  };
  const toggle = addButton(bar, room.label("play"), () => {
    if (timer) return stop();
    if (at === trace.length - 1) at = -1;
    toggle.textContent = room.label("pause");
    timer = setInterval(() => (toggle.isConnected ? show(at + 1) : stop()), PACE);
  });
  addButton(bar, "‹", () => show(at - 1)).setAttribute("aria-label", room.label("step_back"));
  addButton(bar, "›", () => show(at + 1)).setAttribute("aria-label", room.label("step_on"));
  const slider = bar.appendChild(make("input"));
  slider.type = "range";
  slider.max = String(trace.length - 1);
  slider.setAttribute("aria-label", room.label("step"));
  slider.oninput = () => show(Number(slider.value));
  offerNext();
  requestAnimationFrame(() => {
    show(Math.max(1, at)); // before the first line there are no values
    document.fonts.ready.then(() => show(at)); // in another font, lines break elsewhere
  });
}
