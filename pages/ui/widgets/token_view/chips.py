"""Tokens as chips, each in the colour of its bytes, on any page."""

import html
from collections.abc import Sequence
from typing import NamedTuple

import regex

from pages.ui.widgets.colours import DARK, LIGHT
from pages.ui.widgets.token_view.payload import tint

_GLYPHS = {" ": "␣", "\n": "⏎", "\t": "⇥"}
HATCHED = "share"
"""The class of a letter of which only a part is covered."""
LONGEST, LONGEST_ALONE = 18, 60
"""The most characters on a chip."""
SHORTENED = 24
"""The most characters of a token beside its bytes in hex."""
_MARK = regex.compile(r"\A(##)?(?=[\p{M}\u0e33])")
"""Where a mark has no letter to stand on: at the beginning, or behind the sign of a piece inside a word."""
_INVISIBLE = regex.compile(r"[\p{C}\p{Z}]")
_LETTER = regex.compile(r"[\p{L}\p{M}\p{N}\p{S}]")
_EXAMPLES = 3
"""Letters that a part can become, shown as examples."""


class Share(NamedTuple):
    """Characters that a token covers: several whole ones, or of one the bytes from one place to another."""

    characters: str
    start: int
    end: int
    size: int
    """Bytes of the characters."""


def chip_parts(token: bytes) -> list[tuple[str, bool]]:
    """Split a token into runs that people can read: text (True), or bytes that are not whole characters (False).

    >>> chip_parts("ที่".encode())
    [('ที่', True)]
    >>> chip_parts("่".encode()), chip_parts(b" \\xe0\\xb8")
    ([('◌่', True)], [('␣', True), ('E0 B8', False)])
    """
    text = token.decode("utf-8", errors="surrogateescape")
    runs = regex.findall(r"[\ud800-\udfff]+|[^\ud800-\udfff]+", text)
    return [(_as_hex(run), False) if "\ud800" <= run[0] <= "\udfff" else (visible(run), True) for run in runs]


def token_chips(tokens: Sequence[bytes]) -> str:
    """Return the HTML of a few tokens side by side, nearly whole, so that long ones can be told apart."""
    chips = "".join(f'<span role="listitem">{chip(token, most=LONGEST_ALONE)}</span>' for token in tokens)
    return f'{chip_style()}<div class="token-chips" role="list">{chips}</div>'


def plain_token(token: bytes) -> str:
    """Write a token as plain text, for places without chips.

    >>> plain_token(" น้ำ".encode()), plain_token(b"\\xe0\\xb8")
    ('␣น้ำ', 'ก ข ฃ …')
    """
    return " ".join(_end(text) if whole else ghost(bytes.fromhex(text)) for text, whole in chip_parts(token))


def in_parts(token: bytes) -> str:
    """Write a token as lists of tokens have it: text, and the bytes of parts of characters.

    >>> in_parts(" น้ำ".encode()), in_parts("่ก".encode() + b"\\xe0\\xb8")
    ('␣น้ำ', '◌่ก E0 B8')
    """
    return " ".join(_end(text) if whole else text for text, whole in chip_parts(token))


def ghost(part: bytes) -> str:
    """Write bytes that are not whole characters: the letters that they can become, their share, or else the bytes.

    >>> ghost(b"\\xe0\\xb8"), ghost(b"\\xe0"), ghost(b"\\xb8\\x81")
    ('ก ข ฃ …', '1⁄3', 'B8 81')
    """
    runs = regex.findall(rb"[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]+", part)
    return " ".join(_ghost_of(run) for run in runs)


def chip(token: bytes, *, most: int = LONGEST) -> str:
    """Return the HTML of one token, or of its last characters, without its styles."""
    return f'<bdi class="token-chip tint-{tint(token)}">{face(token, most=most)}</bdi>'


def face(token: bytes, *, most: int = LONGEST) -> str:
    """Return the HTML of what stands on a chip; of a part of a character, the bytes."""
    return "".join(
        html.escape(_end(text, most)) if whole else f'<span class="part">{text}</span>'
        for text, whole in chip_parts(token)
    )


def placed_chip(content: bytes, start: int, end: int, kind: str = "") -> str:
    """Return the HTML of a token over these bytes of a UTF-8 text; what it lacks of a letter is hatched."""
    names = f"token-chip tint-{tint(content[start:end])} {kind}".rstrip()
    return f'<bdi class="{names}">{placed_face(content, start, end)}</bdi>'


def placed_face(content: bytes, start: int, end: int) -> str:
    """Return the HTML of what these bytes of a UTF-8 text are."""
    return "".join(map(share_html, shares_of(content, start, end)))


