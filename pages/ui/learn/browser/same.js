// The lesson of three kinds of files: one sentence through GPT-2's two, tiktoken's ranks and SentencePiece's pieces.
// @ts-check

import { make } from "../../widgets/token_view/browser/elements.js";
import { hexOf } from "../../widgets/token_view/browser/model/characters.js";
import { gpt2LettersOf, hex, longOne } from "./code_units.js";
import { seen } from "./room.js";

/** @import { Merges, Ranked } from "./merges.js" */
/** @import { Room } from "./room.js" */

const LINES_SHOWN = 5; // of each file
const BYTE_TOKENS = 256;
const BEFORE_MERGES = 2; // the lines of merges.txt begin with 1, and the first one is a header
const CONTROL_PIECES = ["<unk>", "<s>", "</s>"]; // SentencePiece's first ids; after them come the bytes
const STEPS = /** @type {const} */ (["normalize", "pieces", "model", "post"]);

export const SAME = [twoFiles, rankLines, piecesAndBytes, fourSteps];

/** The tokens of a text that are made by merges, each once. @param {Ranked} tokenizer @param {string} text */
function madeIn(tokenizer, text) {
  const pictures = tokenizer.piecesOf(text).flatMap((piece) => tokenizer.lowestFirst(new TextEncoder().encode(piece)));
  return [...new Set(pictures.map(({ made }) => made))].filter((id) => id >= BYTE_TOKENS);
}

/** Lines of a file, of which only the first are shown. @param {Room} room @param {string[]} heads @param {(string | number | Node)[][]} rows */
function excerptOf(room, heads, rows) {
  room.table(heads, rows.slice(0, LINES_SHOWN));
  const more = rows.length - LINES_SHOWN;
  if (more > 0) room.add("p", "quiet-words", room.label("same_more", { more }));
}

/** @param {Room} room @param {Merges} tokenizer @param {number} id */
function chipOf(room, tokenizer, id) {
  const holder = make("div");
  room.chips([tokenizer.bytesOf(id)], { parent: holder });
  return holder;
}

/** Each part in a column of its own, where there is room. @param {Room} room @param {(() => void)[]} parts */
function sideBySide(room, parts) {
  const outer = room.place;
  const columns = room.add("div", "columns");
  for (const part of parts) {
    room.place = columns.appendChild(make("section"));
    part();
  }
  room.place = outer;
}

/** The lines of GPT-2's files that one's own text needs. @param {Room} room */
function twoFiles(room) {
  const { gpt2 } = room;
  room.write("text", (text) => {
    const sign = longOne(text) ?? " ";
    const bytes = new TextEncoder().encode(sign);
    const written = gpt2LettersOf(bytes);
    room.ask(room.label("same_1_ask", { sign: seen(sign) }), [seen(sign), hexOf(bytes), written], written, () => {
      const code = (/** @type {number} */ id) => gpt2LettersOf(gpt2.bytesOf(id));
      const ids = [...new Set(gpt2.encode(text))];
      const merges = madeIn(gpt2, text).sort((one, other) => one - other);
      sideBySide(room, [
        () => excerptOf(room, ["vocab.json", room.label("see_2_pieces")], ids.map((id) => [make("code", "", `${JSON.stringify(code(id))}: ${id}`), chipOf(room, gpt2, id)])),
        () => excerptOf(room, ["merges.txt", room.label("same_1_line")], merges.map((id) => [make("code", "", gpt2.partsOf(id).map(code).join(" ")), id - BYTE_TOKENS + BEFORE_MERGES])),
      ]);
      room.say(room.label("same_1_names"), "quiet-words");
    });
  });
}

/** The lines of the rank file. @param {Room} room */
function rankLines(room) {
  const { cl100k } = room.lesson.tokenizers;
  room.write("text", (text) => {
    const choices = ["same_2_longest", "same_2_together", "same_2_asks"].map((key) => room.label(key));
    room.ask(room.label("same_2_ask"), choices, choices[1], () => {
      const ids = [...new Set(cl100k.encode(text))];
      room.say(room.label("same_2_lines", { size: cl100k.total }));
      excerptOf(room, ["cl100k_base.tiktoken", room.label("letter_2_bytes"), room.label("see_2_pieces")], ids.map((id) => [
        make("code", "", `${btoa(cl100k.texts[id])} ${id}`), hexOf(cl100k.bytesOf(id)), chipOf(room, cl100k, id),
      ]));
    });
  });
}

