"""The page of SentencePiece, characters and words: lessons train live, trainings end clearly, nothing is torn."""

import html
import json
import re
import threading
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_text
from pages.ui.limits import MAX_TRAININGS
from pages.ui.pieces import baselines, training
from pages.ui.pieces.baselines import baselines_of, baselines_rows, chart_sentence
from pages.ui.pieces.chips import Chip, chips_html, chips_of
from pages.ui.pieces.lessons import CONTROLS, LESSONS
from pages.ui.pieces.settings import FIRST, SWITCHES
from pages.ui.widgets.token_view.chips import Share
from tests.helpers.app import (
    ENGLISH,
    HOSTILE_HTML,
    SPOKEN,
    counts,
    deck_on,
    drawn,
    go_to_tab,
    open_page,
    said,
    wait_until,
    with_any_values,
)
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import tokenizer_of
from tokenizer_core.analysis.segmenters import NEWMM, Segmenter
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.workers.sentencepiece_job import LECTURE, THREADS


def lanes(app: AppTest) -> list[list[str]]:
    """The tokens of every lane on the page, as they are shown."""
    found = []
    for body in chip_rows(app):
        found.append(list(map(html.unescape, re.findall(r"<span>(.*?)</span><small>", body))))
    return found


def views(app: AppTest) -> list[int]:
    """How many tokens each tokenizer has in the view of the first lesson."""
    return [int(column["count"]) for view in drawn(app) for column in view["columns"]]


def chip_rows(app: AppTest) -> list[str]:
    return [each.proto.body for each in app.get("html") if 'class="piece-chips"' in each.proto.body]


def open_pieces(language: str = "en", *, tab: str = "") -> AppTest:
    """Open the page at a lesson that draws chips, or at another tab."""
    app = open_page("pieces", language, tab=tab)
    if not tab:
        choose(app, "ids")
    wait_until(app, lambda: bool(lanes(app)))
    return app


def choose(app: AppTest, lesson: str) -> AppTest:
    app.segmented_control(key="pieces_shown").set_value(lesson).run()
    assert not app.exception
    return app


def kind_of(element: Any, says: re.Pattern[str]) -> str:
    """What an element of the page is to a lesson: what to see, its tokens, or the way on."""
    if element.type == "markdown" and says.search(element.value):
        return "says"
    if getattr(element, "key", None) == "pieces_next":
        return "next"
    is_view = element.type == "bidi_component" and element.proto.component_name.endswith("token_view")
    return "tokens" if is_view or 'class="piece-chips"' in getattr(element.proto, "body", "") else ""


def test_every_lesson_shows_two_lanes_and_says_what_to_see() -> None:
    app = open_pieces("th")
    words = catalogue("th")
    assert app.markdown[0].value == words["pieces.what"]
    for lesson in LESSONS:
        choose(app, lesson)
        shown = views(app) if lesson == "small" else lanes(app)
        assert len(shown) == 2
        assert all(shown)
        says = re.compile(with_any_values(words[f"lessons.{lesson}_says"]))
        order = [kind for each in app.main if (kind := kind_of(each, says))]
        assert order == ["says", *["tokens"] * (1 if lesson == "small" else 2), "next"]


@pytest.mark.parametrize("language", SPOKEN)
def test_the_first_screen_names_no_other_program(language: str) -> None:
    app = open_page("pieces", language)
    words = [app.markdown[0].value, app.header[0].value, *(tab.label for tab in app.tabs)]
    words += app.segmented_control(key="pieces_shown").options
    words += [lane["name"] for lane in drawn(app)[0]["columns"]]
    assert not re.search("SentencePiece|WordPiece|BERT|Llama|Gemma", " ".join(words))


def test_one_button_leads_from_lesson_to_lesson_and_to_the_other_tab() -> None:
    app = open_page("pieces")
    app.button(key="pieces_next").click().run()
    assert app.segmented_control(key="pieces_shown").value == "fallback"
    app.button(key="pieces_next").click().run()
    app.button(key="pieces_next").click().run()
    assert app.segmented_control(key="pieces_shown").value == "ids"
    app.button(key="pieces_next").click().run()
    assert ENGLISH["naive.intro"] in [each.value for each in app.markdown]


