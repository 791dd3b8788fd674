"""Thai letters with loops, as schools teach them: offered for Thai, drawn, and taken along in what is saved."""

import base64

import pytest
from playwright.sync_api import Page, expect

from pages.ui.widgets.token_view.serve import FACES, page_to_take_away
from tests.helpers.drawing import LABELS, THAI, draw, references_over, saved

LOOPED = "Noto Sans Thai Looped"


def data_address(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


ADDRESSES = {weight: data_address(path.read_bytes(), "font/woff2") for weight, path in FACES.items()}


def faces_of(page: Page, element: str) -> set[str]:
    """The faces in which the browser sets the letters of an element."""
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    session.send("DOM.getDocument")
    found = session.send("Runtime.evaluate", {"expression": element})
    node = session.send("DOM.requestNode", {"objectId": found["result"]["objectId"]})
    fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node["nodeId"]})["fonts"]
    session.detach()
    return {font["familyName"] for font in fonts}


THAI_LETTER = "window.shadow.querySelector('.lane:not(.ruler) .p')"


def choose_looped(page: Page) -> None:
    page.get_by_label(LABELS["looped"]).check()
    expect(page.locator(".token-view")).to_have_class("token-view fine roomy staff looped")


def test_thai_is_set_with_loops_when_somebody_asks_for_it(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff", ruler=False, faces=ADDRESSES)
    assert LOOPED not in faces_of(page, THAI_LETTER)
    choose_looped(page)
    assert LOOPED in faces_of(page, THAI_LETTER)
    page.locator(".p").first.click()
    assert faces_of(page, "window.shadow.querySelector('.ladder .letter')") == {LOOPED}
    page.get_by_label(LABELS["looped"]).uncheck()
    assert LOOPED not in faces_of(page, THAI_LETTER)


@pytest.mark.parametrize(
    ("text", "is_offered"), [("no Thai", False), ("ไทย and more", True)], ids=["none", "Thai"]
)
def test_loops_are_offered_for_thai_only(page: Page, text: str, is_offered: bool) -> None:
    for toolbar in ("full", "short"):
        draw(page, text, references_over(text), faces=ADDRESSES, toolbar=toolbar)
        assert page.get_by_label(LABELS["looped"]).is_visible() == is_offered


def test_a_face_that_cannot_be_fetched_is_said_to_be_missing(page: Page) -> None:
    draw(page, THAI, references_over(THAI), key="lost", faces={"400": data_address(b"nothing", "font/woff2")})
    page.get_by_label(LABELS["looped"]).click()
    expect(page.get_by_label(LABELS["looped_failed"])).not_to_be_checked()
    assert page.locator(".token-view.looped").count() == 0


@pytest.mark.long
def test_pictures_have_the_loops(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff", ruler=False, faces=ADDRESSES)
    plain = {kind: saved(page, kind).read_bytes() for kind in ("svg", "png")}
    choose_looped(page)
    looped = {kind: saved(page, kind).read_bytes() for kind in ("svg", "png")}
    assert looped["png"] != plain["png"]
    assert b"@font-face" not in plain["svg"]
    drawn = looped["svg"].decode()
    assert all(address in drawn for address in ADDRESSES.values())
    page.evaluate(
        "async (svg) => { document.body.replaceChildren();"
        " document.body.append(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement);"
        " document.fonts.clear(); await document.fonts.ready }",
        drawn,
    )
    letter = "[...document.querySelectorAll('text')].find((each) => each.textContent === 'น้ำ')"
    assert faces_of(page, letter) == {LOOPED}


def test_the_saved_page_and_the_link_have_the_loops(page: Page) -> None:
    outline = data_address(page_to_take_away().encode(), "text/html")
    draw(
        page,
        THAI,
        references_over(THAI),
        view="staff",
        ruler=False,
        faces=ADDRESSES,
        page=outline,
        link={"parameters": {}, "text": True, "mine": False, "holds": "tokenizers"},
    )
    choose_looped(page)
    page.get_by_role("button", name=LABELS["save"]).click()
    page.get_by_role("button", name=LABELS["save_link"]).click()
    assert "looped=1" in page.locator(".save .said input").input_value()
    page.keyboard.press("Escape")
    alone = page.context.new_page()
    alone.set_content(saved(page, "html").read_text("utf-8"))
    expect(alone.locator(".token-view.looped")).to_be_visible()
    letter = "document.querySelector('#place').shadowRoot.querySelector('.lane:not(.ruler) .p')"
    assert LOOPED in faces_of(alone, letter)
    alone.close()


def test_the_faces_are_small_and_bring_their_licence() -> None:
    assert sum(path.stat().st_size for path in FACES.values()) <= 60_000
    licence = next(iter(FACES.values())).parent / "OFL.txt"
    assert "SIL Open Font License, Version 1.1" in licence.read_text("utf-8")
