"""What the stage and the deck draw: hostile sentences as text, rows on a line each, charts without crossings."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from pages.ui.i18n import LANGUAGES, catalogue, filled, section
from pages.ui.stories.talk import _stage
from pages.ui.vocabulary.biography import CONTEXTS_STYLE, contexts_html, tree_html
from pages.ui.widgets.bars import BARS_CSS, premium_bars
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.figures_table import sideways
from pages.ui.widgets.player import replay_options
from pages.ui.widgets.player.serve import BROWSER as STAGE
from pages.ui.widgets.player.serve import stage_css
from pages.ui.widgets.slides import BROWSER as DECK
from pages.ui.widgets.slides import View, _view
from pages.ui.widgets.token_view.lanes import Label, Lane, pretoken_lane
from pages.ui.widgets.token_view.serve import bundle
from tests.helpers.app import crossed
from tests.helpers.clusters import boundaries
from tests.helpers.drawing import HOSTILE
from tokenizer_core import train
from tokenizer_core.analysis.lineage import Context, tree_of
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.patterns.pretokens import bytes_and_ends
from tokenizer_core.patterns.split_patterns import pretokenize

OPEN = """async ([code, css]) => {
  window.style = document.head.appendChild(document.createElement("style"));
  window.style.textContent = css;
  window.parts = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  document.body.replaceChildren();
}"""


def opened(page: Page, code: str) -> None:
    page.set_content("<!doctype html>")  # as in the app; else a line is no higher than what is in it
    page.evaluate(OPEN, [code, stage_css() + (DECK / "deck.css").read_text("utf-8")])


# ---- the sentence

SHOW = """async ([options, merges]) => {
  const before = window.fetch;
  const total = merges.length / 3;
  const answer = { state: "done", says: "", pace: "full", learned: total, goal: total, merges };
  window.fetch = async () => ({ ok: true, status: 200, json: async () => answer });
  const data = new TextEncoder().encode(JSON.stringify(options));
  const remove = parts.default({ data, parentElement: document.body });
  const root = document.querySelector(".stage");
  while (root.dataset.state !== "done") await new Promise((done) => setTimeout(done, 5));
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "e" })); // to the end of the show
  const line = root.querySelector(".line");
  const shown = { text: line.textContent, tokens: Number(root.dataset.tokens), pwned: window.pwned ?? null,
    glyphs: line.querySelectorAll(".glyph").length,
    strange: root.querySelectorAll(".line :not(span, i, wbr, br), script, img, iframe").length };
  remove();
  window.fetch = before;
  return shown;
}"""


@pytest.mark.parametrize("text", [*HOSTILE.values(), "", "  \n\n\t   "], ids=[*HOSTILE, "empty", "white space"])
def test_a_hostile_sentence_is_text_on_the_stage(page: Page, text: str) -> None:
    tokenizer = train("น้ำใจคนไทย ดื่มน้ำ the cat sat on the mat <script> 👨‍👩‍👧 " * 4, 256 + 90)
    options = dict.fromkeys(("steer", "race", "page")) | {
        "text": text,
        "name": text,
        "feed": "/watch",
        "locale": "en",
        "tints": TINT_COUNT,
        "title": "<script>",
        "what": "<script>",
        "pretokens": bytes_and_ends(pretokenize(text, tokenizer.pattern))[1].tolist() if text else [],
        "clusters": [len(text[:start].encode()) for start in sorted({0, *boundaries(text)} - {len(text)})],
        "levels": [{"name": "<b>GPT</b>", "count": 9}],
        "labels": section("stage", spoken="en"),
    }
    opened(page, bundle(STAGE / "stage.js"))
    merges = [number for left, right in tokenizer.merges for number in (left, right, 1)]
    shown = page.evaluate(SHOW, [options, merges])
    assert (shown["pwned"], shown["strange"], shown["tokens"]) == (None, 0, len(tokenizer.encode(text)))
    assert shown["glyphs"] or shown["text"] == text


# ---- the beginning and the end of the show

PLAY = """([options, presents]) => {
  document.body.innerHTML = "<div></div>";
  const asked = [];
  const note = (what) => () => asked.push(what);
  const app = { cut: (text) => asked.push(text), compare: note("compare"), train: note("train") };
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents }, app);
  const { player, banner } = stage;
  const { says, ways: waysOn } = stage.headline;
  const seen = () => [player.position, player.isHeld, says.textContent, waysOn.hidden, banner.isRule];
  const waits = stage.stillTimer > 0;
  const prompts = [stage.starter.checkVisibility() && stage.starter.textContent];
  const found = [seen()];
  presents ? stage.starter.click() : stage.begin();
  prompts.push(stage.starter.checkVisibility());
  found.push(seen().slice(0, 2));
  stage.go(stage.learned.total);
  found.push(seen());
  const ways = [...stage.root.querySelectorAll(".way")];
  const [compare, sentence, again] = ways.filter((way) => way.checkVisibility());
  const hint = stage.headline.hint.textContent;
  stage.headline.hint.querySelector(".train")?.click();
  compare.click();
  sentence.click();
  asked.push(stage.root.querySelector(".editor").hidden);
  again.click();
  found.push(seen());

  let isStill = true;
  banner.isStill = () => isStill;
  const isShown = () => banner.element.classList.contains("on");
  const told = stage.milestones.found.map((milestone) => {
    stage.go(milestone.merge);
    const says = banner.element.textContent;
    stage.go(stage.learned.total);
    for (let at = 0; at < 100; at++) banner.look();
    const stays = isShown();
    isStill = false;
    for (let at = 0; at < 10; at++) banner.look();
    isStill = true;
    const isOver = !isShown();
    stage.replay();
    return [says, stays, isOver];
  });
  stage.remove();
  return { waits, prompts, found, hint, asked, told };
}"""


@pytest.mark.parametrize("has_run_out", [False, True])
def test_the_end_says_why_no_more_was_learned_and_whether_the_sentence_was_in_the_text(
    page: Page, *, has_run_out: bool
) -> None:
    text, words = "น้ำใจ the cat", section("stage", spoken="en")
    tokenizer = train(f"{text} sat. " * 9, 256 + 10)
    merges = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", merges, text, [("GPT-2", 1)], title="") | {"labels": words}
    options["is_learned"] = True
    options["saved"]["answer"] |= {"ran_out": has_run_out, "goal": 744}
    opened(page, bundle(STAGE / "stage.js"))
    shown = page.evaluate(PLAY, [{**options, "locale": "en"}, False])
    why = words["end_more"]
    if has_run_out:  # a larger vocabulary would not help
        why = filled(words["end_ran_out"], merges=10, goal=744)
    again = words["end_train_text" if has_run_out else "end_train"]
    assert shown["hint"] == f"{why} {words['end_learned']} {again}"


@pytest.mark.parametrize("least", [2, 5])
def test_a_text_that_may_end_before_says_at_most_and_names_the_count_that_no_pair_has_any_more(
    page: Page, *, least: int
) -> None:
    words = section("stage", spoken="en")
    options = replay_options("none", "", [(97, 98, 9)], "abab", [], title="") | {"labels": words, "locale": "en"}
    options |= {"is_learned": True, "name": f"least {least}"}
    opened(page, bundle(STAGE / "stage.js"))
    said, at_end, hint = page.evaluate(AT_MOST, [options, {"learned": 1, "goal": 744, "least": least}])
    assert said == "0 of at most 744 merges"
    assert at_end == "1 of 1 merge"
    key = "end_ran_out" if least == 2 else "end_ran_out_least"
    assert hint.startswith(filled(words[key], merges=1, goal=744, count=least))


AT_MOST = """([options, answer]) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, saved: null, presents: false });
  const where = () => stage.bar.where.textContent.replaceAll("\u00a0", " ");
  const all = { says: "", pace: "slowest", served: [], ran_out: true, ...answer };
  stage.take({ ...all, state: "running", merges: [97, 98, 9] });
  const found = [where()];
  stage.take({ ...all, state: "done", merges: [] });
  stage.go(1);
  found.push(where(), stage.headline.hint.textContent);
  stage.remove();
  return found;
}"""


MEASURE_EQUATION = """([options]) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options, null);
  stage.begin();
  const { chips } = stage.headline;
  const found = [];
  for (let merge = 1; merge < stage.learned.total; merge++) {
    stage.go(merge);
    found.push([chips.scrollWidth - chips.parentElement.clientWidth, chips.style.getPropertyValue("--shrunk")]);
  }
  stage.remove();
  return found;
}"""


def test_the_texts_of_a_long_merge_stay_beside_the_count(page: Page) -> None:
    text = "ฉันอยากสอบถามเรื่องค่าธรรมเนียมบัตรเครดิต ค่าธรรมเนียมแพงไหมคะ"
    tokenizer = train(f"{text} " * 9, 256 + 100)
    merges = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", merges, text, [], title="") | {"presents": False}
    page.set_viewport_size({"width": 1000, "height": 800})
    opened(page, bundle(STAGE / "stage.js"))
    found = page.evaluate(MEASURE_EQUATION, [options])
    assert max(over for over, _ in found) <= 4  # frames do not shrink
    assert any(shrunk for _, shrunk in found)
    assert not found[0][1]


@pytest.mark.parametrize("presents", [False, True])
def test_the_show_begins_with_merge_0_and_ends_with_ways_on(page: Page, *, presents: bool) -> None:
    text = "น้ำใจคนไทย ดื่มน้ำ the cat"
    tokenizer = train(f"{text} sat. " * 9, 256 + 60)
    merges = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", merges, text, [("GPT-2", 45), ("GPT-4", 2)], title="")
    options["labels"] = section("stage", spoken="en")
    before, after = len(text.encode()), len(tokenizer.encode(text))
    opened(page, bundle(STAGE / "stage.js"))
    shown = page.evaluate(PLAY, [{**options, "locale": "en"}, presents])
    words = section("stage", spoken="en")
    start = [0, True, f"{before} bytes, {before} tokens {words['start_bytes'].format(size=3)}", True, True]
    says = f"From {before} to {after} tokens. That beats GPT-\u20602\u00a0(45), but not GPT-\u20604\u00a0(2)."
    end = [len(merges), False, says, False, False]
    assert shown["found"] == [start, [0, False], end, start]
    assert shown["hint"] == ("" if presents else f"{words['end_more']} {words['end_train']}")
    assert shown["waits"] is not presents  # in a room it waits for somebody, and says for what
    assert shown["prompts"] == [presents and f"▶ {words['start_key']}", False]
    assert shown["asked"] == [*([] if presents else ["train"]), "compare", False]
    assert len(shown["told"]) > 2
    for says, stays, is_over in shown["told"]:
        assert (stays, is_over) == (True, True), says  # while the show stands still, and after two seconds of it
        if says.startswith("Fewer tokens"):
            assert says == "Fewer tokens than GPT-2, which needs 45"  # true whatever comes


JUMP = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  const { element } = stage.banner;
  const isShown = () => element.classList.contains("on");
  stage.begin();
  stage.go(stage.learned.total);
  const found = [...stage.bar.flags.children].map((flag, at) => {
    flag.click();
    for (let look = 0; look < 100; look++) stage.banner.look();
    const says = isShown() && element.textContent;
    at % 2 ? stage.forward() : stage.back();
    const stays = isShown() && element.textContent === says;
    stage.go(stage.learned.total);
    return [flag.title, says, stays];
  });
  stage.remove();
  return found;
}"""


