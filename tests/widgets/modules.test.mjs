// The browser's modules that draw nothing, held to what test_modules.py has computed in Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const UI = new URL("../../pages/ui/", import.meta.url);
const load = (path) => import(new URL(path, UI));
const cases = JSON.parse(readFileSync(process.env.CASES, "utf-8"));
const fromBase64 = (text) => Uint8Array.from(Buffer.from(text, "base64"));

const { filled, labelsOf, shortName } = await load("widgets/token_view/browser/words.js");
const { partsOf, utf8Length, zonesOf } = await load("widgets/token_view/browser/model/characters.js");
const { tintOfBytes, tintStyle, tintsAcross } = await load("widgets/token_view/browser/model/tints.js");
const { keyOf } = await load("widgets/token_view/browser/pressed.js");
const { countBefore, lastUpTo } = await load("widgets/token_view/browser/model/sorted.js");
const { LaneBoxes, rulerBoxes } = await load("widgets/token_view/browser/boxes/boxes.js");
const { Model } = await load("widgets/token_view/browser/model/model.js");
const { Learned, Sentence } = await load("widgets/player/browser/sentence.js");
const { Player } = await load("widgets/player/browser/player.js");
const { Feed } = await load("widgets/player/browser/feed.js");
const { joinedWords, lettersLater, madeWords, nameLettersHere, partsOfMerge, shownText } = await load("widgets/player/browser/parts.js");
const { endWords } = await load("widgets/player/browser/headline.js");
const { apart, ticksTo } = await load("widgets/player/browser/race.js");
const { Milestones } = await load("widgets/player/browser/milestones.js");
const { isShownAgain } = await load("widgets/player/browser/stage.js");
const { Vocabulary, search, select } = await load("vocabulary/browser/search.js");

// ---- words, characters, places

test("a short name leaves out the vocabulary, and keeps the number that tells two apart", () => {
  const names = ["GPT-4 (cl100k)", "tokenizer", "tokenizer (2)", "GPT-4 (cl100k) (2)", "my (own) run"];
  assert.deepEqual(names.map(shortName), ["GPT-4", "tokenizer", "tokenizer (2)", "GPT-4 (2)", "my (own) run"]);
});

test("words are filled as Python fills them", () => {
  for (const [words, values, expected] of cases.words) assert.equal(filled(words, values, "en"), expected);
});

test("bytes are parted into whole characters and the rest as Python decodes them", () => {
  for (const [bytes, parts] of cases.bytes) {
    assert.deepEqual(partsOf(fromBase64(bytes)).map(({ text, hex }) => [text ?? null, hex ?? null]), parts);
  }
  assert.equal(utf8Length("aéก👍\udc80"), 1 + 2 + 3 + 4 + 1);
});

test("a token has the tint that Python gives it", () => {
  for (const [bytes, tint] of cases.tints) assert.equal(tintOfBytes(fromBase64(bytes), 8), tint, bytes);
});

test("tokens of rows that are compared have one tint each, and neighbours differ", () => {
  const rows = ["ใคร|ลืม|ปิด|น้ำ|ประ|ตู|แล้ว|นะ", "ใ|คร|ลืม|ปิด|น้ำ|าประ|ตู|แล้ว|นะ", "a|b|a|c|a|d|e|f|g|h|i|j"];
  const tokens = rows.map((row) => row.split("|").map((token) => new TextEncoder().encode(token)));
  const tintOf = tintsAcross(tokens, 8);
  for (const row of tokens) row.slice(1).forEach((bytes, at) => assert.notEqual(tintOf(bytes), tintOf(row[at]), String(bytes)));
  for (const row of tokens) assert.equal(tintOf(row[0]), tintOfBytes(row[0], 8));
  assert.equal(tintsAcross([], 8)(tokens[0][3]), tintOfBytes(tokens[0][3], 8));
});

test("a shortcut is a letter, or the place of its key where the layout writes none that is Latin", () => {
  const pressed = [["h", "KeyH", "h"], ["H", "KeyH", "h"], ["็", "KeyH", "h"], ["ฟ", "KeyA", "a"], ["ใ", "Period", "."]];
  const others = [[".", "KeyE", "."], ["h", "KeyJ", "h"], ["ๅ", "Digit1", "ๅ"], [" ", "Space", " "], ["Escape", "Escape", "Escape"]];
  for (const [key, code, meant] of [...pressed, ...others]) assert.equal(keyOf({ key, code }), meant, key);
});

test("places among sorted numbers are those of a plain count", () => {
  const numbers = [1, 1, 2, 5, 8, 8, 9];
  for (let limit = 0; limit < 11; limit++) {
    const plain = numbers.filter((number) => number <= limit).length;
    assert.equal(countBefore(numbers.length, (index) => numbers[index] <= limit), plain);
    assert.equal(lastUpTo(numbers, limit), Math.max(0, plain - 1));
  }
});

