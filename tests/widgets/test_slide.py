"""The lanes as a slide: headline, numbers, lanes as large as fit, source; nothing stands outside of it."""

import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from pages.ui.widgets.token_view.lanes import Label, Lane
from tests.helpers.drawing import THAI, draw, lane_over, references_over, saved
from tokenizer_core.bpe.tokenizer import Tokenizer

SVG = "{http://www.w3.org/2000/svg}"
LONG = "Bangkok is the capital.\n" + (THAI + " The quick brown fox. ") * 200


def slide(page: Page, text: str, lanes: Sequence[Lane], kind: str = "svg", **options: Any) -> bytes:
    """A text as a slide, from the menu."""
    draw(page, text, lanes, view="columns", **options)
    content = saved(page, f"slide_{kind}").read_bytes()
    assert page.locator(".sheet").count() == 0
    return content


def words_on(drawn: bytes) -> list[tuple[str, float]]:
    """The texts on a slide and their sizes, in order."""
    found = ElementTree.fromstring(drawn).iter(f"{SVG}text")
    return [("".join(text.itertext()), float(text.attrib["font-size"])) for text in found]


def captioned(lanes: Sequence[Lane]) -> list[Lane]:
    return [replace(lane, label=Label(lane.name, f"caption of {lane.name}")) for lane in lanes]


def test_a_slide_has_a_headline_numbers_lanes_and_their_source(page: Page) -> None:
    drawn = slide(page, THAI, captioned(references_over(THAI)))
    root = ElementTree.fromstring(drawn)
    assert (root.attrib["width"], root.attrib["height"]) == ("1920", "1080")
    words = words_on(drawn)
    assert (THAI, 52) in words
    assert [word for word, size in words if size == 120] == ["50", "26", "13"]
    said = " ".join(word for word, _ in words)
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        assert f"{name} · tokens" in said
        assert f"{name} (caption of {name})" in said
    assert "Tokenizer Explorer" in said
    letters = [word for word, size in words if size > 52 and size < 120]
    assert "".join(letters) == THAI.replace(" ", "") * 3


@pytest.mark.parametrize("text", [THAI, LONG, "x" * 5_000], ids=["short", "long", "one word"])
@pytest.mark.parametrize("width", [pytest.param(1000, marks=pytest.mark.long), 350])
def test_nothing_stands_outside_of_a_slide(page: Page, text: str, width: int) -> None:
    root = ElementTree.fromstring(slide(page, text, references_over(text), width=width))
    boxes = [each.attrib for each in list(root.iter(f"{SVG}rect"))[1:]]
    assert boxes
    assert all(float(box["x"]) > 0 and float(box["x"]) + float(box["width"]) < 1920 for box in boxes)
    low = max(float(box["y"]) + float(box["height"]) for box in boxes)
    source = next(each for each in root.iter(f"{SVG}text") if "Tokenizer Explorer" in "".join(each.itertext()))
    assert low < float(source.attrib["y"]) - 20 < 1080
    assert min(float(box["y"]) for box in boxes) > 250


def test_of_a_long_text_a_slide_has_the_first_lines_and_says_so(page: Page) -> None:
    words = words_on(slide(page, LONG, references_over(LONG)))
    assert ("Bangkok is the capital.", 52) in words
    part = next(
        found for word, _ in words if (found := re.fullmatch(r"characters 1–(\d+) of ([\d,]+) \(.*\)", word))
    )
    assert int(part[2].replace(",", "")) == len(LONG)
    shown = "".join(word for word, size in words if size == 30)
    first = LONG[: int(part[1])]
    assert shown.count("Bangkok") == 3
    assert re.sub(r"\s|⏎", "", shown) == re.sub(r"\s", "", first) * 3


def test_four_lanes_have_four_large_numbers_on_a_slide(page: Page) -> None:
    lanes = [*references_over(THAI), lane_over(THAI, Tokenizer([]), "my own", is_own=True)]
    words = words_on(slide(page, THAI, lanes))
    assert [word for word, size in words if size == 120] == ["50", "26", "13", str(len(THAI.encode()))]


def test_of_many_lanes_a_slide_has_six_smaller_numbers_and_ones_own_is_among_them(page: Page) -> None:
    others = [lane_over(THAI, Tokenizer([]), f"number {number}") for number in range(4)]
    lanes = [*references_over(THAI), *others, lane_over(THAI, Tokenizer([]), "my own", is_own=True)]
    words = words_on(slide(page, THAI, lanes))
    assert len([word for word, size in words if size == 80 and word.isdigit()]) == 6
    assert any(word.startswith("my own · ") for word, _ in words)


def test_a_slide_as_png_is_sixteen_to_nine(page: Page) -> None:
    content = slide(page, THAI, references_over(THAI), "png")
    assert struct.unpack(">II", content[16:24]) == (3840, 2160)
