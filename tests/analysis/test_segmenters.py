"""Words, where something finds them; and nothing said of words where nothing does."""

import os
import sys
from types import ModuleType

import pytest
import regex
from hypothesis import given

from tests.helpers.hostile import hostile_texts
from tests.helpers.paths import REPOSITORY
from tests.helpers.sample import ENGLISH_LINES, OWN, THAI_LINES
from tokenizer_core.analysis.cuts import line_cuts, text_sizes
from tokenizer_core.analysis.segmenters import NEWMM, WHITE_SPACE, newmm, segmenter_for, word_spans
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer


def test_words_of_english_stand_between_spaces() -> None:
    segmenter = segmenter_for(ENGLISH_LINES)
    assert segmenter is not None
    assert segmenter.name == WHITE_SPACE
    text = "Doctor, my son's (fever) – 38.5 °C!"
    words = [text[start:end] for start, end in word_spans(text, segmenter)]
    assert words == ["Doctor", "my", "son's", "fever", "38.5", "C"]
    assert text_sizes([text], segmenter).words == 6


@given(hostile_texts)
def test_words_between_spaces_lose_no_text_and_have_letters_at_both_ends(text: str) -> None:
    segmenter = segmenter_for(["a"])
    assert segmenter is not None
    assert "".join(segmenter.split(text)) == text
    inner = r"[\p{L}\p{M}\p{N}]"
    words = [regex.search(rf"{inner}(?:.*{inner})?", part, regex.DOTALL) for part in regex.split(r"\s+", text)]
    found = [text[start:end] for start, end in word_spans(text, segmenter)]
    assert found == [word[0] for word in words if word]


@pytest.mark.parametrize(
    ("texts", "has_words"),
    [
        (["abcde漢"], True),
        (["abcd漢"], False),
        (["abcd", "漢"], False),
        (["a" * 200_000 + "漢" * 200_000], True),
        (["a" * 200_000, "漢" * 200_000], True),
        (["漢" * 200_000, "a" * 200_000], False),
    ],
    ids=["a sixth", "a fifth", "a fifth in two texts", "late in a text", "in a late text", "first"],
)
def test_a_fifth_of_letters_without_spaces_leaves_no_words(texts: list[str], has_words: bool) -> None:
    assert (segmenter_for(texts) is not None) == has_words


def test_no_word_reaches_over_the_end_of_a_line() -> None:
    segmenter = segmenter_for(ENGLISH_LINES)
    assert text_sizes(["one", "two", "", "three four"], segmenter).words == 4


def test_continued_words_are_those_with_a_boundary_inside() -> None:
    segmenter = segmenter_for(ENGLISH_LINES)
    letters = Tokenizer([])
    lines = ["a bc, def!"]
    assert line_cuts(lines, letters.encode_each(lines), letters, segmenter).continued_words == 2
    whole = openai_tokenizer("gpt2")
    lines = ["the cat, the dog"]
    assert line_cuts(lines, whole.encode_each(lines), whole, segmenter).continued_words == 0


@pytest.mark.parametrize(
    "texts", [["請喝水，謝謝"], ["ກິນນ້ຳ"], ["123 !?"], []], ids=["chinese", "lao", "digits", "none"]
)
def test_where_no_segmenter_fits_there_are_no_words(texts: list[str]) -> None:
    assert segmenter_for(texts) is None


def test_thai_words_are_absent_without_pythainlp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pythainlp", None)
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", None)
    assert newmm() is None
    assert segmenter_for(THAI_LINES) is None
    assert text_sizes(THAI_LINES, None).words is None
    encoded = OWN.encode_each(THAI_LINES)
    assert line_cuts(THAI_LINES, encoded, OWN).continued_words is None


@pytest.fixture
def asked_engines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Engines that were asked for in a PyThaiNLP that knows one text."""
    asked: list[str] = []

    def word_tokenize(text: str, *, engine: str) -> list[str]:
        asked.append(engine)
        return ["ดื่ม", "น้ำ", " ", "เยอะ", "ๆ", "!"]

    stand_in = ModuleType("pythainlp.tokenize")
    stand_in.word_tokenize = word_tokenize  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pythainlp", ModuleType("pythainlp"))
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", stand_in)
    return asked


def test_thai_words_are_those_of_newmm(asked_engines: list[str]) -> None:
    segmenter = segmenter_for(["ดื่มน้ำ เยอะๆ!"])
    assert segmenter is not None
    assert segmenter.name == NEWMM
    assert len(word_spans("ดื่มน้ำ เยอะๆ!", segmenter)) == 4
    assert asked_engines == ["newmm"]


@pytest.mark.usefixtures("asked_engines")
def test_a_text_is_thai_if_more_than_half_of_its_letters_are() -> None:
    names = [found.name if (found := segmenter_for([text])) else None for text in ("กนa", "กa", "กabcdefgh")]
    assert names == [NEWMM, None, WHITE_SPACE]


def test_pythainlp_is_told_to_write_nothing(monkeypatch: pytest.MonkeyPatch, asked_engines: list[str]) -> None:
    monkeypatch.delenv("PYTHAINLP_READ_ONLY", raising=False)
    newmm()
    assert os.environ["PYTHAINLP_READ_ONLY"] == "1"


def test_words_of_the_real_newmm() -> None:
    pytest.importorskip("pythainlp")
    segmenter = segmenter_for(THAI_LINES)
    assert segmenter is not None
    sizes = text_sizes(THAI_LINES, segmenter)
    assert 8_000 < (sizes.words or 0) < 9_500


def test_the_core_imports_no_segmenter_unasked() -> None:
    import subprocess

    code = "import sys, tokenizer_core.analysis.cuts, tokenizer_core.analysis.segmenters;"
    code += " print('pythainlp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
