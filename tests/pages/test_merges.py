"""Tokens on chips: every token readable, and no text ever markup."""

import pytest

from pages.ui.token_view.chips import chip_parts, token_chips
from pages.ui.train.merges import choice_rows
from tokenizer_core.trainer import Candidate


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("น้ำ".encode(), [("น้ำ", True)]),
        ("ำ".encode(), [("◌ำ", True)]),
        (b"\xe0\xb8", [("E0 B8", False)]),
        ("า".encode() + b"\xe0\xb8", [("า", True), ("E0 B8", False)]),
        (b"\x81 \n", [("81", False), ("␣⏎", True)]),
        ("\u200b".encode(), [("U+200B", True)]),
        (b"\x00", [("U+0000", True)]),
        ("\u202e".encode(), [("U+202E", True)]),
    ],
    ids=["word", "sara am", "half a letter", "letter and a half", "broken first", "zero width", "nul", "bidi"],
)
def test_every_token_is_readable(token: bytes, parts: list[tuple[str, bool]]) -> None:
    assert chip_parts(token) == parts


def test_no_token_is_ever_markup() -> None:
    vocabulary = [b"<script>", b"&amp;"]
    for rows in (choice_rows([Candidate(0, 1, 7)], vocabulary), token_chips(vocabulary)):
        assert "<script>" not in rows
        assert rows.count("&lt;script&gt;") == 1
        assert "&amp;amp;" in rows


def test_choices_stand_best_first_with_bars_by_their_counts() -> None:
    rows = choice_rows([Candidate(97, 98, 40), Candidate(60, 62, 10)], [bytes([n]) for n in range(256)])
    assert rows.count('role="listitem"') == 2
    assert rows.index("× 40") < rows.index("× 10")
    assert "width:30.0%" in rows
    assert "width:7.5%" in rows
    assert "&lt;" in rows