def test_whoever_jumps_to_a_milestone_reads_its_words_as_long_as_they_stay_there(page: Page) -> None:
    text = "น้ำใจคนไทย ดื่มน้ำ the cat"
    tokenizer = train(f"{text} sat. " * 9, 256 + 60)
    merges = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", merges, text, [("GPT-2", 45), ("GPT-4", 20)], title="")
    opened(page, bundle(STAGE / "stage.js"))
    found = page.evaluate(JUMP, options)
    assert len(found) > 3
    for title, says, stays in found:
        assert (says, stays) == (title, False)


LIVE = """async ([options, merges]) => {
  document.body.innerHTML = "<div></div>";
  let state = "running";
  const before = window.fetch;
  window.fetch = async () => {
    const answer = { state, says: "", pace: "slowest", learned: merges.length / 3, goal: 99, merges };
    return { ok: true, status: 200, json: async () => answer };
  };
  const app = { cut: () => {}, compare: () => {}, exports: () => {} };
  const stage = new parts.Stage(document.body.firstChild, { ...options, saved: null, feed: "/feed" }, app);
  stage.begin = () => {}; // not by itself, however long this takes
  while (!stage.learned.total) await new Promise((done) => setTimeout(done, 5));
  delete stage.begin;
  window.fetch = before;
  const isLit = () => stage.bar.live.classList.contains("on");
  const found = [[stage.player.isHeld, isLit()]];
  stage.begin();
  found.push([stage.player.isHeld, isLit()]);
  stage.go(stage.learned.total);
  stage.answer.state = "paused";
  stage.showBar();
  found.push([stage.player.isLive, isLit()]);
  stage.remove();
  return found;
}"""


@pytest.mark.parametrize("presents", [False, True])
def test_live_is_lit_only_while_the_newest_merges_are_shown(page: Page, *, presents: bool) -> None:
    options = replay_options("none", "", [], "aaab", [], title="") | {"presents": presents, "name": "live"}
    opened(page, bundle(STAGE / "stage.js"))
    held, begun, paused = page.evaluate(LIVE, [options, [97, 97, 9, 256, 97, 4]])
    assert held == [True, False]
    assert begun == [False, not presents]  # in a room it plays what has been learned
    assert paused == [True, False]


STEP = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  const board = stage.board.element;
  const steps = [];
  stage.go(0);
  for (let merge = 1; merge <= stage.learned.total; merge++) {
    stage.forward();
    const lit = board.querySelectorAll(".joins:not(.past), .piece.next").length;
    const [tokens, made] = [stage.sentence.cutsAt(merge), stage.sentence.madeBy(merge)];
    stage.drop();
    const past = board.querySelectorAll(".joins.past").length;
    const tints = stage.board.tintsOf(stage.sentence.piecesAt(merge));
    const sayings = [...stage.headline.chips.querySelectorAll("small")].map((each) => each.textContent);
    const { bytes } = stage.sentence;
    const colours = tokens.map(({ from, to }) => [bytes.subarray(from, to).join(), tints.get(from)]);
    steps.push({ lit, past, made: made.length, words: sayings, says: stage.headline.says.textContent, colours });
  }
  stage.remove();
  return steps;
}"""


def test_a_merge_frames_what_it_joins_counts_the_places_and_gives_each_token_one_colour(page: Page) -> None:
    text = "กกข"
    merges = [(0xE0, 0xB8, 9), (256, 0x81, 3), (256, 0x82, 2)]
    options = replay_options("none", "", merges, text, [], title="")
    options["labels"] = section("stage", spoken="en")
    opened(page, bundle(STAGE / "stage.js"))
    first, second, third = page.evaluate(STEP, {**options, "locale": "en"})
    assert (first["lit"], first["past"], first["made"]) == (3, 3, 3)
    thirds = ["first ⅓ of ก …", "middle ⅓ of ก …"]
    assert [words.replace("\u00a0", " ") for words in first["words"]] == [*thirds, "first ⅔ of ก ข …"]
    assert "3 places in this sentence: 9 → 6 tokens" in first["says"].replace("\u00a0", " ")
    assert [(each["lit"], each["past"], each["made"]) for each in (second, third)] == [(2, 0, 2), (1, 0, 1)]
    colours = {tuple(each) for step in (first, second, third) for each in step["colours"]}
    assert len(colours) == len(dict(colours))  # of each token one


CATCH_UP = """async ([options, merges, pauses]) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, saved: null, steer: "/steer" });
  const commands = [];
  stage.feed.command = (command) => commands.push(command);
  const learned = merges.length / 3;
  stage.take({ state: "running", says: "", pace: "fast", learned, goal: 99, merges, served: [] });
  stage.go(learned);
  stage.toggle();
  stage.answer.state = "paused";
  stage.back();
  stage.back();
  const isOffered = !stage.bar.waits.hidden;
  stage.toggle();
  if (pauses) stage.toggle();
  for (let at = 0; at < 100 && stage.player.isBusy; at++) await new Promise((done) => setTimeout(done, 20));
  if (pauses) stage.go(learned);
  stage.remove();
  return [commands, isOffered];
}"""


@pytest.mark.parametrize("pauses", [False, True])
def test_a_paused_training_goes_on_once_the_film_has_caught_up_unless_it_is_paused_again(
    page: Page, *, pauses: bool
) -> None:
    options = replay_options("none", "", [], "abcdabcd", [], title="") | {"presents": False}
    options |= {"labels": section("stage", spoken="en"), "locale": "en"}
    opened(page, bundle(STAGE / "stage.js"))
    commands, is_offered = page.evaluate(CATCH_UP, [options, [97, 98, 9, 256, 99, 3, 257, 100, 2], pauses])
    assert commands == (["pause"] if pauses else ["pause", "resume"])
    assert not is_offered  # to pause it while somebody looks back: it is paused


RUN_TO_THE_END = """async ([options, merges, chosen]) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, saved: null, steer: "/steer" });
  stage.feed.command = () => {};
  const learned = merges.length / 3;
  const answer = { state: "running", says: "", pace: "gathering", learned, goal: learned, served: [] };
  stage.take({ ...answer, merges: merges.slice(0, 30) });
  stage.begin();
  if (chosen) {
    stage.bar.pace.value = chosen;
    stage.bar.pace.onchange();
  }
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "e" }));
  stage.take({ ...answer, merges: [], pace: "full" });
  const found = [stage.bar.pace.value];
  stage.take({ ...answer, merges: merges.slice(30), state: "done", pace: "full" });
  for (let at = 0; at < 150 && !stage.isAtEnd; at++) await new Promise((done) => setTimeout(done, 20));
  found.push(stage.isAtEnd, stage.bar.pace.value, stage.player.pace);
  stage.toggle();
  found.push(stage.player.rateNow() < 5);
  stage.remove();
  return found;
}"""


@pytest.mark.parametrize(("presents", "chosen"), crossed([False, True], [("",), ("slow",), ("full",)]))
def test_a_film_that_ran_to_the_end_is_shown_again_at_the_pace_before(
    page: Page, *, chosen: str, presents: bool
) -> None:
    text = "abcdefghijklmnopqrstuvwxyz"
    tokenizer = train(text * 9, 256 + 25, pattern="none")
    merges = [number for left, right in tokenizer.merges for number in (left, right, 9)]
    options = replay_options("none", "", [], text, [], title="")
    options |= {"presents": presents, "name": f"to the end {chosen} {presents}"}
    opened(page, bundle(STAGE / "stage.js"))
    found = page.evaluate(RUN_TO_THE_END, [options, merges, chosen])
    again = ["slow", 2] if chosen == "slow" else ["gathering"] * 2
    assert found == ["full", True, *again, True]


NARROW = """([options, merges]) => {
  document.body.innerHTML = "<div style='width: 358px'></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, saved: null, presents: false });
  const learned = merges.length / 3;
  stage.take({ state: "running", says: "", pace: "slowest", learned, goal: 99, merges, served: [] });
  stage.dress();
  stage.headline.asHex = true;
  stage.seek(50);
  const said = stage.banner.element.textContent;
  stage.go(learned);
  const found = [said, stage.root.scrollWidth, stage.root.clientWidth, stage.headline.chips.textContent];
  stage.remove();
  return found;
}"""


def test_bytes_of_a_long_token_stay_in_a_phones_width_and_the_timeline_says_what_is_learned(page: Page) -> None:
    text = "กขคงจฉชซ"
    tokenizer = train(text * 9, 256 + 23, pattern="none")
    merges = [number for left, right in tokenizer.merges for number in (left, right, 9)]
    options = replay_options("none", "", [], text, [], title="")
    options |= {"labels": section("stage", spoken="en"), "locale": "en", "name": "narrow"}
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, bundle(STAGE / "stage.js"))
    said, width, room, shown = page.evaluate(NARROW, [options, merges])
    assert said.startswith(f"So far {len(merges) // 3} merges are learned;")
    assert width <= room
    assert "…" in shown


COUNTS_ON_LINES = """(options) => {
  document.body.innerHTML = "<div style='width: 358px'></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, saved: null, presents: false });
  stage.fit();
  const boxes = [...document.querySelectorAll(".board .piece")].map((each) => each.getBoundingClientRect());
  const counts = [...document.querySelectorAll(".board .letters[data-n]")].map((letters) => {
    const { fontSize, translate } = getComputedStyle(letters, "::after");
    const { top, bottom } = letters.getBoundingClientRect();
    return { top, end: bottom + parseFloat(translate.split(" ")[1]) + parseFloat(fontSize) };
  });
  stage.remove();
  const isCovered = ({ top, end }) => boxes.some((box) => box.top > top + 1 && box.top < end);
  return [new Set(boxes.map(({ top }) => Math.round(top))).size, counts.length, counts.filter(isCovered).length];
}"""


def test_no_line_of_a_long_sentence_covers_the_counts_of_the_line_above(page: Page) -> None:
    text = "เรียนลูกค้าทุกท่าน บริษัทขอแจ้งปรับราคาสินค้า กรุณาตรวจสอบใบแจ้งหนี้ และติดต่อฝ่ายบัญชีภายในวันศุกร์นี้ ขอบคุณค่ะ"
    options = replay_options("none", "", [], text, [], title="")
    options |= {"labels": section("stage", spoken="en"), "locale": "en", "name": "long"}
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, bundle(STAGE / "stage.js"))
    lines, counts, covered = page.evaluate(COUNTS_ON_LINES, options)
    assert lines >= 4
    assert counts > 80
    assert covered == 0


AT_ONCE = """([options, merges]) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, saved: null });
  const learned = merges.length / 3;
  stage.take({ state: "done", says: "", pace: "full", learned, goal: learned, merges, served: [] });
  const { position, isHeld } = stage.player;
  stage.remove();
  return [position, isHeld];
}"""


@pytest.mark.parametrize(("presents", "is_at_once"), [(False, True), (False, False), (True, True)])
def test_full_speed_shows_the_end_at_once_but_not_before_a_room(
    page: Page, *, presents: bool, is_at_once: bool
) -> None:
    options = replay_options("none", "", [], "abcdabcd", [], title="")
    options |= {"presents": presents, "is_at_once": is_at_once, "name": f"full speed {presents} {is_at_once}"}
    opened(page, bundle(STAGE / "stage.js"))
    position, is_held = page.evaluate(AT_ONCE, [options, [97, 98, 9, 256, 99, 3]])
    assert [position, is_held] == ([2, False] if is_at_once and not presents else [0, True])


WAIT = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  const answer = { state: "running", pace: "full", learned: 3, goal: 9, merges: [], served: [] };
  const take = (says) => {
    stage.take({ ...answer, says });
    return stage.headline.says.textContent;
  };
  const found = [];
  stage.take({ ...answer, says: "", merges: [97, 98, 9, 256, 99, 3, 257, 100, 2] });
  for (const merge of [1, 3]) {
    stage.go(merge);
    const before = stage.headline.says.textContent;
    found.push([before, take("counting"), take("")]);
  }
  stage.remove();
  return found;
}"""