// ---- boxes

test("a chip stands for each token, reading shows the text, and neighbours differ", () => {
  for (const { payload, text, counts } of cases.drawings) {
    const model = new Model(fromBase64(payload), {});
    const row = { start: 0, end: text.length };
    model.lanes.forEach((lane, index) => {
      const boxes = new LaneBoxes(model, lane, row, "piece");
      const chips = boxes.chips();
      assert.equal(chips.length, counts[index]);
      for (let i = 1; i < chips.length; i++) assert.notEqual(chips[i].tint, chips[i - 1].tint);
      assert.equal(boxes.reading().map((box) => box.text).join(""), text);
    });
    const ruler = rulerBoxes(model, { starts: [], ends: [] }, null, row);
    assert.equal(ruler.map((box) => box.text).join(""), text);
  }
});

test("stripes of a cluster are its tokens, and the ruler counts characters as people do", () => {
  const [stripes, ruler] = cases.known.map((payload) => new Model(fromBase64(payload), {}));
  const row = ({ text }) => ({ start: 0, end: text.length });
  const boxes = new LaneBoxes(stripes, stripes.lanes[0], row(stripes), "piece").reading();
  // The space's token also holds half of the emoji, which is of two tokens.
  assert.deepEqual(boxes.map(({ text, count }) => [text, count]), [["ที่", 6], [" ", 1], ["👨", 2], ["x", 1]]);
  const numbered = rulerBoxes(ruler, { starts: [], ends: [] }, null, row(ruler)).filter(({ number }) => number);
  assert.deepEqual(numbered.map(({ number, text }) => [number, text[0]]), [[10, "X"], [20, "Y"]]);
});

