"""The race of several ways in a browser: it plays by itself, obeys keys, and ends with the right numbers."""

import base64
import json
from typing import Any

from playwright.sync_api import Page, expect

from pages.ui.widgets.abreast import BROWSER, Way, abreast_css, abreast_options, frame_of, growing_frames
from pages.ui.widgets.token_view.serve import bundle
from tests.helpers.drawing import DRAW, THAI
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import train

SIZES = [256, 257, 260, 270, 276]


def options(trained: Tokenizer) -> dict[str, Any]:
    """A way that grows, and one of which there is a single model."""
    grown = Way(
        "grown", growing_frames(THAI, trained, SIZES), SIZES, [50, 40, 30, 20, 10], [25, 20, 20, 20, 10], True
    )
    apart = Way("apart", [frame_of(THAI, openai_tokenizer("gpt2"), 270)], [270], [33.3], [30], False)
    return abreast_options(THAI, [grown, apart], SIZES, says="Who wins.")


def draw(page: Page, drawn: dict[str, Any], *, calm: bool) -> None:
    page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
    payload = base64.b64encode(json.dumps(drawn).encode()).decode()
    page.evaluate(DRAW, [bundle(BROWSER / "abreast.js"), abreast_css(), payload, 1000])


def test_the_race_plays_by_itself_and_obeys_keys(page: Page) -> None:
    trained = train(THAI * 3, 276)
    counts = [str(len(trained.encode(THAI))), str(len(openai_tokenizer("gpt2").encode(THAI)))]
    race, numbers = page.locator(".abreast"), page.locator(".abreast-count b")
    draw(page, options(trained), calm=True)  # at once its end, for who wants no motion
    expect(race).to_have_attribute("data-size", "276")
    expect(numbers).to_have_text(counts)
    draw(page, options(trained), calm=False)
    expect(race).to_have_attribute("data-playing", "true")
    expect(numbers).to_have_text([str(len(THAI.encode())), "–"])
    race.press("Space")
    expect(race).to_have_attribute("data-playing", "false")
    race.press("Space")
    expect(race).to_have_attribute("data-playing", "true")
    expect(race).to_have_attribute("data-playing", "false")  # it has come to its end
    expect(race).to_have_attribute("data-size", "276")
    expect(numbers).to_have_text(counts)
    expect(page.locator(".abreast .unseen")).to_have_text("Who wins.")
    expect(page.locator(".abreast-chart").nth(1).locator(".curve-name")).to_have_text(["grown 10", "apart 33.3"])
