"""The lessons: which there are, and what the browser needs to give them without asking again."""

import html
import json
import re
import struct
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.ui.frame import presenting
from pages.ui.i18n import language, section, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_texts
from pages.ui.learn.tracing import Step, traced
from pages.ui.session import Maybe
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.token_view.payload import character_names
from pages.ui.widgets.token_view.serve import address, bundle, page_alone, view_css
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.sources.chats import Message, chat_tokens, gpt_tokenizer, gpt_wrapped
from tokenizer_core.workers.sentencepiece_job import LECTURE, train_sentencepiece

BROWSER = Path(__file__).parent / "browser"
CLASSIC = "aaabdaaabac"
CLASSIC_SIZE = 259
PIECES_SIZE = 2_000
"""Of the SentencePiece model; it is trained in less than 150 ms."""
_NAMED = (range(0x20, 0x7F), range(0xA0, 0x250), range(0x0E01, 0x0E5C), range(0x1F300, 0x1F650))
"""Characters that the lessons know by name: Latin ones, Thai ones, and emoji."""


class Lesson(NamedTuple):
    """How long a lesson takes, the story that belongs to it, and the page that goes further."""

    minutes: int
    story: str
    page: str
    tab: str = ""


LESSONS = {
    "see": Lesson(5, "doctor", "compare"),
    "letter": Lesson(5, "water", "compare"),
    "naive": Lesson(4, "round_eyes", "pieces", "naive"),
    "hand": Lesson(6, "classic", "train"),
    "encode": Lesson(5, "football", "vocabulary", "merges"),
    "cut": Lesson(4, "never", "patterns"),
    "special": Lesson(3, "zero_width", "compare"),
    "same": Lesson(4, "no_letter", "pieces", "sentencepiece"),
    "size": Lesson(4, "home_made", "train"),
}
"""The lessons in their order. Another lesson X takes a line here, screens in browser/, the words lesson.X_*."""
OFFLINE = ("see", "letter", "hand", "encode")
"""The lessons of the file that runs without the app."""


class Wish(NamedTuple):
    """A page that the visitor asks for, and the parameters of its address."""

    page: str
    query: dict[str, str]


_TOLD: Maybe[Any] = Maybe("learn")


def _css() -> str:
    return view_css() + (BROWSER / "learn.css").read_text("utf-8")


_component = st.components.v2.component("learn", css=_css(), js=bundle(BROWSER / "learn.js"))


def show_lessons() -> Wish | None:
    """Draw the lessons, opened where the address says; return the page that the visitor has just asked for."""
    data = json.dumps(lesson_options(st.query_params.get("lesson", ""))).encode()
    told = _component(
        key=_TOLD.key, data=data, on_go_change=lambda: None, on_left_change=presenting.leave, height="content"
    )
    return _wish(told.go)


def _wish(told: Any) -> Wish | None:
    """Return what the browser asks for if a lesson leads there."""
    if not isinstance(told, dict):
        return None
    known = [(each["page"], each["query"]) for name in LESSONS for each in _further(name)]
    asked = (told.get("page"), told.get("query"))
    return Wish(*asked) if asked in known else None


def lesson_options(opened: str = "", *, is_alone: bool = False) -> dict[str, Any]:
    """Return what the browser needs; `is_alone` is for a file that works without the app."""
    code, steps = reference_at_work()
    return {
        "labels": section("lesson", has_breaks=True),
        "deck": section("deck", has_breaks=True) if presenting.presents() and not is_alone else {},
        "locale": language(),
        "tints": TINT_COUNT,
        "lessons": {
            name: {"number": number, "minutes": lesson.minutes, "further": _further(name)}
            for number, (name, lesson) in enumerate(LESSONS.items(), 1)
            if not is_alone or name in OFFLINE
        },
        "names": _names(language()),
        "tokens": {"gpt2": b64encode(packed("gpt2")).decode()} if is_alone else dict(map(_fetched, PACKED)),
        "envelope": _envelope(),
        "lines": sum(map(str.count, sample_texts(), "\n" * 2)),
        "code": code,
        "trace": [step._asdict() for step in steps],
        "text": t("examples.thai" if language() == "th" else "examples.english"),
        "word": t("examples.lesson_word"),
        "open": opened,
        "presents": presenting.presents() and not is_alone,
        "what": presenting.what(),
        "isAlone": is_alone,
    }


