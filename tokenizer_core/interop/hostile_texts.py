"""Hostile texts, in which cutting, merging or special tokens are likeliest to go wrong."""

import random
from collections.abc import Iterable, Sequence

HOSTILE_COUNT = 500
_SEED = 13
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


def _lookalikes(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return each special token whole, without its last or first character, doubled and in the other case."""
    return tuple(
        made
        for token in tokens
        for made in (token, token[:-1], token[1:], token + token, token.swapcase(), f" {token} ")
    )
