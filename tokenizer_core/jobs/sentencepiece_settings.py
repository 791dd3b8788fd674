"""The settings of a SentencePiece training: those of the library, by its names and with its defaults."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tokenizer_core.errors import TrainingError

ModelType = Literal["unigram", "bpe", "char", "word"]
MODEL_TYPES: tuple[ModelType, ...] = ("bpe", "unigram", "char", "word")
NORMALIZATIONS = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
LEAST_COVERAGE = 0.98
MOST_PIECE_CHARACTERS = 512
MOST_PIECES = 100_000
MOST_LINE_BYTES = 2**20
LEAST_LINES = 101
"""The library takes no smaller limit on lines, only none."""
MOST_LINES = 2**31 - 1
MOST_SEEDS = 2_000_000
MOST_SYMBOLS = 1_000
_THREADS = 2


@dataclass(frozen=True)
class SentencePieceSettings:
    """What `SentencePieceTrainer.train` is told."""

    model_type: ModelType = "unigram"
    vocab_size: int = 8_000
    character_coverage: float = 0.9995
    byte_fallback: bool = False
    normalization_rule_name: str = "nmt_nfkc"
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    allow_whitespace_only_pieces: bool = False
    treat_whitespace_as_suffix: bool = False
    split_by_whitespace: bool = True
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False
    max_sentencepiece_length: int = 16
    max_sentence_length: int = 4_192
    input_sentence_size: int = 0
    """At most this many lines are learned from; 0 for all."""
    seed_sentencepiece_size: int = 1_000_000
    """Candidates that unigram begins with."""
    user_defined_symbols: Sequence[str] = ()
    unk_surface: str = " ⁇ "
    hard_vocab_limit: bool = True

    def check(self) -> None:
        """Raise `TrainingError` for a value that the library refuses, or that takes too much."""
        _check_between(self.vocab_size, 4, MOST_PIECES, "pieces_size_out_of_range")
        _check_between(self.character_coverage, LEAST_COVERAGE, 1.0, "pieces_coverage_out_of_range")
        _check_between(self.max_sentencepiece_length, 1, MOST_PIECE_CHARACTERS, "pieces_length_out_of_range")
        _check_between(self.max_sentence_length, 1, MOST_LINE_BYTES, "pieces_line_length_out_of_range")
        if self.input_sentence_size:
            _check_between(self.input_sentence_size, LEAST_LINES, MOST_LINES, "pieces_lines_out_of_range")
        _check_between(self.seed_sentencepiece_size, 1, MOST_SEEDS, "pieces_seeds_out_of_range")
        if self.model_type not in MODEL_TYPES or self.normalization_rule_name not in NORMALIZATIONS:
            raise TrainingError("the model type and the normalization must be known", "pieces_setting_unknown")
        for text in (*self.user_defined_symbols, self.unk_surface):
            if len(text) > MOST_PIECE_CHARACTERS or any(
                character in "\0\n\r\t" or "\ud800" <= character <= "\udfff" for character in text
            ):
                raise TrainingError(
                    f"a symbol must be short, without line breaks, tabs or half characters; {text[:40]!r} came",
                    "pieces_symbol_invalid",
                    symbol=ascii(text[:40]),
                )
        _check_symbols(self.user_defined_symbols)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments for the library; it takes lines in their order, so a training can be repeated."""
        return asdict(self) | {
            "user_defined_symbols": list(self.user_defined_symbols),
            "shuffle_input_sentence": False,
            "num_threads": _THREADS,
        }


LECTURE = SentencePieceSettings(
    model_type="bpe",
    vocab_size=400,
    character_coverage=0.99995,
    byte_fallback=True,
    normalization_rule_name="identity",
    input_sentence_size=200_000_000,
    remove_extra_whitespaces=False,
    allow_whitespace_only_pieces=True,
    split_digits=True,
)
"""The settings of Karpathy's lecture, close to those of Llama 2."""


def _check_between(value: float, least: float, most: float, code: str) -> None:
    if not least <= value <= most:
        raise TrainingError(
            f"a setting must be from {least} to {most}; {value} came", code, least=least, most=most
        )


def _check_symbols(symbols: Sequence[str]) -> None:
    if len(symbols) > MOST_SYMBOLS:
        raise TrainingError(
            f"there must be at most {MOST_SYMBOLS} symbols; {len(symbols)} came",
            "pieces_symbols_many",
            most=MOST_SYMBOLS,
        )
    for place, symbol in enumerate(symbols):
        if not symbol or symbol in symbols[:place] or symbol in ("<unk>", "<s>", "</s>"):
            raise TrainingError(
                f"each symbol must be new and have at least one character; {symbol!r} came",
                "pieces_symbol_twice",
                symbol=symbol,
            )
