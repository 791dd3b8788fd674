"""The browser's modules that draw nothing agree with Python: Node runs modules.test.mjs on cases computed here."""

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pages.ui.i18n import filled, section
from pages.ui.i18n.breaks import without_breaks
from pages.ui.vocabulary.browse import pack
from pages.ui.widgets.token_view.payload import tint, token_payload
from tests.helpers.browser import require
from tests.helpers.drawing import HOSTILE, LABELS, THAI, ids_in, lane_over, references_over
from tokenizer_core import segments, train
from tokenizer_core.analysis.entries import SCRIPTS, entries_of
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.segments import TextMap
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.patterns.pretokens import bytes_and_ends
from tokenizer_core.patterns.split_patterns import SUPERWORDS, pretokenize

CORPUS = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ The cat sat on the mat. aaaa abab 👍🏽👍🏽 👨‍👩‍👧 \n\n กากา e\u0301 " * 4
TEXTS = {
    "thai": "คนไทยดื่มน้ำเยอะๆ น้ำใจ น้ำ",
    "english": "The cat sat; the mat that the cat sat on.",
    "emoji": "👍🏽👍👨‍👩‍👧👨‍👩‍👧🇹🇭🇯",
    "mixed": "น้ำ the น้ำใจ👍🏽cat\nกา e\u0301 aaaaa ababab 12",
    "empty": "",
    "white space": "  \n\n\t   ",
    **HOSTILE,
}


TINTED = [*(bytes([byte]) for byte in range(256)), *(text.encode() for text in TEXTS.values()), b"\xe0\xb8", b""]


