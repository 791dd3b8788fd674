"""Uploaded bytes become the text they were, or an error that says why not."""

import gzip
import io
import random
import sqlite3
import struct
import zipfile
import zlib

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from tests.helpers.paths import REPOSITORY
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers import encodings
from tokenizer_core.readers.encodings import CANDIDATE_ENCODINGS, DecodedText, decode_blocks, decode_text

SAMPLES = REPOSITORY / "sample_data"
THAI_LINES = (SAMPLES / "parallel.th.txt").read_text(encoding="utf-8").splitlines()
ENGLISH = (SAMPLES / "parallel.en.txt").read_text(encoding="utf-8").replace("’", "'")
THAI = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ\r\nแม่จ๋า ข้าวสุกหรือยัง\n"
BOMS = {
    "utf-8-sig": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\x00\x00",
    "utf-32-be": b"\x00\x00\xfe\xff",
}
WIDE = [name for name in BOMS if name != "utf-8-sig"]

any_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
thai_and_english = st.lists(
    st.sampled_from([*THAI_LINES[:60], *ENGLISH.splitlines()[:60], "\n", "\r\n", "\t2567 "]), min_size=1
).map("".join)
thai_sentences = st.lists(st.sampled_from(THAI_LINES), min_size=1, max_size=4).map("\n".join)


def error_of(content: bytes, encoding: str | None = None) -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        decode_text(content, encoding=encoding)
    return caught.value


# Proven encodings


@given(any_text.filter(lambda text: not set(text) & {"\x00", "\x0e", "\ufeff"}))
def test_every_text_survives_utf8(text: str) -> None:
    if encodings._MAGIC.match(text.encode()) is None and encodings._control_share(text.encode()) <= 0.2:
        assert decode_text(text.encode()) == (text, "utf-8", False)


@pytest.mark.parametrize("name", BOMS)
@given(text=any_text)
@example(text="\ufeffsecond mark")
@example(text="\x00")
@example(text="😀 a\r\nb\rc")
def test_every_text_survives_behind_a_byte_order_mark(name: str, text: str) -> None:
    if name == "utf-16-le" and text[0] == "\x00":  # FF FE 00 00 is UTF-32's mark
        return
    encoded = text.encode("utf-8" if name == "utf-8-sig" else name)
    assert decode_text(BOMS[name] + encoded) == (text, name, False)


@pytest.mark.parametrize(
    "text",
    ["a\x00", "\x00", "ก\x00ข", "\x1b[31mred\x1b[0m", "one\x0ctwo\x07", "a\r\nb\rc\n\n", "GIF89a is a format"],
    ids=["nul-last", "nul-alone", "nul-between", "colours", "page-and-bell", "line-ends", "magic-word"],
)
def test_stray_control_characters_and_line_ends_stay_as_they_are(text: str) -> None:
    assert decode_text(text.encode()) == (text, "utf-8", False)


def test_65_bytes_are_binary_if_more_than_a_fifth_of_them_control() -> None:
    assert decode_text(b"\x01" * 64).encoding == "utf-8"
    assert error_of(b"\x01" * 65).code == "binary_file"
    assert decode_text(b"\x01" * 20 + b"a" * 80).encoding == "utf-8"
    assert error_of(b"\x01" * 21 + b"a" * 80).code == "binary_file"


def test_a_large_file_is_binary_if_its_middle_is() -> None:
    text, binary = b"a cat\n" * 11_000, b"\x01" * 66_000
    error = error_of(text * 2 + binary + text)
    assert (error.code, error.values) == ("binary_file", {"kind": None})
    assert decode_text(text * 3 + binary).encoding == "utf-8"  # the end of a log may hold anything


# Guessed encodings


def test_a_large_file_is_guessed_from_whole_lines() -> None:
    content = b"plain text\n" + "a line of แมว\n".encode("cp874") * 20_000
    windows = list(encodings._windows(content))
    assert len(windows) == 3
    for window in windows:
        lines = window.decode("cp874").split("\n")
        assert {"a line of แมว"} <= set(lines) <= {"plain text", "a line of แมว"}


def test_a_file_that_ends_in_one_high_byte_need_not_be_utf8() -> None:
    assert decode_text("un petit café".encode("cp1252")) == ("un petit café", "cp1252", True)


