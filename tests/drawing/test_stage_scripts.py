"""The scripts of the stage: true tokens at every merge, every merge played once, none taken in twice."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from pages.ui.stage.serve import BROWSER, stage_css, stage_js
from pages.ui.token_view.bundle import bundle
from pages.ui.token_view.palette import TINT_COUNT
from pages.ui.words import section
from tests.helpers.drawing import HOSTILE
from tokenizer_core import segments, train
from tokenizer_core.patterns import pretokenize
from tokenizer_core.pretokens import bytes_and_ends
from tokenizer_core.segments import TextMap
from tokenizer_core.tokenizer import Tokenizer

CORPUS = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ The cat sat on the mat. aaaa abab 👍🏽👍🏽 👨‍👩‍👧 \n\n กากา e\u0301 " * 4
TEXTS = {
    "thai": "คนไทยดื่มน้ำเยอะๆ น้ำใจ น้ำ",
    "english": "The cat sat; the mat that the cat sat on.",
    "emoji": "👍🏽👍👨‍👩‍👧👨‍👩‍👧🇹🇭🇯",
    "mixed": "น้ำ the น้ำใจ👍🏽cat\nกา e\u0301 aaaaa ababab 12",
    "empty": "",
    "white space": "  \n\n\t   ",
    **HOSTILE,
}
LOAD = """async (code) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  window.modules = await import(address);
}"""


@pytest.fixture(scope="module")
def scripts(page: Page) -> Page:
    """A page that has the stage's modules, without a stage."""
    names = ("learned", "sentence", "player", "feed", "banner", "screen")
    page.evaluate(LOAD, "\n".join(bundle(BROWSER / f"{name}.js") for name in names))
    return page


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """A tokenizer that learned letters, parts of letters, words, and tokens with overlaps."""
    return train(CORPUS, 256 + 90)


# ---- where its lines may break

BREAKS = """([text, clusters]) => {
  const placed = new window.modules.Sentence(text, [], clusters);
  return [...placed.mayBreak].flatMap((may, at) => (may ? [at] : []));
}"""


@pytest.mark.parametrize(
    ("words", "unbroken"),
    [
        (["คน", "ไทย", " ", "ดื่ม", "น้ำ", "เยอะ", "ๆ", " ", "นะ"], ["ดื่ม", "น้ำ", "เยอะๆ"]),
        (["Look", ":", " ", "the", " ", "(", "tiny", ")", " ", "cat", "."], ["Look:", "(tiny)", "cat."]),
    ],
)
def test_a_line_breaks_before_words_only(scripts: Page, words: list[str], unbroken: list[str]) -> None:
    text = "".join(words)
    clusters = np.flatnonzero(TextMap(text).cluster_starts[:-1])
    breaks = scripts.evaluate(BREAKS, [text, TextMap(text).byte_at_char[clusters].tolist()])
    parts = [text.encode()[start:end].decode() for start, end in zip(breaks, [*breaks[1:], len(text.encode())])]
    assert "".join(parts) == text
    assert set(unbroken) <= set(parts)


def test_a_long_line_without_words_may_break(scripts: Page) -> None:
    breaks = scripts.evaluate(BREAKS, ["x" * 100, list(range(100))])
    assert len(breaks) > 4


# ---- the sentence

TELL = """([text, pretokens, clusters, merges, batch]) => {
  const { Learned, Sentence } = window.modules;
  const [learned, sentence] = [new Learned(), new Sentence(text, pretokens, clusters)];
  const changed = [];
  for (let at = 0; at < merges.length; at += batch) {
    learned.add(merges.slice(at, at + batch).flatMap(([left, right]) => [left, right, 1]));
    changed.push(...sentence.take(learned));
  }
  const told = [];
  for (let merge = 0; merge <= merges.length; merge++) {
    const lengths = sentence.cutsAt(merge).map(({ from, to }) => to - from);
    const pieces = sentence.piecesAt(merge).map(({ text, tokens }) => [text, tokens.length]);
    const made = merge ? sentence.madeBy(merge).map(({ from, to }) => [from, to]) : [];
    told.push({ lengths, count: sentence.tokensAt(merge), pieces, made, isChanged: sentence.isChangedBy(merge) });
  }
  const bytes = merges.map((_, at) => [...learned.bytesOf(256 + at)]);
  return { told, changed, bytes };
}"""


def tell(page: Page, text: str, tokenizer: Tokenizer, batch: int = 7) -> dict[str, Any]:
    """What the stage says of a sentence after every number of merges, which come in batches."""
    places = list(sentence_options(text, tokenizer).values())
    found: dict[str, Any] = page.evaluate(TELL, [*places, tokenizer.merges, batch])
    return found