def test_while_no_merges_come_the_newest_moment_says_why_and_an_earlier_one_stays(page: Page) -> None:
    options = replay_options("none", "", [], "abcdabcd", [], title="")
    options["labels"] = section("stage", spoken="en")
    opened(page, bundle(STAGE / "stage.js"))
    earlier, newest = page.evaluate(WAIT, {**options, "locale": "en", "saved": False})
    assert earlier[0].startswith("Merge 1")
    assert earlier == [earlier[0]] * 3
    assert newest[0].startswith("Merge 3")
    assert newest == [newest[0], "counting", newest[0]]


# ---- slides of a deck

DRAW_SLIDE = """([slide, tints]) => {
  document.body.innerHTML = "<div class='token-view deck'><div class='deck-place'></div></div>";
  const labels = { letters: "", tokens: "โทเค็น" };
  const view = new parts.SlideView(slide, { tints, locale: "th", labels });
  document.querySelector(".deck-place").append(view.element);
  view.placed();
  return view.boards.map(({ line }) => {
    const { lineHeight, fontSize } = getComputedStyle(line);
    return [Math.round(line.clientHeight / parseFloat(lineHeight)), parseFloat(fontSize)];
  });
}"""


@pytest.mark.parametrize(
    ("text", "fits", "smallest"),
    [
        *((text, True, 64) for text in (catalogue("th")["examples.thai"], "กขคงจฉ", "น้ำ")),
        (catalogue("th")["examples.sample"], False, 40),
    ],
)
def test_rows_stay_on_a_line_each_unless_that_costs_too_much_of_the_type(
    page: Page, text: str, fits: bool, smallest: float
) -> None:
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    slide: dict[str, Any] = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}}
    slide["views"] = [json.loads(json.dumps(_view(View(text, lanes))))]
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "slides.js"))
    lines = page.evaluate(DRAW_SLIDE, [slide, TINT_COUNT])
    assert [count == 1 for count, _ in lines] == [fits] * len(lanes)
    assert all(size >= smallest for _, size in lines)


MEASURE_SLIDE = """() => {
  const { clientHeight, scrollHeight } = document.querySelector(".deck-slide");
  const size = (each) => parseFloat(getComputedStyle(each).fontSize);
  const rows = [...document.querySelectorAll(".lane-row")].map((row) => row.getBoundingClientRect());
  return {
    isWhole: scrollHeight <= clientHeight,
    rows: [rows[0].top, rows[rows.length - 1].bottom],
    type: size(document.querySelector(".line")),
    strip: document.querySelector(".piece").getBoundingClientRect().height,
    labels: Math.max(...[...document.querySelectorAll(".lane-head span, .unit")].map(size)),
    said: document.querySelector(".lane-head").textContent,
  };
}"""


def drawn_slide(page: Page, text: str, lanes: Sequence[Lane]) -> dict[str, Any]:
    slide: dict[str, Any] = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}}
    slide["views"] = [json.loads(json.dumps(_view(View(text, lanes))))]
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "slides.js"))
    page.evaluate(DRAW_SLIDE, [slide, TINT_COUNT])
    measured: dict[str, Any] = page.evaluate(MEASURE_SLIDE)
    return measured


def test_one_word_is_drawn_side_by_side_so_that_it_fills_the_screen(page: Page) -> None:
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    found = drawn_slide(page, "น้ำ", lanes)
    assert found["isWhole"]
    assert found["type"] >= 300  # in rows, one under another, it was 158
    tops = page.locator(".line").evaluate_all(
        "(all) => all.map((line) => line.querySelector('.letters.shared, .piece').getBoundingClientRect().top)"
    )
    assert max(tops) - min(tops) < 2  # with a count below it or not


COVERED_LABELS = """() => {
  for (const fall of document.getAnimations()) fall.finish();
  const pieces = [...document.querySelectorAll(".piece")].map((piece) => piece.getBoundingClientRect());
  return [...document.querySelectorAll(".lane-head > *, h2")].filter((label) => {
    const { left, right, top, bottom } = label.getBoundingClientRect();
    return pieces.some((piece) =>
      piece.left < right && piece.right > left && piece.top < bottom - 1 && piece.bottom > top + 1);
  }).map((label) => label.textContent);
}"""


@pytest.mark.parametrize(
    ("texts", "size"),
    crossed(
        [["ที่ผ่านมา"], ["สวัสดีครับ"], ["สวัสดีครับ"] * 3],
        [((1280, 800),), ((1280, 900),), ((1366, 768),), ((1920, 1080),)],
    ),
)
def test_a_word_in_columns_is_on_one_line_and_no_token_covers_a_label(
    page: Page, size: tuple[int, int], texts: list[str]
) -> None:
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    lanes.append(pretoken_lane("cl100k", Label("cl100k")))
    slide: dict[str, Any] = {
        "kind": "tokens",
        "over": {},
        "title": {"th": "แต่ละแบบตัดอย่างไร"},
        "says": {},
        "notes": {},
    }
    page.set_viewport_size({"width": size[0], "height": size[1]})
    opened(page, bundle(DECK / "slides.js"))
    for count in range(2, len(lanes) + 1):
        views = [_view(View(text, lanes[-count:], "ภาษาไทย" if len(texts) > 1 else "")) for text in texts]
        lines = page.evaluate(DRAW_SLIDE, [{**slide, "views": json.loads(json.dumps(views))}, TINT_COUNT])
        assert page.evaluate(COVERED_LABELS) == [], count
        assert {lines_of for lines_of, _ in lines} == {1}, count


def test_a_token_of_two_lines_covers_no_label(page: Page) -> None:
    drawn_slide(page, "ที่ผ่านมา", [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES[-2:]])
    assert page.locator(".abreast").count()
    page.locator(".line").evaluate_all("(all) => all.forEach((line) => { line.style.inlineSize = '2.5em'; })")
    lines = page.locator(".piece").evaluate_all("(all) => all.map((each) => each.getClientRects()[0].height)")
    assert max(lines) > 1.5 * min(lines)
    assert page.evaluate(COVERED_LABELS) == []


def test_the_sentence_of_home_fills_the_screen_with_its_unit_beside_each_number(page: Page) -> None:
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    found = drawn_slide(page, catalogue("th")["examples.thai"], lanes)
    assert found["type"] >= 124  # as on the page
    assert found["strip"] >= 204
    assert found["rows"][0] < 1080 / 6
    assert found["rows"][1] > 1080 * 4 / 6
    assert found["said"] == "50 โทเค็นgpt2"


LETTERS_AT = """() => [...document.querySelectorAll(".board .line:not(.probe)")].map((line) => {
  const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const places = [];
  while (walk.nextNode()) {
    for (let at = 0; at < walk.currentNode.data.length; at++) {
      const range = new Range();
      range.setStart(walk.currentNode, at);
      range.setEnd(walk.currentNode, at + 1);
      places.push(range.getBoundingClientRect().left);
    }
  }
  return places;
})"""


@pytest.mark.parametrize("text", ["น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ", "ลูกมีไข้สูง My son has a fever."])
def test_a_letter_stands_at_the_same_place_in_every_row(page: Page, text: str) -> None:
    drawn_slide(page, text, [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES])
    first, *others = page.evaluate(LETTERS_AT)
    assert len(first) == len(text)
    for row in others:
        assert row == pytest.approx(first, abs=1)


def test_spaces_have_a_dot_and_the_text_of_a_slide_stays_as_it_is(page: Page) -> None:
    text = " My son, has"
    drawn_slide(page, text, [Lane("gpt2", Label("gpt2"), openai_tokenizer("gpt2"))])
    pieces = page.locator(".line .piece")
    assert "".join(pieces.all_text_contents()) == text
    dots = page.locator(".line .space").evaluate_all(
        '(all) => all.map((each) => getComputedStyle(each, "::before").content)'
    )
    assert dots == ['"·"'] * 3


def test_a_special_token_has_a_frame_on_the_ground_of_the_slide(page: Page) -> None:
    lane = Lane("cl100k", Label("cl100k"), openai_tokenizer("cl100k_base"), special_acts=True)
    drawn_slide(page, "ok <|endoftext|> ok", [lane])
    framed = page.locator(".piece.special")
    assert framed.all_text_contents() == ["<|endoftext|>"]
    shadow, ground = framed.evaluate(
        """(piece) => [getComputedStyle(piece).boxShadow, piece.style.backgroundColor]"""
    )
    assert "inset" in shadow
    assert ground == "var(--gap)"
    drawn_slide(page, "ok <|endoftext|> ok", [replace(lane, special_acts=False)])
    assert not framed.count()


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_words_before_the_line_of_bars_end_clear_of_it(page: Page, size: tuple[int, int]) -> None:
    bars = premium_bars([("Two stages", 0.83)], base="Thai lines", says="")
    slide = {"kind": "bars", "over": {}, "title": {"th": "17%"}, "says": {}, "notes": {}, "html": bars}
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.set_content("<!doctype html>")
    page.evaluate(OPEN, [bundle(DECK / "slides.js"), BARS_CSS + (DECK / "deck.css").read_text("utf-8")])
    page.evaluate(DRAW_SLIDE, [slide, TINT_COUNT])
    gap = page.locator(".even.before").evaluate(
        """(line) => {
          const words = line.firstChild;
          const free = line.getBoundingClientRect().left - words.getBoundingClientRect().right;
          return free / parseFloat(getComputedStyle(words).fontSize);
        }"""
    )
    assert gap == pytest.approx(0.4, abs=0.02)


MEASURE_TREE = """() => {
  const { clientHeight, clientWidth, scrollHeight, scrollWidth } = document.querySelector(".deck-slide");
  const parts = [...document.querySelectorAll(".node > *")];
  const sizes = parts.map((each) => parseFloat(getComputedStyle(each).fontSize));
  return [scrollHeight <= clientHeight && scrollWidth <= clientWidth, Math.min(...sizes)];
}"""


