"""The Vocabulary page: which vocabulary it shows, what a text uses of it, and which token is looked at."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame.tabs import TABS
from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_texts
from pages.ui.vocabulary import cost, unreached
from pages.ui.vocabulary.browse import pack
from pages.ui.vocabulary.choices import OwnText
from pages.ui.vocabulary.compared import script_rows
from pages.ui.vocabulary.composition import LONGEST, length_rows, lengths_of, strip_rows
from pages.ui.vocabulary.gpt2_files import id_lines, letters_html, merge_lines, walked
from pages.ui.widgets.token_view.chips import visible
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.serve import offers
from tests.helpers.app import (
    ENGLISH,
    HOSTILE_HTML,
    LANGUAGES,
    MODEL,
    SPOKEN,
    chart_rows,
    counts,
    deck_on,
    go_to_tab,
    job_of,
    mostly_long,
    open_page,
    opener_of,
    said,
    start_training,
    tables,
    two_trainings,
    wait_until,
)
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import (
    byte_level,
    gpt2_files,
    library_of,
    model_of,
    rank_file,
    tokenizer_of,
    unigram,
    word_piece,
)
from tokenizer_core import Tokenizer
from tokenizer_core.analysis.costs import Model
from tokenizer_core.analysis.entries import SCRIPTS, difference, entries_of
from tokenizer_core.analysis.lineage import children_of, trace
from tokenizer_core.analysis.unreachable import unreachable
from tokenizer_core.bpe.openai import _FILES_OF, OPENAI_NAMES, RANK_FILES, openai_tokenizer
from tokenizer_core.readers.mixing import held_out


class Shown(NamedTuple):
    """What the browser is given: options, and how often the text uses each token."""

    options: dict[str, Any]
    uses: dict[int, int]

    @property
    def payload(self) -> bytes:
        """What the browser fetches."""
        offer = offers().find(self.options["address"].rpartition("/")[2])
        assert offer is not None
        return offer.make()


def shown(app: AppTest) -> Shown:
    """What the vocabulary on the page is given."""
    (view,) = (each for each in app.get("bidi_component") if each.proto.component_name.endswith("vocabulary"))
    data = bytes(view.proto.bytes)
    size = int.from_bytes(data[:4], "little")
    ids, counts = np.frombuffer(data[4 + size :], dtype="<i4").reshape(2, -1).tolist()
    return Shown(json.loads(data[4 : 4 + size]), dict(zip(ids, counts, strict=True)))


@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_every_entry_of_a_reference_comes_to_the_browser(name: str) -> None:
    app = open_page("vocabulary")
    app.segmented_control(key="vocabulary_lane_3").set_value(name).run()
    assert shown(app).payload == pack(entries_of(openai_tokenizer(name)))


def test_the_tokens_that_a_typed_text_uses_are_counted() -> None:
    app = open_page("vocabulary")
    app.segmented_control(key="vocabulary_source_2").set_value("typed").run()
    app.text_area(key="vocabulary_text").set_value("น้ำ น้ำ the the the").run()
    ids = openai_tokenizer("o200k_base").encode("น้ำ น้ำ the the the")
    assert shown(app).uses == {token_id: ids.count(token_id) for token_id in ids}
    app.text_area(key="vocabulary_text").set_value("").run()
    assert shown(app).uses == {}
    assert not app.exception


@pytest.mark.parametrize("language", SPOKEN)
def test_a_page_begins_with_the_longest_whole_thai_token_that_the_built_in_sentences_use(language: str) -> None:
    app = open_page("vocabulary", language)
    options, entries = shown(app).options, entries_of(openai_tokenizer("o200k_base"))
    used = [
        entries.tokens[place]
        for place, token_id in enumerate(entries.ids.tolist())
        if SCRIPTS[entries.scripts[place]] == "thai" and token_id in shown(app).uses
    ]
    assert options["script"] == "thai"
    picked = entries.tokens[options["picked"]]
    assert picked == "ที่ผ่านมา".encode()
    assert picked in used
    assert "share" not in story(app), "no letter in parts"
    assert f"<b>{options['picked']}</b>" in story(app)  # its tree


@pytest.mark.parametrize(
    ("corpus", "script", "token"),
    [("กาแฟ กาแฟ กาแฟ the the the ", "thai", " กาแฟ"), ("coffee the the the ", "latin", " coffee")],
)
def test_a_tokenizer_that_was_trained_begins_with_a_thai_word_or_else_a_latin_one(
    corpus: str, script: str, token: str
) -> None:
    app = start_training(corpus=corpus * 9, size=270)
    job = job_of(app)
    wait_until(app, lambda: job.ended)
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    options = shown(app).options
    assert (options["script"], job.tokenizer().token_bytes(options["picked"]).decode()) == (script, token)


def test_ones_own_tokenizer_has_its_vocabulary_and_the_text_it_learned_from() -> None:
    app = start_training(corpus=sample_texts()[0].replace("ๆ", "ซ้ำ"), size=520)
    job = job_of(app)
    wait_until(app, lambda: job.ended)
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    app.segmented_control(key="vocabulary_source_3").set_value("trained").run()
    view = shown(app)
    assert view.options["name"] == "Yours"
    assert sum(view.uses.values()) > 0
    go_to_tab(app, "cost")
    assert any(ENGLISH["cost.learned_from_text"] in each.value for each in app.caption)
    app.segmented_control(key="vocabulary_source_3").set_value("sample").run()
    assert not any(ENGLISH["cost.learned_from_text"] in each.value for each in app.caption)
    assert not app.exception


def test_a_clicked_token_stays_picked_and_an_unknown_id_changes_nothing() -> None:
    app = open_page("vocabulary")
    for clicked, picked in ((5_000, 5_000), (-7, 5_000), (10**9, 5_000), ("x", 5_000)):
        app.session_state["vocabulary_view"] = {"picked": clicked}
        app.run()
        app.run()
        assert shown(app).options["picked"] == picked
        assert not app.exception


def test_what_a_search_finds_first_is_looked_at_without_a_click() -> None:
    app = open_page("vocabulary")
    app.session_state["vocabulary_view"] = {"found": 5_000}
    app.run()
    assert shown(app).options["picked"] == 5_000
    assert not any("into_view" in each.proto.component_name for each in app.get("bidi_component"))
    look_at(app, 6_000)
    assert any("into_view" in each.proto.component_name for each in app.get("bidi_component"))


@pytest.mark.parametrize("tab", TABS["vocabulary"])
def test_each_tab_begins_with_its_own_answer_and_asks_only_for_what_matters_to_it(tab: str) -> None:
    app = open_page("vocabulary", tab=tab)
    headers = [each.value for each in app.header]
    assert any("1,545" in each for each in headers) == (tab in ("browse", "made_of"))
    assert any(re.search(r"\*\*[\d,]+\*\*", each) for each in headers[:2])
    pickers = {each.key for each in app.segmented_control}
    assert ("vocabulary_lane_3" in pickers) == (tab != "cost")  # all tokenizers are drawn there


def test_a_tokenizer_stays_chosen_while_nothing_asks_for_it() -> None:
    app = open_page("vocabulary")
    app.segmented_control(key="vocabulary_lane_3").set_value("gpt2").run()
    go_to_tab(app, "cost")
    go_to_tab(app, "made_of")
    assert app.segmented_control(key="vocabulary_lane_3").value == "gpt2"
    assert "GPT-2" in app.header[0].value


# ---- what it is made of


def test_the_table_of_thai_entries_has_every_reference() -> None:
    (table,) = (
        rows
        for rows in tables(open_page("vocabulary", tab="made_of"))
        if rows[0][2:3] == [ENGLISH["made_of.thai_entries"]]
    )
    assert [row[1:3] for row in table[1:]] == [["50,257", "0"], ["100,261", "58"], ["200,000", "1,545"]]


def test_every_entry_is_in_one_box_of_its_script() -> None:
    entries = entries_of(openai_tokenizer("gpt2"))
    boxes = strip_rows(entries, {script: script for script in SCRIPTS})
    for script in SCRIPTS:
        row = boxes[boxes["script"] == script]
        assert row["count"].sum() == (0 if script == "special" else entries.count(script))
        assert row["end"].tolist()[:-1] == row["first"].tolist()[1:]
    assert "thai" not in set(boxes["script"])
    assert boxes["share"].max() == 1


def test_every_length_is_in_one_bar() -> None:
    entries = entries_of(openai_tokenizer("cl100k_base"))
    every, thai = lengths_of(entries), lengths_of(entries, "thai")
    assert (every.sum(), thai.sum()) == (100_256, 58)
    rows = length_rows(every, thai)
    bars = rows[~rows["is_thai"]].set_index("length")["count"]
    lengths = [len(entries.tokens[place]) for place in range(100_256)]
    assert bars["3"] == lengths.count(3)
    assert bars[f"{LONGEST}+"] == sum(length >= LONGEST for length in lengths)
    assert bars.sum() == len(lengths)
    assert rows[rows["is_thai"]]["count"].sum() == 58
    assert not length_rows(every, np.array([], dtype=np.int64))["is_thai"].any()


# ---- the biography of a token


def story(app: AppTest) -> str:
    """All that the page says in HTML: trees, contexts and traces, without tags."""
    return "".join(re.sub("<style>.*?</style>", "", each.proto.body, flags=re.DOTALL) for each in app.get("html"))


def look_at(app: AppTest, token_id: int) -> None:
    """Click a token."""
    app.session_state["vocabulary_view"] = {"picked": token_id}
    app.run()
    assert not app.exception


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_story_of_a_token_has_its_number_its_uses_its_tree_and_its_descendants(language: str) -> None:
    app = open_page("vocabulary", language)
    o200k = openai_tokenizer("o200k_base")
    (token_id,) = o200k.encode(" hospital")
    look_at(app, token_id)
    uses = shown(app).uses[token_id]
    assert [metric.value.split()[0] for metric in app.metric] == [str(token_id), f"{uses:,}"]
    known = without_breaks(app.metric[0].proto.help)
    words = catalogue(language)
    assert (
        without_breaks(filled(words["biography.merge"], merge=token_id - 255, merges=len(o200k.merges))) in known
    )
    assert without_breaks(filled(words["biography.merge_id"], more=255, bytes=256)) in known
    assert words["biography.recovered"] not in [each.value for each in app.caption]
    assert [counts(app)[name] for name in ("GPT-2", "GPT-4o (o200k)")] == [1, 1]
    left, right = o200k.merges[token_id - 256]
    assert f"<b>{left}</b>" in story(app)
    assert f"<b>{right}</b>" in story(app)
    pills = app.button_group(key=f"vocabulary_child_o200k_base_{token_id}")
    assert "` ␣hospitals `" in pills.options or len(pills.options) > 2


def test_a_descendant_that_is_clicked_is_looked_at_next() -> None:
    app = open_page("vocabulary")
    (token_id,) = openai_tokenizer("o200k_base").encode(" hospital")
    app.session_state["vocabulary_picked"] = {"o200k_base": token_id}
    app.run()
    child = children_of(token_id, openai_tokenizer("o200k_base"))[0]
    app.button_group(key=f"vocabulary_child_o200k_base_{token_id}").set_value(child).run()
    assert app.metric[0].value == str(child)
    assert shown(app).options["picked"] == child


@pytest.mark.parametrize(
    ("token", "said"),
    [(b"\xe0\xb8", "biography.no_text"), (b"\xff", "biography.byte"), (b"<|endoftext|>", "biography.special")],
    ids=["part of a character", "byte", "special token"],
)
def test_what_is_no_ordinary_text_says_what_it_is(token: bytes, said: str) -> None:
    app = open_page("vocabulary")
    entries = entries_of(openai_tokenizer("o200k_base"))
    look_at(app, int(entries.ids[entries.tokens.index(token)]))
    assert any(each.value == ENGLISH[said] for each in app.markdown)


def test_a_tree_ends_at_characters_and_goes_down_to_the_bytes_if_asked() -> None:
    app = open_page("vocabulary", "th")
    (token_id,) = openai_tokenizer("o200k_base").encode("น้ำ")
    app.session_state["vocabulary_picked"] = {"o200k_base": token_id}
    app.run()
    assert re.findall("<b>(\\d+)</b>", story(app)) == ["86490", "1435", "51087", "2661", "9508"]
    app.toggle(key="vocabulary_to_bytes").set_value(True).run()
    assert len(re.findall("<b>(\\d+)</b>", story(app))) == 2 * len("น้ำ".encode()) - 1


def test_before_a_room_the_tree_of_the_token_fills_a_slide_if_merges_made_it() -> None:
    app = open_page("vocabulary", "th")
    tokenizer = openai_tokenizer("o200k_base")
    (token_id,) = tokenizer.encode("น้ำ")
    app.session_state["vocabulary_picked"] = {"o200k_base": token_id}
    app.button(key="present").click().run()
    slides = (deck_on(app) or {})["slides"]
    assert [slide["kind"] for slide in slides] == ["words", "tokens", "tree"]
    assert re.findall("<b>(\\d+)</b>", slides[-1]["html"]) == ["86490", "1435", "51087", "2661", "9508"]
    app = open_page("vocabulary", "th")
    app.session_state["vocabulary_picked"] = {"o200k_base": tokenizer.special_tokens["<|endoftext|>"]}
    app.button(key="present").click().run()
    assert "tree" not in [slide["kind"] for slide in (deck_on(app) or {})["slides"]]


def test_the_merges_of_a_word_are_listed_with_their_ids() -> None:
    app = open_page("vocabulary", tab="merges")
    app.text_input(key="vocabulary_word").set_value("น").run()
    assert "156, 116 → <b>381</b>" in story(app)
    assert "381, 247 → <b>1435</b>" in story(app)
    app.text_input(key="vocabulary_word").set_value("").run()
    assert not app.exception


def test_hostile_words_and_contexts_stay_text() -> None:
    app = open_page("vocabulary")
    app.segmented_control(key="vocabulary_source_2").set_value("typed").run()
    app.text_area(key="vocabulary_text").set_value(HOSTILE_HTML).run()
    for token_id in openai_tokenizer("o200k_base").encode(HOSTILE_HTML)[:6]:
        look_at(app, token_id)
        assert "<script" not in story(app)
        assert "&lt;" in story(app)
    go_to_tab(app, "merges")
    app.text_input(key="vocabulary_word").set_value(HOSTILE_HTML).run()
    assert "<script" not in story(app)
    assert "&lt;" in story(app)


def test_ones_own_tokenizer_tells_at_what_count_a_token_was_born() -> None:
    app = start_training(corpus="กาแฟ กาแฟ กาแฟ the the the " * 9, size=270)
    job = job_of(app)
    wait_until(app, lambda: job.ended)
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    look_at(app, 257)
    assert "merge 2 of" in app.metric[0].proto.help
    assert app.metric[1].value == f"{job.merges[1].count:,}"


# ---- GPT-2's files


def test_the_lines_of_gpt2s_files_are_those_of_the_shipped_files() -> None:
    gpt2 = openai_tokenizer("gpt2")
    merges, ids = ((RANK_FILES / name).read_text("utf-8") for name in _FILES_OF["gpt2"])
    if ids.startswith("#"):
        merges, ids = ids, merges
    assert merge_lines(gpt2, 50_000) == merges.splitlines()
    encoder = json.loads(ids)
    for line in id_lines(gpt2, 500):
        if line != "…":
            assert json.loads("{" + line.rstrip(",") + "}").items() <= encoder.items()


def test_a_text_goes_through_both_files_to_the_ids_of_gpt2() -> None:
    gpt2 = openai_tokenizer("gpt2")
    rows = [walked(each, gpt2) for each in trace("the น้ำ", gpt2)]
    assert rows[0] == ["the", "74 68 65", "the", "3: h e · 914: t he", "the → 1169"]
    ids = [int(token.rpartition(" ")[2]) for row in rows for token in row[4].split(" · ")]
    assert ids == gpt2.encode("the น้ำ")


def test_the_table_of_letters_has_every_byte_once() -> None:
    cells = re.findall(r'<td[^>]*title="(..) → [^"]*">(.*?)</td>', letters_html("letters"))
    assert [int(byte, 16) for byte, _ in cells] == list(range(256))
    assert len({letter for _, letter in cells}) == 256
    assert dict(cells)["20"] == "Ġ"


# ---- what a size costs


def test_each_size_has_its_tokens_and_its_parameters() -> None:
    app = open_page("vocabulary", tab="cost")
    app.segmented_control(key="vocabulary_model").set_value("GPT-2 small").run()
    gpt2 = next(row for row in chart_rows(app, "parameters") if row["name"] == "GPT-2")
    held = ["\n".join(held_out(text.splitlines())[1]) for text in sample_texts()]
    assert gpt2["parameters"] == 50_257 * 768
    assert gpt2["tokens"] == sum(len(openai_tokenizer("gpt2").encode(text)) for text in held)
    line = [row for row in chart_rows(app, "parameters") if row["kind"] == "line"]
    assert [row["size"] for row in line][:: len(line) - 1] == [256, 16_384]
    assert line[0]["tokens"] == sum(len(text.encode()) for text in held)
    assert all(row["parameters"] == row["size"] * 768 for row in line)
    app.segmented_control(key="vocabulary_model").set_value("own").run()
    app.number_input(key="vocabulary_width").set_value(10).run()
    assert 2 * 502_570 in {row["parameters"] for row in chart_rows(app, "parameters")}
    app.toggle(key="vocabulary_tied").set_value(True).run()
    assert 502_570 in {row["parameters"] for row in chart_rows(app, "parameters")}


def test_a_tokenizer_is_trained_here_unless_the_visitor_has_one_whose_size_can_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trained = Tokenizer([])
    monkeypatch.setattr(cost, "_trained", lambda: trained)
    ours, text = Tokenizer([(first, 97) for first in range(256)]), OwnText(("ab",), "a text", "typed")
    label = Label("a name", "")
    own = Lane("own", label, ours, is_own=True)
    others = [Lane("gpt2", label, openai_tokenizer("gpt2"), is_own=True), Lane("story", label, ours)]
    assert cost._line([*others, own], text).tokenizer is ours
    assert cost._line(others, text).tokenizer is trained
    small = replace(own, tokenizer=Tokenizer([(97, 98)]))
    assert cost._line([*others, small], text).tokenizer is trained  # nothing can be told before it has doubled


def test_names_of_dots_that_lie_close_do_not_meet() -> None:
    model = Model("", 10, is_tied=True, vocab_size=0)
    sizes = {"far": (1_000, 9_000), "a": (100_000, 5_000), "b": (110_000, 5_100), "c": (120_000, 5_200)}
    rows = cost.cost_rows("line", [9_000], [(name, *at) for name, at in sizes.items()], None, model)
    lifts = dict(zip(rows["name"], rows["lift"], strict=True))
    assert lifts["far"] == lifts["a"] < 0
    assert len({lifts[name] for name in "abc"}) == 3


def test_an_empty_text_asks_for_one() -> None:
    app = open_page("vocabulary", tab="cost")
    app.segmented_control(key="vocabulary_source_2").set_value("typed").run()
    app.text_area(key="vocabulary_text").set_value("").run()
    assert ENGLISH["cost.no_text"] in said(app)


def test_the_page_can_be_presented() -> None:
    app = open_page("vocabulary")
    app.button(key="present").click().run()
    (deck,) = (each for each in app.get("bidi_component") if each.proto.component_name.endswith("deck"))
    slides = json.loads(bytes(deck.proto.bytes))["slides"]
    assert "1,545" in slides[0]["title"]["en"]
    assert slides[1]["views"][0]["text"] == "ที่ผ่านมา"


def test_the_tab_of_merges_presents_the_word_that_is_followed() -> None:
    app = open_page("vocabulary", tab="merges")
    app.text_input(key="vocabulary_word").set_value("ครูไปน้ำตก").run()
    app.button(key="present").click().run()
    word, *trees = (deck_on(app) or {})["slides"]
    assert word["views"][0]["text"] == "ครูไปน้ำตก"
    assert any("น้ำ" in tree["html"] for tree in trees)


def test_a_long_text_says_how_much_of_it_is_followed_and_is_presented_whole() -> None:
    app = open_page("vocabulary", tab="merges")
    text = "Please summarise this contract and list all of its parties in a table"
    app.text_input(key="vocabulary_word").set_value(text).run()
    assert filled(ENGLISH["trace.cut"], characters=60, every=len(text)) in [each.value for each in app.caption]
    app.button(key="present").click().run()
    word, *_ = (deck_on(app) or {})["slides"]
    assert word["views"][0]["text"] == text


def test_of_a_size_that_is_not_enough_only_the_last_doubling_is_told() -> None:
    app = open_page("vocabulary", tab="cost")
    contract = "Please summarise the following contract in three bullet points, and list the parties. "
    app.segmented_control(key="vocabulary_source_2").set_value("typed").run()
    app.text_area(key="vocabulary_text").set_value(contract * 6).run()
    tokenizer = cost._trained()
    half, all_of_it = (tokenizer.at(size).count_tokens(contract * 6) for size in (8_192, 16_384))
    told = {"name": ENGLISH["cost.trained_here"], "size": 16_384, "half": 8_192}
    saved = f"{(1 - all_of_it / half) * 100:.1f}%"
    assert app.header[0].value == filled(ENGLISH["cost.answer_more"], **told, share=saved)


@pytest.mark.parametrize(("tab", "bars"), [("made_of", 5), ("compared", 3), ("unreached", 2), ("cost", 5)])
def test_a_tab_presents_its_own_answer_and_bars(tab: str, bars: int) -> None:
    app = open_page("vocabulary", tab=tab)
    answer = app.header[0].value
    app.button(key="present").click().run()
    slide = (deck_on(app) or {})["slides"][0]
    assert without_breaks(slide["title"]["en"]) == without_breaks(answer)
    assert slide["html"].count('class="premium ') == bars


# ---- tokenizers from files


FILES: dict[str, Callable[[], bytes]] = {
    "wp.json": word_piece,
    "uni.json": unigram,
    "bl.json": byte_level,
    "sp.model": model_of,
    "ranks.tiktoken": rank_file,
    "mine.model": lambda: MODEL,
}


@pytest.mark.parametrize("file", mostly_long(FILES, "bl.json", "sp.model"))
def test_a_tokenizer_from_a_file_has_its_vocabulary_and_its_stories(file: str) -> None:
    app = open_page("compare")
    opener_of(app).set_value([(file, FILES[file](), "")]).run()
    app.run()
    (opened,) = app.session_state["opened_files"]
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    app.segmented_control(key="vocabulary_lane_4").set_value(opened.key).run()
    assert not app.exception
    entries = entries_of(opened.opened.tokenizer)
    assert shown(app).payload == pack(entries)
    assert sum(shown(app).uses.values()) > 0
    for token_id in (entries.ids[0], entries.ids[len(entries.ids) // 2], entries.ids[-1]):
        look_at(app, int(token_id))
    assert said(app) == ""


def opened_on_merges(file: str, content: bytes, word: str, language: str = "en") -> AppTest:
    """The tab of merges for a tokenizer from a file, with this word."""
    app = open_page("vocabulary", language, tab="merges")
    opener_of(app).set_value([(file, content, "")]).run()
    app.run()
    (opened,) = app.session_state["opened_files"]
    app.segmented_control(key="vocabulary_lane_4").set_value(opened.key).run()
    app.text_input(key="vocabulary_word").set_value(word).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_unigram_model_shows_every_piece_that_fits_and_the_likeliest_paths(language: str) -> None:
    app = opened_on_merges("sp.model", model_of(model_type="unigram"), "น้ำใจ the", language)
    tokenizer = tokenizer_of(model_type="unigram")
    grid, table = (next(each for each in drawings(app) if part in each) for part in ('"lattice', "<table"))
    pieces = [tokenizer.token_text(token_id) for token_id in tokenizer.encode("น้ำใจ the")]
    assert re.findall(r" lit [^>]*><bdi>([^<]+)", grid) == [visible(piece) for piece in pieces]
    assert grid.count('class="node') > len(pieces)
    shares = [float(part) for part in re.findall(r"<td>([0-9.]+)%", table)]
    assert shares == sorted(shares, reverse=True)
    app.text_input(key="vocabulary_word").set_value("<b>").run()
    assert "<b>b" not in (found := "".join(drawings(app)))
    assert "&lt;" in found


def test_a_word_piece_model_shows_each_step_and_what_it_tries_in_vain() -> None:
    content = word_piece()
    app = opened_on_merges("wp.json", content, "tokens ጠ")
    table = next(each for each in drawings(app) if "<table" in each)
    tokens = library_of(content).encode("tokens", add_special_tokens=False).tokens
    chips = re.findall(r"token-chip[^>]*>([^<]+)", table)
    assert chips == [*tokens, "[UNK]"]
    assert "<s>tokens</s>" in table


def drawings(app: AppTest) -> list[str]:
    """The HTML on the page."""
    return [each.proto.body for each in app.get("html")]


def test_runs_of_earlier_visits_are_folded_until_one_is_chosen() -> None:
    app, earlier = two_trainings()
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    assert len(app.segmented_control(key="vocabulary_lane_4").options) == 4
    assert others_on_slides(app) == ["mine", *OPENAI_NAMES]
    app.button(key=f"vocabulary_run:{earlier.id}").click().run()
    assert not app.exception
    assert len(app.segmented_control(key="vocabulary_lane_5").options) == 5
    assert shown(app).payload == pack(entries_of(earlier.tokenizer()))
    assert others_on_slides(app) == ["mine", *OPENAI_NAMES, f"run:{earlier.id}"]


def others_on_slides(app: AppTest) -> list[str]:
    """The tokenizers that cut the token beside the chosen one, as the talk keeps them."""
    app.button(key="vocabulary_add").click().run()
    return list(app.session_state["my_talk"][-1].lanes)


# ---- beside another vocabulary


def tokens_of(name: str) -> dict[bytes, int]:
    tokenizer = openai_tokenizer(name)
    return {tokenizer.token_bytes(token_id): token_id for token_id in range(tokenizer.vocab_size)}


def test_gpt4o_is_compared_with_gpt4_by_its_tokens_and_by_sentences() -> None:
    app = open_page("vocabulary", tab="compared")
    before, after = tokens_of("cl100k_base"), tokens_of("o200k_base")
    moved = sum(before[token] != after[token] for token in before.keys() & after.keys())
    (says,) = (each.value for each in app.caption if each.value.startswith("From "))
    assert said_numbers(app.header[0].value) == said_numbers(says)[::2]
    assert said_numbers(says)[:3] == [
        len(after.keys() - before.keys()),
        len(before.keys() - after.keys()),
        len(before.keys() & after.keys()),
    ]
    assert f"Of these, {moved:,} have another id" in says
    by_script, sentences = tables(app)
    thai = next(row for row in by_script if row[0] == "Thai")
    assert [int(cell.replace(",", "")) for cell in (thai[2], thai[4])] == [58 - int(thai[1]), 1545 - int(thai[2])]
    lines = [line for text in sample_texts() for line in text.splitlines()]
    for beginning, *cells in sentences[1:]:
        (sentence,) = (line for line in lines if line.startswith(beginning.removesuffix("…")))
        pair = [len(openai_tokenizer(name).encode(sentence)) for name in ("cl100k_base", "o200k_base")]
        assert cells == [*map(str, pair), f"{pair[1] - pair[0]:+,}"]
    changes = [abs(int(row[3])) for row in sentences[1:]]
    assert changes == sorted(changes, reverse=True)


def said_numbers(words: str) -> list[int]:
    """The numbers in bold."""
    return [int(found.replace(",", "")) for found in re.findall(r"\*\*([\d,]+)\*\*", words)]


def test_the_same_vocabulary_has_gained_and_lost_nothing() -> None:
    entries = entries_of(openai_tokenizer("gpt2"))
    rows = script_rows(difference(entries, entries))
    assert not rows[["lost", "moved", "gained"]].to_numpy().any()
    assert rows["both"].sum() == rows["first"].sum() == rows["second"].sum() == 50_256


# ---- tokens that their own text does not become


def test_tokens_out_of_reach_are_listed_by_reason_and_open_their_trees() -> None:
    app = open_page("vocabulary", tab="unreached")
    found = unreachable(openai_tokenizer("o200k_base"))
    assert app.header[0].value.startswith(f"**{len(found.ids):,}** of ")
    cut = [token_id for token_id, reason in zip(found.ids.tolist(), found.reasons) if reason == "pattern"]
    assert len(packed_ids(shown(app).payload)) == found.count("no_text")  # words of the others are not for a class
    assert not any(ENGLISH["unreached.becomes"] in each.value for each in app.caption)
    app.segmented_control(key="vocabulary_reason_no_text_pattern").set_value("pattern").run()
    assert (packed_ids(shown(app).payload), shown(app).options["script"]) == (cut, None)
    assert shown(app).options["picked"] == cut[0]
    assert any(ENGLISH["unreached.becomes"] in each.value for each in app.caption)
    look_at(app, cut[-1])
    assert shown(app).options["picked"] == cut[-1]
    assert not app.exception


def packed_ids(payload: bytes) -> list[int]:
    size = int.from_bytes(payload[:4], "little")
    count = json.loads(payload[4 : 4 + size])["entries"]
    ids: list[int] = np.frombuffer(payload, dtype="<i4", count=count, offset=4 + size).tolist()
    return ids


def test_nothing_is_tried_before_the_tab_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(unreached, "unreachable", lambda tokenizer: asked.append(tokenizer.name))
    open_page("vocabulary")
    assert not asked


def test_the_name_of_a_file_is_no_markup() -> None:
    app = open_page("compare")
    opener_of(app).set_value([("# :material_home: *b* <i>.model", MODEL, "")]).run()
    app.run()
    (opened,) = app.session_state["opened_files"]
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    app.segmented_control(key="vocabulary_lane_4").set_value(opened.key).run()
    go_to_tab(app, "made_of")
    titles = [each.value for each in app.header if "*b*" in each.value]
    assert titles
    assert all(re.search(r"` [^`]*\*b\*[^`]* `", title) for title in titles)


def test_files_in_another_order_have_trees_and_ranks_without_pairs_say_why() -> None:
    encoder, merges = gpt2_files()
    app = open_page("compare")
    files = [("encoder.json", encoder, ""), ("vocab.bpe", merges, ""), ("ranks.tiktoken", rank_file([b"the"]), "")]
    opener_of(app).set_value(files).run()
    app.run()
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    ordered, ranks = app.session_state["opened_files"]
    tokenizer = ordered.opened.tokenizer
    assert tokenizer.entry_ids != list(range(tokenizer.vocab_size))
    newest = tokenizer.entry_ids[-1]
    app.session_state["vocabulary_picked"] = {ordered.key: newest}
    app.segmented_control(key="vocabulary_lane_5").set_value(ordered.key).run()
    assert not app.exception
    (tree,) = [each.proto.body for each in app.get("html") if 'class="token-tree"' in each.proto.body]
    left, right = (tokenizer.entry_ids[part] for part in tokenizer.merges[-1])
    assert all(f"<b>{token_id}</b>" in tree for token_id in (newest, left, right))
    app.segmented_control(key="vocabulary_lane_5").set_value(ranks.key).run()
    assert not app.exception
    assert ENGLISH["biography.no_pairs"] in " ".join(each.value for each in app.markdown)
