"""Lanes, payloads, and the view drawn in a browser without the app around it."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from pages.ui.i18n import section
from pages.ui.widgets.token_view import _with_options
from pages.ui.widgets.token_view.lanes import BranchCuts, Label, Lane, pretoken_lane
from pages.ui.widgets.token_view.payload import token_payload
from pages.ui.widgets.token_view.serve import BROWSER, bundle, view_css
from tests.helpers.clusters import NAMES
from tests.helpers.payload import Block
from tests.helpers.tokenizers import Table
from tokenizer_core.analysis.branches import attribute, branches
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.protocols import AnyTokenizer

PARAGRAPH = "กำลังเรียนที่โรงเรียน They're learning 2,567 words; น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ 👨‍👩‍👧 e\u0301 " * 4
LABELS = section("token_view", spoken="en")
THAI = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ"


def lane_over(text: str, tokenizer: AnyTokenizer, name: str = "a tokenizer", **more: Any) -> Lane:
    """A tokenizer over a text."""
    return Lane(name, Label(name), tokenizer, tokenizer.encode(text), **more)


def pretokens_over(text: str, pattern: str, *, with_branches: bool = False) -> Lane:
    """The pretokens of a pattern as a lane, coloured by branch if asked for."""
    cuts = None
    if with_branches:
        parts = [(branch.source, f"part {number + 1}", number) for number, branch in enumerate(branches(pattern))]
        cuts = BranchCuts(parts, [pretoken.branch for pretoken in attribute(text, pattern)])
    bare = pretoken_lane(pattern, Label(pattern)).tokenizer
    return Lane(pattern, Label(pattern), bare, bare.encode(text), cuts=cuts)


def references_over(text: str) -> list[Lane]:
    """The three reference tokenizers side by side."""
    return [lane_over(text, openai_tokenizer(name), name) for name in NAMES]


def opened(text: str, lanes: Sequence[Lane]) -> Block:
    """A payload made and opened again."""
    return Block.open(token_payload(text, lanes, labels=LABELS))


def units(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def ids_of(tokens: Sequence[bytes]) -> Lane:
    """A lane of tokens, each with an id that only its bytes decide."""
    numbers: dict[bytes, int] = {}
    token_ids = [numbers.setdefault(token, 3 * len(numbers) + 1) for token in tokens]
    return Lane("ids", Label("ids"), Table({number: token for token, number in numbers.items()}), token_ids)


def as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8")


def tokens_of(lane: Lane) -> list[bytes]:
    """The tokens of a lane over a text, each as its bytes."""
    return [lane.tokenizer.token_bytes(token_id) for token_id in ids_in(lane)]


def ids_in(lane: Lane) -> list[int]:
    """The ids of a lane over a text."""
    assert lane.encoding is not None
    return [int(token_id) for token_id in lane.encoding]


def bits(block: Block, place: Sequence[int], length: int) -> list[bool]:
    """Flags that were packed into bytes, lowest bit first."""
    packed = block.array(place).tolist()
    assert len(packed) == -(-length // 8)
    return [bool(packed[index >> 3] >> (index & 7) & 1) for index in range(length)]


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
PIECES_OF_CELLS = """() => [...window.shadow.querySelectorAll(".lane:not(.ruler) .cell")].map(
  (cell) => [...cell.children].map((piece) => ({ text: piece.textContent, count: Number(piece.dataset.n ?? 1),
    tint: piece.style.backgroundColor })))"""
HOSTILE = {
    "markup": "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'><style>*{display:none}</style>",
    "bidi": "abc \u202edef\u202c ghi \u2066jkl\u2069 العَرَبِيَّة",
    "unseen": "a\0b\x1b\u200b\ufeffc\r\n\n\t\u00a0d\u00ad\ue000",
    "clusters": "ที่น้ำ ่ำ e\u0301 👨‍👩‍👧 🇹🇭🇯 각 क्ष \u0301",
}


def draw(page: Page, text: str, lanes: Sequence[Lane], /, width: int = 1000, **options: Any) -> None:
    """Draw a text as Streamlit would have it drawn."""
    payload = with_options(token_payload(text, lanes, labels=LABELS), **options)
    page.evaluate(DRAW, [bundle(BROWSER / "view.js"), view_css(), base64.b64encode(payload).decode(), width])


def redraw(page: Page, payload: bytes, **options: Any) -> None:
    """Give the view that is drawn another payload."""
    page.evaluate(
        "(payload) => window.draw({ parentElement: window.shadow,"
        " data: Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0)) })",
        base64.b64encode(with_options(payload, **options)).decode(),
    )


def saved(page: Page, kind: str) -> Path:
    """The file that a line of the menu saves."""
    page.get_by_role("button", name=LABELS["save"]).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=LABELS[f"save_{kind}"]).click()
    return Path(download.value.path())


OPTIONS = {
    "key": "k",
    "view": "columns",
    "colour": "piece",
    "white_space": False,
    "marks": False,
    "looped": False,
    "ruler": True,
    "large": False,
    "largest": False,
    "numbers_first": False,
    "toolbar": "full",
    "text_first": False,
    "max_height": 560,
    "whole": None,
    "faces": {},
    "page": None,
    "link": None,
    "sizes": {},
}


def with_options(payload: bytes, **options: Any) -> bytes:
    return _with_options(payload, OPTIONS | options)


def in_shadow(page: Page, script: str) -> Any:
    """What a script finds, with `root` for the shadow root that the view is drawn in."""
    return page.evaluate(f"() => {{ const root = window.shadow; return {script}; }}")
