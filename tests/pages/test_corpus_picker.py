"""The picker of a corpus: every source, every kind of file, and what is chosen."""

import gzip
from collections.abc import Sequence
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs import corpus_upload, uploads
from pages.ui.inputs import uploads as upload_module
from pages.ui.inputs.corpus import (
    Corpus,
    corpus_title,
    given_name,
    name_of_articles,
    name_of_mix,
    sample_to_train_on,
)
from tests.helpers.app import ENGLISH, SPOKEN, open_page, staged
from tests.helpers.corpus_page import (
    CSV,
    THAI_LINE,
    elsewhere_and_back,
    given,
    listed,
    open_picker,
    said,
    texts,
    upload,
)
from tests.helpers.files import parquet, zipped
from tokenizer_core.readers.archives import PackedFile, unpack
from tokenizer_core.readers.files import CorpusFile, read_corpus_file
from tokenizer_core.workers.training_settings import corpus_hash


def widget(app: AppTest, kind: str, words: str) -> Any:
    """The widget of that label."""
    widgets: Sequence[Any] = app.get(kind)
    return next(each for each in widgets if each.label == ENGLISH[words])


# ---- what was read


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("source", ["sample", "upload", "paste"])
def test_every_source_says_what_was_read(source: str, language: str) -> None:
    app = open_picker(language, source)
    text = f"{THAI_LINE}\nabc\n"
    if source == "upload":
        app.file_uploader(key="corpus_files").upload("ก.txt", text.encode()).run()
    elif source == "paste":
        app.text_area(key="corpus_paste").set_value(text).run()
    corpus = given(app)
    assert corpus is not None
    assert corpus.shares is not None
    assert f"{corpus.characters:,}" in said(app)
    assert f"{corpus.shares.thai:.0%}" in said(app)
    shown = app.text_area(key="corpus_paste") if source == "paste" else app.code[0]
    assert str(shown.value).startswith(corpus.texts[0].split("\n")[0])


def test_the_preview_is_text_and_nothing_in_it_acts() -> None:
    hostile = "<script>alert(1)</script> **b** :material/home: $$x$$ \u202eabc"
    app = upload(("a.txt", hostile), ("<b>&.csv", "n,<i>x</i>\n1,a cat sat there\n2,a dog sat there\n"))
    assert app.code[-1].value.startswith(hostile)
    assert "<b>" not in listed(app)
    assert "<i>" not in listed(app)
    assert "&lt;b&gt;&amp;.csv" in listed(app)


def test_a_corpus_stays_the_same_object_until_its_texts_change() -> None:
    app = upload(("a.csv", CSV), ("b.txt", "banana"))
    first = given(app)
    app.run()
    assert given(app) is first
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.segmented_control(key="corpus_source").set_value("upload").run()
    assert given(app) is first
    app.file_uploader(key="corpus_files").set_value([("b.txt", b"bananas", "text/plain")]).run()
    assert texts(app) == ("bananas",)


def test_files_are_unpacked_and_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def read(file: PackedFile, **how: Any) -> CorpusFile:
        calls.append("read")
        return read_corpus_file(file, **how)

    def unpacked(name: str, content: bytes, **limits: int) -> list[PackedFile]:
        calls.append("unpack")
        return unpack(name, content, **limits)

    monkeypatch.setattr(corpus_upload, "read_corpus_file", read)
    monkeypatch.setattr(upload_module, "unpack", unpacked)
    app = upload(("a.zip", zipped({"a.csv": CSV, "b.txt": "b"})), ("c.txt", "c"))
    app.run()
    app.run()
    assert sorted(calls) == ["read"] * 3 + ["unpack"] * 2
    toggle = widget(app, "toggle", "files.header")
    toggle.set_value(False).run()
    assert sorted(calls) == ["read"] * 4 + ["unpack"] * 2


def test_figures_of_a_corpus_are_those_of_its_texts() -> None:
    corpus = Corpus("name", ("กขค\nab\n", "c"))
    assert (corpus.characters, corpus.lines, corpus.size) == (8, 3, 14)
    assert corpus.sha256 == corpus_hash(corpus.texts)
    assert corpus.opening == "กขค\nab\nc"
    assert Corpus("", ("", "")).opening == ""


# ---- kinds and choices


