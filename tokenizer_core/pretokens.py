"""Count the pretokens of a corpus: all that training needs to know about it."""

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.errors import TextError
from tokenizer_core.patterns import pretokenize_each


def count_pretokens(texts: str | Iterable[str], pattern: str) -> Counter[str]:
    """Count each pretoken of the texts, in order of first appearance.

    Each text is cut separately, so no pretoken crosses the end of a text.

    >>> count_pretokens(["a cat", "a dog"], "mark_aware")
    Counter({'a': 2, ' cat': 1, ' dog': 1})
    """
    counts: Counter[str] = Counter()
    for pretokens in pretokenize_each(map(check_text, [texts] if isinstance(texts, str) else texts), pattern):
        counts.update(pretokens)
    return counts


def check_text(text: str) -> str:
    """Return the text; raise `TextError` if it holds a lone surrogate, which has no UTF-8 bytes.

    >>> check_text("half an emoji: \\ud83d")
    Traceback (most recent call last):
    tokenizer_core.errors.TextError: the text must be valid Unicode; character 15 is the lone surrogate U+D83D
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        surrogate = f"U+{ord(text[error.start]):04X}"
        raise TextError(
            f"the text must be valid Unicode; character {error.start} is the lone surrogate {surrogate}",
            "lone_surrogate",
            position=error.start,
            surrogate=surrogate,
        ) from None
    return text


def bytes_and_ends(pretokens: Collection[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of the pretokens, end to end, and the byte offset where each one ends.

    >>> bytes_and_ends(["ab", "ก"])
    (array([ 97,  98, 224, 184, 129], dtype=uint8), array([2, 5]))
    """
    text_bytes = np.frombuffer("".join(pretokens).encode("utf-8"), dtype=np.uint8)
    # Finding the first byte of each character is ten times faster than encoding each pretoken separately.
    starts = np.flatnonzero((text_bytes & 0xC0) != 0x80)
    offsets = np.append(starts, text_bytes.size)
    lengths = np.fromiter(map(len, pretokens), dtype=np.int64, count=len(pretokens))
    return text_bytes, offsets[np.cumsum(lengths)]
