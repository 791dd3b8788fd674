// The lesson of encoding: merges that were learned, on a new text; three ways side by side; a tie that is flipped.
// @ts-check

import { addButton, make } from "../../widgets/token_view/browser/elements.js";
import { Merges, piecesByGpt2 } from "./merges.js";
import { seen } from "./room.js";

/** @import { Room } from "./room.js" */
/** @import { Picture } from "./types.d.ts" */

const TAUGHT = "aaabdaaabac";
const ROUNDS = 3;
const NEW_TEXT = "aaaab";
const TIE = 1; // the round of the classic in which two pairs are equally frequent
const TRY = "ab";
const SHOWN = 6; // pieces that are cut in two ways
const SHOWN_TO_A_ROOM = 4; // as many as the screen holds

export const ENCODE = [ways, atGpt2, tie];

/** @param {Merges} merges @param {number[]} ids */
function written(merges, ids) {
  return ids.map((id) => new TextDecoder().decode(merges.bytesOf(id))).join(" | ");
}

/** Tokens as chips, in the colours that they have in the lesson before. @param {Room} room @param {Merges} merges @param {number[]} ids @param {string} name */
function drawTokens(room, merges, ids, name) {
  const letters = merges.encode(TAUGHT, 256);
  const known = [...new Set([...letters, ...merges.pairs.map((_, at) => 256 + at), ...ids])];
  room.chips(ids.map((id) => merges.bytesOf(id)), { name, under: ids, tints: room.tintsInOrder(known, ids) });
}

/** @param {Merges} merges @param {Uint8Array} bytes @returns {[string, Picture[]][]} */
function threeWays(merges, bytes) {
  return [
    ["encode_lowest", merges.lowestFirst(bytes)],
    ["encode_longest", merges.longestFirst(bytes)],
    ["encode_walk", merges.oneWalk(bytes)],
  ];
}

/** @param {Room} room */
function ways(room) {
  const merges = Merges.learned(TAUGHT, ROUNDS);
  room.say(room.label("encode_1_taught", { text: TAUGHT }));
  listMerges(room, merges);
  const bytes = new TextEncoder().encode(NEW_TEXT);
  const answers = threeWays(merges, bytes).map(([, pictures]) => written(merges, last(pictures)));
  const choices = [...new Set([answers[1], answers[0], NEW_TEXT.split("").join(" | ")])];
  room.ask(room.label("encode_1_ask", { text: NEW_TEXT }), choices, answers[0], () => {
    const row = room.add("div", "write");
    const field = room.field(row, room.label("encode_1_field"), NEW_TEXT, 16);
    const bar = row.appendChild(make("div", "choices"));
    const below = room.add("div", "below");
    const draw = () => {
      below.replaceChildren();
      const outer = room.place;
      room.place = below;
      race(room, merges, new TextEncoder().encode(field.value), bar);
      room.place = outer;
    };
    field.oninput = draw;
    draw();
  });
}

/** @param {Picture[]} pictures */
function last(pictures) {
  return pictures[pictures.length - 1].ids;
}

/** @param {Room} room @param {Merges} merges */
function listMerges(room, merges) {
  const list = room.add("ol", "learned ranks");
  for (let id = 256; id < merges.total; id++) {
    list.append(make("li", "", `${id} = ${merges.pairs[id - 256].map((part) => merges.texts[part]).join(" + ")}`));
  }
}

/** The step from which a way cannot give the tokens of BPE any more: one of its tokens reaches across their cuts. @param {Merges} merges @param {Picture[]} pictures @param {number[]} goal */
function partsAt(merges, pictures, goal) {
  const endsOf = (/** @type {number[]} */ ids) => {
    let at = 0;
    return new Set(ids.map((id) => (at += merges.texts[id].length)));
  };
  const wanted = [...endsOf(goal)];
  const step = pictures.findIndex(({ ids }) => !wanted.every((end) => endsOf(ids).has(end)));
  if (step >= 0) return step;
  return String(last(pictures)) === String(goal) ? Infinity : pictures.length - 1;
}