def test_the_modules_agree_with_python(tmp_path: Path) -> None:
    node = shutil.which("node")
    require(node, "node: apt-get install nodejs")
    assert node is not None
    cases = {
        "words": word_cases(),
        "bytes": byte_cases(),
        "drawings": [drawing_case(text) for text in (THAI, *HOSTILE.values())],
        "known": [encoded_drawing("ที่ 👨x", "gpt2"), encoded_drawing("👍" * 9 + "X" + "ก" * 9 + "Yzzzzz", "gpt2")],
        "training": training_cases(),
        "superwords": superword_cases(),
        "stage": {spoken: without_break_marks(section("stage", spoken=spoken)) for spoken in JOINS},
        "joins": {spoken: [join_case(*each) for each in joins] for spoken, joins in JOINS.items()},
        "lines": line_cases(),
        "milestones": MILESTONES,
        "vocabulary": vocabulary_cases(),
        "tints": [[base64_of(token), tint(token)] for token in TINTED],
    }
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases), "utf-8")
    command = [node, "--test", str(Path(__file__).parent / "modules.test.mjs")]
    done = subprocess.run(command, env={**os.environ, "CASES": str(path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def word_cases() -> list[Any]:
    """Each sentence of the catalogue with several numbers, and what Python makes of it."""
    names = ("token_view", "stage", "entries")
    sections = [section(name, spoken=spoken) for spoken in ("en", "th") for name in names]
    sentences = {words for each in sections for words in each.values()}
    cases = []
    for words in sorted(sentences):
        for count in (0, 1, 2, 1000, "1"):
            values = dict.fromkeys(re.findall(r"\{(\w+)", words), count)
            cases.append((words, values, filled(words, **values)))
        for name in ("GPT-4 (new)", "ของคุณ", "“x”"):
            named: dict[str, Any] = dict.fromkeys(values, name)
            cases.append((words, named, filled(words, **named)))
    assert {"0 tokens", "1 token", "2 tokens"} <= {" ".join(said.split()[-2:]) for *_, said in cases}
    return cases


def byte_cases() -> list[Any]:
    """Bytes, and their parts by Python's decoder: whole characters as text, the rest in hex."""
    tokens = [b"\xe0\xb8", b"\x80\xbf", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbfa", b""]
    tokens += [text.encode()[cut:] for text in TEXTS.values() for cut in range(12)]
    return [(base64_of(token), parts_of(token)) for token in tokens]


def parts_of(data: bytes) -> list[list[str | None]]:
    parts: list[list[str | None]] = []
    while data:
        size = next((size for size in (1, 2, 3, 4) if is_character(data[:size])), 0)
        piece = data[: size or 1]
        text, written = (piece.decode(), None) if size else (None, piece.hex().upper())
        if parts and (parts[-1][0] is None) == (text is None):
            before, hex_before = parts[-1]
            parts[-1] = [before and before + (text or ""), hex_before and f"{hex_before} {written}"]
        else:
            parts.append([text, written])
        data = data[size or 1 :]
    return parts


def is_character(data: bytes) -> bool:
    return len(data.decode(errors="ignore")) == 1 and data.decode(errors="ignore").encode() == data


def drawing_case(text: str) -> dict[str, Any]:
    lanes = references_over(text)
    payload = token_payload(text, lanes, labels=LABELS)
    return {"payload": base64_of(payload), "text": text, "counts": [len(ids_in(lane)) for lane in lanes]}


def encoded_drawing(text: str, name: str) -> str:
    return base64_of(token_payload(text, [lane_over(text, openai_tokenizer(name))], labels=LABELS))


def sentence_options(text: str, pattern: str) -> dict[str, Any]:
    """A sentence and the ends of its pieces and the starts of its letters, in bytes, as the page gives them."""
    return {
        "text": text,
        "pretokens": ends_of(text, pattern),
        "superwords": ends_of(text, SUPERWORDS),
        "clusters": clusters_of(text),
    }


def ends_of(text: str, pattern: str) -> list[int]:
    ends: list[int] = bytes_and_ends(pretokenize(text, pattern))[1].tolist() if text else []
    return ends


def clusters_of(text: str) -> list[int]:
    text_map = TextMap(text)
    starts: list[int] = text_map.byte_at_char[np.flatnonzero(text_map.cluster_starts[:-1])].tolist()
    return starts


def training_cases() -> dict[str, Any]:
    """A training with parts of letters, words and overlaps."""
    tokenizer = train(CORPUS, 256 + 90)
    vocabulary = [list(token) for token in tokenizer.vocabulary[256:]]
    return {**sentence_cases(tokenizer, tokenizer.pattern), "vocabulary": vocabulary}


def superword_cases() -> list[dict[str, Any]]:
    """Trainings in which tokens cross spaces after some merges; with the last pattern, earlier merges do so."""
    cases = []
    for pattern, after in (("mark_aware", 40), ("mark_aware", 0), (r"\S\S|.", 30)):
        tokenizer = train(CORPUS, 256 + 60, pattern=pattern, superwords_from=256 + after)
        cases.append({**sentence_cases(tokenizer, pattern, after), "superwords_after": after})
    return cases


def sentence_cases(tokenizer: Tokenizer, pattern: str, superwords_after: int | None = None) -> dict[str, Any]:
    """Each sentence after each merge; the pattern cuts it until tokens cross spaces, and SUPERWORDS then."""
    sentences = []
    for text in TEXTS.values():
        after: list[dict[str, Any]] = []
        for merges in range(1 + len(tokenizer.merges)):
            crosses = superwords_after is not None and merges > superwords_after
            then = Tokenizer(tokenizer.merges[:merges], pattern=SUPERWORDS if crosses else pattern)
            ids = then.encode(text)
            lengths = [len(then.token_bytes(token_id)) for token_id in ids]
            ends = np.cumsum(lengths).tolist()
            placed = zip(ids, lengths, ends, strict=True)
            after.append(
                {
                    "lengths": lengths,
                    "pieces": [[piece.text, len(piece.token_ids)] for piece in segments(text, then)],
                    "made": [[end - length, end] for token_id, length, end in placed if token_id == 255 + merges],
                    "is_changed": merges > 0 and lengths != after[-1]["lengths"],
                }
            )
        sentences.append({**sentence_options(text, pattern), "after": after})
    return {"merges": tokenizer.merges, "sentences": sentences}


def line_cases() -> list[dict[str, Any]]:
    lines = [
        ("คนไทย ดื่มน้ำเยอะๆ นะ", ["ดื่ม", "น้ำ", "เยอะๆ"]),
        ("Look: the (tiny) cat.", ["Look:", "(tiny)", "cat."]),
        ("ปี พ.ศ. 2475", ["พ.ศ."]),
    ]
    return [{"text": text, "clusters": clusters_of(text), "unbroken": unbroken} for text, unbroken in lines]


LAST_OF = "the last third of a"
TWO_THIRDS, PART = "first ⅔ of many Thai letters", "a part of many letters"
FIRST, MIDDLE, LAST = (f"the {which} third of a letter" for which in ("first", "middle", "last"))
JOINS = {
    "en": [
        (
            b"\xe0",
            b"\xb8",
            f"first ⅓ of many Thai letters | {MIDDLE} | the beginning of many Thai letters",
        ),
        (b"\xe0\xb8", b"\xa3", f"first ⅔ of the Thai letter ร | {LAST} | a whole Thai letter"),
        (b"\xe0", b"\xba", f"first ⅓ of many Lao letters | {MIDDLE} | the beginning of many Lao letters"),
        (b"\xce", b"\xb1", "half a letter | half a letter | a whole Greek letter"),
        (b"\xc3", b"\xa9", "half a letter | half a letter | a whole letter"),
        (b" ", b"\xce", "a space | half a letter | a space and the beginning of the next letter"),
        (b"\xe2\x80", b"\x9c", "first ⅔ of “ | the last third of a character | a whole character"),
        (
            b"\xf0",
            b"\x9f",
            "a quarter of a character | a quarter of a character | the beginning of many characters",
        ),
        (b"\xf0\x9f", b"\x98", "half a character | a quarter of a character | the beginning of many characters"),
        (b"\xf0\x9f\x98", b"\x80", "first ¾ of 😀 | a quarter of a character | a whole character"),
        ("า".encode(), b"\xe0\xb8", f"า | {TWO_THIRDS} | า and the beginning of the next letter"),
        ("แ".encode() + b"\xe0\xb8", b"\x81", f"แ and first ⅔ of the Thai letter ก | {LAST} | แก"),
        (
            b"\xb2",
            b"\xe0",
            f"{PART} | {FIRST} | the end of a letter and the beginning of the next letter",
        ),
        (b"\xb8", b"\xb2", f"{PART} | {PART} | {PART}"),
        (b"t", b"h", "t | h | th"),
        # A mark is no letter, which is what the eye sees with its marks.
        (
            b"\xe0\xb9",
            b"\x89",
            f"first ⅔ of the Thai tone mark ◌้ | {LAST_OF} tone mark | a whole Thai tone mark",
        ),
        (
            b"\xe0\xb8",
            b"\xb4",
            f"first ⅔ of the Thai vowel mark ◌ิ | {LAST_OF} vowel mark | a whole Thai vowel mark",
        ),
        (
            b"\xe0\xb9",
            b"\x8c",
            f"first ⅔ of the Thai character ◌์ | {LAST_OF} character | a whole Thai character",
        ),
        (b"\xcc", b"\x81", "half a character | half a character | a whole character"),
    ],
    "th": [
        (b"\xe0", b"\xb8", "ส่วนต้น (⅓) ของตัวอักษรไทยหลายตัว | ส่วนกลาง (⅓) ของตัวอักษร | ส่วนต้นของตัวอักษรไทยหลายตัว"),
        (
            b"\xb2",
            b"\xe0\xb8",
            "เศษของตัวอักษรหลายตัว | ส่วนต้น (⅔) ของตัวอักษรไทยหลายตัว | ท้ายตัวอักษร กับ ส่วนต้นของตัวอักษรถัดไป",
        ),
        (b"\xce", b"\xb1", "ครึ่งตัวอักษร | ครึ่งตัวอักษร | ตัวอักษรกรีกครบทั้งตัว"),
        (b"\xe0\xb9", b"\x89", "ส่วนต้น (⅔) ของวรรณยุกต์ไทย ◌้ | ส่วนท้าย (⅓) ของวรรณยุกต์ | วรรณยุกต์ไทยครบทั้งตัว"),
        (b"\xe0\xb8", b"\xb4", "ส่วนต้น (⅔) ของสระไทย ◌ิ | ส่วนท้าย (⅓) ของสระ | สระไทยครบทั้งตัว"),
    ],
}
"""The left and the right token of a merge, and the words for both and for what it makes, by language."""


def join_case(left: bytes, right: bytes, words: str) -> tuple[str, str, str]:
    return base64_of(left), base64_of(right), words


def without_break_marks(words: Mapping[str, str]) -> dict[str, str]:
    return {key: without_breaks(said) for key, said in words.items()}


MILESTONES = [
    (0, [0, 1, 1, 2, 3], "abc"),
    (0, [0, 2], "b"),
    (2, [0, 1, 2, 2], ""),
    (2, [0, 1, 2, 3], "c"),
    (2, [0, 3], "c"),
    (2, [2, 0, 1, 2], "ab"),
]
"""Milestones told before the page was drawn anew, how many the sentence has passed, and those that are told."""

ENTRIES = entries_of(
    train(CORPUS + "ÉAéa ΔδΔ 12 2567 " * 4, 256 + 150, special_tokens=["<|end|>", *filter(None, HOSTILE.values())])
)
BAD = [("bytes", "E0 B"), ("bytes", "xyz"), ("id", "1.5"), ("id", "abc")]
IDS = {
    "97, 300-302 9999999999": [97, 300, 301, 302],
    "5-3": [3, 4, 5],
    "๙๗": [97],
    "９７, ๓๐๐–๓๐๑": [97, 300, 301],
    "0,097 5,6,7": [5, 6, 7, 97],
    "1,000": [],
    "97,": [97],
}
BYTES = {"E0 B8": b"\xe0\xb8", "e0b8": b"\xe0\xb8", "0xE0, 0x00": b"\xe0\x00", "61": b"a", "b8": b"\xb8"}
CASED = ["น้ำ", "่", "a", "at", " ", "\n", "<script>", "👍", "aaaaaaaaaaaaaaaa", "\u0e19"]
UNCASED = ["THE", "the", "ÉA", "Δ", "น้ำ", "🅰", "İ"]
USED = {7: 3, 300: 9}
ORDERS: dict[str, Callable[[int], Any]] = {
    "order": lambda place: place,
    "newest": lambda place: -place,
    "longest": lambda place: (-len(ENTRIES.tokens[place]), place),
    "shortest": lambda place: (len(ENTRIES.tokens[place]), place),
    "letters": lambda place: (ENTRIES.tokens[place], place),
    "used": lambda place: (-USED.get(place, 0), place),
}
FILTERS: list[tuple[dict[str, Any], Callable[[int], bool]]] = [
    ({"script": 0}, lambda place: bool(ENTRIES.scripts[place] == 0)),
    ({"shortest": 2, "longest": 3}, lambda place: 2 <= len(ENTRIES.tokens[place]) <= 3),
    ({"first": 256, "last": 300}, lambda place: 256 <= int(ENTRIES.ids[place]) <= 300),
    ({"use": "used"}, lambda place: place in USED),
    ({"use": "unused"}, lambda place: place not in USED),
]


def vocabulary_cases() -> dict[str, Any]:
    """What is searched, ordered and filtered in a vocabulary, and the places that Python finds."""
    everything = range(len(ENTRIES.tokens))

    def places(keeps: Callable[[bytes], bool]) -> list[int]:
        return [place for place in everything if keeps(ENTRIES.tokens[place])]

    def lowered(token: bytes) -> bytes:
        return token.decode(errors="surrogateescape").lower().encode(errors="surrogateescape")

    searches: list[tuple[str, str, bool, Any]] = [("text", "", True, None)]
    searches += [("text", query, True, places(lambda token: query.encode() in token)) for query in CASED]  # noqa: B023
    for query in UNCASED:
        searches.append(("text", query, False, places(lambda token: query.lower().encode() in lowered(token))))  # noqa: B023
    for query, needle in BYTES.items():
        searches.append(("bytes", query, False, places(lambda token: needle in token)))  # noqa: B023
    searches += [("id", query, False, found) for query, found in IDS.items()]
    searches += [(kind, query, False, "bad") for kind, query in BAD]
    selections = [({"order": order}, sorted(everything, key=key)) for order, key in ORDERS.items()]
    selections += [(change, list(filter(keeps, everything))) for change, keeps in FILTERS]
    return {
        "packed": base64_of(pack(ENTRIES)),
        "searches": searches,
        "selections": selections,
        "counts": [ENTRIES.count(script) for script in SCRIPTS],
        "used": list(USED.items()),
    }
