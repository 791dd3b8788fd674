"""Many files: what is kept, what is left out and named, and the limit."""

import gzip
import tomllib

import pytest

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import Corpus
from pages.ui.limits import MAX_CORPUS_BYTES, MAX_UPLOAD_MB, setting
from tests.helpers.app import ENGLISH, SPOKEN
from tests.helpers.corpus_page import CSV, THAI_LINE, elsewhere_and_back, given, listed, said, texts, upload
from tests.helpers.files import parquet, zipped
from tests.helpers.paths import REPOSITORY

MB = 2**20


PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(100)

# ---- what is kept


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
    assert filled(ENGLISH["files.more_read"], count=15, characters=rest) in said(app)
    assert len(texts(app)) == 25


@pytest.mark.parametrize(("files", "refused"), [(500, False), (501, True)])
@pytest.mark.parametrize("archives", [0, 1, 2])
def test_500_files_are_taken_and_501_refused(files: int, refused: bool, archives: int) -> None:
    members = {f"ไฟล์/{n}.txt": "น้ำ" for n in range(files)}
    packed = [dict(list(members.items())[number::archives]) for number in range(archives)]
    archived = [(f"{number}.zip", zipped(each)) for number, each in enumerate(packed)]
    app = upload(*(archived or members.items()))
    assert (given(app) is None) is refused
    assert (filled(ENGLISH["errors.too_many_files"], limit=500, files=501) in said(app)) is refused


def test_a_name_is_shown_as_a_label() -> None:
    app = upload(("a.zip", zipped({"../../etc/ชุด\\\u202eหนึ่ง|`x`.txt": "a"})), ("b/c.txt", "b"))
    assert '<td class="words" dir="auto">etc/ชุด/หนึ่ง|`x`.txt</td>' in listed(app)
    assert "\u202e" not in listed(app) + (given(app) or Corpus("", ())).name


def test_files_of_the_same_name_are_told_apart_by_their_archives() -> None:
    app = upload(
        ("one.zip", zipped({"a.txt": "a", "b.txt": "b"})), ("two.zip", zipped({"a.txt": "a"})), ("a.txt", "a")
    )
    names = ("one.zip/a.txt", "b.txt", "two.zip/a.txt", "a.txt")
    assert [f'<td class="words" dir="auto">{name}</td>' in listed(app) for name in names] == [True] * 4


# ---- what cannot be read


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("bomb.gz", gzip.compress(bytes(64 * MB)) * 160, "unpacked_too_large"),
        ("bomb.zip", zipped({f"{n}.txt": bytes(10 * MB) for n in range(6)}), "unpacked_too_large"),
        ("zip.zip", zipped({"a.zip": zipped({"a.txt": "a"})}), "nested_archive"),
        ("gz.gz", gzip.compress(gzip.compress(b"a")), "nested_archive"),
        ("torn.zip", zipped({"a.txt": CSV})[:-30], "damaged_file"),
        ("torn.gz", gzip.compress(CSV.encode())[:-9], "damaged_file"),
        ("torn.parquet", parquet({"text": ["a"]})[:-9], "damaged_file"),
        ("torn.txt", THAI_LINE.encode()[:-1], "cut_off_utf8"),
        ("numbers.parquet", parquet({"n": [1, 2]}), "no_text_column"),
        ("a.rar", b"Rar!\x1a\x07\x01\x00", "archive_kind"),
        ("empty.zip", zipped({}), "archive_empty"),
        ("wide.csv", "," * 1_000, "too_many_columns"),
        ("broken.jsonl", "{\n{\n", "no_rows"),
        ("empty.txt", b"", "empty_file"),
        ("picture.txt", PICTURE, "binary_file"),
        ("damaged.txt", b"%b\xff%b" % (THAI_LINE.encode(), THAI_LINE.encode()), "broken_utf8"),
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


@pytest.mark.parametrize("language", SPOKEN)
def test_files_too_large_together_are_refused_with_the_way_out(language: str) -> None:
    part = gzip.compress(b"a" * (30 * MB))
    app = upload(("a.txt.gz", part), ("b.txt.gz", part), language=language)
    assert given(app) is None
    assert "60.0 MB" in without_breaks(app.error[0].value)
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
    ("written", "expected"),
    [(None, 50), ("", 50), ("120", 120), ("0", 1), ("-5", 1), ("9000", 200), ("x", 50), ("nan", 50), ("inf", 200)],
)
def test_a_setting_is_kept_within_its_limits_and_nonsense_is_the_default(
    written: str | None, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("A_SETTING", raising=False)
    if written is not None:
        monkeypatch.setenv("A_SETTING", written)
    assert setting("A_SETTING", 50, least=1, most=200) == expected


def test_the_server_takes_what_the_app_may_be_set_to() -> None:
    config = tomllib.loads((REPOSITORY / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert 0 <= config["server"]["maxUploadSize"] * 10**6 - MAX_UPLOAD_MB * 2**20 < 10**6
