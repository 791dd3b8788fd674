// The lesson of special tokens: what they are, and what happens if what is typed may act as one.
// @ts-check

import { choicesFor } from "./code_units.js";

/** @import { Room } from "./room.js" */

const END = "<|endoftext|>"; // GPT-2's only special token

export const SPECIAL = [typed, acting, billed];

/** @param {Room} room */
function typed(room) {
  const ids = room.gpt2.encode(END);
  room.say(END, "large");
  room.ask(room.label("special_1_ask"), [1, ids.length, END.length], ids.length, () => {
    room.choose(room.label("special_reads"), [["text", room.label("special_text")], ["acts", room.label("special_acts")]], (way) => {
      if (way === "text") room.chips(ids.map((id) => room.gpt2.bytesOf(id)), { under: ids });
      else room.chips([new TextEncoder().encode(END)], { under: [room.gpt2.total] })[0].classList.add("special");
    });
  });
}

/** @param {Room} room */
function acting(room) {
  const { cl100k } = room.lesson.tokenizers;
  const { markers } = room.lesson.options.envelope;
  const [same, other, nothing] = ["special_2_same", "special_2_other", "special_2_nothing"].map((key) => room.label(key));
  const sentence = room.plain("special_2_text", { mark: END });
  room.say(sentence, "normal");
  room.ask(room.label("special_2_ask"), [same, other, nothing], other, () => {
    const row = room.add("div", "write");
    const field = room.field(row, room.label("special_2_field"), sentence, 100);
    const below = room.add("div", "below");
    const draw = () => {
      below.replaceChildren();
      const outer = room.place;
      room.place = below;
      room.sayBytes(cl100k.encode(field.value).map((each) => cl100k.bytesOf(each)));
      const parts = field.value.split(END);
      const id = Object.keys(markers).map(Number).find((each) => markers[each] === END) ?? -1;
      parts.forEach((part, at) => {
        room.add("h3", "", room.label("special_2_document", { number: at + 1 }));
        chatChips(room, [...cl100k.encode(part), ...(at < parts.length - 1 ? [id] : [])]);
      });
      room.place = outer;
    };
    field.oninput = draw;
    draw();
  });
}

/** Tokens of GPT-4, among them special ones. @param {Room} room @param {number[]} ids @param {boolean} [hasNumbers] */
function chatChips(room, ids, hasNumbers = true) {
  const { markers } = room.lesson.options.envelope;
  const bytes = ids.map((id) => (markers[id] ? new TextEncoder().encode(markers[id]) : room.lesson.tokenizers.cl100k.bytesOf(id)));
  room.chips(bytes, { under: hasNumbers ? ids : undefined }).forEach((chip, at) => chip.classList.toggle("special", ids[at] in markers));
}

/** What is typed, in the envelope of a chat: all of it counts. @param {Room} room */
function billed(room) {
  const { cl100k } = room.lesson.tokenizers;
  const { before, after } = room.lesson.options.envelope;
  room.write("text", (text) => {
    const own = cl100k.encode(text);
    const all = [...before, ...own, ...after];
    room.ask(room.label("special_3_ask", { typed: own.length }), choicesFor(all.length, own.length, own.length + 2), all.length, () => {
      room.choose(room.label("special_3_shown"), [["all", room.label("special_3_all")], ["own", room.label("special_3_own")]], (shown) => {
        const hasNumbers = !room.lesson.options.presents; // a room counts, and reads larger tokens
        if (hasNumbers) room.sayBytes(own.map((id) => cl100k.bytesOf(id)));
        chatChips(room, shown === "all" ? all : own, hasNumbers);
      });
      room.bars([[room.label("special_3_all"), all.length], [room.label("special_3_own"), own.length]]);
    });
  });
}
