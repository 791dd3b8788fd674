"""The picker of a corpus, run without a browser: every kind of file, what is said of it, and what is chosen."""

import gzip
import io
import zipfile
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.choices import corpus_picker, corpus_upload
from pages.ui.choices import upload as upload_module
from pages.ui.choices.corpus import Corpus
from pages.ui.limits import MAX_CORPUS_BYTES, MAX_UPLOAD_MB, corpus_megabytes
from pages.ui.words import catalogue
from tests.helpers.browser import PATIENCE
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.files import CorpusFile, read_corpus_file

ENGLISH = catalogue("en")
LANGUAGES = ("en", "th")
MB = 2**20
THAI_LINE = "วันนี้อากาศดีมาก ไปเที่ยวกันเถอะ"
CSV = "id,th,en\n" + "".join(f"{n},{THAI_LINE} {n},We go out today {n}\n" for n in range(20))
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(100)


def page() -> None:
    """The picker alone; what it gives is kept for the test, and it is not drawn on another page."""
    import streamlit as st

    from pages.ui.choices.corpus_picker import corpus_picker

    if not st.session_state.get("elsewhere"):
        st.session_state["given"] = corpus_picker()


def open_picker(language: str = "en", source: str | None = None) -> AppTest:
    app = AppTest.from_function(page, default_timeout=PATIENCE)
    app.query_params["lang"] = language
    app.run()
    if source:
        app.segmented_control(key="corpus_source").set_value(source).run()
    assert not app.exception
    return app


def upload(*files: tuple[str, bytes | str], language: str = "en") -> AppTest:
    """The picker after files were uploaded."""
    app = open_picker(language, "upload")
    contents = [(name, each.encode() if isinstance(each, str) else each, "text/plain") for name, each in files]
    app.file_uploader(key="corpus_files").set_value(contents).run()
    assert not app.exception
    return app


def given(app: AppTest) -> Corpus | None:
    corpus: Corpus | None = app.session_state["given"]
    return corpus


def texts(app: AppTest) -> tuple[str, ...]:
    corpus = given(app)
    assert corpus is not None, said(app)
    return corpus.texts


def said(app: AppTest) -> str:
    return " ".join(box.value for kind in (app.error, app.warning, app.info, app.caption) for box in kind)


def listed(app: AppTest) -> str:
    """The list of files that were read, as HTML."""
    return " ".join(element.proto.body for element in app.get("html"))


def widget(app: AppTest, kind: str, words: str) -> Any:
    """The widget of that label."""
    return next(each for each in app.get(kind) if each.label == ENGLISH[words])


def zipped(members: Mapping[str, bytes | str]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return archive.getvalue()


def parquet(**columns: list[Any]) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table(columns), written)
    return written.getvalue()


# ---- what was read


@pytest.mark.parametrize("language", LANGUAGES)
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
    assert app.code[0].value.startswith(corpus.texts[0].split("\n")[0])


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


def test_a_source_of_others_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(corpus_picker.SOURCES, "paste", lambda: Corpus("elsewhere", ("from elsewhere",)))
    app = open_picker(source="paste")
    assert texts(app) == ("from elsewhere",)
    assert "14 characters" in said(app)


# ---- kinds and choices


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_of_every_kind_come_together(language: str) -> None:
    archive = zipped({"ชุด/หนึ่ง.csv": CSV, "two.jsonl": '{"text": "a cat sat"}\n'})
    table = parquet(text=["a dog sat"], n=[1])
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
    assert "<td dir='auto'>ชุด/หนึ่ง.csv</td>" in listed(app)