@pytest.mark.parametrize("language", SPOKEN)
def test_files_of_every_kind_come_together(language: str) -> None:
    archive = zipped({"ชุด/หนึ่ง.csv": CSV, "two.jsonl": '{"text": "a cat sat"}\n'})
    table = parquet({"text": ["a dog sat"], "n": [1]})
    app = upload(
        ("a.zip", archive),
        ("b.csv.gz", gzip.compress(CSV.encode())),
        ("c.parquet", table),
        ("d.md", "# d"),
        language=language,
    )
    assert texts(app)[1:] == ("a cat sat\n", texts(app)[0], "a dog sat\n", "# d")
    for kind in ("csv", "jsonl", "parquet", "text"):
        assert catalogue(language)[f"files.kind_{kind}"] in listed(app)
    assert '<td class="words" dir="auto">ชุด/หนึ่ง.csv</td>' in listed(app)


def test_columns_of_a_table_can_be_chosen() -> None:
    app = upload(("a.csv", CSV))
    columns = widget(app, "multiselect", "files.columns")
    assert (columns.options, columns.value) == (["id", "th", "en"], ["th", "en"])
    columns.set_value(["en"]).run()
    assert texts(app)[0].startswith("We go out today 0\nWe go out today 1\n")
    widget(app, "multiselect", "files.columns").set_value([]).run()
    assert widget(app, "multiselect", "files.columns").value == ["en"]


@pytest.mark.parametrize("language", SPOKEN)
def test_a_csv_file_without_header_says_so_and_can_be_told_otherwise(language: str) -> None:
    app = upload(("a.csv", CSV.partition("\n")[2]), language=language)
    assert texts(app)[0].count("\n") == 40
    toggle = app.toggle[0]
    assert toggle.value is False
    assert app.multiselect[0].options[1] == filled(catalogue(language)["files.column"], number=2)
    toggle.set_value(True).run()
    assert texts(app)[0].count("\n") == 38
    app.toggle[0].set_value(False).run()
    assert texts(app)[0].count("\n") == 40


def test_a_table_that_is_only_a_header_can_be_told_back() -> None:
    app = upload(("a.csv", "a cat,a dog\n"))
    assert texts(app) == ("a cat\na dog\n",)
    app.toggle[0].set_value(True).run()
    assert given(app) is None
    assert ENGLISH["errors.no_rows"] in said(app)
    app.toggle[0].set_value(False).run()
    assert texts(app) == ("a cat\na dog\n",)


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV.replace("3,", "3,,", 1).replace("9,", '9,"', 1)),
        ("a.jsonl", '{"text": "a cat"}\n{broken\n{"text": "a dog"}\n[1]\n'),
    ],
    ids=["csv", "jsonl"],
)
def test_broken_rows_are_counted_with_the_first_line(name: str, content: str, language: str) -> None:
    app = upload((name, content), language=language)
    line = next(number for number, each in enumerate(content.split("\n"), 1) if ",," in each or "{br" in each)
    words = filled(catalogue(language)["files.skipped"], name=f"` {name} `", count=2, line=line)
    assert [warning.value for warning in app.warning] == [words]
    assert given(app)


# ---- encodings


@pytest.mark.parametrize("language", SPOKEN)
def test_files_in_several_encodings_are_read_and_guesses_said(language: str) -> None:
    files = [
        ("a.txt", THAI_LINE.encode()),
        ("b.txt", THAI_LINE.encode("cp874")),
        ("c.txt", THAI_LINE.encode("utf-16")),
    ]
    app = upload(*files, language=language)
    assert texts(app) == (THAI_LINE,) * 3
    assert "` b.txt `" in " ".join(box.value for box in app.info)
    assert without_breaks(catalogue(language)["encodings.cp874"]) in listed(app)
    assert str(app.selectbox(key="corpus_file").value).endswith("/0")  # of each upload the first and only file
    assert app.selectbox[1].value == "cp874"