@pytest.mark.parametrize(
    ("token", "smallest"), [("น้ำ", 40), ("ที่ผ่านมา", 40), (" Administration", 40), ("-" * 64, 8)]
)
def test_the_tree_of_a_token_is_as_large_as_the_screen_allows(page: Page, token: str, smallest: float) -> None:
    tokenizer = openai_tokenizer("o200k_base")
    (token_id,) = tokenizer.encode(token)
    tree = tree_html(tree_of(token_id, tokenizer, to_bytes=False), tokenizer, "")
    slide = {"kind": "tree", "over": {"th": "how"}, "title": {}, "says": {}, "notes": {}, "html": tree}
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "slides.js"))
    page.evaluate(DRAW_SLIDE, [slide, TINT_COUNT])
    is_whole, least = page.evaluate(MEASURE_TREE)
    assert is_whole
    assert least >= smallest


SIGN = """() => getComputedStyle(document.querySelector(".sideways"), "::after").opacity"""


@pytest.mark.parametrize(("token", "is_wider"), [(" กรุงเทพมหานคร", True), ("ที่ผ่านมา", False)])
def test_on_a_phone_a_sign_says_that_a_tree_goes_on_until_its_end_is_seen(
    page: Page, token: str, is_wider: bool
) -> None:
    tokenizer = openai_tokenizer("o200k_base")
    (token_id,) = tokenizer.encode(token)
    tree = sideways(tree_html(tree_of(token_id, tokenizer, to_bytes=False), tokenizer, ""))
    page.set_viewport_size({"width": 390, "height": 844})
    page.set_content(f"<!doctype html><body>{tree}")
    place = page.locator(".token-tree")
    assert place.evaluate("(tree) => tree.scrollWidth > tree.clientWidth") == is_wider
    page.wait_for_function(f"({SIGN})() === '{int(is_wider)}'")
    place.evaluate("(tree) => tree.scrollTo(1e4, 0)")
    page.wait_for_function(f"({SIGN})() === '0'")


def test_on_a_phone_a_use_of_a_token_is_one_line_that_ends_in_an_ellipsis(page: Page) -> None:
    use = Context("ตอบคำถามลูกค้าได้ทุกข้อและ", "ที่ผ่านมา".encode(), "เราประชุมบ่อยเกินไปจนไม่มี")
    page.set_viewport_size({"width": 390, "height": 844})
    page.set_content(f"<!doctype html><body>{CONTEXTS_STYLE}{contexts_html([use], '')}")
    assert page.locator(".contexts").evaluate("(box) => box.scrollWidth <= box.clientWidth")
    for cell in page.locator("td:is(:first-child, :last-child)").all():
        assert cell.evaluate("(cell) => cell.scrollWidth > cell.clientWidth")
        assert cell.evaluate("(cell) => getComputedStyle(cell).textOverflow") == "ellipsis"
    words, token = page.locator("td bdi").first.bounding_box(), page.locator("td").nth(1).bounding_box()
    assert words is not None
    assert token is not None
    assert words["x"] + words["width"] <= token["x"] + 1  # its end stands beside the token


@pytest.mark.parametrize("count", [3, 6, 9, 16])
def test_a_slide_of_many_tokenizers_is_whole_and_their_names_are_no_larger_than_the_tokens(
    page: Page, count: int
) -> None:
    names = [f"Thai and English · Thai-aware · 1,000 ({number})" for number in range(count)]
    found = drawn_slide(
        page, " Administration", [Lane(name, Label(name), openai_tokenizer("gpt2")) for name in names]
    )
    assert found["isWhole"]
    assert found["labels"] <= found["type"]
    assert found["type"] > (36 if count < 10 else 20)


FIND_COVERED = """() => {
  for (const fall of document.getAnimations()) fall.finish();
  const slide = document.querySelector(".deck-slide").getBoundingClientRect();
  const boxOf = (node) => node.getBoundingClientRect();
  const others = [...document.querySelectorAll(".piece, .lane-head b, .lane-head span, .unit, h2")];
  const counts = [...document.querySelectorAll(".letters[data-n]")]
    .filter((letters) => getComputedStyle(letters, "::after").content !== "none");
  return counts.length + ": " + counts.filter((letters) => {
    const style = getComputedStyle(letters, "::after");
    const [size, [, up]] = [parseFloat(style.fontSize), style.translate.split(" ").map(parseFloat)];
    const { left, right, bottom } = boxOf(letters);
    const narrower = parseFloat(style.scale) || 1;
    const [middle, half] = [(left + right) / 2, 0.3 * size * narrower * letters.dataset.n.length];
    const [low, high] = [bottom + up + size, bottom + up];
    const isOver = (box) =>
      box.left < middle + half && box.right > middle - half && box.top < low && box.bottom > high;
    const isCovered = others.some((node) => node !== letters.parentElement && isOver(boxOf(node)));
    return isCovered || low > slide.bottom || size < 0.26 * parseFloat(getComputedStyle(letters).fontSize);
  }).map((letters) => letters.textContent);
}"""


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 900)])
@pytest.mark.parametrize(("times", "length"), [(1, 3), (2, 1)], ids=["one text", "two texts"])
def test_the_counts_under_every_line_of_every_row_are_whole_and_free(
    page: Page, size: tuple[int, int], times: int, length: int
) -> None:
    text = (catalogue("th")["examples.thai"] + " ") * length
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    view = json.loads(json.dumps(_view(View(text, lanes, "ภาษาไทย"))))
    slide = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}, "views": [view] * times}
    page.set_viewport_size({"width": size[0], "height": size[1]})
    opened(page, bundle(DECK / "slides.js"))
    lines = page.evaluate(DRAW_SLIDE, [slide, TINT_COUNT])
    assert all((count > 1) == (length > 1) for count, _ in lines)
    count, _, covered = page.evaluate(FIND_COVERED).partition(": ")
    assert int(count) > 20 * length * times
    assert covered == ""


def test_a_slide_whose_numbers_would_give_an_answer_away_has_none_below_its_letters(page: Page) -> None:
    view = View(catalogue("th")["examples.thai"], [Lane("gpt2", Label("gpt2"), openai_tokenizer("gpt2"))])
    slide: dict[str, Any] = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}}
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "slides.js"))
    shown = []
    for each in (view, replace(view, counts_letters=False)):
        page.evaluate(DRAW_SLIDE, [{**slide, "views": [json.loads(json.dumps(_view(each)))]}, TINT_COUNT])
        shown.append(int(page.evaluate(FIND_COVERED).partition(": ")[0]))
    assert shown[0] > shown[1] == 0


ROW_TOPS = """() => {
  for (const fall of document.getAnimations()) fall.finish();
  const topOf = (node) => node.getBoundingClientRect().top;
  return [...document.querySelectorAll(".view")].map((view) => [...view.querySelectorAll(".lane-row")].map((row) =>
    [".lane-head", ".letters.shared, .piece"].map((each) => topOf(row.querySelector(each)))));
}"""


def test_rows_of_texts_side_by_side_stand_at_one_height_with_counts_or_without(page: Page) -> None:
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    views = [_view(View(text, lanes, text)) for text in ("ขอบคุณ", "ขอบคุณค่ะ", "Thank you")]
    slide: dict[str, Any] = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}}
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "slides.js"))
    page.evaluate(DRAW_SLIDE, [{**slide, "views": json.loads(json.dumps(views))}, TINT_COUNT])
    first, second, third = page.evaluate(ROW_TOPS)
    assert len(first) == len(lanes)
    for other in (second, third):
        assert np.allclose(other, first, atol=2), (first, other)


STRIPES = """([slide, tints]) => {
  document.body.innerHTML = "<div class='token-view deck'><div class='deck-place'></div></div>";
  const view = new parts.SlideView(slide, { tints, locale: "th", labels: { letters: "" } });
  return view.boards.map(({ line }) =>
    [...line.querySelectorAll(".shared[style*=gradient]")].map(({ style, dataset }) =>
      [style.background.includes("to top"), dataset.n ?? ""]));
}"""


def test_a_cut_between_a_letter_and_its_mark_is_a_step_on_a_slide_and_a_token_keeps_its_stripes(
    page: Page,
) -> None:
    lanes = [pretoken_lane("llama3", Label("llama3")), Lane("gpt2", Label("GPT-2"), openai_tokenizer("gpt2"))]
    view = json.loads(json.dumps(_view(View("ที่", lanes))))
    slide = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}, "views": [view]}
    opened(page, bundle(DECK / "slides.js"))
    pieces, tokens = page.evaluate(STRIPES, [slide, TINT_COUNT])
    assert pieces == [[True, ""]]
    assert [is_step for is_step, _ in tokens] == [False]
    assert int(tokens[0][1]) > 1


PLACE_BARS = """([options, merges, isLive]) => {
  const before = window.fetch;
  window.fetch = () => new Promise(() => {});
  document.body.innerHTML = "<div class='token-view deck'><div></div><div class='deck-foot'>‹</div></div>";
  const view = new parts.SlideView({ kind: "stage", stage: options }, { labels: {} });
  document.querySelector(".deck").firstChild.append(view.element);
  view.placed();
  const { stage } = view;
  const answer = { state: "running", says: "", pace: "full", learned: merges.length / 3, goal: merges.length / 3 };
  if (isLive) stage.take({ ...answer, merges, served: [] });
  const places = [...stage.sentence.steps.map(({ merge }) => merge), stage.learned.total].map((merge) => {
    stage.go(merge);
    const { top, bottom } = stage.bar.element.getBoundingClientRect();
    return [top, bottom <= view.element.getBoundingClientRect().bottom];
  });
  const found = [new Set(places.map(([top]) => top)).size, places.every(([, isIn]) => isIn), places.length];
  stage.go(3);
  const { says, element } = stage.headline;
  while (element.offsetHeight <= stage.room) says.append(" more words than were foreseen");
  stage.fit();
  const isIn = stage.bar.element.getBoundingClientRect().bottom <= view.element.getBoundingClientRect().bottom;
  const lowest = stage.board.line.getBoundingClientRect().bottom;
  const isFittedAgain = isIn && lowest <= stage.bar.element.getBoundingClientRect().top;
  view.remove();
  window.fetch = before;
  return [...found, isFittedAgain];
}"""


@pytest.mark.parametrize(
    ("is_live", "language", "width", "height"),
    crossed([False, True], [("th", 1920, 1080), ("th", 1280, 900), ("en", 1920, 1080), ("en", 1280, 720)]),
)
def test_before_a_room_no_headline_moves_the_sentence_or_the_bar(
    page: Page, language: str, width: int, height: int, is_live: bool
) -> None:
    (training,) = [slide.stage for slide in _stage() if slide.stage]
    words = {"locale": language, "labels": section("stage", spoken=language), "presents": True}
    merges = training["saved"]["answer"]["merges"]
    options = {**training, **words, "saved": None if is_live else training["saved"]}
    page.set_viewport_size({"width": width, "height": height})
    opened(page, bundle(DECK / "slides.js"))
    heights, is_in, moments, is_fitted_again = page.evaluate(PLACE_BARS, [options, merges, is_live])
    assert moments > 20
    assert (heights, is_in) == (1, True)
    assert is_fitted_again


FIT_AT = """([options, merge]) => {
  document.body.innerHTML = "<div class='token-view deck'><div></div><div class='deck-foot'>‹</div></div>";
  const view = new parts.SlideView({ kind: "stage", stage: options }, { labels: {} });
  document.querySelector(".deck").firstChild.append(view.element);
  view.placed();
  view.stage.go(merge);
  view.stage.fitted = [0, 0]; // as when the window has another size
  view.stage.fit();
  const { fontSize } = view.stage.board.line.style;
  view.remove();
  return fontSize;
}"""


