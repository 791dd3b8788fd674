// The lesson of what a model sees: one's own sentence as pieces, as numbers, and as text again.
// @ts-check

import { addButton, make } from "../../widgets/token_view/browser/elements.js";
import { onCircle } from "../../widgets/token_view/browser/model/characters.js";
import { tintStyle } from "../../widgets/token_view/browser/model/tints.js";
import { choicesFor, lettersOf, tokensUnder } from "./code_units.js";

/** @import { Room } from "./room.js" */

const REACH = 32; // pixels from a tap to the place that it means; a wide letter is as wide

const THAI_DOG = "หมา";

export const SEE = [cuts, numbersOnly, dogs, covered];

/** Draw the cuts between letters, then see those of GPT-2. @param {Room} room */
function cuts(room) {
  room.write("text", (text) => {
    room.lesson.showNext(false, room.label("wait_cuts"), () => reveal.click());
    const letters = lettersOf(text);
    const drawn = new Set();
    const row = room.add("div", "cuttable");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", room.plain("see_1_cuts"));
    row.onclick = (event) => nearestGap(row, event)?.click();
    const compare = () => {
      below.replaceChildren();
      const outer = room.place;
      room.place = below;
      compareCuts(room, text, letters, drawn, row);
      room.place = outer;
    };
    const again = () => row.classList.contains("compared") && compare();
    let word = row.appendChild(make("span", "word")); // on one line, if it fits
    letters.forEach((letter, at) => {
      if (letter === " ") word = row.appendChild(make("span", "word"));
      const place = word.appendChild(make("span", "place")); // a letter, and the gap after it, on one line
      const holder = place.appendChild(make("span", "uncut"));
      holder.append(make("span", "", letter === " " ? "␣" : letter));
      place.append(at < letters.length - 1 ? gap(room, letters, at, drawn, again) : make("span", "gap-end"));
    });
    const bar = room.add("div", "choices");
    const below = room.add("div", "below");
    const reveal = addButton(bar, room.label("see_1_reveal"), () => {
      compare();
      room.lesson.fit();
      below.scrollIntoView({ block: "nearest" });
      reveal.className = ""; // from here on, the way on is the one thing to do
      room.lesson.showNext(true);
    });
    reveal.className = "strong";
    if (letters.includes(" ")) bar.append(make("span", "quiet-words", room.label("see_1_space")));
  });
}

/**
 * The place for a cut nearest to a tap on a letter or beside it; none if the tap is on a place, far away, or a key's.
 * @param {Element} row
 * @param {MouseEvent} event
 */
