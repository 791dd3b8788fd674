"""Random texts, and what must be true of each: nothing is lost, and every twin says the same."""

import random
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise

import tiktoken

from tests.helpers.clusters import boundaries
from tests.helpers.hostile import HOSTILE_PIECES, own_pattern
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, cutter, pretokenize, segments, train
from tokenizer_core.errors import PatternError
from tokenizer_core.formats.exports import LOADED_BY, export
from tokenizer_core.formats.opening import open_tokenizer
from tokenizer_core.measures.history import joining_merges, token_counts
from tokenizer_core.patterns import compile_pattern
from tokenizer_core.pretokens import number_pretokens

TEXTS_AT_ONCE = 1_000
TEXTS_OF_A_PATTERN = 20
LEARNED = 400
SIZES = (256, 300, 350, 400)
EDGES = [
    *"aAbBsStTdDlLvVrReEmMkK'ſKǅʰกำ่\u0301\u0e47\n\r \t\x0b\x1c\x85\u2028\u00a0\u3000/!.-😀\u20e3٣9𝟘½ⅷ漢\0",
    *(
        "  ",
        "\r\n",
        "'ll",
        "'LL",
        "'ſ",
        "'RE",
        "'Ve",
        "//",
        "\n/",
        "1234567",
        "\U000e0100",
        "\u200d",
        "\U0010ffff",
    ),
]
"""Where one branch of a pattern gives way to another."""


def check_batch(seed: str) -> int:
    """Make texts from a seed and check them by one pattern; return how many, or raise `AssertionError`."""
    seeded = random.Random(seed)
    texts = [text_from(seeded) for _ in range(TEXTS_AT_ONCE)]
    pattern = seeded.choice(list(SPLIT_PATTERNS))
    check_cuts(texts, pattern)
    check_own_patterns(texts, seeded)
    tokenizer = trained(pattern)
    ids, counts = tokenizer.encode_each(texts)
    ends = list(accumulate(counts.tolist()))
    for text, start, end in zip(texts, [0, *ends], ends):
        check_text(text, ids[start:end].tolist(), tokenizer, seeded.choice(SIZES))
    check_formats(texts, pattern, seeded)
    return len(texts)


def text_from(seeded: random.Random) -> str:
    """Make a text of hostile pieces, of any characters, or of a damaged sentence."""
    kind = seeded.randrange(4)
    if kind == 0:
        return "".join(seeded.choices(EDGES, k=seeded.randrange(16)))
    if kind == 1:
        return "".join(seeded.choices(HOSTILE_PIECES, k=seeded.randrange(12)))
    if kind == 2:
        points = [
            seeded.randrange(seeded.choice((128, 0xE80, 0x3000, 0x110000))) for _ in range(seeded.randrange(20))
        ]
        return "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000)
    line: str = seeded.choice(seeded.choice((THAI_LINES, ENGLISH_LINES)))
    start, end = sorted(seeded.choices(range(len(line) + 1), k=2))
    edges = "".join(seeded.choices(EDGES, k=seeded.randrange(4)))
    return f"{line[:start]}{edges}{line[end : end + 40]}"


@cache
def trained(pattern: str) -> Tokenizer:
    """A tokenizer of the bundled sentences."""
    return train(THAI_LINES + ENGLISH_LINES + HOSTILE_PIECES, LEARNED, pattern=pattern)


@cache
def twin(pattern: str, vocab_size: int) -> tiktoken.Encoding:
    """The same tokenizer at a smaller size, as tiktoken runs it."""
    ranks = {token: rank for rank, token in enumerate(trained(pattern).vocabulary[:vocab_size])}
    return tiktoken.Encoding("twin", pat_str=SPLIT_PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})


@cache
def smaller(pattern: str, vocab_size: int) -> Tokenizer:
    """The same tokenizer at a smaller size."""
    return trained(pattern).at(vocab_size)


def check_cuts(texts: Sequence[str], pattern: str) -> None:
    """Compare the compiled cutter with `regex`."""
    numbered = number_pretokens(texts, pattern)
    distinct = numbered.distinct.strings()
    cut = compile_pattern(pattern).findall
    expected = [pretoken for text in texts for pretoken in cut(text)]
    if [distinct[place] for place in numbered.places] != expected:
        worst = [text for text in texts if pretokens_of(text, pattern) != cut(text)]
        raise AssertionError(f"cut by {pattern}: {worst[:3]!r}")