test("what a split pattern cuts from a Thai consonant is parted where its marks stand", () => {
  assert.deepEqual(zonesOf("ลั", [3, 3]), [[0, 0, 67], [1, 67, 100]]);
  assert.deepEqual(zonesOf("ดู", [3, 3]), [[1, 0, 27], [0, 27, 100]]);
  assert.deepEqual(zonesOf("ตู้", [3, 6]), [[1, 0, 27], [0, 27, 67], [1, 67, 100]]);
  assert.deepEqual(zonesOf("ตู้", [6, 3]), [[0, 0, 27], [0, 27, 67], [1, 67, 100]]);
  assert.deepEqual(zonesOf("ที่", [6, 3]), [[0, 0, 67], [0, 67, 83.5], [1, 83.5, 100]]);
  for (const [cluster, sizes] of [["น้ำ", [1, 8]], ["ข", [3]], ["é", [2]], ["ลั", [1, 5]]]) assert.equal(zonesOf(cluster, sizes), null);
  // The ring of sara am is above the consonant and below the tone mark; its aa stands after the consonant.
  assert.deepEqual(zonesOf("น้ำ", [3, 6]), [[0, 0, 67], [1, 67, 83.5], [1, 83.5, 100], [1, 0, 100, "after"]]);
  assert.deepEqual(zonesOf("น้ำ", [6, 3]), [[0, 0, 67], [1, 67, 83.5], [0, 83.5, 100], [1, 0, 100, "after"]]);
  assert.deepEqual(zonesOf("กำ", [3, 3]), [[0, 0, 67], [1, 67, 100], [1, 0, 100, "after"]]);
  assert.equal(zonesOf(`ก${"่".repeat(100)}`, Array(64).fill(3)), null); // only some of whose pieces are drawn
  const box = { text: "ลั", stripes: [["t1", 3], ["t2", 3]], starts: false, ends: false };
  assert.match(tintStyle({ ...box, zones: zonesOf("ลั", [3, 3]) }), /linear-gradient\(to top, var\(--t1\) 0% 67%, .*var\(--t2\) 67% 100%\)/);
  assert.match(tintStyle(box), /linear-gradient\(to right/);
  const water = { text: "น้ำ", stripes: [["t1", 3], ["t2", 6]], zones: zonesOf("น้ำ", [3, 6]), starts: false, ends: true };
  assert.match(tintStyle(water), /linear-gradient\(var\(--t2\) 0 0\) right .*linear-gradient\(to top, var\(--t1\) 0% 67%/);
});

// ---- the sentence of the stage

function told({ text, pretokens, clusters, superwords }, merges, batch, superwordsAfter = Infinity) {
  const [learned, sentence] = [new Learned(), new Sentence(text, pretokens, clusters, superwords)];
  learned.superwordsAfter = superwordsAfter;
  const changed = [];
  for (let at = 0; at < merges.length; at += batch) {
    learned.add(merges.slice(at, at + batch).flatMap(([left, right]) => [left, right, 1]));
    changed.push(...sentence.take(learned));
  }
  const after = Array.from({ length: merges.length + 1 }, (_, merge) => ({
    lengths: sentence.cutsAt(merge).map(({ from, to }) => to - from),
    pieces: sentence.piecesAt(merge).map(({ text: piece, tokens }) => [piece, tokens.length]),
    made: merge ? sentence.madeBy(merge).map(({ from, to }) => [from, to]) : [],
    is_changed: sentence.isChangedBy(merge),
  }));
  after.forEach(({ lengths }, merge) => assert.equal(sentence.tokensAt(merge), lengths.length));
  return { learned, changed, after };
}

test("the tokens at every merge are those of encoding, however merges come", () => {
  const { merges, vocabulary, sentences } = cases.training;
  for (const sentence of sentences) {
    const { learned, changed, after } = told(sentence, merges, 7);
    assert.deepEqual(after, sentence.after);
    assert.deepEqual(changed, [...after.keys()].filter((merge) => after[merge].is_changed));
    assert.deepEqual(merges.map((_, at) => [...learned.bytesOf(256 + at)]), vocabulary);
    for (const batch of [1, 1000]) assert.deepEqual(told(sentence, merges, batch).after, after);
  }
});

test("a sentence is cut anew where tokens begin to cross spaces, as encoding cuts it then", () => {
  let cutAnew = 0;
  for (const { merges, sentences, superwords_after: crossing } of cases.superwords) {
    for (const sentence of sentences) {
      for (const batch of [1, 7, 1000]) {
        const { changed, after } = told(sentence, merges, batch, crossing);
        assert.deepEqual(after, sentence.after);
        assert.deepEqual(changed, [...after.keys()].filter((merge) => after[merge].is_changed));
        cutAnew += after[crossing + 1].is_changed && !after[crossing + 1].made.length ? 1 : 0;
      }
    }
  }
  assert.ok(cutAnew > 0, "no earlier merge joins other bytes");
});

test("where tokens begin to cross spaces is told, with the first one that does", () => {
  const sentence = new Sentence("so so", [2, 5], [0, 1, 2, 3, 4], [5]);
  const learned = new Learned();
  const milestones = new Milestones(sentence, [], (key, { token }) => `${key} ${token ?? ""}`);
  learned.superwordsAfter = 1;
  learned.add([115, 111, 2]);
  const look = () => {
    for (const merge of sentence.take(learned)) milestones.look(merge);
    milestones.reach(learned.total);
  };
  look();
  assert.deepEqual(milestones.found.map(({ kind }) => kind), ["english"]);
  learned.add([120, 121, 1, 256, 32, 1, 258, 256, 1]);
  look();
  assert.deepEqual(milestones.found.map(({ merge, says }) => [merge, says]), [
    [1, "milestone_english so"],
    [2, "milestone_cross "],
    [4, "milestone_superword so so"],
  ]);
});

test("what one of the first merges makes has neither the tint of its parts nor one of the merge before", () => {
  const learned = new Learned();
  const tints = 8;
  const tintOf = (/** @type {number} */ id) => learned.tintOf(learned.bytesOf(id), tints);
  learned.add(Array.from({ length: 200 }, (_, n) => [(7 * n) % (256 + n), (11 * n + 5) % (256 + n), 1]).flat());
  const before = [];
  for (let merge = 1; merge <= 200; merge++) {
    const [left, right, made] = learned.idsOf(merge).map(tintOf);
    for (const other of [left, right, ...before]) assert.notEqual(made, other, `merge ${merge}`);
    before.splice(0, 3, left, right, made);
  }
});

test("a chain of ten thousand merges needs no recursion", () => {
  const learned = new Learned();
  learned.add([97, 98, 1, ...Array.from({ length: 10_000 }, (_, n) => [256 + n, 98, 1]).flat()]);
  assert.equal(learned.bytesOf(10_256).length, 10_002);
});

test("a line breaks before words only, and anywhere where there are none", () => {
  for (const { text, clusters, unbroken } of cases.lines) {
    const { mayBreak, bytes } = new Sentence(text, [], clusters);
    const places = [...mayBreak.keys()].filter((at) => mayBreak[at]);
    const parts = places.map((at, i) => Buffer.from(bytes.subarray(at, places[i + 1])).toString());
    assert.equal(parts.join(""), text);
    for (const part of unbroken) assert.ok(parts.includes(part), `${part} in ${parts}`);
  }
  const { mayBreak } = new Sentence("x".repeat(100), [], [...Array(100).keys()]);
  assert.ok(mayBreak.filter(Boolean).length > 4);
});

// ---- what a merge joins

for (const [locale, labels] of Object.entries(cases.stage)) {
  test(`the parts of letters that a merge joins are named: ${locale}`, () => {
    const label = labelsOf({ labels, locale });
    for (const [left, right, words] of cases.joins[locale]) {
      const parts = partsOfMerge(fromBase64(left), fromBase64(right));
      const said = [joinedWords(parts.left, label), joinedWords(parts.right, label), madeWords(parts.token, label)];
      assert.equal(said.join(" | "), words);
    }
  });
}

test("a part of many letters is named by those of the sentence: where the merge is, else where it could be", () => {
  const bytes = (/** @type {string} */ hex) => Uint8Array.from(Buffer.from(hex, "hex"));
  const said = (/** @type {string} */ text, /** @type {string[]} */ [left, right], /** @type {{ from: number, to: number }[]} */ places = []) => {
    const clusters = [...text].map((_, at) => Buffer.byteLength([...text].slice(0, at).join("")));
    const parts = partsOfMerge(bytes(left), bytes(right));
    nameLettersHere(parts, bytes(left + right), new Sentence(text, [], clusters), places);
    const label = labelsOf({ labels: cases.stage.en, locale: "en" });
    const shown = parts.token.map(({ here, from, to, size }) => [here.join(""), from, to, size]);
    const words = [joinedWords(parts.left, label), joinedWords(parts.right, label), madeWords(parts.token, label)];
    for (const each of words) assert.doesNotMatch(each, / …/);
    return { words: words.map((each) => each.replaceAll("\u00a0", " ")), shown };
  };
  const thirds = ["e0", "b8"];
  assert.deepEqual(said("นคไ", thirds, [{ from: 0, to: 2 }, { from: 3, to: 5 }]), {
    words: ["first ⅓ of น …", "middle ⅓ of น …", "first ⅔ of น ค …"],
    shown: [["นค", 0, 2, 3]],
  });
  assert.deepEqual(said("aเยน", ["e0b980", "e0b8"], [{ from: 1, to: 6 }]).words, ["เ", "first ⅔ of ย …", "เ and first ⅔ of ย …"]);
  assert.deepEqual(said("aไทน", ["84", "e0b8"], [{ from: 3, to: 6 }]), {
    words: ["last ⅓ of ไ …", "first ⅔ of ท …", "last ⅓ of ไ … and first ⅔ of ท …"],
    shown: [["ไ", 2, 3, 3], ["ท", 0, 2, 3]],
  });
  // Not in the sentence: its letters that begin so, and one that differs from its letters in no more than the end.
  assert.deepEqual(said("aน", ["a3", "e0b8"]).words, ["last ⅓ of ร …", "first ⅔ of น …", "last ⅓ of ร … and first ⅔ of น …"]);
  assert.deepEqual(said("aโ", ["82", "e0b8"]).words[0], "last ⅓ of ข …"); // as the end of the more frequent letters
  assert.deepEqual(said("a", ["a3", "e0b8"]).words[0], "a part of many letters");
  // The inside of a character of four bytes is neither its beginning nor its end.
  assert.deepEqual(said("🍜", ["9f", "8d"], [{ from: 1, to: 3 }]), {
    words: ["a part of 🍜 …", "a part of 🍜 …", "a part of 🍜 …"],
    shown: [["🍜", 1, 3, 4]],
  });
  assert.deepEqual(said("🍜", ["9f8d", "9c"], [{ from: 1, to: 4 }]).words, ["a part of 🍜 …", "last ¼ of 🍜 …", "last ¾ of 🍜 …"]);
  assert.deepEqual(said("กน", ["e0b8", "81e0b8"], [{ from: 0, to: 5 }]).words[1], "last ⅓ of ก and first ⅔ of น …");
});

test("a part of a letter that the sentence does not have is named by the letter that a later merge makes of it", () => {
  const learned = new Learned();
  const [sara, tho, ho] = [0xb0, 0x97, 0xab]; // the last bytes of ะ, ท, and ห
  learned.add([[0xe0, 0xb8], [256, tho], [257, 256], [ho, 258], [256, 0xa7], [259, sara], [256, 261]].flatMap((pair) => [...pair, 2]));
  const named = (/** @type {number} */ merge, /** @type {boolean} */ isLater) => {
    const [left, right, made] = learned.idsOf(merge).map((id) => learned.bytesOf(id));
    const parts = partsOfMerge(left, right);
    const sentence = new Sentence("วด", [], [0, 3]);
    nameLettersHere(parts, made, sentence, [], isLater ? (at, size) => lettersLater(learned, merge, at, size) : undefined);
    return parts.token.map(({ letter, here }) => letter || here.join(" "));
  };
  assert.deepEqual(named(3, false), ["ท", "ว ด"]);
  assert.deepEqual(named(3, true), ["ท", "ะ"]);
  assert.deepEqual(named(4, true), ["ห", "ท", "ะ"]); // from both sides, and over several merges
  assert.deepEqual(named(1, true), ["ท ว ะ ห"]);
});

test("what is drawn of a merge is all that it joins, and each share is true", () => {
  const learned = new Learned();
  learned.add(cases.training.merges.flatMap((pair) => [...pair, 1]));
  const sizeOf = ({ letter, from, to, size }) => (size ? to - from : Buffer.byteLength(letter));
  for (let merge = 1; merge <= learned.total; merge++) {
    const [left, right, token] = learned.idsOf(merge).map((id) => learned.bytesOf(id));
    const parts = partsOfMerge(left, right);
    for (const [bytes, side] of [[left, parts.left], [right, parts.right], [token, parts.token]]) {
      assert.equal(side.reduce((sum, part) => sum + sizeOf(part), 0), bytes.length);
      for (const { letter, size } of side) if (size > 0 && letter) assert.equal(Buffer.byteLength(letter), size);
    }
    const whole = partsOf(token).map(({ text }) => text ?? "").join("");
    assert.equal(parts.token.filter(({ size }) => !size).map(({ letter }) => letter).join(""), whole);
  }
});

test("of a long text the middle is left out, and no letter loses its marks", () => {
  assert.equal(shownText("ขอบคุณค่ะลูกค้า", 6), "ขอบ…ค้า");
  assert.equal(shownText("น้ำใจคนไทยดีที่สุด", 4), "น้ำ…ด");
  assert.equal(shownText("สั้น", 6), "สั้น");
  assert.equal(shownText("ภาษาและน้ำไทย", 8), "ภาษา…ไทย");
});

test("the end says which tokenizers need more tokens, and which do not", () => {
  const label = labelsOf({ labels: cases.stage.en, locale: "en" });
  const levels = [["GPT-2", 1250], ["GPT-4 (cl100k)", 26], ["GPT-4o (o200k)", 13]].map(([name, count]) => ({ name, count }));
  const said = [5, 13, 26, 2000].map((count) => endWords(2500, count, levels, label));
  assert.ok(said.every((words) => !/-(?!\u2060)| \(/.test(words)), "no line breaks within a name, or before its number");
  assert.deepEqual(said.map((words) => words.replaceAll("\u2060", "").replaceAll("\u00a0(", " (")), [
    "From 2,500 to 5 tokens. That beats GPT-2 (1,250), GPT-4 (26), and GPT-4o (13).",
    "From 2,500 to 13 tokens. That beats GPT-2 (1,250) and GPT-4 (26). As many as GPT-4o (13).",
    "From 2,500 to 26 tokens. That beats GPT-2 (1,250), but not GPT-4o (13). As many as GPT-4 (26).",
    "From 2,500 to 2,000 tokens. That does not beat GPT-2 (1,250), GPT-4 (26), or GPT-4o (13).",
  ]);
  assert.equal(endWords(4, 1, [], label), "From 4 to 1 token.");
});

test("the axis of the race has few round numbers, and its names stand apart", () => {
  for (const most of [1, 2, 3, 7, 74, 99, 1000, 28_086, 999_999]) {
    const ticks = ticksTo(most);
    assert.ok(ticks.length >= 2 && ticks.length <= 5 && ticks[0] === 0 && ticks.at(-1) <= most, `${most}: ${ticks}`);
    assert.match(String(ticks[1]), /^[125]0*$/);
  }
  for (const places of [[], [10], [10, 100, 200], [10, 12, 13], [200, 200, 200]]) {
    const found = apart(places, 200);
    assert.ok(found.every((place, at) => place <= 200 && (!at || place - found[at - 1] >= 18)), found);
  }
  assert.deepEqual(apart([10, 100, 200], 200), [10, 100, 200]);
  assert.deepEqual(apart([10, 100, 101, 150], 200), [10, 91, 110, 150], "two names move as far as each other");
});

// ---- the player, the feed, the milestones

/** A player with a clock of its own; `run` lets time pass, in frames of 20 ms. */
function playerAt(context, total, slows = [], unseen = []) {
  const [queued, played] = [[], []];
  let clock = 1000;
  globalThis.requestAnimationFrame = (frame) => queued.push(frame);
  context.mock.method(performance, "now", () => clock);
  const player = new Player({
    total: () => total(clock / 1000 - 1),
    staysAt: (merge) => slows.includes(merge),
    isSeen: (merge) => !unseen.includes(merge),
    onMerge: (merge) => played.push([merge, clock / 1000 - 1]),
    onMoved: () => {},
  });
  const run = (seconds) => {
    for (const end = clock + 1000 * seconds; clock < end; clock += 20) {
      player.wake();
      queued.shift()?.(clock);
    }
  };
  return { player, played, run };
}

for (const isLive of [true, false]) {
  test(`the first merges can be read, then the show gains speed and lasts half a minute${isLive ? ", live" : ""}`, (context) => {
    const { player, played, run } = playerAt(context, () => 744);
    player.isHeld = true;
    run(5);
    assert.deepEqual(played, []); // merge 0 stands still
    if (isLive) player.begin();
    else player.play();
    run(60);
    const times = played.map(([, seconds]) => seconds);
    assert.ok(times[0] < 5.2);
    const stays = times.slice(1).map((seconds, at) => seconds - times[at]);
    const wanted = [4.5, 3.5, 3, ...Array(8).fill(1.25)];
    wanted.forEach((seconds, at) => assert.ok(Math.abs(stays[at] - seconds) < 0.1, `${at}: ${stays[at]}`));
    for (let at = wanted.length; at < 30; at++) assert.ok(stays[at] <= stays[at - 1] + 0.03, `${at}: ${stays[at]}`);
    assert.equal(played.length, 744);
    assert.ok(times.at(-1) - 5 < 34, `${times.at(-1)}`);
  });
}

for (const isLive of [true, false]) {
  test(`of the first merges, those of which nothing is seen pass sooner in the past${isLive ? ", but not live" : ""}`, (context) => {
    const { player, played, run } = playerAt(context, () => 744, [], [2, 5, 6, 9, 20]);
    player.isHeld = true;
    run(1);
    if (isLive) player.begin();
    else player.play();
    run(30);
    const stays = played.slice(1).map(([, seconds], at) => seconds - played[at][1]);
    const wanted = [4.5, 3.5, 3, ...[4, 5, 6, 7, 8, 9, 10, 11].map((merge) => (!isLive && [5, 6, 9].includes(merge) ? 0.7 : 1.25))];
    wanted.forEach((seconds, at) => assert.ok(Math.abs(stays[at] - seconds) < 0.1, `${at + 1}: ${stays[at]}`));
  });
}

/** When a training that gathers speed makes each merge, as its own test has it. */
function gathered(most) {
  const moments = [0, 4.5, 8, 11];
  for (let at = 0; at < 8; at++) moments.push(moments.at(-1) + 1.25);
  for (let rate = 1; moments.length < most; rate = 200 ** ((moments.at(-1) - moments[11]) / 10)) moments.push(moments.at(-1) + 1 / rate);
  return moments;
}

for (const [kind, isLive] of [["live", true], ["replayed", false]]) {
  test(`a show that gathers speed slows down at milestones, and goes on as fast as it was: ${kind}`, (context) => {
    const moments = gathered(744);
    const total = (seconds) => (isLive ? moments.filter((moment) => moment <= seconds).length : 744);
    const lasting = [[], [14, 60, 180, 350]].map((slows) => {
      const { player, played, run } = playerAt(context, total, slows);
      player.isHeld = true;
      run(1.5);
      if (isLive) player.begin();
      else player.play();
      run(60);
      assert.deepEqual(played.map(([merge]) => merge), moments.map((_, at) => at + 1));
      const times = played.map(([, seconds]) => seconds);
      const inASecond = (from) => times.filter((at) => at > from && at <= from + 0.4).length / 0.4;
      for (const merge of slows) {
        const [at, next] = times.slice(merge - 1);
        assert.ok(next - at > 1.9 && next - at < 2.2, `${merge}: ${next - at}`);
        const [before, after] = [inASecond(at - 0.4), inASecond(next)];
        assert.ok(after < 1.6 * before + 3 && after > 0.8 * before - 3, `${merge}: ${before}, ${after}`);
      }
      return times.at(-1);
    });
    assert.ok(lasting[1] - lasting[0] > 5 && lasting[1] - lasting[0] < 8.1, `${lasting}`);
  });
}

test("a steady show does not slow down at milestones", (context) => {
  const { player, played, run } = playerAt(context, () => 40, [10, 20]);
  player.pace = 20;
  player.play();
  run(5);
  assert.ok(played.at(-1)[1] < 2.2, `${played.at(-1)}`);
});

test("a live show keeps to the pace of a training that gathers speed", (context) => {
  const moments = gathered(400);
  const { player, played, run } = playerAt(context, (seconds) => moments.filter((moment) => moment <= seconds).length);
  player.isHeld = true;
  run(1.5);
  player.begin();
  run(40);
  assert.equal(played.length, 400);
  const late = played.map(([merge, seconds]) => seconds - moments[merge - 1]);
  assert.ok(Math.max(...late.slice(0, 12)) < 1.7, `${late.slice(0, 12)}`); // no more than it began later
  assert.ok(Math.max(...late) < 4, `${Math.max(...late)}`);
});

for (const pace of [0.5, 2, 20, 200]) {
  test(`a live show that begins late catches up without a leap: ${pace}`, (context) => {
    const { player, played, run } = playerAt(context, (seconds) => Math.floor(pace * seconds));
    player.pace = pace;
    player.isHeld = true;
    run(1.5);
    player.begin();
    run(20);
    assert.ok(player.listener.total() - player.position <= Math.max(1, pace / 5), `${player.position}`);
    const inASecond = played.map(([, from]) => played.filter(([, at]) => at >= from && at < from + 1).length);
    assert.ok(Math.max(...inASecond) <= 1.3 * pace + 2, `${Math.max(...inASecond)}`);
  });
}

for (const pace of ["live", "gathering", 0.5, 20, 200, null]) {
  test(`every merge of a batch is played once and in order: ${pace}`, (context) => {
    const queued = [];
    let [clock, total] = [1000, 1000];
    globalThis.requestAnimationFrame = (frame) => queued.push(frame);
    context.mock.method(performance, "now", () => clock);
    const played = [];
    const player = new Player({ total: () => total, staysAt: () => true, isSeen: () => false, onMerge: (merge) => played.push(merge), onMoved: () => {} });
    if (pace === "live") player.wake();
    else {
      player.pace = pace;
      player.play();
    }
    const lengths = [16, 17, 0, 400, -5, 16, 5000, 1]; // milliseconds; a tab may be hidden, a clock may stand
    for (let frame = 0; queued.length && frame < 100_000; frame++) {
      clock += lengths[frame % lengths.length];
      queued.shift()(clock);
      if (frame === 20) total += 500;
      player.wake();
    }
    assert.deepEqual(played, Array.from({ length: 1500 }, (_, at) => at + 1));
    assert.deepEqual([player.position, player.isLive, queued.length], [1500, true, 0]);
  });
}

test("who goes to a moment in mid-play sees that moment", (context) => {
  const { player, run } = playerAt(context, () => 500);
  player.pace = null;
  player.play();
  run(0.5);
  player.go(100);
  run(1);
  assert.equal(player.position, 100);
});

/** A feed whose questions wait until they are answered, with the merges (n, n, n) of a server. */
function feedOf(context) {
  const [asked, learned] = [[], new Learned()];
  const fetching = (address, { headers }) => new Promise((resolve) => asked.push({ address, headers, resolve }));
  context.mock.method(globalThis, "fetch", fetching);
  const onAnswer = ({ merges }) => learned.add(merges);
  const listener = { known: () => learned.total, onLost: () => {}, onAnswer };
  const feed = new Feed({ feed: "/watch", steer: "/steer", key: "mine" }, listener);
  context.after(() => feed.stop());
  const reply = async (number, last, state = "running") => {
    const first = Number(asked[number].address.split("from=")[1]);
    const merges = Array.from({ length: Math.max(0, last - first) }, (_, n) => Array(3).fill(first + n)).flat();
    const answer = { state, says: "", pace: "fast", learned: last, goal: 99, merges };
    asked[number].resolve({ ok: true, status: 200, json: async () => answer });
    await new Promise((done) => setTimeout(done));
  };
  return { asked, learned, feed, reply };
}

test("who waits in line asks less often than who is about to see merges", (context) => {
  const { feed } = feedOf(context);
  const wait = (state, says, learned = 0) => feed.waitAfter({ state, says, learned });
  assert.ok(wait("waiting", "2 are before you") > 2 * wait("running", ""));
  assert.ok(wait("waiting", "") < wait("running", ""));
  assert.equal(wait("waiting", "2 are before you", 5), 0);
  assert.equal(wait("done", ""), null);
});

for (const order of [[1, 2], [2, 1]]) {
  test(`a command and a question at the same time bring no merge twice: ${order}`, async (context) => {
    const { asked, learned, feed, reply } = feedOf(context);
    feed.start();
    await reply(0, 10);
    feed.command("pace-fast"); // it waits on the server for its effect, and the next question comes before its answer
    feed.ask();
    await reply(order[0], 14);
    await reply(order[1], 17);
    assert.deepEqual(learned.left, [...learned.left.keys()]);
    assert.ok([14, 17].includes(learned.total));
    assert.equal(asked[1].headers["X-Steering-Key"], "mine");
  });
}

test("an end that crosses the answer to a command is asked for again", async (context) => {
  const { asked, feed, reply } = feedOf(context);
  const later = () => new Promise((done) => setTimeout(done, 100));
  feed.start();
  await reply(0, 10);
  feed.command("end");
  feed.ask();
  await reply(1, 30);
  await later(); // until the next question, which finds another open
  await reply(2, 30, "done");
  await later();
  assert.deepEqual(asked.slice(3).map(({ address }) => address), ["/watch?from=30"]);
});

test("a milestone of an earlier showing is not told again", () => {
  for (const [old, steps, expected] of cases.milestones) {
    const milestones = new Milestones(new Sentence("a", [], [0]), [], (key) => key);
    milestones.old = old;
    assert.equal(steps.filter((passed) => milestones.pass(passed)).map((passed) => "abc"[passed - 1]).join(""), expected);
  }
});

test("a sentence beats other tokenizers, and gets its first word and its first space, once each", () => {
  const sentence = new Sentence("the cat", [3, 7], [0, 1, 2, 3, 4, 5, 6]);
  const learned = new Learned();
  const label = (key, values) => `${key} ${values.token ?? values.name}`;
  const milestones = new Milestones(sentence, [{ name: "GPT-2", count: 3 }], label);
  learned.add([116, 104, 1, 256, 101, 1, 32, 99, 1, 258, 97, 1, 259, 116, 1]);
  for (const merge of sentence.take(learned)) milestones.look(merge);
  assert.deepEqual(milestones.found.map(({ merge, says }) => [merge, says]), [
    [2, "milestone_english the"],
    [3, "milestone_space ␣c"],
    [5, "milestone_beat GPT-2"],
  ]);
  assert.deepEqual([...milestones.slows], [2, 5]); // the show slows down at words and victories
});

test("a show slows down at no more than two victories and one word of each script", () => {
  const text = "ไทย the cat";
  const bytes = [...new TextEncoder().encode(text)];
  const sentence = new Sentence(text, [9, 13, 17], [0, 3, 6, 9, 10, 11, 12, 13, 14, 15, 16]);
  const learned = new Learned();
  const levels = [16, 15, 14, 8, 7].map((count) => ({ name: `${count}`, count }));
  const milestones = new Milestones(sentence, levels, (key) => key);
  let [merge, left] = [0, bytes[0]];
  const join = (right) => {
    learned.add([left, right, 1]);
    left = 256 + merge++;
  };
  bytes.slice(1, 9).forEach(join);
  left = 116;
  [104, 101].forEach(join);
  for (const each of sentence.take(learned)) milestones.look(each);
  assert.equal(milestones.found.filter(({ kind }) => kind === "beat").length, 4);
  assert.deepEqual([...milestones.slows], [2, 3, 8, 10]);
});

test("a first word of two letters is followed by a longer one", () => {
  const sentence = new Sentence("is it the", [2, 5, 9], [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const learned = new Learned();
  const milestones = new Milestones(sentence, [], (key) => key);
  learned.add([105, 115, 1, 105, 116, 1, 116, 104, 1, 258, 101, 1]);
  for (const merge of sentence.take(learned)) milestones.look(merge);
  assert.deepEqual(milestones.found.map(({ merge, name }) => [merge, name]), [[1, "is"], [4, "the"]]);
  assert.deepEqual([...milestones.slows], [1, 4]);
});

test("a tab knows what it has shown if the browser lets it", () => {
  const ask = () => ["1 a", "1 b", "1 a"].map(isShownAgain);
  Object.defineProperty(globalThis, "sessionStorage", { get: () => assert.fail("no storage"), configurable: true });
  assert.deepEqual(ask(), [false, false, false]);
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  Object.defineProperty(globalThis, "sessionStorage", { value: storage });
  assert.deepEqual(ask(), [false, false, true]);
});

// ---- the vocabulary

const known = new Vocabulary(fromBase64(cases.vocabulary.packed).buffer);
const places = (found) => [...found.keys()].filter((place) => found[place]);

test("a search finds what Python finds", () => {
  for (const [kind, query, matchesCase, expected] of cases.vocabulary.searches) {
    const found = search(known, { kind, query, matchesCase });
    assert.deepEqual(found && found !== "bad" ? places(found) : found, expected, `${kind} ${query}`);
  }
});

test("each order and each filter is what its name says", () => {
  const { selections, counts, used } = cases.vocabulary;
  const uses = new Uint32Array(known.size);
  for (const [place, count] of used) uses[place] = count;
  const all = { script: null, use: "all", order: "order", shortest: 1, longest: 1e9, first: 0, last: 1e9 };
  for (const [change, expected] of selections) {
    const found = select(known, { ...all, ...change }, null, uses, counts.length);
    assert.deepEqual([...found.places], expected, JSON.stringify(change));
    if ("order" in change) assert.deepEqual([...found.counts], counts);
  }
});