/** The ways step by step; a row that has parted from the first says so. @param {Room} room @param {Merges} merges @param {Uint8Array} bytes @param {Element} bar for what is pressed */
function race(room, merges, bytes, bar) {
  const all = threeWays(merges, bytes);
  const most = Math.max(...all.map(([, pictures]) => pictures.length)) - 1;
  const goal = last(all[0][1]);
  const partings = all.map(([, pictures]) => partsAt(merges, pictures, goal)).sort((one, other) => one - other);
  bar.replaceChildren();
  room.sayBytes(all[0][1][0].ids.map((id) => merges.bytesOf(id)));
  if (bytes.length && !most) room.say(room.label("encode_1_none"));
  const rows = room.add("div", "ways");
  let step = 0;
  const draw = () => {
    rows.replaceChildren();
    const outer = room.place;
    for (const [name, pictures] of all) {
      const { ids, made } = pictures[Math.min(step, pictures.length - 1)];
      const row = rows.appendChild(make("section"));
      const isDone = step >= pictures.length - 1;
      const isApart = partsAt(merges, pictures, goal) <= step;
      row.append(make("h3", "", `${isApart ? "≠ " : ""}${room.label(name)}`));
      room.place = row;
      drawTokens(room, merges, ids, room.label(name));
      room.place = outer;
      const said = isDone ? room.label("encode_1_end", { count: ids.length }) : made < 0 ? room.label("encode_1_start") : room.label("encode_1_made", { id: made });
      row.append(make("p", "quiet-words", said));
      row.classList.toggle("apart", isApart);
    }
    back.disabled = step === 0;
    on.disabled = end.disabled = step >= most;
    if (step < most) room.lesson.offer(room.label("encode_1_key"), goOn);
    else room.lesson.offer();
  };
  const goOn = () => (step += 1, draw());
  const back = addButton(bar, "‹", () => (step -= 1, draw()));
  back.setAttribute("aria-label", room.label("step_back"));
  const on = addButton(bar, room.label("encode_1_step"), goOn);
  const end = addButton(bar, room.label("encode_1_to_end"), () => {
    step = Math.min(most, partings.find((parting) => parting > step) ?? most);
    draw();
  });
  end.className = "quiet";
  draw();
  const through = merges.throughAll(bytes);
  const same = String(through) === String(last(all[0][1]));
  if (same && most) room.say(room.label("encode_1_through", { looks: merges.total - 256 }));
}

/** The pieces of a text that the longest token would cut in another way than GPT-2. @param {Room} room @param {string} text */
function apartIn({ gpt2 }, text) {
  return piecesByGpt2(text).flatMap((piece) => {
    const bytes = new TextEncoder().encode(piece);
    const [lowest, longest] = [last(gpt2.lowestFirst(bytes)), last(gpt2.longestFirst(bytes))];
    return String(lowest) === String(longest) ? [] : [{ piece, lowest, longest }];
  });
}

/** Where the longest piece would cut one's own text in another way than GPT-2. @param {Room} room */
function atGpt2(room) {
  const example = room.plain("encode_2_example");
  room.write("text", (text) => {
    const apart = apartIn(room, text);
    const choices = [room.label("yes"), room.label("no")];
    room.ask(room.label("encode_2_ask"), choices, apart.length ? choices[1] : choices[0], () => {
      room.say(room.label("encode_2_apart", { apart: apart.length, count: piecesByGpt2(text).length }), "verdict");
      if (!apart.length) room.say(room.label("encode_2_elsewhere", { text: example }));
      const shown = (apart.length ? apart : apartIn(room, example)).slice(0, room.lesson.options.presents ? SHOWN_TO_A_ROOM : SHOWN);
      room.sayBytes(shown.flatMap(({ lowest, longest }) => [...lowest, ...longest]).map((id) => room.gpt2.bytesOf(id)));
      for (const { piece, lowest, longest } of shown) {
        const pair = room.add("section", "apart-pair");
        pair.append(make("h3", "", seen(piece)));
        for (const [name, ids] of /** @type {[string, number[]][]} */ ([["encode_lowest", lowest], ["encode_longest", longest]])) {
          pair.append(make("p", "quiet-words", room.label(name)));
          room.chips(ids.map((id) => room.gpt2.bytesOf(id)), { name: room.label(name), under: ids, parent: pair });
        }
      }
    });
  }, [example]);
}

/** Two pairs are equally frequent: whichever wins, the training text comes out as short, and another text does not. @param {Room} room */
function tie(room) {
  const both = [Merges.learned(TAUGHT, ROUNDS), Merges.learned(TAUGHT, ROUNDS, TIE)];
  const pairs = both.map((merges) => merges.pairs[TIE].map((part) => merges.texts[part]).join(" + "));
  const counts = both.map((merges) => merges.encode(TAUGHT).length);
  const choices = [...pairs, room.label("encode_3_same")];
  const right = counts[0] === counts[1] ? choices[2] : counts[0] < counts[1] ? choices[0] : choices[1];
  room.ask(room.label("encode_3_ask", { text: TAUGHT }), choices, right, () => {
    const ifWins = (/** @type {string} */ pair) => room.label("encode_3_wins", { pair });
    const take = room.choose(room.label("encode_3_title"), [["0", ifWins(pairs[0])], ["1", ifWins(pairs[1])]], (which) => {
      const merges = both[Number(which)];
      if (which === "0") room.lesson.offer(room.label("encode_3_key", { pair: pairs[1] }), () => take(1));
      else room.lesson.offer();
      listMerges(room, merges);
      for (const text of [TAUGHT, TRY]) {
        const ids = merges.encode(text);
        const name = text === TRY ? `${room.label("encode_1_field")}: ${text}` : text;
        room.add("p", "quiet-words", `${name} · ${room.label("tokens", { count: ids.length })}`);
        drawTokens(room, merges, ids, text);
      }
    });
  });
}