def _further(name: str) -> list[dict[str, Any]]:
    lesson, lang = LESSONS[name], {"lang": language()}
    story = t("learn.story", name=without_breaks(t(f"stories.{lesson.story}_name")))
    further = t("learn.further", page=without_breaks(t(f"nav.{lesson.page}")))
    return [
        {"page": "stories", "query": {**lang, "story": lesson.story}, "words": without_breaks(story)},
        {
            "page": lesson.page,
            "query": {**lang, **({"tab": lesson.tab} if lesson.tab else {})},
            "words": without_breaks(further),
        },
    ]


@cache
def _names(spoken: str) -> dict[str, str]:
    return character_names((point for points in _NAMED for point in points), spoken)


@cache
def reference_at_work() -> tuple[list[str], list[Step]]:
    """Return the lines of the definition, and what each step of it does to the classic example."""
    return traced(CLASSIC, CLASSIC_SIZE)


@cache
def offline_page(spoken: str) -> bytes:
    """Return the lessons in the language that the visitor speaks as one HTML file that needs nothing else."""
    options = json.dumps(lesson_options(is_alone=True)).replace("<", "\\u003c")
    filled = {"OPTIONS": options, "TITLE": html.escape(without_breaks(t("learn.title"))), "LANGUAGE": spoken}
    page = page_alone(_css(), bundle(BROWSER / "page.js"), body=f"<h1>{filled['TITLE']}</h1>")
    return re.sub("%(OPTIONS|TITLE|LANGUAGE)%", lambda mark: filled[mark[1]], page).encode()


def _envelope() -> dict[str, Any]:
    """Return the ids around what is typed in a chat with GPT-4, as published, and its special tokens by id."""
    tokenizer = gpt_tokenizer("cl100k_base")
    instruction = Message("system", without_breaks(t("envelope.example_system")))
    stretches = gpt_wrapped([instruction, Message("user", "?")])
    tokens = chat_tokens(tokenizer, stretches, typed_acts=False)
    typed = next(place for place, token in enumerate(tokens) if stretches[token.stretch].message == 1)
    ids = [token.token_id for token in tokens]
    markers = {token_id: text for text, token_id in tokenizer.special_tokens.items()}
    return {"before": ids[:typed], "after": ids[typed + 1 :], "markers": markers}


# ---- tokens for the browser


def _of_openai(name: str) -> list[bytes]:
    tokenizer = openai_tokenizer(name)
    return [tokenizer.token_bytes(token_id) for token_id in tokenizer.entry_ids]


@cache
def small_sentencepiece() -> SentencePieceTokenizer:
    """Train SentencePiece on the bundled sentences, with bytes for unknown characters."""
    return SentencePieceTokenizer(
        train_sentencepiece(sample_texts(), replace(LECTURE, vocab_size=PIECES_SIZE), quiet=True)
    )


def _pieces() -> list[bytes]:
    """Return the pieces as they are written; nothing for those that no text leads to."""
    model = small_sentencepiece()
    texts = {"ordinary": str.encode, "byte": lambda piece: bytes.fromhex(piece[3:5])}
    return [texts[kind](piece) if kind in texts else b"" for kind, piece in zip(model.kinds, model.pieces)]


PACKED: dict[str, Callable[[], list[bytes]]] = {
    "gpt2": partial(_of_openai, "gpt2"),
    "cl100k": partial(_of_openai, "cl100k_base"),
    "pieces": _pieces,
}
"""The tokenizers of the lessons."""


@cache
def packed(name: str) -> bytes:
    """Return the tokens of a tokenizer: how many, in four bytes; the length of each; their bytes, end to end.

    Its merges follow from these: two tokens become one if their bytes together are a token.
    Raises `RankFileError` if its file is missing.
    """
    tokens = PACKED[name]()
    return struct.pack("<I", len(tokens)) + bytes(map(len, tokens)) + b"".join(tokens)


def _fetched(name: str) -> tuple[str, str]:
    return name, address(f"{name}-tokens")


def _answer(name: str, request: Request) -> Response:
    headers = {"Cache-Control": "public, max-age=604800"}
    return Response(packed(name), media_type="application/octet-stream", headers=headers)


def routes() -> list[Route]:
    """Return the routes of what the lessons fetch; they stand before those that fit any name."""
    return [Route(path, partial(_answer, name)) for name, path in map(_fetched, PACKED)]