/** A piece as SentencePiece writes it. @param {Merges} pieces @param {number} id */
function pieceWritten(pieces, id) {
  const byte = id - CONTROL_PIECES.length;
  return byte < BYTE_TOKENS ? `<0x${hex(byte, 2)}>` : new TextDecoder().decode(pieces.bytesOf(id));
}

/** The pieces of one's own text; what was never seen is written in bytes. @param {Room} room */
function piecesAndBytes(room) {
  const { pieces } = room.lesson.tokenizers;
  room.write("text", (text) => {
    const choices = ["naive_2_mark", "same_3_bytes", "same_3_drops"].map((key) => room.label(key));
    room.ask(room.label("same_3_ask"), choices, choices[1], () => {
      const ids = pieces.encode(text);
      room.say(room.label("same_3_trained", { lines: room.lesson.options.lines, size: pieces.total }));
      room.chips(ids.map((id) => new TextEncoder().encode(pieceWritten(pieces, id))), { name: "SentencePiece", under: ids });
      const unknown = [...new Set(text)].filter((character) => pieces.start(new TextEncoder().encode(character))[0] < BYTE_TOKENS + CONTROL_PIECES.length && character !== " ");
      room.say(unknown.length ? room.label("same_3_unknown", { characters: unknown.map(seen).join(" ") }) : room.label("same_3_known"), "verdict");
    });
  }, [room.label("same_3_example")]);
}

/** Each step of the three tokenizers, side by side. @param {Room} room */
function fourSteps(room) {
  const { gpt2, cl100k, pieces } = room.lesson.tokenizers;
  /** @type {[string, Ranked][]} */
  const all = [["GPT-2", gpt2], ["GPT-4 · tiktoken", cl100k], ["SentencePiece", pieces]];
  room.write("text", (text) => {
    const names = STEPS.map((step) => room.label(`same_4_${step}`));
    const counts = all.map(([name, tokenizer]) => /** @type {[string, number]} */ ([name, tokenizer.encode(text).length]));
    room.ask(room.label("same_4_ask"), names, room.label("same_4_model"), () => {
      room.choose(room.label("same_4_step"), STEPS.map((step, at) => [step, `${at + 1}. ${names[at]}`]), (step) => {
        room.say(room.label(`same_4_${step}_says`));
        const outer = room.place;
        const ways = room.add("div", "ways");
        for (const [name, tokenizer] of all) {
          room.place = ways.appendChild(make("section"));
          room.add("h3", "", name);
          drawStep(room, tokenizer, step, text);
        }
        room.place = outer;
      });
      room.bars(counts.toSorted(([, one], [, other]) => other - one));
      room.say(room.label("same_4_counts"), "quiet-words");
    });
  });
}

/** @param {Room} room @param {Ranked} tokenizer @param {typeof STEPS[number]} step @param {string} text */
function drawStep(room, tokenizer, step, text) {
  const isPieces = tokenizer === room.lesson.tokenizers.pieces;
  const cut = tokenizer.piecesOf(text);
  const ids = tokenizer.encode(text);
  if (step === "normalize") room.say(seen(cut.join("")), "normal");
  else if (step === "pieces") room.chips(cut.map((piece) => new TextEncoder().encode(piece)));
  else if (step === "model" && room.lesson.options.presents && !isPieces) room.reading(text, ids.map((id) => tokenizer.bytesOf(id))); // fifty chips would be too small
  else if (step === "model") room.chips(ids.map((id) => (isPieces ? new TextEncoder().encode(pieceWritten(tokenizer, id)) : tokenizer.bytesOf(id))));
  else room.add("code", "ids", (isPieces ? [CONTROL_PIECES.indexOf("<s>"), ...ids] : ids).join(" "));
}
