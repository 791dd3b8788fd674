"""Bytes → text: find the encoding, say whether it is proven or guessed, and lose nothing."""

import codecs
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tokenizer_core.errors import CorpusError

# Leaves out cp1257, cp1258 and mac_roman: without them 21 of 25 French pages are guessed right, with them 12.
_GUESSES = (
    *("cp1252", "cp1250", "cp1254", "cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
CANDIDATE_ENCODINGS: tuple[str, ...] = (
    *("utf-8", "cp874", "utf-16-le", "utf-16-be", *_GUESSES),
    *("cp1257", "cp1258", "mac_roman"),
)
"""The encodings that a picker offers, likeliest first."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark FF FE 00 00 begins with FF FE
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE_ENCODINGS = (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2))
_THAI_NAMES = ("tis-620", "iso8859-11")  # cp874 contains both, plus 0xA0, the euro and smart quotes
_NO_TEXT_ENCODINGS = ("utf-7", "unicode-escape", "raw-unicode-escape", "punycode", "idna", "undefined")

# Every pattern except PDF's needs a byte that no text has, so an essay may begin with "GIF89a".
_MAGIC = re.compile(
    rb"(?P<png>\x89PNG)|(?P<jpeg>\xff\xd8\xff)|(?P<gif>GIF8[79]a.{4,6}\x00)|(?P<pdf>%PDF-\d)"
    rb"|(?P<docx>PK\x03\x04.*word/)|(?P<xlsx>PK\x03\x04.*xl/)|(?P<pptx>PK\x03\x04.*ppt/)"
    rb"|(?P<zip>PK\x03\x04|PK\x05\x06)|(?P<doc>\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1)|(?P<gzip>\x1f\x8b\x08)"
    rb"|(?P<bzip2>BZh[1-9]1AY&SY)|(?P<xz>\xfd7zXZ\x00)|(?P<zstd>\x28\xb5\x2f\xfd)|(?P<rar>Rar!\x1a\x07)"
    rb"|(?P<elf>\x7fELF)|(?P<sqlite>SQLite format 3\x00)|(?P<parquet>PAR1[\x00-\x1f])"
    rb"|(?P<mp3>ID3[\x02-\x04]\x00)|(?P<mp4>\x00\x00..ftyp)|(?P<numpy>\x93NUMPY)",
    re.DOTALL,
)
_ASCII = bytes(range(128))
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\f\r\x1b"})  # ESC colors logs and switches ISO-2022-JP
_PLAIN = re.compile(r"[\t\n\r -~ก-ฺ฿-๛]")
_WINDOW = 65_536
_HIGH_WORD = re.compile(rb"[\xa1-\xfb]{3}")  # three in a row, because curly quotes and accents stand alone

# Without digits, and without ฿, which English prices use. U+FFFD is a byte that Windows-874 does not define.
_THAI = re.compile(r"[ก-ฺเ-๏๚๛\ufffd]")
# What Thai spelling allows around one consonant, and the long า of chats. Letters in no syllable are misplaced.
_SYLLABLE = re.compile(r"[เแโใไ]?[ก-ฮ][ัิ-ฺ็]?[่-๋]?[์ํ]?(?:(?:า{1,6}|[ะำๅ])ะ?)?[ๆฯ]?|[เแโใไ]\Z|[ๆฯ]")
_SIGN = re.compile(r"[ะ-ฺเ-ๅ็-๎]")
# Thai digits stand apart from letters. Cyrillic, Hebrew and Arabic letters, misread, become digits inside words.
_RARE = re.compile(r"[ฃฅฆฌฎฏฑฒฬฮฺๅํ-๏๚๛]|(?<=[ก-๎])[๐-๙]|[๐-๙](?=[ก-๎])")
# The é in "café" would be a tone mark in Windows-874, so one or two high bytes in a Latin word count as accents.
_ACCENTS = re.compile(r"(?<=[A-Za-z])[ก-๛]{1,2}(?![ก-๛])|(?<![ก-๛])[ก-๛]{1,2}(?=[A-Za-z])")


class DecodedText(NamedTuple):
    """A text, its encoding, and whether the encoding is a guess that the user should check."""

    text: str
    encoding: str
    is_guess: bool


def decode_text(content: bytes, *, encoding: str | None = None) -> DecodedText:
    """Decode uploaded bytes exactly: remove only a byte order mark, and keep line ends as they are.

    An `encoding` chosen by the user wins. Raises `CorpusError` if the bytes are empty, binary, damaged UTF-8, or
    not in the chosen or guessed encoding. No byte is ever replaced.

    >>> decode_text("ภาษาไทย".encode("utf-16"))
    DecodedText(text='ภาษาไทย', encoding='utf-16-le', is_guess=False)
    >>> decode_text("ภาษาไทย".encode("cp874"))
    DecodedText(text='ภาษาไทย', encoding='cp874', is_guess=True)
    """
    decoded = _decode_by_evidence(content) if encoding is None else _decode_as_chosen(content, encoding)
    if not decoded.text:
        raise CorpusError("empty_file")
    return decoded


def decode_blocks(
    read: Callable[[], bytes], size: int, *, encoding: str | None = None
) -> tuple[DecodedText, Iterator[str]]:
    """Decode a text of any length, whose beginning decides the encoding; nothing is replaced.

    `read` returns the next `size` bytes, and fewer only at the end. Returns the decoded beginning, and all of the
    text, block by block, which raises `CorpusError` where the encoding does not fit.
    """
    head = read()
    if len(head) < size:
        decoded = decode_text(head, encoding=encoding)
        return decoded, iter([decoded.text])
    decoded = decode_text(_whole_characters(head), encoding=encoding)
    return decoded, _decoded_after(head, read, "utf-8" if decoded.encoding == "utf-8-sig" else decoded.encoding)


def _decoded_after(head: bytes, read: Callable[[], bytes], name: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(name)("strict")
    block, offset, lines, mark = head, 0, 1, "\ufeff"
    while True:
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            at = offset - waiting + error.start
            line = lines + error.object[: error.start].decode(name, "replace").count("\n")
            if name == "utf-8":
                raise CorpusError("broken_utf8", offset=at, line=line) from None
            raise CorpusError("undecodable", encoding=name, offset=at, line=line) from None
        offset += len(block)
        lines += text.count("\n")
        yield text.removeprefix(mark)
        if not block:
            return
        block, mark = read(), ""


def _whole_characters(head: bytes) -> bytes:
    """Return the beginning without the character at its end, which may be cut off."""
    if b"\0" in head or head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        end = len(head) // 4 * 4
        # Two bytes at the end may be half of a surrogate pair in UTF-16, of either byte order.
        return head[: end - 2] if any(0xD8 <= byte < 0xDC for byte in head[end - 2 : end]) else head[:end]
    end = head.rfind(b"\n") + 1
    if end == 0:
        end = len(head) - 1
        while end > len(head) - 4 and head[end] & 0xC0 == 0x80:
            end -= 1
    return head[:end]


def _decode_as_chosen(content: bytes, encoding: str) -> DecodedText:
    """Decode with the user's encoding; drop a byte order mark that agrees with it."""
    try:
        name = codecs.lookup(encoding.lower().replace("windows-", "cp")).name
        b"\0\0\0\0".decode(name)  # a codec such as base64 exists, but does not give text
    except (LookupError, ValueError):
        name = "undefined"
    if name in _NO_TEXT_ENCODINGS:
        raise CorpusError("unknown_encoding", encoding=encoding)
    name = "cp874" if name in _THAI_NAMES else name
    for mark, marked in _BOMS:
        if content.startswith(mark) and marked.startswith(name):
            return DecodedText(_decode(content, marked, skip=len(mark)), marked, is_guess=False)
    return DecodedText(_decode(content, name), name, is_guess=False)


def _decode_by_evidence(content: bytes) -> DecodedText:
    """Try evidence that proves an encoding first, and evidence that only suggests one last."""
    for mark, name in _BOMS:
        if content.startswith(mark):
            return DecodedText(_decode(content, name, skip=len(mark)), name, is_guess=False)
    if magic := _MAGIC.match(content[:_WINDOW]):
        raise CorpusError("binary_file", kind=magic.lastgroup)
    if wide := _wide_encoding(content[:_WINDOW]):
        return DecodedText(_decode(content, wide), wide, is_guess=True)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_legacy(content, error)
    # A few stray control characters can be text; a dump of small integers has 75 % or more.
    if _control_share(content) > 0.2 and len(content) > 64:
        raise CorpusError("binary_file", kind=None)
    return DecodedText(text, "utf-8", is_guess=False)


def _decode_legacy(content: bytes, error: UnicodeDecodeError) -> DecodedText:
    """Decode bytes that are not UTF-8: as Windows-874 if they read as Thai, else as charset-normalizer guesses.

    Raises the error of UTF-8 if they are damaged UTF-8.
    """
    # Eight-bit text has no control characters; random or compressed bytes have 11 % of them.
    if _control_share(content) > 0.02:
        raise CorpusError("binary_file", kind=None)
    sample = b"\n".join(_windows(content))
    name = "utf-8" if _is_damaged_utf8(error) else "cp874" if _reads_as_thai(sample) else _guess(sample)
    return DecodedText(_decode(content, name), name, is_guess=True)


def _decode(content: bytes, name: str, *, skip: int = 0) -> str:
    """Decode the bytes after the first `skip`; raise a `CorpusError` that names the first wrong byte."""
    try:
        return content[skip:].decode("utf-8" if name == "utf-8-sig" else name)
    except UnicodeDecodeError as error:
        start = skip + error.start
        line = content[:start].decode(name, "replace").count("\n") + 1
        if name in ("utf-8", "utf-8-sig"):
            code = "cut_off_utf8" if _is_cut_off(error) else "broken_utf8"
            raise CorpusError(code, offset=start, line=line) from None
        raise CorpusError("undecodable", encoding=name, offset=start, line=line) from None


def _wide_encoding(head: bytes) -> str | None:
    """Find UTF-16 or UTF-32 without a byte order mark: the one in which `head` is mostly ASCII and Thai.

    It takes at least two characters: "a" with one NUL after it stays UTF-8.
    """
    if b"\x00" not in head and b"\x0e" not in head:  # the high bytes of ASCII and of Thai
        return None
    for name, width in _WIDE_ENCODINGS:
        count = len(head) // width
        text = head[: count * width].decode(name, "replace")
        if count >= 2 and len(_PLAIN.findall(text)) >= 0.7 * count:
            return name
    return None


def _reads_as_thai(sample: bytes) -> bool:
    """Tell whether the high bytes, read as Windows-874, follow Thai spelling.

    In Thai, 38 % of the letters are vowels and marks, each of these is beside a consonant that carries it, and
    0.3 % of the letters are among the rarest. Text in other encodings breaks one of these three rules within a few
    words, and so does damaged UTF-8.

    >>> _reads_as_thai("Try ผัดไทย!".encode("cp874")), _reads_as_thai("Un café crème, là-bas".encode("cp1252"))
    (True, False)
    """
    text = sample.decode("cp874", "replace")
    letters = len(_THAI.findall(text))
    left_over = _SYLLABLE.sub("", _ACCENTS.sub("\ufffd", text))
    misfits = len(_THAI.findall(left_over))
    signs = len(_SIGN.findall(text)) - len(_SIGN.findall(left_over))
    return (
        letters >= 3
        and 0.15 * letters <= signs <= 0.7 * letters
        and misfits <= 0.04 * letters
        and len(_RARE.findall(text)) <= 0.1 * letters
    )


def _guess(sample: bytes) -> str:
    """Return the encoding that charset-normalizer finds likeliest among the candidates."""
    from charset_normalizer import from_bytes  # 25 ms to import, and most uploads are UTF-8

    # With a threshold of 0.5 it gives up on 2 of 100 East Asian pages; with its default of 0.2, on 7.
    matches = from_bytes(sample, cp_isolation=list(_GUESSES), threshold=0.5)
    best = matches.best()
    if best is None:
        raise CorpusError("encoding_not_found")
    # It settles ties in favor of Central Europe. In favor of the West, 234 of 239 pages in 11 languages are right,
    # instead of 187.
    western = (match for match in matches if "cp1252" in match.could_be_from_charset)
    if best.encoding == "cp1250" and any(match.chaos <= best.chaos for match in western):
        return "cp1252"
    return best.encoding


def _windows(content: bytes) -> Iterator[bytes]:
    """Yield up to 64 kB of whole lines from the start, from the first word in high bytes, and from the middle."""
    if len(content) <= 3 * _WINDOW:
        yield content
        return
    word = _HIGH_WORD.search(content)
    for place in (0, word.start() if word else 0, len(content) // 2):
        start = content.rfind(b"\n", max(0, place - _WINDOW // 2), place) + 1 or place
        end = content.rfind(b"\n", start, start + _WINDOW)
        yield content[start : end if end > place else start + _WINDOW]


def _control_share(content: bytes) -> float:
    """Return the share of control characters in the first and the middle 64 kB."""
    middle = max(_WINDOW, len(content) // 2)
    sample = content[:_WINDOW] + content[middle : middle + _WINDOW]
    return 1 - len(sample.translate(None, _CONTROLS)) / max(1, len(sample))


def _is_damaged_utf8(error: UnicodeDecodeError) -> bool:
    """Tell whether 85 % of the high bytes are valid UTF-8: more than other encodings have by chance.

    Seven Thai letters with one broken byte reach this share. By chance, so do 0.5 % of Thai texts of 10 letters in
    Windows-874, none of 40 letters, and 6 of 11,369 Chinese, Japanese and Korean menu texts.
    """
    content = error.object
    high = len(content.translate(None, _ASCII))
    valid = len(content.decode("utf-8", "ignore").encode().translate(None, _ASCII))
    torn = content[error.start :] if _is_cut_off(error) else b""
    # E2 80 begins every curly quote, dash and ellipsis; in eight-bit encodings, no word ends with these bytes.
    return (valid > 0 or torn == b"\xe2\x80") and valid >= 0.85 * (high - len(torn))


def _is_cut_off(error: UnicodeDecodeError) -> bool:
    """Tell whether everything is valid except the last character, which lacks bytes."""
    return error.reason == "unexpected end of data" and error.end == len(error.object)
