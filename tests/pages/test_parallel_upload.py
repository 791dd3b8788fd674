"""Texts of the languages page: files and tables, what is kept, and bad input."""

import json
import re
from dataclasses import replace

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.inputs.parallel_texts import NAME_CHARACTERS, named
from pages.ui.inputs.uploads import Limits, unpacked
from pages.ui.languages.apart import MOST_WITH_WORDS
from pages.ui.languages.comparison import FOLDS
from pages.ui.languages.metrics import words_said
from tests.helpers.app import ENGLISH, HOSTILE_HTML, LANGUAGES, SPOKEN, Cells, drawn, said, sortable_tables, tables
from tests.helpers.languages_page import bills, box_of, by_hand, method, opened, receipt_of, unfolded
from tests.helpers.paths import REPOSITORY
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tokenizer_core.analysis.segmenters import segmenter_for
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.readers.parallel import parallel_texts


def upload(*files: tuple[str, bytes | str], language: str = "en", view: str = "table") -> AppTest:
    """The page after files were uploaded."""
    app = opened(language)
    app.segmented_control(key="languages_source").set_value("upload").run()
    contents = [(name, each.encode() if isinstance(each, str) else each, "text/plain") for name, each in files]
    app.file_uploader(key="languages_files").set_value(contents).run()
    return unfolded(app, view)


def lines(*each: str) -> str:
    return "".join(f"{line}\n" for line in each)


# ---- uploads


@pytest.mark.parametrize(("pairs", "is_of_all"), [(19, True), (20, False)])
def test_of_few_pairs_it_is_said_between_what_all_of_them_lie(pairs: int, is_of_all: bool) -> None:
    app = upload(("b.en", lines(*ENGLISH_LINES[:pairs])), ("a.th", lines(*THAI_LINES[:pairs])), view="pairs")
    (sentence,) = (each.value for each in app.caption if "the median pair" in each.value)
    assert ("all pairs lie between" in sentence) == is_of_all
    assert ("nine pairs in ten" in sentence) != is_of_all
    if is_of_all:
        encode = openai_tokenizer("gpt2").encode
        ratios = [len(encode(thai)) / len(encode(english)) for thai, english in zip(THAI_LINES, ENGLISH_LINES)]
        assert f"{min(ratios[:pairs]):.2f} and {max(ratios[:pairs]):.2f}" in sentence


def test_a_pair_of_files_is_compared_with_english_as_the_base() -> None:
    app = upload(("b.en", lines(*ENGLISH_LINES[:50])), ("a.th", lines(*THAI_LINES[:50])))
    thai, english = by_hand("gpt2", THAI_LINES[:50]), by_hand("gpt2", ENGLISH_LINES[:50])
    assert bills(app)["GPT-2", "Thai"][:2] == [f"{thai:,}", f"{thai / english:.2f} ×"]
    assert "tokens in Thai as in English." in app.header[0].value


@pytest.mark.parametrize(
    ("names", "shown"),
    [(("en_2024.txt", "th_2024.txt"), "English"), (("b.txt", "a.txt"), "b"), (("a", "b"), "a")],
)
def test_the_base_is_the_text_in_latin_letters_where_no_name_says_english(
    names: tuple[str, str], shown: str
) -> None:
    english, thai = lines(*ENGLISH_LINES[:30]), lines(*THAI_LINES[:30])
    for files in ((names[0], english), (names[1], thai)), ((names[1], thai), (names[0], english)):
        app = upload(*files)
        assert f"tokens in Thai as in {shown}." in without_breaks(app.header[0].value)
        assert [bill["text"] for bill in receipt_of(app)["bills"]] == [THAI_LINES[0], ENGLISH_LINES[0]]


def test_the_most_unfair_pair_is_the_same_whichever_language_is_the_base() -> None:
    both = ("a.th", lines("ก", "น้ำใจคนไทย", "ข้อ")), ("b.en", lines("a long line of words", "kind", "one"))
    app = upload(*both, view="pairs")
    shown = [view["text"] for view in drawn(app)]
    box_of(app, "selectbox", "base").set_value(0).run()
    assert [view["text"] for view in drawn(app)] == shown[::-1] == ["kind", "น้ำใจคนไทย"]


