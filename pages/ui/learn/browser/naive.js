// The lesson of the naive ways: characters and words as tokens, and where they fail.
// @ts-check

import { make } from "../../widgets/token_view/browser/elements.js";
import { seen } from "./room.js";

/** @import { Room } from "./room.js" */

const ROUND_EYES = "ตากลม";
const READINGS = [["ตา", "กลม"], ["ตาก", "ลม"]];

export const NAIVE = [lengths, unknown, readings];

/** The words of a text, as this browser's dictionary finds them, and its emoji, which are as easily lost. @param {string} text */
function wordsOfText(text) {
  const found = new Intl.Segmenter("th", { granularity: "word" }).segment(text);
  return Array.from(found).filter(({ segment, isWordLike }) => isWordLike || /\p{S}/u.test(segment)).map(({ segment }) => segment);
}

/** @param {Room} room */
function lengths(room) {
  room.write("text", (text) => {
    const words = wordsOfText(text);
    /** @type {[string, number][]} */
    const counts = [
      [room.label("naive_characters"), [...text].length],
      [room.label("naive_words"), words.length],
      [room.label("naive_gpt2"), room.gpt2.encode(text).length],
    ];
    const [most] = counts.toSorted(([, one], [, other]) => other - one);
    room.ask(room.label("naive_1_ask"), counts.map(([name]) => name), most[0], () => {
      room.bars(counts, counts.indexOf(most));
      room.say(words.map(seen).join(" | "), "quiet-words one-line");
      room.say(room.label("naive_1_known"));
    });
  });
}

/** A tokenizer that knows the words of a text meets another text. @param {Room} room */
function unknown(room) {
  const [text, other] = [room.plain("naive_2_text"), room.plain("naive_2_new")];
  const known = new Set(wordsOfText(text));
  room.say(room.label("naive_2_knows", { count: known.size, text: [...known].map(seen).join(" | ") }));
  const [letters, mark, nearest] = ["naive_2_letters", "naive_2_mark", "naive_2_nearest"].map((key) => room.label(key));
  room.ask(room.label("naive_2_ask"), [letters, mark, nearest], mark, () => {
    const row = room.add("div", "write");
    const field = room.field(row, room.label("naive_2_field"), other, 60);
    const out = room.add("div", "below");
    const draw = () => {
      out.replaceChildren();
      const found = wordsOfText(field.value);
      const tokens = found.map((word) => new TextEncoder().encode(known.has(word) ? word : "<unk>"));
      const under = found.map((word) => (known.has(word) ? "" : seen(word))); // a word may be longer than one expects
      const chips = room.chips(tokens, { parent: out, under });
      chips.forEach((chip, at) => chip.classList.toggle("lost", !known.has(found[at])));
      out.append(make("p", "verdict", room.label("naive_2_lost", { lost: found.filter((word) => !known.has(word)).length, count: found.length })));
    };
    field.oninput = draw;
    draw();
  });
}

/** @param {Room} room */
function readings(room) {
  room.say(ROUND_EYES, "large");
  room.ask(room.label("naive_3_ask"), [1, 2, 3], READINGS.length, () => {
    const rows = READINGS.map((words, at) => [words.join(" | "), room.label(at ? "naive_3_second" : "naive_3_first")]);
    room.table([room.label("naive_3_reading"), room.label("naive_3_means")], rows);
    const found = wordsOfText(ROUND_EYES);
    room.say(found.length > 1 ? room.label("naive_3_browser", { words: found.map(seen).join(" | ") }) : room.label("naive_3_browser_one"));
  });
}
