"""The token view: its payload holds every token, its tints can be told apart, its JavaScript draws them all."""

import base64
import itertools
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_segments import NAMES, TEXTS, TOKENIZERS, ByteTokenizer

from pages.ui.token_view.palette import (
    DARK_INK,
    DARK_TINTS,
    LIGHT_INK,
    LIGHT_TINTS,
    TINT_COUNT,
    palette_css,
)
from pages.ui.token_view.payload import (
    ENGLISH_LABELS,
    ROW_MAX,
    Block,
    Column,
    placeholders,
    tint,
    token_payload,
)
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.segments import SegmentingTokenizer, segments

THAI = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ"


def column(text: str, tokenizer: SegmentingTokenizer, name: str = "a tokenizer") -> Column:
    """A column of the text's encoding."""
    return Column(name, "", tokenizer.encode(text), tokenizer)


def references(text: str) -> list[Column]:
    """The three reference tokenizers side by side."""
    return [column(text, openai_tokenizer(name), name) for name in NAMES]


def opened(text: str, columns: Sequence[Column]) -> Block:
    """A payload made and opened again."""
    return Block.open(token_payload(text, columns, labels=ENGLISH_LABELS))


def units(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    return len(text.encode("utf-16-le")) // 2


# ------------------------------------------------------------------------------------------------ the payload


@given(TEXTS, st.lists(TOKENIZERS, min_size=1, max_size=3))
def test_the_payload_holds_every_token_of_every_segment(text: str, tokenizers: list[SegmentingTokenizer]) -> None:
    block = opened(text, [column(text, tokenizer) for tokenizer in tokenizers])
    assert block.header["text"] == text
    for tokenizer, lane in zip(tokenizers, block.header["columns"], strict=True):
        found = segments(text, tokenizer)
        ids = np.array(lane["ids"], dtype=np.int64)[block.array(lane["tokens"])]
        assert ids.tolist() == tokenizer.encode(text)
        assert lane["count"] == len(ids)
        assert block.array(lane["segment_tokens"]).tolist() == [len(segment.token_ids) for segment in found]
        assert block.array(lane["segment_units"]).tolist() == [units(segment.text) for segment in found]


@given(TEXTS, TOKENIZERS)
def test_the_bytes_of_the_payload_spell_the_text(text: str, tokenizer: SegmentingTokenizer) -> None:
    block = opened(text, [column(text, tokenizer)])
    (lane,) = block.header["columns"]
    data, ends = bytes(block.array(lane["bytes"]).tolist()), np.cumsum(block.array(lane["sizes"]))
    tokens = [data[end - size : end] for end, size in zip(ends, block.array(lane["sizes"]), strict=True)]
    assert b"".join(tokens[place] for place in block.array(lane["tokens"])) == text.encode("utf-8")
    assert block.array(lane["tints"]).tolist() == [tint(token) for token in tokens]


@given(TEXTS, st.lists(TOKENIZERS, min_size=1, max_size=3), st.integers(1, 9))
def test_rows_start_where_a_segment_starts_in_every_column(
    text: str, tokenizers: list[SegmentingTokenizer], times: int
) -> None:
    text *= times
    block = opened(text, [column(text, tokenizer) for tokenizer in tokenizers])
    rows = block.array(block.header["rows"]).tolist()
    assert rows[:1] == [0]
    assert rows == sorted(set(rows))
    for lane in block.header["columns"]:
        starts = np.cumsum(block.array(lane["segment_units"])).tolist()
        assert set(rows[1:]) <= set(starts)


def test_rows_end_even_where_the_columns_share_no_boundary() -> None:
    text = "ก" * (3 * ROW_MAX)
    lanes = [column(text, ByteTokenizer(sizes)) for sizes in [(6,), (3, *[6] * (len(text) // 2))]]
    rows = opened(text, lanes).array(opened(text, lanes).header["rows"])
    assert rows.tolist() == [0, ROW_MAX, 2 * ROW_MAX]


@given(TEXTS, TOKENIZERS)
def test_pieces_of_characters_are_counted_as_tokens_that_are_no_valid_utf8(
    text: str, tokenizer: SegmentingTokenizer
) -> None:
    broken = [token for token in tokenizer.encode(text) if not valid(tokenizer.token_bytes(token))]
    (lane,) = opened(text, [column(text, tokenizer)]).header["columns"]
    whole = ENGLISH_LABELS["no_pieces"] if text else ""
    assert lane["truth"] == (f"{len(broken)} of them pieces of a letter" if broken else whole)


def valid(token: bytes) -> bool:
    """Whether a token is whole characters by itself."""
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_figures_are_the_known_ones() -> None:
    lanes = opened(THAI, references(THAI)).header["columns"]
    assert [lane["count"] for lane in lanes] == [50, 26, 13]
    assert lanes[2]["figures"] == [
        ["13", "tokens"],
        ["2.00", "characters per token"],
        ["5.69", "bytes per token"],
    ]


def test_an_empty_text_has_no_ratios() -> None:
    (lane,) = opened("", [column("", openai_tokenizer("gpt2"))]).header["columns"]
    assert [value for value, _ in lane["figures"]] == ["0", "–", "–"]


def test_the_same_input_gives_the_same_payload() -> None:
    first, second = (token_payload(THAI, references(THAI), labels=ENGLISH_LABELS) for _ in range(2))
    assert first == second


def test_a_missing_label_is_refused() -> None:
    labels = {key: word for key, word in ENGLISH_LABELS.items() if key != "chips"}
    with pytest.raises(KeyError, match="chips"):
        token_payload("a", [], labels=labels)


def test_labels_name_their_values() -> None:
    assert placeholders(ENGLISH_LABELS["piece_of_one"]) == {"first", "count", "text", "ids"}


# -------------------------------------------------------------------------------------------------- the tints

THEMES = pytest.mark.parametrize(
    ("tints", "ink"), [(LIGHT_TINTS, LIGHT_INK), (DARK_TINTS, DARK_INK)], ids=["light", "dark"]
)
# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISIONS = {
    "normal": np.eye(3),
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanope": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
# Björn Ottosson's OKLab, from linear RGB.
LMS = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
OKLAB = np.array([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
                  [0.0259040371, 0.7827717662, -0.808675766]])  # fmt: skip


def linear(colour: str) -> Any:
    """The linear RGB of a colour written as #rrggbb."""
    shares = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2."""
    dark, light = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


@THEMES
def test_text_on_every_tint_has_a_contrast_of_at_least_7(tints: tuple[str, ...], ink: str) -> None:
    assert len(tints) == TINT_COUNT >= 8
    assert min(contrast(tint, ink) for tint in tints) >= 7


@pytest.mark.parametrize("vision", VISIONS)
@THEMES
def test_any_two_tints_differ_for_every_vision(tints: tuple[str, ...], ink: str, vision: str) -> None:
    """By at least 0.05 in OKLab, where 0.02 is just visible."""
    seen = [np.clip(np.array(VISIONS[vision]) @ linear(tint), 0, 1) for tint in tints]
    places = [OKLAB @ np.cbrt(LMS @ colour) for colour in seen]
    assert min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(places, 2)) >= 0.05


def test_a_token_keeps_its_tint() -> None:
    assert [tint(token) for token in (b" the", "ที่".encode(), b"\xe0\xb8")] == [6, 1, 5]


# ------------------------------------------------------------------------------------------------ in a browser

VIEW = Path(__file__).parents[1] / "pages" / "ui" / "token_view"
DRAW = """async ([code, css, payload, width]) => {
  const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
  document.body.replaceChildren();
  const host = document.body.appendChild(document.createElement("div"));
  host.style.width = width + "px";
  const shadow = host.attachShadow({ mode: "open" });
  shadow.appendChild(document.createElement("style")).textContent = css;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  window.draw = (await import(address)).default;
  window.shadow = shadow;
  window.draw({ data: bytes, parentElement: shadow });
  await new Promise((done) => setTimeout(done, 60));
}"""
PIECES_OF_CELLS = """() => [...window.shadow.querySelectorAll(".cell")].map((cell) => [...cell.children].map(
  (piece) => ({ text: piece.textContent, count: Number(piece.dataset.n ?? 1),
    tint: piece.style.backgroundColor })))"""
HOSTILE = {
    "markup": "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'><style>*{display:none}</style>",
    "bidi": "abc \u202edef\u202c ghi \u2066jkl\u2069 العَرَبِيَّة",
    "unseen": "a\0b\x1b\u200b\ufeffc\r\n\n\t\u00a0d\u00ad\ue000",
    "clusters": "ที่น้ำ ่ำ e\u0301 👨‍👩‍👧 🇹🇭🇯 각 क्ष \u0301",
}


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page of Debian's Chromium that runs no script but the view's, and fails on any error."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs Debian's chromium")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.on("pageerror", lambda error: pytest.fail(f"the view raised {error}"))
        page.goto("about:blank")
        yield page
        browser.close()


def draw(page: Any, text: str, columns: Sequence[Column], width: int = 1000, **options: Any) -> None:
    """Draw a text as Streamlit would have it drawn."""
    payload = with_options(token_payload(text, columns, labels=ENGLISH_LABELS), **options)
    code, css = ((VIEW / f"token_view.{kind}").read_text("utf-8") for kind in ("js", "css"))
    page.evaluate(DRAW, [code, palette_css() + css, base64.b64encode(payload).decode(), width])


def with_options(payload: bytes, **options: Any) -> bytes:
    from pages.ui.token_view import _with_options

    return _with_options(payload, {"key": "k", "view": "reading", "white_space": False, "layout": "columns",
                                   "toolbar": True, "max_height": 560} | options)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_reading_shows_the_text_itself_and_runs_nothing(page: Any, text: str) -> None:
    draw(page, text, references(text), white_space=True)
    for cell in page.evaluate(PIECES_OF_CELLS):
        assert "".join(piece["text"] for piece in cell) == text
    assert page.evaluate("window.pwned") is None


@pytest.mark.parametrize("text", [THAI, *HOSTILE.values()], ids=["Thai", *HOSTILE])
def test_there_are_as_many_chips_as_tokens_and_neighbours_differ(page: Any, text: str) -> None:
    columns = references(text)
    draw(page, text, columns, view="chips")
    for cell, lane in zip(page.evaluate(PIECES_OF_CELLS), columns, strict=True):
        assert len(cell) == len(lane.token_ids)
        assert all(one["tint"] != other["tint"] for one, other in itertools.pairwise(cell))
        assert all(piece["text"] for piece in cell)


def test_stripes_of_a_cluster_are_its_tokens(page: Any) -> None:
    draw(page, "ที่ 👨x", [column("ที่ 👨x", openai_tokenizer("gpt2"))])
    (cell,) = page.evaluate(PIECES_OF_CELLS)
    # The space's token also holds half of the emoji, which is of two tokens.
    assert [(piece["text"], piece["count"]) for piece in cell] == [("ที่", 6), (" ", 1), ("👨", 2), ("x", 1)]


def test_chips_name_bytes_marks_and_spaces(page: Any) -> None:
    draw(page, "ไม่ a\n", [column("ไม่ a\n", openai_tokenizer("cl100k_base"))], view="chips")
    (cell,) = page.evaluate(PIECES_OF_CELLS)
    assert [piece["text"] for piece in cell] == ["ไม", "◌่", "␣a", "⏎"]


def test_hover_lights_the_same_characters_in_every_column(page: Any) -> None:
    draw(page, THAI, references(THAI))
    page.locator(".cell").first.locator(".p").first.hover()
    lit = page.evaluate(
        "() => [...window.shadow.querySelectorAll('.cell')].map("
        "(cell) => [...cell.querySelectorAll('.hot')].map((piece) => piece.textContent).join(''))"
    )
    assert lit == ["น้ำ", "น้ำ", "น้ำ"]
    assert "E0 B8 99 E0 B9 89 E0 B8 B3" in page.locator(".card").inner_text()


def test_arrow_keys_walk_the_pieces_and_each_one_says_what_it_is(page: Any) -> None:
    draw(page, "the cat sat", references("the cat sat"))
    page.locator(".check input").focus()
    for key in ("Tab", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("window.shadow.activeElement.ariaLabel") == "token 3 of 3, ␣sat, id 3332"
    page.keyboard.press("Escape")
    assert page.evaluate("window.shadow.activeElement.className") == "box"
    assert page.locator(".hot").count() == 0


def test_new_tokens_of_the_same_text_use_the_elements_again(page: Any) -> None:
    draw(page, THAI, [column(THAI, openai_tokenizer("gpt2"))], layout="stack")
    page.evaluate("window.first = window.shadow.querySelector('.cell').firstChild")
    payload = token_payload(THAI, [column(THAI, openai_tokenizer("o200k_base"))], labels=ENGLISH_LABELS)
    encoded = base64.b64encode(with_options(payload, layout="stack")).decode()
    page.evaluate(
        "(payload) => window.draw({ parentElement: window.shadow,"
        " data: Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0)) })",
        encoded,
    )
    assert page.evaluate("window.first === window.shadow.querySelector('.cell').firstChild")
    assert page.locator(".count").inner_text().split() == ["13", "tokens"]


@pytest.mark.parametrize(
    "text", ["ก" + "่" * 100_000, "👍🏽" * 100_000, "abcdefghij" * 100_000], ids=["marks", "emoji", "one word"]
)
@pytest.mark.parametrize("view", ["reading", "chips"])
def test_endless_texts_draw_a_bounded_number_of_elements(page: Any, text: str, view: str) -> None:
    draw(page, text, references(text)[:1], view=view)
    assert page.evaluate("window.shadow.querySelectorAll('.rows *').length") < 40_000
    assert page.evaluate("window.shadow.querySelectorAll('.cell *').length") < 4_000