def sentence_options(text: str, tokenizer: Tokenizer) -> dict[str, Any]:
    """A sentence and the ends of its pieces and the starts of its letters, in bytes, as the page gives them."""
    text_map = TextMap(text)
    return {
        "text": text,
        "pretokens": bytes_and_ends(pretokenize(text, tokenizer.pattern))[1].tolist() if text else [],
        "clusters": text_map.byte_at_char[np.flatnonzero(text_map.cluster_starts[:-1])].tolist(),
    }


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_tokens_at_every_merge_are_those_of_encoding(scripts: Page, tokenizer: Tokenizer, text: str) -> None:
    found = tell(scripts, text, tokenizer)
    before: list[int] = []
    for merges, told in enumerate(found["told"]):
        then = tokenizer.at(256 + merges)
        tokens = [then.token_bytes(each) for each in then.encode(text)]
        assert told["lengths"] == list(map(len, tokens))
        assert told["count"] == len(tokens)
        assert told["pieces"] == [[piece.text, len(piece.token_ids)] for piece in segments(text, then)]
        assert told["isChanged"] is (merges > 0 and told["lengths"] != before)
        made = [b"".join(tokens)[start:end] for start, end in told["made"]]
        if merges:
            assert made == [token for token in tokens if token == tokenizer.vocabulary[255 + merges]]
        before = told["lengths"]
    assert found["changed"] == [merge for merge, told in enumerate(found["told"]) if told["isChanged"]]


def test_tokens_have_the_bytes_of_the_vocabulary(scripts: Page, tokenizer: Tokenizer) -> None:
    found = tell(scripts, "น้ำ", tokenizer)
    assert list(map(bytes, found["bytes"])) == tokenizer.vocabulary[256:]


def test_merges_may_come_one_by_one_or_all_at_once(scripts: Page, tokenizer: Tokenizer) -> None:
    text = TEXTS["mixed"]
    assert tell(scripts, text, tokenizer, 1) == tell(scripts, text, tokenizer, 1_000)


def test_a_chain_of_ten_thousand_merges_needs_no_recursion(scripts: Page) -> None:
    chain = [(97, 98), *((256 + n, 98) for n in range(10_000))]
    size = scripts.evaluate(
        "(merges) => { const learned = new window.modules.Learned();"
        " learned.add(merges.flatMap(([left, right]) => [left, right, 1]));"
        " return learned.bytesOf(10_256).length; }",
        chain,
    )
    assert size == 10_002


# ---- the player

FRAMES = """([pace, total, later]) => {
  const queued = [];
  let clock = 1000;
  const before = [window.requestAnimationFrame, performance.now];
  window.requestAnimationFrame = (frame) => queued.push(frame);
  performance.now = () => clock;
  const played = [];
  let known = total;
  const listener = { total: () => known, onMerge: (merge) => played.push(merge), onMoved: () => {} };
  const player = new window.modules.Player(listener);
  if (pace === "live") player.wake();
  else {
    player.pace = pace;
    player.play();
  }
  const lengths = [16, 17, 0, 400, -5, 16, 5000, 1]; // milliseconds; a tab may be hidden, a clock may stand
  for (let frame = 0; queued.length && frame < 100_000; frame++) {
    clock += lengths[frame % lengths.length];
    queued.shift()(clock);
    if (frame === 20) known += later;
    player.wake();
  }
  [window.requestAnimationFrame, performance.now] = before;
  return { played, position: player.position, isLive: player.isLive, waiting: queued.length };
}"""


@pytest.mark.parametrize("pace", ["live", "gathering", 0.5, 20, 200, None])
def test_every_merge_of_a_batch_is_played_once_and_in_order(scripts: Page, pace: float | str | None) -> None:
    found = scripts.evaluate(FRAMES, [pace, 1_000, 500])
    assert found["played"] == list(range(1, 1_501))
    assert (found["position"], found["isLive"], found["waiting"]) == (1_500, True, 0)


# ---- the feed


@pytest.fixture
def feed(scripts: Page) -> Iterator[Page]:
    """A feed whose questions wait until a test answers them, with the merges (n, n, n) of a server that has 30."""
    scripts.evaluate(
        """() => {
          window.fetchBefore = window.fetch;
          window.asked = [];
          window.fetch = (address, { headers }) =>
            new Promise((resolve) => window.asked.push({ address, headers, resolve }));
          window.learned = new window.modules.Learned();
          const listener = { known: () => window.learned.total, onLost: () => {},
            onAnswer: ({ merges }) => window.learned.add(merges) };
          window.feed = new window.modules.Feed({ feed: "/watch", steer: "/steer", key: "mine" }, listener);
          window.reply = async (number, last) => {
            const { address, resolve } = window.asked[number];
            const first = Number(address.split("from=")[1]);
            const merges = [];
            for (let n = first; n < last; n++) merges.push(n, n, n);
            const answer = { state: "running", says: "", pace: "fast", learned: last, goal: 99, merges };
            resolve({ ok: true, status: 200, json: async () => answer });
            await new Promise((done) => setTimeout(done));
          };
        }"""
    )
    yield scripts
    scripts.evaluate("() => { window.feed.stop(); window.fetch = window.fetchBefore; }")


