"""Home: few controls, one menu for the rest, and what the same message costs."""

import html
import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_text
from pages.ui.inputs.text import EXAMPLES
from tests.helpers.app import ENGLISH, LANGUAGES, drawn, open_page, staged
from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer


def outside_of_menus(block: Block) -> Iterator[Element | Block]:
    """All that stands on a page before anything is opened; a menu and a fold count as what opens them."""
    for child in block.children.values():
        if isinstance(child, Block) and child.type not in ("popover", "expander"):
            yield from outside_of_menus(child)
        else:
            yield child


def in_sight(app: AppTest) -> list[str]:
    """What a visitor can operate around the tokens: below the title, above the premium."""
    kinds = [(each.type, getattr(each, "key", None)) for each in outside_of_menus(app.main)]
    start, end = kinds.index(("title", None)), kinds.index(("header", None))
    return [str(key) for kind, key in kinds[start:end] if kind not in ("title", "caption", "bidi_component")]


def test_ten_controls_at_most_are_in_sight() -> None:
    keys = in_sight(open_page("home"))
    assert keys == ["home_text", "home_example", "home_menu", "home_train"]
    assert len(keys) - 1 + len(EXAMPLES) <= 10


def test_one_menu_holds_what_can_be_set() -> None:
    app = open_page("home")
    (menu,) = app.get("popover")
    assert isinstance(menu, Block)
    held = {getattr(each, "key", None) for each in outside_of_menus(menu)}
    assert {"home_view_toolbar", "special_act", "special_lesson", "home_add"} <= held


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_premium_is_one_sentence_and_one_picture(language: str) -> None:
    app, words = open_page("home", language), catalogue(language)
    thai, english = (sample_text(f"parallel.{name}.txt").splitlines() for name in ("th", "en"))
    counted = []
    for name in OPENAI_NAMES:
        encode = openai_tokenizer(name).encode
        counted.append(sum(len(encode(line)) for line in thai) / sum(len(encode(line)) for line in english))
    (picture,) = (each.proto.body for each in app.get("html") if 'role="img"' in each.proto.body)
    names = [without_breaks(words[f"tokenizers.{name}_dated"]) for name in OPENAI_NAMES]
    assert re.findall('class="name">(.*?)<', picture) == names
    assert re.findall("<b>(.*?) ×<", picture) == [f"{premium:.2f}" for premium in sorted(counted, reverse=True)]
    lengths = [float(share) * max(counted) for share in re.findall('class="premium .*?--at:(.*?)"', picture)]
    assert lengths == pytest.approx(sorted(counted, reverse=True), abs=0.001)
    most, least = f"{counted[0]:.2f}", f"{counted[-1]:.2f}"
    said = filled(words["home.bill"], lines=len(thai), most=most, least=least, dear=names[0], cheap=names[-1])
    (header,) = app.header
    assert without_breaks(header.value).replace("**", "") == without_breaks(said)
    assert html.unescape(re.findall('aria-label="(.*?)"', picture)[0]) == without_breaks(said)


# ---- the sentence goes along


def go(app: AppTest, page: str) -> AppTest:
    app.switch_page(str(REPOSITORY / "pages" / f"{page}.py")).run()
    assert not app.exception
    return app


@pytest.mark.parametrize(("page", "box"), [("compare", "compare_text"), ("patterns", "lab_text")])
def test_the_visitors_sentence_goes_along_until_another_one_is_written_there(page: str, box: str) -> None:
    app = go(open_page("home"), page)
    ours = app.text_area(key=box).value
    app = go(app, "home")
    app.text_input(key="home_text").set_value("My refund, ขอเงินคืน").run()
    assert go(app, page).text_area(key=box).value == "My refund, ขอเงินคืน" != ours
    app = go(app, "home")
    app.text_input(key="home_text").set_value("again").run()
    assert go(app, page).text_area(key=box).value == "again"
    app.text_area(key=box).set_value("written here").run()
    app = go(app, "home")
    app.text_input(key="home_text").set_value("once more").run()
    assert go(app, page).text_area(key=box).value == "written here"


def test_the_sentence_to_watch_can_be_changed_before_a_training() -> None:
    app = open_page("train")
    app.text_input(key="train_sentence").set_value("ขอเงินคืน").run()
    assert drawn(app)[0]["text"] == "ขอเงินคืน"
    app.button(key="start").click().run()
    assert staged(app)["text"] == "ขอเงินคืน"
    app.button(key="stop").click().run()


@pytest.mark.parametrize(("text", "bytes_each"), [("", 3), ("My refund", 0), ("ขอเงินคืน", 3), ("Привет", 2)])
def test_the_sentence_of_home_is_watched_before_a_training_and_while_it_runs(text: str, bytes_each: int) -> None:
    app = open_page("home")
    if text:
        app.text_input(key="home_text").set_value(text).run()
    sentence = text or ENGLISH["examples.thai"]
    before = go(app, "train")
    assert drawn(before)[0]["text"] == sentence
    said = [each.value for each in before.caption]
    assert (filled(ENGLISH["stage.start_bytes"], size=bytes_each) in said) is (bytes_each > 0)
    before.button(key="start").click().run()
    assert staged(before)["text"] == sentence
    before.button(key="stop").click().run()


def test_a_special_token_that_is_cut_like_any_text_says_what_makes_it_one_token() -> None:
    app = open_page("home")
    said = filled(
        ENGLISH["home.special_plain"],
        token="` <|endoftext|> `",
        act=ENGLISH["special.act"],
        view=ENGLISH["home.view"],
    )

    def is_said() -> bool:
        return any(said in without_breaks(each.value) for each in app.caption)

    assert not is_said()
    app.text_input(key="home_text").set_value("a <|endoftext|>").run()
    assert is_said()
    app.toggle(key="special_act").set_value(True).run()
    assert not is_said()
