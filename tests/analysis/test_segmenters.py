"""Words, where something finds them; and nothing said of words where nothing does."""

import sys
from types import ModuleType

import pytest

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


def test_thai_words_are_those_of_newmm(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def word_tokenize(text: str, *, engine: str) -> list[str]:
        asked.append(engine)
        return ["ดื่ม", "น้ำ", " ", "เยอะ", "ๆ", "!"]

    stand_in = ModuleType("pythainlp.tokenize")
    stand_in.word_tokenize = word_tokenize  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pythainlp", ModuleType("pythainlp"))
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", stand_in)
    segmenter = segmenter_for(["ดื่มน้ำ เยอะๆ!"])
    assert segmenter is not None
    assert segmenter.name == NEWMM
    assert len(word_spans("ดื่มน้ำ เยอะๆ!", segmenter)) == 4
    assert asked == ["newmm"]


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
