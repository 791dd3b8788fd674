"""Hostile texts: short seeded texts in which splitting, merging or special tokens are most likely to go wrong."""

import random
import re
from collections.abc import Iterable, Sequence

HOSTILE_COUNT = 500
_SEED = 13
_ALL_SPLIT = 1_000_000
"""Characters. Of longer texts, only the lines that are wanted are cut out."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_PIECES: tuple[tuple[str, ...], ...] = tuple(
    tuple(pieces.split("|"))
    for pieces in (
        "ที่|น้ำใจ|กำ|ำ|่|์์|เแ|ภาษาไทย| ไม่|ๆ|ฯลฯ|฿|๑๒๓|ก็|ผู้ใหญ่|\u0e3a|ก\u0e4d\u0e32",
        "😀|👨\u200d👩\u200d👧\u200d👦|🇹🇭|👍🏽|❤\ufe0f|\u200d|🏳\ufe0f\u200d🌈|1\ufe0f\u20e3|🧑🏿\u200d🚀|\U000e0067|👀👀👀",
        "e\u0301|\u0301|n\u0303o|Å|A\u030a|각|ᄀ\u1161\u11a8|ﬁ|ﬃ|ß|ẞ|İ|ı|ǆ|ﷺ|𝒳",
        "\0|\x01|\x1b|\x7f|\x85|\x1c|\x1f|\u200b|\ufeff|\u202e|\u2066|\ufffd|\uffff",
        "\n|\r|\r\n|\n\r|\n\n|\r\r\n| \n|\n |\t\n|\u2028|\u2029|\v|\f",
        f" |  |   |\t| \t |\u00a0|\u3000|\u1680|\u202f|\u205f|{' ' * 17}|{9 * chr(10)}|{40 * chr(9)}",
        "0|12|123|1234|1234567|3.14|1,000|٣٤٥٦|²³|½|Ⅷ|①|𝟘𝟙𝟚𝟛|00000",
        "'s|'S|'ſ|don't|WE'LL|I'VE|we'rE|'d'M|''t|’s|x's1|ſ|'K|o'clock|'ll ",
        "a|aa|aaaaa|ab|Hello| world|HELLO|camelCase|ÀÉ|привет|ЖЖ|مرحبا|नमस्ते|한국|漢字",
        '...|!!!|//|=)|_|-| -|\\|"|<|{}|$$|#version|a/b/|.\n|…\r\n|@@ |Ġ|▁',
    )
)
_MARKERS = ("<|endoftext|>", "<|im_start|>", "<|endofprompt|>", "<s>", "</s>", "[CLS]", "<unk>")


def hostile_texts(count: int = HOSTILE_COUNT, *, special_tokens: Iterable[str] = ()) -> list[str]:
    """Return texts that are the same at every call; some hold the special tokens, whole, cut off and doubled.

    >>> texts = hostile_texts()
    >>> len(texts), len(set(texts)) > 450, texts == hostile_texts()
    (500, True, True)
    """
    drawn = random.Random(_SEED)
    kinds = [*_PIECES, _lookalikes([*_MARKERS, *special_tokens])]
    texts = []
    for n in range(count):
        # Of each three, one draws from all kinds, one from two and one from a single kind.
        chosen = kinds if n % 3 == 0 else drawn.sample(kinds, 1 + n % 3 // 2)
        pieces = (drawn.choice(drawn.choice(chosen)) for _ in range(drawn.randint(1, 24)))
        texts.append("".join(pieces))
    return texts


def sampled_lines(texts: Sequence[str], most: int = 2_000, *, longest: int = 1_000) -> list[str]:
    r"""Return lines of the texts with their ends, evenly spread if there are more than `most`; long ones are cut.

    >>> sampled_lines(["a\nb\n\nc"]), sampled_lines(["a\nb", "c\nd"], 2)
    (['a\n', 'b\n', 'c'], ['a\n', 'c\n'])
    """
    if sum(map(len, texts)) > _ALL_SPLIT:
        return _lines_at_places(texts, most, longest)
    full = [line for text in texts for line in _LINE.findall(text) if line.strip()]
    chosen = full if len(full) <= most else [full[n * len(full) // most] for n in range(most)]
    return [line[:longest] for line in chosen]


def _lines_at_places(texts: Sequence[str], most: int, longest: int) -> list[str]:
    """Return the lines at evenly spread places of long texts, and stretches of lines that are too long."""
    length = sum(map(len, texts))
    lines: dict[tuple[int, int], str] = {}
    before = 0
    for number, text in enumerate(texts):
        first, last = -(-before * most // length), -(-(before + len(text)) * most // length)
        for n in range(first, last):
            place = n * length // most - before
            start = text.rfind("\n", max(0, place - longest), place) + 1
            start = start or max(0, place - longest)
            end = text.find("\n", place, start + longest) + 1 or start + longest
            if (line := text[start:end]).strip():
                lines[number, start] = line
        before += len(text)
    return list(lines.values())


def _lookalikes(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return each special token whole, without its last or first character, doubled and in the other case."""
    return tuple(
        made
        for token in tokens
        for made in (token, token[:-1], token[1:], token + token, token.swapcase(), f" {token} ")
    )