def test_the_receipt_bills_the_first_whole_pair_of_the_files_until_another_is_written() -> None:
    app = upload(("b.en", lines("", "long " * 200, "a cat", "a dog")), ("a.th", lines("ก", "ข", "แมว", "หมา")))
    boxes = [box for box in app.text_area if str(box.key).startswith("receipt_")]
    assert [box.value for box in boxes] == ["แมว", "a cat"]
    assert [bill["text"] for bill in receipt_of(app)["bills"]] == ["แมว", "a cat"]
    drawn_of_files = receipt_of(app)
    assert [bill["name"] for bill in drawn_of_files["bills"]] == ["Thai", "English"]
    first, second = (len(openai_tokenizer("gpt2").encode(text)) for text in ("แมว", "a cat"))
    assert drawn_of_files["title"] == with_breaks(
        filled(ENGLISH["receipt.title_pair"], tokenizer="GPT-2", first=first, second=second)
    )
    boxes[0].set_value("นก").run()
    assert receipt_of(app)["bills"][0]["name"] == ENGLISH["receipt.first"]
    assert [bill["text"] for bill in receipt_of(app)["bills"]] == ["นก", "a cat"]
    app.segmented_control(key="languages_source").set_value("sample").run()
    assert [bill["count"] for bill in receipt_of(app)["bills"]] == [124, 23]


def test_three_languages_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ui.languages.league.find_models", lambda **given: [])
    files = [
        (f"x.{name}", lines(*(f"{word} {n} {word}" for n in range(30))))
        for name, word in (("th", "น้ำใจ"), ("de", "Wasserfall"), ("en", "water"))
    ]
    app = upload(*files)
    assert {language for _, language in bills(app)} == {"Thai", "German", "English"}
    for view in FOLDS:
        unfolded(app, view)
        assert not app.exception


def test_of_three_languages_all_parts_begin_with_the_one_that_the_headline_speaks_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pages.ui.languages.league.find_models", lambda **given: [])
    words = {"de": "Wasserfall", "th": "น้ำใจ", "en": "water"}
    app = upload(*((f"x.{name}", lines(*(f"{word} {n}" for n in range(30)))) for name, word in words.items()))
    assert "in Thai as in English" in without_breaks(app.header[0].value)
    assert [bill["name"] for bill in receipt_of(app)["bills"]] == ["Thai", "English"]
    for view in ("league", "pairs"):
        picker = box_of(unfolded(app, view), "selectbox", f"{view}_of")
        assert picker.options[picker.index] == "Thai"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_guessed_encoding_is_said_and_can_be_changed(language: str) -> None:
    german = ["Die größte Straße führt über die Brücke zum Schloß."] * 40
    files = ("a.de", lines(*german).encode("cp1252")), ("b.en", lines(*ENGLISH_LINES[:40]))
    app = upload(*files, language=language)
    assert catalogue(language)["languages.guessed"].split("{")[2].split("}")[1] in app.warning[0].value
    (picker,) = [each for each in app.selectbox if "` a.de `" in each.label]
    assert (picker.value, german[0] in app.text[0].value) == ("cp1252", True)
    picker.set_value("mac_roman").run()
    (picker,) = [each for each in app.selectbox if "` a.de `" in each.label]
    assert (picker.value, german[0] in app.text[0].value) == ("mac_roman", False)
    misread = lines(*german).encode("cp1252").decode("mac_roman").splitlines()
    named = without_breaks(catalogue(language)["languages.de"])
    assert bills(app)["GPT-2", named][0] == f"{by_hand('gpt2', misread):,}"
    picker.set_value("utf-8").run()
    assert "` a.de `" in app.error[0].value
    (picker,) = [each for each in app.selectbox if "` a.de `" in each.label]
    picker.set_value("cp1252").run()
    assert not app.error
    assert bills(app)["GPT-2", named][0] == f"{by_hand('gpt2', german):,}"


def test_an_encoding_that_is_not_found_can_be_chosen() -> None:
    french = "Le café crème d'été à Noël, déjà vu où ça ?"
    app = upload(("t.tsv", f"fr\tqc\n{french}\t{french}\n".encode("mac_roman")))
    assert len(app.error) == 1
    next(box for box in app.selectbox if "` t.tsv `" in box.label).set_value("mac_roman").run()
    assert not app.error
    assert bills(app)["GPT-2", "French"][0] == f"{by_hand('gpt2', [french]):,}"
    assert app.text[0].value == french


