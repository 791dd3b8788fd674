"""The hint at look-alikes: where it stands, and the cleaned text beside the text."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.compare import sections
from pages.ui.i18n import as_plain_markdown, catalogue
from tests.helpers.app import ENGLISH, SPOKEN, open_link, paste, view, views, with_any_values
from tokenizer_core.bpe.openai import openai_tokenizer

LOOK_ALIKES = {
    "zero width": ("ภาษา\u200bไทย", "ภาษาไทย", "zero_width"),
    "direction": ("a\u202eb", "ab", "direction"),
    "space": ("a\u00a0b", "a b", "white_space"),
    "double e": ("เเม่", "แม่", "double_e"),
    "sara am": ("น\u0e49\u0e4d\u0e32", "น้ำ", "sara_am"),
    "order": ("ท\u0e48\u0e35", "ท\u0e35\u0e48", "mark_order"),
    "twice": ("ท\u0e35\u0e48\u0e48", "ท\u0e35\u0e48", "mark_twice"),
    "decomposed": ("e\u0301", "é", "decomposed"),
}


def markdown(app: AppTest) -> str:
    """All text on the page that may be a hint."""
    return "\n".join(each.value for each in app.markdown)


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(("text", "clean", "kind"), LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_a_look_alike_is_hinted_at(text: str, clean: str, kind: str, language: str) -> None:
    words = catalogue(language)
    app = open_link(text=f"กข {text}", lang=language)
    assert words["hints.found"] in markdown(app)
    hint = re.compile("- " + with_any_values(words[f"hints.{kind}"]))
    (line,) = filter(hint.fullmatch, markdown(app).splitlines())
    assert f"U+{next(ord(a) for a, b in zip(text, [*clean, None]) if a != b):04X}" in line
    assert [each.text for each in views(app)] == [f"กข {text}"]


@pytest.mark.parametrize(
    "text", ["", "แม่ซื้อน้ำ", "plain text", "👨‍👩‍👧", "é"], ids=["empty", "Thai", "ascii", "emoji", "NFC"]
)
def test_clean_text_has_no_hint(text: str) -> None:
    app = open_link(text=text)
    assert ENGLISH["hints.found"] not in markdown(app)
    assert "show_cleaned" not in [toggle.key for toggle in app.toggle]


def test_the_cleaned_text_is_drawn_beside_the_text_until_no_look_alike_is_left() -> None:
    app = open_link(text="เเม่", with_="o200k_base")
    before = view(app)
    app.toggle(key="show_cleaned").set_value(True).run()
    first, second = views(app)
    assert first == before
    assert (first.text, first.counts, second.text, second.counts) == ("เเม่", [3], "แม่", [1])
    assert second.names == first.names
    assert app.text_area(key="compare_text").value == "เเม่"
    app.toggle(key="show_cleaned").set_value(False).run()
    assert views(app) == [before]
    app.toggle(key="show_cleaned").set_value(True).run()
    app.text_area(key="compare_text").set_value("แม่").run()
    assert [each.text for each in views(app)] == ["แม่"]
    assert ENGLISH["hints.found"] not in markdown(app)


def test_look_alikes_in_pasted_ids_are_cleaned_as_text() -> None:
    ids = openai_tokenizer("gpt2").encode("เเม่")
    app = paste(str(ids))
    app.toggle(key="show_cleaned").set_value(True).run()
    first, second = views(app)
    assert (first.ids("GPT-2"), second.text) == (ids, "แม่")
    assert second.ids("GPT-2") == openai_tokenizer("gpt2").encode("แม่")


def test_the_cleaned_text_goes_on_where_nothing_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "MAX_CHECKED", 6)
    app = open_link(text="เเม่ กาเเม่")
    app.toggle(key="show_cleaned").set_value(True).run()
    assert views(app)[1].text == "แม่ กาเเม่"


def test_broken_bytes_have_no_hint() -> None:
    ids = [*openai_tokenizer("gpt2").encode("เเ"), 19567]
    assert ENGLISH["hints.found"] not in markdown(paste(str(ids)))


def test_what_a_hint_shows_of_the_text_is_no_markdown() -> None:
    app = open_link(text="[x](y)e\u0301**\u200b`<b>` :material/home:")
    (place,) = [each.value for each in app.markdown if ENGLISH["hints.found"] in each.value]
    assert as_plain_markdown("é") in place
    assert "[x](y)" not in place
    assert "<b>" not in place