def test_a_window_that_changes_at_the_end_leaves_the_room_that_the_beginning_needs(page: Page) -> None:
    text = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ"
    tokenizer = train(f"{text} " * 9, 256 + 60)
    merges = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", merges, text, [], title="")
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "slides.js"))
    before, after = (page.evaluate(FIT_AT, [options, merge]) for merge in (0, len(merges)))
    assert before == after


ALWAYS = {"key_black", "key_timer", "key_full", "key_code", "key_leave", "key_list"}
FIRST, AMONG, LAST = (
    {"isFirst": first, "isLast": last} for first, last in ((True, False), (False, False), (False, True))
)
ALONE = {"isAlone": True, "isFirst": True, "isLast": True}
WHAT_KEYS_DO = {
    "home": ("tokens", ALONE, set()),
    "in a story": ("tokens", AMONG, {"key_move", "key_next", "key_ends"}),
    "the last slide": ("tokens", LAST, {"key_back", "key_ends"}),
    "a question": ("ask", AMONG | {"isShown": False}, {"key_answer", "key_back", "key_ends"}),
    "an answer": ("ask", AMONG, {"key_move", "key_next", "key_ends"}),
    "a bill that is printed": ("receipt", AMONG | {"isShown": False}, {"key_rest", "key_back", "key_ends"}),
    "train, before": (
        "stage",
        ALONE | {"film": "held", "isFilm": True},
        {"key_start", "key_film", "key_film_end"},
    ),
    "train": (
        "stage",
        ALONE | {"film": "plays", "isFilm": True},
        {"key_steps", "key_play", "key_film", "key_film_end"},
    ),
    "train, its end": (
        "stage",
        FIRST | {"film": "over", "isFilm": True},
        {"key_onward", "key_step_back", "key_replay"},
    ),
    "film in a talk, before": (
        "stage",
        AMONG | {"film": "held"},
        {"key_start", "key_back", "key_film", "key_film_end", "key_ends"},
    ),
    "film in a talk": (
        "stage",
        AMONG | {"film": "plays"},
        {"key_to_end", "key_back", "key_play", "key_film", "key_film_end", "key_ends"},
    ),
    "film in a talk, its end": (
        "stage",
        AMONG | {"film": "over"},
        {"key_onward", "key_back", "key_replay", "key_ends"},
    ),
    "film that ends a talk": ("stage", LAST | {"film": "over"}, {"key_back", "key_again", "key_ends"}),
    "vote": ("vote", ALONE | {"isShown": False}, {"key_join", "key_hands", "key_vote", "key_undo"}),
    "vote in a talk": (
        "vote",
        AMONG | {"isShown": False},
        {"key_join", "key_hands", "key_ends", "key_vote", "key_undo_back"},
    ),
    "a vote's end": ("vote", AMONG, {"key_onward", "key_ends", "key_undo_back"}),
    "a vote's end, alone": ("vote", ALONE, {"key_undo"}),
    "train, without a training": ("words", ALONE | {"goesOn": True}, {"key_train"}),
}


@pytest.mark.parametrize(("kind", "place", "does"), WHAT_KEYS_DO.values(), ids=list(WHAT_KEYS_DO))
def test_the_list_of_keys_has_those_that_do_something_on_this_slide_each_key_once(
    page: Page, kind: str, place: dict[str, Any], does: set[str]
) -> None:
    place = {"isAlone": False, "isShown": True, "isFilm": False, "film": "", **place}
    opened(page, bundle(DECK / "keys.js"))
    keys = page.evaluate("([kind, place]) => parts.keysOf({ kind }, place)", [kind, place])
    assert set(keys) == ALWAYS | does
    for language in ("en", "th"):
        words = section("deck", spoken=language)
        said = " ".join(words[key] for key in keys)
        named = re.findall(r"[→←]|Page Down|Page Up|Enter|Space|Home|End|Esc|\b[A-Z]\b", said)
        assert len(named) == len(set(named)), named
        assert all(words[key].count(": ") == 1 for key in keys)  # a line for each thing that keys do


HAND_OVER = """async ([options, merges, isAlive]) => {
  const notes = new Map();
  const storage = {
    getItem: (key) => notes.get(key) ?? null,
    setItem: (key, value) => notes.set(key, value),
    removeItem: (key) => notes.delete(key),
  };
  const before = Object.getOwnPropertyDescriptor(window, "sessionStorage");
  Object.defineProperty(window, "sessionStorage", { value: storage, configurable: true });
  const fetched = window.fetch;
  const answer = { state: "running", says: "", pace: "slowest", goal: 99, learned: merges.length / 3, merges };
  window.fetch = async (path) => {
    const from = 3 * Number(path.split("=")[1]);
    return { ok: true, status: 200, json: async () => ({ ...answer, merges: merges.slice(from, from + 6) }) };
  };
  document.body.innerHTML = "<div></div>";
  let shown = null;
  const follow = async (presents) => {
    const last = shown;
    if (!isAlive) last?.remove();
    shown = new parts.Stage(document.body.firstChild, { ...options, presents });
    const isHere = () => shown.learned.total === merges.length / 3 && !shown.place;
    while (!isHere()) await new Promise((done) => setTimeout(done, 5));
    const { position, isHeld, isPlaying, isLive } = shown.player;
    if (isAlive) last?.remove();
    return [position, isHeld, isPlaying || isLive];
  };
  const found = [await follow(false)];
  clearTimeout(shown.stillTimer);
  found.push(await follow(true)); // nothing has been shown
  shown.begin();
  shown.go(4);
  shown.play();
  found.push(await follow(false)); // it goes on on the page
  shown.player.pause();
  shown.go(5);
  found.push(await follow(true)); // and stays where it stands
  shown.remove();
  window.fetch = fetched;
  Object.defineProperty(window, "sessionStorage", before);
  return found;
}"""


@pytest.mark.parametrize("is_alive", [False, True], ids=["after the page", "beside the page"])
def test_the_film_goes_on_where_it_was_from_the_page_to_the_room_and_back(page: Page, *, is_alive: bool) -> None:
    text = "the cat and the dog"
    tokenizer = train(f"{text} " * 9, 256 + 12, pattern="gpt2")
    merges = [number for left, right in tokenizer.merges for number in (left, right, 2)]
    options = replay_options(tokenizer.pattern, "", [], text, [("GPT-2", 18)], title="")
    options |= {"saved": None, "name": f"film {is_alive}", "feed": "/feed"}
    opened(page, bundle(STAGE / "stage.js"))
    first, held, plays, stands = page.evaluate(HAND_OVER, [options, merges, is_alive])
    assert first[:2] == held[:2] == [0, True]
    assert plays[0] in (4, 5)
    assert plays[1:] == [False, True]
    assert stands == [5, False, False]


SEEN_BEFORE_A_ROOM = """async ([options, merges]) => {
  const notes = new Map();
  const own = Object.getOwnPropertyDescriptor(window, "sessionStorage");
  const value = {
    getItem: (key) => notes.get(key) ?? null,
    setItem: (key, note) => notes.set(key, note),
    removeItem: (key) => notes.delete(key),
  };
  Object.defineProperty(window, "sessionStorage", { value, configurable: true });
  const fetched = window.fetch;
  const total = merges.length / 3;
  const answer = { state: "done", says: "", pace: "full", goal: total, learned: total, merges };
  window.fetch = async () => ({ ok: true, status: 200, json: async () => answer });
  document.body.innerHTML = "<div></div>";
  const shown = async (presents) => {
    const stage = new parts.Stage(document.body.firstChild, { ...options, presents });
    while (stage.root.dataset.state !== "done") await new Promise((done) => setTimeout(done, 5));
    return stage;
  };
  const room = await shown(true);
  room.toTheEnd();
  room.remove();
  const page = await shown(false);
  const found = [page.player.position, page.player.isHeld, page.headline.ways.hidden];
  page.remove();
  window.fetch = fetched;
  Object.defineProperty(window, "sessionStorage", own);
  return found;
}"""


def test_a_film_that_a_room_saw_to_its_end_shows_its_end_on_the_page(page: Page) -> None:
    options = replay_options("none", "", [], "abcabc", [], title="") | {
        "saved": None,
        "name": "seen",
        "feed": "/feed",
    }
    opened(page, bundle(STAGE / "stage.js"))
    assert page.evaluate(SEEN_BEFORE_A_ROOM, [options, [97, 98, 9, 256, 99, 3]]) == [2, False, False]


DECK_OF = """async ([options, keys]) => {
  document.body.innerHTML = "<button>behind</button><div></div>";
  const [behind, place] = document.body.children;
  const data = new TextEncoder().encode(JSON.stringify(options));
  const leave = parts.default({ data, parentElement: place, setTriggerValue: () => {} });
  const where = place.querySelector(".deck-where");
  const found = [where.textContent];
  for (const key of keys) {
    document.dispatchEvent(new KeyboardEvent("keydown", { key }));
    found.push(where.textContent);
  }
  const isShut = behind.inert;
  leave();
  return [found, isShut, behind.inert, place.childElementCount];
}"""


def deck_options() -> dict[str, Any]:
    """What a deck needs besides its slides."""
    options: dict[str, Any] = {"name": "deck", "talk": "talk", "code": None, "showsNotes": False, "what": "1"}
    words = {"labels": section("deck", spoken="en"), "locale": "en"}
    return options | words | {"tints": TINT_COUNT, "address": ""}


def test_a_deck_shows_the_words_of_its_own_language_or_those_there_are(page: Page) -> None:
    slide = {"kind": "words", "over": {}, "title": {"en": "one", "th": "หนึ่ง"}, "says": {"th": "สอง"}}
    opened(page, bundle(DECK / "slides.js"))
    show = """([slide, options]) =>
      [...new parts.SlideView(slide, options).element.querySelectorAll("p")].map((line) => line.textContent)"""
    assert page.evaluate(show, [slide, deck_options()]) == ["one", "สอง"]


def test_the_last_slide_has_the_code_of_the_address_where_phones_can_open_it(page: Page) -> None:
    slide = {"kind": "words", "over": {}, "title": {"en": "GPT-2"}, "says": {}, "showsCode": True}
    here = deck_options() | {"address": "http://192.168.1.5:8501/stories", "code": [[1, 0], [0, 1]]}
    opened(page, bundle(DECK / "slides.js"))
    show = """([slide, options]) => [...new parts.SlideView(slide, options).element.querySelectorAll("svg, p")]
      .map((each) => each.textContent)"""
    title = "GPT-\u20602"  # one line
    assert page.evaluate(show, [slide, here]) == [title, "", "192.168.1.5:8501/stories"]
    assert page.evaluate(show, [{**slide, "showsCode": False}, here]) == [title]
    assert page.evaluate(show, [slide, here | {"address": "", "code": None}]) == [title]


def test_a_deck_counts_its_slides_and_nothing_behind_it_can_be_reached(page: Page) -> None:
    slide = {"kind": "words", "over": {}, "says": {}, "notes": {}}
    slides = [{**slide, "title": {"en": str(at)}} for at in range(3)]
    options = deck_options() | {"slides": slides}
    opened(page, bundle(DECK / "deck.js"))
    shown, is_shut, is_still_shut, left = page.evaluate(DECK_OF, [options, ["ArrowRight", "ArrowRight", "Home"]])
    assert shown == ["1 / 3", "2 / 3", "3 / 3", "1 / 3"]
    assert (is_shut, is_still_shut, left) == (True, False, 0)


