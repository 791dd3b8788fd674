// What the lessons compute in the browser, held to what test_learn.py has computed in Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const BROWSER = new URL("../../pages/ui/learn/browser/", import.meta.url);
const cases = JSON.parse(readFileSync(process.env.CASES, "utf-8"));
const { Merges, Ranked, SentencePiece, Workbench, pairsOf, piecesByGpt2, piecesByGpt4, withSpacesMarked } = await import(new URL("merges.js", BROWSER));
const { bytesTyped, choicesFor, encodings, gpt2LettersOf, layoutOf, lettersOf, tokensUnder } = await import(new URL("code_units.js", BROWSER));
const packed = (name) => Uint8Array.from(Buffer.from(cases.packed[name], "base64"));
const tokenizers = {
  gpt2: new Ranked(packed("gpt2"), piecesByGpt2),
  cl100k: new Ranked(packed("cl100k"), piecesByGpt4),
  pieces: new SentencePiece(packed("pieces"), withSpacesMarked),
};
const bytesOf = (text) => new TextEncoder().encode(text);

for (const [name, tokenizer] of Object.entries(tokenizers)) {
  test(`${name} gives the same ids as in Python`, () => {
    for (const [text, ids] of cases.encoded[name]) assert.deepEqual(tokenizer.encode(text), ids, JSON.stringify(text));
  });
}

test("each letter lies over the tokens that have its bytes", () => {
  assert.deepEqual(tokensUnder(["a", "ก", "b"], [[0x61, 0xe0], [0xb8, 0x81], [0x62]].map((bytes) => Uint8Array.from(bytes))), [[[0, 1]], [[0, 1], [1, 2]], [[2, 1]]]);
  for (const [text, ids] of cases.encoded.gpt2) {
    const letters = lettersOf(text);
    const sizes = ids.map((id) => tokenizers.gpt2.bytesOf(id).length);
    const under = tokensUnder(letters, ids.map((id) => tokenizers.gpt2.bytesOf(id)));
    assert.deepEqual(under.map((parts) => parts.reduce((sum, [, size]) => sum + size, 0)), letters.map((letter) => bytesOf(letter).length));
    for (const [token, size] of under.flat()) sizes[token] -= size;
    assert.deepEqual(sizes, ids.map(() => 0));
  }
});

test("no piece of a text is lost", () => {
  for (const [text] of cases.encoded.gpt2) assert.deepEqual([piecesByGpt2(text).join(""), piecesByGpt4(text).join("")], [text, text]);
});

test("lines of merges.txt and the letters of its bytes are those of GPT-2", () => {
  for (const [id, pair] of cases.merges) assert.deepEqual(tokenizers.gpt2.partsOf(id), pair);
  cases.letters.forEach((letter, byte) => assert.equal(gpt2LettersOf([byte]), letter));
});

test("the classic by hand is 258, 100, 258, 97, 99, with aa, aa+a and aaa+b", () => {
  const bench = new Workbench("aaabdaaabac").mergeBest(3);
  assert.deepEqual(bench.ids.map((id) => bench.shownId(id)), [258, 100, 258, 97, 99]);
  assert.deepEqual(bench.merges.map(({ left, right }) => `${bench.textOf(left)}+${bench.textOf(right)}`), ["a+a", "aa+a", "aaa+b"]);
  bench.undo();
  bench.undo();
  bench.undo();
  assert.deepEqual(bench, new Workbench("aaabdaaabac"));
});

test("merges learned in the browser are those of the definition, and so is what they encode", () => {
  for (const { text, merges, encoded } of cases.trained) {
    const learned = Merges.learned(text, merges.length);
    assert.deepEqual(learned.pairs, merges);
    for (const [other, ids] of encoded) {
      assert.deepEqual(learned.encode(other), ids);
      assert.deepEqual(learned.throughAll(bytesOf(other)), ids);
      for (const way of ["lowestFirst", "oneWalk", "longestFirst"]) {
        for (const { ids: picture } of learned[way](bytesOf(other))) assert.deepEqual(learned.bytesOfAll(picture), bytesOf(other));
      }
    }
  }
});

test("a tokenizer with fewer entries is its first merges", () => {
  for (const { text, merges } of cases.trained) {
    const learned = Merges.learned(text, merges.length);
    for (let count = 0; count <= merges.length; count++) assert.deepEqual(learned.encode(text, 256 + count), learned.first(count).encode(text));
  }
});

test("three ways part at aaaab", () => {
  const merges = Merges.learned("aaabdaaabac", 3);
  const ends = ["lowestFirst", "longestFirst", "oneWalk"].map((way) => merges[way](bytesOf("aaaab")).at(-1).ids);
  assert.deepEqual(ends, [[256, 256, 98], [257, 97, 98], [257, 97, 98]]);
});

test("a tie that is flipped makes another vocabulary, and the same number of tokens", () => {
  const [first, second] = [Merges.learned("aaabdaaabac", 3), Merges.learned("aaabdaaabac", 3, 1)];
  assert.deepEqual(second.pairs, [[97, 97], [97, 98], [256, 257]]);
  assert.equal(first.encode("aaabdaaabac").length, second.encode("aaabdaaabac").length);
  assert.deepEqual([first.encode("ab").length, second.encode("ab").length], [2, 1]);
});

test("overlapping pairs are counted as the definition does, the first of equal ones first", () => {
  assert.deepEqual(pairsOf([1, 1, 1]), [{ left: 1, right: 1, count: 2 }]);
  assert.deepEqual(pairsOf([5, 4, 3]).map(({ left }) => left), [5, 4]);
});

test("bits of a character are those of its bytes and its number", () => {
  for (const [character, bytes] of cases.characters) {
    const layout = layoutOf(character);
    assert.deepEqual(layout.map(({ byte }) => byte), bytes);
    assert.equal(parseInt(layout.map(({ own }) => own).join(""), 2), character.codePointAt(0));
    assert.deepEqual(layout.map(({ fixed, own }) => parseInt(fixed + own, 2)), bytes);
  }
  assert.deepEqual(layoutOf("ก").map(({ fixed }) => fixed), ["1110", "10", "10"]);
  assert.deepEqual(encodings("😀").map(({ bytes, hex }) => [bytes, hex]), [[4, "F0 9F 98 80"], [4, "D83D DE00"], [4, "0001F600"]]);
});

test("one sees one letter in น้ำ, which is three characters and nine bytes", () => {
  assert.deepEqual([lettersOf("น้ำ").length, [..."น้ำ"].length, bytesOf("น้ำ").length], [1, 3, 9]);
});

test("bytes are typed in hex, or they are none", () => {
  assert.deepEqual([...bytesTyped("E0 b8,81")], [0xe0, 0xb8, 0x81]);
  assert.equal(bytesTyped("8"), null);
  assert.equal(bytesTyped("zz"), null);
});

test("a question has at least three numbers, each once, and the right one among them", () => {
  assert.deepEqual(choicesFor(3, 1, 9), [1, 3, 9]);
  assert.deepEqual(choicesFor(1, 1, 1), [1, 2, 3]);
});