@pytest.mark.parametrize("name", WIDE)
@given(text=thai_and_english.filter(lambda text: len(text) > 1))
def test_utf16_and_utf32_are_found_without_a_mark(name: str, text: str) -> None:
    assert decode_text(text.encode(name)) == (text, name, True)


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("text", ["ภาษาไทย", "ab"], ids=["thai", "ascii"])
def test_two_letters_of_one_script_are_enough_for_utf16_and_utf32(name: str, text: str) -> None:
    assert decode_text(text.encode(name)) == (text, name, True)


@given(thai_sentences)
def test_thai_sentences_survive_windows_874(text: str) -> None:
    assert decode_text(text.encode("cp874")) == (text, "cp874", True)


@pytest.mark.parametrize(
    "text",
    ["ภาษาไทย", "สวัสดี ครับ", "ดื่มน้ำ เยอะๆ", "คนไทย รักกัน", "ปีนี้ ๒๕๖๗", "ราคา ๑๒๐ บาท", "แม่\u00a0“ดี”…"],
)
def test_a_few_words_of_thai_are_enough(text: str) -> None:
    assert decode_text(text.encode("cp874")) == (text, "cp874", True)


@pytest.mark.parametrize("words", ["ต้มยำ", "ผัดไทย", "น้ำ", "กาแฟ, ชาเย็น", "Python คือภาษา"])
def test_a_few_thai_words_in_an_english_text_are_found(words: str) -> None:
    text = ENGLISH[:20_000] + f"\nPlease order {words} today.\n" + ENGLISH[20_000:40_000]
    assert decode_text(text.encode("cp874")) == (text, "cp874", True)


@pytest.mark.parametrize(
    ("text", "is_thai"),
    [
        *(("สาม", True), ("สา", False)),
        *(("สา" * 3 + "ส" * 14, True), ("สา" * 3 + "ส" * 15, False)),
        *(("สาาา" + "สาา" * 2, True), ("สาาา" * 2 + "สาา", False)),
        *(("สา" * 12 + " ่", True), ("สา" * 11 + "ส ่", False)),
        *(("ฬา" + "สา" * 4, True), ("ฬา" + "สา" * 3 + "ส", False)),
    ],
    ids=[
        *("three letters", "two letters", "3 of 20 are signs", "3 of 21", "7 of 10 are signs", "8 of 11"),
        *("1 of 25 is out of place", "1 of 24", "1 of 10 is rare", "1 of 9"),
    ],
)
def test_thai_is_told_by_the_shares_of_its_signs_and_of_what_is_rare(text: str, is_thai: bool) -> None:
    try:
        found = decode_text(text.encode("cp874")).encoding
    except CorpusError as error:
        found = error.code
    assert (found == "cp874") == is_thai


def test_a_hundred_bytes_of_thai_may_hold_one_control_character_and_not_three() -> None:
    thai = ("สวัสดีครับ " * 20).encode("cp874")
    assert decode_text(thai[:99] + b"\x01").encoding == "cp874"
    error = error_of(thai[:97] + b"\x01" * 3)
    assert (error.code, error.values) == ("binary_file", {"kind": None})


def test_thai_is_found_behind_megabytes_of_english() -> None:
    content = ENGLISH.encode("cp874") * 60 + "กินผัดไทยที่ร้านนี้\n".encode("cp874")
    assert b"\x96" in content[:50_000]  # a dash, which is no UTF-8, long before the first Thai word
    assert decode_text(content).encoding == "cp874"


