// The lesson of what a tokenizer learns from, and how large it is: two texts, one sentence, and what a size costs.
// @ts-check

import { make } from "../../widgets/token_view/browser/elements.js";
import { Merges } from "./merges.js";
import { choicesFor } from "./code_units.js";

/** @import { Room } from "./room.js" */

const OF_A_TOPIC = 30; // merges
const WORD_OF_A_TOPIC = /[\p{L}\p{M}]+/gu;
const MOST_MERGES = 60;
const SIZES = [0, 8, 16, 32];
const WIDTH = 768; // numbers that GPT-2 keeps for each token

export const SIZE = [topics, ownAgainstGpt2, costs];

/** @param {Room} room */
function topics(room) {
  const word = room.label("size_1_word");
  const topicsTaught = /** @type {const} */ (["recipes", "football"]).map((name) => {
    const merges = Merges.learned(room.label(`size_1_${name}`).match(WORD_OF_A_TOPIC) ?? [], OF_A_TOPIC);
    return { name: room.label(`size_1_${name}_name`), merges, ids: merges.encode(word), taught: room.label(`size_1_${name}`) };
  });
  const [recipes, football] = topicsTaught;
  const same = room.label("encode_3_same");
  const right = recipes.ids.length === football.ids.length ? same : (recipes.ids.length < football.ids.length ? recipes : football).name;
  for (const { name, taught } of topicsTaught) room.say(`**${name}:** ${taught}`);
  room.ask(room.label("size_1_ask", { word }), [recipes.name, football.name, same], right, () => {
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
      slider.setAttribute("aria-label", room.label("size_2_merges"));
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

/** @param {Room} room */
function costs(room) {
  const { text } = room;
  const merges = Merges.learned(text, MOST_MERGES);
  const counts = SIZES.map((size) => merges.first(size).encode(text).length);
  const [yes, no] = [room.label("yes"), room.label("no")];
  const isHalved = counts[3] * 2 <= counts[2];
  room.ask(room.label("size_3_ask"), [yes, no], isHalved ? yes : no, () => {
    const rows = SIZES.map((size, at) => [room.number(size), counts[at], (256 + size) * WIDTH]);
    room.table([room.label("size_2_merges"), room.label("size_3_tokens"), room.label("size_3_numbers")], rows);
    room.say(room.label("size_3_gpt2", { count: room.gpt2.total + 1, numbers: (room.gpt2.total + 1) * WIDTH }));
  });
}