def check_own_patterns(texts: Sequence[str], seeded: random.Random) -> None:
    """Compare the programs of random patterns with `regex`, each on a few of the texts."""
    cutter.WORTH = 0
    for start in range(0, len(texts), TEXTS_OF_A_PATTERN):
        pattern, some = own_pattern(seeded), texts[start : start + TEXTS_OF_A_PATTERN]
        try:
            expected = [pretoken for text in some for pretoken in pretokenize(text, pattern)]
        except PatternError:  # `regex` itself takes too long
            continue
        numbered = number_pretokens(some, pattern)
        distinct = numbered.distinct.strings()
        assert [distinct[place] for place in numbered.places] == expected, ("program", pattern, some)


def pretokens_of(text: str, pattern: str) -> list[str]:
    """Cut one text by compiled code."""
    numbered = number_pretokens([text], pattern)
    distinct = numbered.distinct.strings()
    return [distinct[place] for place in numbered.places]


def check_text(text: str, ids: list[int], tokenizer: Tokenizer, vocab_size: int) -> None:
    """Check the ids of a text, its segments, and its history."""
    pattern = tokenizer.pattern
    assert ids == twin(pattern, LEARNED).encode_ordinary(text), ("encode", pattern, text)
    assert tokenizer.decode(ids) == text, ("decode", pattern, text)
    at_size = smaller(pattern, vocab_size).encode(text)
    assert at_size == twin(pattern, vocab_size).encode_ordinary(text), ("at", pattern, vocab_size, text)
    assert token_counts(text, tokenizer)[vocab_size - 256] == len(at_size), ("counts", pattern, vocab_size, text)
    joined = joining_merges(ids, tokenizer)
    cut_before = [place for place, merge in enumerate(joined, 1) if merge == 0 or merge > vocab_size - 256]
    ends = list(accumulate(len(tokenizer.vocabulary[token_id]) for token_id in at_size))
    assert cut_before == ends[:-1], ("history", pattern, vocab_size, text)
    check_segments(text, ids, tokenizer)


def check_segments(text: str, ids: list[int], tokenizer: Tokenizer) -> None:
    """Segments are the text, hold each token once, and end where clusters end, as often as tokens do."""
    found = segments(text, tokenizer)
    assert "".join(segment.text for segment in found) == text, ("segments lose text", tokenizer.pattern, text)
    assert [token_id for segment in found for token_id in segment.token_ids] == ids, ("segments", text)
    firsts = [segment.first_index for segment in found]
    assert firsts == [0, *accumulate(len(segment.token_ids) for segment in found)][: len(found)], ("firsts", text)
    clusters = {0, *(len(text[:end].encode()) for end in boundaries(text))}
    tokens = {0, *accumulate(len(tokenizer.vocabulary[token_id]) for token_id in ids)}
    ends = [0, *accumulate(len(segment.text.encode()) for segment in found)]
    assert ends == sorted(clusters & tokens), ("segments end elsewhere", tokenizer.pattern, text)
    assert all(start < end for start, end in pairwise(ends)), ("empty segment", text)


def check_formats(texts: Sequence[str], pattern: str, seeded: random.Random) -> None:
    """Train on some of the texts, write the tokenizer in a format, open it again, and compare."""
    tokenizer = train(texts[:50], seeded.randrange(256, 330), pattern=pattern)
    to = seeded.choice(sorted(LOADED_BY))
    opened = open_tokenizer("written", openable(export(tokenizer, to).files), pattern=pattern).tokenizer
    for text in texts[50:60]:
        again = opened.encode(text)
        assert opened.decode_bytes(again) == text.encode(), ("format", to, pattern, text)
        assert len(again) == len(tokenizer.encode(text)), ("format", to, pattern, text)


def openable(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out what is there for people: the `.vocab` beside minbpe's model."""
    return {name: content for name, content in files.items() if not name.endswith(".vocab")}