@pytest.mark.parametrize("language", SPOKEN)
def test_the_reading_of_large_tables_says_how_far_it_is(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[float, str]] = []
    monkeypatch.setattr(DeltaGenerator, "progress", lambda place, share, text: drawn.append((share, text)))
    table = CSV.encode() * 400
    size = round(2 * len(table) / 10**6)
    monkeypatch.setattr(uploads, "REPORT_SECONDS", 0)
    upload(("a.csv", CSV.encode()), language=language)
    assert not drawn
    monkeypatch.setattr(uploads, "LARGE", 2 * len(table))
    app = upload(("a.csv", table), ("b.csv", table), ("c.txt", THAI_LINE.encode()), language=language)
    shares = [share for share, _ in drawn]
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert 0.9 < shares[-1] <= 1
    words = catalogue(language)["files.read_share"].partition("{rate}")[0].format(done=size // 2, size=size)
    assert any(without_breaks(text).startswith(without_breaks(words)) for _, text in drawn)
    assert not app.get("progress")


def test_several_guesses_are_said_once() -> None:
    app = upload(*((f"{n}.txt", THAI_LINE.encode("cp874")) for n in range(3)))
    assert [box.value for box in app.info] == [filled(ENGLISH["files.guessed"], count=3)]


def test_an_encoding_can_be_chosen_also_after_a_page_change_and_taken_back() -> None:
    app = upload(("a.txt", THAI_LINE.encode("cp874")))
    widget(app, "selectbox", "corpus.encoding").set_value("cp1252").run()
    wrong = THAI_LINE.encode("cp874").decode("cp1252")
    assert texts(app) == (wrong,)
    elsewhere_and_back(app)
    assert texts(app) == (wrong,)
    widget(app, "selectbox", "corpus.encoding").set_value("utf-8").run()
    assert given(app) is None
    assert app.error
    widget(app, "selectbox", "corpus.encoding").set_value("cp874").run()
    assert texts(app) == (THAI_LINE,)


@pytest.mark.parametrize("spoken", SPOKEN)
def test_names_that_the_app_gives_follow_the_language_and_those_of_files_stay(
    spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.ui.i18n.language", lambda: spoken)
    words = catalogue(spoken)
    both = words["corpus.sample_both"]
    assert corpus_title(sample_to_train_on("both").name) == both
    mix = corpus_title(name_of_mix(given_name("sample_both"), "2 : 1", "bytes"))
    assert both in mix
    assert words["mix.bytes"] in mix
    assert corpus_title(name_of_articles("` ก `")).endswith("` ก `")
    for name in ("` corpus:sample_th `", "corpus:nothing", "mix:1:bytes", "", "corpus:sample_th "):
        assert corpus_title(name) == name


def test_a_run_is_called_by_its_corpus_in_the_language_of_the_page() -> None:
    app = open_page("home")
    app.button(key="home_train").click().run()
    app.segmented_control(key="lang").set_value("th").run()
    thai = catalogue("th")["corpus.sample_both"]
    assert without_breaks(thai) in staged(app)["what"]
    assert any(thai in each.value for each in app.markdown if each.value.startswith("**"))
    app.button(key="stop").click().run()


@pytest.mark.parametrize("page", ["train", "pieces"])
def test_who_wants_a_text_of_their_own_is_not_given_the_bundled_sentences(page: str) -> None:
    app = open_page(page)
    app.radio(key=f"{page}_card").set_value("own").run()
    assert app.segmented_control(key="corpus_source").value == "paste"
    assert [box.value for box in app.info] == [ENGLISH["corpus.nothing_yet_paste"]]
    app.segmented_control(key="corpus_source").set_value("upload").run()
    app.radio(key=f"{page}_card").set_value("both").run()
    app.radio(key=f"{page}_card").set_value("own").run()
    assert app.segmented_control(key="corpus_source").value == "upload"


def test_a_larger_vocabulary_is_proposed_for_files_and_a_size_of_ones_own_stays() -> None:
    app = open_page("train")
    app.radio(key="train_card").set_value("own").run()
    assert app.number_input(key="train_size").value == 1_000
    assert ENGLISH["train.needs_text"] in [each.value for each in app.caption]
    app.segmented_control(key="corpus_source").set_value("upload").run()
    assert app.number_input(key="train_size").value == 4_096
    proposed = filled(ENGLISH["train.size_means_long"], size=4_096, bytes=256, merges=3_840)
    assert proposed in [each.value for each in app.caption]
    app.segmented_control(key="corpus_source").set_value("paste").run()
    assert app.number_input(key="train_size").value == 1_000
    app.number_input(key="train_size").set_value(700).run()
    app.segmented_control(key="corpus_source").set_value("upload").run()
    assert app.number_input(key="train_size").value == 700
    app.number_input(key="train_size").set_value(4_096).run()
    app.file_uploader(key="corpus_files").set_value([("nothing.txt", b"", "text/plain")]).run()
    assert ENGLISH["train.needs_text"] in [each.value for each in app.caption]


def test_a_file_can_be_chosen_where_a_text_is_typed() -> None:
    app = open_picker("en", "paste")
    app.text_area(key="corpus_paste").set_value("aaab").run()
    assert not app.get("file_uploader")
    app.text_area(key="corpus_paste").set_value("").run()
    app.file_uploader(key="corpus_files").set_value([("b.txt", b"banana", "text/plain")]).run()
    assert texts(app) == ("banana",)
    app.text_area(key="corpus_paste").set_value("aaab").run()
    assert texts(app) == ("aaab",)
    app.segmented_control(key="corpus_source").set_value("upload").run()
    assert texts(app) == ("banana",)