def test_columns_of_a_table_can_be_chosen() -> None:
    app = upload(("a.csv", CSV))
    columns = widget(app, "multiselect", "files.columns")
    assert (columns.options, columns.value) == (["id", "th", "en"], ["th", "en"])
    columns.set_value(["en"]).run()
    assert texts(app)[0].startswith("We go out today 0\nWe go out today 1\n")
    widget(app, "multiselect", "files.columns").set_value([]).run()
    assert widget(app, "multiselect", "files.columns").value == ["en"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_csv_file_without_header_says_so_and_can_be_told_otherwise(language: str) -> None:
    app = upload(("a.csv", CSV.partition("\n")[2]), language=language)
    assert texts(app)[0].count("\n") == 40
    toggle = app.toggle[0]
    assert toggle.value is False
    assert app.multiselect[0].options[1] == catalogue(language)["files.column"].format(number=2)
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


@pytest.mark.parametrize("language", LANGUAGES)
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
    words = catalogue(language)["files.skipped"].format(name=f"` {name} `", count=2, line=line)
    assert [warning.value for warning in app.warning] == [words]
    assert given(app)


# ---- encodings


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_in_several_encodings_are_read_and_guesses_said(language: str) -> None:
    files = [
        ("a.txt", THAI_LINE.encode()),
        ("b.txt", THAI_LINE.encode("cp874")),
        ("c.txt", THAI_LINE.encode("utf-16")),
    ]
    app = upload(*files, language=language)
    assert texts(app) == (THAI_LINE,) * 3
    assert "` b.txt `" in " ".join(box.value for box in app.info)
    assert catalogue(language)["encodings.cp874"] in listed(app)
    assert app.selectbox(key="corpus_file").value.endswith("/0")  # of each upload the first and only file
    assert app.selectbox[1].value == "cp874"


def test_several_guesses_are_said_once() -> None:
    app = upload(*((f"{n}.txt", THAI_LINE.encode("cp874")) for n in range(3)))
    assert [box.value for box in app.info] == [ENGLISH["files.guessed"].format(count=3)]


def test_an_encoding_can_be_chosen_also_after_a_page_change() -> None:
    app = upload(("a.txt", THAI_LINE.encode("cp874")))
    widget(app, "selectbox", "corpus.encoding").set_value("cp1252").run()
    wrong = THAI_LINE.encode("cp874").decode("cp1252")
    assert texts(app) == (wrong,)
    elsewhere_and_back(app)
    assert texts(app) == (wrong,)
    widget(app, "selectbox", "corpus.encoding").set_value("cp874").run()
    assert texts(app) == (THAI_LINE,)


def test_an_encoding_that_does_not_fit_can_be_taken_back() -> None:
    app = upload(("a.txt", THAI_LINE.encode("cp874")))
    widget(app, "selectbox", "corpus.encoding").set_value("utf-8").run()
    assert given(app) is None
    assert app.error
    widget(app, "selectbox", "corpus.encoding").set_value("cp874").run()
    assert texts(app) == (THAI_LINE,)


# ---- what is kept


def elsewhere_and_back(app: AppTest) -> None:
    """Leave the page, whose uploader forgets its files, and come back."""
    app.session_state["elsewhere"] = True
    app.run()
    app.session_state["elsewhere"] = False
    app.run()
    assert not app.exception


def test_files_and_choices_are_kept_over_a_page_change() -> None:
    app = upload(("a.csv", CSV), ("b.csv", CSV))
    app.multiselect[0].set_value(["en"]).run()
    before = texts(app)
    elsewhere_and_back(app)
    assert app.file_uploader(key="corpus_files").value == []
    assert texts(app) == before
    assert ENGLISH["corpus.kept"].partition("{")[0] in said(app)
    app.multiselect[0].set_value(["th"]).run()
    assert texts(app)[0].startswith(THAI_LINE)
    assert texts(app)[1] == before[1]


def test_files_taken_out_by_hand_are_forgotten() -> None:
    app = upload(("a.txt", "a"))
    app.file_uploader(key="corpus_files").set_value([]).run()
    assert given(app) is None
    assert "corpus_upload" not in app.session_state


# ---- many files


def test_of_many_files_the_first_ten_are_listed_and_the_others_counted() -> None:
    app = upload(*((f"{n}.txt", "a" * (n + 1)) for n in range(25)))
    assert listed(app).count("<tr>") == 11
    rest = sum(range(11, 26))
    assert ENGLISH["files.more_read"].format(count=15, characters=rest) in said(app)
    assert len(texts(app)) == 25


@pytest.mark.parametrize(("files", "refused"), [(500, False), (501, True)])
@pytest.mark.parametrize("packed", [False, True], ids=["files", "zip"])
def test_500_files_are_taken_and_501_refused(files: int, refused: bool, packed: bool) -> None:
    members = {f"ไฟล์/{n}.txt": "น้ำ" for n in range(files)}
    app = upload(("a.zip", zipped(members))) if packed else upload(*members.items())
    assert (given(app) is None) is refused
    assert (ENGLISH["errors.too_many_files"].format(limit=500, files=501) in said(app)) is refused


def test_files_of_several_archives_are_counted_together() -> None:
    half = zipped({f"{n}.txt": "a" for n in range(251)})
    app = upload(("a.zip", half), ("b.zip", half))
    assert given(app) is None
    assert ENGLISH["errors.too_many_files"].format(limit=500, files=502) in said(app)


def test_a_name_is_shown_as_a_label() -> None:
    app = upload(("a.zip", zipped({"../../etc/ชุด\\\u202eหนึ่ง|`x`.txt": "a"})), ("b/c.txt", "b"))
    assert "<td dir='auto'>etc/ชุด/หนึ่ง|`x`.txt</td>" in listed(app)
    assert "\u202e" not in listed(app) + (given(app) or Corpus("", ())).name


def test_files_of_the_same_name_are_told_apart_by_their_archives() -> None:
    app = upload(
        ("one.zip", zipped({"a.txt": "a", "b.txt": "b"})), ("two.zip", zipped({"a.txt": "a"})), ("a.txt", "a")
    )
    names = ("one.zip/a.txt", "b.txt", "two.zip/a.txt", "a.txt")
    assert [f"<td dir='auto'>{name}</td>" in listed(app) for name in names] == [True] * 4


# ---- what cannot be read


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("bomb.gz", gzip.compress(bytes(64 * MB)) * 160, "unpacked_too_large"),
        ("bomb.zip", zipped({f"{n}.txt": bytes(10 * MB) for n in range(6)}), "unpacked_too_large"),
        ("zip.zip", zipped({"a.zip": zipped({"a.txt": "a"})}), "nested_archive"),
        ("gz.gz", gzip.compress(gzip.compress(b"a")), "nested_archive"),
        ("torn.zip", zipped({"a.txt": CSV})[:-30], "damaged_file"),
        ("torn.gz", gzip.compress(CSV.encode())[:-9], "damaged_file"),
        ("torn.parquet", parquet(text=["a"])[:-9], "damaged_file"),
        ("torn.txt", THAI_LINE.encode()[:-1], "cut_off_utf8"),
        ("numbers.parquet", parquet(n=[1, 2]), "no_text_column"),
        ("a.rar", b"Rar!\x1a\x07\x01\x00", "archive_kind"),
        ("empty.zip", zipped({}), "archive_empty"),
        ("wide.csv", "," * 1_000, "too_many_columns"),
        ("broken.jsonl", "{\n{\n", "no_rows"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value and len(value) < 20 else "",
)
def test_a_file_that_cannot_be_read_is_refused_in_words(
    name: str, content: bytes | str, code: str, language: str
) -> None:
    app = upload((name, content), language=language)
    assert given(app) is None
    assert catalogue(language)[f"errors.{code}"].split("{")[0] in " ".join(error.value for error in app.error)
    assert f"` {'a.zip' if name == 'zip.zip' else name} `" in said(app)


def test_what_is_left_out_is_named_and_the_rest_is_read() -> None:
    pictures = {f"{n}.png": PICTURE for n in range(6)}
    app = upload(("a.zip", zipped({"a.txt": "banana", **pictures})), ("torn.gz", gzip.compress(b"a")[:-2]))
    assert texts(app) == ("banana",)
    pictures_said, torn_said = (warning.value for warning in app.warning)
    assert "` 0.png `" in pictures_said
    assert "and 2 more" in pictures_said
    assert ENGLISH["errors.binary_file"] in pictures_said
    assert "` torn.gz `" in torn_said
    assert not app.error


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_too_large_together_are_refused_with_the_way_out(language: str) -> None:
    part = gzip.compress(b"a" * (30 * MB))
    app = upload(("a.txt.gz", part), ("b.txt.gz", part), language=language)
    assert given(app) is None
    assert "60.0 MB" in app.error[0].value
    assert "TOKENIZER_EXPLORER_MAX_CORPUS_MB" in app.error[0].value


def test_a_text_that_grows_too_large_as_utf8_is_refused() -> None:
    app = upload(("a.txt", (THAI_LINE + "\n").encode("cp874") * (MAX_CORPUS_BYTES // 60)))
    assert given(app) is None
    assert "At most 50 MB" in app.error[0].value


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "one endless line " * (20 * MB // 17)], ids=["one letter", "one line"]
)
def test_a_large_text_without_line_breaks_is_taken(text: str) -> None:
    app = upload(("a.txt.gz", gzip.compress(text.encode())))
    assert texts(app) == (text,)
    assert len(app.code[0].value) < 1_000


# ---- the limit


@pytest.mark.parametrize(
    ("setting", "megabytes"),
    [(None, 50), ("", 50), ("120", 120), ("0", 1), ("-5", 1), ("9000", MAX_UPLOAD_MB), ("x", 50)],
)
def test_the_limit_can_be_set_within_what_can_be_uploaded(setting: str | None, megabytes: int) -> None:
    assert corpus_megabytes(setting) == megabytes


def test_the_server_takes_what_the_app_may_be_set_to() -> None:
    import tomllib

    from tests.helpers.paths import REPOSITORY

    config = tomllib.loads((REPOSITORY / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] == MAX_UPLOAD_MB