TALK = """async ([slides, options, keys]) => {
  document.body.innerHTML = "<div></div>";
  const place = document.body.firstChild;
  const data = new TextEncoder().encode(JSON.stringify({ ...options, slides }));
  const leave = parts.default({ data, parentElement: place, setTriggerValue: () => {} });
  const found = keys.map((key) => {
    document.dispatchEvent(new KeyboardEvent("keydown", { key }));
    const film = place.querySelector(".stage");
    return [Number(place.querySelector(".deck").dataset.at), film && Number(film.dataset.position)];
  });
  await new Promise((done) => setTimeout(done)); // a film that is shown again has its merges a moment later
  const film = place.querySelector(".stage");
  leave();
  return [...found, film && Number(film.dataset.position)];
}"""


def test_a_film_in_a_talk_shows_its_end_before_it_is_left_and_when_somebody_comes_back(page: Page) -> None:
    film = replay_options("none", "", [(97, 98, 9), (256, 99, 3)], "abcabc", [], title="")
    words = {"kind": "words", "over": {}, "title": {"en": "words"}, "says": {}, "notes": {}}
    film |= {"labels": section("stage", spoken="en"), "locale": "en"}
    slides = [words, {**words, "kind": "stage", "stage": film}, words]
    opened(page, bundle(DECK / "deck.js"))
    for onward in ("ArrowRight", " "):
        keys = ["ArrowRight", "ArrowRight", "ArrowRight", onward, "ArrowLeft"]
        *found, again = page.evaluate(TALK, [slides, deck_options(), keys])
        assert found[:4] == [[1, 0], [1, 0], [1, 2], [2, None]]  # it stands, begins, is over, is left
        assert found[4][0] == 1
        assert again == 2


LISTED = """async ([slides, options, keys]) => {
  document.body.innerHTML = "<div></div>";
  const place = document.body.firstChild;
  const data = new TextEncoder().encode(JSON.stringify({ ...options, slides }));
  const leave = parts.default({ data, parentElement: place, setTriggerValue: () => {} });
  const found = [];
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
  const list = place.querySelector(".deck-keys");
  const deck = place.querySelector(".deck");
  const stands = () => [deck.dataset.at, place.querySelector(".stage")?.dataset.position].join();
  for (const key of keys) {
    press("h");
    const [said, isShown, before] = [list.firstChild.textContent, !list.hidden, stands()];
    press(key); // closes the list, and does nothing else
    found.push([said, isShown, list.hidden && deck.isConnected && stands() === before]);
    if (!["h", "Escape", "s", "p", " "].includes(key)) press(key);
    await new Promise((done) => setTimeout(done));
  }
  leave();
  return found;
}"""


def test_the_list_of_keys_says_what_they_do_now_and_a_key_closes_it_and_moves_nothing(page: Page) -> None:
    merges = [(97, 98, 9), (256, 99, 3), *((100 + n, 101 + n, 2) for n in range(20))]  # more than play meanwhile
    film = replay_options("none", "", merges, "abcabc", [], title="")
    film |= {"labels": section("stage", spoken="en"), "locale": "en"}
    words = {"kind": "words", "over": {}, "title": {"en": "words"}, "says": {}, "notes": {}}
    slides = [{**words, "kind": "stage", "stage": film}, {**words, "isOutcome": True}]
    opened(page, bundle(DECK / "deck.js"))
    keys = ["h", "Escape", "Enter", "s", "p", " ", "ArrowRight", "e", "ArrowRight", "ArrowLeft"]
    listed = page.evaluate(LISTED, [slides, deck_options(), keys])
    deck = section("deck", spoken="en")
    does = ["start"] * 3 + ["steps"] * 5 + ["onward", "back"]
    assert listed == [[deck[f"key_{name}"], True, True] for name in does]


VOTED = """async ([slide, options, answers]) => {
  const fetched = window.fetch;
  let at = 0;
  window.fetch = async (path) => {
    if (path.includes("/join")) at += 1;
    if (path.includes("/end")) at = answers.length - 1;
    return { ok: true, status: 200, json: async () => answers[at] };
  };
  document.body.innerHTML = "<div></div>";
  const place = document.body.firstChild;
  const data = new TextEncoder().encode(JSON.stringify({ ...options, slides: [slide] }));
  const leave = parts.default({ data, parentElement: place, setTriggerValue: () => {} });
  const isDrawn = async (said) => {
    const isThere = () => place.querySelector(".vote")?.textContent.includes(said);
    while (!isThere()) await new Promise((done) => setTimeout(done, 5));
  };
  const boxes = [];
  const said = [];
  for (let round = 0; round + 1 < answers.length; round++) {
    await isDrawn(`Round ${round + 1} `);
    boxes.push([".title", ".vote-round", ".vote-hands", ".vote-cards", ".vote-main > .board"].map((name) => {
      const { left, top, width, height } = place.querySelector(name).getBoundingClientRect();
      return [left, top, name === ".vote-round" ? 0 : width, height].map(Math.round);
    }));
    said.push(place.querySelector(".vote-said span:has(.chip)")?.firstChild.textContent ?? "");
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  }
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "e" }));
  while (!place.querySelector(".vote-result")) await new Promise((done) => setTimeout(done, 5));
  said.push(place.querySelector(".vote-result").textContent);
  leave();
  window.fetch = fetched;
  return [boxes, said];
}"""


def rounds_of_a_vote(whys: Sequence[str]) -> list[dict[str, Any]]:
    """What the app answers in each round that was chosen so, and at the end."""
    chip = {"text": "น้ำ", "tint": 1}
    pair = {"parts": [chip, chip], "made": chip, "count": 364}
    answers = []
    for played in range(len(whys) + 1):
        runner = {"ends": [3, 6], "inSentence": [2] * (played + 1), "inText": 9, "chosen": [chip] * played}
        news = {"round": played, "rounds": 8, "isOver": False, "isOpen": True, "pairs": [pair] * 4}
        answers.append(news | {"votes": [0] * 4, "runners": [runner] * 2, "whys": [*whys[:played]]})
    return [*answers, answers[-1] | {"isOver": True, "pairs": []}]


@pytest.mark.parametrize("has_code", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_moves_between_the_rounds_of_a_vote_which_says_when_nobody_voted(
    page: Page, language: str, *, has_code: bool
) -> None:
    words = section("deck", spoken=language)
    options = deck_options() | {"labels": words | {"vote_round": "Round {round} of {rounds}"}, "locale": language}
    code = [[1, 0] * 12] * 25 if has_code else None
    vote = {
        "key": "k",
        "steer": "/steer",
        "page": "/vote/abcdefgh",
        "code": code,
        "link": "http://192.168.1.5/vote",
    }
    title = {language: catalogue(language)["vote.ask"]}
    views = [{"label": "", "text": "กข", "clusters": [0, 3], "lanes": []}]
    words_of_it = {"over": {}, "title": title, "says": {}, "notes": {}}
    slide = {"kind": "vote", **words_of_it, "vote": vote, "views": views}
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "deck.js"))
    for whys, end in ((["none", "none"], "vote_unvoted"), (["clicked", "none", "tie", "votes"], "vote_even")):
        boxes, said = page.evaluate(VOTED, [slide, options, rounds_of_a_vote(whys)])
        assert len({json.dumps(each) for each in boxes}) == 1, boxes
        keys = {"none": "vote_none", "tie": "vote_tie"}
        assert said[:-1] == ["", *(words[keys.get(why, "vote_room")] for why in whys)]
        assert said[-1].startswith(words[end].partition("{")[0])


# ---- the race

DRAW_RACE = """([steps, levels, marks, goal, width]) => {
  const race = new parts.Race((key) => ({ locale: "en", race_own: "yours" })[key] ?? key);
  document.body.innerHTML = `<div class='token-view stage' style='width: ${width}px'></div>`;
  document.body.firstChild.append(race.element);
  race.fit();
  return marks.map((merge) => {
    const learned = steps.filter((step) => step.merge <= merge);
    race.show([{ name: "ก", learned: merge, levels, steps: learned }], goal, "");
    race.mark(merge, true);
    const length = race.run.getTotalLength();
    const places = Array.from({ length: 2000 }, (_, at) => race.run.getPointAtLength((length * at) / 1999));
    const boxes = [race.value, ...race.svg.querySelectorAll(".name")].map((text) => {
      const [box, base] = [text.getBBox(), Number(text.getAttribute("y"))];
      const size = parseFloat(getComputedStyle(text).fontSize);
      return { size, left: box.x, right: box.x + box.width, top: base - 0.7 * size, base }; // digits and capitals
    });
    const isCrossed = ({ left, right, top, base }) =>
      places.some(({ x, y }) => x > left && x < right && y > top && y < base);
    return boxes.map((box, at) => [
      box.size >= 14,
      box.left >= 0 && box.right <= race.width && box.top >= 0 && box.base <= race.height,
      !isCrossed(box),
      boxes.slice(0, at).every((one) => one.base < box.top || one.top > box.base || one.right < box.left),
    ]);
  });
}"""


@pytest.mark.parametrize("first", [60, 13_435])
@pytest.mark.parametrize("keeps", [0.5, 0.75])
@pytest.mark.parametrize("width", [358, 800])
def test_the_names_of_the_race_can_be_read_and_nothing_crosses_them(
    page: Page, first: int, keeps: float, width: int
) -> None:
    merges = [0, 3, 4, 7, 11, 12, 19, 30, 31, 50, 90, 120, 200, 330, 500, 744]
    steps = [{"merge": merge, "tokens": round(first * keeps ** (at / 9))} for at, merge in enumerate(merges)]
    shares = {"GPT-2": 0.93, "GPT-4 (cl100k)": 0.7, "GPT-4o (o200k)": 0.45}
    levels = [{"name": name, "count": round(first * share)} for name, share in shares.items()]
    marks = [1, 2, 3, 5, 11, 14, 19, 24, 31, 64, 100, 150, 300, 600, 744]
    opened(page, bundle(STAGE / "race.js"))
    found = page.evaluate(DRAW_RACE, [steps, levels, marks, 744, width])
    assert found == [[[True] * 4] * (1 + len(levels))] * len(marks)


TICKS = """([goal, width]) => {
  const race = new parts.Race((key) => ({ locale: "en", race_merges: "จำนวนครั้งที่รวม" })[key] ?? key);
  document.body.innerHTML = `<div class='token-view stage' style='width: ${width}px'></div>`;
  document.body.firstChild.append(race.element);
  race.fit();
  race.show([{ name: "ก", learned: 1, levels: [], steps: [{ merge: 0, tokens: 9 }] }], goal, "");
  const ticks = [...race.svg.querySelectorAll(".tick:not(.end)")];
  const boxes = [...ticks, race.svg.querySelector(".axis-name")].map((text) => text.getBBox());
  const areApart = boxes.every((box, at) => !at || boxes[at - 1].x + boxes[at - 1].width + 2 < box.x);
  const numbers = ticks.map((tick) => tick.textContent);
  return [race.svg.querySelectorAll(".grid").length - ticks.length, areApart, numbers];
}"""