def test_the_first_lesson_answers_the_title_with_the_numbers_of_its_rows() -> None:
    app = open_page("pieces")
    theirs, ours = views(app)
    answer = filled(ENGLISH["lessons.small_answer"], theirs=theirs, ours=ours)
    assert answer in [each.value for each in app.header]


def test_without_bytes_an_unknown_script_is_lost_and_with_bytes_it_comes_back() -> None:
    app = choose(open_pieces(), "fallback")
    without, with_bytes = lanes(app)[:2]
    assert "<unk>" in without
    assert "<unk>" not in with_bytes
    assert "<0xE0>" in with_bytes
    decoded = [each.value for each in app.markdown if "comes back as" in each.value]
    assert "⁇" in decoded[0]
    assert "ฃ ขวด ฅ คน 😊" in decoded[1]


def test_the_lessons_speak_of_the_text_that_is_typed() -> None:
    says = {lesson: show("ดี ฮ ดี").says for lesson, show in LESSONS.items()}
    assert "` ฮ `" in says["fallback"]
    assert LESSONS["fallback"]("น้ำ").says == ENGLISH["lessons.fallback_known"]
    assert "` ดี `" in says["prefix"]
    assert "**69**" in LESSONS["ids"]("Book").answer  # the B
    assert LESSONS["ids"]("น้ำ").answer == ENGLISH["lessons.ids_none"]
    assert "**131**" in LESSONS["ids"]("ฃ").answer
    assert "lost without bytes: **1**" in LESSONS["fallback"]("ดี ฮ ดี").answer
    assert "**0**" in LESSONS["fallback"]("น้ำ").answer.partition(".")[0]
    assert "in **1** way with" in LESSONS["prefix"]("hello").answer
    assert "in **2** without" in LESSONS["prefix"]("hello").answer
    thai = LESSONS["prefix"]("กิน กินข้าว")  # written as bytes, and the space is a token of its own
    assert "in **1** without" in thai.answer
    assert "token of its own" in thai.says
    even, fewer = (LESSONS["small"](text).says for text in ("Book a doctor", "ขออนุญาตไปห้องน้ำครับ"))
    assert fewer == ENGLISH["lessons.small_says"]
    assert even.startswith("Not fewer here, but over all 648 Thai sentences of this app: 40,279 tokens")


def test_with_a_dummy_prefix_a_word_is_the_same_at_the_start_and_after_a_space() -> None:
    with_prefix, without = (lane.tokenizer for lane in LESSONS["prefix"]("hello hello").lanes)
    ids = with_prefix.encode("hello hello")
    half = len(ids) // 2
    assert ids[:half] == ids[half:]
    assert ids[0] != without.encode("hello hello")[0]
    assert without.encode("hello")[0] not in without.encode("hello hello")[3:4]


def test_byte_ids_are_moved_by_the_control_tokens() -> None:
    shown = LESSONS["ids"]("Ω")
    theirs, ours = (lane.tokenizer for lane in shown.lanes)
    assert theirs.encode("Ω")[-2:] == [each + CONTROLS for each in ours.encode("Ω")]
    assert "**209**" in shown.answer
    assert "**206**" in shown.answer


def test_at_400_tokens_the_parts_add_up() -> None:
    shown = LESSONS["small"]("")
    control, of_bytes, characters, merged, also_bytes, ours = map(int, re.findall(r"\d+", shown.detail))
    assert control + of_bytes + characters + merged == LECTURE.vocab_size
    assert also_bytes + ours == LECTURE.vocab_size
    assert f"{LECTURE.vocab_size} tokens" in shown.more
    assert ours == 144
    assert 100 > characters > 50 > 10
    assert merged > 10


def test_the_sentence_can_be_changed_and_is_escaped() -> None:
    app = open_pieces()
    app.text_input(key="pieces_text_ids").set_value(HOSTILE_HTML).run()
    assert not app.exception
    assert not any("<script" in body for body in chip_rows(app))
    app.text_input(key="pieces_text_ids").set_value("").run()
    assert not app.exception


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ([("a", 4), ("b", 6)], "Fewest tokens: 4 by a. b: 1.50 times as many."),
        ([("a", 2), ("b", 2)], "As many for all: 2 tokens each."),
        ([("a", 0), ("b", 2)], None),
        ([("a", 2)], None),
        (
            [("a", 2, "ฃ😂"), ("b", 6)],
            "a loses 2 characters (ฃ😂): the numbers of tokens cannot be compared.",
        ),
    ],
    ids=["fewer", "alike", "a text that one drops", "alone", "lost characters"],
)
def test_who_needs_fewest_is_said_where_there_is_a_choice(counts: list[tuple[str, int]], says: str | None) -> None:
    app = AppTest.from_string(
        "from pages.ui.pieces.chips import Counted, say_who_needs_fewest\n"
        f"say_who_needs_fewest([Counted(*each) for each in {counts}])"
    ).run()
    assert not app.exception
    assert [without_breaks(each.value) for each in app.header] == [each for each in (says,) if each]


