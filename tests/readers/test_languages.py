"""The language of a text by its name and its script: what is told, and what stays open."""

import pytest

from tokenizer_core.readers.languages import CODES, language_of

THAI, ENGLISH, BURMESE = "แมวดำตัวหนึ่ง 1 cat", "a black cat", "ကြောင်နက်တစ်ကောင်"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("zz_thai_support.txt", THAI, "th"),
        ("TH-TH.txt", THAI, "th"),
        ("แปล ไทย.txt", THAI, "th"),
        ("notes", THAI, "th"),
        ("english.txt", THAI, "th"),
        ("Parallel.EN.txt", ENGLISH, "en"),
        ("en_2024.txt", ENGLISH, "en"),
        ("en/news.txt", ENGLISH, "en"),
        ("translation.en", ENGLISH, "en"),
        ("TED.en-th.en", ENGLISH, "en"),
        ("TED.en-th.th", THAI, "th"),
        ("europarl.de-en.de", "eine Katze", "de"),
        ("vie_Latn", "con mèo", "vi"),
        ("my_support.txt", BURMESE, "my"),
        ("support", "고양이", "ko"),
        ("x.ja", "黒い猫です", "ja"),
    ],
)
def test_a_part_of_a_name_or_the_script_tells_the_language(name: str, text: str, code: str) -> None:
    assert language_of(name, text) == code
    assert code in CODES


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("thai.txt", ENGLISH),
        ("my_file.txt", ENGLISH),
        ("4th_grade.txt", ENGLISH),
        ("broken.txt", ENGLISH),
        ("then", ENGLISH),
        ("de_la_casa.txt", "el gato"),
        ("notes.txt", BURMESE),
        ("th", "12 – 34"),
        ("", ""),
    ],
)
def test_no_language_is_told_where_the_name_and_the_script_leave_a_doubt(name: str, text: str) -> None:
    assert language_of(name, text) is None