CSV = 'id,th,en\n1,"แมว\nดำตัวหนึ่ง","a ""black"" cat, one"\n2,หมาขาวตัวใหญ่,a large white dog\n3,นกบินอยู่,a bird flies\n'


def test_languages_with_long_names_stay_apart() -> None:
    key = "sentence_translations_of_the_corpus"
    rows = [{key: {"th": th, "de": f"{en} {en}", "en": en}} for th, en in zip(THAI_LINES[:30], ENGLISH_LINES[:30])]
    app = upload(("pairs.json", "\n".join(map(json.dumps, rows))))
    assert len({language for _, language in bills(app)}) == 3
    assert box_of(app, "selectbox", "base").options[0] == "Thai"
    before = bills(app)
    box_of(app, "selectbox", "base").set_value(0).run()
    assert bills(app) != before


def test_a_table_that_has_no_head_line_is_compared() -> None:
    pairs = [{"translation": {"en": en, "th": th}} for th, en in zip(THAI_LINES[:30], ENGLISH_LINES[:30])]
    app = upload(("pairs.jsonl", "\n".join(map(json.dumps, pairs))))
    assert not app.checkbox
    assert bills(app)["GPT-2", "Thai"][0] == f"{by_hand('gpt2', THAI_LINES[:30]):,}"
    assert bills(app)["GPT-2", "English"][1] == "1.00 ×"


def test_a_table_with_quotes_and_line_breaks_is_compared() -> None:
    app = upload(("t.csv", CSV))
    found = bills(app)
    assert {language for _, language in found} == {"Thai", "English"}
    gpt2 = openai_tokenizer("gpt2")
    expected = sum(len(gpt2.encode(cell)) for cell in ("แมว\nดำตัวหนึ่ง", "หมาขาวตัวใหญ่", "นกบินอยู่"))
    assert found["GPT-2", "Thai"][0] == f"{expected:,}"
    assert "3 pairs" in method(app)


def test_the_columns_of_a_table_can_be_chosen() -> None:
    table = "a;b;c\n" + "".join(
        f"ein großer Hund {n};a large white dog {n};ein Hund, weiß {n}\n" for n in range(5)
    )
    app = upload(("t.csv", table))
    assert {language for _, language in bills(app)} == {"a", "b", "c"}
    app.multiselect[0].set_value(["a", "c"]).run()
    assert not app.exception
    assert {language for _, language in bills(app)} == {"a", "c"}
    app.multiselect[0].set_value(["a"]).run()
    assert not app.exception
    assert len(app.error) == 1
    app.multiselect[0].set_value(["a", "b"]).run()
    assert {language for _, language in bills(app)} == {"a", "b"}


def test_long_names_are_cut_where_they_say_least() -> None:
    column = "a column with a name that goes on and on"
    app = upload(
        (
            "t.csv",
            f"{column},en\nein großer Hund rennt,a large white dog runs\ndie Katze schläft,a black cat sleeps\n",
        )
    )
    assert {name for _, name in bills(app)} == {column[:27] + "…", "English"}
    app = upload((f"{'x' * 60}.nl", "het water\n"), ("b.en", "water\n"))
    assert any(name.startswith("…") and name.endswith("x.nl") for _, name in bills(app))


def test_the_first_line_of_a_table_can_be_read_as_text() -> None:
    app = upload(("t.csv", CSV))
    app.checkbox[0].set_value(False).run()
    assert not app.exception
    assert "4 pairs" in method(app)
    app.checkbox[0].set_value(True).run()
    assert "3 pairs" in method(app)


def test_an_upload_is_kept_when_the_page_is_left() -> None:
    app = upload(("a.th", lines("น้ำ", "ใจ")), ("b.en", lines("water", "heart")))
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run()
    assert not app.exception
    assert {language for _, language in bills(app)} == {"Thai", "English"}


# ---- bad input


def test_empty_lines_are_pairs_and_are_said() -> None:
    app = upload(("a.th", "น้ำ\n\n\nใจ\n"), ("b.en", "water\n\nlake\nheart\n"))
    assert "4 pairs" in method(app)
    assert filled(ENGLISH["languages.empty_all"], count=1) in said(app)
    assert filled(ENGLISH["languages.empty_some"], count=1, line=3) in said(app)