@pytest.mark.parametrize("order", [(1, 2), (2, 1)], ids=["command first", "question first"])
def test_a_command_and_a_question_at_the_same_time_bring_no_merge_twice(
    feed: Page, order: tuple[int, int]
) -> None:
    """A command waits on the server for its effect, and the next question comes before its answer."""
    left = feed.evaluate(
        """async (order) => {
          feed.start();
          await reply(0, 10);
          feed.command("pace-fast");
          feed.ask();
          await reply(order[0], 14);
          await reply(order[1], 17);
          clearTimeout(feed.timer);
          return learned.left;
        }""",
        order,
    )
    assert left == list(range(len(left)))
    assert len(left) in (14, 17)


# ---- the banner

PASS = """([old, steps]) => {
  const banner = new window.modules.Banner();
  banner.old = old;
  const found = ["a", "b", "c"].map((says) => ({ says, kind: "beat", merge: 0 }));
  const told = [];
  banner.tell = ({ says }) => told.push(says);
  for (const passed of steps) banner.pass(found, passed);
  return told.join("");
}"""


@pytest.mark.parametrize(
    ("old", "steps", "told"),
    [
        (0, [0, 1, 1, 2, 3], "abc"),
        (0, [0, 2], "b"),
        (2, [0, 1, 2, 2], ""),
        (2, [0, 1, 2, 3], "c"),
        (2, [0, 3], "c"),
        (2, [2, 0, 1, 2], "ab"),
    ],
)
def test_a_milestone_of_an_earlier_showing_is_not_told_again(
    scripts: Page, old: int, steps: list[int], told: str
) -> None:
    assert scripts.evaluate(PASS, [old, steps]) == told


def test_a_tab_knows_what_it_has_shown_if_the_browser_lets_it(scripts: Page) -> None:
    ask = "() => ['1 a', '1 b', '1 a'].map((name) => window.modules.isShownAgain(name))"
    assert scripts.evaluate(ask) == [False, False, False]  # an empty page has no storage
    scripts.evaluate("""() => {
      const kept = new Map();
      const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
      Object.defineProperty(window, "sessionStorage", { value: storage, configurable: true });
    }""")
    assert scripts.evaluate(ask) == [False, False, True]
    scripts.evaluate("() => delete window.sessionStorage")


# ---- the whole stage

SHOW = """async ([code, css, options, merges]) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: show } = await import(address);
  const before = window.fetch;
  const total = merges.length / 3;
  const answer = { state: "done", says: "", pace: "full", learned: total, goal: total, merges };
  window.fetch = async () => ({ ok: true, status: 200, json: async () => answer });
  const told = [];
  for (const each of options) {
    document.body.replaceChildren();
    const shadow = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
    shadow.appendChild(document.createElement("style")).textContent = css;
    const remove = show({ data: new TextEncoder().encode(JSON.stringify(each)), parentElement: shadow });
    const root = shadow.querySelector(".stage");
    while (root.dataset.state !== "done") await new Promise((done) => setTimeout(done, 5));
    const glyphs = [...shadow.querySelectorAll(".line .glyph")].map((glyph) => glyph.textContent);
    told.push({ text: shadow.querySelector(".line").textContent, tokens: root.dataset.tokens, glyphs,
      strange: shadow.querySelectorAll(".line :not(span, i, wbr), script, img, iframe").length });
    remove();
  }
  window.fetch = before;
  return { told, pwned: window.pwned ?? null };
}"""


def test_a_hostile_sentence_is_text_on_the_stage(page: Page, tokenizer: Tokenizer) -> None:
    merges = [number for left, right in tokenizer.merges for number in (left, right, 1)]
    options = [
        {
            **sentence_options(text, tokenizer),
            "name": name,
            "feed": "/watch",
            "steer": None,
            "key": "",
            "race": None,
            "levels": [{"name": "<b>GPT</b>", "count": 9}],
            "labels": section("stage", spoken="en"),
            "locale": "en",
            "tints": TINT_COUNT,
            "title": "<script>",
            "what": "<script>",
            "page": None,
        }
        for name, text in TEXTS.items()
    ]
    found = page.evaluate(SHOW, [stage_js(), stage_css(), options, merges])
    assert found["pwned"] is None
    for text, told in zip(TEXTS.values(), found["told"], strict=True):
        assert told["strange"] == 0
        assert int(told["tokens"]) == len(tokenizer.encode(text))
        if not told["glyphs"]:
            assert told["text"] == text