PROSE = {
    "french": ("cp1252", "Le café crème d'été à Noël, déjà vu où ça ? « À bientôt », dit-elle, très gênée."),
    "german": ("cp1252", "Die Straße führt über schöne Hügel; ältere Leute grüßen höflich. Öl, Äpfel."),
    "spanish": ("latin-1", "¿Dónde está el niño? ¡Allí, señor! Él comió jamón en Málaga con su compañero."),
    "swedish": ("cp1252", "Åsa äter gröt på ön, och älgen står där vid ån. Är det så?"),
    "polish": ("cp1250", "Zażółć gęślą jaźń. Wczoraj byłem w mieście, żeby kupić świeże mięso i łososia."),
    "turkish": ("cp1254", "Şu köşe yaz köşesi, şu köşe kış köşesi, ortada su şişesi. Çocuk güneşe bakıyor."),
    "russian": (
        "cp1251",
        "Вчера вечером мы долго гуляли по набережной и говорили о том, как быстро летит время.",
    ),
    "russian-koi8": (
        "koi8-r",
        "Вчера вечером мы долго гуляли по набережной и говорили о том, как летит время.",
    ),
    "greek": ("cp1253", "Χθες το βράδυ περπατήσαμε πολλή ώρα στην παραλία και μιλούσαμε για τα παλιά."),
    "hebrew": ("cp1255", "אתמול בערב טיילנו זמן רב לאורך החוף ודיברנו על הימים שעברו."),
    "arabic": ("cp1256", "مشينا مساء أمس طويلا على الشاطئ وتحدثنا عن الأيام الماضية."),
    "japanese": (
        "shift_jis",
        "昨日の夜、私たちは海岸を長い間歩きながら、昔のことについて話しました。とても楽しかったです。",
    ),
    "japanese-euc": (
        "euc_jp",
        "昨日の夜、私たちは海岸を長い間歩きながら、昔のことについて話しました。とても楽しかったです。",
    ),
    "japanese-few-signs": ("euc_jp", "夜、私たちは海岸を長い間歩きながら、"),
    "korean-few-signs": ("euc_kr", "오랫동안 걸으며 지난날에 대해 이야기했습니다. 날씨가 좋았습니다."),
    "chinese": ("gbk", "昨天晚上我们在海边走了很久,谈起了过去的日子。天气很好,大家都很高兴。"),
    "chinese-big5": ("big5", "昨天晚上我們在海邊走了很久,談起了過去的日子。天氣很好,大家都很高興。"),
    "korean": (
        "euc_kr",
        "어제 저녁 우리는 바닷가를 오랫동안 걸으며 지난날에 대해 이야기했습니다. 날씨가 좋았습니다.",
    ),
}


@pytest.mark.parametrize(("encoding", "text"), PROSE.values(), ids=PROSE)
@pytest.mark.parametrize("times", [1, 5])
def test_prose_in_another_encoding_is_a_marked_guess_and_never_thai(encoding: str, text: str, times: int) -> None:
    decoded = decode_text("\n".join([text] * times).encode(encoding))
    assert decoded.is_guess
    assert decoded.encoding in CANDIDATE_ENCODINGS
    assert decoded.encoding != "cp874"


@pytest.mark.parametrize(
    "content",
    [bytes(range(128, 256)) * 20, "Le café crème d'été à Noël, déjà vu où ça ?".encode("mac_roman")],
    ids=["every-high-byte", "french-mac"],
)
def test_bytes_that_fit_no_candidate_ask_for_a_choice(content: bytes) -> None:
    assert error_of(content).code == "encoding_not_found"


def test_a_guess_from_a_part_that_fails_on_the_whole_is_an_error() -> None:
    lines = "น้ำใจคนไทย\n".encode("cp874") * 100_000
    broken = lines[:700_000] + b"\xfc\n" + lines[700_000:]
    error = error_of(broken)
    assert (error.code, error.values["encoding"], error.values["offset"]) == ("undecodable", "cp874", 700_000)
    assert error.values["line"] == broken[:700_000].count(b"\n") + 1


# Damage


@given(thai_sentences, st.data())
def test_utf8_cut_inside_its_last_character_says_where(text: str, data: st.DataObject) -> None:
    content = (text + "\nท้าย").encode()
    cut = data.draw(st.sampled_from([1, 2]))
    error = error_of(content[:-cut])
    assert (error.code, error.values) == (
        "cut_off_utf8",
        {"offset": len(content) - 3, "line": text.count("\n") + 2},
    )


@pytest.mark.parametrize("bad", [b"\xff", b"\xb8", b"\xe0", b"\xed\xa0\x80"], ids=lambda bad: bad.hex())
def test_one_broken_byte_in_utf8_says_where(bad: bytes) -> None:
    before, after = "ก่อน\nบรรทัดที่สองก่อน".encode(), "หลังจากนั้น จบ".encode()
    error = error_of(before + bad + after)
    assert (error.code, error.values) == ("broken_utf8", {"offset": len(before), "line": 2})


def test_a_wrong_byte_at_the_end_is_no_character_that_was_cut_off() -> None:
    content = THAI.encode()
    for encoding in (None, "utf-8"):
        error = error_of(content + b"\xff", encoding)
        assert (error.code, error.values) == ("broken_utf8", {"offset": len(content), "line": 3})
        assert error_of(content + b"\xe0\xb8", encoding).code == "cut_off_utf8"


