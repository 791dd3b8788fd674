"""What comes below the fold scrolls into view: once, without taking the focus, and calmly for those who ask."""

import json

import pytest
from playwright.sync_api import Page, expect

from pages.ui.frame.frame import INTO_VIEW

PAGE = """
<button autofocus>here</button> <div style="height: 3000px"></div>
<section class="st-key-answer" style="height: 200px">the answer</section> <div id="below"></div>
"""
SHOW = """async ([script, said]) => {
  window.show ??= (await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })))).default;
  window.show({ data: new TextEncoder().encode(said) });
}"""


def show(tab: Page, occasion: str) -> None:
    tab.evaluate(SHOW, [INTO_VIEW, json.dumps({"target": "answer", "occasion": occasion})])
    tab.evaluate("() => new Promise((done) => setTimeout(done, 150))")  # more than two frames


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_an_answer_comes_into_view_once_and_leaves_the_focus(tab: Page, motion: str) -> None:
    tab.emulate_media(reduced_motion="reduce" if motion == "reduce" else "no-preference")
    tab.set_content(PAGE)
    tab.get_by_role("button").focus()
    show(tab, "first")
    tab.evaluate("() => { below.style.height = '3000px'; }")  # the page grows below what is shown
    if motion == "reduce":  # without any motion it is there at once
        tab.wait_for_timeout(50)
        assert tab.evaluate("() => document.querySelector('section').getBoundingClientRect().top") == 64
    expect(tab.get_by_text("the answer")).to_be_in_viewport()
    expect(tab.get_by_role("button")).to_be_focused()
    tab.wait_for_function("() => Math.abs(document.querySelector('section').getBoundingClientRect().top - 64) < 1")
    tab.mouse.wheel(0, -10)  # from now on the visitor moves
    tab.evaluate("() => scrollTo({ top: 0, behavior: 'instant' })")
    show(tab, "first")  # the page was drawn again
    assert tab.evaluate("() => scrollY") == 0
    show(tab, "second")
    expect(tab.get_by_text("the answer")).to_be_in_viewport()