def test_a_tokenizer_that_loses_characters_is_not_the_one_with_the_fewest_tokens() -> None:
    app = choose(open_pieces(), "fallback")
    assert any("unknown" in body for body in chip_rows(app))
    assert not any("tokens" in each.value for each in app.header)


def start(app: AppTest, **values: Any) -> AppTest:
    app.radio(key="pieces_card").set_value("small").run()
    for name, value in values.items():
        kinds = {bool: app.toggle, str: app.selectbox}
        kinds.get(type(value), app.number_input)(key=f"pieces_{name}").set_value(value).run()
    app.button(key="pieces_start").click().run()
    return app


def test_a_training_shows_its_sentence_beside_ours_and_can_be_saved() -> None:
    app = start(open_pieces(), model_type="bpe", vocab_size=300)
    wait_until(app, lambda: ENGLISH["lessons.own_says"] in " ".join(each.value for each in app.markdown))
    wait_until(app, lambda: sum("vocabulary of 300" in each.value for each in app.markdown) == 2)
    assert "Done: 300 tokens" in said(app)
    shown = "".join(lanes(app)[0]).replace("◌", "").removeprefix("▁")
    assert shown.replace("ํา", "ำ").replace("▁", " ") == ENGLISH["lessons.own_text"]
    names = {each.proto.label for each in app.get("download_button")}
    assert {ENGLISH["pieces.download_model"], ENGLISH["pieces.download_vocab"]} <= names
    assert any("Alphabet size" in each.value for each in app.code)
    choose(app, "ids").button(key="pieces_see").click().run()
    assert app.segmented_control(key="pieces_shown").value == "own"


@pytest.mark.parametrize(("kind", "size"), [("unigram", 200), ("wordpiece", 500)])
def test_a_character_that_a_training_does_not_know_is_named_and_marked_wherever_it_stands(
    kind: str, size: int
) -> None:
    app = open_pieces()
    app.text_input(key="pieces_text_ids").set_value("กิน ☃").run()
    start(app, model_type=kind, vocab_size=size)
    names = "loses 1 character (☃)"
    wait_until(app, lambda: any(names in each.value for each in app.header))
    bodies = [each.proto.body for each in app.get("html")]
    assert any('class="token-chip unknown"' in body for body in bodies if "<table" in body)
    if kind == "unigram":
        (grid,) = (body for body in bodies if 'class="lattice"' in body)
        assert len(re.findall(r'unknown" style[^>]*><bdi>☃', grid)) == 1


def test_large_numbers_among_the_changed_settings_are_written_out() -> None:
    app = open_pieces()
    app.button(key="pieces_lecture").click().run()
    shown = " ".join(each.value for each in app.caption)
    assert "200,000,000" in shown
    assert "e+" not in shown


def test_a_number_under_letters_is_explained_where_one_stands() -> None:
    app = open_page("pieces")
    assert ENGLISH["pieces.stripes"] in [each.value for each in app.caption]
    app.text_input(key="pieces_text_small").set_value("ไป").run()
    assert ENGLISH["pieces.stripes"] not in [each.value for each in app.caption]


