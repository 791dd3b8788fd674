"""Stories: a question first, then pieces and a sentence whose numbers are those of the pieces."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.stories import all_stories as story_lanes
from pages.ui.stories.all_stories import STORIES, make_story
from pages.ui.stories.form import CHOICES, Story, guesses
from pages.ui.stories.page import cut_alike
from pages.ui.widgets.slides.talk_file import read, written
from tests.helpers.app import ENGLISH, MODEL, SPOKEN, counts, deck_on, drawn, open_page, opener_of, said, tables
from tests.helpers.paths import REPOSITORY
from tokenizer_core.analysis.segmenters import Segmenter
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer

STEPS = ("name", "setting", "question", "says", "remember")


def opened(name: str, language: str = "en") -> AppTest:
    """The page with this story."""
    app = open_page("stories", language)
    app.selectbox(key="story").set_value(name).run()
    return app


def words_of(app: AppTest) -> str:
    return without_breaks(" ".join(each.value for each in (*app.markdown, *app.header)))


# ---- on the page


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("name", STORIES)
def test_a_story_asks_and_then_tells(name: str, language: str) -> None:
    app = opened(name, language)
    told = make_story(name)
    words = {step: without_breaks(catalogue(language)[f"stories.{name}_{step}"]) for step in STEPS}
    assert filled(words["question"], **told.figures) in words_of(app)
    assert not drawn(app)
    assert words["remember"] not in words_of(app)
    assert [app.button(key=f"story_choice_{place}").label for place in range(CHOICES)] == [
        *told.prediction.choices
    ]
    app.button(key=f"story_choice_{told.prediction.right}").click().run()
    assert not app.exception
    assert not app.error
    assert without_breaks(app.success[0].value).endswith(
        without_breaks(
            filled(catalogue(language)["stories.right"], truth=told.prediction.choices[told.prediction.right])
        )
    )
    assert [view["text"] for view in drawn(app)] == [part.text for part in told.parts]
    assert filled(words["remember"], **told.figures) in words_of(app)
    assert not re.search(r"[{}]", words_of(app))


def test_the_texts_stand_before_the_question_about_them() -> None:
    app = opened("doctor")
    kinds = [node.type for node in app.main]
    last_text = len(kinds) - 1 - kinds[::-1].index("text")
    assert last_text < kinds.index("header")
    app.button(key="story_choice_0").click().run()
    assert len(app.text) == len(make_story("doctor").parts)  # nothing moves under a finger


def test_a_guess_is_kept_when_the_story_and_the_language_change() -> None:
    app = opened("digits")
    wrong = next(place for place in range(CHOICES) if place != make_story("digits").prediction.right)
    app.button(key=f"story_choice_{wrong}").click().run()
    before = said(app)
    assert make_story("digits").prediction.choices[wrong] in before
    app.button(key="story_next").click().run()
    assert app.selectbox(key="story").value == "football"
    assert not said(app)
    app.button(key="story_previous").click().run()
    assert said(app) == before
    app.segmented_control(key="lang").set_value("th").run()
    assert app.selectbox(key="story").value == "digits"
    assert make_story("digits").prediction.choices[wrong] in said(app)
    app.button(key="story_show").click().run()  # hides the answer
    assert not said(app)
    assert not drawn(app)


def test_the_one_thing_to_do_after_an_answer_is_to_go_on() -> None:
    app = opened("water")
    assert not [
        button.key for button in app.button if button.proto.type == "primary" and button.key != "present_mine"
    ]
    app.button(key="story_show").click().run()
    assert next(button.key for button in app.button if button.proto.type == "primary") == "story_on"
    keys = [button.key for button in app.button]
    assert keys.index("story_show") < keys.index("story_on")  # at the end of the answer
    app.button(key="story_on").click().run()
    assert app.selectbox(key="story").value == "no_letter"
    assert any("into_view" in each.proto.component_name for each in app.get("bidi_component"))


@pytest.mark.parametrize("language", SPOKEN)
def test_what_all_tokenizers_cut_alike_is_drawn_once_and_said(language: str) -> None:
    app, words = opened("doctor", language), catalogue(language)
    app.button(key="story_show").click().run()
    assert [len(view["columns"]) for view in drawn(app)] == [3, 1]
    names = ", ".join(words[f"tokenizers.{name}"] for name in OPENAI_NAMES)
    assert without_breaks(filled(words["stories.alike"], names=names, count=23)) in words_of(app)
    assert not cut_alike(make_story("doctor").drawn, make_story("doctor").parts[0].text)


def test_a_wrong_guess_is_told_apart_from_a_right_one_by_its_sign() -> None:
    app = opened("doctor")
    right = make_story("doctor").prediction.right
    app.button(key=f"story_choice_{(right + 1) % CHOICES}").click().run()
    (wrong,) = app.warning
    assert not app.success
    app.button(key=f"story_choice_{right}").click().run()
    assert not app.warning
    assert app.success[0].icon != wrong.icon


def test_everything_can_be_shown_at_once() -> None:
    app = opened("water")
    app.toggle(key="story_all").set_value(True).run()
    assert drawn(app)
    assert "story_choice_0" not in [button.key for button in app.button]
    app.button(key="story_next").click().run()
    assert drawn(app)


# ---- the numbers


@pytest.mark.parametrize("name", STORIES)
def test_the_figures_are_those_of_the_drawing_and_of_a_plain_count_and_the_answer_contrasts_two(name: str) -> None:
    told = make_story(name)
    app = opened(name)
    app.button(key="story_show").click().run()
    for part, view in zip(told.parts, drawn(app), strict=True):
        counts = [told.figures[f"{lane}_{part.key}"] for lane in told.lanes]
        is_alike = cut_alike(told.drawn, part.text) and not told.has_short_parts
        assert [column["count"] for column in view["columns"]] == counts[: 1 if is_alike else None]
        for lane in set(OPENAI_NAMES) & set(told.lanes):
            if not told.lanes[lane].key.startswith("pretokens"):
                encoded = openai_tokenizer(lane).encode(part.text)
                assert told.figures[f"{lane}_{part.key}"] == len(encoded)
    (contrast,) = (each.proto.body for each in app.get("html") if 'class="contrast"' in each.proto.body)
    shown = [int(each.replace(",", "")) for each in re.findall("<b>([0-9,]+)</b>", contrast)]
    assert shown == [told.figures[figure] for figure in told.contrast]
    assert len(set(shown)) == 2
    assert told.answer in told.contrast or isinstance(told.figures[told.answer], str)
    widths = [float(each) for each in re.findall("width:([0-9.]+)%", contrast)]
    assert widths == [round(100 * value / max(shown), 1) for value in shown]
    for figure in told.contrast:
        assert f"{{{figure}}}" in ENGLISH[f"stories.{name}_says"]
    (head, *rows) = tables(app)[-1]
    assert len(head) == 1 + len(told.parts)
    assert [row[1:] for row in rows] == [
        [f"{told.figures[f'{lane}_{part.key}']:,}" for part in told.parts] for lane in told.lanes
    ]


@pytest.mark.parametrize("name", STORIES)
def test_the_truth_is_among_three_choices_and_is_said(name: str) -> None:
    told = make_story(name)
    truth = told.figures[told.answer]
    written = f"{truth:,}" if isinstance(truth, int) else truth
    assert len(set(told.prediction.choices)) == CHOICES
    assert told.prediction.choices[told.prediction.right] == written
    assert f"**{{{told.answer}}}**" in ENGLISH[f"stories.{name}_says"]
    for step in ("setting", "question"):
        assert f"{{{told.answer}}}" not in ENGLISH[f"stories.{name}_{step}"]


@pytest.mark.parametrize("language", SPOKEN)
def test_a_story_says_not_where_its_text_stands(language: str) -> None:
    """On the page the text is below what is said, on a slide above, and on paper in a box."""
    words = {key: without_breaks(said) for key, said in catalogue(language).items()}
    places = re.compile(r"\b(below|above)\b|ข้างล่าง|ข้างบน|ด้านล่าง|ด้านบน")
    steps = [f"stories.{name}_{step}" for name in STORIES for step in ("setting", "question", "says", "remember")]
    assert [key for key in steps if places.search(words[key])] == []


def test_the_true_choice_is_not_always_at_one_place() -> None:
    places = [make_story(name).prediction.right for name in STORIES]
    assert {places.count(place) > 2 for place in range(CHOICES)} == {True}


@pytest.mark.parametrize("truth", [0, 1, 2, 4, 5, 6, 29, 124, 12_345])
def test_guesses_are_three_and_hold_the_truth(truth: int) -> None:
    for decoys in ((), (1, 3), (truth,), (truth, truth + 1)):
        prediction = guesses(truth, *decoys)
        assert len(set(prediction.choices)) == CHOICES
        assert prediction.choices[prediction.right] == f"{truth:,}"
        assert prediction == guesses(truth, *decoys)


def figures(name: str) -> dict[str, int]:
    """The numbers of a story."""
    return {key: value for key, value in make_story(name).figures.items() if isinstance(value, int)}


def test_stories_hold_what_their_names_promise() -> None:
    home, turned, never = figures("home_made"), figures("tables_turned"), figures("never")
    assert home["own"] < home["other"]
    assert turned["english"] > 2 * turned["thai"]
    assert turned["own_english"] > turned["own_thai"]
    assert figures("no_letter")["gpt2_entries"] == 0
    assert never["gpt2_phrase"] > never["llama3_phrase"] > never["mark_aware_phrase"]
    twins, signs, hidden = figures("twins"), figures("two_signs"), figures("zero_width")
    assert twins["o200k_base_right"] < twins["o200k_base_twin"]
    assert signs["o200k_base_one"] < signs["o200k_base_two"]
    assert hidden["o200k_base_plain"] < hidden["o200k_base_hidden"]
    chat, loanword, indented = figures("chat"), figures("loanword"), figures("indented")
    assert chat["o200k_base_sir"] <= chat["o200k_base_sir_typed"]
    assert chat["o200k_base_much"] < chat["o200k_base_much_drawn"]
    assert loanword["gpt2_english"] < loanword["o200k_base_thai"] < loanword["gpt2_thai"]
    price = {name: indented[f"{name}_indented"] - indented[f"{name}_bare"] for name in ("gpt2", "cl100k_base")}
    assert price["gpt2"] > price["cl100k_base"]
    assert [figures("doctor")[f"{name}_thai"] for name in OPENAI_NAMES] == [124, 63, 29]
    assert make_story("football").figures["fewest"] == "พรีเมียร์ลีก"


def test_the_new_stories_hold_what_their_names_promise() -> None:
    article, bangkok, dog = figures("article"), figures("bangkok"), figures("dog")
    assert article["own_english"] > article["own_thai"]
    assert article["gpt2_english"] < article["gpt2_thai"]
    assert bangkok["gpt2_ceremonial"] > bangkok["characters"]
    assert dog["bare_entries"] > dog["split_entries"] == 1
    assert dog["bare_question_mark"] < dog["split_question_mark"] == dog["gpt2_question_mark"]
    registers = [figures("registers")[f"o200k_base_{form}"] for form in ("chat", "polite", "official", "royal")]
    assert registers == sorted(registers)
    classic = make_story("classic").figures
    assert [classic[f"token_{place}"] for place in (1, 2, 3)] == ["aa", "aaa", "aaab"]
    assert [classic[f"count_{place}"] for place in (1, 2, 3)] == [4, 2, 2]
    assert [classic[f"after_{count}_text"] for count in range(4)] == [11, 9, 7, 5]


def test_newmm_stands_beside_the_tokenizers_or_its_absence_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def told_with(segmenter: Segmenter | None) -> Story:
        monkeypatch.setattr(story_lanes, "newmm", lambda: segmenter)
        return make_story("round_eyes")

    without = told_with(None)
    assert "newmm" in without.note
    assert list(without.lanes) == ["eyes", "breeze", "cl100k_base", "o200k_base"]
    beside = told_with(Segmenter("a finder", lambda text: [text[:3], text[3:]]))
    assert not beside.note
    assert beside.figures["newmm_text"] == 2


def test_the_numbers_of_a_story_are_counted_not_stored() -> None:
    steps = re.compile(r"stories\..*_(says|more|setting|remember)")
    words = [text for key, text in ENGLISH.items() if steps.fullmatch(key)]
    plain = re.compile(r"(?<!GPT-)(?<![\w.-])[0-9]+(?![\w-])")
    told = [re.sub(r"\{\w+\}|Llama 3|2567|555|digit 5|2\.2 MB", "", text) for text in words]
    assert [found for text in told for found in plain.findall(text)] == []


# ---- the visitor's tokenizers beside those of a story


def test_an_opened_file_tells_the_tale_too_and_the_question_stays() -> None:
    app = open_page("compare")
    opener_of(app).set_value([("mine.model", MODEL, "")]).run()
    app.run()
    (file,) = app.session_state["opened_files"]
    app.switch_page(str(REPOSITORY / "pages" / "stories.py")).run()
    app.selectbox(key="story").set_value("doctor").run()
    choices = [app.button(key=f"story_choice_{place}").label for place in range(CHOICES)]
    app.pills(key="story_beside").set_value([file.key]).run()
    app.button(key="story_show").click().run()
    assert not app.exception
    assert [app.button(key=f"story_choice_{place}").label for place in range(CHOICES)] == choices
    told = make_story("doctor")
    for view, part in zip(drawn(app), told.parts, strict=True):
        assert [column["name"] for column in view["columns"]][3:] == ["mine"]
        count = len(Tokenizer.from_model(MODEL).encode(part.text))
        assert view["columns"][3]["count"] == count
        (row,) = [row for row in tables(app)[0] if row[0] == "mine"]
        assert row[1 + told.parts.index(part)] == f"{count:,}"
    app.button(key="present_story").click().run()
    deck = deck_on(app)
    assert deck is not None
    assert {lane["name"] for view in deck["slides"][2]["views"] for lane in view["lanes"]} >= {"mine", "GPT-2"}


def test_home_shows_opened_files_and_puts_them_into_the_talk() -> None:
    app = open_page("compare")
    opener_of(app).set_value([("mine.model", MODEL, "")]).run()
    app.run()
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    assert list(counts(app))[3:] == ["mine"]
    app.button(key="home_add").click().run()
    (entry,) = app.session_state["my_talk"]
    assert read(written([entry]), list(STORIES)) == [entry]
    app.switch_page(str(REPOSITORY / "pages" / "stories.py")).run()
    app.button(key="present_mine").click().run()
    deck = deck_on(app)
    assert deck is not None
    assert [lane["name"] for lane in deck["slides"][0]["views"][0]["lanes"]][3:] == ["mine"]
