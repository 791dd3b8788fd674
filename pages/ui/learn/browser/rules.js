// The lesson of split patterns: what may never become one token, because a rule cuts there first.
// @ts-check

import { choicesFor } from "./code_units.js";
import { Merges, piecesByGpt2 } from "./merges.js";

/** @import { Room } from "./room.js" */

const DOGS = ["dog.", "dog!", "dog?"];
const ROUNDS_OF_DOGS = 5;
const PHRASE = "กำลังเรียนที่โรงเรียน";
const NUMBER = "1234567";
const WITH_MARKS = / ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s+/gu;

export const CUT = [dogsLearned, marks, digits];

/** @param {Room} room */
function dogsLearned(room) {
  const taught = [...DOGS, ...DOGS, ...DOGS];
  const ways = { off: Merges.learned(taught, ROUNDS_OF_DOGS), on: Merges.learned(taught.flatMap(piecesByGpt2), ROUNDS_OF_DOGS) };
  const withDog = (/** @type {Merges} */ merges) => merges.texts.filter((text) => text.includes("dog")).length;
  room.say(DOGS.join("\u2003"), "large"); // three texts: no space is learned
  room.ask(room.label("cut_1_ask"), choicesFor(withDog(ways.off), 1, 3), withDog(ways.off), () => {
    room.choose(room.label("cut_rule"), [["off", room.label("cut_off")], ["on", room.label("cut_on")]], (way) => {
      const merges = ways[way];
      room.say(room.label("cut_1_found", { count: withDog(merges) }));
      room.chips(merges.texts.slice(256).map((text) => new TextEncoder().encode(text)), { name: room.label("hand_2_vocabulary") });
    });
  });
}

/** Marks are no letters for GPT-2's rule; with them, a phrase stays whole. @param {Room} room */
function marks(room) {
  const pieces = piecesByGpt2(PHRASE).length;
  room.say(PHRASE, "large");
  room.ask(room.label("cut_2_ask"), [1, 4, pieces], pieces, () => {
    const row = room.add("div", "write");
    const field = room.field(row, room.label("cut_2_field"), PHRASE, 60);
    const outer = room.add("div", "below");
    const draw = () => {
      outer.replaceChildren();
      const before = room.place;
      room.place = outer;
      for (const [name, found] of /** @type {[string, string[]][]} */ ([["cut_2_letters", piecesByGpt2(field.value)], ["cut_2_marks", field.value.match(WITH_MARKS) ?? []]])) {
        room.say(room.label(name, { count: found.length }), "quiet-words");
        room.chips(found.map((piece) => new TextEncoder().encode(piece)), { name: room.label(name, { count: found.length }) });
      }
      room.place = before;
    };
    field.oninput = draw;
    draw();
  });
}

/** @param {Room} room */
function digits(room) {
  const threes = NUMBER.match(/\p{N}{1,3}/gu) ?? [];
  room.ask(room.label("cut_3_ask", { number: NUMBER }), [1, threes.length, NUMBER.length], threes.length, () => {
    for (const [name, found] of /** @type {[string, string[]][]} */ ([["cut_3_gpt2", piecesByGpt2(NUMBER)], ["cut_3_gpt4", threes]])) {
      room.add("p", "quiet-words", room.label(name));
      room.chips(found.map((piece) => new TextEncoder().encode(piece)), { name: room.label(name) });
    }
    room.add("p", "quiet-words", room.label("cut_3_tokens"));
    const ids = room.gpt2.encode(NUMBER);
    room.chips(ids.map((id) => room.gpt2.bytesOf(id)), { name: room.label("cut_3_tokens"), under: ids });
  });
}