def shares_of(content: bytes, start: int, end: int) -> list[Share]:
    """Return what the bytes from one place of a UTF-8 text to another cover.

    >>> shares_of("a ก".encode(), 0, 4)
    [Share(characters='a ', start=0, end=2, size=2), Share(characters='ก', start=0, end=2, size=3)]
    """
    first, last = start, end
    while first and content[first] & 0xC0 == 0x80:
        first -= 1
    while last < len(content) and content[last] & 0xC0 == 0x80:
        last += 1
    found: list[Share] = []
    place = first
    for character in content[first:last].decode("utf-8"):
        size = len(character.encode())
        share = Share(character, max(start - place, 0), min(end - place, size), size)
        is_whole = share.end - share.start == size
        if is_whole and found and found[-1].end - found[-1].start == found[-1].size:
            before = found.pop()
            share = Share(before.characters + character, 0, before.size + size, before.size + size)
        found.append(share)
        place += size
    return found


def bytes_of(share: Share) -> bytes:
    """Return the bytes that are covered."""
    return share.characters.encode()[share.start : share.end]


def share_html(share: Share) -> str:
    """Return the HTML of what is covered; of a letter in part, the rest is hatched."""
    shown = html.escape(visible(share.characters))
    if share.end - share.start == share.size:
        return shown
    places = f"--from:{share.start / share.size:.0%};--to:{share.end / share.size:.0%}"
    title = bytes_of(share).hex(" ").upper()
    return f'<span class="{HATCHED}" style="{places}" title="{title}"><i>{shown}</i></span>'


def shortened(text: str, most: int = SHORTENED) -> str:
    """Shorten a text in the middle.

    >>> shortened("abcdefgh", 5), shortened("abc", 5)
    ('ab…gh', 'abc')
    """
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def chip_style() -> str:
    """Return the styles of chips; the tints follow the page's light or dark scheme."""
    rules = [
        ".token-chip{padding:0 .5rem;border-radius:.45rem;font-size:1.05rem;white-space:pre;"
        "max-width:14rem;overflow:hidden;text-overflow:ellipsis}",
        ".token-chip .part{font-size:.8em;opacity:.8;padding:0 .2em}",
        ".token-chip .share{position:relative;display:inline-block;min-width:.5em;text-align:center}",
        # The part of the letter that other tokens cover is left out, and hatched.
        ".token-chip .share i{font-style:normal;display:inline-block;min-width:inherit;"
        "clip-path:inset(-1em calc(100% - var(--to)) -1em var(--from))}",
        '.token-chip .share::after{content:"";position:absolute;inset:.15em 0 0;'
        "background:repeating-linear-gradient(-45deg,#0003 0 1px,#0000 1px .22em),#ffffff94;"
        "mask:linear-gradient(to right,#000 var(--from),#0000 var(--from) var(--to),#000 var(--to))}",
        ".token-chips{display:flex;flex-wrap:wrap;gap:.4rem .5rem;line-height:1.9}",
        ".token-chips .token-chip{max-width:100%;white-space:pre-wrap;overflow-wrap:anywhere}",
    ]
    for n, (light, dark) in enumerate(zip(LIGHT.tints, DARK.tints, strict=True)):
        rules.append(
            f".token-chip.tint-{n}{{background:light-dark({light},{dark});color:light-dark({LIGHT.ink},{DARK.ink})}}"
        )
    return f"<style>{''.join(rules)}</style>"


def _ghost_of(run: bytes) -> str:
    lead = run[0]
    size = 2 if lead >> 5 == 6 else 3 if lead >> 4 == 14 else 4 if lead >> 3 == 30 else 0
    if size - len(run) == 1:
        become = ((run + bytes([last])).decode(errors="ignore") for last in range(0x80, 0xC0))
        letters = [letter for letter in become if _LETTER.match(letter)][:_EXAMPLES]
        if letters:
            return " ".join([*map(visible, letters), "…"])
    return f"{len(run)}⁄{size}" if size > len(run) else run[:_EXAMPLES].hex(" ").upper()


def _end(text: str, most: int = LONGEST) -> str:
    """Shorten a long token to its end, where its newest part is."""
    return text if len(text) <= most else "…" + text[-most:]


def _as_hex(escaped: str) -> str:
    return " ".join(f"{ord(character) - 0xDC00:02X}" for character in escaped)


def visible(text: str) -> str:
    r"""Make a text visible: spaces, controls, and a mark that has no letter to stand on.

    >>> visible(" a\n"), visible("\u0e48"), visible("##\u0e48"), visible("\u200b")
    ('␣a⏎', '◌่', '##◌่', 'U+200B')
    """
    shown = "".join(
        _GLYPHS.get(each) or (f"U+{ord(each):04X}" if _INVISIBLE.match(each) else each) for each in text
    )
    return str(_MARK.sub(r"\1◌", shown))