@pytest.mark.parametrize("width", [358, 1000])
@pytest.mark.parametrize("goal", [100, 105, 133, 744, 1000, 1300, 10_000, 12_000, 100_000])
def test_each_line_of_the_race_has_its_number_which_meets_no_other_words(
    page: Page, goal: int, width: int
) -> None:
    page.set_viewport_size({"width": width + 32, "height": 844})
    opened(page, bundle(STAGE / "race.js"))
    bare, are_apart, numbers = page.evaluate(TICKS, [goal, width])
    assert (bare, are_apart) == (0, True)
    assert "100" in numbers


RACE_OF_THE_SENTENCE = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  stage.charts.others = [{ name: "Thai", steps: [{ merge: 0, tokens: 900 }], levels: [], learned: 2 }];
  stage.charts.note = "of others";
  const shown = () => [stage.charts.race.value.textContent, stage.charts.race.note.textContent];
  stage.charts.draw();
  const at = (merge) => (stage.go(merge), shown()); // at once, as the large number does
  const found = [at(1), at(2)];
  stage.charts.race.choice.children[1].click();
  found.push(shown());
  const names = [...stage.charts.race.choice.children].map(({ textContent }) => textContent);
  stage.remove();
  return [found, names];
}"""


def test_the_race_counts_the_sentence_of_the_show_unless_another_text_is_chosen(page: Page) -> None:
    options = replay_options("none", "", [(0xE0, 0xB8, 9), (256, 0x81, 3)], "กกข", [], title="")
    options["labels"] = section("stage", spoken="en")
    opened(page, bundle(STAGE / "stage.js"))
    found, names = page.evaluate(RACE_OF_THE_SENTENCE, {**options, "locale": "en"})
    assert names == ["This sentence", "Thai"]
    assert [value for value, _ in found] == ["yours 6", "yours 4", "yours 900"]
    assert ["of others" in note for _, note in found] == [False, False, True]


# ---- the timeline

STAR_WORDS = {f"{name} is one token" for name in ("นะ", "the")} | {"beats กรุงเทพมหานคร"}
DRAW_FLAGS = """([options, width, merges]) => {
  document.body.innerHTML = `<div style="width: ${width}px"></div>`;
  const stage = new parts.Stage(document.body.firstChild, options);
  const names = ["GPT-2", "นะ", "GPT-4", "the", "กรุงเทพมหานคร"];
  const kinds = ["beat", "thai"];
  const milestone = (merge, at) => ({ merge, kind: kinds[at % 2], name: names[at], says: names[at] });
  stage.bar.flag(merges.map(milestone), 744);
  const ends = (node) => { const { left, right } = node.getBoundingClientRect(); return [left, right]; };
  const flags = [...stage.bar.flags.children];
  const found = {
    signs: flags.map(ends),
    beaten: flags[0].querySelector(".name")?.textContent,
    said: flags.map((flag) => flag.querySelector(".name")?.textContent ?? ""),
    names: flags.flatMap((flag) => [...flag.querySelectorAll(".name")].map(ends)),
    ties: flags.map((flag) => {
      const [left, right] = ends(flag);
      const [off, isEarly] = [parseFloat(flag.style.getPropertyValue("--off")), flag.classList.contains("early")];
      return (left + right) / 2 + (isEarly ? off : -off);
    }),
    offs: flags.map((flag) => parseFloat(flag.style.getPropertyValue("--off"))),
    line: ends(stage.bar.flags),
  };
  stage.remove();
  return found;
}"""


@pytest.mark.parametrize("width", [700, 1000, 1280, 1800])
@pytest.mark.parametrize(
    "merges", [[3, 180, 217, 500, 700], [3, 10, 20, 30, 40], [3, 700, 710, 720, 740], [3, 3, 3, 3, 744]]
)
def test_names_on_the_timeline_cover_no_other_name_and_no_flag(page: Page, width: int, merges: list[int]) -> None:
    text = "น้ำใจคนไทย"
    tokenizer = train(f"{text} the cat. " * 9, 256 + 20)
    learned = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", learned, text, [], title="")
    options["labels"] = section("stage", spoken="en")
    page.set_viewport_size({"width": width + 40, "height": 900})
    opened(page, bundle(STAGE / "stage.js"))
    found = page.evaluate(DRAW_FLAGS, [{**options, "locale": "en"}, width, merges])
    assert found["beaten"].replace("\u00a0", " ") in ("beats GPT-2", "GPT-2") or width < 1000
    if width > 1000:  # a sign alone says nothing
        said = [name.replace("\u00a0", " ") for name in found["said"] if name]
        assert {"beats GPT-2", "beats GPT-4"} <= set(said) <= {"beats GPT-2", "beats GPT-4", *STAR_WORDS}
    left, right = found["line"]
    shown = [(tie, merge) for tie, merge, said in zip(found["ties"], merges, found["said"]) if said]
    stars = [off for off, said in zip(found["offs"], found["said"]) if said in STAR_WORDS and "beats" not in said]
    assert all(abs(off) < 1 for off in stars)  # a word stands at its merge, or not at all
    for tie, merge in shown:  # a sign that gave way is tied to its merge
        assert tie == pytest.approx(left + (right - left) * merge / 744, abs=0.6)
    drawn = sorted(found["names"] + found["signs"])
    assert all(before[1] <= behind[0] + 0.1 for before, behind in zip(drawn, drawn[1:]))


COME_BACK = """async ([options, merges, isDeck]) => {
  const total = merges.length / 3;
  const answer = { state: "done", says: "", pace: "full", learned: total, goal: total, merges };
  window.fetch = async () => ({ ok: true, status: 200, json: async () => answer });
  const storage = { getItem: () => "shown", setItem: () => {} };
  const own = Object.getOwnPropertyDescriptor(window, "sessionStorage");
  Object.defineProperty(window, "sessionStorage", { value: storage, configurable: true });
  document.body.innerHTML = isDeck ? "<div class='token-view deck'></div>" : "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: isDeck });
  stage.dress();
  while (stage.root.dataset.state !== "done") await new Promise((done) => setTimeout(done, 5));
  if (isDeck) stage.toTheEnd();
  const [line, flags] = [stage.bar.line.getBoundingClientRect(), [...stage.bar.flags.children]];
  const found = flags.map((flag) => {
    const { left, right, width, bottom } = flag.getBoundingClientRect();
    const isFree = !isDeck || bottom <= stage.bar.slider.getBoundingClientRect().top;
    const name = flag.querySelector(".name");
    const isIn = isFree && width > 0 && left >= line.left - width && right <= line.right + width;
    return [flag.className, isIn, name ? parseFloat(getComputedStyle(name).fontSize) : null];
  });
  stage.remove();
  Object.defineProperty(window, "sessionStorage", own);
  return found;
}"""


@pytest.mark.parametrize("is_deck", [False, True], ids=["page", "deck"])
def test_whoever_comes_back_or_presents_finds_all_flags_of_a_training_that_has_ended(
    page: Page, is_deck: bool
) -> None:
    text = "the cat and the dog"
    tokenizer = train(f"{text} " * 9, 256 + 12, pattern="gpt2")
    merges = [number for left, right in tokenizer.merges for number in (left, right, 2)]
    levels = [("GPT-2", 18), ("GPT-4", 12)]
    options = replay_options(tokenizer.pattern, "", [], text, levels, title="")
    options |= {"labels": section("stage", spoken="en"), "locale": "en", "saved": None}
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(STAGE / "stage.js"))
    found = page.evaluate(COME_BACK, [options, merges, is_deck])
    assert [kind for kind, *_ in found].count("flag beat") == len(levels)
    assert all(is_in == (kind == "flag beat" or size is not None) for kind, is_in, size in found), found
    assert not is_deck or all(size is None or size >= 40 for *_, size in found)


WIDEN = """async ([options]) => {
  document.body.innerHTML = "<div style='width: 1400px'></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: false });
  const { bar } = stage;
  stage.dress();
  bar.line.style.maxWidth = "200px"; // what stands beside it is wider at first
  bar.flagged = "";
  stage.go(stage.learned.total); // all have been seen
  const placesOf = () => [...bar.flags.children].map((flag) => parseFloat(flag.style.insetInlineStart));
  const narrow = placesOf();
  bar.line.style.maxWidth = "none";
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  const wide = placesOf();
  stage.remove();
  return [narrow, wide];
}"""


def test_flags_find_their_place_again_when_the_timeline_gets_wider(page: Page) -> None:
    text = "the cat and the dog"
    tokenizer = train(f"{text} " * 9, 256 + 12, pattern="gpt2")
    merges = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", merges, text, [("A long name", 18), ("Another", 14)], title="")
    options |= {"labels": section("stage", spoken="en"), "locale": "en"}
    page.set_viewport_size({"width": 1600, "height": 900})
    opened(page, bundle(STAGE / "stage.js"))
    narrow, wide = page.evaluate(WIDEN, [options])
    assert len(narrow) == len(wide) > 1
    assert narrow != wide


SEE_FLAGS = """(options) => {
  document.body.innerHTML = "<div style='width: 1400px'></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  stage.dress();
  const flags = () => stage.bar.flags.childElementCount;
  const total = stage.learned.total;
  const first = stage.milestones.found[0].merge;
  const found = [stage.isOver, flags(), ...[first, 0, total, 0].map((merge) => (stage.go(merge), flags()))];
  stage.remove();
  return [found, stage.milestones.found.length];
}"""


def test_no_flag_gives_away_what_is_still_to_come(page: Page) -> None:
    text = "the cat and the dog"
    tokenizer = train(f"{text} " * 9, 256 + 12, pattern="gpt2")
    merges = [(left, right, 2) for left, right in tokenizer.merges]
    options = replay_options(tokenizer.pattern, "", merges, text, [("GPT-2", 18)], title="")
    opened(page, bundle(STAGE / "stage.js"))
    found, milestones = page.evaluate(
        SEE_FLAGS, {**options, "labels": section("stage", spoken="en"), "locale": "en"}
    )
    assert milestones > 1
    assert found == [True, 0, 1, 1, milestones, milestones]  # at first, at the first one, back, at the end, back


FRAME_SLIDER = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  stage.dress();
  const { flags, slider } = stage.bar;
  slider.focus({ focusVisible: true });
  const { outlineOffset, outlineWidth, outlineStyle } = getComputedStyle(slider);
  const top = slider.getBoundingClientRect().top - parseFloat(outlineOffset) - parseFloat(outlineWidth);
  const found = [outlineStyle, top - flags.getBoundingClientRect().bottom];
  stage.remove();
  return found;
}"""


def test_the_focus_of_the_timeline_leaves_the_flags_above_it_alone(page: Page) -> None:
    opened(page, bundle(STAGE / "stage.js"))
    options = replay_options("none", "", [(97, 98, 9)], "abab", [], title="") | {"presents": False}
    style, room = page.evaluate(FRAME_SLIDER, options)
    assert (style, room >= 0) == ("solid", True)