@pytest.mark.parametrize("language", SPOKEN)
def test_word_piece_is_trained_beside_ours_walked_and_says_what_it_loses(language: str) -> None:
    words = {key: without_breaks(said) for key, said in catalogue(language).items()}
    app = start(open_pieces(language), model_type="wordpiece", vocab_size=500)
    wait_until(app, lambda: any(each.key == "pieces_compare" for each in app.button))
    wait_until(app, lambda: len(lanes(app)) == 2)
    assert not app.exception
    pieces = "".join(lanes(app)[0]).replace("##", "").replace("◌", "")
    assert pieces == words["lessons.own_text"].replace(" ", "")
    (table,) = (each.proto.body for each in app.get("html") if "<table>" in each.proto.body)
    for row in re.findall("<tr>(.*?)</tr>", table):  # what is chosen comes first: a phone shows no more
        _, chosen, in_vain = re.findall("<td>(.*?)</td>", row)
        assert "token-chip" in chosen
        assert "<s>" not in chosen
        assert "token-chip" not in in_vain
    tokenizer = app.session_state["pieces_job"].tokenizer
    samples = [sample_text(f"parallel.{each}.txt") for each in ("th", "en")]
    lost = [tokenizer.lost_characters(text) for text in samples]
    assert lost[0] > 1_000
    shown = " ".join(each.value for each in app.markdown)
    assert all(f"{count:,}" in shown for count in (*lost, *(len("".join(text.split())) for text in samples)))
    assert words["pieces.word_piece_set"] in [without_breaks(each.value) for each in app.caption]
    assert "pieces_byte_fallback" not in {each.key for each in app.toggle}
    labels = {without_breaks(each.proto.label) for each in app.get("download_button")}
    assert words["pieces.download_word_piece"] in labels
    app.button(key="pieces_compare").click().run()
    (file,) = app.session_state["opened_files"]
    assert file.is_trained_here
    assert (file.name, file.opened.model, file.opened.files) == ("WordPiece 500", "WordPiece", ("tokenizer.json",))
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    assert "WordPiece 500" in counts(app)


def test_what_the_library_refuses_is_said_in_a_sentence() -> None:
    app = start(open_pieces(), vocab_size=9_000)
    wait_until(app, lambda: "are too many" in said(app))
    assert "pieces_beside" not in app.session_state  # nothing is trained beside it
    app = start(open_pieces("th"), vocab_size=20)
    wait_until(app, lambda: "โทเค็นน้อยเกินไป" in without_breaks(said(app)))


def test_a_text_typed_into_a_lesson_is_the_first_text_of_the_result() -> None:
    app = open_pieces()
    app.text_input(key="pieces_text_ids").set_value("กินข้าวหรือยัง").run()
    start(app, model_type="bpe", vocab_size=200)
    wait_until(app, lambda: "own" in shown_choices(app))
    assert app.text_input(key="pieces_text_own").value == "กินข้าวหรือยัง"
    shown = [each.value.partition(" ")[2] for each in app.markdown]
    assert ENGLISH["lessons.own_alone"] in shown  # at 200 tokens, our BPE has no row
    assert ENGLISH["lessons.own_says"] not in shown


def test_a_training_that_fails_leaves_the_last_result_where_it_is() -> None:
    app = start(open_pieces(), model_type="bpe", vocab_size=300)
    wait_until(app, lambda: len(lanes(app)) == 2 and "own" in shown_choices(app))
    before = lanes(app)
    choose(app, "ids")
    start(app, model_type="unigram", vocab_size=30_000)
    wait_until(app, lambda: "are too many" in said(app))
    assert app.segmented_control(key="pieces_shown").value == "ids"  # only a success goes to its result
    assert lanes(choose(app, "own")) == before


def shown_choices(app: AppTest) -> list[str]:
    names = {ENGLISH[f"lessons.{each}"]: each for each in (*LESSONS, "own")}
    return [names[without_breaks(each)] for each in app.segmented_control(key="pieces_shown").options]


def test_one_click_sets_the_lectures_settings_and_another_the_librarys() -> None:
    app = open_pieces()
    app.button(key="pieces_lecture").click().run()
    assert app.radio(key="pieces_card").value == "small"
    assert app.selectbox(key="pieces_model_type").value == "bpe"
    assert app.number_input(key="pieces_vocab_size").value == 400
    held = {name: app.toggle(key=f"pieces_{name}").value for name in SWITCHES}
    assert held == {name: getattr(LECTURE, name) for name in SWITCHES}
    assert app.number_input(key="pieces_character_coverage").value == LECTURE.character_coverage
    app.button(key="pieces_start").click().run()
    wait_until(app, lambda: "Done: 400 tokens" in said(app))
    app.button(key="pieces_defaults").click().run()
    assert {name: app.toggle(key=f"pieces_{name}").value for name in SWITCHES} == {
        name: getattr(FIRST, name) for name in SWITCHES
    }
    assert filled(ENGLISH["pieces.unchanged"], threads=THREADS) in [each.value for each in app.caption]