function nearestGap(row, { clientX: x, clientY: y, target, detail }) {
  if (!detail || /** @type {Element} */ (target).closest("button")) return null;
  const places = [.../** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll(".gap-cut"))].map((gap) => {
    const { left, right, top, bottom } = gap.getBoundingClientRect();
    return { gap, away: Math.hypot(x - (left + right) / 2, Math.max(top - y, 0, y - bottom)) };
  });
  const nearest = places.sort((one, other) => one.away - other.away)[0];
  return nearest && nearest.away <= REACH ? nearest.gap : null;
}

/**
 * A place for a cut; arrow keys walk from place to place.
 * @param {Room} room
 * @param {string[]} letters
 * @param {number} at
 * @param {Set<number>} drawn
 * @param {() => void} changed
 */
function gap(room, letters, at, drawn, changed) {
  const button = make("button", "gap-cut");
  button.type = "button";
  button.tabIndex = at ? -1 : 0;
  button.setAttribute("aria-label", room.plain("see_1_cut", { left: letters[at], right: letters[at + 1] }));
  button.setAttribute("aria-pressed", "false");
  button.onclick = () => {
    const isCut = drawn.delete(at);
    if (!isCut) drawn.add(at);
    button.setAttribute("aria-pressed", String(!isCut));
    changed();
  };
  button.onkeydown = (event) => {
    const places = [.../** @type {Element} */ (button.closest(".cuttable")).querySelectorAll("button")];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step && places[places.indexOf(button) + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    button.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  return button;
}

/**
 * GPT-2's tokens under the letters, and how many of its cuts were met.
 * @param {Room} room
 * @param {string} text
 * @param {string[]} letters
 * @param {Set<number>} drawn
 * @param {HTMLElement} row
 */
function compareCuts(room, text, letters, drawn, row) {
  const tokens = room.gpt2.encode(text).map((id) => room.gpt2.bytesOf(id));
  const under = tokensUnder(letters, tokens);
  if (!row.classList.contains("compared")) drawUnder(room, letters, tokens, under, row);
  const isCut = (/** @type {number} */ at) => under[at].at(-1)?.[0] !== under[at + 1]?.[0][0];
  row.querySelectorAll(".gap-cut").forEach((gap, at) => gap.classList.toggle("missed", drawn.has(at) && !isCut(at)));
  const met = [...drawn].filter(isCut).length;
  const inside = under.reduce((sum, parts) => sum + parts.length - 1, 0);
  const made = room.label("see_1_says_cuts", { count: tokens.length, cuts: tokens.length - 1 });
  const own = drawn.size ? room.label("see_1_says_drawn", { drawn: drawn.size, met }) : "";
  room.say(`${made} ${own}`.trim(), "verdict");
  if (inside) room.say(room.label("see_1_inside", { inside }));
}

/**
 * Draw the tokens letter under letter, so that each cut stands under its place.
 * @param {Room} room
 * @param {string[]} letters
 * @param {Uint8Array[]} tokens
 * @param {[token: number, size: number][][]} under
 * @param {HTMLElement} row
 */
function drawUnder(room, letters, tokens, under, row) {
  row.classList.add("compared");
  let tint = -1;
  const tints = tokens.map((bytes) => `t${(tint = room.tint(bytes, tint))}`);
  const [holders, gaps] = [".uncut", ".gap-cut, .gap-end"].map((selector) => [...row.querySelectorAll(selector)]);
  letters.forEach((letter, at) => {
    const parts = under[at];
    const box = holders[at].appendChild(make("span", "under", letter));
    box.setAttribute("aria-hidden", "true"); // the same letter stands above
    box.style.cssText = tintStyle({ stripes: parts.map(([token, size]) => [tints[token], size]), text: letter });
    if (parts.length > 1) box.dataset.n = String(parts.length);
    const [before, end, start] = [under[at - 1]?.at(-1)?.[0], parts.at(-1)?.[0], under[at + 1]?.[0][0]];
    box.classList.toggle("starts", before !== parts[0]?.[0]);
    if (end === undefined) return;
    const joint = gaps[at].appendChild(make("span", end === start ? "joint" : "joint cut"));
    joint.style.backgroundColor = `var(--${tints[end]})`;
  });
}

const MOST_NUMBERS = 14; // that can be left out: enough to try, and the text above them stays in sight

/** Numbers can be left out, and the text is made of what is left. @param {Room} room */
function numbersOnly(room) {
  room.write("text", (text) => {
    const ids = room.gpt2.encode(text);
    const bytes = ids.map((id) => room.gpt2.bytesOf(id));
    const [gone, broken, whole] = ["see_2_gone", "see_2_broken", "see_2_whole"].map((key) => room.label(key));
    const without = room.gpt2.bytesOfAll(ids.slice(1));
    const right = new TextDecoder().decode(without).includes("�") ? broken : gone;
    room.reading(text, bytes);
    room.add("p", "ids few-lines").append(`${room.label("see_3_numbers")}: `, ...ids.flatMap((id, at) => [at ? " · " : "", make(at ? "span" : "b", "id", String(id))]));
    room.ask(room.label("see_2_ask", { id: String(ids[0]) }), [gone, broken, whole], right, () => {
      room.say(`${right === broken ? room.label("see_2_because") : ""} ${room.label("see_2_press")}`.trim());
      const left = new Set(); // each answer begins with all numbers but the first
      const text_again = room.add("p", "large again"); // above the numbers, of which there may be many
      text_again.setAttribute("role", "status");
      const row = room.add("div", "numbers");
      const draw = () => {
        const kept = new TextDecoder().decode(room.gpt2.bytesOfAll(ids.filter((_, at) => !left.has(at))));
        text_again.textContent = kept.split(/(?<=�)/).map(onCircle).join(""); // no font has a � under Thai marks
      };
      ids.slice(0, MOST_NUMBERS).forEach((id, at) => {
        const button = addButton(row, String(id), () => {
          if (!left.delete(at)) left.add(at);
          button.setAttribute("aria-pressed", String(left.has(at)));
          draw();
        });
        button.setAttribute("aria-pressed", "false");
      });
      if (ids.length > MOST_NUMBERS) row.append(make("span", "", "…"));
      row.querySelector("button")?.click();
      draw();
    });
  });
}

/** The same word has other numbers in each spelling, and in Thai. @param {Room} room */
function dogs(room) {
  const [yes, no] = [room.label("yes"), room.label("no")];
  room.ask(room.label("see_3_ask"), [yes, no], no, () => {
    const spellings = ["dog", " dog", "Dog", "DOG", "doghouse", THAI_DOG];
    const { tints } = room.lesson.options;
    /** @type {number[]} the same colour is the same number, and another one another */
    const seen = [];
    const rows = spellings.map((spelling) => {
      const ids = room.gpt2.encode(spelling);
      const tokens = ids.map((id) => room.gpt2.bytesOf(id));
      seen.push(...ids.filter((id, at) => !seen.includes(id) && ids.indexOf(id) === at));
      const holder = make("div");
      if (spelling === THAI_DOG) holder.append(room.reading(spelling, tokens));
      else room.chips(tokens, { parent: holder, tints: ids.map((id) => seen.indexOf(id) % tints) });
      const head = make("span", "", spelling.replace(" ", "␣"));
      if (spelling === THAI_DOG) head.append(" ", make("span", "quiet-words", room.label("see_3_thai")));
      return [head, holder, ids.join(" · ")];
    });
    room.table([room.label("see_3_typed"), room.label("see_2_pieces"), room.label("see_3_numbers")], rows);
  });
}

/** A word whose letters lie under the ids of its tokens: what a model gets that is asked for a letter. @param {Room} room */
function covered(room) {
  const [word, letter] = [room.plain("see_4_word"), room.plain("see_4_letter")];
  const ids = room.gpt2.encode(word);
  const found = [...word].filter((each) => each === letter).length;
  const row = room.add("div", "numbers");
  let before = -1;
  for (const id of ids) { // in the colour that its letters have below
    before = room.tint(room.gpt2.bytesOf(id), before);
    row.appendChild(make("span", "tile", String(id))).style.background = `var(--t${before})`;
  }
  room.ask(room.label("see_4_ask", { letter }), choicesFor(found, found - 1, found + 1), found, () => {
    room.reading(word, ids.map((id) => room.gpt2.bytesOf(id)));
    room.say(room.label("see_4_says_why", { word, count: ids.length }));
  });
}