STOP = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  const answer = { says: "", pace: "slow", learned: 1, goal: 9, served: [] };
  stage.take({ ...answer, state: "running", merges: [97, 98, 9] });
  stage.go(1);
  const ends = [stage.headline.ways.hidden];
  stage.take({ ...answer, state: "stopped", merges: [] });
  ends.push(stage.headline.ways.hidden);
  stage.remove();
  return ends;
}"""


def test_a_training_that_is_stopped_after_its_newest_merge_was_shown_has_its_end(page: Page) -> None:
    options = replay_options("none", "", [], "abab", [], title="")
    options |= {"labels": section("stage", spoken="en"), "locale": "en", "saved": None}
    opened(page, bundle(STAGE / "stage.js"))
    assert page.evaluate(STOP, options) == [True, False]


RUN_TO_END = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: true });
  stage.bar.pace.value = "full";
  stage.bar.pace.onchange();
  stage.go(stage.learned.total);
  stage.replay();
  const found = [stage.player.pace, stage.bar.pace.value];
  stage.remove();
  return found;
}"""


def test_whoever_ran_to_the_end_sees_the_show_slowly_the_next_time(page: Page) -> None:
    options = replay_options("none", "", [(0xE0, 0xB8, 9)], "กกข", [], title="")
    opened(page, bundle(STAGE / "stage.js"))
    found = page.evaluate(RUN_TO_END, {**options, "labels": section("stage", spoken="en"), "locale": "en"})
    assert found == ["gathering", "gathering"]


HELD = """([options, width]) => {
  document.body.innerHTML = `<div style="width: ${width}px"></div>`;
  const app = { cut() {}, compare() {}, exports() {}, again() {} };
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: false }, app);
  stage.go(0);
  stage.forward(); // lights up the pair
  const { says } = stage.headline;
  const { full, where } = stage.bar;
  const change = stage.root.querySelector(".change");
  const shown = [...change.children].filter((each) => each.checkVisibility());
  const words = shown.map((each) => each.textContent.trim());
  const found = { isHeld: stage.held > 0, where: where.textContent, words, lines: says.innerText };
  found.isFull = full.checkVisibility();
  stage.remove();
  return found;
}"""


@pytest.mark.parametrize("width", [360, 1000])
def test_while_a_pair_lights_up_all_name_its_merge_and_a_phone_says_in_a_line_what_is_here(
    page: Page, width: int
) -> None:
    options = replay_options("none", "", [(0xE0, 0xB8, 9), (256, 0x81, 3)], "กกข", [], title="")
    options["labels"] = words = section("stage", spoken="en")
    opened(page, bundle(STAGE / "stage.js"))
    page.set_viewport_size({"width": width + 16, "height": 844})
    found = page.evaluate(HELD, [{**options, "locale": "en"}, width])
    here = "3 places in this sentence: 9 → 6 tokens"
    lines = found["lines"].replace("\u00a0", " ").split("\n")
    assert (found["isHeld"], found["where"].replace("\u00a0", " ")) == (True, "1 of 2 merges")
    is_phone = width < 600
    assert (lines[-1] == here, lines[-1].endswith(f"training text · {here}")) == (is_phone, not is_phone)
    assert (found["isFull"], found["words"]) == (not is_phone, [words["change_short"]] if is_phone else [])


STANDS = """async ([options, width]) => {
  document.body.innerHTML = `<div lang="${options.locale}" style="width: ${width}px"></div>`;
  const app = { cut() {}, compare() {}, exports() {}, train() {} };
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: false }, app);
  stage.dress();
  stage.player.pause();
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const topOf = (element) => Math.round(element.getBoundingClientRect().top);
  const bars = [];
  const lines = [];
  const halves = [];
  const ends = [];
  for (let merge = 0; merge <= stage.learned.total; merge++) {
    stage.go(merge);
    await frame();
    bars.push(topOf(stage.bar.element));
    const pieces = [...stage.board.line.querySelectorAll(".piece")];
    lines.push([...new Set(pieces.map((piece) => Math.round(piece.offsetTop)))].length);
    halves.push(pieces.filter((piece) => piece.matches(".comes, .goes")).length);
    const open = (side) => pieces.filter((piece) => piece.matches(side)).length;
    ends.push(open(".goes") - open(".comes"));
  }
  const hint = stage.headline.hint;
  const isBelow = hint.checkVisibility() && topOf(hint) > topOf(stage.bar.element);
  const { banner } = stage;
  const text = stage.board.line.textContent;
  banner.show("word ".repeat(60), "word");
  await frame();
  const far = topOf(stage.bar.element);
  banner.show("word", "word");
  await frame();
  const stays = topOf(stage.bar.element) === far;
  stage.go(1);
  await frame();
  const isGone = !hint.checkVisibility();
  const slide = document.body.appendChild(document.createElement("div"));
  slide.className = "token-view";
  stage.board.copyTo(slide, 1700, 500);
  const copied = slide.querySelectorAll(".comes, .goes, br").length;
  stage.remove();
  slide.remove();
  return { bars, lines, ends, halves: Math.max(...halves), isBelow, stays, isGone, text, copied };
}"""


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_on_a_phone_no_merge_and_no_end_moves_the_lines_of_the_sentence_or_the_bar(
    page: Page, *, spoken: str
) -> None:
    text = "วันนี้ฝนตกหนักมากตั้งแต่เช้า ผมเลยไปเรียนสาย รถติดทั้งถนนลาดพร้าว"
    tokenizer = train(f"{text} " * 3, 256 + 130)
    merges = [(left, right, 3) for left, right in tokenizer.merges]
    levels = [("GPT-2", 128), ("GPT-4 (cl100k)", 62), ("GPT-4o (o200k)", 4)]
    options = replay_options(tokenizer.pattern, "", merges, text, levels, title="") | {"is_learned": True}
    options |= {"labels": section("stage", spoken=spoken, has_breaks=True), "locale": spoken}
    options["saved"]["answer"] |= {"ran_out": True, "goal": 744}
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, bundle(STAGE / "stage.js"))
    found = page.evaluate(STANDS, [options, 358])
    assert len(set(found["bars"])) == 1, found["bars"]
    assert len(set(found["lines"])) == 1
    assert found["lines"][0] > 1
    assert found["halves"]  # a token over two words stands on two lines
    assert not any(found["ends"])  # and is open on both
    assert found["text"] == text
    assert (found["isBelow"], found["stays"], found["isGone"], found["copied"]) == (True, True, True, 0)


OTHER_SENTENCE = """([options, width]) => {
  document.body.innerHTML = `<div style="width: ${width}px"></div>`;
  const app = { cut() {}, compare() {}, exports() {}, train() {} };
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: false }, app);
  const [way, change] = [".way.sentence", ".change"].map((each) => stage.root.querySelector(each));
  const ways = () => [way, change].map((each) => each.checkVisibility());
  stage.go(0);
  const found = [ways()];
  stage.go(stage.learned.total);
  found.push(ways());
  way.focus();
  way.click();
  stage.root.querySelector(".editor button:last-of-type").click();
  found.push(document.activeElement === way);
  stage.remove();
  return found;
}"""


@pytest.mark.parametrize("width", [360, 1000])
def test_a_phone_has_one_way_to_another_sentence_at_a_time(page: Page, width: int) -> None:
    options = replay_options("none", "", [(0xE0, 0xB8, 9)], "กกข", [], title="")
    opened(page, bundle(STAGE / "stage.js"))
    page.set_viewport_size({"width": width + 16, "height": 844})
    found = page.evaluate(OTHER_SENTENCE, [options, width])
    assert found == [[False, True], [True, width > 600], True]


LATER = """([options]) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: false });
  const { newest } = stage.charts;
  const shown = () => {
    newest.draw(3);
    const row = newest.list.firstChild;
    const [whole, part] = [...row.querySelectorAll(".term:last-child .chip > *")];
    const letters = part.querySelector(".example").getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(whole);
    const beside = range.getBoundingClientRect();
    return [part.textContent, row.querySelector("small").textContent, letters.bottom - beside.bottom];
  };
  const found = [shown()];
  stage.learned.add([258, 0xb0, 2]);
  found.push(shown());
  stage.remove();
  return found;
}"""


def test_a_row_of_the_newest_merges_has_the_letter_that_a_later_merge_makes(page: Page) -> None:
    merges = [(0xE0, 0xB8, 9), (256, 0x97, 2), (257, 256, 2)]
    options = replay_options("none", "", merges, "ว", [], title="") | {"labels": section("stage", spoken="th")}
    opened(page, bundle(STAGE / "stage.js"))
    (guessed, *_), (letter, words, below) = page.evaluate(LATER, [options])
    assert (guessed, letter) == ("ว", "ะ")
    assert "ะ" in words
    assert abs(below) <= 5  # on the line of the letters beside it


WRAP = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: false });
  stage.go(1);
  const { says } = stage.headline;
  says.style.width = "34em"; // the words of this sentence go to another line
  const [dot, line] = [says.querySelector(".between"), says].map((each) => each.getBoundingClientRect());
  stage.remove();
  return [dot.top - line.top, dot.left - line.left];
}"""


def test_no_line_of_the_headline_ends_with_a_dot(page: Page) -> None:
    options = replay_options("none", "", [(0xE0, 0xB8, 9), (256, 0x81, 3)], "กกข", [], title="")
    options |= {"labels": section("stage", spoken="en"), "locale": "en"}
    opened(page, bundle(STAGE / "stage.js"))
    page.set_viewport_size({"width": 1200, "height": 844})
    down, right = page.evaluate(WRAP, options)
    assert (down > 10, right) == (True, 0)


END = """([options, width]) => {
  document.body.innerHTML = `<div style="width: ${width}px"></div>`;
  const stage = new parts.Stage(document.body.firstChild, { ...options, presents: false });
  const more = stage.root.querySelector(".more");
  stage.go(0);
  const before = more.open;
  stage.go(stage.learned.total);
  const found = [before, more.open, getComputedStyle(more.querySelector("summary")).display !== "none"];
  stage.remove();
  return found;
}"""


@pytest.mark.parametrize(("width", "found"), [(360, [True, False, True]), (1000, [True, True, False])])
def test_at_the_end_a_phone_folds_the_charts_below_the_show(page: Page, width: int, found: list[bool]) -> None:
    options = replay_options("none", "", [(0xE0, 0xB8, 9)], "กกข", [], title="")
    opened(page, bundle(STAGE / "stage.js"))
    page.set_viewport_size({"width": width + 16, "height": 844})
    assert page.evaluate(END, [options, width]) == found


NAMELESS = """(options) => {
  document.body.innerHTML = "<div></div>";
  const stage = new parts.Stage(document.body.firstChild, options);
  stage.go(2);
  const texts = (selector) => [...stage.headline.chips.querySelectorAll(selector)].map((each) => each.textContent);
  const found = [texts(".fraction"), texts("small")];
  stage.remove();
  return found;
}"""


def test_a_part_without_a_letter_says_its_share_and_that_many_letters_have_it(page: Page) -> None:
    options = replay_options("none", "", [(0xE0, 0xB8, 9), (0x81, 256, 2), (0xE0, 0xB9, 1)], "xx", [], title="")
    opened(page, bundle(STAGE / "stage.js"))
    fractions, words = page.evaluate(NAMELESS, options)
    assert fractions == ["⅔", "⅔"]
    assert words[:2] == ["a part of many letters", "first ⅔ of many Thai letters"]