def test_a_training_at_work_shows_how_far_it_is_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = threading.Semaphore(0)
    monkeypatch.setattr(training, "TURNS", turns)
    monkeypatch.setattr(training, "FIRST_WAIT", 0.0)
    app = start(open_pieces())
    assert filled(ENGLISH["pieces.waiting"], limit=MAX_TRAININGS) in said(app)
    app.button(key="pieces_stop").click().run()
    turns.release()
    wait_until(app, lambda: ENGLISH["pieces.stopped"] in said(app))


def test_characters_and_words_and_bpe_between_them() -> None:
    found = baselines_of(["the cat sat on the mat\nแมวนั่งบนเสื่อ\n" * 40])
    characters, words = found.tokenizers["characters"], found.tokenizers["words"]
    assert found.lengths["characters"] == len("the cat sat on the mat\nแมวนั่งบนเสื่อ\n" * 40)
    assert found.lengths["words"] == 7 * 40
    assert words.vocab_size == 7
    assert characters.vocab_size == len(set("the cat sat on the mat\nแมวนั่งบนเสื่อ\n")) + 1
    sizes, lengths = zip(*found.curve, strict=True)
    assert sizes == tuple(range(256, found.bpe.vocab_size + 1))
    assert list(lengths) == sorted(lengths, reverse=True)


def test_the_sentence_of_the_chart_follows_the_figures() -> None:
    many = baselines_of([sample_text("parallel.th.txt")])
    assert chart_sentence(many).startswith("Characters need a vocabulary of only")
    few = baselines_of(["กินข้าว ไปโรงเรียน นอนหลับ\n" * 30])
    assert "words need a vocabulary of 4 and 90 tokens" in chart_sentence(few)
    assert "only" not in chart_sentence(few)


def test_words_found_by_newmm_are_a_lane_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "newmm", lambda: Segmenter(NEWMM, lambda text: re.findall(r"\s+|..?", text)))
    found = baselines_of(["แมวกิน ปลา newmm"])
    assert found.lengths["newmm"] == len(re.findall(r"\s+|..?", "แมวกิน ปลา newmm"))


def test_the_chart_has_a_line_for_bpe_and_a_named_point_for_each_baseline() -> None:
    found = baselines_of(["the cat sat on the mat\n" * 40 + "แมวกินปลา\n" * 40])
    rows = baselines_rows(found)
    ways, curve = rows[rows["is_baseline"]], rows[~rows["is_baseline"]]
    assert ways["tokens"].tolist() == list(found.lengths.values())
    assert ways["name"].tolist()[:2] == [ENGLISH["naive.characters"], ENGLISH["naive.words"]]
    ends = curve[["size", "tokens"]].iloc[[0, -1]].to_numpy().tolist()
    assert ends == [list(found.curve[0]), list(found.curve[-1])]
    assert len(curve) <= 170
    assert [name for name in curve["name"] if name] == [ENGLISH["pieces.ours"]]


def test_chips_show_badges_and_name_what_they_cover() -> None:
    chips = chips_of(tokenizer_of(), "☃ a")
    assert [chip.covers for chip in chips if chip.kind == "unknown"] == [[Share("☃", 0, 3, 3)]]
    drawn = chips_html([Chip("<b>", 7, "byte", [Share('"<x>', 0, 4, 4)])], label="<i>")
    assert "<b>" not in drawn
    assert "<x>" not in drawn
    assert "<i>" not in drawn
    assert "badge" not in drawn
    assert "badge unknown" in chips_html(chips, label="")


def test_a_token_has_one_colour_whatever_stands_before_it() -> None:
    chips = [Chip(f"<0x{byte}>", 0, "byte", []) for byte in ("CE", "95", "CE", "BB", "CE", "BB", "CE", "AC")]
    tints = re.findall(r"tint-(\d+)", chips_html(chips, label=""))
    assert len(tints) == len(chips)
    assert len(set(zip((chip.shown for chip in chips), tints, strict=True))) == len({chip.shown for chip in chips})