def test_pairs_whose_base_is_empty_have_no_premium() -> None:
    app = upload(("a.th", "น้ำ\nใจ\n"), ("b.en", "\nheart\n"), view="pairs")
    assert filled(ENGLISH["languages.pairs_left_out"], count=1) in [each.value for each in app.caption]
    box_of(app, "number_input", "place").set_value(2).run()
    assert not app.exception
    assert "–" in " ".join(each.value for each in app.markdown)


def test_lines_out_of_step_are_warned_of() -> None:
    app = upload(
        ("a.th", lines(*THAI_LINES)), ("b.en", lines(*ENGLISH_LINES[:100], "extra", *ENGLISH_LINES[100:-1]))
    )
    assert len(app.warning) == 1
    assert sortable_tables(app)


def test_a_single_text_file_waits_for_the_other() -> None:
    app = upload(("a.th", "น้ำ\n"))
    assert ENGLISH["languages.one_more"] in said(app)
    assert not app.error


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (("a.png", b"\x89PNG\r\n\x1a\n" + bytes(99)), "water\n", ["a.png"]),
        (("a.th", "ภาษาไทย".encode() * 9 + b"\xff"), "water\n", ["a.th"]),
        (("a.zip", b"PK\x03\x04no"), "water\n", ["a.zip"]),
        (("t.csv", CSV), "water\n", ["t.csv"]),
        (("a.th", "น้ำ\nใจ\n"), "", ["b.en"]),
        (("a.th", "น้ำ\nใจ\n"), "  \n \n", ["b.en"]),
    ],
    ids=["picture", "damaged UTF-8", "damaged archive", "table beside a file", "empty", "spaces"],
)
def test_a_pair_that_cannot_be_compared_is_refused_and_named(
    first: tuple[str, bytes | str], second: str, named: list[str], language: str
) -> None:
    app = upload(first, ("b.en", second), language=language)
    assert len(app.error) == 1
    assert all(each in app.error[0].value for each in named)
    assert not sortable_tables(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_with_other_numbers_of_lines_get_figures_of_their_own_and_no_premium(language: str) -> None:
    shorter = [*ENGLISH_LINES[:200], *ENGLISH_LINES[201:]]
    app = upload(("<b>a.th", lines(*THAI_LINES)), ("b.en", lines(*shorter)), language=language)
    words = catalogue(language)
    assert not app.error
    assert "` <b>a.th `" in app.header[0].value
    assert any("648" in each.value and "647" in each.value for each in app.caption)
    assert {words["apart.may"], words["apart.may_not"]} <= {each.value for each in app.markdown}
    assert not sortable_tables(app)
    ((heads, *rows),) = tables(app)
    assert heads[:2] == [words["languages.text"], words["languages.tokenizer"]]
    found = {(row[0], without_breaks(row[1])): row[2:] for row in rows}
    for name, side in (("<b>a.th", THAI_LINES), ("b.en", shorter)):
        tokens, text = by_hand("gpt2", side), "".join(side)
        figures = [f"{tokens:,}", f"{len(text) / tokens:.2f}", f"{len(text.encode()) / tokens:.2f}"]
        assert found[name, "GPT-2"][:3] == figures
    spoken = sum(bool(re.search(r"\w", word)) for line in shorter for word in line.split())
    assert found["b.en", "GPT-2"][3] == f"{by_hand('gpt2', shorter) / spoken:.2f}"


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(
    ("wrong", "content"),
    [
        ("bad.txt", "ภาษาไทย".encode() * 9 + b"\xff"),
        ("empty.txt", b""),
        ("blank.txt", b" \n \n"),
        ("short.txt", b"one\n"),
        ("t.csv", CSV.encode()),
    ],
)
def test_a_wrong_file_is_named_with_its_reason_and_the_others_are_compared(
    wrong: str, content: bytes, language: str
) -> None:
    app = upload((wrong, content), ("a.th", "น้ำ\nใจ\n"), ("b.en", "water\nheart\n"), language=language)
    assert not app.error
    (warning,) = app.warning
    assert wrong in warning.value
    assert warning.value.endswith(catalogue(language)["languages.left_out"].removeprefix("{whys}").lstrip())
    assert len({spoken for _, spoken in bills(app)}) == 2


def test_a_file_that_was_left_out_comes_back_in_another_encoding() -> None:
    damaged = "ภาษาไทย".encode() * 9 + b"\xff\n" + b"one\n"
    app = upload(("f.txt", damaged), ("a.th", "น้ำ\nใจ\n"), ("b.en", "water\nheart\n"))
    assert {spoken for _, spoken in bills(app)} == {"Thai", "English"}
    (picker,) = [each for each in app.selectbox if "` f.txt `" in each.label]
    picker.set_value("mac_roman").run()
    assert {spoken for _, spoken in bills(app)} == {"f", "Thai", "English"}
    assert app.text[0].value == damaged.decode("mac_roman").strip()


def test_of_files_without_a_common_number_of_lines_each_stands_by_itself() -> None:
    app = upload(("a.th", lines("ก", "ข", "ค")), ("b.en", lines("a", "b")), ("empty.txt", ""))
    assert "empty.txt" in app.warning[0].value
    assert {row[0] for row in tables(app)[0][1:]} == {"a.th", "b.en"}


def test_of_each_text_apart_it_is_said_how_its_words_were_found_or_why_none_are_counted() -> None:
    long = "a cat " * 20_000
    app = upload(("a.th", lines("ก", "ข", "ค")), ("b.en", lines("a", "b")), ("c", long))
    said = next(each.value for each in app.caption if each.value.startswith("a.th: ")).split("  \n")
    segmenter = segmenter_for(["ก", "ข", "ค"])
    assert said[0] == f"a.th: {words_said(segmenter)}"
    assert said[1] == f"b.en: {words_said(segmenter_for(['a', 'b']))}"
    assert said[2] == f"c: {filled(ENGLISH['apart.too_long'], limit=MOST_WITH_WORDS)}"


def test_texts_that_come_into_step_are_compared_again() -> None:
    app = upload(("a.th", lines("ก", "ข", "ค")), ("b.en", lines("a", "b")))
    assert ENGLISH["apart.may"] in [each.value for each in app.markdown]
    contents = [(name, text.encode(), "") for name, text in (("a.th", "ก\nข\n"), ("b.en", "a\nb\n"))]
    app.file_uploader(key="languages_files").set_value(contents).run()
    assert {spoken for _, spoken in bills(app)} == {"Thai", "English"}
    assert ENGLISH["apart.may"] not in [each.value for each in app.markdown]


def test_a_file_that_stays_is_still_whole_when_the_one_beside_it_is_replaced() -> None:
    def picked(number: str, content: bytes) -> UploadedFile:
        return UploadedFile(UploadedFileRec(number, f"{number}.txt", "text/plain", content), FileURLs())

    limits = Limits(files=2, bytes=1_000)
    first, second, third = picked("1", b"one"), picked("2", b"two"), picked("3", b"three")
    before = unpacked(("1", "2"), [first, second], None, limits)
    before.drop_contents()  # they have been read
    after = unpacked(("1", "3"), [first, third], before, limits)
    assert [file.content for file in after.files.values()] == [b"one", b"three"]
    assert after.size == 8


def test_a_guessed_encoding_of_texts_out_of_step_can_be_changed_too() -> None:
    german = lines(*["Die größte Straße führt über die Brücke zum Schloß."] * 40)
    app = upload(("a.de", german.encode("cp1252")), ("b.en", lines(*ENGLISH_LINES[:39])))
    (picker,) = [each for each in app.selectbox if "` a.de `" in each.label]
    assert picker.value == "cp1252"
    before = tables(app)[0][1]
    picker.set_value("mac_roman").run()
    assert tables(app)[0][1] != before


def test_names_and_lines_of_strangers_are_shown_as_they_are() -> None:
    name = "<img src=x>*a*.th"
    app = upload(
        (name, lines(HOSTILE_HTML, "|a|b|", "# x **y**")), ("b.en", lines("one", "two", "three")), view="pairs"
    )
    for element in app.get("html"):
        reader = Cells()
        reader.feed(element.proto.body)
        assert not {"script", "img"} & set(reader.others)
    assert any(HOSTILE_HTML[:30] in cell for table in tables(app) for row in table for cell in row)
    assert f"` {name} `" in app.header[0].value
    unfolded(app, "take_away")
    assert not app.exception


@pytest.mark.long
def test_a_hundred_thousand_pairs_are_compared() -> None:
    files = [
        (name, "".join(f"{side[n % 648][:30]} {n}\n" for n in range(100_000)))
        for name, side in (("a.th", THAI_LINES), ("b.en", ENGLISH_LINES))
    ]
    app = upload(*files)
    assert "100,000 pairs" in method(app)
    unfolded(app, "pairs")
    box_of(app, "number_input", "place").set_value(100_000).run()
    assert not app.exception
    assert len(drawn(app)) == 2


def name_of(app: AppTest, side: int) -> TextInput:
    """The box with the name of a language."""
    return [each for each in app.text_input if (each.key or "").startswith("languages_name_")][side]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_languages_of_uploads_can_be_named(language: str) -> None:
    app = upload(("x.th", lines("ก", "ข")), ("x.en", lines("a", "b")), language=language)
    thai, english = (without_breaks(catalogue(language)[f"languages.{code}"]) for code in ("th", "en"))
    assert thai in without_breaks(app.header[0].value)
    assert "`" not in app.header[0].value
    assert [name_of(app, side).value for side in (0, 1)] == [thai, english]
    assert ["x.th" in name_of(app, 0).label, "x.en" in name_of(app, 1).label] == [True, True]
    name_of(app, 0).set_value(" คำเมือง ").run()
    name_of(app, 1).set_value("Plain").run()
    assert "คำเมือง" in app.header[0].value
    assert {spoken for _, spoken in bills(app)} == {"คำเมือง", "Plain"}
    base = box_of(app, "selectbox", "base")
    assert (base.value, base.options) == (1, ["คำเมือง", "Plain"])


def test_a_name_of_a_language_is_bounded_shown_as_it_is_and_never_the_same_twice() -> None:
    app = upload(("x.th", lines("ก")), ("x.en", lines("a")))
    assert name_of(app, 0).proto.max_chars == NAME_CHARACTERS
    name_of(app, 0).set_value("<b>:material/home: $x$").run()
    assert "` <b>:material/home: $x$ `" in app.header[0].value
    name_of(app, 1).set_value("Thai").run()
    name_of(app, 0).set_value("Thai").run()
    assert {spoken for _, spoken in bills(app)} == {"Thai", "Thai (2)"}
    name_of(app, 0).set_value("").run()
    name_of(app, 1).set_value("Plain").run()
    assert {spoken for _, spoken in bills(app)} == {"Thai", "Plain"}


def test_a_proposed_name_follows_the_language_of_the_page_and_a_typed_one_stays() -> None:
    app = upload(("x.th", lines("ก")), ("x.en", lines("a")))
    name_of(app, 1).set_value("Plain").run()
    app.session_state["language"] = "th"
    app.run()
    assert [name_of(app, side).value for side in (0, 1)] == ["ภาษาไทย", "Plain"]
    assert "ภาษาไทย" in without_breaks(app.header[0].value)


def test_files_of_one_language_keep_the_names_of_the_files_and_either_can_get_that_of_the_language() -> None:
    app = upload(("thai.txt", lines("ก")), ("other.txt", lines("ข")), ("x.en", lines("a")))
    assert {spoken for _, spoken in bills(app)} == {"thai.txt", "other.txt", "English"}
    name_of(app, 1).set_value("Thai").run()
    assert {spoken for _, spoken in bills(app)} == {"thai.txt", "Thai", "English"}


@pytest.mark.parametrize(
    ("files", "colours"),
    [
        ({"x.en": "a", "x.th": "ก"}, (1, 0)),
        ({"x": "a", "x.th": "ก"}, (1, 0)),
        ({"x": "a", "x.en": "a", "x.th": "ก", "y.th": "ก", "z": "a"}, (2, 1, 0, 3, 2)),
        ({"x": "a", "y": "b", "z": "c", "w": "d", "v": "e"}, (0, 1, 2, 3, 0)),
    ],
)
def test_thai_and_english_have_their_own_colours_in_any_order(
    files: dict[str, str], colours: tuple[int, ...]
) -> None:
    assert named(parallel_texts(list(files), list(files.values())), is_sample=False).colours == colours


def test_a_typed_name_is_in_saved_tables_and_others_keep_the_whole_name_of_the_file() -> None:
    texts = named(parallel_texts(("x" * 40, "y"), ["a", "b"]), is_sample=False)
    assert texts.full_names == ("x" * 40, "y")
    assert replace(texts, typed=("", "English")).full_names == ("x" * 40, "English")
