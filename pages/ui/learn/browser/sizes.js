// The lesson of what a tokenizer learns from, and how large it is: two texts, one sentence, and what a size costs.
// @ts-check

import { make } from "../../widgets/token_view/browser/elements.js";
import { Merges } from "./merges.js";
import { choicesFor } from "./code_units.js";

/** @import { Room } from "./room.js" */

const OF_A_TOPIC = 30; // merges
const WORD_OF_A_TOPIC = /[\p{L}\p{M}]+/gu;
const MOST_MERGES = 60;
const SHARES = [1 / 8, 1 / 4, 1 / 2, 1]; // of GPT-4's vocabulary
const WIDTH = 768; // numbers that GPT-2 keeps for each token

export const SIZE = [topics, ownAgainstGpt2, costs];

/** @param {Room} room */
function topics(room) {
  const word = room.plain("size_1_word");
  const topicsTaught = /** @type {const} */ (["recipes", "football"]).map((name) => {
    const merges = Merges.learned(room.plain(`size_1_${name}`).match(WORD_OF_A_TOPIC) ?? [], OF_A_TOPIC);
    return { name: room.label(`size_1_${name}_name`), merges, ids: merges.encode(word), taught: room.label(`size_1_${name}`) };
  });
  const [recipes, football] = topicsTaught;
  const same = room.label("encode_3_same");
  const right = recipes.ids.length === football.ids.length ? same : (recipes.ids.length < football.ids.length ? recipes : football).name;
  for (const { name, taught } of topicsTaught) room.say(`**${name}:** ${taught}`);
  room.ask(room.label("size_1_ask", { word }), [recipes.name, football.name, same], right, () => {
    room.sayBytes(topicsTaught.flatMap(({ merges, ids }) => ids.map((id) => merges.bytesOf(id))));
    for (const { name, merges, ids } of topicsTaught) {
      room.add("p", "quiet-words", `${name} · ${room.label("tokens", { count: ids.length })}`);
      room.chips(ids.map((id) => merges.bytesOf(id)), { name, under: ids });
    }
  });
}

/** Merges learned from one's own sentence, as many as one likes, against GPT-2's 50,000. @param {Room} room */
function ownAgainstGpt2(room) {
  room.write("text", (text) => {
    const rival = room.gpt2.encode(text).length;
    const merges = Merges.learned(text, MOST_MERGES);
    const counts = Array.from({ length: merges.pairs.length + 1 }, (_, count) => merges.first(count).encode(text).length);
    const needed = counts.findIndex((count) => count < rival);
    if (needed < 0) return void room.say(room.label("size_2_never"));
    room.ask(room.label("size_2_ask", { rival }), choicesFor(needed, 3 * needed + 2, 1000), needed, () => {
      const bar = room.add("div", "choices");
      const slider = bar.appendChild(make("input"));
      slider.type = "range";
      slider.max = String(counts.length - 1);
      slider.value = String(needed);
      slider.setAttribute("aria-label", room.plain("size_2_merges"));
      const below = room.add("div", "below");
      const draw = () => {
        below.replaceChildren();
        const outer = room.place;
        room.place = below;
        const count = Number(slider.value);
        const learned = merges.first(count);
        const ids = learned.encode(text);
        room.bars([[room.label("hand_3_you", { merges: count }), ids.length], [room.label("hand_3_gpt2"), rival]]);
        room.reading(text, ids.map((id) => learned.bytesOf(id)));
        room.place = outer;
      };
      slider.oninput = draw;
      draw();
      room.say(room.label("size_2_but"));
    });
  });
}

/** One's own text with the first entries of GPT-4's vocabulary, which are what it had learned until then. @param {Room} room */
function costs(room) {
  const { cl100k } = room.lesson.tokenizers;
  const sizes = SHARES.map((share) => Math.round(cl100k.total * share));
  const counts = sizes.map((size) => cl100k.encode(room.text, size).length);
  const [yes, no] = [room.label("yes"), room.label("no")];
  const [half, all] = sizes.slice(-2);
  const isHalved = counts[SHARES.length - 1] * 2 <= counts[SHARES.length - 2];
  room.ask(room.label("size_3_ask", { half, all }), [yes, no], isHalved ? yes : no, () => {
    const rows = sizes.map((size, at) => [room.number(size), counts[at], size * WIDTH]);
    room.table([room.label("size_3_entries"), room.label("size_3_tokens"), room.label("size_3_numbers")], rows);
  });
}