def test_chips_of_a_byte_level_tokenizer_show_which_part_of_a_character_they_cover() -> None:
    chips = chips_of(Tokenizer([(0xE0, 0xB8)]), "ก a")
    assert [chip.shown for chip in chips] == [
        *([Share("ก", 0, 2, 3)], [Share("ก", 2, 3, 3)], [Share(" ", 0, 1, 1)], [Share("a", 0, 1, 1)])
    ]
    assert [chip.kind for chip in chips] == ["bytes", "byte", "ordinary", "ordinary"]
    part = '<span class="share" style="--from:0%;--to:67%" title="E0 B8"><i>ก</i></span>'
    drawn = without_breaks(chips_html(chips, label=""))
    assert part in drawn
    titles = re.findall(r'<span role[^>]* title="([^"]+)"', drawn)
    assert [title.rpartition(" · ")[2] for title in titles[:3]] == [
        *("covers byte 1–2 of 3 of “ก”", "covers byte 3 of 3 of “ก”", "covers “␣”")
    ]
    (mark,) = chips_of(Tokenizer([(0xE0, 0xB9), (256, 0x89)]), "้")
    assert "covers “◌้”" in without_breaks(chips_html([mark], label=""))


def test_what_is_trained_here_is_a_lane_on_compare() -> None:
    app = start(open_pieces(), model_type="bpe", vocab_size=300)
    wait_until(app, lambda: any(each.key == "pieces_compare" for each in app.button))
    app.button(key="pieces_compare").click().run()
    assert app.title[0].value == ENGLISH["compare.title"]
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    own = ENGLISH["lessons.own_text"]
    assert app.text_area(key="compare_text").value == own  # what was looked at comes along
    assert counts(app)["SentencePiece bpe 300"] == len(tokenizer_for(app).encode(own))


def tokenizer_for(app: AppTest) -> SentencePieceTokenizer:
    (file,) = app.session_state["opened_files"]
    tokenizer = file.opened.tokenizer
    assert isinstance(tokenizer, SentencePieceTokenizer)
    return tokenizer


def test_characters_and_words_are_lanes_on_compare() -> None:
    app = open_pieces(tab="naive")
    app.button(key="naive_compare").click().run()
    assert app.title[0].value == ENGLISH["compare.title"]
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    assert counts(app)["BPE 1,000"] > 0
    app.text_area(key="compare_text").set_value("the cat sat 🧋").run()
    assert not app.exception
    assert counts(app)[ENGLISH["naive.characters"]] == len("the cat sat 🧋")
    assert counts(app)[ENGLISH["naive.words"]] == 4


def test_a_lesson_and_characters_and_words_can_be_presented() -> None:
    app = choose(open_pieces(), "small")
    app.button(key="present").click().run()
    assert not app.exception
    (deck,) = (each for each in app.get("bidi_component") if each.proto.component_name.endswith("deck"))
    (slide,) = json.loads(bytes(deck.proto.bytes))["slides"]
    assert slide["kind"] == "tokens"
    assert slide["title"]["en"] == "With 400 tokens to know: **12** from characters, **15** from bytes"
    go_to_tab(app, "naive")
    (slide,) = (deck_on(app) or {})["slides"]
    assert "4** of them unknown" in slide["title"]["en"]
    assert slide["html"].count("&lt;unk&gt;") == 5  # and the emoji, of characters
    names = [ENGLISH[key] for key in ("naive.characters", "pieces.ours", "naive.words")]
    assert [each for each in names if f"<div>{each}</div>" in slide["html"]] == names


@pytest.mark.parametrize("lesson", ["fallback", "prefix", "ids"])
def test_a_lesson_whose_tokens_do_not_spell_the_text_is_presented_as_on_the_page(lesson: str) -> None:
    app = choose(open_pieces(), lesson)
    answered = LESSONS[lesson](ENGLISH[f"lessons.{lesson}_text"]).answer
    shown = [re.sub(r'^<div style="[^"]*">(.*)</div>$', r"\1", row, flags=re.DOTALL) for row in chip_rows(app)]
    app.button(key="present").click().run()
    (slide,) = (deck_on(app) or {})["slides"]
    assert slide["title"]["en"] == answered
    assert len(shown) == 2
    assert all(each in slide["html"] for each in shown)


@pytest.mark.parametrize("lesson", ["small", "fallback", "prefix", "ids"])
def test_the_sentence_of_a_lesson_is_text_without_marks_of_line_breaks(lesson: str) -> None:
    text = catalogue("th")[f"lessons.{lesson}_text"]
    assert text == without_breaks(text)