@pytest.mark.parametrize(("letters", "is_utf8"), [(7, True), (6, False)])
def test_seven_letters_with_one_wrong_byte_are_damaged_utf8(letters: int, is_utf8: bool) -> None:
    content = bytearray(("ก" * letters).encode())
    content[4] = 0xFF
    assert (error_of(bytes(content)).code == "broken_utf8") == is_utf8


def test_offsets_count_the_byte_order_mark() -> None:
    assert error_of(BOMS["utf-8-sig"] + b"ab\nc\xff").values == {"offset": 7, "line": 2}
    assert error_of(BOMS["utf-16-le"] + "ช\na".encode("utf-16-le") + b"\x00\xd8").values == {
        "encoding": "utf-16-le",
        "offset": 8,
        "line": 2,
    }


@pytest.mark.parametrize(
    "content",
    ["It is 5 o’".encode()[:-1], "The end…".encode()[:-1], "นะ".encode()[:-2]],
    ids=["quote", "ellipsis", "second-letter"],
)
def test_a_cut_character_never_becomes_another_encoding(content: bytes) -> None:
    assert error_of(content).code == "cut_off_utf8"


@pytest.mark.parametrize("name", WIDE)
def test_lone_surrogates_are_refused(name: str) -> None:
    lone = struct.pack(("<" if name.endswith("le") else ">") + ("H" if "16" in name else "I"), 0xD800)
    text = "สวัสดี hello ".encode(name)
    for content in (text + lone, BOMS[name] + text + lone + text):
        assert error_of(content).code == "undecodable"


@given(st.binary(max_size=300) | st.binary(max_size=40).map(lambda tail: THAI.encode() + tail))
def test_any_bytes_give_a_text_that_utf8_can_hold_or_a_corpus_error(content: bytes) -> None:
    try:
        decoded = decode_text(content)
    except CorpusError as error:
        event(error.code)
    else:
        event(decoded.encoding)
        assert decoded.text.encode("utf-8")


# Texts of any length, block by block


def in_blocks(content: bytes, size: int, encoding: str | None = None) -> tuple[DecodedText, str]:
    """What the beginning says of a text, and the whole text, if it is read so many bytes at a time."""
    file = io.BytesIO(content)
    beginning, texts = decode_blocks(lambda: file.read(size), size, encoding=encoding)
    return beginning, "".join(texts)


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("size", [64, 4_096])
def test_a_byte_0a_within_a_character_is_no_line_of_a_broken_file(name: str, size: int) -> None:
    lines = "ช\u0a0a\n".encode(name) * 20  # ช is U+0E0A: it has the byte of a line break
    broken = lines + ("\ud800a".encode(name, "surrogatepass") if "16" in name else b"\xff" * 4)
    with pytest.raises(CorpusError) as caught:
        in_blocks(BOMS[name] + broken, size)
    assert caught.value.values["line"] == 21


@pytest.mark.parametrize("name", [*BOMS, "utf-8"])
def test_a_text_without_line_breaks_is_the_same_in_blocks_of_any_size(name: str) -> None:
    text = "\ufeffกิน a 😀" + "🎉é漢ข้าว " * 20
    content = BOMS.get(name, b"") + text.encode("utf-8" if name == "utf-8-sig" else name)
    if name == "utf-8":
        content = content.removeprefix(BOMS["utf-8-sig"])
        text = text.removeprefix("\ufeff")
    for size in range(20, 90):
        beginning, whole = in_blocks(content, size)
        assert (beginning.encoding, beginning.is_guess, whole) == (name, False, text)
        assert text.startswith(beginning.text)
        assert len(beginning.text.encode("utf-16-le")) >= size // 3 - 4


@pytest.mark.parametrize(("size", "lines"), [(55, 9), (54, 9), (53, 8)])
def test_the_beginning_of_a_text_is_its_first_whole_lines(size: int, lines: int) -> None:
    beginning, whole = in_blocks(b"a cat\n" * 9, size)
    assert (beginning, whole) == (DecodedText("a cat\n" * lines, "utf-8", False), "a cat\n" * 9)


@pytest.mark.parametrize(
    ("content", "chosen", "code", "encoding"),
    [
        ("บรรทัด\n".encode() * 9 + b"a\xffb", None, "broken_utf8", None),
        ("บรรทัด\n".encode() * 9 + b"a" + "ก".encode()[:2], None, "broken_utf8", None),
        ("บรรทัด\n".encode("cp874") * 9 + b"a\xdb", "cp874", "undecodable", "cp874"),
    ],
    ids=["wrong", "cut off", "another encoding"],
)
def test_a_wrong_byte_in_any_block_is_named_with_its_place_in_the_text(
    content: bytes, chosen: str | None, code: str, encoding: str | None
) -> None:
    offset = content.rfind(b"a") + 1
    for size in range(32, len(content)):
        with pytest.raises(CorpusError) as caught:
            in_blocks(content, size, chosen)
        values = {"encoding": encoding} if encoding else {}
        assert (caught.value.code, caught.value.values) == (code, values | {"offset": offset, "line": 10})


