"""WordPiece trained by the `tokenizers` library, the same each time."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from tokenizer_core.errors import TrainingError
from tokenizer_core.interop.limits import MOST_LINE_BYTES, MOST_PIECES

if TYPE_CHECKING:
    from tokenizers.pre_tokenizers import PreTokenizer

UNKNOWN, INSIDE = "[UNK]", "##"
LEAST_SIZE = 4
MIN_COUNT = 2
"""Pairs found only once are not merged."""
LONGEST_WORD = 1_000
"""A longer word is learned from in parts: the library needs time by the square of its length."""


def check_size(vocab_size: int) -> None:
    """Raise `TrainingError` for a size that takes too much."""
    if not LEAST_SIZE <= vocab_size <= MOST_PIECES:
        raise TrainingError("pieces_size_out_of_range", least=LEAST_SIZE, most=MOST_PIECES, value=vocab_size)


def train_word_piece(texts: Sequence[str], vocab_size: int) -> bytes:
    """Train at once, in this process, and return the bytes of the `tokenizer.json`; each line is a text.

    Words stand between white space and punctuation, as BERT cuts them, and nothing is normalized: BERT's own
    normalizer would drop Thai vowels and tone marks.

    Raises `TrainingError` if the size does not hold the characters, or if there are none.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    check_size(vocab_size)
    library = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    library.pre_tokenizer = words = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(prefix=INSIDE, cleanup=False)
    characters = {character for text in texts for character in set(text) if not character.isspace()}
    # The library numbers pieces inside words in the order of its hash map, another one in each run, and these ids
    # decide ties. Named first, they are the same each time.
    inside = sorted(INSIDE + character for character in _inside_words(texts, words))
    if not characters:
        raise TrainingError("pieces_no_text", limit=MOST_LINE_BYTES)
    if (least := 1 + len(characters) + len(inside)) > vocab_size:
        raise TrainingError("pieces_size_low", size=vocab_size, least=least)
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=MIN_COUNT,
        special_tokens=[UNKNOWN, *inside],
        continuing_subword_prefix=INSIDE,
        show_progress=False,
    )
    library.train_from_iterator(_lines(texts), trainer)
    content = json.loads(library.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] == UNKNOWN]
    return json.dumps(content, ensure_ascii=False).encode()


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines, with spaces in words that are too long."""
    for text in texts:
        for line in text.split("\n"):
            if len(line) <= LONGEST_WORD:
                yield line
            else:
                yield " ".join(
                    word[at : at + LONGEST_WORD]
                    for word in line.split()
                    for at in range(0, len(word), LONGEST_WORD)
                )


def _inside_words(texts: Iterable[str], words: "PreTokenizer") -> set[str]:
    """Return the characters that stand behind another one in a word."""
    pairs = {pair for text in texts for pair in set(pairwise(text))}
    return {right for left, right in pairs if words.pre_tokenize_str(left + right) == [(left + right, (0, 2))]}