# Binary data and nothing at all


def _zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "<xml>ภาษาไทย</xml>" * 20)
    return buffer.getvalue()


def _sqlite() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table lines (line text)")
    content = connection.serialize()
    connection.close()
    return content


BINARIES = {
    "png": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\x00\x00\x01\x00" * 4, "png"),
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", "jpeg"),
    "gif": (b"GIF89a\x01\x00\x01\x00\x80\x00\x00", "gif"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "pdf"),
    "zip": (_zipped("lines.txt"), "zip"),
    "docx": (_zipped("[Content_Types].xml", "word/document.xml"), "docx"),
    "xlsx": (_zipped("[Content_Types].xml", "xl/workbook.xml"), "xlsx"),
    "gzip": (gzip.compress(THAI.encode()), "gzip"),
    "elf": (b"\x7fELF\x02\x01\x01" + b"\x00" * 9, "elf"),
    "sqlite": (_sqlite(), "sqlite"),
    "parquet": (b"PAR1\x15\x04\x15\x20\x15\x24L\x15\x04\x15\x00", "parquet"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 16, "doc"),
    "zeros": (b"\x00" * 1000, None),
    "small-integers": (struct.pack("<300i", *range(300)), None),
    "floats": (struct.pack("<300d", *(i / 7 for i in range(300))), None),
    "random": (random.Random(7).randbytes(2000), None),
    "deflated": (zlib.compress(ENGLISH.encode())[2:], None),
}


@pytest.mark.parametrize(("content", "kind"), BINARIES.values(), ids=BINARIES)
def test_binary_data_is_refused_by_its_kind(content: bytes, kind: str | None) -> None:
    error = error_of(content)
    assert (error.code, error.values) == ("binary_file", {"kind": kind})


@pytest.mark.parametrize("content", [b"", *BOMS.values()], ids=["nothing", *BOMS])
def test_a_file_without_text_is_refused(content: bytes) -> None:
    assert error_of(content).code == "empty_file"


# The user's own choice


@pytest.mark.parametrize(
    ("text", "encoding", "chosen", "name"),
    [
        ("café", "latin-1", "latin-1", "iso8859-1"),
        ("รถ", "cp874", "cp874", "cp874"),
        *(
            ("“ไทย”\u00a0€", "cp874", each, "cp874")
            for each in ("tis-620", "TIS620", "iso-8859-11", "windows-874")
        ),
        *(("abc", each, each, None) for each in CANDIDATE_ENCODINGS),
    ],
)
def test_the_users_choice_wins_over_every_guess(text: str, encoding: str, chosen: str, name: str | None) -> None:
    decoded = decode_text(text.encode(encoding), encoding=chosen)
    assert (decoded.text, decoded.is_guess) == (text, False)
    assert name in (None, decoded.encoding)


@pytest.mark.parametrize("chosen", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_chosen_unicode_encoding_drops_its_own_mark_once(chosen: str) -> None:
    for name, mark in BOMS.items():
        if name.startswith(chosen):
            encoded = "\ufeffไทย".encode("utf-8" if name == "utf-8-sig" else name)
            assert decode_text(mark + encoded, encoding=chosen) == ("\ufeffไทย", name, False)


@pytest.mark.parametrize("name", ["klingon", "base64", "rot13", "utf-7", "unicode_escape", "idna", "", "a\x00b"])
def test_an_encoding_that_gives_no_text_is_refused(name: str) -> None:
    error = error_of(b"abc", encoding=name)
    assert (error.code, error.values) == ("unknown_encoding", {"encoding": name})


def test_a_choice_that_cannot_decode_says_where() -> None:
    error = error_of("บรรทัด\n".encode("cp874") + b"\xdb", encoding="cp874")
    assert (error.code, error.values) == ("undecodable", {"encoding": "cp874", "offset": 7, "line": 2})
    assert error_of(b"abc\n\xa1", encoding="utf-8").values == {"offset": 4, "line": 2}
